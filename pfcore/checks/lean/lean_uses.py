"""Which Lean declarations are unfinished, and which are proved with one that is.

A name counts as a use only if its meaning is certain: it is looked up as Lean does, in the open
namespaces, among earlier and imported declarations. Bound words, lists of lemmas that a tactic may
ignore, and alternatives do not count. So every reported use is one, but many are not found.
"""

import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple, Self

from pfcore.checks.lean.lean_files import LeanCommand, blanked, commands, line_of, parts
from pfcore.domain.lazy_regex import regex

_PIECE = r"(?:«[^»\n]*»|[^\W\d][\w'!?]*)"
_IDENT = rf"{_PIECE}(?:\.{_PIECE})*"
_WORD = regex(rf"(?<![\w.`«'!?-]){_IDENT}")
_STRING = regex(r'"(?:[^"\\]|\\.)*"?')
_IMPORT = regex(
    r"^[ \t]*+(?:(?:public|private|meta)[ \t]++)*+import[ \t]++(?:all[ \t]++)?+([\w.«»'!?]++)",
    re.MULTILINE,
)
_ALTERNATIVES = regex(r"\b(?:first|any_goals|iterate|repeat)\b|<\|>")
_TRIED = regex(r"\btry\b[^\n]*")
_LISTED = regex(r"(\b(?:rw|rwa|erw|rewrite|simp_rw)[ \t]*+)?\[([^\[\]]*)\]")
_MOST_NESTED = 8
_GROUP = regex(rf"[(\[{{⦃]\s{{0,9}}+((?:{_PIECE}\s{{1,9}}+){{0,12}}{_PIECE})\s{{0,9}}+:(?!=)")
_INNER = r"(?:[^⟨⟩]|⟨[^⟨⟩]{0,200}+⟩){0,200}+"
_TUPLE = rf"⟨(?:[^⟨⟩]|⟨{_INNER}⟩){{0,400}}+⟩"
_BINDING = regex(
    r"(?:\b(?:fun|intros?|rintro|obtain|let|have|haveI|letI|set|suffices|choose|by_cases|case|next|"
    r"r?ext|funext|for|with|generalize|rename_i|match)\b|[λ∀∃∑∏⋃⋂∫⨆⨅ΣΠ⨁⨂])"
    rf"((?:{_PIECE}|{_TUPLE}|\([^()]{{0,400}}+\)|[{{⦃][^{{}}⦃⦄]{{0,400}}+[}}⦄]|[ \t_@|!ᶠᵐ?*-])*+)"
)
_CASE = regex(r"\|([^|=↦\n]*)(?:=>|↦)")
_NAMED = regex(rf"(?:^|[{{,(;]|\bwhere\b)[ \t]*+({_PIECE})[ \t]*+(?::=|:(?!:))", re.MULTILINE)
_SPACE = regex(_IDENT)
_PARTLY = frozenset({"scoped", "hiding", "renaming"})
_PROPOSITIONS = frozenset({"theorem", "lemma", "axiom", "Statement"})


class DeclarationUses(NamedTuple):
    """A declaration: its full name and keyword, what it lacks, and then its line, else 0.

    `flags` are "private" and "protected", `space` is the namespace in which its names are looked
    up, `opens` are the other open ones, `words` the free names in it.
    """

    name: str
    word: str
    lack: str
    line: int
    flags: str
    space: str
    opens: tuple[str, ...]
    words: tuple[str, ...]


class FileUses(NamedTuple):
    """The named declarations of a file in order, and the modules that it imports."""

    imports: tuple[str, ...]
    declared: tuple[DeclarationUses, ...]

    def dumped(self) -> str:
        """As JSON."""
        return json.dumps(self, separators=(",", ":"))

    @classmethod
    def loaded(cls, text: str) -> Self:
        """From JSON; ValueError if it is malformed."""
        try:
            imports, rows = json.loads(text)
            listed = tuple(
                DeclarationUses(
                    *(str(name), str(word), str(lack), int(line), str(flags), str(space)),
                    opens=tuple(map(str, opens)),
                    words=tuple(map(str, words)),
                )
                for name, word, lack, line, flags, space, opens, words in rows
            )
        except (TypeError, AttributeError) as error:
            raise ValueError("no declarations") from error
        return cls(tuple(map(str, imports)), listed)


class LeanGap(NamedTuple):
    """Why a declaration is not proved: the word at the end of the chain, and its place.

    `through` are the declarations that lead there, the next one first; () if it is its own word.
    """

    lack: str
    path: str
    line: int
    through: tuple[str, ...]

    @property
    def is_begun(self) -> bool:
        """Whether the declaration itself has an unfinished proof."""
        return not self.through and self.lack in ("sorry", "admit", "stop")


def file_uses(text: str) -> FileUses:
    """What the declarations of a file lack, and the names that they mention."""
    return FileUses(tuple(_IMPORT.findall(text)), tuple(_declared(text)))


def _declared(text: str) -> Iterator[DeclarationUses]:
    blank = ""
    for found in commands(text):
        if not (found.is_declaration and found.name):
            continue
        full, lack = found.full(found.name), found.lack
        blank = blank or (blanked(text) if lack else "")
        is_of_root = found.name.startswith("_root_.")
        yield DeclarationUses(
            name=full,
            word=found.word,
            lack=lack,
            line=line_of(blank, found.word, found.name) if lack else 0,
            flags=" ".join(flag for flag in ("private", "protected") if flag in found.head.split()),
            space=".".join(found.scopes) if is_of_root else ".".join(parts(full)[:-1]),
            opens=tuple(dict.fromkeys(name for body in found.opens for name in _opened(body))),
            words=tuple(sorted(_words(found))),
        )


def _opened(body: str) -> list[str]:
    """The namespaces that an `open` opens completely; none for `open scoped` or selected names."""
    names = body.split()
    names = names[:-1] if names and names[-1] == "in" else names
    is_whole = all(map(_SPACE.fullmatch, names)) and _PARTLY.isdisjoint(names)
    return names if is_whole else []


def _words(found: LeanCommand) -> set[str]:
    """The names that a declaration certainly mentions and does not bind."""
    body = _STRING.sub('""', found.body)
    if _ALTERNATIVES.search(body):
        return set()
    hidden = _bound(body).union(*map(_bound_by_variables, found.variables))
    body = _TRIED.sub(" ", body)
    for _ in range(_MOST_NESTED):
        body, number = _LISTED.subn(lambda own: f"{own[1]}({own[2]})" if own[1] else " ", body)
        if not number:
            break
    return {word for word in _WORD.findall(body) if parts(word)[0] not in hidden}


def _bound(text: str) -> set[str]:
    """The words that a text may bind; rather too many than too few."""
    listed = (_GROUP, _BINDING, _CASE, _NAMED)
    found = {part for pattern in listed for part in pattern.findall(text)}
    return {word for part in found for word in _WORD.findall(part)}


@lru_cache(maxsize=256)
def _bound_by_variables(text: str) -> set[str]:
    """The same for a `variable` command; cached, because it applies to many declarations."""
    return _bound(text)


class _DeclarationPlace(NamedTuple):
    """A declaration with its file, and its number there."""

    path: str
    number: int
    row: DeclarationUses


class _LeanRepository:
    """Looks up names among the declarations of all Lean files, and other `known` names."""

    def __init__(self, files: Mapping[str, FileUses], known: Callable[[str], bool]) -> None:
        self._files = files
        self._known = known
        self.places: dict[str, list[_DeclarationPlace]] = {}
        self.mentions: dict[str, list[_DeclarationPlace]] = {}
        self._spaces: set[str] = set()
        self._reached: dict[str, frozenset[str]] = {}
        self._modules: dict[str, list[str]] = {}
        for path, found in files.items():
            steps = path.removesuffix(".lean").split("/")
            for start in range(len(steps)):
                self._modules.setdefault(".".join(steps[start:]), []).append(path)
            for number, row in enumerate(found.declared):
                place = _DeclarationPlace(path, number, row)
                self.places.setdefault(row.name, []).append(place)
                owners = parts(row.name)[:-1]
                self._spaces.update(".".join(owners[:n]) for n in range(1, len(owners) + 1))
                for piece in {piece for word in row.words for piece in parts(word)}:
                    self.mentions.setdefault(piece, []).append(place)

    def meant(self, word: str, user: _DeclarationPlace) -> _DeclarationPlace | None:
        """The only declaration of the repository that a word can mean; None if it is unclear."""
        listed = parts(word)
        is_of_root = listed[0] == "_root_"
        listed = listed[is_of_root:]
        for number in range(len(listed), 0, -1):
            for names in self._candidates(listed[:number], user, is_of_root=is_of_root):
                there = {name for name in names if self._exists(name, user, is_short=number == 1)}
                if not there:
                    continue
                places = self.places.get(min(there), [])
                is_clear = len(there) == len(places) == 1
                is_field = number < len(listed) and places[0].row.word not in _PROPOSITIONS
                return places[0] if is_clear and not is_field else None
        return None

    def _candidates(
        self, listed: list[str], user: _DeclarationPlace, *, is_of_root: bool
    ) -> Iterator[list[str]]:
        """The full names that these parts may mean, nearest first, in equally near groups."""
        name = ".".join(listed)
        spaces = parts(user.row.space) if user.row.space and not is_of_root else []
        for number in range(len(spaces), 0, -1):
            yield [".".join((*spaces[:number], name))]
        around = [".".join((*spaces[:number], "")) for number in range(len(spaces) + 1)]
        opened = (f"{before}{space}" for space in user.row.opens for before in around)
        yield [
            name,
            *(f"{space}.{name}" for space in opened if space in self._spaces and not is_of_root),
        ]

    def _exists(self, name: str, user: _DeclarationPlace, *, is_short: bool) -> bool:
        """Whether a name is visible from a declaration."""
        places = self.places.get(name, [])
        if not places:
            return self._known(name)
        return any(self._is_seen(place, user, is_short=is_short) for place in places)

    def _is_seen(
        self, place: _DeclarationPlace, user: _DeclarationPlace, *, is_short: bool
    ) -> bool:
        if "protected" in place.row.flags and is_short and "." in place.row.name:
            return False
        if place.path == user.path:
            return place.number < user.number
        return "private" not in place.row.flags and place.path in self._reach(user.path)

    def _reach(self, path: str) -> frozenset[str]:
        """The files that a file imports, directly or indirectly."""
        if path not in self._reached:
            found: set[str] = set()
            pending = [path]
            while pending:
                for name in self._files[pending.pop()].imports:
                    paths = self._modules.get(name, [])
                    if len(paths) == 1 and paths[0] not in found:
                        found.add(paths[0])
                        pending.append(paths[0])
            self._reached[path] = frozenset(found)
        return self._reached[path]


def _none(_: str) -> bool:
    return False


def gaps(files: Mapping[str, FileUses], known: Callable[[str], bool] = _none) -> dict[str, LeanGap]:
    """The declarations that lack something, and those that use one of these, by name.

    Names declared more than once are skipped. `known` says whether the repository has a name that
    is not a declaration of its own, such as a field. An `opaque` without a value does not make the
    declarations that use it unproved.
    """
    repository = _LeanRepository(files, known)
    alone = [places[0] for places in repository.places.values() if len(places) == 1]
    found = {
        item.row.name: LeanGap(item.row.lack, item.path, item.row.line, ())
        for item in alone
        if item.row.lack
    }
    pending = deque(name for name, gap in found.items() if gap.lack != "opaque")
    while pending:
        name = pending.popleft()
        piece = parts(name)[-1]
        for user in repository.mentions.get(piece, ()):
            own = user.row.name
            if own in found or len(repository.places[own]) > 1:
                continue
            words = (word for word in user.row.words if piece in parts(word))
            meant = (repository.meant(word, user) for word in words)
            if any(place is not None and place.row.name == name for place in meant):
                found[own] = found[name]._replace(through=(name, *found[name].through))
                pending.append(own)
    return found
