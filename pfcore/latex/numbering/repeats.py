"""Statements that are said again by their name (package thm-restate)."""

import re
from collections.abc import Iterable, Sequence

from pfcore.domain.spans import Spans
from pfcore.latex.lexer.commands import alternatives
from pfcore.latex.lexer.mask import mask
from pfcore.latex.numbering.records import CounterStep


def restating_commands(listed: Iterable[CounterStep]) -> frozenset[str]:
    """The commands that restate a statement."""
    return frozenset(
        step.args[2]
        for step in listed
        if step.op == "begin" and step.args[0].startswith("restatable") and len(step.args) > 2
    ) - {""}


def repeats(
    text: str, silent: Sequence[tuple[int, int]], wanted: frozenset[str]
) -> tuple[CounterStep, ...]:
    """Where a file says a statement again with a new number; with a star the old one stays."""
    masked = mask(text).text
    hidden = Spans(silent)
    pattern = re.compile(rf"(?<!\\)\\({alternatives(wanted)})(?![A-Za-z@])\s*(\*?)")
    return tuple(
        CounterStep(match.start(), "restate", (match[1],))
        for match in pattern.finditer(masked)
        if not match[2] and not hidden.covers(match.start())
    )
