"""What pages show of a review: papers, what was reached, findings; as texts that any page takes."""

from collections import Counter
from collections.abc import Iterator

from bot.domain.marks import ObjectionSource
from bot.domain.review_result import ListedFinding, Manuscript, ReachCounts
from bot.reviewing.endings import modules_under_review
from pfcore.domain.values import Status
from pfcore.reporters.ids import PrintedIds
from pfcore.reporters.module_names import module_name
from pfcore.reporters.printing import shortened
from pfcore.reporters.style import Style
from pfcore.review.review import PaperReport, Report

_STYLE = Style()
_MOST = 500
"""Findings and modules that are kept for pages, of each paper."""


def unreached(report: Report, names: PrintedIds) -> Iterator[tuple[str, str]]:
    """Why what was to be read has no verdict."""
    for paper in report.papers:
        wanted = set(modules_under_review(report, paper))
        for item in paper.unreached:
            if item.module in wanted:
                yield names.of(paper)[item.module], storable_text(item.reason)


def statuses(report: Report, names: PrintedIds) -> Iterator[tuple[str, Status]]:
    """Where all modules stand."""
    for paper in report.papers:
        known = names.of(paper)
        for name, status in paper.statuses.items():
            if name in known:
                yield known[name], status


def manuscript(paper: PaperReport) -> Manuscript:
    """A paper in numbers: of claims, and of what is unread."""
    unread = {item.module for item in paper.unreached}
    modules = paper.state.document.modules
    shown = {
        name: status
        for name, status in paper.statuses.items()
        if modules[name].is_claim or name in unread
    }
    counts = Counter(shown.values())
    faults = Counter(status for name, status in shown.items() if name in paper.at_fault)
    return Manuscript(
        name=storable_text(paper.state.paper.name),
        root=storable_text(paper.state.paper.root),
        modules=paper.plan.total,
        affected=len(paper.plan.affected),
        backlog=paper.plan.backlog,
        statuses={status: counts[status] for status in Status if counts[status]},
        at_fault=dict(faults),
    )


def reached(paper: PaperReport) -> Iterator[ReachCounts]:
    """What the change affects, and why."""
    unread = paper.sheet.unread() if paper.sheet else {}
    for item in paper.plan.affected[:_MOST]:
        module = paper.state.document.modules[item.id]
        where = module.statement.location
        reason = unread.get(item.id, "the proofs were not read") if item.unread else ""
        yield ReachCounts(
            paper=storable_text(paper.state.paper.name),
            module=storable_text(item.id),
            name=_called(paper, item.id),
            path=storable_text(where.path),
            line=where.line,
            status=paper.statuses[item.id],
            is_at_fault=item.id in paper.at_fault,
            reasons=tuple(storable_text(text) for text in item.reasons),
            unread=storable_text(reason),
        )


def objections(paper: PaperReport) -> Iterator[ListedFinding]:
    """The findings, those of checks and of readers."""
    read = {item.id for item in paper.objections}
    blocking = {item.id for item in paper.blocking}
    for item in paper.findings[:_MOST]:
        where = item.location
        yield ListedFinding(
            id=item.id,
            aliases=tuple(sorted(item.aliases)),
            source=ObjectionSource.READING if item.id in read else ObjectionSource.CHECK,
            rule=item.rule,
            severity=item.severity,
            paper=storable_text(paper.state.paper.name),
            module=None if item.module is None else storable_text(item.module),
            name=_called(paper, item.module),
            message=storable_text(item.message),
            reason=storable_text(item.reason),
            quote=storable_text(item.quote),
            path=storable_text(where.path),
            line=where.line,
            end_line=where.end_line,
            votes=item.votes,
            rollouts=item.rollouts,
            introduced=item.introduced,
            is_blocking=item.id in blocking,
            dismissed=None if item.dismissed is None else storable_text(item.dismissed),
            reopened=None if item.reopened is None else storable_text(item.reopened),
        )


def _called(paper: PaperReport, name: str | None) -> str:
    module = paper.state.document.modules.get(name or "")
    return storable_text(shortened(module_name(module, paper, _STYLE), 200)) if module else ""


def storable_text(text: str) -> str:
    """A text that every encoding and every database takes."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")
