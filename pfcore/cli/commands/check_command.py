"""`pf check` with a model: the plan and its price, the calls, the findings.

`pf plan` with a model: what is unread, and what reading it would cost; nobody is asked.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import NamedTuple

from pfcore.cli.environment import is_whole, run_review
from pfcore.cli.exit_status import say
from pfcore.cli.local_data import desk, open_replies
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
from pfcore.review.reading_session import ReadJob, Work, asked, unread_jobs
from pfcore.review.review import Report
from pfcore.review.unseen import exit_status, is_incomplete
from pfcore.review.verification_setup import VerificationSetup

Show = Callable[[Report], None]


def check_with_model(
    arguments: argparse.Namespace, choice: ModelChoice, style: Style, show: Show
) -> int:
    """Review with a model; 1 for what blocks, 3 where something that was asked for is unread."""
    with open_replies() as store:
        own = desk(arguments, choice, store)
        with run_review(arguments, own) as report:
            run = CheckSession(
                arguments=arguments, choice=choice, desk=own, store=store, style=style
            )
            done, jobs = run.read(report, whole=is_whole(arguments))
            show(done)
            if arguments.update_lock:
                update_lock(done, arguments.path)
            return status(done, jobs)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSession:
    """Reads what is unread, once it is said what that costs."""

    arguments: argparse.Namespace
    choice: ModelChoice
    desk: VerificationSetup
    store: ReplyStore
    style: Style

    def read(self, report: Report, *, whole: bool) -> tuple[Report, list[ReadJob]]:
        """The review with what was read, and all that was to be read; `whole`: the backlog, too."""
        works: list[Work] = []
        shared: Budget | None = None
        for paper in report.papers:
            jobs = unread_jobs(paper, whole=whole)
            settings, name = paper.state.paper.settings, paper.state.paper.name
            cap = run_cap(self.arguments.budget, self.choice, settings, name) if jobs else None
            if cap is not None:
                spend = shared or budget(cap, self.choice, settings, self.store, time.time())
                shared = spend if self.arguments.budget else None
                works.append(Work(jobs=jobs, budget=spend))
        if not works:
            return report, []
        require_key(self.choice.connection)
        jobs = [job for work in works for job in work.jobs]
        price = priced(jobs, self.choice)
        reading = report.papers[0].state.paper.settings.reading
        budgets = {id(work.budget): work.budget.dollars for work in works}.values()
        allowed = sum(inf if dollars is None else dollars for dollars in budgets)
        plan = partial(_plan, self.arguments, report, price, self.style)
        agree(self.arguments, Limit(reading.ask_above, allowed), price, self.style, plan)
        is_shown = self.arguments.format == "text"
        progress = Progress(total=len(jobs), style=self.style, is_shown=is_shown)
        return asked(report, self.desk, works, self.store, progress), jobs


def status(report: Report, jobs: Sequence[ReadJob]) -> int:
    """1 for findings that block, else 3 where a module that was to be read has no verdict."""
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


def _plan(arguments: argparse.Namespace, report: Report, price: Priced, style: Style) -> str:
    if arguments.format == "json":
        return json_report.plan_json(report, price.numbers())
    return terminal.plan_text(report, style, [price.sentence()])


class Limit(NamedTuple):
    """Dollars that a run may likely cost unasked, and those that it may cost at all."""

    ask_above: float
    budget: float


def agree(
    arguments: argparse.Namespace,
    limit: Limit,
    price: Offer,
    style: Style,
    plan: Callable[[], str],
) -> None:
    """Say what is to be done and what it costs; ask where it is much, or refuse with the plan.

    The budget keeps what is spent in bounds anyway; here it is about what is likely.
    """
    sys.stderr.write(style.finish([price.sentence()]))
    dollars = price.likely_dollars or 0.0
    if arguments.yes or dollars <= limit.ask_above:
        return
    if sys.stdin.isatty() and sys.stderr.isatty():
        sys.stderr.write("Go on? [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            return
        raise IncompleteError("nothing was read: you said no")
    if dollars <= limit.budget:
        return
    sys.stdout.write(plan())
    message = f"nothing was read: it is likely to cost more than the budget of ${limit.budget:.2f}"
    raise IncompleteError(f"{message}; --yes reads as much as that allows")


def print_plan(arguments: argparse.Namespace, choice: ModelChoice, style: Style) -> int:
    """Say the plan with its price, as text or JSON; 3 where a part could not be looked at."""
    with open_replies() as store, run_review(arguments, desk(arguments, choice, store)) as report:
        jobs = [
            job for paper in report.papers for job in unread_jobs(paper, whole=is_whole(arguments))
        ]
        price = priced(jobs, choice)
        if arguments.format == "json":
            say(json_report.plan_json(report, price.numbers()))
        else:
            say(terminal.plan_text(report, style, [price.sentence()]))
        return 3 if is_incomplete(report) else 0
