"""Characters that were misread on the way into a source or are invisible, and doubled words.

Only characters that no text has on purpose: UTF-8 read as Latin-1, the replacement character,
private-use characters, letters of two alphabets in one word, and characters without width inside
a text. Also small words that were typed twice.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pfcore.checks.check import Check, CheckInput
from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans
from pfcore.domain.values import Finding, Severity


class BrokenCharacters(NamedTuple):
    """A span, and its kind: a key of `BROKEN`, or the word that is doubled."""

    start: int
    end: int
    kind: str


BROKEN: Mapping[str, str] = {
    "misread": "characters misread in a wrong encoding; type them again",
    "dropped": "a character lost in a conversion; type it again",
    "private": "a character that exists in one program's font only; type what is meant",
    "unseen": "an invisible character; delete it",
    "mixed": "a word that mixes look-alike letters of two alphabets; type it again",
}
"""The message for each kind."""


_MISREAD = regex(
    "[\u00c2\u00c3][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc"
    "\u2013-\u203a\u20ac\u2122]|\u00e2\u20ac[\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d"
    "\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]"
)
_LOST = regex("\ufffd")
_PRIVATE = regex("[\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]")
_UNSEEN = regex("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069]|(?<!\\A)\ufeff")
_MIXED = regex(
    "(?<![^\\W\\d_])[A-Za-z]+[\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0410\u0412\u0415"
    "\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u03bf\u0391\u0392\u0395\u039f]+[A-Za-z]+"
    "(?![^\\W\\d_])"
)
_KINDS = (
    ("misread", _MISREAD),
    ("dropped", _LOST),
    ("private", _PRIVATE),
    ("unseen", _UNSEEN),
    ("mixed", _MIXED),
)


def broken_characters(text: str) -> Iterator[BrokenCharacters]:
    """The broken characters of a text without comments and code, each kind once per line."""
    if text.isascii():
        return
    for kind, pattern in _KINDS:
        line = -1
        for match in pattern.finditer(text):
            if match.start() > line:
                line = text.find("\n", match.start())
                line = len(text) if line < 0 else line
                yield BrokenCharacters(match.start(), match.end(), kind)


_DOUBLED = regex(
    r"(?<![\w\\-])(the|an|of|and|with|we|are|by|from|for|be)[ \t~\n]+\1(?![\w-])", re.IGNORECASE
)
"""Words that no sentence repeats; some repeat "is" and "that"."""


_CODE = regex(r"\\(?:verb|lstinline|mintinline)(?![A-Za-z])")
"""Commands that print something between two words although a masked text has nothing there."""


def doubled(printed: str) -> Iterator[BrokenCharacters]:
    """Small words that occur twice in a row, neither quoted nor in a formula."""
    from pfcore.checks.debris import is_in_formula, quotations  # late: slow to load, rarely used

    listed = [item for item in _DOUBLED.finditer(printed) if "\n\n" not in item[0]]
    quoted = Spans(quotations(printed)) if listed else Spans(())
    for match in listed:
        if not quoted.covers(match.start()) and not is_in_formula(printed, match.start()):
            yield BrokenCharacters(match.start(), match.end(), match[1])


def doubled_words(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Small words that occur twice in a row, which no sentence has on purpose."""
    for path in scene.paper.readings:
        text = scene.printed(path)
        source = scene.paper.source(path)
        found = [item for item in doubled(text) if not _CODE.search(source, item.start, item.end)]
        for number, (start, end, word) in enumerate(found, 1):
            yield check.finding(
                f"doubled word: {word}",
                subject=f"{path} doubled {word} {number}",
                module=None,
                place=scene.at(path, start, end),
            )


DOUBLED_WORDS = (
    Check(
        id="doubled-word",
        severity=Severity.NOTE,
        rationale="small word typed twice",
        run=doubled_words,
    ),
)
"""Run before an upload."""
