"""Sets of spans in a text, merged once and queried often."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import lru_cache

from pfcore.domain.lazy_regex import regex

_BREAK = regex("\n")


class Spans:
    """A set of half-open spans."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)

    def __bool__(self) -> bool:
        return bool(self._starts)

    @property
    def end(self) -> int:
        """The end of the last span; 0 for an empty set."""
        return self._ends[-1] if self._ends else 0

    def covers(self, offset: int) -> bool:
        """Whether an offset lies in one of the spans."""
        index = bisect_right(self._starts, offset) - 1
        return index >= 0 and offset < self._ends[index]


class LineIndex:
    """Lines and columns of a text, both from 1."""

    __slots__ = ("_breaks",)

    def __init__(self, text: str) -> None:
        self._breaks = [-1, *(match.start() for match in _BREAK.finditer(text))]

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset."""
        line = bisect_right(self._breaks, offset - 1)
        return line, offset - self._breaks[line - 1]


@lru_cache(maxsize=8)
def _places(text: str, sign: str) -> list[int]:
    return occurrences(text, (sign,))


def count_before(text: str, sign: str, offset: int) -> int:
    """How often `sign` occurs before an offset; the text is searched once for all offsets."""
    return bisect_left(_places(text, sign), offset)


def occurrences(text: str, words: Iterable[str]) -> list[int]:
    """The sorted offsets at which any of the words occurs; faster than one pattern for all."""
    found: list[int] = []
    for word in words:
        position = text.find(word)
        while position >= 0:
            found.append(position)
            position = text.find(word, position + len(word))
    return sorted(found)
