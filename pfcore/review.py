"""The one use case: what a change affects, and what is certainly wrong, of every paper."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from pfcore.errors import UsageError
from pfcore.graph.laws import Bounds, bounds
from pfcore.graph.numbered import Numbering
from pfcore.graph.paper import State, state
from pfcore.graph.status import Verdict, statuses
from pfcore.model import Finding, Role, Severity, Status, Unreached
from pfcore.papers import Library, Paper, library
from pfcore.plan import Plan, plan
from pfcore.shelf import Shelf
from pfcore.snapshot import Snapshot

NO_VERDICTS: Mapping[str, Verdict] = {}


@dataclass(frozen=True, kw_only=True)
class PaperReport:
    """All that is known of one paper after a review; what few ask for is made when asked for."""

    state: State
    plan: Plan
    findings: tuple[Finding, ...]
    threshold: Severity

    @cached_property
    def statuses(self) -> Mapping[str, Status]:
        """The status of every module."""
        trust = self.state.paper.settings.blueprint.trust_leanok
        return statuses(self.state.document, NO_VERDICTS, trust_leanok=trust)

    @cached_property
    def unreached(self) -> tuple[Unreached, ...]:
        """Every module without a verdict, and why: never to be shown as a pass."""
        return tuple(_unreached(self.state, self.statuses))

    @cached_property
    def bounds(self) -> Bounds:
        """The Good-PF bounds of the paper."""
        return bounds(self.state.document)

    @cached_property
    def numbering(self) -> Numbering:
        """The numbers that the PDF shows."""
        return Numbering(self.state.paper)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The papers of a snapshot, reviewed; `before` and `after` are the names of the moments."""

    papers: tuple[PaperReport, ...]
    library: Library
    before: str | None
    after: str


def review(
    before: Snapshot | None,
    after: Snapshot,
    shelf: Shelf,
    *,
    only: str | None = None,
    folder: str = "",
    checks: bool = True,
) -> Report:
    """Review the papers of a snapshot against an earlier moment.

    `only` names one paper; `folder` (or file) restricts to the papers in it, if there are any;
    without `checks` there are no findings.
    """
    now = library(after, shelf)
    papers = _wanted(now, only, folder)
    then = _earlier(before, shelf)
    reports = []
    for paper in papers:
        _require_known(paper)
        earlier = then.get(paper.name)
        reports.append(_review(state(paper, earlier), earlier, checks=checks))
    return Report(
        papers=tuple(reports),
        library=now,
        before=before.name if before else None,
        after=after.name,
    )


def _wanted(found: Library, only: str | None, folder: str) -> list[Paper]:
    if only is not None:
        papers = [paper for paper in found.papers if only in (paper.name, paper.root)]
        if not papers:
            known = ", ".join(paper.name for paper in found.papers)
            raise UsageError(f"there is no paper {only} here; there is {known}")
        return papers
    inside = [
        paper
        for paper in found.papers
        if folder in paper.outline.order or paper.root.startswith(f"{folder}/")
    ]
    return inside or list(found.papers)


def _earlier(before: Snapshot | None, shelf: Shelf) -> dict[str, State]:
    if before is None or not any(path.endswith((".tex", ".ltx")) for path in before.files):
        return {}
    return {paper.name: state(paper) for paper in library(before, shelf).papers}


def _review(now: State, then: State | None, *, checks: bool) -> PaperReport:
    planned = plan(then, now)
    return PaperReport(
        state=now,
        plan=planned,
        findings=_findings(now, then, planned) if checks else (),
        threshold=Severity(now.paper.settings.checks.threshold),
    )


def _require_known(paper: Paper) -> None:
    settings = paper.settings.checks
    if settings.disable or settings.severity:
        from pfcore.checks import registry

        registry.require_known(settings, path=paper.settings.path)


def _findings(now: State, then: State | None, planned: Plan) -> tuple[Finding, ...]:
    from pfcore.checks import registry
    from pfcore.checks.scene import Scene

    spared = _spared(now, then)
    scene = Scene(state=now, before=then, spared=spared, plan=planned if then else None)
    return registry.run(scene, Scene(state=then, spared=spared) if then else None)


def _spared(now: State, then: State | None) -> frozenset[str]:
    """The files that read the same at both moments."""
    if then is None:
        return frozenset()
    keys = then.paper.keys
    return frozenset(path for path, key in now.paper.keys.items() if keys.get(path) == key)


def _unreached(now: State, known: Mapping[str, Status]) -> Iterator[Unreached]:
    for name, status in known.items():
        if status is Status.UNREACHED:
            module = now.document.modules[name]
            reason = "not read: no model is configured" if module.proofs else "it has no proof"
            if module.is_claim and module.role is not Role.FRAGMENT:
                yield Unreached(module=name, reason=reason)
