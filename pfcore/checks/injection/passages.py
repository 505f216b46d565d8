"""Passages addressed to a language model, as they are found and cached.

Also turns disguised text into what a model reads: without invisible letters or lookalikes.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.mask import UNSEEN


class How(StrEnum):
    """How a passage is hidden from readers; PLAIN and CODE are visible."""

    COMMENT = "in a comment"
    SKIPPED = "in a part LaTeX skips"
    UNSEEN = "hidden from readers"
    LETTERS = "in invisible or look-alike letters"
    MACRO = "in the body of a macro"
    MADE = "assembled by macros"
    CODE = "in code"
    PLAIN = "in plain sight"


class Aimed(NamedTuple):
    """A passage; `is_loud` if it both gives an order and demands a verdict."""

    start: int
    end: int
    how: How
    is_loud: bool


_ALIKE = (
    ("аеорсухіјѕԁһԛԝкмтАВЕКМНОРСТХУІЈЅ", "aeopcyxijsdhqwkmtABEKMHOPCTXYIJS"),
    ("οναιρυκτγΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ovaipuktyABEZHIKMNOPTYX"),
    ("ոսօցɡıİ", "nuoggiI"),
)
_FORMS = (
    range(0xFF01, 0xFF5F),
    range(0x1D400, 0x1D6A4),
    range(0x2100, 0x2150),
    range(0x249C, 0x24EA),
)
_TAGS = range(0xE0020, 0xE007F)
_SELECTORS = range(0xE0110, 0xE016F)
_FIRST_BYTE = 0xE0100 - 16
_SMUGGLED = regex(
    "(?<![\U0001f3f4\U000e0020-\U000e007e])[\U000e0020-\U000e007e]{3,}|[\U000e0100-\U000e01ef]{4,}"
)


class Plain(NamedTuple):
    """A text in lower case; `starts` are offsets in it, `origins` those in the text as written.

    `odd` are the offsets at which a letter was replaced or dropped.
    """

    text: str
    starts: Sequence[int] = ()
    origins: Sequence[int] = ()
    odd: Sequence[int] = ()

    def origin(self, offset: int) -> int:
        """The offset of a character in the text as written."""
        index = bisect_right(self.starts, offset) - 1
        return offset if index < 0 else self.origins[index] + offset - self.starts[index]


def plain_letters(text: str) -> Plain:
    """The text as a model reads it, in lower case."""
    if text.isascii():
        return Plain(text.lower())
    table = _table()
    pieces: list[str] = []
    starts, origins, odd = [0], [0], []
    done = dropped = 0
    for match in _odd().finditer(text):
        letter = table.get(ord(match[0]), "")
        pieces += (text[done : match.start()], letter)
        done = match.end()
        odd.append(match.start() - dropped)
        if not letter:
            dropped += 1
            starts.append(done - dropped)
            origins.append(done)
    pieces.append(text[done:])
    return Plain("".join(pieces).lower(), starts, origins, odd)


def legible(text: str) -> str:
    """A passage on one line, as a model reads it."""
    if not text.isascii():
        text = UNSEEN.sub("", text.translate(_table()))
    return " ".join(text.split())


def is_disguised(text: str) -> bool:
    """Whether a passage has invisible letters or lookalikes."""
    return not text.isascii() and _odd().search(text) is not None


def smuggled(text: str) -> list[tuple[int, int]]:
    """Runs of tag and selector characters, which serve only to spell invisible text."""
    return [] if text.isascii() else [match.span() for match in _SMUGGLED.finditer(text)]


@cache
def _table() -> dict[int, str]:
    found = {ord(a): b for those, these in _ALIKE for a, b in zip(those, these, strict=True)}
    for code in (code for form in _FORMS for code in form):
        letter = unicodedata.normalize("NFKC", chr(code)).strip("()")
        if len(letter) == 1 and letter.isascii():
            found[code] = letter
    found |= {code: chr(code - 0xE0000) for code in _TAGS}
    return found | {code: chr(code - _FIRST_BYTE) for code in _SELECTORS}


@cache
def _odd() -> re.Pattern[str]:
    """Any letter that is invisible or in the table; excludes ASCII first, which is faster."""
    letters = "".join(_ranges(sorted(_table())))
    return re.compile(rf"[^\t\n -~](?<={UNSEEN.pattern[:-1]}{letters}])")


def _ranges(codes: Sequence[int]) -> Iterator[str]:
    """Ranges for a character class; a long list of single letters would be slow to search."""
    first = last = codes[0]
    for code in (*codes[1:], -1):
        if code != last + 1:
            yield f"{chr(first)}-{chr(last)}"
            first = code
        last = code
