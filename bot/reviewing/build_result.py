"""From a review to what is kept of it: how it ended, what is said, and what pages show."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.domain.comment import CommentCaps, ReviewComments
from bot.domain.hunks import Diff
from bot.domain.marks import ObjectionSource
from bot.domain.review_result import SCHEMA, ReviewCost, ReviewFault, ReviewPart, ReviewResult
from bot.publishing import cones
from bot.publishing.pull_comments import alone, compose
from bot.publishing.summary import SummaryOptions, summary
from bot.reviewing import displaying, endings
from pfcore.domain.errors import ConfigError, NoPaperError, PfError, UsageError
from pfcore.reporters.formats import json_report
from pfcore.reporters.formats.publication import Conclusion, fitting, is_read, publication
from pfcore.reporters.github import prose
from pfcore.reporters.ids import PrintedIds
from pfcore.reporters.printing import safe
from pfcore.review.review import Report

_LONGEST = 1_000_000
"""Letters of one JSON that is kept."""
_UNTOLD = "the findings here are private, and so is the reason: the App's pages have it"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultTerms:
    """Which half of which review this is, and what may be shown of it; else as in `ReviewResult`.

    `has_reader`: a model is configured, so that what a ledger has is not all there will be.
    """

    part: ReviewPart
    head: str
    base: str | None
    trusted: str
    caps: CommentCaps
    has_reader: bool = False
    is_simulated: bool = False
    is_private: bool = True
    is_required: bool = False


def result_of_review(report: Report, diff: Diff, terms: ResultTerms) -> ReviewResult:
    """What is kept of a review."""
    notes = tuple(_notes(report))
    is_cut = endings.is_cut_short(report, diff)
    ended = endings.conclusion(report, terms.part, is_whole=not is_cut)
    status = {Conclusion.BLOCKING: 1, Conclusion.INCOMPLETE: 3}.get(ended, 0)
    made = publication(
        report, head=terms.head, status=status, is_private=terms.is_private, ledgers={}
    )
    setting = SummaryOptions(base=terms.base, notes=notes, is_simulated=terms.is_simulated)
    shown = made.summary if terms.is_private else fitting(summary(report, setting))
    words = compose(report, made, diff, terms.caps, setting)
    names = PrintedIds(report)
    return ReviewResult(
        schema=SCHEMA,
        part=terms.part,
        head=terms.head,
        base=terms.base,
        trusted=terms.trusted,
        conclusion=ended,
        title=endings.title(report, terms.part, ended, is_required=terms.is_required),
        summary=shown,
        words=_words(words, terms),
        is_private=terms.is_private,
        is_quiet=made.is_quiet,
        is_read=is_read(report),
        is_touched=endings.is_touched(report) or is_cut,
        is_required=terms.is_required,
        model=report.model,
        contract=json_report.contract(report),
        is_simulated=terms.is_simulated,
        cost=_cost(report),
        papers=tuple(displaying.manuscript(paper) for paper in report.papers),
        reached=tuple(item for paper in report.papers for item in displaying.reached(paper)),
        objections=tuple(item for paper in report.papers for item in displaying.objections(paper)),
        unreached=dict(displaying.unreached(report, names)),
        statuses=dict(displaying.statuses(report, names)),
        notes=notes,
        cone=cones.cone(report),
        check=_short(json_report.check_json(report)),
        graph=_short(json_report.graph_json(report)),
    )


def result_of_failure(error: PfError, terms: ResultTerms) -> ReviewResult:
    """What is kept where there is no review: one sentence, and nothing that ends a matter."""
    is_open = not terms.is_private or isinstance(error, ConfigError | NoPaperError)
    told = error.message if is_open else _UNTOLD
    summary = fitting(f"### pf-verify: not reviewed\n\n{prose(told)}\n")
    return ReviewResult(
        schema=SCHEMA,
        part=terms.part,
        head=terms.head,
        base=terms.base,
        trusted=terms.trusted,
        conclusion=Conclusion.INCOMPLETE,
        title="It could not be reviewed",
        summary=summary,
        words=ReviewComments(comments=(alone(summary),)),
        failure=displaying.storable_text(error.message),
        fault=ReviewFault.THEIRS if isinstance(error, UsageError) else ReviewFault.OURS,
        is_private=terms.is_private,
        is_required=terms.is_required,
        is_simulated=terms.is_simulated,
    )


def _notes(report: Report) -> Iterator[str]:
    """What could not be read, as sentences."""
    for path, reason in report.library.unread.items():
        yield displaying.storable_text(f"{safe(path)} was not read: {reason}")
    for paper in report.papers:
        where = safe(paper.state.paper.settings.ledger)
        for problem in paper.sheet.problems if paper.sheet else ():
            yield displaying.storable_text(
                f"{where}:{problem.line} says nothing: {problem.message}"
            )


def _words(words: ReviewComments, terms: ResultTerms) -> ReviewComments:
    """Where readers are still to be heard, only what checks said can be settled."""
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
