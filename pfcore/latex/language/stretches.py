"""References that are written as a range: `Lemmas~\\ref{a}--\\ref{c}`, `\\eqref{a}` to another."""

import re
from collections.abc import Container, Sequence

from pfcore.domain.values import Mention
from pfcore.latex.language.worded_references import WORDED
from pfcore.latex.lexer.whitespace import MENTION

NOTE = "crefrange"
"""The note of such a mention: it reads as the command that says the same."""

_THIN_GAP = r"(?: |\\,)?"
_DASH = rf"{_THIN_GAP}(?:--?|\u2013|\$-{{1,2}}\$){_THIN_GAP}"
_RANGE = re.compile(
    rf"\x02(?P<first>\d+)\x03(?P<close>\))?(?:{_DASH}|(?P<word> ?(?:to|through) ?))"
    r"(?(close) ?\( ?)\x02(?P<last>\d+)\x03"
)
_MANY = re.compile(r"(?:[^sS]s|[Ll]emmata)\.?[\s~(]*\Z")


def is_plural(words: str) -> bool:
    """Whether the words that announce a reference announce several."""
    return _MANY.search(words) is not None


def join_ranges(
    text: str, found: Sequence[Mention], plural: Container[int]
) -> tuple[str, list[Mention]]:
    """The text and its mentions with one mention for each range.

    `plural` are the mentions that a word like "Lemmas" announces: only there "to" is no "apply
    Lemma 1 to Lemma 2". A dash inside of a formula is a minus sign.
    """
    lasts: dict[int, int] = {}
    for match in _RANGE.finditer(text):
        first, last = int(match["first"]), int(match["last"])
        is_told = not match["word"] or first in plural
        ends = found[first], found[last]
        if is_told and all(map(_is_single, ends)) and not _is_inside_maths(text, match.start()):
            lasts[first] = last
    if not lasts:
        return text, list(found)
    return _merged(text, found, lasts)


def _merged(
    text: str, found: Sequence[Mention], lasts: dict[int, int]
) -> tuple[str, list[Mention]]:
    """The text with the mark of each range instead of those of its ends, all numbered anew."""
    made: list[Mention] = []
    pieces: list[str] = []
    done, skipped = 0, -1
    for mark in MENTION.finditer(text):
        index = int(mark[1])
        if index == skipped:
            done = mark.end()
            continue
        skipped = lasts.get(index, -1)
        mention = found[index]
        if skipped >= 0:
            end = found[skipped]
            keys = (*mention.keys, *end.keys)
            mention = Mention("range", keys, NOTE, mention.start, max(mention.end, end.end))
        pieces += (text[done : mark.start()], f"\x02{len(made)}\x03")
        made.append(mention)
        done = mark.end()
    return "".join([*pieces, text[done:]]), made


def _is_single(mention: Mention) -> bool:
    is_plain = mention.form == "reference" and mention.note not in WORDED
    return is_plain and len(mention.keys) == 1


def _is_inside_maths(text: str, start: int) -> bool:
    return (text.count("$", 0, start) - text.count("\\$", 0, start)) % 2 == 1
