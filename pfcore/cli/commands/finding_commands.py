"""`pf explain`, `pf dismiss`, `pf recheck`: one finding, one module."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from pfcore.checks.registry import ALL
from pfcore.checks.suppressions import NEVER, UNUSED, unanswerable
from pfcore.cli.command_parser import meant
from pfcore.cli.commands.check_command import status
from pfcore.cli.commands.explain_rule import find_rule, rule_text
from pfcore.cli.environment import chosen, is_guarded, run_review
from pfcore.cli.exit_status import pf_command
from pfcore.cli.local_data import desk, open_replies
from pfcore.cli.options import ReviewOptions
from pfcore.cli.pricing import budget, run_cap
from pfcore.cli.progress import Progress
from pfcore.cli.write_ledger import dismiss as record
from pfcore.domain.errors import AmbiguousNameError, PfError, UsageError
from pfcore.domain.findings import is_blank
from pfcore.domain.paper_settings import LEDGER_NAME
from pfcore.domain.values import Finding
from pfcore.reporters.module_names import module_name
from pfcore.reporters.objections import explained, explained_module, explained_unread
from pfcore.reporters.printing import Style, plural, safe
from pfcore.reporters.terminal import id_of_name, known_names, require_unambiguous
from pfcore.repository.git import find_repository
from pfcore.repository.revisions import RevisionOptions
from pfcore.review.bulk_answers import (
    REFUSED,
    BulkScope,
    bulk_dismissals,
    check_dismissal,
    is_bulk,
    require_bulk,
    require_file,
    section_titles,
)
from pfcore.review.gate import open_results
from pfcore.review.located_objections import dismissal
from pfcore.review.reading_session import ReadJob, Work, asked
from pfcore.review.review import PaperReport, Report, every_finding, find_by_id

Show = Callable[[Report], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class DismissOptions:
    """The options of `pf dismiss`: the finding, why it does not apply, and who answers."""

    review: ReviewOptions
    finding: str
    reason: str
    who: str | None


def explain(wanted: ReviewOptions, name: str) -> str:
    """All that is known about the finding with this id, or about the proof of this module.

    Without a chosen revision, also finds ids that only the staged change has: hooks print these.
    """
    asked_for = wanted.revisions
    try:
        return _explained(wanted, name)
    except AmbiguousNameError:
        raise
    except UsageError:
        if asked_for == RevisionOptions(path=asked_for.path):
            with suppress(PfError):
                return _explained(replace(wanted, revisions=replace(asked_for, staged=True)), name)
        raise


def _explained(wanted: ReviewOptions, name: str) -> str:
    style = wanted.output.style
    with _known(wanted, is_displayed=True) as report:
        for paper in report.papers:
            module = id_of_name(paper, name)
            if paper.sheet is not None and module in paper.sheet.tasks:
                return style.finish(explained_module(module, paper, style))
        ids = {
            one
            for paper in report.papers
            for item in paper.findings
            for one in (item.id, *item.aliases)
        }
        for paper in report.papers if name not in ids else ():
            module = id_of_name(paper, name)
            if module in paper.state.document.modules:
                return style.finish(explained_unread(module, paper, style, pf_command()))
        if name not in ids:
            require_unambiguous(report, name)
        known = [check.id for check in ALL]
        known += (one for paper in report.papers for one in paper.state.document.modules)
        where = "pf check --notes lists all findings, pf numbers all results"
        paper, finding = _found(report, name, f"{where}{meant(name, known)}")
        text = style.finish(explained(finding, paper, style, report.before)).rstrip("\n") + "\n"
        rule = None if finding in paper.objections else find_rule(finding.rule)
        return f"{text}\n{rule_text(rule, style)}" if rule else text


def _require_reason(reason: str) -> None:
    """UsageError for a reason without words: one letter, or the '…' of a printed command."""
    letters = "".join(filter(str.isalnum, reason))
    is_word = len(letters) > 1 or not letters.isascii()
    if is_blank(reason) or not is_word:
        raise UsageError("--reason has no words: say why this needs no change")


def dismiss(wanted: DismissOptions) -> str:
    """Answer in the ledger: an objection, a finding of a check, or a missing proof."""
    _require_reason(wanted.reason)
    with _known(wanted.review) as report:
        paper, finding = _found(report, wanted.finding)
        item = paper.sheet.recorded(finding) if paper.sheet else None
        if item is None or paper.sheet is None or finding.module is None:
            _require_answerable(finding)
            answer = check_dismissal(paper.state, finding, reason=wanted.reason, who=wanted.who)
        else:
            answer = dismissal(
                paper.sheet.objections,
                item,
                finding.module,
                reason=wanted.reason,
                who=wanted.who,
            )
        written = record(paper, [answer], wanted.review.revisions.path)
        place = ", ".join(written) or "pf.lock (unchanged)"
        said = f"{finding.id} is answered in {place}: {_placed(finding, paper)}"
    return "\n".join((said, *_to_commit(wanted.review))) + "\n"


def _found(
    report: Report, name: str, otherwise: str = "pf check --notes and pf gate list all"
) -> tuple[PaperReport, Finding]:
    """The finding with this id or earlier id, also one of the gate alone; else UsageError."""
    with suppress(UsageError):
        return find_by_id(report, name)
    for paper in report.papers:
        for finding in (*every_finding(paper), *open_results(paper)):
            if name == finding.id or name in finding.aliases:
                return paper, finding
    return find_by_id(report, name, otherwise)


def _require_answerable(finding: Finding) -> None:
    """UsageError if the ledger cannot answer a finding of a check; the message says what can."""
    rule = finding.rule
    if rule in NEVER:
        raise UsageError(unanswerable(rule))
    if number := finding.alike or finding.left:
        fails = " and does not fail the gate" if finding.alike else ""
        raise UsageError(
            f"this note is about {number:,} findings{fails}; {pf_command()} gate -v lists those "
            "that fail the gate, with their ids"
        )
    if finding.dismissed is not None:
        raise UsageError(f"{finding.id} is already answered: {finding.dismissed}")
    if not is_bulk(rule):
        where = f"{finding.location.path}:{finding.location.line}"
        way = f'; or at {where}, write "% pf: ignore[{finding.id}] reason"'
        is_comment = rule == UNUSED.id
        raise UsageError(
            f"pf.lock cannot answer {rule}: {REFUSED[rule]}{'' if is_comment else way}"
        )


def _placed(finding: Finding, paper: PaperReport) -> str:
    """Where a finding is, and in which result."""
    module = paper.state.document.modules.get(finding.module or "")
    name = f" {module_name(module, paper, Style())}" if module else ""
    return f"{safe(finding.location.path)}:{finding.location.line}{name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkOptions:
    """The options of `pf dismiss --rule`: the findings, one reason for all, and who gives it."""

    review: ReviewOptions
    scope: BulkScope
    reason: str
    who: str | None


_LISTED = 10
"""The most findings whose places are printed; the others are counted."""


def dismiss_in_bulk(wanted: BulkOptions) -> str:
    """Answer all findings of some checks in the ledger, and say how many and where."""
    from pfcore.checks.registry import ALL

    scope = wanted.scope
    _require_reason(wanted.reason)
    require_bulk(scope, {check.id for check in ALL})
    said: list[str] = []
    with _known(wanted.review) as report:
        _require_section(report, scope)
        require_file([paper.state.paper for paper in report.papers], scope.file)
        for paper in report.papers:
            known = {item.id: item for item in (*open_results(paper), *every_finding(paper))}
            found = bulk_dismissals(
                paper.state, known.values(), scope, reason=wanted.reason, who=wanted.who
            )
            if found:
                record(paper, found, wanted.review.revisions.path)
                some = plural(len(found), "finding of", "findings of")
                listed = ", ".join(scope.rules)
                place = paper.state.paper.settings.ledger
                said.append(f"{some} {listed} answered in {safe(place)}: {safe(wanted.reason)}")
                places = [_placed(known[item.finding], paper) for item in found]
                said += [f"  {where}" for where in places[:_LISTED]]
                more = len(places) - _LISTED
                said += [f"  … and {more:,} more"] if more > 0 else []
    if not said:
        raise UsageError(f"found no unanswered finding of {', '.join(scope.rules)}")
    return "\n".join((*said, *_to_commit(wanted.review))) + "\n"


def _to_commit(review: ReviewOptions) -> Iterator[str]:
    """The steps after an answer: commit the ledger, with `git add -f` if git ignores it."""
    repository = find_repository(review.revisions.path)
    yield "commit this change: the gate judges only committed files"
    if repository is not None and repository.is_ignored(LEDGER_NAME):
        yield f"git ignores {LEDGER_NAME}: add it with git add -f {LEDGER_NAME}"


def _require_section(report: Report, scope: BulkScope) -> None:
    if scope.section is None:
        return
    titles = [title for paper in report.papers for title in section_titles(paper.state.paper)]
    wanted = " ".join(scope.section.split()).casefold()
    if wanted not in {" ".join(title.split()).casefold() for title in titles}:
        listed = "; ".join(dict.fromkeys(titles)) or "none"
        raise UsageError(f"unknown section '{scope.section}'; expected one of: {listed}")


def recheck(wanted: ReviewOptions, module: str, show: Show) -> int:
    """Read one module again, whatever verdict it has."""
    reader, output = wanted.reader, wanted.output
    choice = chosen(reader)
    if choice is None:
        raise UsageError("pf recheck needs --model NAME")
    with open_replies() as store:
        own = desk(reader, choice, store, is_ci=is_guarded(wanted.revisions))
        silent = output.style.is_quiet
        with run_review(wanted.revisions, own, paper=wanted.paper, is_quiet=silent) as report:
            paper, module = _paper(report, module)
            sheet = paper.sheet
            if sheet is None or module not in sheet.tasks:
                raise UsageError(f"no proof to read: {module}")
            job = ReadJob(task=sheet.tasks[module], knowledge=sheet.knowledge, is_recheck=True)
            settings = paper.state.paper.settings
            cap = run_cap(reader.budget, choice, settings, paper.state.paper.name)
            work = Work(jobs=[job], budget=budget(cap, choice, settings, store, time.time()))
            is_shown = output.format == "text"
            progress = Progress(total=1, style=output.style, is_shown=is_shown)
            done = asked(report, own, [work], store, progress)
            show(done)
            return status(done, [job]) or (3 if progress.failures else 0)


@contextmanager
def _known(wanted: ReviewOptions, *, is_displayed: bool = False) -> Iterator[Report]:
    """The review with what store and ledger know; no model is asked."""
    choice = chosen(wanted.reader, is_asked=False)
    if choice is None:
        with run_review(wanted.revisions, paper=wanted.paper, is_displayed=is_displayed) as report:
            yield report
        return
    with open_replies() as store:
        own = desk(wanted.reader, choice, store, is_ci=is_guarded(wanted.revisions))
        with run_review(
            wanted.revisions, own, paper=wanted.paper, is_displayed=is_displayed
        ) as report:
            yield report


def _paper(report: Report, name: str) -> tuple[PaperReport, str]:
    """The paper that has a result, and the result's id."""
    for paper in report.papers:
        module = id_of_name(paper, name)
        if module in paper.state.document.modules:
            return paper, module
    require_unambiguous(report, name)
    known = [name for paper in report.papers for name in known_names(paper)]
    hint = meant(name, known) or "; pf graph --format json lists all"
    raise UsageError(f"unknown result '{name}'{hint}")
