"""Checks of a Lean blueprint's marks against the text."""

from collections.abc import Iterator
from itertools import groupby

from pfcore.checks.check import Check, CheckInput, block
from pfcore.domain.values import Finding, Module, Severity
from pfcore.graph.missing_uses import Missing, find_missing_uses


def drift(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Modules with a `\\uses` that cite by name what it leads to on no path."""
    for _, group in groupby(find_missing_uses(scene.state), key=lambda gap: gap.module.id):
        gaps = list(group)
        module = gaps[0].module
        if not _has_uses(scene, module):
            continue
        targets = tuple(target for gap in gaps for target in gap.targets)
        yield check.finding(
            f"{_what(gaps)} cites {', '.join(targets)}, and its \\uses does not say so",
            subject=" ".join(sorted(targets)),
            module=module.id,
            place=scene.opening(gaps[0].passage),
            related=targets,
        )


def _has_uses(scene: CheckInput, module: Module) -> bool:
    passages = (module.statement, *module.proofs)
    return any(block(scene.state, passage).uses for passage in passages)


def _what(gaps: list[Missing]) -> str:
    parts = {gap.part for gap in gaps}
    name = gaps[0].module.id
    return f"the {parts.pop()} of {name}" if len(parts) == 1 else name


USES_CHECKS = (
    Check(
        id="uses-drift",
        severity=Severity.NOTE,
        rationale="a blueprint whose \\uses misses a citation draws the wrong graph: see "
        "pf graph --suggest-uses",
        run=drift,
    ),
)
