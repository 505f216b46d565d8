"""The modules that a ledger does not cover, because their proofs are newer than `pf.lock`."""

from collections.abc import Sequence
from typing import NamedTuple

from pfcore.domain.values import Affected
from pfcore.reporters.printing import Style, plural, safe
from pfcore.review.review import PaperReport, Report

_MOST = 6


class Stale(NamedTuple):
    """A module without a verdict on its context, and what has changed ("" if unknown)."""

    module: str
    cause: str


def stale(report: Report, *, whole: bool) -> list[Stale]:
    """The modules that the ledgers lack, among those that a change affects or among all."""
    return [item for paper in report.papers for item in _of(paper, whole=whole)]


def _of(paper: PaperReport, *, whole: bool) -> list[Stale]:
    affected = {item.id: item for item in paper.plan.affected}
    return [
        Stale(item.module, _cause(paper, affected.get(item.module)))
        for item in paper.unreached
        if paper.state.document.modules[item.module].proofs
        and (whole or not paper.is_change or item.module in paper.plan.under_review)
    ]


def _cause(paper: PaperReport, item: Affected | None) -> str:
    """The part of the module that changed, else the dependency that did."""
    if item is None or paper.before is None:
        return ""
    plan = paper.plan
    if item.id not in plan.pairs:
        return "new"
    now = paper.state.document.modules[item.id]
    then = paper.before.document.modules[plan.pairs[item.id]]
    if item.id in plan.restated:
        return "statement"
    if [proof.digest for proof in now.proofs] != [proof.digest for proof in then.proofs]:
        return "proof"
    invoked = {edge.target for edge in paper.state.document.edges_of(item.id)}
    changed = [name for name in (*plan.restated, *plan.edited) if name in invoked]
    return f"premise {changed[0]}" if changed else item.reasons[0]


def has_ledger(report: Report) -> bool:
    """Whether some paper of the report has a ledger among its files."""
    return any(
        paper.state.paper.settings.ledger in paper.state.paper.snapshot.files
        for paper in report.papers
    )


def unreadable(report: Report) -> list[str]:
    """Sentences on the parts of ledgers that cannot be read and so cannot be relied on."""
    found: dict[str, None] = {}
    for paper in report.papers:
        where = paper.state.paper.settings.ledger
        why = report.library.unread.get(where)
        if why is not None:
            found[f"{safe(where)} could not be read: {safe(why)}"] = None
        for problem in paper.sheet.problems if paper.sheet else ():
            found[f"{safe(where)}:{problem.line}: {safe(problem.message)}"] = None
    return list(found)


def stale_text(found: Sequence[Stale], style: Style, *, is_new: bool, command: str = "pf") -> str:
    """The modules, and what to run next; `is_new` says that there is no ledger yet."""
    few = ", ".join(_named(item) for item in found[:_MOST])
    more = f", and {len(found) - _MOST} more" if len(found) > _MOST else ""
    verb = "is" if len(found) == 1 else "are"
    how = "not recorded (no pf.lock)" if is_new else "newer than pf.lock"
    line = f"{plural(len(found), 'result')} {verb} {how}: {few}{more}"
    return style.finish([line, f"to read them: {command} check --model NAME --update-lock"])


def _named(item: Stale) -> str:
    return safe(f"{item.module} ({item.cause})" if item.cause else item.module)
