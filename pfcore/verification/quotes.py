"""Quotes of a reply held against the text: verbatim up to white space, or not there at all."""

import re
from typing import NamedTuple

_SPACE = re.compile(r"\s+")
_ENDS = " \"'`.,;:…“”‘’"
_SHORTEST = 3
_ELLIPSIS = re.compile(r"\s*(?:\.{3,}|…|\\(?:l|c)?dots)\s*")
_WORD = re.compile(r"[^\W_]{3,}")
_SIGNIFICANT = 0.6


class QuoteSpan(NamedTuple):
    """Where words stand in a text: offsets, the end exclusive."""

    start: int
    end: int


def find_quote(quote: str, text: str) -> QuoteSpan | None:
    """Where a text has the quoted words; white space and what frames the quote do not count.

    A quote with an ellipsis is found where its first and its last part stand, in this order.
    """
    wanted = quote.strip(_ENDS)
    if len(wanted) < _SHORTEST:
        return None
    place = _verbatim(wanted, text)
    if place is not None:
        return place
    parts = _ELLIPSIS.split(wanted)
    first, last = parts[0], parts[-1]
    if len(parts) < 2 or min(len(first), len(last)) < _SHORTEST:
        return None
    begin = _verbatim(first, text)
    finish = _verbatim(last, text[begin.end :]) if begin else None
    return QuoteSpan(begin.start, begin.end + finish.end) if begin and finish else None


def _verbatim(words: str, text: str) -> QuoteSpan | None:
    """The first place where the letters stand in this order with any white space between."""
    squeezed, offsets = _squeezed(text)
    wanted = _SPACE.sub("", words)
    start = squeezed.find(wanted) if wanted else -1
    if start < 0:
        return None
    return QuoteSpan(offsets[start], offsets[start + len(wanted) - 1] + 1)


def _squeezed(text: str) -> tuple[str, list[int]]:
    """A text without white space, and where each of its characters stood."""
    offsets = [index for index, letter in enumerate(text) if not letter.isspace()]
    return "".join([text[index] for index in offsets]), offsets


def nearest(quote: str, source: str) -> QuoteSpan | None:
    """The line of a source that has most of the quote's words; None where few of them stand.

    For quotes of the canonical text, whose macros are expanded and whose references are slots.
    """
    wanted = set(_WORD.findall(quote.lower()))
    if not wanted:
        return None
    best, score, start = None, 0.0, 0
    for line in source.splitlines(keepends=True):
        share = len(wanted.intersection(_WORD.findall(line.lower()))) / len(wanted)
        if share > score:
            best, score = QuoteSpan(start, start + len(line.rstrip())), share
        start += len(line)
    return best if score >= _SIGNIFICANT else None
