"""`pf check --format markdown`: a summary for pull requests and job summaries."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pfcore.checks.suppressions import NEVER, unanswerable
from pfcore.domain.findings import number_of
from pfcore.domain.values import Finding, Module
from pfcore.reporters.formats.json_report import contract
from pfcore.reporters.module_names import finding_words, module_name, reasons_told, standing
from pfcore.reporters.objections import IN_SOURCE, readings, users
from pfcore.reporters.paper_overview import (
    PaperOverview,
    change_sentence,
    is_brief,
    leading,
    paper_overview,
    told_paragraphs,
    unchanged_sentence,
)
from pfcore.reporters.printing import (
    Style,
    code,
    escaped,
    likeness_words,
    paragraphs,
    place_of,
    plural,
    printed_heading,
    prose,
    safe,
    shortened,
)
from pfcore.reporters.review_outcome import (
    CALLER,
    Caller,
    next_step,
    not_looked_at,
    outcome,
)
from pfcore.review.known_verdicts import NOT_YET
from pfcore.review.review import PaperReport, Report

_MOST = 25
"""The limit for every list, because GitHub limits the length of a comment."""
_BY_COMMAND = "pf dismiss {id} --reason '…'"
_SAID = "not read: "
_LATEX = Style(ascii=True)
"""Titles as LaTeX, whose formulas GitHub typesets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """How to present findings; `elsewhere` are the ids of findings shown in other places.

    `pointers` are paragraphs that say where, and that list findings shown nowhere in full. `way` is
    what an author types to answer a finding, with {id} for its id; "" means the command.
    `is_beside`: the text is beside the line, which then need not be named. `is_away`: the reader
    has no `pf` at hand, and no `pf` elsewhere knows the readers' objections.
    """

    elsewhere: frozenset[str] = frozenset()
    pointers: tuple[str, ...] = ()
    way: str = ""
    is_beside: bool = False
    is_away: bool = False


_ALONE = Telling()


def check_markdown(report: Report, telling: Telling = _ALONE, caller: Caller = CALLER) -> str:
    """The findings with what depends on them, blocking ones first, and what was not reached.

    The next step is shown as `caller` types it.
    """
    return "\n\n".join(block for block in _blocks(report, telling, caller) if block) + "\n"


def unlooked(report: Report) -> str:
    """A paragraph on what was not looked at; "" if there is nothing."""
    said = not_looked_at(report, is_placed=False)
    return f"**{prose(said[0].upper() + said[1:])}.**" if said else ""


def finding(found: Finding, paper: PaperReport, telling: Telling = _ALONE) -> str:
    """One finding: its result, severity, message and quote, and how to answer it."""
    return "\n\n".join(block for block in _finding(found, paper, telling) if block)


def _blocks(report: Report, telling: Telling, caller: Caller) -> Iterator[str]:
    yield f"### pf-verify: {outcome(report)}"
    yield unlooked(report)
    told = [paper_overview(paper, report, is_brief=is_brief(report)) for paper in report.papers]
    unchanged = unchanged_sentence(told)
    for paper, overview in zip(report.papers, told, strict=True):
        yield from _paper(paper, telling, overview, unchanged)
    yield from telling.pointers
    yield prose(unchanged)
    yield "\n".join(prose(line) for line in readings(report, is_away=telling.is_away))
    if not telling.elsewhere:
        yield _away(report) if telling.is_away else _next(report, caller, leading(told))
    known = contract(report)
    yield f"<sub>Contract `{known[:8]}`, {prose(report.model or '')}</sub>" if known else ""


def _next(report: Report, caller: Caller, main: str) -> str:
    step = next_step(report, caller, main)
    return f"Next: {code(step)}" if step else ""


def _away(report: Report) -> str:
    """The command for more on a check's finding, in any clone; objections are told in full."""
    found = ((item, paper) for paper in report.papers for item in fresh(paper))
    first, paper = next(found, (None, None))
    if first is None or paper is None or first in paper.objections:
        return ""
    return f"Next, in a clone: {code(f'{CALLER.pf} explain {first.id}')}"


def _paper(
    paper: PaperReport, telling: Telling, overview: PaperOverview, unchanged: str
) -> Iterator[str]:
    yield from about(overview, unchanged)
    yield _table(paper)
    new = [item for item in fresh(paper) if item.id not in telling.elsewhere]
    for found in new[:_MOST]:
        yield from _finding(found, paper, telling)
    yield more_findings(new[_MOST:])
    yield _unreached(paper)
    older = [f for f in paper.findings if f.introduced is False and f.dismissed is None]
    yield folded("from before this change", older, [finding_words(f, paper) for f in older])
    answered = [f for f in paper.findings if f.dismissed is not None]
    yield folded("answered by the authors", answered, [f.dismissed or "" for f in answered])


def about(found: PaperOverview, unchanged: str = "") -> Iterator[str]:
    """A paper's overview, and the effect of a change; `unchanged` says it for several papers."""
    root = "" if found.title == found.root else f" · {code(found.root)}"
    yield f"**{prose(found.title)}**{root}, {plural(found.files, 'file')}"
    yield from map(prose, told_paragraphs(found))
    yield prose(change_sentence(found, unchanged))


def fresh(paper: PaperReport) -> list[Finding]:
    """The findings that get a paragraph each: new, not answered, more than notes.

    A note that stands for many findings gets one, and so do all if notes make a review fail.
    """
    return [
        item
        for item in paper.findings
        if item.dismissed is None
        and item.introduced is not False
        and (paper.is_loud(item) or item.alike)
    ]


def _table(paper: PaperReport) -> str:
    shown = paper.plan.affected[:_MOST]
    if not shown:
        return ""
    modules = paper.state.document.modules
    rows = ["| | Result | Status | Why |", "|---|---|---|---|"]
    rows += [
        f"| {standing(paper, item.id).glyph} | {titled(modules[item.id], paper)} "
        f"| {standing(paper, item.id).words} | {prose(reasons_told(item, paper)[0])} |"
        for item in shown
    ]
    hidden = len(paper.plan.affected) - len(shown)
    return "\n".join(rows) + (f"\n\n… and {hidden:,} more." if hidden else "")


def titled(module: Module, paper: PaperReport) -> str:
    """The name of a result, with the formulas of its title typeset."""
    return printed_heading(shortened(module_name(module, paper, _LATEX), 120))


def _finding(found: Finding, paper: PaperReport, telling: Telling) -> Iterator[str]:
    module = paper.state.document.modules.get(found.module or "")
    is_read = found in paper.objections
    parts = [f"**{titled(module, paper)}**"] if module else []
    name = found.id if found.id.isalnum() else escaped(safe(found.id))  # ids in a ledger may be odd
    parts += [f"{found.severity.value}: {prose(found.rule)}", f"`{name}`"]
    parts += [f"{found.votes} of {plural(found.rollouts, 'reading')}"] if is_read else []
    parts += [] if telling.is_beside else [code(place_of(found))]
    yield " · ".join(parts)
    yield paragraphs(finding_words(found, paper))
    words = likeness_words(found)
    end = f" *({words})*" if words else ""
    yield f"> {prose(found.quote)}{end}" if found.quote or words else ""
    modules = paper.state.document.modules
    leaning = [titled(modules[name], paper) for name in users(paper, found.module or "")[:4]]
    if leaning and is_read:
        yield f"Depends on it: {', '.join(leaning)}."
    if found.reason:
        yield f"<details><summary>Why</summary>\n\n{paragraphs(found.reason)}\n\n</details>"
    if found.rule in NEVER:
        yield f"<sub>{unanswerable(found.rule)}</sub>"
        return
    way = telling.way or (_BY_COMMAND if is_read and not telling.is_away else IN_SOURCE)
    if not (found.alike and way == IN_SOURCE):  # a comment in one place does not answer the others
        yield f"<sub>Wrong? `{way.format(id=name)}`</sub>"


def _unreached(paper: PaperReport) -> str:
    """The proofs that were not read, which must not look like a pass."""
    if paper.sheet is None or not paper.unreached:
        return ""
    reasons = Counter(item.reason for item in paper.unreached).most_common(4)
    listed = "; ".join(f"{number:,}: {prose(reason)}" for reason, number in reasons)
    if len(reasons) == 1:
        listed = "" if reasons[0][0] == NOT_YET else prose(reasons[0][0].removeprefix(_SAID))
    why = f" ({listed})" if listed else ""
    return f"Not read: {plural(len(paper.unreached), 'result')}{why}."


def more_findings(left: Sequence[Finding]) -> str:
    """A line that counts the findings not listed; "" if there are none."""
    return f"… and {plural(number_of(left), 'more finding')}." if left else ""


def folded(title: str, findings: Sequence[Finding], words: Sequence[str]) -> str:
    """A folded list of findings, each with its text."""
    if not findings:
        return ""
    listed = zip(findings[:_MOST], words, strict=False)
    lines = [f"- {code(place_of(item))} `{item.id}` {prose(text)}" for item, text in listed]
    hidden = number_of(findings[_MOST:])
    lines += [f"- … and {hidden:,} more"] if hidden else []
    summary = f"{plural(number_of(findings), 'finding')} {title}"
    return "\n".join([f"<details><summary>{summary}</summary>", "", *lines, "", "</details>"])
