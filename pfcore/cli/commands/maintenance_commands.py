"""`pf audit`: has a sample of accepted modules read again, with another model.

`pf upgrade`: the proofs that a new contract makes unread, their price, and how to avoid it; it
changes nothing and asks no model.

`pf remove`: deletes the data that pf keeps outside of papers, after showing what would be lost. A
paper, its `pf.toml` and its `pf.lock` are never touched.
"""

import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf

from pfcore.cli.commands.check_command import Limit, agree
from pfcore.cli.environment import ReaderOptions, chosen, run_review
from pfcore.cli.local_data import desk, open_replies, parse_cache, simulated, stored_replies, to_go
from pfcore.cli.options import OutputOptions, ReviewOptions
from pfcore.cli.pricing import budget, priced, run_cap
from pfcore.cli.progress import Progress
from pfcore.domain.digest import digest
from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.domain.paper_settings import FILE_NAME
from pfcore.ledger.ledger import Ledger, LedgerEntry
from pfcore.llm.model_settings import ModelChoice, require_key
from pfcore.llm.store.reply_store import ReplyStore
from pfcore.reporters import contract_report
from pfcore.reporters.contract_report import (
    AuditReport,
    PaperUpgrade,
    Second,
    audit_json,
    audit_text,
)
from pfcore.reporters.printing import Style
from pfcore.reporters.setup_report import erased, listed
from pfcore.review.contract_comparison import upgrade as compared
from pfcore.review.gate import source_digest
from pfcore.review.reading_session import ReadJob, Work, accepted, asked, sample, unread_jobs
from pfcore.review.review import PaperReport, Report
from pfcore.review.verification_setup import VerificationSetup
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import Unread

_NOT_READ = Unread(reason="not read")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditOptions:
    """The options of `pf audit`: sample size and seed (None: derived from the sources)."""

    review: ReviewOptions
    sample: int
    seed: str | None


def audit(wanted: AuditOptions, echo: Callable[[str], None]) -> int:
    """Draw a sample, have it read, and compare; the ledger is used but never written."""
    review = wanted.review
    reader, output = review.reader, review.output
    choice = chosen(reader)
    if choice is None:
        raise UsageError("pf audit needs a second model: --model NAME")
    with (
        run_review(review.revisions, VerificationSetup(), paper=review.paper) as report,
        open_replies() as store,
    ):
        seed = wanted.seed or _seed(report)
        drawn = _drawn(report, wanted.sample, seed)
        own = desk(reader, choice, store, is_ci=False)
        jobs = [_job(paper, task, own) for paper, task in drawn]
        found = _AuditAsking(reader, output, choice, own, store).found(report, jobs)
        made = AuditReport(
            model=choice.model,
            seed=seed,
            accepted=sum(len(_accepted(paper)) for paper in report.papers),
            sample=tuple(_second(paper, task, found) for paper, task in drawn),
        )
        is_json = output.format == "json"
        echo(audit_json(made) if is_json else audit_text(made, output.style))
    return made.exit_status


def _seed(report: Report) -> str:
    """The digest of all sources, so that the same text gives the same sample."""
    return digest([source_digest(paper.state.paper) for paper in report.papers])[:12]


def _accepted(paper: PaperReport) -> list[ContextTask]:
    return accepted(paper.sheet) if paper.sheet else []


def _drawn(report: Report, size: int, seed: str) -> list[tuple[PaperReport, ContextTask]]:
    """The sample over all papers; a text that several papers share is read once."""
    owners = {task.context: (paper, task) for paper in report.papers for task in _accepted(paper)}
    chosen_ones = sample((task for _, task in owners.values()), size, seed)
    return [owners[task.context] for task in chosen_ones]


def _job(paper: PaperReport, task: ContextTask, own: VerificationSetup) -> ReadJob:
    """A job to read a proof as if nothing were on record."""
    return ReadJob(task=task, knowledge=own.knowledge(paper.state.paper, Ledger()))


def _second(
    paper: PaperReport, task: ContextTask, found: dict[str, LedgerEntry | Unread]
) -> Second:
    known = found.get(task.context, _NOT_READ)
    if isinstance(known, Unread) or paper.sheet is None:
        return Second(paper=paper, task=task, found=known)
    findings = tuple(paper.sheet.objections.of(task, known))
    return Second(paper=paper, task=task, found=known, findings=findings)


class _AuditAsking:
    """Has the sample read, after showing the price."""

    def __init__(
        self,
        reader: ReaderOptions,
        output: OutputOptions,
        choice: ModelChoice,
        own: VerificationSetup,
        store: ReplyStore,
    ) -> None:
        self._reader = reader
        self._choice = choice
        self._own = own
        self._store = store
        self._style = output.style
        self._is_shown = output.format == "text"

    def found(self, report: Report, jobs: list[ReadJob]) -> dict[str, LedgerEntry | Unread]:
        """The model's verdicts, by context."""
        if not jobs:
            return {}
        require_key(self._choice.connection)
        first = report.papers[0].state.paper
        cap = run_cap(self._reader.budget, self._choice, first.settings, first.name)
        spend = budget(cap, self._choice, first.settings, self._store, time.time())
        price = priced(jobs, self._choice)
        plan = partial(self._style.finish, [price.sentence()])
        limit = Limit(
            first.settings.reading.ask_above, inf if spend.dollars is None else spend.dollars
        )
        agree(self._reader, limit, price, self._style, plan)
        progress = Progress(total=len(jobs), style=self._style, is_shown=self._is_shown)
        asked(report, self._own, [Work(jobs=jobs, budget=spend)], self._store, progress)
        return progress.found


def upgrade(wanted: ReviewOptions) -> str:
    """The comparison, as text or JSON; UsageError if no model is named."""
    reader, output = wanted.reader, wanted.output
    choice = chosen(reader)
    if choice is None:
        raise UsageError("pf upgrade needs a model: --model NAME")
    with open_replies() as store:
        # Not guarded in CI: whether a ledger line is trusted makes no difference to a list.
        own = desk(reader, choice, store, is_ci=False)
        with run_review(wanted.revisions, own, paper=wanted.paper) as report:
            rows = [row for paper in report.papers if (row := _row(paper)) is not None]
            jobs = [job for paper in report.papers for job in unread_jobs(paper, whole=True)]
            price = priced(jobs, choice)
            if output.format == "json":
                return contract_report.upgrade_json(rows, choice.model, price.numbers())
            return contract_report.upgrade_text(
                rows, price.sentence(), _command(reader), output.style
            )


def _row(paper: PaperReport) -> PaperUpgrade | None:
    if paper.sheet is None:
        return None
    settings = paper.state.paper.settings
    beside = f"{settings.folder}/{FILE_NAME}" if settings.folder else FILE_NAME
    return PaperUpgrade(
        paper=paper.state.paper.name,
        lock=settings.ledger,
        settings=settings.path or beside,
        upgrade=compared(paper.sheet),
    )


def _command(reader: ReaderOptions) -> str:
    """The command that reads everything again, with the current options."""
    words = ["pf", "check", "--all", "--update-lock"]
    if reader.model:
        words += ["--model", reader.model]
    if reader.rollouts:
        words += ["--rollouts", str(reader.rollouts)]
    if reader.prompts:
        words += ["--prompts", str(reader.prompts)]
    return shlex.join(words)


Show = Callable[[str], None]
Ask = Callable[[str], bool | None]
"""The answer to a yes-or-no question; None without a terminal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveOptions:
    """The options of `pf remove`: what to delete; everything if neither is named."""

    cache: bool
    replies: bool
    is_agreed: bool
    style: Style


def remove(wanted: RemoveOptions, show: Show, ask: Ask) -> int:
    """Delete the cache, the replies, or both; 3 if something could not be deleted."""
    style, is_all = wanted.style, not (wanted.cache or wanted.replies)
    kept = [*parse_cache(), *simulated()] if wanted.cache or is_all else []
    kept += stored_replies(is_meant=wanted.replies) if wanted.replies or is_all else []
    show(listed([item.holding for item in kept], style) if kept else "")
    going = to_go(kept)
    if going:
        _agree(ask, is_agreed=wanted.is_agreed)
        for item in going:
            item.require_free()
        for item in going:
            item.erase()
        show(erased([item.holding for item in going], style))
    else:
        show(style.finish(["Nothing to delete."]))
    return 3 if any(item.holding.is_trouble for item in kept) else 0


def _agree(ask: Ask, *, is_agreed: bool) -> None:
    answer = True if is_agreed else ask("Delete this permanently?")
    if answer is None:
        raise UsageError("not a terminal: confirm with --yes")
    if not answer:
        raise IncompleteError("cancelled: nothing was deleted")
