"""What a person sees of reading: objections with their votes, unread proofs, the cost.

Also the measured rates of a contract on planted errors, as reports quote them, and for `pf explain`
all that is known of a finding, or of a module and its readers' questions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from shlex import quote
from typing import TYPE_CHECKING

from pfcore.domain.errors import SourceError
from pfcore.domain.values import Finding, Location, Role
from pfcore.graph.context import members
from pfcore.graph.laws import is_invocation
from pfcore.graph.rendering import render
from pfcore.ledger.measurement import MeasuredContract, MeasuredRate, Share, latest
from pfcore.reporters.module_names import finding_words, module_name, standing, standing_words
from pfcore.reporters.printing import Style, excerpt, plural, quote_line, safe
from pfcore.reporters.review_outcome import loud, readers_words
from pfcore.review.review import PaperReport, Report

if TYPE_CHECKING:
    from pfcore.llm.engine.action import UsageTally
    from pfcore.reporters.review_outcome import Caller
    from pfcore.review.paper_verdicts import PaperVerdicts

NOT_READ = "Only the structure was checked. To have all proofs read: pf check --all --model NAME"
UNREAD = "Only the structure was checked; the proofs were not read."
"""The same for readers without a `pf` at hand."""
IN_SOURCE = "% pf: ignore[{id}] …"
"""An answer to a finding that works without `pf`."""
_LEDGER = "No model is set; verdicts on proofs are those recorded in pf.lock."
QUIET = "Readers see only the text shown to them and can be wrong; silence is not a proof."
_MOST = 20
_ALONE = 3
"""How many proofs not read for the same reason are named; more are counted."""
_USERS = 4
_RESULTS = frozenset({Role.RESULT, Role.OPEN})


def objection(finding: Finding, paper: PaperReport, style: Style) -> Iterator[str]:
    """One objection: place, severity, votes; the message; what depends on it."""
    word = style.paint(finding.severity.value, finding.severity.value)
    votes = f"{finding.votes} of {plural(finding.rollouts, 'reading')}"
    module = paper.state.document.modules.get(finding.module or "")
    name = f"  {module_name(module, paper, style)}" if module else ""
    where = place(finding.location, paper, style)
    yield f"  {word}  {where}{name}  [{finding.rule} {finding.id}]  {votes}"
    yield f"      {safe(finding.message)}"
    yield from quotation(finding, paper, style)
    leaning = users(paper, finding.module or "")
    if leaning:
        more = f" and {len(leaning) - _USERS} more" if len(leaning) > _USERS else ""
        listed = ", ".join(safe(name) for name in leaning[:_USERS])
        yield f"      {listed}{more} {'depend' if len(leaning) > 1 else 'depends'} on it."
    if finding.reopened is not None:
        yield (
            f"      Answered earlier, but what it depends on has changed: {safe(finding.reopened)}"
        )
    yield ""


def place(where: Location, paper: PaperReport, style: Style) -> str:
    """`path:line:column` of a paper, linked if the file on disk is the one that was read."""
    return style.place(where, paper.state.paper.snapshot.root, has_column=True)


def quotation(finding: Finding, paper: PaperReport, style: Style) -> Iterator[str]:
    """The source line with a mark below the passage; the quote, if it says more."""
    lines, is_all = _excerpt(finding, paper, style)
    yield from lines
    if not is_all and (quote := quote_line(finding, style.room(8))):
        yield style.paint(f"      > {quote}", "dim")


def _excerpt(finding: Finding, paper: PaperReport, style: Style) -> tuple[list[str], bool]:
    """The excerpt; none if a reader did not quote exactly, or the file was not read."""
    if finding.likeness != 1 or finding.left:
        return [], False
    try:
        source = paper.state.paper.source(finding.location.path)
    except SourceError:
        return [], False
    return excerpt(finding, source, style)


def users(paper: PaperReport, name: str) -> list[str]:
    """The results that invoke a module."""
    document = paper.state.document
    return list(
        dict.fromkeys(
            edge.source
            for edge in document.edges
            if edge.target == name
            and edge.source != name
            and is_invocation(edge, document)
            and document.modules[edge.source].role is Role.RESULT
        )
    )


def failed(paper: PaperReport) -> dict[str, str]:
    """The proofs that a change affects, or a run tried, and that were not read; with reasons."""
    sheet = paper.sheet
    if sheet is None or sheet.knowledge.asking is None:
        return {}
    tried = sheet.knowledge.failures
    return {
        name: reason
        for name, reason in sheet.unread().items()
        if name in paper.plan.under_review
        or name not in sheet.tasks
        or sheet.tasks[name].context in tried
    }


def unread(paper: PaperReport, style: Style) -> Iterator[str]:
    """The proofs that a run should have read, with reasons; and invalid lines of the ledger."""
    sheet = paper.sheet
    if sheet is None:
        return
    for problem in sheet.problems[:_MOST]:
        ledger = paper.state.paper.settings.ledger
        root = paper.state.paper.snapshot.root
        where = style.linked(f"{safe(ledger)}:{problem.line}", ledger, root)
        yield f"  {style.paint('warning', 'warning')}  {where}  {safe(problem.message)}"
    if sheet.uncounted:
        is_one = sheet.uncounted == 1
        counts = "does not count until it is" if is_one else "do not count until they are"
        yield f"  {plural(sheet.uncounted, 'line')} of pf.lock {counts} on the base branch."
    listed = failed(paper)
    yield from _unread_groups(listed, paper, sheet, style)
    if listed:
        yield ""


def _unread_groups(
    listed: Mapping[str, str], paper: PaperReport, sheet: PaperVerdicts, style: Style
) -> Iterator[str]:
    """The unread proofs, by reason: a few by name, many by their number."""
    from pfcore.review.known_verdicts import STOPPED  # late: a check without a model

    groups: dict[str, list[str]] = {}
    for name, reason in listed.items():
        groups.setdefault(reason.removeprefix(STOPPED), []).append(name)
    for reason, names in list(groups.items())[:_MOST]:
        if len(names) > _ALONE:
            first = ", ".join(safe(name) for name in names[:_ALONE])
            said = f"{plural(len(names), 'proof')} ({first} and {len(names) - _ALONE:,} more)"
            untried = untried_words(sum(listed[name] != reason for name in names))
            yield from style.wrap(f"  not read: {said}: {safe(reason)}{untried}", indent=6)
            continue
        for name in names:
            yield f"  not read: {safe(name)} ({safe(listed[name])})"
            for key in sheet.asked_in_vain(name):
                if note := _uncited(key, name, paper, style):
                    yield f"    {note}"
    if more := sum(len(names) for _, names in list(groups.items())[_MOST:]):
        yield f"  … and {more:,} more, for other reasons"


def untried_words(number: int) -> str:
    """How many proofs were not started after others had failed in a row; "" if none."""
    from pfcore.review.known_verdicts import MOST_ALIKE

    return f" ({number:,} not tried, after {MOST_ALIKE} in a row)" if number else ""


def unread_hints(report: Report, caller: Caller) -> Iterator[str]:
    """Commands to try if proofs were unread for other reasons than a budget or their text."""
    if report.model is None:
        return
    from pfcore.review.known_verdicts import NOT_YET, OWN_REASONS  # late: as above

    lost = [
        (sheet, name)
        for paper in report.papers
        if (sheet := paper.sheet) is not None
        for name, reason in failed(paper).items()
        if name in sheet.tasks
        and reason != NOT_YET
        and not any(own in reason for own in OWN_REASONS)
    ]
    if lost:
        yield f"  to test the model: {caller.pf} doctor --model={quote(report.model)}"
    if any(sheet.is_answered(name) for sheet, name in lost):
        command = f"{caller.pf} check{caller.moment}{caller.reader} --retry"
        yield f"  to ask again where stored replies give no verdict: {command}"
    if lost:
        yield ""


def readings(
    report: Report, *, whole: str = "pf check --all", is_away: bool = False
) -> Iterator[str]:
    """The models that read, the cost, and what is left.

    `whole` is the command that reads everything, "" if this was it. `is_away`: the reader has no
    `pf` at hand.
    """
    sheets = [paper.sheet for paper in report.papers if paper.sheet is not None]
    if not sheets:
        yield UNREAD if is_away else NOT_READ
        return
    known = sum(len(sheet.readings) - len(sheet.unread()) for sheet in sheets)
    left = sum(len(sheet.unread()) for sheet in sheets)
    if report.model is None:
        number = f"{plural(known, 'proof')} read, {left:,} not"
        yield f"{_LEDGER} {number if known or left else 'No proof to read'}."
    else:
        backlog = sum(paper.plan.backlog for paper in report.papers)
        how = f" ({whole})" if whole and not is_away else ""
        never = f"{'is' if backlog == 1 else 'are'} not read{how}."
        is_all_left = not known and left == backlog
        if report.spent is None and backlog and is_all_left and not report.is_offline:
            unused = f"{safe(report.model)} was not used: no change affects a proof."
            yield f"{unused} {plural(backlog, 'proof')} {never}"
        else:
            said = price(report.model, report.spent)
            when = " before" if report.spent is None and known else ""
            yield f"{said} {plural(known, 'proof')} of {known + left:,} read{when}."
            if backlog and not is_all_left:
                yield f"{plural(backlog, 'other proof')} {never}"
    if report.model is not None and any(loud(paper) for paper in report.papers):
        by = readers_words(report)  # otherwise the outcome says so
        yield from [f"Accepted by {by}."] if "(" in by else []
    yield from quoted(report)
    yield QUIET


def form_words(sheets: Iterable[PaperVerdicts]) -> Iterator[str]:
    """The canonical forms of the contexts that readers saw."""
    found = Counter(form for sheet in sheets for form in sheet.forms().elements())
    if len(found) == 1:
        yield f"The readers were given contexts in format {safe(next(iter(found)))}."
    elif found:
        listed = [f"{number:,} in {safe(form)}" for form, number in sorted(found.items())]
        yield f"The readers were given contexts in several formats: {', '.join(listed)}."


def price(model: str, spent: UsageTally | None) -> str:
    """The model, the number of calls, and the cost."""
    name = safe(model)
    if spent is None:
        return f"{name} was not used."
    minutes, seconds = divmod(round(spent.seconds), 60)
    took = f"{minutes}m{seconds:02}s" if minutes else f"{seconds}s"
    parts = [plural(spent.calls, "call"), f"${spent.cost:.2f}", took]
    if unpaid := spent.unanswered:
        parts.insert(1, f"{plural(unpaid, 'request')} without a reply")
    if spent.unkept:
        parts.append(f"{plural(spent.unkept, 'reply', 'replies')} cannot be stored")
    return f"{name}: {', '.join(parts)}."


def quoted(report: Report) -> Iterator[str]:
    """A sentence for each paper whose contract was measured with the current number of votes."""
    for paper in report.papers:
        found = measured(paper)
        if found is not None:
            name = f"{safe(paper.state.paper.name)}: " if len(report.papers) > 1 else ""
            yield name + sentence(*found)


def measured(paper: PaperReport) -> tuple[MeasuredContract, MeasuredRate] | None:
    """The measurements on record of a paper's contract and settings."""
    sheet = paper.sheet
    if sheet is None or sheet.knowledge.judging.progressive:
        return None
    judging = sheet.knowledge.judging
    found = latest(
        sheet.knowledge.ledger.measured,
        contract=_contract(sheet),
        paper=paper.state.paper.name,
        rollouts=judging.rollouts,
        min_votes=judging.min_votes,
    )
    rate = found.at(judging.rollouts, judging.min_votes) if found else None
    return (found, rate) if found and rate else None


def sentence(found: MeasuredContract, rate: MeasuredRate) -> str:
    """What was measured, on how much, with which model, and when."""
    how = "Simulated (no model was used)" if found.simulated else "Measured"
    said = (
        f"{how}: of {plural(found.errors, 'planted error')} in this paper ({safe(found.model)}, "
        f"{found.day}; {plural(rate.rollouts, 'reading')}, {plural(rate.min_votes, 'vote')}), "
        f"{_share(rate.recall)} were found; {_share(rate.flagged)} of "
        f"{plural(found.proofs, 'unchanged proof')} drew an objection"
    )
    if rate.precision is None:
        return f"{said}."
    return f"{said}; {_share(rate.precision)} of the objections concerned planted errors."


def _share(share: Share) -> str:
    value, low, high = (round(number / 10) for number in share)
    return f"{value} % (95 % interval {low}–{high} %)"


def _contract(sheet: PaperVerdicts) -> str:
    """The current contract; without a model the one under which the whole record was read."""
    if sheet.knowledge.asking is not None:
        return sheet.knowledge.contract
    contracts = {asked.contract for asked in sheet.knowledge.ledger.entries}
    return contracts.pop() if len(contracts) == 1 else ""


def explained(
    finding: Finding, paper: PaperReport, style: Style, before: str | None
) -> Iterator[str]:
    """The objection, its reason, what the readers saw, and how to answer it.

    `before` is the revision with which the paper is compared, if any.
    """
    is_read = finding in paper.objections
    if is_read:
        yield from objection(finding, paper, style)
    else:
        word = style.paint(finding.severity.value, finding.severity.value)
        where = place(finding.location, paper, style)
        yield f"  {word}  {where}  [{finding.rule} {finding.id}]"
        yield f"      {safe(finding_words(finding, paper))}"
        yield from quotation(finding, paper, style)
        yield ""
    yield from _origin(finding, before)
    if finding.reason:
        yield "Why:"
        yield from (f"  {safe(line)}" for line in finding.reason.splitlines() if line.strip())
        yield ""
    if finding.dismissed is not None:
        yield f"Answered: {safe(finding.dismissed)}"
    elif is_read:
        yield f"Wrong? pf dismiss {finding.id} --reason '…', or in the source:"
        yield f"  % pf: ignore[{finding.id}] reason"
    if is_read and finding.module is not None:
        yield ""
        yield from _reading(finding.module, paper, style)


def explained_module(name: str, paper: PaperReport, style: Style) -> Iterator[str]:
    """A module that was read: its status, what the readers saw, asked for, and used."""
    module = paper.state.document.modules[name]
    yield f"{safe(name)}  {module_name(module, paper, style)}"
    yield f"status: {standing_words(paper, name)}"
    reason = paper.sheet.unread().get(name) if paper.sheet else None
    if reason:
        yield f"not read: {safe(reason)}"
    elif paper.sheet is not None:
        yield from _readings_of(name, paper.sheet)
    yield ""
    yield from _reading(name, paper, style)


def _readings_of(name: str, sheet: PaperVerdicts) -> Iterator[str]:
    """How many readings had no objection to a module, and when the last one was."""
    from pfcore.ledger.ledger import LedgerEntry

    found = sheet.readings[name]
    if isinstance(found, LedgerEntry):
        without = found.rollouts - found.objecting.total
        last = sheet.knowledge.last_reply(sheet.tasks[name])
        when = "recorded in pf.lock" if last is None else f"the last on {_day(last)}"
        yield f"readings: {without} of {found.rollouts} without an objection, {when}"


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def explained_unread(name: str, paper: PaperReport, style: Style, pf: str) -> Iterator[str]:
    """A module that no model was asked about; `pf` is the command as typed here."""
    module = paper.state.document.modules[name]
    yield f"{safe(name)}  {module_name(module, paper, style)}"
    yield f"status: {standing(paper, name).words}"
    yield ""
    if module.is_claim and module.proofs:
        yield "What a reader would see:"
        text = render(paper.state.document, name, paper.state.paper.texts)
        yield from (f"  {safe(line)}" for line in text.splitlines())
        yield ""
    yield f"What it depends on, and why: {pf} plan --why {quote(name)}"


def _reading(module: str, paper: PaperReport, style: Style) -> Iterator[str]:
    """The context of a module, its readers' questions, and what their verdicts depend on."""
    yield "What the readers saw:"
    text = render(paper.state.document, module, paper.state.paper.texts)
    yield from (f"  {safe(line)}" for line in text.splitlines())
    yield from asked_and_used(module, paper, style)


def asked_and_used(module: str, paper: PaperReport, style: Style) -> Iterator[str]:
    """Its readers' questions beyond the context, and what their verdicts depend on."""
    yield from _supplied(module, paper, style)
    yield from _used(module, paper)


def _used(module: str, paper: PaperReport) -> Iterator[str]:
    sheet = paper.sheet
    task = sheet.tasks.get(module) if sheet else None
    if sheet is None or task is None:
        return
    used = sheet.knowledge.entries_used(task)
    if used:
        yield ""
        yield "The readers say that their verdicts depend on:"
        for entry, number in used.most_common():
            yield f"  {safe(entry)}  {number} of {sheet.knowledge.judging.rollouts}"


def _uncited(key: str, name: str, paper: PaperReport, style: Style) -> str:
    """Says that a key names a result of the paper that the proof does not cite; else ""."""
    document = paper.state.document
    inside = members(document, name)
    wanted = " ".join(key.split()).casefold()
    for module in document.modules.values():
        shown = module_name(module, paper, style)
        names = {shown, shown.partition(" (")[0], module.title, *module.labels}
        is_result = module.role in _RESULTS and module.id != name and module.id not in inside
        if is_result and wanted in {one.casefold() for one in names if one}:
            where, root = module.statement.location, paper.state.paper.snapshot.root
            return (
                f"{shown} is in the paper, {style.place(where, root)}; "
                f"the proof of {safe(name)} does not cite it"
            )
    return ""


def _supplied(module: str, paper: PaperReport, style: Style) -> Iterator[str]:
    """The readers' questions beyond the context of a module, with the answers."""
    sheet = paper.sheet
    found = sheet.readings.get(module) if sheet else None
    if sheet is None or found is None or not found.trace:
        return
    yield ""
    yield "What the readers asked for, and the answers:"
    for key in dict.fromkeys(item.key for item in found.trace):
        nothing = _uncited(key, module, paper, style) or "(the paper does not explain it)"
        lines = sheet.tasks[module].answer(key).splitlines() or [nothing]
        yield f"  {safe(key)}"
        yield from (f"    {safe(line)}" for line in lines if line.strip())


def _origin(finding: Finding, before: str | None) -> Iterator[str]:
    if finding.introduced is not None and before is not None:
        base = safe(before)
        yield f"New since {base}." if finding.introduced else f"Older: {base} has it too."
    if finding.aliases:
        yield f"Earlier id: {', '.join(sorted(finding.aliases))}."
