"""How one half of a review ended: its conclusion, and one line that says it."""

from collections.abc import Iterable, Iterator

from bot.domain.hunks import Diff
from bot.domain.review_result import ReviewPart
from pfcore.domain.values import Finding, Severity
from pfcore.impact.plan import is_readable
from pfcore.reporters.formats.publication import Conclusion, is_read
from pfcore.reporters.printing import plural
from pfcore.review.review import PaperReport, Report
from pfcore.review.unseen import is_incomplete


def conclusion(report: Report, part: ReviewPart, *, is_whole: bool) -> Conclusion:
    """How this half ended: checks and readers are each answerable for their own findings."""
    own = list(_own(report, part))
    if any(_is_blocking(item, paper) for item, paper in own):
        return Conclusion.BLOCKING
    is_proofs = part is ReviewPart.PROOFS
    if not is_whole or (is_proofs and not is_read(report)) or is_incomplete(report):
        return Conclusion.INCOMPLETE
    if any(_is_new(item) for item, _ in own):
        return Conclusion.FINDINGS
    return Conclusion.CLEAN if is_proofs else Conclusion.STRUCTURE


def _own(report: Report, part: ReviewPart) -> Iterator[tuple[Finding, PaperReport]]:
    """The findings that one half answers for, with their papers."""
    for paper in report.papers:
        read = {item.id for item in paper.objections}
        for item in paper.findings:
            if (item.id in read) == (part is ReviewPart.PROOFS):
                yield item, paper


def _is_blocking(item: Finding, paper: PaperReport) -> bool:
    return item in paper.blocking


def _is_new(item: Finding) -> bool:
    return (
        item.introduced is not False
        and item.dismissed is None
        and item.severity is not Severity.NOTE
    )


def title(report: Report, part: ReviewPart, ended: Conclusion, *, is_required: bool) -> str:
    """One line for the list of checks; counts alone, of this half: the summary counts both."""
    own = list(_own(report, part))
    new = sum(1 for item, _ in own if _is_new(item))
    blocking = sum(1 for item, paper in own if _is_blocking(item, paper))
    where = " in proofs" if part is ReviewPart.PROOFS else ""
    found = f"{plural(new, 'finding')}{where}, {blocking} blocking" if new else ""
    if blocking and where and not is_required:
        found += " (advisory)"
    if part is ReviewPart.STRUCTURE:
        if ended is Conclusion.INCOMPLETE:
            more = "not everything could be reviewed"
            return f"{found}; {more}" if found else more.capitalize()
        return found or "No structural check found an error or a warning"
    if not is_touched(report):
        is_cut = ended is Conclusion.INCOMPLETE
        return "Not everything could be reviewed" if is_cut else "No proof is affected"
    left = sum(1 for paper in report.papers for item in paper.plan.affected if item.unread)
    read = _read(report)
    found = found or (f"No objection in {plural(read, 'proof')}" if read else "")
    unread = f"{plural(left, 'proof')} not read" if left else ""
    return "; ".join(filter(None, (found, unread)))


def _read(report: Report) -> int:
    """How many of the proofs that are under review have a verdict."""
    return sum(
        1
        for paper in report.papers
        for name in modules_under_review(report, paper)
        if paper.sheet is not None
        and name in paper.sheet.readings
        and name not in paper.sheet.unread()
    )


def is_touched(report: Report) -> bool:
    """Whether there is a proof among what is affected, or at all where all is meant."""
    return any(
        is_readable(paper.state, name)
        for paper in report.papers
        for name in modules_under_review(report, paper)
    )


def modules_under_review(report: Report, paper: PaperReport) -> Iterable[str]:
    """The modules that are under review: all, or those that the change affects."""
    if report.before is None:
        return paper.state.document.modules
    return [item.id for item in paper.plan.affected]


def is_cut_short(report: Report, diff: Diff) -> bool:
    """Whether a file could not be read that is under review."""
    unread = report.library.unread
    return bool(unread if report.before is None else unread.keys() & diff.files.keys())
