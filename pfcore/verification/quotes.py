"""Finds a quote in a text: verbatim, in another notation, or approximately.

Readers rarely copy exactly: they change the markup of a formula, drop emphasis, shorten by an
ellipsis, or correct the authors' misprints.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from difflib import Match, SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.normal_form import find_words, one_name

_SPACE = regex(r"\s+")
_ENDS = " \"'`.,;:…“”‘’"
_SHORTEST = 3
_ELLIPSIS = regex(r"(?<!\s)\s*+(?:\[?(?:\.{3,}|…)\]?|\\(?:l|c)?dots)\s*")

_LONGEST = 1_200
_TELLING = 12
"""The fewest characters of a quote that is matched approximately: shorter ones fit too much."""

ALIKE = 0.8
"""The least similarity of a passage that counts as the quoted one."""


class QuoteSpan(NamedTuple):
    """The place of some words in a text, as offsets; the end is exclusive."""

    start: int
    end: int


class Aligned(NamedTuple):
    """The passage of a text that is most similar to a quote; `likeness` is 1 for the same words.

    `covered` is the share of the quote's words that the passage contains, with any gaps.
    """

    span: QuoteSpan
    likeness: float
    covered: float


def find_quote(quote: str, text: str) -> QuoteSpan | None:
    """The place of a quote in a text, up to white space and surrounding punctuation; or None.

    A quote with an ellipsis matches if its first and last part occur in this order. A quote that
    does not occur verbatim is searched in other notations.
    """
    wanted = _clipped(quote)
    if len(wanted) < _SHORTEST:
        return None
    ways = (_verbatim, _rewritten, _loosely)
    for way in ways:
        place = way(wanted, text) or _with_gap(wanted, text, way)
        if place is not None:
            return place
    return None


def find_as_written(quote: str, text: str) -> QuoteSpan | None:
    """The place of a quote, verbatim or in another notation; no character is ignored."""
    wanted = _clipped(quote)
    return (_verbatim(wanted, text) or _rewritten(wanted, text)) if wanted else None


def _clipped(quote: str) -> str:
    """A quote on one line, without surrounding punctuation, and cut to the maximal length."""
    return " ".join(quote[: 2 * _LONGEST].split())[:_LONGEST].strip(_ENDS)


def align_quote(quote: str, text: str) -> Aligned | None:
    """The passage that is quoted, or else the most similar one; None if none is similar enough."""
    place = find_quote(quote, text)
    if place is not None:
        return Aligned(place, 1.0, 1.0)
    quote = _clipped(quote)
    if len(quote) < _TELLING:
        return None
    found = most_alike(quote, text)
    if found is None or found.likeness < ALIKE:
        longest = max(_ELLIPSIS.split(quote.strip(_ENDS)), key=len)
        found = most_alike(longest, text) if longest != quote.strip(_ENDS) else None
    return found if found and found.likeness >= ALIKE else None


def _with_gap(
    wanted: str, text: str, find: Callable[[str, str], QuoteSpan | None]
) -> QuoteSpan | None:
    """The span from the first to the last part of a quote with an ellipsis."""
    parts = [part for part in _ELLIPSIS.split(wanted) if part.strip(_ENDS)]
    if len(parts) < 2 or min(len(parts[0]), len(parts[-1])) < _SHORTEST:
        is_telling = bool(parts) and parts[0] != wanted and len(parts[0]) >= _TELLING
        return find(parts[0], text) if is_telling else None
    begin = find(parts[0], text)
    finish = find(parts[-1], text[begin.end :]) if begin else None
    return QuoteSpan(begin.start, begin.end + finish.end) if begin and finish else None


def _rewritten(words: str, text: str) -> QuoteSpan | None:
    """The place where a text has the words in another notation."""
    found = find_words(words, text)
    return QuoteSpan(*found) if found else None


def _verbatim(words: str, text: str) -> QuoteSpan | None:
    """The first place where the characters occur in this order, ignoring white space."""
    squeezed, offsets = _squeezed(text)
    wanted = _SPACE.sub("", words)
    start = squeezed.find(wanted) if wanted else -1
    if start < 0:
        return None
    return QuoteSpan(offsets[start], offsets[start + len(wanted) - 1] + 1)


@lru_cache(maxsize=8)
def _squeezed(text: str) -> tuple[str, list[int]]:
    """A text without white space, and the original offsets of its characters."""
    offsets = [index for index, letter in enumerate(text) if not letter.isspace()]
    return "".join([text[index] for index in offsets]), offsets


class _QuotedPiece(NamedTuple):
    """A meaningful word, number, command or symbol, in a uniform notation."""

    said: str
    start: int
    end: int


_TOKEN = regex(
    r"\\(?:begin|end)\s*\{[^{}]{0,80}\}|%[^\n]*|\\[A-Za-z]+|\\.|[^\W\d_]+|\d+|\S", re.DOTALL
)
_MARKS = frozenset("*_^{}$#`'\"“”‘’„«»()[].,;:!?&~|")
"""Typographic marks, brackets and punctuation, which readers add and drop freely."""
_SIGNS = {
    "≤": "le", "⩽": "le", "≥": "ge", "⩾": "ge", "≠": "ne", "∈": "in", "∉": "notin", "⊂": "subset",
    "⊆": "subseteq", "∪": "cup", "∩": "cap", "→": "to", "⟶": "to", "↦": "mapsto", "⇒": "implies",
    "⟹": "implies", "⇔": "iff", "⟺": "iff", "×": "times", "·": "cdot", "∞": "infty", "≡": "equiv",
    "≈": "approx", "∼": "sim", "≅": "cong", "∑": "sum", "∏": "prod", "∫": "int", "√": "sqrt",
    "∀": "forall", "∃": "exists", "∅": "emptyset", "∖": "setminus", "∣": "mid", "⌊": "lfloor",
    "⌋": "rfloor", "⌈": "lceil", "⌉": "rceil", "±": "pm", "∂": "partial", "∇": "nabla",
    "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "∘": "circ", "⊕": "oplus", "⊗": "otimes",
}  # fmt: skip
_SAME = {"longrightarrow": "to", "varphi": "phi", "varepsilon": "epsilon", "longmapsto": "mapsto"}
_FONTS = frozenset(
    """mathbb mathcal mathfrak mathscr mathbf boldsymbol bm mathsf mathit operatorname textbf
    textsf texttt textsc underline mathbin mathrel mathop""".split()
)


@lru_cache(maxsize=64)
def _tokens(text: str) -> tuple[_QuotedPiece, ...]:
    """The meaningful pieces of a text, without marks."""
    return tuple(
        _QuotedPiece(said, match.start(), match.end())
        for match in _TOKEN.finditer(text)
        for said in _said(match[0])
    )


def _said(token: str) -> Iterator[str]:
    """The meaning of a token in lower case; nothing for typography."""
    if token in _MARKS or token[0] == "%" or token.startswith(("\\begin", "\\end")):
        return
    if token[0] == "\\":
        name = one_name(token).lstrip("\\").lower()
        name = _SAME.get(name, name)
        if name and name not in _MARKS and name not in _FONTS:
            yield name
        return
    if token.isascii():
        yield token.lower()
        return
    for piece in re.findall(r"[^\W\d_]+|\d+|\S", unicodedata.normalize("NFKC", token)):
        if piece not in _MARKS:
            yield _SIGNS.get(piece) or _greek(piece) or piece.lower()


def _greek(piece: str) -> str:
    """The command name of a Greek letter; "" for anything else."""
    if len(piece) > 1 or not "\u0370" <= piece <= "\u03ff":
        return ""
    return unicodedata.name(piece, "").rpartition("LETTER ")[2].split(" ")[0].lower()


def _loosely(words: str, text: str) -> QuoteSpan | None:
    """The place where a text has the words, ignoring marks, emphasis and brackets."""
    wanted = "".join(token.said for token in _tokens(words))
    if len(wanted) < 2 * _SHORTEST:
        return None
    listed = _tokens(text)
    ends: list[int] = []
    total = 0
    for token in listed:
        total += len(token.said)
        ends.append(total)
    said = "".join([token.said for token in listed])
    begins = {end - len(listed[index].said): index for index, end in enumerate(ends)}
    finishes = {end: index for index, end in enumerate(ends)}
    start = said.find(wanted)
    while start >= 0:
        first, last = begins.get(start), finishes.get(start + len(wanted))
        if first is not None and last is not None:  # the match cuts no number and no word
            return QuoteSpan(listed[first].start, listed[last].end)
        start = said.find(wanted, start + 1)
    return None


_SLACK = 10


def most_alike(quote: str, text: str) -> Aligned | None:
    """The passage with most of a quote's words close together and in order, with its likeness."""
    ours, theirs = _tokens(text), _tokens(quote)
    matcher = SequenceMatcher(
        None, [token.said for token in ours], [token.said for token in theirs], autojunk=False
    )
    longest = matcher.find_longest_match()
    reach = 2 * len(theirs) + _SLACK
    near = [
        block
        for block in matcher.get_matching_blocks()
        if block.size and abs(_shift(block) - _shift(longest)) <= reach
    ]
    if not near:
        return None
    first, last = near[0].a, near[-1].a + near[-1].size
    both = (token for block in near for token in ours[block.a : block.a + block.size])
    shared = sum(len(token.said) for token in both)
    common = sum(block.size for block in near)
    there, wanted = (sum(len(token.said) for token in part) for part in (ours[first:last], theirs))
    span = QuoteSpan(ours[first].start, ours[last - 1].end)
    return Aligned(span, 2 * shared / (there + wanted), common / len(theirs))


def _shift(block: Match) -> int:
    return block.a - block.b
