"""Phrases as patterns, found by the word next to the reference: most words are part of none."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from pfcore.latex.language.phrases import CLASSES

_WORD = r"[^ @,;:.()]+ "
_ANY = ""


class Phrases:
    """Tables of phrases that stand before or behind a reference, the weightiest table first.

    Words are read away from the reference, those before it in reverse; a space ends each.
    """

    __slots__ = ("_behind", "_lines", "_patterns", "_tables")

    def __init__(self, tables: Mapping[str, str], *, behind: bool) -> None:
        self._tables = tables
        self._behind = behind
        self._lines: dict[str, list[tuple[str, str]]] = {}
        self._patterns: dict[str, re.Pattern[str]] = {}

    def table(self, words: str) -> str:
        """The name of the first table with a phrase next to the reference, else ""."""
        match = self._match(words)
        return (match.lastgroup or "") if match else ""

    def beyond(self, words: str) -> str | None:
        """The words beyond a phrase next to the reference, if there is one."""
        match = self._match(words)
        return words[match.end() :] if match else None

    def _match(self, words: str) -> re.Match[str] | None:
        if not self._lines:
            self._lines = self._by_edge()
        edge = words[: words.find(" ")]
        if edge not in self._lines:
            edge = _ANY
        if not self._lines[edge]:
            return None
        if edge not in self._patterns:
            self._patterns[edge] = self._pattern(self._lines[edge])
        return self._patterns[edge].match(words)

    def _by_edge(self) -> dict[str, list[tuple[str, str]]]:
        edges = {
            (name, line): set(_edges(line, behind=self._behind))
            for name, table in self._tables.items()
            for line in _listed(table)
        }
        return {
            word: [item for item, found in edges.items() if word in found or _ANY in found]
            for word in {_ANY}.union(*edges.values())
        }

    def _pattern(self, lines: list[tuple[str, str]]) -> re.Pattern[str]:
        made: dict[str, list[str]] = {}
        for name, line in lines:
            made.setdefault(name, []).append(_expression(line, behind=self._behind))
        return re.compile("|".join([f"(?P<{name}>{'|'.join(e)})" for name, e in made.items()]))


def _listed(table: str) -> list[str]:
    return [line.strip() for line in table.strip().splitlines()]


def _line_tokens(line: str, *, behind: bool) -> list[str]:
    return line.split() if behind else line.split()[::-1]


def _edges(line: str, *, behind: bool) -> Iterator[str]:
    """The words that may be the one next to the reference."""
    for token in _line_tokens(line, behind=behind):
        name = token.rstrip("?")
        if name.startswith("..."):
            yield _ANY
        elif name.startswith("<"):
            for inner in _listed(CLASSES[name[1:-1]]):
                yield from _edges(inner, behind=behind)
        else:
            yield from name.split("|")
        if name.startswith("...") or token.endswith("?"):
            continue
        return


@cache
def _expression(line: str, *, behind: bool) -> str:
    return "".join([_token(token, behind=behind) for token in _line_tokens(line, behind=behind)])


def _token(token: str, *, behind: bool) -> str:
    name = token.rstrip("?")
    if name.startswith("..."):
        return f"(?:{_WORD}){{0,{name[3:]}}}"
    if name.startswith("<"):
        lines = _listed(CLASSES[name[1:-1]])
        made = "(?:" + "|".join([_expression(line, behind=behind) for line in lines]) + ")"
    else:
        words = re.escape(name).replace(r"\|", "|").replace(r"\*", r"\w*")
        made = f"(?:{words}) "
    return f"(?:{made})?" if token.endswith("?") else made
