"""The hypotheses of a Lean declaration in its binders: its own, and those of `variable`s.

Read from the source alone. Lean includes the variables that a statement mentions, and the
instances about them; `include`, and variables that only a tactic proof uses, are ignored.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from pfcore.checks.lean.lean_files import LeanCommand, commands
from pfcore.domain.digest import digest, text_digest
from pfcore.domain.lazy_regex import regex

_PAIRS = {"(": ")", "{": "}", "[": "]", "⦃": "⦄", "⟨": "⟩"}
_CLOSING = frozenset(_PAIRS.values())
_UNIVERSES = regex(r"\s*\.\{[^{}]*\}")
_RAISED = "\u02b0-\u02ff\u1d2c-\u1d61\u2071\u207f"  # not part of a name: the units of R are `Rˣ`
_ATOM = regex(rf"«[^»\n]*»|(?![\d{_RAISED}])\w(?:(?![{_RAISED}])[\w'!?])*")
_BOUND = regex(r"\s*((?:(?:«[^»\n]*»|[^\W\d][\w'!?]*)\s+)*(?:«[^»\n]*»|[^\W\d][\w'!?]*))\s*:(?!=)")
_PRIORITY = regex(r"\s*\(\s*priority\b[^()]*\)")
_STOP = regex(r"[({\[⦃⟨)}\]⦄⟩]|:=|\bwhere\b|^[ \t]*+\|(?=[^\n]*=>)", re.MULTILINE)
_NOT_BOUND = frozenset({"where", "extends", "in", "from", "deriving", "with", "for"})
_ALONE = regex(r"[^\W\d][\w'!?.]*(?:\.\{[^{}]*\})?")
_SORT = regex(r": *(?:Type|Sort)\b")
_TOKEN = regex(rf"{_ATOM.pattern}|\S")
_ATTRIBUTE = regex(r"@\[[^\[\]]*\]")
_DERIVING = regex(r"^[ \t]*+deriving\b", re.MULTILINE)
_SAYING_ALL = frozenset({"structure", "class", "inductive"})
_MAKING = frozenset({"def", "abbrev", "irreducible_def"})
_MOST = 200
_DATA = 2


class BinderKind(StrEnum):
    """How Lean fills in a binder."""

    EXPLICIT = "explicit"
    IMPLICIT = "implicit"
    INSTANCE = "instance"


class LeanBinder(NamedTuple):
    """A binder as written, without its brackets, and the names that it binds."""

    kind: BinderKind
    text: str
    names: tuple[str, ...]

    @property
    def shown(self) -> str:
        """The binder with the brackets of its kind."""
        return _BRACKETS[self.kind].replace("_", self.text)


_BRACKETS = {BinderKind.EXPLICIT: "(_)", BinderKind.IMPLICIT: "{_}", BinderKind.INSTANCE: "[_]"}


class LeanStatement(NamedTuple):
    """A declaration's full name, and digests of its type and, for a definition, its value."""

    name: str
    says: str
    makes: str


def statements(text: str) -> list[LeanStatement]:
    """The statements of a file's named declarations, in order."""
    found: list[LeanStatement] = []
    for item in commands(text):
        if item.is_declaration and item.name:
            says, makes = map(digest, _said(item))
            found.append(LeanStatement(item.full(item.name), says, makes))
    return found


def _said(declaration: LeanCommand) -> tuple[list[str], list[str]]:
    """The types of the binders and of the declaration, and the value of a definition.

    All of a structure is its type. The names of binders, their order, and how they are filled in,
    make no difference.
    """
    body, word = declaration.body, declaration.word
    end = _groups(body)[1]
    stop = len(body) if word in _SAYING_ALL else _type_end(body, end)
    if deriving := _DERIVING.search(body, end):
        body, stop = body[: deriving.start()], min(stop, deriving.start())
    listed = [one for item in binders(declaration) for one in _each(item)]
    types = [(item.names, _tokens(_type(item))) for item in listed]
    aim = _tokens(body[end:stop])
    called = _canonical(types, aim)
    said = sorted(_renamed(tokens, called) for _, tokens in types)
    value = _renamed(_tokens(body[stop:]), called) if word in _MAKING else ""
    return [*said, _renamed(aim, called)], [value]


def _canonical(types: list[tuple[tuple[str, ...], list[str]]], aim: list[str]) -> dict[str, str]:
    """Canonical names of bound variables: their order in the type `aim`, else their types."""
    bound = {name: tokens for names, tokens in types for name in names if name != "_"}
    first = {name: f"#{n}" for n, name in enumerate(dict.fromkeys(filter(bound.__contains__, aim)))}
    plain = {**dict.fromkeys(bound, "#"), **first}
    called = dict(first)
    for name in bound.keys() - first.keys():
        uses = [tokens for _, tokens in types if name in tokens]
        told = sorted(_renamed(tokens, {**plain, name: "@"}) for tokens in uses)
        called[name] = f"#{text_digest(' '.join([_renamed(bound[name], plain), *told]))[:16]}"
    return called


def _tokens(text: str) -> list[str]:
    """The tokens of a text, without attributes."""
    return _TOKEN.findall(_ATTRIBUTE.sub(" ", text))


def _renamed(tokens: list[str], called: Mapping[str, str]) -> str:
    """Tokens as one text, renamed; a name after a dot is a field and stays."""
    pairs = pairwise(["", *tokens])
    return " ".join(token if last == "." else called.get(token, token) for last, token in pairs)


def _type(item: LeanBinder) -> str:
    """The type of a binder: the text after its names, or all of it without names."""
    bound = _BOUND.match(item.text)
    return item.text[bound.end() :] if bound else "" if item.names else item.text


def binders(declaration: LeanCommand) -> tuple[LeanBinder, ...]:
    """The binders of a declaration, after those of the variables that Lean includes."""
    own, end = _groups(declaration.body)
    written = [item for text in declaration.variables for item in _groups(text)[0]][-_MOST:]
    variables = _in_force(one for item in written for one in _each(item))
    variables = _not_hidden(variables, {name for item in own for name in item.names})
    said = declaration.body[: _type_end(declaration.body, end)]
    return (*_joined(_taken(variables, said)), *own)


def _each(item: LeanBinder) -> Iterator[LeanBinder]:
    """A binder of several names as one for each, because Lean includes each separately."""
    bound = _BOUND.match(item.text)
    if len(item.names) < 2:
        yield item
        return
    for name in item.names:
        text = f"{name} {item.text[bound.end(1) :].lstrip()}" if bound else name
        yield LeanBinder(item.kind, text, (name,))


def _joined(found: Iterable[LeanBinder]) -> Iterator[LeanBinder]:
    """The binders, with adjacent ones of the same type joined again."""
    held: list[LeanBinder] = []
    for item in found:
        if held and _type_of(held[0]) != _type_of(item):
            yield _as_one(held)
            held = []
        held.append(item)
    if held:
        yield _as_one(held)


def _type_of(item: LeanBinder) -> tuple[BinderKind, str]:
    """A key that is equal for binders that can be joined; binders without names cannot."""
    _, mark, written = item.text.partition(" : ")
    return (item.kind, written) if mark and item.names else (item.kind, f"[{item.text}")


def _as_one(held: list[LeanBinder]) -> LeanBinder:
    first = held[0]
    if len(held) == 1:
        return first
    names = tuple(name for item in held for name in item.names)
    written = first.text.partition(" : ")[2]
    return LeanBinder(first.kind, f"{' '.join(names)} : {written}", names)


def _taken(variables: list[LeanBinder], said: str) -> Iterator[LeanBinder]:
    """The variables that a statement mentions, directly or indirectly, and instances about them."""
    mentioned = set(_ATOM.findall(said))
    kept: set[int] = set()
    bound = {name for item in variables for name in item.names}
    words = [set(_ATOM.findall(item.text)) - set(item.names) for item in variables]
    data = _data(variables, words)
    for _ in variables:
        before = len(kept)
        for number, item in enumerate(variables):
            is_about = item.kind is BinderKind.INSTANCE and _is_about(
                item, about=words[number] & bound, mentioned=mentioned, data=data
            )
            if number not in kept and (is_about or not mentioned.isdisjoint(item.names)):
                kept.add(number)
                mentioned |= words[number] | set(item.names)
        if len(kept) == before:
            break
    yield from (item for number, item in enumerate(variables) if number in kept)


def _is_about(item: LeanBinder, *, about: set[str], mentioned: set[str], data: set[str]) -> bool:
    """Whether an instance concerns only mentioned variables, or none at all.

    Also if it carries data: a statement that mentions `a` uses `[Data a q F]` without mentioning
    `q` and `F`.
    """
    missing = about - mentioned
    if not missing:
        return bool(about) or _ALONE.fullmatch(_type(item).strip()) is not None
    return len(missing) >= _DATA and missing < about and missing <= data


def _data(variables: list[LeanBinder], words: list[set[str]]) -> set[str]:
    """The names of variables that are not types and that only one instance mentions."""
    counted = Counter(
        name
        for item, listed in zip(variables, words, strict=True)
        if item.kind is BinderKind.INSTANCE
        for name in listed
    )
    return {
        name
        for item in variables
        if not _SORT.search(item.text)
        for name in item.names
        if counted[name] == 1
    }


def _in_force(found: Iterable[LeanBinder]) -> list[LeanBinder]:
    """The variables in force: `variable {x}` only changes how an earlier `x` is filled in.

    A new variable hides an earlier one of the same name, together with hypotheses about that.
    """
    held: list[LeanBinder] = []
    for item in found:
        bound = {name for one in held for name in one.names}
        if item.names and not _is_typed(item) and bound.issuperset(item.names):
            held = [
                one._replace(kind=item.kind) if set(one.names) & set(item.names) else one
                for one in held
            ]
        else:
            held = [*_not_hidden(held, set(item.names) & bound), item]
    return held


def _not_hidden(held: list[LeanBinder], names: set[str]) -> list[LeanBinder]:
    """The binders, without those of the given names only and unnamed ones that mention a name."""
    return [
        item
        for item in held
        if names.isdisjoint(item.names if item.names else _ATOM.findall(item.text))
        or (item.names and not names.issuperset(item.names))
    ]


def _is_typed(item: LeanBinder) -> bool:
    return _BOUND.match(item.text) is not None


def _groups(text: str) -> tuple[list[LeanBinder], int]:
    """The binders at the beginning of a text, and where they end."""
    found: list[LeanBinder] = []
    at = 0
    if universes := _UNIVERSES.match(text):
        at = universes.end()
    while len(found) < _MOST:
        while priority := _PRIORITY.match(text, at):
            at = priority.end()
        start = at
        while start < len(text) and text[start].isspace():
            start += 1
        if start >= len(text):
            break
        if text[start] not in "({[⦃":
            bare = _ATOM.match(text, start)  # `def f x y : T`
            if not bare or bare[0] in _NOT_BOUND:
                break
            found.append(LeanBinder(BinderKind.EXPLICIT, bare[0], (bare[0],)))
            at = bare.end()
            continue
        end = _closing(text, start)
        if end < 0:
            break
        found.append(_binder(text[start], " ".join(text[start + 1 : end - 1].split())))
        at = end
    return found, at


def _binder(opening: str, inner: str) -> LeanBinder:
    kind = {"(": BinderKind.EXPLICIT, "[": BinderKind.INSTANCE}.get(opening, BinderKind.IMPLICIT)
    bound = _BOUND.match(inner)
    if bound:
        return LeanBinder(kind, inner, tuple(bound[1].split()))
    return LeanBinder(kind, inner, () if kind is BinderKind.INSTANCE else tuple(inner.split()))


def _closing(text: str, start: int) -> int:
    """The offset after the bracket that closes the one at `start`; -1 if it is not closed."""
    waiting: list[str] = []
    for at in range(start, len(text)):
        letter = text[at]
        if letter in _PAIRS:
            waiting.append(_PAIRS[letter])
        elif letter in _CLOSING and waiting:
            if letter != waiting.pop():
                return -1
            if not waiting:
                return at + 1
    return -1


def _type_end(text: str, start: int) -> int:
    """The end of a declaration's type: `:=`, `where`, or the first case, outside of brackets."""
    depth = 0
    for match in _STOP.finditer(text, start):
        if match[0] in _PAIRS:
            depth += 1
        elif match[0] in _CLOSING:
            depth -= 1
        elif depth <= 0:
            return match.start()
    return len(text)
