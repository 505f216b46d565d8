"""The comment on a whole review: what was found, read, kept and not reached, and the cost.

All text of a paper or a model is escaped; what people look for first comes first.

Also a small graph of what a change affects, with the changed results and what depends on them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pfcore.domain.values import Affected, Status
from pfcore.impact.plan import is_readable
from pfcore.reporters import graph_drawings
from pfcore.reporters.formats import markdown
from pfcore.reporters.formats.json_report import contract
from pfcore.reporters.formats.markdown import Telling, folded, fresh, more_findings, titled
from pfcore.reporters.module_names import finding_words, reasons_told, standing
from pfcore.reporters.objections import UNREAD, form_words, users
from pfcore.reporters.paper_overview import PaperOverview, is_brief, paper_overview
from pfcore.reporters.printing import code, plural, prose, shortened
from pfcore.reporters.review_outcome import outcome
from pfcore.review.paper_verdicts import PaperVerdicts
from pfcore.review.review import PaperReport, Report

ANSWER = "/pf dismiss {id} …"
_MOST, _SHOWN = 25, 10
"""The rows of a table, and those shown unfolded, because many people read on a phone."""
_ROWS = {Status.FLAGGED: 0, Status.UNREACHED: 1, Status.CONDITIONAL: 2}
_QUIET = "Read by a model; no objection is not a proof."
_SIMULATED = "**Simulation:** no model was used, so nothing here applies to the proofs."


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryOptions:
    """The settings of a summary.

    `elsewhere` are findings shown in other places, as `pointers` say; `base` is the merge base.
    `heading` says how the review ended, if the default does not say all. `is_awaited`: the proofs
    are still to be read, so that the summary says nothing about reading.
    """

    elsewhere: frozenset[str] = frozenset()
    pointers: tuple[str, ...] = ()
    base: str | None = None
    heading: str = ""
    notes: tuple[str, ...] = field(default=())
    is_simulated: bool = False
    is_awaited: bool = False


def summary(report: Report, setting: SummaryOptions) -> str:
    """The whole comment."""
    return "\n\n".join(block for block in _blocks(report, setting) if block) + "\n"


def _blocks(report: Report, setting: SummaryOptions) -> Iterator[str]:
    yield f"### pf-verify: {setting.heading or outcome(report)}"
    yield markdown.unlooked(report)
    yield _SIMULATED if setting.is_simulated else ""
    told = told_papers(report)
    for paper, found in told:
        yield from markdown.about(found)
        yield _table(paper)
        yield _counts(paper, found, setting)
        yield "" if setting.is_awaited else _unreached(paper)
    hidden = len(report.papers) - len(told)
    more = plural(hidden, "more paper")
    yield f"… and {more} without a finding or a change." if hidden else ""
    yield from (prose(note) for note in setting.notes[:_MOST])
    for paper in report.papers:
        yield from _told(paper, setting.elsewhere)
    yield from setting.pointers
    step = next_step(report, setting.elsewhere)
    yield f"Next: {step}" if step else ""
    yield _graph(report)
    listed = [(paper, item) for paper in report.papers for item in paper.findings]
    old = [one for one in listed if one[1].introduced is False and one[1].dismissed is None]
    older = [item for _, item in old]
    said = [finding_words(item, paper) for paper, item in old]
    yield folded("from before this change", older, said)
    answered = [item for _, item in listed if item.dismissed is not None]
    yield folded("answered by the authors", answered, [item.dismissed or "" for item in answered])
    yield f"<sub>{' · '.join(_foot(report, setting))}</sub>"


def _table(paper: PaperReport) -> str:
    """A row for each affected result, the most urgent first."""
    if not paper.plan.affected:
        return ""
    order = sorted(paper.plan.affected, key=lambda item: _rank(paper, item.id))
    head = ["| | Result | Status | Why |", "|---|---|---|---|"]
    rows = [_row(item, paper) for item in order[:_MOST]]
    hidden = len(order) - _MOST
    more = [*head, *rows[_SHOWN:], *(["", f"… and {hidden:,} more."] if hidden > 0 else [])]
    return "\n".join([*head, *rows[:_SHOWN], *unfolding(len(order) - _SHOWN, "result", more)])


def unfolding(count: int, what: str, lines: Iterable[str]) -> Iterator[str]:
    """Lines in a folded block, titled with their number; nothing if there are none."""
    if count > 0:
        title = f"<summary>{plural(count, f'more {what}')}</summary>"
        yield from ("", f"<details>{title}", "", *lines, "", "</details>")


def _rank(paper: PaperReport, name: str) -> int:
    status = Status.FLAGGED if name in paper.at_fault else paper.statuses[name]
    return _ROWS.get(status, 3)


def _row(item: Affected, paper: PaperReport) -> str:
    own = standing(paper, item.id)
    name = titled(paper.state.document.modules[item.id], paper)
    ids = [found.id for found in fresh(paper) if found.module == item.id][:4]
    # If the status is not "flagged", the ids are about something else.
    link = ", " if item.id in paper.at_fault else "; open: "
    words = link.join(filter(None, [own.words, ", ".join(code(name) for name in ids)]))
    return f"| {own.glyph} | {name} | {words} | {prose(reasons_told(item, paper)[0])} |"


def told_papers(report: Report) -> list[tuple[PaperReport, PaperOverview]]:
    """The papers to show, with their overviews."""
    return [
        (paper, paper_overview(paper, report, is_brief=is_brief(report)))
        for paper in report.papers
        if _is_told(paper, report)
    ]


def _is_told(paper: PaperReport, report: Report) -> bool:
    """Whether a paper is shown: if there are many, only those with news."""
    is_news = fresh(paper) or paper.plan.edited or paper.plan.affected
    return bool(is_news) or len(report.papers) <= _MOST_PAPERS


_MOST_PAPERS = 3


def _counts(paper: PaperReport, found: PaperOverview, setting: SummaryOptions) -> str:
    """How many results are affected and how many were read; the others are unchanged."""
    if not paper.plan.affected:
        return ""
    modules = paper.state.document.modules
    results = sum(modules[item.id].is_result for item in paper.plan.affected)
    kept = found.results - results
    since = f" since {code(setting.base[:10])}" if setting.base else ""
    words = f"{results:,} of {plural(found.results, 'result')}"
    if others := len(paper.plan.affected) - results:
        words += f" and {plural(others, 'definition')} with a proof"
    words += f" affected; {kept:,} unchanged{since}." if kept else " affected."
    if paper.sheet is None or setting.is_awaited:
        return words
    readable = [item for item in paper.plan.affected if is_readable(paper.state, item.id)]
    read = sum(1 for item in readable if not item.unread)
    words += f" {read:,} of {plural(len(readable), 'proof')} read."
    backlog = paper.plan.backlog
    never = f" {plural(backlog, 'unrelated proof')} never read."
    return words + (never if backlog else "")


def _unreached(paper: PaperReport) -> str:
    """Proofs under review without a verdict, and why; they must not look like a pass."""
    if paper.sheet is None:
        return ""
    reasons = paper.sheet.unread()
    left = paper.plan.unread
    if not left:
        return ""
    told = (reasons.get(name, "not read").removeprefix("not read: ") for name in left)
    listed = Counter(told).most_common(4)
    words = "; ".join(f"{number:,}: {prose(reason)}" for reason, number in listed)
    words = prose(listed[0][0]) if len(listed) == 1 else words
    return f"**Not read:** {plural(len(left), 'proof')} ({words})."


def _told(paper: PaperReport, elsewhere: frozenset[str]) -> Iterator[str]:
    """The findings that are shown nowhere else, in full."""
    new = [item for item in fresh(paper) if item.id not in elsewhere]
    for found in new[:_MOST]:
        yield markdown.finding(found, paper, Telling(way=ANSWER))
    yield more_findings(new[_MOST:])


def next_step(report: Report, elsewhere: frozenset[str] = frozenset()) -> str:
    """The next thing to do, as a command of the App; "" if there is none."""
    new = [item for paper in report.papers for item in fresh(paper) if item.id.isalnum()]
    here = next((item.id for item in new if item.id not in elsewhere), "")
    if here:
        return f"comment `/pf explain {here}` to see all that is known about it."
    if new:
        return "fix the findings in the comments, or answer one with `/pf dismiss ID reason`."
    sheets = [paper.sheet for paper in report.papers if paper.sheet and paper.plan.unread]
    if any(sheet.knowledge.asking is not None for sheet in sheets):
        return "comment `/pf check` to have the remaining proofs read."
    return ""


def _graph(report: Report) -> str:
    drawn = cone(report)
    if not drawn:
        return ""
    title = "<details><summary>What this change affects, and what it depends on</summary>"
    return f"{title}\n\n```mermaid\n{drawn}```\n\n</details>"


def _foot(report: Report, setting: SummaryOptions) -> Iterator[str]:
    """The model, the contract and the cost of the reading."""
    sheets = [paper.sheet for paper in report.papers if paper.sheet is not None]
    if setting.is_awaited or not any(sheet.knowledge.asking or _is_read(sheet) for sheet in sheets):
        yield UNREAD
    elif any(sheet.readings for sheet in sheets):
        yield _QUIET
    if report.model is not None:
        yield prose(report.model)
    known = contract(report)
    if known:
        yield f"Contract {code(known[:8])}"
    for words in form_words(paper.sheet for paper in report.papers if paper.sheet is not None):
        yield words[words.find("contexts") :].removesuffix(".")  # only a part of a line
    yield from dict.fromkeys(_manner(paper) for paper in report.papers if _manner(paper))
    if report.spent is not None:
        yield f"{plural(report.spent.calls, 'call')}, ${report.spent.cost:.2f}"
    yield "`/pf help`"


def _is_read(sheet: PaperVerdicts) -> bool:
    """Whether any proof has a verdict."""
    return len(sheet.unread()) < len(sheet.readings)


def _manner(paper: PaperReport) -> str:
    """How strictly and how often a paper was read; "" if no model is set up."""
    asking = paper.sheet.knowledge.asking if paper.sheet else None
    if paper.sheet is None or asking is None:
        return ""
    times = plural(paper.sheet.knowledge.judging.rollouts, "reading")
    return f"strictness {prose(shortened(asking.contract.strictness, 60))}, {times}"


_MOST_DRAWN = 30
"""The most modules in a graph that is still readable beside a review."""


def cone(report: Report) -> str:
    """Mermaid for the affected modules; "" if there are no edges, or too many modules."""
    if is_too_large(report):
        return ""
    drawn = graph_drawings.cone([(paper, _modules(paper)) for paper in report.papers])
    return drawn if "-->" in drawn else ""


def is_too_large(report: Report) -> bool:
    """Whether the graph is too large to be readable beside a review."""
    return sum(len(_modules(paper)) for paper in report.papers) > _MOST_DRAWN


def _modules(paper: PaperReport) -> list[str]:
    """The affected modules in the order of the paper, with the edited ones that they use.

    Results that depend on a flagged one are included, too.
    """
    affected = {item.id for item in paper.plan.affected}
    if not affected:
        return []
    document = paper.state.document
    edited = {
        edge.target
        for edge in document.edges
        if edge.source in affected and edge.target in paper.plan.edited
    }
    shaken = {
        user
        for name in affected
        if paper.statuses[name] is Status.FLAGGED
        for user in users(paper, name)
    }
    wanted = affected | edited | shaken
    return [
        name
        for name, module in document.modules.items()
        if name in wanted and module.role.stands_alone
    ]
