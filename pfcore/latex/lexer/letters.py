r"""Replaces TeX's notation for letters by the letters: `\"u` and `{\ss}` become ü and ß.

Everything that looks at words uses this; where offsets matter, in a text of the same length.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex

_COMBINING = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", ".": "\u0307",
    "=": "\u0304", "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "k": "\u0328",
    "r": "\u030a", "d": "\u0323",
}  # fmt: skip
_NAMED = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "o": "ø",
    "O": "Ø", "l": "ł", "L": "Ł",
}  # fmt: skip
_SHORTHANDS = {
    "a": "ä", "o": "ö", "u": "ü", "A": "Ä", "O": "Ö", "U": "Ü", "s": "ß", "z": "ß"
}  # fmt: skip
"""The letter that a quotation mark inside a German word (babel) makes of the next letter."""

_BASE = r"(?:\{ ?(?:[A-Za-z]|\\[ij]) ?\}|[A-Za-z]|\\[ij](?![A-Za-z])(?:\{\}| )?)"
_TYPED = regex(
    r"\\(?=[\\'`^\"~.=cvuHkrdsaolAOL])(?:\\"
    rf"|(?P<sign>['`^\"~.]) ?(?P<signed>{_BASE})"
    r"|=(?P<barred>\{ ?[A-Za-z] ?\})"
    r"|(?P<accent>[cvuHkrd])"
    r"(?P<accented>\{ ?(?:[A-Za-z]|\\[ij]) ?\}| [A-Za-z]| ?\\[ij](?![A-Za-z]))"
    rf"|(?P<named>{'|'.join(_NAMED)})(?![A-Za-z])(?:\{{\}}| )?)"
)
"""Every alternative begins with a backslash, which makes the search fast."""
_COMBINED = regex("[A-Za-z][\u0300-\u0328]")
_COMBINING_SIGN = regex("[\u0300-\u0328]")
_SHORT = regex(r'"(?<=[a-zäöüß]")(?P<short>[aouAOUsz])(?=[a-zäöüß]|"[aousz])')
_COLOURED = regex(
    r"\\(?:emph|text(?:it|bf|sl|sc|sf))\s?\{\s?(?P<colour>\\(?P<group>text)?color(?![A-Za-z])"
    r"(?:\s?\[[^\[\]]{0,20}\])?\s?\{[A-Za-z0-9!.,\- ]{0,40}\}(?(group)\s?\{))"
    r"(?(group)(?:[^{}]|\{[^{}]{0,120}\}){0,120}(?P<end>\}))"
)
"""An emphasized word in a colour; the name of the colour is not part of the word."""
_TAKES = regex(r"[\\}\]_^](?:(?<!\\)|(?<=\\)[A-Za-z@]+\*? ?)\Z")
_ENDS_IN_COMMAND = regex(r"\\[A-Za-z@]+\Z")
_IN_COMMAND = regex(r"\\[A-Za-z@]*\Z")
_BARE = regex(r"[\\{} ]")
_NEAR, _TEXTS = 60, 256
"""How far to look back; and the size of the cache: the same text is soon asked for again."""
_WORD_END = regex(r"[\W\d_]")


class _Edit(NamedTuple):
    """A span of a text, and the letter that replaces it."""

    start: int
    end: int
    made: str


def printed_letters(text: str) -> str:
    """A text in which accents and names of letters are replaced by the letters they print."""
    return _edited(text, _edits(text)) if "\\" in text or not text.isascii() else text


@lru_cache(maxsize=_TEXTS)
def with_letters(text: str) -> str:
    """The same for looking at words: shorthands in German texts are replaced as well."""
    if "\\" not in text and '"' not in text and text.isascii():
        return text
    return _edited(text, _edits_of_words(text))


def letters_in_place(text: str) -> str:
    """The same, with spaces after a shortened word, so that every word keeps its offset."""
    pieces: list[str] = []
    owed = done = 0
    for start, end, made in _edits_of_words(text):
        if owed and (word_end := _WORD_END.search(text, done, start)):
            pieces += (text[done : word_end.start()], " " * owed)
            done, owed = word_end.start(), 0
        pieces += (text[done:start], made)
        owed += end - start - len(made)
        done = end
    if not pieces:
        return text
    word_end = _WORD_END.search(text, done)
    last = word_end.start() if word_end else len(text)
    return "".join((*pieces, text[done:last], " " * owed, text[last:]))


def behind_word(text: str, shown: str, end: int) -> int:
    """The end in `text` of a word, given its end in `shown`, the text with its letters in place."""
    while end < len(text) and shown[end] == " " and not text[end].isspace():
        end += 1
    return end


def _edited(text: str, edits: Iterable[_Edit]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end, made in edits:
        pieces += (text[done:start], made)
        done = end
    return "".join((*pieces, text[done:])) if pieces else text


def _edits_of_words(text: str) -> list[_Edit]:
    found = _edits(text)
    if '"' in text:
        short = (_Edit(*one.span(), _SHORTHANDS[one["short"]]) for one in _SHORT.finditer(text))
        found = sorted((*found, *short))
    if "color" in text:
        spans = (one.span(part) for one in _COLOURED.finditer(text) for part in ("colour", "end"))
        found = sorted((*found, *(_Edit(*span, "") for span in spans if span[1] > span[0])))
    return found


def _edits(text: str) -> list[_Edit]:
    """The replacements in a text, in order."""
    found = [edit for match in _TYPED.finditer(text) if (edit := _edit(match))]
    if text.isascii():
        return found
    for match in _COMBINED.finditer(text) if _COMBINING_SIGN.search(text) else ():
        made, start = unicodedata.normalize("NFC", match[0]), match.start()
        if len(made) == 1 and not _IN_COMMAND.search(text, max(0, start - _NEAR), start):
            found.append(_Edit(*match.span(), made))
    ends = [0, *(edit.end for edit in sorted(found))]
    return [edit for edit, end in zip(sorted(found), ends, strict=False) if edit.start >= end]


def _edit(match: re.Match[str]) -> _Edit | None:
    """The letter for an accent or a name, replacing also braces around nothing else."""
    made = _made(match)
    if not made:
        return None
    text, (start, end) = match.string, match.span()
    opening = start - 1 - text.startswith(" ", start - 1)
    closing = end + text.startswith(" ", end)
    if start and text.startswith("{", max(0, opening)) and text.startswith("}", closing):
        if not _TAKES.search(text, max(0, opening - _NEAR), opening):
            return _Edit(opening, closing + 1, made)
    elif text[start - 1 : start].isalpha() and _ENDS_IN_COMMAND.search(
        text, max(0, start - _NEAR), start
    ):
        made = f" {made}"
    return _Edit(start, end, made)


def _made(match: re.Match[str]) -> str:
    """The letter itself; "" if this does not print a single letter."""
    if match["named"]:
        return _NAMED[match["named"]]
    base = _BARE.sub("", match["signed"] or match["accented"] or match["barred"] or "")
    if not base:
        return ""
    sign = match["sign"] or match["accent"] or "="
    made = unicodedata.normalize("NFC", base + _COMBINING[sign])
    return made if len(made) == 1 else ""
