"""What stands under a condition of which it is not known whether it holds: notes at most."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Set
from dataclasses import replace

from pfcore.checks.check import CheckInput
from pfcore.domain.errors import SourceError
from pfcore.domain.values import Finding, Severity
from pfcore.latex.lexer.mask import conditions, mask


def softened(scene: CheckInput, findings: Iterable[Finding], rules: Set[str]) -> Iterator[Finding]:
    """The findings; those of some rules are notes where LaTeX may never read their place."""
    known: dict[str, list[tuple[int, int]]] = {}
    for finding in findings:
        if finding.rule not in rules or finding.severity is Severity.NOTE:
            yield finding
            continue
        path = finding.location.path
        if path not in known:
            known[path] = _conditions(scene, path)
        is_inside = _is_inside(known[path], finding.location.start)
        yield replace(finding, severity=Severity.NOTE) if is_inside else finding


def _conditions(scene: CheckInput, path: str) -> list[tuple[int, int]]:
    try:
        text = scene.paper.source(path)
    except SourceError:
        return []
    return conditions(mask(text, scene.paper.syntax.dead).text) if "\\fi" in text else []


def _is_inside(spans: list[tuple[int, int]], offset: int) -> bool:
    index = bisect_right(spans, (offset, len(spans) + offset)) - 1
    return index >= 0 and offset < spans[index][1]
