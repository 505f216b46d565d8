"""Checks of a Lean blueprint's marks against the text."""

from collections.abc import Iterator, Mapping

from pfcore.checks.scene import Check, Scene, block
from pfcore.model import Finding, Part, Severity, Via


def drift(scene: Scene, check: Check) -> Iterator[Finding]:
    """Results that a proof cites by name while its `\\uses` leads to them on no path."""
    document = scene.document
    cited: dict[str, list[str]] = {}
    for edge in document.edges:
        if edge.via is Via.REFERENCE and edge.part is Part.PROOF and edge.is_explicit:
            cited.setdefault(edge.source, []).append(edge.target)
    for name, targets in cited.items():
        if not _marks_uses(scene, name):
            continue
        reached = _reached(document.uses, name)
        missing = sorted(target for target in targets if target not in reached)
        if missing:
            yield check.finding(
                f"the proof of {name} cites {', '.join(missing)}, and its \\uses does not say so",
                subject=" ".join(missing),
                module=name,
                place=scene.opening(document.modules[name].proofs[0]),
                related=tuple(missing),
            )


def _marks_uses(scene: Scene, name: str) -> bool:
    """Whether the first proof has a `\\uses` of its own."""
    return bool(block(scene.state, scene.document.modules[name].proofs[0]).uses)


def _reached(uses: Mapping[str, tuple[str, ...]], name: str) -> set[str]:
    found: set[str] = set()
    pending = [name]
    while pending:
        for target in uses.get(pending.pop(), ()):
            if target not in found:
                found.add(target)
                pending.append(target)
    return found


CHECKS = (
    Check(
        id="uses-drift",
        severity=Severity.NOTE,
        rationale="a blueprint whose \\uses misses a citation draws the wrong graph",
        run=drift,
    ),
)
