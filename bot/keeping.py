"""From a review to what is kept of it: how it ended, what is said, and what pages show."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from bot import cones
from bot.comments import Caps, Words, alone, compose
from bot.hunks import Diff
from bot.marks import Source
from bot.saved import SCHEMA, Cost, Fault, Manuscript, Objection, Part, Reached, Saved
from bot.summary import Setting, summary
from pfcore.errors import ConfigError, NoPaperError, PfError, UsageError
from pfcore.model import Finding, Severity, Status
from pfcore.plan import is_readable
from pfcore.report import as_json
from pfcore.report.github import prose
from pfcore.report.ids import Names
from pfcore.report.naming import called
from pfcore.report.plain import count, safe, shortened
from pfcore.report.publication import Conclusion, fitting, is_read, publication
from pfcore.report.style import Style
from pfcore.review import PaperReport, Report

_STYLE = Style()
_LONGEST = 1_000_000
"""Letters of one JSON that is kept."""
_MOST = 500
"""Findings and modules that are kept for pages, of each paper."""
_UNTOLD = "the findings here are private, and so is the reason: the App's pages have it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Which half of which review this is, and what may be shown of it; else as in `Saved`.

    `has_reader`: a model is configured, so that what a ledger has is not all there will be.
    """

    part: Part
    head: str
    base: str | None
    trusted: str
    caps: Caps
    has_reader: bool = False
    is_simulated: bool = False
    is_private: bool = True
    is_required: bool = False
    is_every_branch: bool = False


def saved(report: Report, diff: Diff, terms: Terms) -> Saved:
    """What is kept of a review."""
    notes = tuple(_notes(report))
    ended = _conclusion(report, terms, is_whole=not _is_cut(report, diff))
    status = {Conclusion.BLOCKING: 1, Conclusion.INCOMPLETE: 3}.get(ended, 0)
    made = publication(
        report, head=terms.head, status=status, is_private=terms.is_private, ledgers={}
    )
    setting = Setting(base=terms.base, notes=notes, is_simulated=terms.is_simulated)
    shown = made.summary if terms.is_private else fitting(summary(report, setting))
    words = compose(report, made, diff, terms.caps, setting)
    names = Names(report)
    return Saved(
        schema=SCHEMA,
        part=terms.part,
        head=terms.head,
        base=terms.base,
        trusted=terms.trusted,
        conclusion=ended,
        title=_title(report, terms, ended),
        summary=shown,
        words=_words(words, terms),
        is_private=terms.is_private,
        is_quiet=made.is_quiet,
        is_read=is_read(report),
        is_touched=_is_touched(report),
        is_required=terms.is_required,
        is_every_branch=terms.is_every_branch,
        model=report.model,
        contract=as_json.contract(report),
        is_simulated=terms.is_simulated,
        cost=_cost(report),
        papers=tuple(_manuscript(paper) for paper in report.papers),
        reached=tuple(item for paper in report.papers for item in _reached(paper)),
        objections=tuple(item for paper in report.papers for item in _objections(paper)),
        unreached=dict(_unreached(report, names)),
        statuses=dict(_statuses(report, names)),
        notes=notes,
        cone=cones.cone(report),
        check=_short(as_json.check(report)),
        graph=_short(as_json.graph(report)),
    )


def _unreached(report: Report, names: Names) -> Iterator[tuple[str, str]]:
    """Why what was to be read has no verdict."""
    for paper in report.papers:
        meant = set(_meant(report, paper))
        for item in paper.unreached:
            if item.module in meant:
                yield names.of(paper)[item.module], _plain(item.reason)


def _statuses(report: Report, names: Names) -> Iterator[tuple[str, Status]]:
    for paper in report.papers:
        known = names.of(paper)
        for name, status in paper.statuses.items():
            if name in known:
                yield known[name], status


def failed(error: PfError, terms: Terms) -> Saved:
    """What is kept where there is no review: one sentence, and nothing that ends a matter."""
    is_open = not terms.is_private or isinstance(error, ConfigError | NoPaperError)
    told = error.message if is_open else _UNTOLD
    summary = fitting(f"### pf-verify: not reviewed\n\n{prose(told)}\n")
    return Saved(
        schema=SCHEMA,
        part=terms.part,
        head=terms.head,
        base=terms.base,
        trusted=terms.trusted,
        conclusion=Conclusion.INCOMPLETE,
        title="It could not be reviewed",
        summary=summary,
        words=Words(comments=(alone(summary),)),
        failure=_plain(error.message),
        fault=Fault.THEIRS if isinstance(error, UsageError) else Fault.OURS,
        is_private=terms.is_private,
        is_required=terms.is_required,
        is_every_branch=terms.is_every_branch,
        is_simulated=terms.is_simulated,
    )


def _conclusion(report: Report, terms: Terms, *, is_whole: bool) -> Conclusion:
    """How this half ended: checks and readers are each answerable for their own findings."""
    own = list(_own(report, terms.part))
    if any(_is_blocking(item, paper) for item, paper in own):
        return Conclusion.BLOCKING
    is_proofs = terms.part is Part.PROOFS
    if not is_whole or (is_proofs and not is_read(report)):
        return Conclusion.INCOMPLETE
    if any(_is_new(item) for item, _ in own):
        return Conclusion.FINDINGS
    return Conclusion.CLEAN if is_proofs else Conclusion.STRUCTURE


def _own(report: Report, part: Part) -> Iterator[tuple[Finding, PaperReport]]:
    """The findings that one half answers for, with their papers."""
    for paper in report.papers:
        read = {item.id for item in paper.objections}
        for item in paper.findings:
            if (item.id in read) == (part is Part.PROOFS):
                yield item, paper


def _is_blocking(item: Finding, paper: PaperReport) -> bool:
    return item in paper.blocking


def _is_new(item: Finding) -> bool:
    return (
        item.introduced is not False
        and item.dismissed is None
        and item.severity is not Severity.NOTE
    )


def _title(report: Report, terms: Terms, ended: Conclusion) -> str:
    """One line for the list of checks; counts alone, of this half: the summary counts both."""
    own = list(_own(report, terms.part))
    new = sum(1 for item, _ in own if _is_new(item))
    blocking = sum(1 for item, paper in own if _is_blocking(item, paper))
    where = " in proofs" if terms.part is Part.PROOFS else ""
    found = f"{count(new, 'finding')}{where}, {blocking} blocking"
    if blocking and where and not terms.is_required:
        found += " (advisory)"
    if terms.part is Part.STRUCTURE:
        more = "; not all files could be read" if ended is Conclusion.INCOMPLETE else ""
        return found + more
    if not _is_touched(report):
        return "No proof is affected"
    left = sum(1 for paper in report.papers for item in paper.plan.affected if item.unread)
    return f"{found}; {count(left, 'proof')} not read" if left else found


def _is_touched(report: Report) -> bool:
    """Whether there is a proof among what is affected, or at all where all is meant."""
    return any(
        is_readable(paper.state, name) for paper in report.papers for name in _meant(report, paper)
    )


def _meant(report: Report, paper: PaperReport) -> Iterable[str]:
    if report.before is None:
        return paper.state.document.modules
    return [item.id for item in paper.plan.affected]


def _is_cut(report: Report, diff: Diff) -> bool:
    """Whether a file could not be read that is under review."""
    unread = report.library.unread
    return bool(unread if report.before is None else unread.keys() & diff.files.keys())


def _notes(report: Report) -> Iterator[str]:
    """What could not be read, as sentences."""
    for path, reason in report.library.unread.items():
        yield _plain(f"{safe(path)} was not read: {reason}")
    for paper in report.papers:
        where = safe(paper.state.paper.settings.ledger)
        for problem in paper.sheet.problems if paper.sheet else ():
            yield _plain(f"{where}:{problem.line} says nothing: {problem.message}")


def _words(words: Words, terms: Terms) -> Words:
    """Where readers are still to be heard, only what checks said can be settled."""
    if terms.part is Part.PROOFS or not terms.has_reader:
        return words
    return replace(words, settled=words.settled & {Source.CHECK})


def _cost(report: Report) -> Cost:
    spent = report.spent
    if spent is None:
        return Cost()
    return Cost(
        calls=spent.calls,
        known=spent.hits,
        input_tokens=spent.usage.input,
        output_tokens=spent.usage.output,
        dollars=round(spent.cost, 6),
        seconds=round(spent.seconds, 1),
    )


def _manuscript(paper: PaperReport) -> Manuscript:
    unread = {item.module for item in paper.unreached}
    modules = paper.state.document.modules
    counts = Counter(
        status
        for name, status in paper.statuses.items()
        if modules[name].is_claim or name in unread
    )
    return Manuscript(
        name=_plain(paper.state.paper.name),
        root=_plain(paper.state.paper.root),
        modules=paper.plan.total,
        affected=len(paper.plan.affected),
        backlog=paper.plan.backlog,
        statuses={status: counts[status] for status in Status if counts[status]},
    )


def _reached(paper: PaperReport) -> Iterator[Reached]:
    unread = paper.sheet.unread() if paper.sheet else {}
    for item in paper.plan.affected[:_MOST]:
        module = paper.state.document.modules[item.id]
        where = module.statement.location
        reason = unread.get(item.id, "the proofs were not read") if item.unread else ""
        yield Reached(
            paper=_plain(paper.state.paper.name),
            module=_plain(item.id),
            name=_called(paper, item.id),
            path=_plain(where.path),
            line=where.line,
            status=paper.statuses[item.id],
            reasons=tuple(_plain(text) for text in item.reasons),
            unread=_plain(reason),
        )


def _objections(paper: PaperReport) -> Iterator[Objection]:
    read = {item.id for item in paper.objections}
    blocking = {item.id for item in paper.blocking}
    for item in paper.findings[:_MOST]:
        where = item.location
        yield Objection(
            id=item.id,
            aliases=tuple(sorted(item.aliases)),
            source=Source.READING if item.id in read else Source.CHECK,
            rule=item.rule,
            severity=item.severity,
            paper=_plain(paper.state.paper.name),
            module=None if item.module is None else _plain(item.module),
            name=_called(paper, item.module),
            message=_plain(item.message),
            reason=_plain(item.reason),
            quote=_plain(item.quote),
            path=_plain(where.path),
            line=where.line,
            end_line=where.end_line,
            votes=item.votes,
            rollouts=item.rollouts,
            introduced=item.introduced,
            is_blocking=item.id in blocking,
            dismissed=None if item.dismissed is None else _plain(item.dismissed),
            reopened=None if item.reopened is None else _plain(item.reopened),
        )


def _called(paper: PaperReport, name: str | None) -> str:
    module = paper.state.document.modules.get(name or "")
    return _plain(shortened(called(module, paper, _STYLE), 200)) if module else ""


def _plain(text: str) -> str:
    """A text that every encoding and every database takes."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else ""
