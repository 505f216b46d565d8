"""`pf check` with a model: the plan and its price, the calls, the findings.

`pf plan` with a model: what is unread, and what reading it would cost; no model is asked.
"""

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import NamedTuple

from pfcore.cli.environment import ReaderOptions, is_guarded, is_whole, run_review
from pfcore.cli.exit_status import say
from pfcore.cli.local_data import desk, open_replies
from pfcore.cli.options import CheckOptions, OutputOptions, ReviewOptions, caller_of
from pfcore.cli.pricing import Offer, Priced, budget, priced, run_cap
from pfcore.cli.progress import Progress
from pfcore.cli.write_ledger import update_lock
from pfcore.domain.errors import IncompleteError
from pfcore.llm.engine.budget import Budget
from pfcore.llm.model_settings import ModelChoice, require_key
from pfcore.llm.store.reply_store import ReplyStore
from pfcore.reporters import terminal
from pfcore.reporters.formats import json_report
from pfcore.reporters.printing import Style
from pfcore.review.reading_session import ReadJob, Work, asked, deep_jobs, unread_jobs
from pfcore.review.review import PaperReport, Report, refreshed
from pfcore.review.unseen import exit_status, is_incomplete
from pfcore.review.verification_setup import VerificationSetup
from pfcore.verification.estimate import CostEstimate

Show = Callable[[Report], None]


def check_with_model(wanted: CheckOptions, choice: ModelChoice, show: Show) -> int:
    """Review with a model; status 1 for blocking findings, 3 if a requested proof stays unread.

    Offline, only stored replies count, and no model is asked.
    """
    review, revisions = wanted.review, wanted.review.revisions
    with open_replies() as store:
        own = desk(review.reader, choice, store, is_ci=is_guarded(revisions))
        look = partial(run_review, is_displayed=True, is_quiet=review.output.style.is_quiet)
        with look(revisions, own, paper=review.paper) as report:
            run = CheckSession(
                reader=review.reader, output=review.output, choice=choice, desk=own, store=store
            )
            done, jobs = run.read(report, whole=is_whole(revisions))
            show(done)
            if wanted.is_recorded:
                update_lock(done, revisions.path)
            return status(done, jobs)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSession:
    """Reads unread proofs, after showing the price."""

    reader: ReaderOptions
    output: OutputOptions
    choice: ModelChoice
    desk: VerificationSetup
    store: ReplyStore

    def read(self, report: Report, *, whole: bool) -> tuple[Report, list[ReadJob]]:
        """The review with the new readings, and all requested jobs; `whole`: with the backlog."""
        if self.reader.is_offline:
            return replace(report, is_offline=True), []
        works: list[Work] = []
        every: list[ReadJob] = []
        shared: Budget | None = None
        for paper in report.papers:
            found = unread_jobs(paper, whole=whole, is_retried=self.reader.is_retried)
            every += found
            jobs = [job for job in found if not job.answered]
            settings, name = paper.state.paper.settings, paper.state.paper.name
            cap = run_cap(self.reader.budget, self.choice, settings, name) if jobs else None
            if cap is not None:
                spend = shared or budget(
                    cap,
                    self.choice,
                    settings,
                    self.store,
                    time.time(),
                    elsewhere=self.reader.elsewhere,
                )
                shared = spend if self.reader.budget else None
                works.append(Work(jobs=jobs, budget=spend))
        answered = {job.task.context: job.answered for job in every if job.answered}
        price, style = priced(every, self.choice), self.output.style
        if not works:
            if not answered:
                return report, []
            if self.output.format == "text":
                sys.stderr.write(style.finish([price.sentence()]))
            return refreshed(report, replace(self.desk, failures=answered)), every
        require_key(self.choice.connection)
        jobs = [job for work in works for job in work.jobs]
        reading = report.papers[0].state.paper.settings.reading
        budgets = {id(work.budget): work.budget.dollars for work in works}.values()
        allowed = sum(inf if dollars is None else dollars for dollars in budgets)
        plan = partial(_plan, report, price, self.output)
        agree(self.reader, Limit(reading.ask_above, allowed), price, style, plan)
        is_shown = self.output.format == "text"
        progress = Progress(total=len(jobs), style=style, is_shown=is_shown, failures=answered)
        return asked(report, self.desk, works, self.store, progress), every


def status(report: Report, jobs: Sequence[ReadJob]) -> int:
    """1 for blocking findings, else 3 if a module that was to be read has no verdict."""
    known = exit_status(report)
    if known:
        return known
    wanted = {job.task.context for job in jobs}
    unread = any(
        paper.sheet.tasks[name].context in wanted
        for paper in report.papers
        if paper.sheet is not None
        for name in paper.sheet.unread()
        if name in paper.sheet.tasks
    )
    return 3 if unread else 0


def _plan(
    report: Report,
    price: Priced,
    output: OutputOptions,
    *,
    is_deep: bool = False,
    why: Iterable[tuple[PaperReport, str]] = (),
    backlog: Priced | None = None,
) -> str:
    """The plan; `backlog` is the price of all unread proofs, if only some are requested."""
    if output.format == "json":
        return json_report.plan_json(report, price.numbers(), is_deep=is_deep, why=why)
    said = price.sentence()
    if report.is_offline:
        said = "--offline asks no model: nothing will be read, so nothing is spent."
    elif backlog is not None and backlog.modules and not (price.modules or price.answered):
        said = f"No change affects an unread proof. With --all: {backlog.sentence()}"
    return terminal.plan_text(report, output.style, [said], is_deep=is_deep)


class Limit(NamedTuple):
    """The likely cost above which to ask, and the highest cost allowed, in dollars."""

    ask_above: float
    budget: float


def agree(
    reader: ReaderOptions,
    limit: Limit,
    price: Offer,
    style: Style,
    plan: Callable[[], str],
) -> None:
    """Print the work and its price; if it is costly, ask, or refuse and print the plan.

    The budget limits the spending anyway; this is about the likely cost. Without a terminal, a
    budget on the command line is consent to a run that it allows.
    """
    sys.stderr.write(style.finish([price.sentence()]))
    dollars = price.likely_dollars or 0.0
    if reader.is_agreed or dollars <= limit.ask_above:
        return
    if sys.stdin.isatty() and sys.stderr.isatty():
        sys.stderr.write("Continue? [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            return
        raise IncompleteError("cancelled")
    if dollars > limit.budget:
        sys.stdout.write(plan())
        message = f"estimated cost exceeds the ${limit.budget:.2f} limit"
        raise IncompleteError(f"{message}. --yes reads up to that limit")
    if reader.budget is None:
        sys.stdout.write(plan())
        above = f"likely cost is above ${limit.ask_above:.2f}"
        raise IncompleteError(f"{above}; without a terminal, confirm with --yes or --budget")


def print_plan(
    wanted: ReviewOptions,
    choice: ModelChoice,
    *,
    is_deep: bool,
    find: Callable[[Report], list[tuple[PaperReport, str]]],
    is_why: bool = False,
) -> int:
    """Print the plan with its price, as text or JSON; 3 if a part could not be looked at.

    `is_deep`: include proofs that know a changed definition only by name. `find` gives the modules
    of `--why`; `is_why`: in text, print only these.
    """
    revisions = wanted.revisions
    with open_replies() as store:
        own = desk(wanted.reader, choice, store, is_ci=is_guarded(revisions))
        with run_review(revisions, own, paper=wanted.paper, is_displayed=True) as report:
            if is_why:
                style = wanted.output.style
                tell = partial(terminal.why, style=style, caller=caller_of(wanted))
                say("\n".join(tell(paper, name) for paper, name in find(report)))
                return 3 if is_incomplete(report) else 0
            report = replace(report, is_offline=wanted.reader.is_offline)  # noqa: PLW2901 - the same review
            of_whole = partial(unread_jobs, is_retried=wanted.reader.is_retried)
            whole = is_whole(revisions)
            jobs = [job for paper in report.papers for job in of_whole(paper, whole=whole)]
            known = {id(job.knowledge): set[str]() for job in jobs}
            for job in jobs:
                known[id(job.knowledge)].add(job.task.module)
            for paper in report.papers if is_deep else ():
                jobs += (
                    job
                    for job in deep_jobs(paper)
                    if job.task.module not in known.get(id(job.knowledge), ())
                )
            price, why = priced(jobs, choice), find(report)
            every = [job for paper in report.papers for job in of_whole(paper, whole=True)]
            rest = priced(every, choice)
            if report.is_offline:
                price = replace(price, most=CostEstimate())
            say(_plan(report, price, wanted.output, is_deep=is_deep, why=why, backlog=rest))
            return 3 if is_incomplete(report) else 0
