"""Turns a review into its stored result: how it ended, the comments, and the data of pages.

Pages show papers, reached modules and findings, as texts that any page accepts. Each half of a
review has a conclusion, and one line that states it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from bot.domain.comment import CommentCaps, Diff, ObjectionSource, ReviewComments
from bot.domain.forge import STRUCTURE
from bot.domain.review_result import (
    SCHEMA,
    ListedFinding,
    Manuscript,
    PaperScreen,
    ReachCounts,
    ReviewCost,
    ReviewFault,
    ReviewPart,
    ReviewResult,
)
from bot.domain.worker_context import ReviewSubject
from bot.publishing import summary as cones
from bot.publishing.pull_comments import alone, compose
from bot.publishing.summary import SummaryOptions, next_step, summary, told_papers
from pfcore.domain.errors import ConfigError, NoPaperError, PfError, UsageError
from pfcore.domain.findings import is_told, number_of
from pfcore.domain.values import Finding, Status
from pfcore.impact.plan import is_readable
from pfcore.reporters.formats import json_report
from pfcore.reporters.formats.publication import (
    UNREVIEWED,
    Conclusion,
    fitting,
    is_read,
    not_reviewed,
    publication,
)
from pfcore.reporters.module_names import PrintedIds, module_name, reasons_told
from pfcore.reporters.paper_overview import change_sentence, paper_numbers, told_paragraphs
from pfcore.reporters.printing import Style, plural, safe, shortened
from pfcore.reporters.review_outcome import (
    APART,
    after,
    is_apart,
    not_looked_at,
    possible_problems,
)
from pfcore.review.review import PaperReport, Report
from pfcore.review.unseen import is_incomplete

_LONGEST = 1_000_000
"""The most characters of a stored JSON text."""
_UNTOLD = "the findings and the reason are private; see the App's pages"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultTerms:
    """Which half of which review a result is, and what it may show; else as in `ReviewResult`.

    `has_reader`: a model is set up, so that the ledger is not all there will be.
    """

    part: ReviewPart
    subject: ReviewSubject
    caps: CommentCaps
    has_reader: bool = False
    is_simulated: bool = False
    is_private: bool = True
    is_required: bool = False


def result_of_review(report: Report, diff: Diff, terms: ResultTerms) -> ReviewResult:
    """The result to store for a review."""
    notes = tuple(_notes(report))
    is_cut = is_cut_short(report, diff)
    ended = conclusion(report, terms.part, is_whole=not is_cut, is_apart=is_apart(report))
    status = {Conclusion.BLOCKING: 1, Conclusion.INCOMPLETE: 3}.get(ended, 0)
    made = publication(
        report, head=terms.subject.head, status=status, is_private=terms.is_private, ledgers={}
    )
    setting = SummaryOptions(
        base=terms.subject.base,
        notes=notes,
        is_simulated=terms.is_simulated,
        is_awaited=terms.has_reader and terms.part is ReviewPart.STRUCTURE,
    )
    name = title(report, terms.part, ended, is_required=terms.is_required)
    heading = name if terms.part is ReviewPart.PROOFS else made.title
    shown = (
        made.summary.replace(made.title, heading, 1)
        if terms.is_private
        else fitting(_page(report, terms.part, name, setting))
    )
    told = replace(setting, heading="" if terms.is_required else _advised(report))
    words = compose(report, made, diff, terms.caps, told)
    names = PrintedIds(report)
    return ReviewResult(
        schema=SCHEMA,
        part=terms.part,
        head=terms.subject.head,
        base=terms.subject.base,
        trusted=terms.subject.trusted,
        conclusion=ended,
        title=name,
        summary=shown,
        words=_words(words, terms),
        is_private=terms.is_private,
        is_quiet=made.is_quiet,
        is_open=made.is_open,
        is_read=is_read(report),
        is_touched=is_touched(report) or is_cut,
        is_required=terms.is_required,
        model=report.model,
        contract=json_report.contract(report),
        is_simulated=terms.is_simulated,
        cost=_cost(report),
        papers=tuple(manuscript(paper) for paper in report.papers),
        screens=tuple(screens(report)),
        unlooked=storable_text(not_looked_at(report, is_placed=False)),
        next_step=next_step(report),
        reached=tuple(item for paper in report.papers for item in reached(paper)),
        objections=tuple(item for paper in report.papers for item in objections(paper)),
        unreached=dict(unreached(report, names)),
        statuses=dict(statuses(report, names)),
        notes=notes,
        whole=made.summary if terms.subject.number is None else "",
        cone=cones.cone(report),
        check=_short(json_report.check_json(report)),
        graph=_short(json_report.graph_json(report)),
    )


def _page(report: Report, part: ReviewPart, name: str, setting: SummaryOptions) -> str:
    """The text of a check; that of the proofs leaves the structure's findings to the other one."""
    if part is ReviewPart.STRUCTURE:
        return summary(report, setting)
    own = list(_own(report, ReviewPart.STRUCTURE))
    number = number_of(item for item, paper in own if _is_new(item, paper))
    pointers = (f"{plural(number, 'finding')} in `{STRUCTURE}`.",) if number else ()
    elsewhere = frozenset(item.id for item, _ in own)
    return summary(report, replace(setting, heading=name, elsewhere=elsewhere, pointers=pointers))


def _advised(report: Report) -> str:
    """A heading if only readers' advice would block; "" if the default heading is right."""
    own = [found for part in ReviewPart for found in _own(report, part)]
    all_blocking = number_of(item for item, paper in own if _is_blocking(item, paper))
    checked = _own(report, ReviewPart.STRUCTURE)
    blocking = number_of(item for item, paper in checked if _is_blocking(item, paper))
    new = number_of(item for item, paper in own if _is_new(item, paper))
    if blocking == all_blocking:
        return ""
    return f"{plural(new, 'finding')}" + (f", {blocking:,} blocking" if blocking else "")


def result_of_failure(error: PfError, terms: ResultTerms) -> ReviewResult:
    """The result if there is no review: one sentence; it closes no finding."""
    is_open = not terms.is_private or isinstance(error, ConfigError | NoPaperError)
    told = error.message if is_open else _UNTOLD
    summary = not_reviewed(told)
    return ReviewResult(
        schema=SCHEMA,
        part=terms.part,
        head=terms.subject.head,
        base=terms.subject.base,
        trusted=terms.subject.trusted,
        conclusion=Conclusion.INCOMPLETE,
        title=UNREVIEWED,
        summary=summary,
        words=ReviewComments(comments=(alone(summary),)),
        failure=storable_text(error.message),
        fault=ReviewFault.THEIRS if isinstance(error, UsageError) else ReviewFault.OURS,
        is_private=terms.is_private,
        is_required=terms.is_required,
        is_simulated=terms.is_simulated,
    )


def result_apart(failed: ReviewResult) -> ReviewResult:
    """The structure of a change that touches no paper, where other papers cannot be read.

    It says so, notifies nobody, and closes no finding.
    """
    return failed.model_copy(
        update={
            "conclusion": Conclusion.STRUCTURE,
            "title": APART,
            "summary": f"### pf-verify: {APART}\n",
            "words": ReviewComments(comments=()),
            "failure": "",
            "fault": ReviewFault.NONE,
            "is_quiet": True,
            "is_read": True,
            "is_touched": False,
        }
    )


def _notes(report: Report) -> Iterator[str]:
    """Sentences on what could not be read."""
    for path, reason in report.library.unread.items():
        yield storable_text(f"{safe(path)} was not read: {reason}")
    for paper in report.papers:
        where = safe(paper.state.paper.settings.ledger)
        for problem in paper.sheet.problems if paper.sheet else ():
            yield storable_text(f"{where}:{problem.line}: {problem.message}")


def _words(words: ReviewComments, terms: ResultTerms) -> ReviewComments:
    """The comments; while the proofs are yet to be read, only findings of checks can be settled."""
    if terms.part is ReviewPart.PROOFS or not terms.has_reader:
        return words
    return replace(words, settled=words.settled & {ObjectionSource.CHECK})


def _cost(report: Report) -> ReviewCost:
    spent = report.spent
    if spent is None:
        return ReviewCost()
    return ReviewCost(
        calls=spent.calls,
        known=spent.hits,
        input_tokens=spent.usage.input,
        output_tokens=spent.usage.output,
        dollars=round(spent.cost, 6),
        seconds=round(spent.seconds, 1),
    )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else ""


_STYLE = Style()
_MOST = 500
"""How many findings and modules of a paper are stored for pages."""


def unreached(report: Report, names: PrintedIds) -> Iterator[tuple[str, str]]:
    """The reasons why modules under review have no verdict."""
    for paper in report.papers:
        wanted = set(modules_under_review(report, paper))
        for item in paper.unreached:
            if item.module in wanted:
                yield names.of(paper)[item.module], storable_text(item.reason)


def statuses(report: Report, names: PrintedIds) -> Iterator[tuple[str, Status]]:
    """The statuses of all modules."""
    for paper in report.papers:
        known = names.of(paper)
        for name, status in paper.statuses.items():
            if name in known:
                yield known[name], status


def screens(report: Report) -> Iterator[PaperScreen]:
    """The overviews of the papers that the summary shows."""
    for _, found in told_papers(report):
        yield PaperScreen(
            title=storable_text(found.title),
            place=storable_text(f"{found.root}, {plural(found.files, 'file')}"),
            paragraphs=tuple(map(storable_text, told_paragraphs(found))),
            change=storable_text(change_sentence(found)),
        )


def manuscript(paper: PaperReport) -> Manuscript:
    """The figures of a paper: its claims, and what is unread."""
    unread = {item.module for item in paper.unreached}
    modules = paper.state.document.modules
    shown = {
        name: status
        for name, status in paper.statuses.items()
        if modules[name].is_asserted or name in unread
    }
    counts = Counter(shown.values())
    faults = Counter(status for name, status in shown.items() if name in paper.at_fault)
    return Manuscript(
        name=storable_text(paper.state.paper.name),
        root=storable_text(paper.state.paper.root),
        modules=paper.plan.total,
        results=paper_numbers(paper).results,
        affected=len(paper.plan.affected),
        backlog=paper.plan.backlog,
        statuses={status: counts[status] for status in Status if counts[status]},
        at_fault=dict(faults),
    )


def reached(paper: PaperReport) -> Iterator[ReachCounts]:
    """The modules that the change affects, with the reasons."""
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
            reasons=tuple(storable_text(text) for text in reasons_told(item, paper)),
            unread=storable_text(reason),
        )


def objections(paper: PaperReport) -> Iterator[ListedFinding]:
    """The findings of checks and of readers."""
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
    """A text that every encoding and every database accepts."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def conclusion(
    report: Report, part: ReviewPart, *, is_whole: bool, is_apart: bool = False
) -> Conclusion:
    """How this half ended; it depends only on the findings of its own source.

    A change that touches no paper has no findings to answer for.
    """
    if is_apart:
        return Conclusion.CLEAN if part is ReviewPart.PROOFS else Conclusion.STRUCTURE
    own = list(_own(report, part))
    if any(_is_blocking(item, paper) for item, paper in own):
        return Conclusion.BLOCKING
    is_proofs = part is ReviewPart.PROOFS
    if not is_whole or (is_proofs and not is_read(report)) or is_incomplete(report):
        return Conclusion.INCOMPLETE
    if any(_is_new(item, paper) for item, paper in own):
        return Conclusion.FINDINGS
    return Conclusion.CLEAN if is_proofs else Conclusion.STRUCTURE


def _own(report: Report, part: ReviewPart) -> Iterator[tuple[Finding, PaperReport]]:
    """The findings of one half, with their papers."""
    for paper in report.papers:
        read = {item.id for item in paper.objections}
        for item in paper.findings:
            if (item.id in read) == (part is ReviewPart.PROOFS):
                yield item, paper


def _is_blocking(item: Finding, paper: PaperReport) -> bool:
    return item in paper.blocking


def _is_new(item: Finding, paper: PaperReport) -> bool:
    return item.introduced is not False and item.dismissed is None and paper.is_loud(item)


def title(report: Report, part: ReviewPart, ended: Conclusion, *, is_required: bool) -> str:
    """The title in the list of checks, with the counts of this half only; the summary has both."""
    own = list(_own(report, part))
    new = number_of(item for item, paper in own if _is_new(item, paper))
    blocking = number_of(item for item, paper in own if _is_blocking(item, paper))
    where = " in proofs" if part is ReviewPart.PROOFS else ""
    is_advice = bool(where) and not is_required
    counts = " (advisory)" if is_advice else f", {blocking:,} blocking"
    found = f"{plural(new, 'finding')}{where}{counts}" if new else ""
    if part is ReviewPart.STRUCTURE:
        if is_apart(report):
            return APART
        if ended is Conclusion.INCOMPLETE:
            more = "not everything could be reviewed"
            return f"{found}; {more}" if found else more.capitalize()
        return found or _nothing_new(own)
    if not is_touched(report):
        is_cut = ended is Conclusion.INCOMPLETE
        return "Not everything could be reviewed" if is_cut else "No proof is affected"
    left = sum(len(paper.plan.unread) for paper in report.papers)
    read = _read(report)
    found = found or (_unopposed(report, own, read) if read else "")
    unread = f"{plural(left, 'proof')} not read" if left else ""
    return "; ".join(filter(None, (found, unread)))


def _nothing_new(own: list[tuple[Finding, PaperReport]]) -> str:
    """The title if no check found anything new and open; old and answered findings are mentioned.

    Only notes that are shown by default count.
    """
    kept = [
        item
        for item, paper in own
        if paper.is_loud(item) or (is_told(item) and item.introduced is False)
    ]
    answered = sum(1 for item in kept if item.dismissed is not None)
    if answered and answered == len(kept):
        what = f"an open error or warning, {answered:,} answered"
    else:
        what = "a new error or warning" if kept else "an error or a warning"
    return after(possible_problems(item for item, _ in own), f"No structural check found {what}")


def _unopposed(report: Report, own: list[tuple[Finding, PaperReport]], read: int) -> str:
    """The title if no objection is open; it claims no more than the readers said."""
    kept = [
        item
        for item, paper in own
        if paper.is_loud(item)
        and item.module is not None
        and item.module in modules_under_review(report, paper)
    ]
    answered = sum(1 for item in kept if item.dismissed is not None)
    word = "open" if answered else "new"
    found = f"No {f'{word} ' if kept else ''}objection in {plural(read, 'proof')}"
    return found + (f", {answered:,} answered" if answered else "")


def _read(report: Report) -> int:
    """How many proofs under review have a verdict."""
    return sum(
        1
        for paper in report.papers
        for name in modules_under_review(report, paper)
        if paper.sheet is not None
        and name in paper.sheet.readings
        and name not in paper.sheet.unread()
    )


def is_touched(report: Report) -> bool:
    """Whether there is a proof under review."""
    return any(
        is_readable(paper.state, name)
        for paper in report.papers
        for name in modules_under_review(report, paper)
    )


def modules_under_review(report: Report, paper: PaperReport) -> Iterable[str]:
    """The modules under review: all, or those that the change affects or reopens."""
    if report.before is None:
        return paper.state.document.modules
    return paper.plan.under_review


def is_cut_short(report: Report, diff: Diff) -> bool:
    """Whether a file under review could not be read."""
    unread = report.library.unread
    return bool(unread if report.before is None else unread.keys() & diff.files.keys())
