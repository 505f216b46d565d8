"""What bibliographies define and texts cite: entries of .bib and .bbl files, and keys."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.mask import mask

_CITE = regex(
    r"\\(?:[Pp]aren|[Tt]ext|[Ff]oot|[Ss]mart|[Ss]uper|[Aa]uto|[Ff]ull|short|no)?"
    r"[Cc]ite(?:p|t|alp|alt|author|year|yearpar|num|title|ps|pt)?s?\*?(?![A-Za-z])"
    r"\s*(?:\([^()]{0,300}\)\s*){0,2}(?:\[[^\[\]]{0,300}\]\s*){0,2}\{([^{}]{1,2000})\}"
)
_NEXT = regex(r"\s*(?:\[[^\[\]]{0,300}\]\s*){0,2}\{([^{}]{1,2000})\}")
_SEVERAL = regex(r"\\[A-Za-z]*[Cc]ites(?![A-Za-z])")
"""The commands of biblatex that take one list of keys after another."""
_KEY = regex(r"[^\s,{}\\#$^%~]+(?: [^\s,{}\\#$^%~]+)*")
_BIBITEM = regex(
    r"\\(?:bibitem|reference|harvarditem|bib(?=\{[^{}]+\}\{)|BIBITEM)\s*(?:%[^\n]*\n\s*)?"
    r"(?:\[(?:[^\[\]{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|\[[^\[\]]*\])*\]\s*){0,2}"
    r"(?:%[^\n]*\n\s*)?\{([^{}]+)\}"
)
_BIBLATEX = regex(r"\\(?:entry|set|keyalias)\{([^{}]+)\}")
_ENTRY = regex(r"@\s*([A-Za-z]+)\s*[{(]\s*([^,\s{}()=\"]+)\s*(?=,)")
_NO_ENTRY = frozenset({"comment", "string", "preamble"})
_IDS = regex(r"\bids\s*=\s*[{\"]([^{}\"]*)[}\"]", re.IGNORECASE)
_FIELD = regex(r"(?:^|[,\n]|\})\s*([A-Za-z][\w-]*)\s*=\s*", re.MULTILINE)
_NAMED = regex(
    r"\\(?:bibliography|nobibliography\*?|addbibresource|addglobalbib)(?![A-Za-z])"
    r"\s*(?:\[([^\[\]]*)\]\s*)?\{([^{}]{0,2000})\}"
)


class CitedKey(NamedTuple):
    """A key where a text cites it."""

    key: str
    start: int
    end: int


class BibEntry(NamedTuple):
    """An entry of a .bib file: its kind and key, the names of its fields that hold something.

    `start` and `end` are those of its first line, `text` is all of it.
    """

    kind: str
    key: str
    fields: frozenset[str]
    start: int
    end: int
    text: str


def cited_keys(printed: str) -> Iterator[CitedKey]:
    """The keys that a masked text cites, but for those that macros make."""
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
    """The keys that a source or a .bbl defines, in small letters; not those in comments."""
    found = {m[1] for m in _BIBITEM.finditer(text) if not _is_in_comment(text, m.start())}
    found |= {match[1] for match in _BIBLATEX.finditer(text)}
    return {" ".join(key.split()).lower() for key in found}


_PERCENT = regex(r"(?<!\\)(?:\\\\)*%")


def _is_in_comment(text: str, at: int) -> bool:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return _PERCENT.search(line) is not None


def bib_keys(text: str) -> set[str]:
    """The keys of a .bib, and their other names, in small letters."""
    found = {match[2] for match in _ENTRY.finditer(text) if match[1].lower() not in _NO_ENTRY}
    for match in _IDS.finditer(text):
        found.update(name.strip() for name in match[1].split(","))
    return {key.lower() for key in found}


def bib_entries(text: str) -> Iterator[BibEntry]:
    """The entries of a .bib; what cannot be told apart ends where the next one begins."""
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
    """The names of the fields that hold something."""
    for match in _FIELD.finditer(body):
        if not _EMPTY.match(body, match.end()):
            yield match[1].lower()


def named_bibliographies(source: str) -> Iterator[str]:
    """The names of .bib files that a source asks for, as written."""
    printed = mask(source).text
    for match in _NAMED.finditer(printed):
        if "remote" not in (match[1] or ""):
            for name in match[2].split(","):
                if name.strip() and not re.search(r"[\\#$]", name):
                    yield name.strip().strip('"')
