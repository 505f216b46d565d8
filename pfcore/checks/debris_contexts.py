r"""Decides from the context whether something that looks like a leftover may be intended.

A name in brackets that the text calls a token is not a gap, and text emphasized within a sentence
is quoted. A sentence that begins a paragraph is not introduced by the text before it.
"""

import re
from collections.abc import Iterable, Iterator

from pfcore.domain.lazy_regex import regex

_NEAR = 120
_WHITE = regex(r"[\s~]+")
_NAMING = regex(
    r"\b(?:{naming}):? (?:\[[A-Z ]{1,20}\],? (?:\w{2,3} )?){0,4}(?=\[[A-Z ]{1,20}\])",
    re.IGNORECASE,
    words_of=__file__,
)
_NAMED = regex(r"(?<=\]) ?(?:{named})", re.IGNORECASE, words_of=__file__)
_SLOT = regex(r"\[[A-Z ]{1,20}\]\Z")


_STOP = regex(r"[.!?]\s|\n\s*\n")


def tokens(body: str, found: Iterable[tuple[int, int]]) -> frozenset[str]:
    """Those names in brackets that a text calls tokens in at least one sentence."""
    meant: set[str] = set()
    listed: list[str] = []
    is_named, last = False, 0
    slots = [(start, end) for start, end in sorted(found) if _SLOT.match(body[start:end])]
    for start, end in slots:
        if _STOP.search(body, last, start):
            meant.update(listed if is_named else ())
            listed, is_named = [], False
        listed.append(body[start:end])
        is_named = is_named or _is_named(body, start, end)
        last = end
    return frozenset(meant.union(listed if is_named else ()))


def _is_named(body: str, start: int, end: int) -> bool:
    """Whether the words directly before or after a name in brackets say what it is."""
    before = _WHITE.sub(" ", body[max(0, start - _NEAR) : start])
    text = before + body[start:end]
    behind = text + _WHITE.sub(" ", body[end : end + _NEAR])
    return any(match.end() == len(before) for match in _NAMING.finditer(text)) or bool(
        _NAMED.match(behind, len(text))
    )


_EMPHASIS = regex(
    r"\\(?:emph|textit|textsl|textsf)\s*\{|\{\s*\\(?:em|it|sl|itshape|slshape)(?![A-Za-z])"
)
_GOES_ON = regex(r"[ \t~]*\n?[ \t~]*,?[ \t~]*\n?[ \t~]*[a-z]")
_BEGUN = regex(r"[\w,:][ \t~]*\n?[ \t~]*\Z")


def emphasized(body: str) -> Iterator[tuple[int, int]]:
    """The spans emphasized within a sentence that begins before them or continues after them."""
    for match in _EMPHASIS.finditer(body):
        end = closing_brace(body, match.end())
        is_begun = _BEGUN.search(body, max(0, match.start() - _NEAR), match.start())
        if end > match.end() and (is_begun or _GOES_ON.match(body, end)):
            yield match.start(), end


_PARAGRAPH = regex(r"\n[ \t]*\n")
_COMMANDS = regex(r"\\(?!item(?![A-Za-z]))(?:[A-Za-z]+\*?|.*\})\Z")
_BEFORE = 1_000


def begins_a_paragraph(body: str, start: int) -> bool:
    """Whether `start` begins a paragraph, or a line after commands, and no colon introduces it."""
    *before, own = _PARAGRAPH.split(body[max(0, start - _BEFORE) : start])
    line = own.strip().rpartition("\n")[2].strip()
    if line:
        return _COMMANDS.match(line) is not None
    return not "".join(before).rstrip().endswith((":", ","))


_BRACE = regex(r"\\.|[{}]", re.DOTALL)


def closing_brace(body: str, start: int) -> int:
    """The end of the group that opens just before `start`; `start` if it is far away."""
    depth = 1
    for match in _BRACE.finditer(body, start, start + 3_000):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if not depth:
            return match.end()
    return start
