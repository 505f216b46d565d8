"""Findings as compilers print them, one line each: `path:line:col: severity [id] message`."""

from collections.abc import Iterator

from pfcore.model import Finding, Severity
from pfcore.report.plain import count, place, safe
from pfcore.review import PaperReport, Report


def lines(report: Report, *, notes: bool) -> Iterator[str]:
    """What is new and unanswered, the gravest first; notes where they are wanted."""
    for paper in report.papers:
        for finding in shown(paper, notes=notes):
            message = safe(finding.message)
            yield f"{place(finding)}: {finding.severity.value} [{finding.id}] {message}"
        yield from _ledger(paper)
    for path, reason in report.library.unread.items():
        yield f"{safe(path)}:1:1: warning [not-read] {safe(reason)}"


def shown(paper: PaperReport, *, notes: bool) -> list[Finding]:
    """The findings that are printed."""
    return [
        item
        for item in paper.findings
        if item.introduced is not False
        and item.dismissed is None
        and (notes or item.severity is not Severity.NOTE)
    ]


def _ledger(paper: PaperReport) -> Iterator[str]:
    """The lines of the ledger that say nothing, or do not count here."""
    if paper.sheet is None:
        return
    where = safe(paper.state.paper.settings.ledger)
    for problem in paper.sheet.problems:
        yield f"{where}:{problem.line}:1: warning [pf.lock] {safe(problem.message)}"
    if paper.sheet.uncounted:
        is_one = paper.sheet.uncounted == 1
        counts = "counts only once it stands" if is_one else "count only once they stand"
        yield f"{count(paper.sheet.uncounted, 'line')} of {where} {counts} on the base branch."


def summary(report: Report, *, notes: bool) -> str:
    """How much is new, and that nobody has read the proofs."""
    found = [item for paper in report.papers for item in shown(paper, notes=notes)]
    kinds = (Severity.ERROR, Severity.WARNING, *((Severity.NOTE,) if notes else ()))
    grave = {kind: sum(1 for item in found if item.severity is kind) for kind in kinds}
    listed = ", ".join(count(number, kind.value) for kind, number in grave.items())
    is_read = any(paper.sheet is not None for paper in report.papers)
    proofs = "of the proofs, what pf.lock has" if is_read else "the proofs were not read"
    return f"{listed}; {proofs}."
