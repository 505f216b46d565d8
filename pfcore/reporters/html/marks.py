"""Where a quote stands in a canonical text whose references are still marks."""

import re

from pfcore.latex.lexer.whitespace import ANCHOR, CLAIM, CLAIM_END, GIVEN, MENTION

_SLOT = re.compile(
    r"\b(?:Result|Remark|Definition|Assumption|Convention) \d+\b|\(E\d+\)"
    r"|\\tag\{E\d+\}|the statement to be proved"
    r"|\[(?:a section|a figure or table|a proof|elsewhere)\]"
)
_IDLE = re.compile(rf"{ANCHOR.pattern}|[\s\[\]{CLAIM}{CLAIM_END}{GIVEN}]+")
_ENDS = " \"'`.,;:…“”‘’"
_SHORTEST = 3
_HOLE = "\x02"


def marked(quote: str, text: str) -> tuple[int, int] | None:
    """The offsets of a quote; slots stand for any reference, white space for nothing."""
    wanted = _IDLE.sub("", _SLOT.sub(_HOLE, quote.strip(_ENDS)))
    if len(wanted) < _SHORTEST:
        return None
    squeezed, spans = _squeezed(text)
    start = squeezed.find(wanted)
    if start < 0:
        return None
    return spans[start][0], spans[start + len(wanted) - 1][1]


def _squeezed(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A text without what does not count, and where each of its characters stands."""
    letters: list[str] = []
    spans: list[tuple[int, int]] = []
    position = 0
    while position < len(text):
        idle = _IDLE.match(text, position)
        if idle:
            position = idle.end()
            continue
        mention = MENTION.match(text, position)
        letters.append(_HOLE if mention else text[position])
        spans.append(mention.span() if mention else (position, position + 1))
        position = spans[-1][1]
    return "".join(letters), spans
