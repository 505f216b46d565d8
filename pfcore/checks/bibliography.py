"""What bibliographies define and texts cite: entries of .bib and .bbl files, and keys.

Also which of these files belong to a paper, and which of those that it names are missing.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

from pfcore.checks.check import own_styles, written_in
from pfcore.domain.errors import SourceError
from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.mask import mask
from pfcore.papers.paper import Paper

_CITE = regex(
    r"\\(?:[Pp]aren|[Tt]ext|[Ff]oot|[Ss]mart|[Ss]uper|[Aa]uto|[Ff]ull|short|no)?"
    r"[Cc]ite(?:p|t|alp|alt|author|year|yearpar|num|title|ps|pt)?s?\*?(?![A-Za-z])"
    r"\s*(?:\([^()]{0,300}\)\s*){0,2}(?:\[[^\[\]]{0,300}\]\s*){0,2}\{([^{}]{1,2000})\}"
)
_NEXT = regex(r"\s*(?:\[[^\[\]]{0,300}\]\s*){0,2}\{([^{}]{1,2000})\}")
_SEVERAL = regex(r"\\[A-Za-z]*[Cc]ites(?![A-Za-z])")
"""The commands of biblatex that take one list of keys after another."""
_KEY = regex(r"[^\s,{}\\#$^%~]+(?: [^\s,{}\\#$^%~]+)*")
_GROUP = r"\{(?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*\})*\}"
r"""A group with four levels of groups inside: `{\citenamefont {S{\'{a}}nchez}}`."""
_BIBITEM = regex(
    r"\\(?:bibitem|reference|bib(?=\{[^{}]+\}\{)|BIBITEM)\s*(?:%[^\n]*\n\s*)?"
    rf"(?:\[(?:[^\[\]{{}}]|{_GROUP}|\[[^\[\]]*\])*\]\s*){{0,2}}"
    r"(?:%[^\n]*\n\s*)?\{([^{}]+)\}"
)
_HARVARD = regex(
    r"\\harvarditem\s*(?:\[(?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\]\s*)?"
    rf"(?:{_GROUP}\s*){{2}}\{{([^{{}}]+)\}}"
)
"""In these, authors and year precede the key."""
_BIBLATEX = regex(r"\\(?:entry|set|keyalias)\{([^{}]+)\}")
_ENTRY = regex(r"@\s*([A-Za-z]+)\s*(?:\{\s*|\((?=\s*[^,\s{}()=\"]+\s*,)\s*)([^,\s{}=\"]+)\s*(?=,)")
"""The start of an entry; a key in braces may contain parentheses."""
EMPTY: Mapping[str, str] = {}
_NO_ENTRY = frozenset({"comment", "string", "preamble"})
_IDS = regex(r"\bids\s*=\s*[{\"]([^{}\"]*)[}\"]", re.IGNORECASE)
_FIELD = regex(r"(?:^|[,\n]|\})\s*([A-Za-z][\w-]*)\s*=\s*", re.MULTILINE)
_NAMED = regex(
    r"\\(?:bibliography|nobibliography\*?|addbibresource|addglobalbib)(?![A-Za-z])"
    r"\s*(?:\[([^\[\]]*)\]\s*)?\{([^{}]{0,2000})\}"
)


class CitedKey(NamedTuple):
    """A key that a text cites, and its span there."""

    key: str
    start: int
    end: int


class BibEntry(NamedTuple):
    """An entry of a .bib file: its kind and key, and the names of its fields that are not empty.

    `start` and `end` are those of its first line, `text` is the whole entry.
    """

    kind: str
    key: str
    fields: frozenset[str]
    start: int
    end: int
    text: str


def cited_keys(printed: str) -> Iterator[CitedKey]:
    """The keys that a masked text cites, except those that contain macros."""
    for match in _CITE.finditer(printed):
        listed: re.Match[str] | None = match
        while listed:
            start = listed.start(1)
            for key in _KEY.finditer(listed[1]) if not _MADE.search(listed[1]) else ():
                yield CitedKey(key[0], start + key.start(), start + key.end())
            is_one = not _SEVERAL.match(match[0])
            listed = None if is_one else _NEXT.match(printed, listed.end())


_MADE = regex(r"[\\#$*]")


def defined_keys(text: str) -> set[str]:
    """The keys that a source or a .bbl defines, in lower case; not those in comments."""
    items = (*_BIBITEM.finditer(text), *_HARVARD.finditer(text))
    found = {match[1] for match in items if not _is_in_comment(text, match.start())}
    found |= {match[1] for match in _BIBLATEX.finditer(text)}
    return {" ".join(key.split()).lower() for key in found}


_PERCENT = regex(r"(?<!\\)(?:\\\\)*%")


def _is_in_comment(text: str, at: int) -> bool:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return _PERCENT.search(line) is not None


def bib_keys(text: str) -> set[str]:
    """The keys of a .bib and their aliases, in lower case."""
    found = {match[2] for match in _ENTRY.finditer(text) if match[1].lower() not in _NO_ENTRY}
    for match in _IDS.finditer(text):
        found.update(name.strip() for name in match[1].split(","))
    return {key.lower() for key in found}


def bib_entries(text: str) -> Iterator[BibEntry]:
    """The entries of a .bib; an entry that is not closed ends where the next one begins."""
    heads = [match for match in _ENTRY.finditer(text) if match[1].lower() not in _NO_ENTRY]
    for index, match in enumerate(heads):
        end = heads[index + 1].start() if index + 1 < len(heads) else len(text)
        end = _closing(text, match.end(), end)
        body = text[match.end() : end]
        line = text.find("\n", match.start())
        yield BibEntry(
            kind=match[1].lower(),
            key=match[2],
            fields=frozenset(_fields(body)),
            start=match.start(),
            end=end if line < 0 else min(end, line),
            text=text[match.start() : end],
        )


def _closing(text: str, start: int, end: int) -> int:
    depth = 1
    for position in range(start, end):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if not depth:
            return position + 1
    return end


_EMPTY = regex(r"(?:\{\s*\}|\"\s*\")\s*(?:,|\}|$)")


def _fields(body: str) -> Iterator[str]:
    """The names of the fields that are not empty, in lower case."""
    for match in _FIELD.finditer(body):
        if not _EMPTY.match(body, match.end()):
            yield match[1].lower()


def named_bibliographies(source: str, words: Mapping[str, str] = EMPTY) -> Iterator[str]:
    """The names of the .bib files that a source loads; `words` maps macros in them to text."""
    return (name for name, _ in placed_bibliographies(mask(source).text, words))


def placed_bibliographies(text: str, words: Mapping[str, str] = EMPTY) -> Iterator[tuple[str, int]]:
    """The same for a text without comments, each name with the offset of its command."""
    for match in _NAMED.finditer(text):
        if "remote" not in (match[1] or ""):
            for written in match[2].split(","):
                yield from ((name, match.start()) for name in _plain_name(written, words))


_READ_BBL = regex(r"\\(?:@?input|include)(?![A-Za-z])\s*\{?\s*([^\s{}%]{1,300}\.bbl)(?![\w.])")


def _read_bbls(source: str, words: Mapping[str, str]) -> Iterator[str]:
    """The names of the .bbl files that a source inputs itself."""
    for match in _READ_BBL.finditer(mask(source).text) if ".bbl" in source else ():
        yield from _plain_name(match[1], words)


_WORD = regex(r"\\([A-Za-z@]+)[ \t]*")


def _plain_name(written: str, words: Mapping[str, str]) -> Iterator[str]:
    """A name with its macros replaced by their text; nothing if one of them is unknown."""
    name = _WORD.sub(lambda match: words.get(match[1], match[0]), written).strip().strip('"')
    if name and not re.search(r"[\\#$]", name):
        yield name


_OF_TEX_LIVE = frozenset({"ieeeabrv", "ieeefull", "ieeeexample", "xampl"})
"""Bibliographies that come with TeX: abbreviations of journals, and examples."""


class Bibliography:
    """The bibliographies that a paper names and the repository has, and all that defines its keys.

    `missing` lists the others, each after the file that names it; `namesakes` has for some of them
    a file of another folder with the same name, which defines few of the keys.
    """

    def __init__(self, paper: Paper) -> None:
        texts = self._texts = dict(_texts(paper))
        self._paper = paper
        self.sources = {path: paper.source(path) for path in paper.readings}
        names: dict[str, tuple[str, str]] = {}
        stem = paper.root.rpartition(".")[0]
        words = {
            name: macro.body.strip()
            for name, macro in paper.syntax.macros.items()
            if not macro.parameters and not re.search(r"[\\{}#]", macro.body)
        } | {"jobname": posixpath.basename(stem)}
        for path, source in (self.sources | own_styles(paper)).items():
            for name in named_bibliographies(source, words):
                names.setdefault(name, (path, name))
        roots = {stem, *(path.rpartition(".")[0] for path in self.sources)}
        self.bbl = {
            path: text
            for path, text in texts.items()
            if path.endswith(".bbl") and path.rpartition(".")[0] in roots
        }
        self.defined: set[str] = set()
        for source in self.sources.values():
            self.defined |= defined_keys(source) | bib_keys(source)
        self.listed: set[str] = set()
        for text in self.bbl.values():
            self.listed |= defined_keys(text)
        found = {name: _resolved(name, ".bib", paper.root, texts) for name in names}
        keys = {path: bib_keys(texts[path]) for path in found.values() if path}
        self.namesakes = {
            name: path
            for name, path in found.items()
            if path and _lies_apart(path, paper.root) and self._is_of_another(path, keys)
        }
        self.here = {name for name, path in found.items() if path and name not in self.namesakes}
        paths = (path for name, path in found.items() if path and name in self.here)
        self.bib = {path: texts[path] for path in paths}
        self.entries = set().union(*(keys[path] for path in self.bib))
        is_of_text = any(path in self.sources for path, _ in names.values())
        self.missing = [
            where
            for name, where in names.items()
            if name not in self.here
            and posixpath.basename(name).lower().removesuffix(".bib") not in _OF_TEX_LIVE
            and not self._is_written(name)
            and (where[0] in self.sources or not is_of_text)  # else a class names others
        ]
        if not names and self._cited and not self.keys:
            self.missing += [
                (path, name)
                for path, source in self.sources.items()
                for name in _read_bbls(source, words)
                if not _resolved(name, ".bbl", paper.root, texts)
            ][:1]

    def there(self, name: str) -> str | None:
        """The file of a bibliography that the snapshot has but whose text cannot be read."""
        listed = {path: "" for path in self._paper.snapshot.paths if path not in self._texts}
        return _resolved(name, ".bib", self._paper.root, listed)

    @property
    def keys(self) -> set[str]:
        """All keys that are defined, in lower case."""
        return self.defined | self.listed | self.entries

    @property
    def is_known(self) -> bool:
        """Whether everything that may define a key was found, and is not empty; a .bbl suffices."""
        return bool(self.listed) or (not self.missing and bool(self.keys))

    @cached_property
    def _cited(self) -> set[str]:
        texts = (mask(source).text for source in self.sources.values())
        return {item.key.lower() for text in texts for item in cited_keys(text)}

    def _is_of_another(self, path: str, keys: Mapping[str, set[str]]) -> bool:
        """Whether a file has less than half of the cited keys that nothing else defines."""
        others = (own for other, own in keys.items() if other != path)
        open_keys = self._cited - self.defined - self.listed - set().union(*others)
        return 2 * len(open_keys & keys[path]) < len(open_keys)

    def _is_written(self, name: str) -> bool:
        """Whether a source contains the text of the file (filecontents)."""
        stem = posixpath.splitext(name)[0].rpartition("/")[2]
        return written_in(self.sources.values(), f"{stem}.bib")


def _texts(paper: Paper) -> Iterator[tuple[str, str]]:
    """The .bib and .bbl files of the snapshot, except those that cannot be read."""
    snapshot = paper.snapshot
    listed = [path for path in snapshot.files if path.lower().endswith((".bib", ".bbl"))]
    snapshot.foresee(listed)
    for path in listed:
        with suppress(SourceError):
            yield path, snapshot.read(path).text
    for path, data in snapshot.others((".bbl",)).items():
        yield path, data.decode("utf-8", "replace")


def _resolved(name: str, suffix: str, root: str, there: Mapping[str, str]) -> str | None:
    folder = posixpath.dirname(root)
    whole = name if name.lower().endswith(suffix) else f"{name}{suffix}"
    while True:
        path = posixpath.normpath(posixpath.join(folder, whole))
        if path in there:
            return path
        if not folder:
            break
        folder = posixpath.dirname(folder)
    base = f"/{posixpath.basename(whole)}"
    alike = [path for path in there if f"/{path}".endswith(base)]
    return alike[0] if alike else None


def _lies_apart(path: str, root: str) -> bool:
    """Whether a file's folder neither contains the main file's folder nor lies in it."""
    one, other = (f"/{posixpath.dirname(item)}/".replace("//", "/") for item in (path, root))
    return not (one.startswith(other) or other.startswith(one))
