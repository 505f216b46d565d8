"""All checks, in the order in which they run.

What stands under a condition of which it is not known whether it holds: notes at most.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from pfcore.checks import (
    argument,
    blueprint,
    change,
    preflight,
    references,
    source_form,
    suppressions,
    symbol_scope,
)
from pfcore.checks.algebra import equality_check
from pfcore.checks.check import Check, CheckInput, conditional_spans, may_hold_code
from pfcore.checks.injection import injection_check
from pfcore.checks.lean import lean_links
from pfcore.domain.containment import Failure, Fault, attempt
from pfcore.domain.errors import ConfigError, SourceError
from pfcore.domain.findings import capped, unique, with_origin, with_severity
from pfcore.domain.paper_settings import FILE_NAME, CheckSettings
from pfcore.domain.values import Finding, Severity
from pfcore.latex.lexer.mask import mask
from pfcore.papers.paper import Paper

if TYPE_CHECKING:
    from pfcore.checks.conditional_code import ReadPlaces

STRUCTURE: tuple[Check, ...] = (
    *argument.CHECKS,
    *references.CHECKS,
    *source_form.CHECKS,
    *source_form.MARKUP_CHECKS,
    *blueprint.USES_CHECKS,
    *lean_links.CHECKS,
    *symbol_scope.CHECKS,
    *equality_check.CHECKS,
    *injection_check.CHECKS,
    *preflight.CHECKS,
    source_form.UNREAD_BLOCKS,
)
_OF_TEXT = frozenset(
    check.id for check in (*argument.CHECKS, *references.CHECKS, *source_form.CHECKS)
)
_READ_BY_LATEX = _OF_TEXT.union(preflight.RULES)
CHANGE: tuple[Check, ...] = (*change.CHECKS, *blueprint.CHECKS)
ALL: tuple[Check, ...] = (
    *STRUCTURE,
    *preflight.BEFORE_AN_UPLOAD,
    *CHANGE,
    suppressions.UNUSED,
)
_LATER = frozenset(check.id for check in preflight.BEFORE_AN_UPLOAD)


def require_known(settings: CheckSettings, *, path: str | None) -> None:
    """ConfigError if the settings name a check that does not exist, or wave one through."""
    known = {check.id for check in ALL}
    for name in (*settings.disable, *(name for name, _ in settings.severity)):
        if name not in known:
            listed = ", ".join(sorted(known))
            message = f"unknown check '{name}'; expected one of: {listed}"
            raise ConfigError(message, path=path or FILE_NAME)
    lesser = (name for name, severity in settings.severity if severity != Severity.ERROR)
    for name in (*settings.disable, *lesser):
        if name in suppressions.NEVER:
            message = suppressions.unanswerable(name)
            raise ConfigError(message, path=path or FILE_NAME)


def run_checks(
    scene: CheckInput,
    earlier: CheckInput | None,
    objections: Sequence[Finding] = (),
    *,
    least: Severity = Severity.NOTE,
    is_capped: bool = True,
    is_upload: bool = False,
) -> tuple[Finding, ...]:
    """All findings of a paper; `introduced` is set where there is an earlier version.

    `objections` come from reading proofs: answers in the source cover them, too. Checks that find
    nothing as grave as `least` need not run. Of one check in one file many are one, if `is_capped`;
    `is_upload` adds what is looked at before an upload alone.
    """
    settings = scene.paper.settings.checks
    checks = _worth(STRUCTURE if earlier is None else STRUCTURE + CHANGE, scene, least)
    if is_upload:
        checks = (*checks, *preflight.BEFORE_AN_UPLOAD)
    elif earlier is not None:
        checks = (*checks, *change.beside_the_text(scene.paper, earlier.paper))
    found = _answered(scene, checks, objections)
    if not is_upload:  # what is answered may be found by those that did not run
        found = [item for item in found if not _answers_later(item)]
    ids = {item.id for item in objections}
    read = [item for item in found if item.id in ids]
    found = [item for item in found if item.id not in ids]
    if earlier is not None and scene.plan is not None:
        known = _answered(earlier, _comparable(found, earlier))
        paths = frozenset(earlier.paper.outline.order)
        found = with_origin(found, known, scene.plan.pairs, paths)
    chosen = with_severity(found, dict(settings.severity), frozenset(settings.disable))
    listed = capped(unique(chosen)) if is_capped else unique(chosen)
    return unique([*listed, *read])


def _answers_later(item: Finding) -> bool:
    """Whether an answer seems unused that is one to a check before an upload."""
    is_unused = item.rule == suppressions.UNUSED.id
    return is_unused and item.subject.rpartition(" ")[2] in _LATER


def _worth(checks: Sequence[Check], scene: CheckInput, least: Severity) -> Sequence[Check]:
    """The checks that may find what is grave enough; all where answers have to find theirs."""
    if least is Severity.NOTE or suppressions.has_any(scene):
        return checks
    chosen = dict(scene.paper.settings.checks.severity)
    return [
        check
        for check in checks
        if Severity(chosen.get(check.id, check.severity)).rank >= least.rank
    ]


def _comparable(found: Iterable[Finding], earlier: CheckInput) -> Sequence[Check]:
    """The checks whose findings at the base are asked for: an id tells of which check it is."""
    if suppressions.has_any(earlier):
        return STRUCTURE
    rules = {item.rule for item in found}
    return [check for check in STRUCTURE if check.id in rules]


def _run(scene: CheckInput, check: Check) -> Iterable[Finding]:
    """What a check finds; one that meets a fault of ours has found nothing, and is noted."""
    if scene.only not in ("", check.id):
        return ()
    found = attempt(lambda: list(check.run(scene, check)))
    if not isinstance(found, Failure):
        return found
    scene.paper.faults.add(Fault(scene.paper.root, 0, f"check {check.id}", found.cause))
    return ()


def _answered(
    scene: CheckInput, checks: Iterable[Check], objections: Iterable[Finding] = ()
) -> list[Finding]:
    scene.paper.snapshot.foresee(scene.paper.readings)
    listed = (
        item
        for check in checks
        for item in _run(scene, check)
        if not scene.paper.outline.is_borrowed(item.location.path)
    )
    found = list(listed) if scene.is_base else list(softened(scene, listed, _READ_BY_LATEX))
    return suppressions.apply_ignores(scene, [*objections, *found], {check.id for check in ALL})


def softened(scene: CheckInput, findings: Iterable[Finding], rules: Set[str]) -> Iterator[Finding]:
    """The findings; those of some rules are notes where LaTeX may never read their place."""
    known: dict[str, list[tuple[int, int]]] = {}
    left_out = _LeftOut(scene.paper)
    for finding in findings:
        if finding.rule not in rules or finding.severity is Severity.NOTE:
            yield finding
            continue
        path = finding.location.path
        if path not in known:
            known[path] = conditional_spans(scene.paper, path)
        is_inside = _is_inside(known[path], finding.location.start)
        is_inside = is_inside or (finding.rule in _OF_TEXT and left_out.has(finding))
        yield replace(finding, severity=Severity.NOTE) if is_inside else finding


class _LeftOut:
    """Tells of findings whether LaTeX reads their place for certain, by what is around it."""

    def __init__(self, paper: Paper) -> None:
        self._paper = paper

    def has(self, finding: Finding) -> bool:
        """Whether the place is in code, or in an argument that LaTeX may not read."""
        path, start, end = finding.location[:3]
        try:
            before = mask(self._paper.source(path), self._paper.syntax.dead).text[:start]
        except SourceError:
            return False
        is_inside = before.count("{") != before.count("}") or self._may_hold_code
        return is_inside and not self._places.is_read(path, start, end)

    @cached_property
    def _may_hold_code(self) -> bool:
        return may_hold_code(self._paper)

    @cached_property
    def _places(self) -> "ReadPlaces":
        from pfcore.checks.conditional_code import ReadPlaces  # late: few papers ask

        return ReadPlaces(self._paper)


def _is_inside(spans: list[tuple[int, int]], offset: int) -> bool:
    index = bisect_right(spans, (offset, len(spans) + offset)) - 1
    return index >= 0 and offset < spans[index][1]
