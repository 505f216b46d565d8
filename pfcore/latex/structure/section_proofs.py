"""Sections that are proofs: `\\section{Proof of Theorem \\ref{a}}`, and no environment in it."""

import itertools
import re
from collections.abc import Callable, Sequence

from pfcore.latex.lexer.event import CommandEvent
from pfcore.latex.structure import aims
from pfcore.latex.structure.unmarked_proofs import SECTION

_TITLE = re.compile(r"\s*(?:The[\s~]+)?(?:Proofs?|Beweis|Preuve|D[ée]monstration)\b")
_MAIN = re.compile(r"\b(?:of|des?|von|du)\b.*\b(?:[Mm]ain|[Pp]rincipal)\b|\bHaupt")
_LABELS = re.compile(r"(?:\s*\\label\s*\{[^{}]*\})*\s*")
_END = re.compile(
    r"\\(?:bibliography|printbibliography|appendix|backmatter)(?![A-Za-z])"
    r"|\\(?:begin|end)\s*\{(?:thebibliography|document)\}"
)
_SHAPES = ("statement", "proof")
_SHORTEST = 40  # characters of a section that may be a proof

Shape = Callable[[str], str]
"""From an environment's name to its shape."""


def says_so(title: str) -> bool:
    """Whether the title of a section says that it proves a result, and which."""
    if not _TITLE.match(title):
        return False
    return bool(aims.labels(title) or aims.named_results(title) or _MAIN.search(title))


def with_section_proofs(
    text: str, listed: Sequence[CommandEvent], shape: Shape
) -> Sequence[CommandEvent]:
    """The events with begin and end put in for each such section that is nothing but a proof."""
    headings = [index for index, event in enumerate(listed) if event.kind == "section"]
    made: list[CommandEvent] = []
    for index, following in itertools.pairwise((*headings, len(listed))):
        if says_so(listed[index].note):
            made += _proof(text, listed[index], listed[index + 1 : following + 1], shape)
    return sorted((*made, *listed), key=_place) if made else listed


def _place(event: CommandEvent) -> int:
    return event.start


def _proof(
    text: str, heading: CommandEvent, behind: Sequence[CommandEvent], shape: Shape
) -> tuple[CommandEvent, ...]:
    """Begin and end of the proof under a heading; nothing where it is no proof alone."""
    labels = _LABELS.match(text, heading.end)
    start = labels.end() if labels else heading.end
    following = behind[-1].start if behind and behind[-1].kind == "section" else len(text)
    stop = _END.search(text, start, following)
    end = stop.start() if stop else following
    inner = [event for event in behind if start <= event.start < end]
    depth = 0
    for event in inner:
        depth += {"begin": 1, "end": -1}.get(event.kind, 0)
        if depth < 0 or (event.kind == "begin" and shape(event.name) in _SHAPES):
            return ()
    if depth or len(text[start:end].strip()) < _SHORTEST:
        return ()
    begin = CommandEvent(start, start, "begin", SECTION, (), heading.note.strip())
    return begin, CommandEvent(end, end, "end", SECTION, (), "")
