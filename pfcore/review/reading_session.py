"""Asks a model to read unread modules, and updates the review with the results.

The modules on which most others rest come first, as many at once as calls may be in flight.

Also samples accepted modules for a second reading, by a seed, so that nobody can choose them.
"""

import asyncio
import signal
import time
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Sequence,
)
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, NamedTuple, Protocol, TypeVar

from pfcore.domain.digest import text_digest
from pfcore.domain.paper_settings import PaperSettings
from pfcore.ledger.ledger import LedgerEntry
from pfcore.llm.engine.action import Action, EngineEvent, EngineEventKind, UsageTally
from pfcore.llm.engine.budget import Budget
from pfcore.llm.engine.run import CallLimits, Engine, Outcome
from pfcore.llm.model_settings import ModelChoice, open_client
from pfcore.llm.protocol import LlmClient
from pfcore.llm.store.reply_store import FallbackReplyStore, ReplyStore
from pfcore.review.known_verdicts import MOST_ALIKE, OWN_REASONS, STOPPED, KnownVerdicts, entry
from pfcore.review.paper_verdicts import PaperVerdicts
from pfcore.review.review import PaperReport, Report, refreshed
from pfcore.review.verification_setup import VerificationSetup
from pfcore.verification.rollouts import verdicts
from pfcore.verification.task import ContextTask, tasks
from pfcore.verification.verify import ModuleVerifier, Unread

Value = TypeVar("Value")

Opening = Callable[[ModelChoice], AbstractAsyncContextManager[LlmClient]]
"""Opens the client of a model."""


def server(choice: ModelChoice) -> AbstractAsyncContextManager[LlmClient]:
    """The server that a choice names."""
    return open_client(choice.connection, in_flight=choice.rates.in_flight)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadJob:
    """A task with the knowledge of its paper; `is_recheck` reads again whatever is known.

    `answered` is the reason why stored replies give no verdict: then no model is asked.
    """

    task: ContextTask
    knowledge: KnownVerdicts
    is_recheck: bool = False
    answered: str = ""


class Runner(Protocol):
    """Runs actions: an engine, or a test double."""

    async def run(self, action: Action) -> Outcome:
        """The reply to an action, or why there is none."""
        ...

    async def finish(self) -> None:
        """Wait for the calls in flight."""
        ...


class Done(NamedTuple):
    """A module that was read, or why it was not; `missing` says why readings are missing.

    `is_lost`: no reading gave a verdict, for a reason that may apply to all proofs.
    """

    task: ContextTask
    found: LedgerEntry | Unread
    missing: str = ""
    is_lost: bool = False


Observe = Callable[[Done], None]


@dataclass(kw_only=True)
class FailureStreak:
    """Counts proofs in a row that failed for the same reason; `stopped` is the message, or ""."""

    number: int = 0
    reason: str = ""
    stopped: str = ""

    def add(self, item: Done) -> None:
        """Count a finished module."""
        if not item.is_lost:
            self.number = 0
            return
        self.number = self.number + 1 if item.missing == self.reason else 1
        self.reason = item.missing
        if self.number >= MOST_ALIKE and not self.stopped:
            self.stopped = f"{STOPPED}{item.missing}"


@dataclass(frozen=True, kw_only=True)
class Work:
    """The jobs about one paper, and their budget."""

    jobs: Sequence[ReadJob]
    budget: Budget


def unread_jobs(paper: PaperReport, *, whole: bool, is_retried: bool = False) -> list[ReadJob]:
    """The unread modules that a change affects or reopens; with `whole` the backlog, too.

    `is_retried`: modules whose stored replies give no verdict are asked about again.
    """
    sheet = paper.sheet
    if sheet is None:
        return []
    wanted = frozenset(paper.plan.under_review)
    jobs = []
    for name, reason in sheet.unread().items():
        if (whole or name in wanted) and name in sheet.tasks:
            is_answered = sheet.is_answered(name)
            jobs.append(
                ReadJob(
                    task=sheet.tasks[name],
                    knowledge=sheet.knowledge,
                    is_recheck=is_answered and is_retried,
                    answered=reason if is_answered and not is_retried else "",
                )
            )
    return jobs


def deep_jobs(paper: PaperReport) -> list[ReadJob]:
    """The modules not read again since a change of something that their context only names.

    For an estimate of the cost; each job has the definitions in full.
    """
    sheet = paper.sheet
    if sheet is None or not paper.plan.beyond:
        return []
    names = [name for name in sheet.tasks if name in paper.plan.unread_beyond]
    state = replace(paper.state, document=paper.state.document.deep)
    return [
        ReadJob(task=task, knowledge=sheet.knowledge, is_recheck=True)
        for task in tasks(state, names)
    ]


def run_budget(settings: PaperSettings, paper: str) -> float:
    """The dollars that a run on a paper may use, from its settings, else the default."""
    own = next((item.budget for item in settings.papers if item.name == paper), None)
    return settings.reading.budget if own is None else own


@dataclass(kw_only=True)
class AskingObserver:
    """Records the calls and their results; subclasses show them.

    `asked` are the keys of the requested replies; `found` and `failures` are by context.
    """

    tally: UsageTally = field(default_factory=UsageTally)
    failures: dict[str, str] = field(default_factory=dict)
    found: dict[str, LedgerEntry | Unread] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)

    def call(self, event: EngineEvent) -> None:
        """Record the event of an action."""
        self.tally.add(event)
        if event.kind in (EngineEventKind.RAN, EngineEventKind.UNKEPT):
            self.asked.add(event.key)

    def module(self, item: Done) -> None:
        """Record a finished module."""
        found = self.found[item.task.context] = item.found
        if item.missing:
            self.failures[item.task.context] = item.missing
        if isinstance(found, Unread):
            self.failures[item.task.context] = found.reason

    def end(self) -> None:
        """Called when nothing more is asked."""

    def waiting(self) -> None:
        """Called each second."""

    def stopping(self) -> None:
        """Called at an interrupt: only calls in flight are awaited, for a short time."""

    def interrupted(self) -> None:
        """Called when the user ended the run; nothing is lost."""


def asked(
    report: Report,
    desk: VerificationSetup,
    works: Sequence[Work],
    store: ReplyStore,
    progress: AskingObserver,
    *,
    who: Opening = server,
) -> Report:
    """The review after asking the model; replies that arrive are stored, whatever happens."""
    if desk.choice is None:
        raise ValueError("no model to ask")
    kept = FallbackReplyStore(store)
    carried_out(_ask(works, desk.choice, kept, progress, who), progress)
    done = replace(desk, store=kept, failures=progress.failures)
    return replace(refreshed(report, done), spent=progress.tally)


async def _ask(
    works: Sequence[Work],
    choice: ModelChoice,
    kept: FallbackReplyStore,
    progress: AskingObserver,
    who: Opening,
) -> None:
    async with engines(choice, kept, progress, who) as engine:
        made: dict[int, Engine] = {}
        streak = FailureStreak()
        for work in works:
            at_once = choice.rates.in_flight
            own = made.setdefault(id(work.budget), engine(work.budget))
            observe = progress.module
            await read_modules(work.jobs, own, at_once=at_once, observe=observe, streak=streak)


def carried_out(work: Coroutine[Any, Any, Value], progress: AskingObserver) -> Value:
    """Run work that asks a model to its end; replies so far are stored, whatever happens."""
    started = time.monotonic()
    try:
        return asyncio.run(attended(work, progress))
    except (KeyboardInterrupt, asyncio.CancelledError):
        progress.interrupted()
        raise KeyboardInterrupt from None
    finally:
        progress.end()
        progress.tally.seconds = time.monotonic() - started


async def attended(
    work: Coroutine[Any, Any, Value],
    progress: AskingObserver,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Value:
    """The result of some work, calling `progress.waiting` each second.

    The first interrupt is reported at once and cancels the work, the second one cancels it again,
    and a third one ends it anywhere.
    """
    working = asyncio.ensure_future(work)
    counting = asyncio.ensure_future(_seconds(progress, sleep))
    presses = count(1)

    def stop() -> None:
        if next(presses) == 1:
            progress.stopping()
        else:
            asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
        working.cancel()

    with _interrupts(stop):
        try:
            return await asyncio.shield(working)
        except asyncio.CancelledError:
            if not working.done():
                stop()
            return await working
        finally:
            counting.cancel()


@contextmanager
def _interrupts(act: Callable[[], None]) -> Iterator[None]:
    """Call `act` at each interrupt, between two steps of the loop.

    asyncio itself raises at the second one wherever the program is, and may then wait forever.
    """
    loop = asyncio.get_running_loop()
    try:
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            loop.add_signal_handler(signal.SIGINT, act)
    except (NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)


async def _seconds(progress: AskingObserver, sleep: Callable[[float], Awaitable[None]]) -> None:
    while True:
        await sleep(1.0)
        progress.waiting()


@asynccontextmanager
async def engines(
    choice: ModelChoice, kept: FallbackReplyStore, progress: AskingObserver, who: Opening = server
) -> AsyncIterator[Callable[[Budget], Engine]]:
    """A factory of an engine for each budget, with one client and one set of limits."""
    rates = choice.rates
    limits = CallLimits(
        in_flight=rates.in_flight,
        requests=rates.requests_per_minute,
        tokens=rates.tokens_per_minute,
        attempts=rates.attempts,
        clock=time.monotonic,
        sleep=asyncio.sleep,
    )
    async with who(choice) as client:

        def note(event: EngineEvent) -> None:
            if event.cost:
                kept.charge(choice.model, event.cost)
            progress.call(event)

        yield lambda budget: Engine(
            client, kept, limits=limits, budget=budget, claims=kept.claims(), observe=note
        )


async def read_modules(
    jobs: Sequence[ReadJob],
    engine: Runner,
    *,
    at_once: int,
    observe: Observe,
    streak: FailureStreak | None = None,
) -> None:
    """Read all jobs, those first on which most others rest; none after too long a `streak`.

    The engine's store has the replies afterwards, even if this is cancelled: calls in flight are
    awaited.
    """
    room = asyncio.Semaphore(at_once)

    async def one(job: ReadJob) -> None:
        async with room:
            if streak is not None and streak.stopped:
                observe(Done(job.task, Unread(reason=streak.stopped)))
                return
            done = await _read(job, engine)
            if streak is not None:
                streak.add(done)
            observe(done)

    try:
        async with asyncio.TaskGroup() as group:
            for job in sorted(jobs, key=lambda job: -job.task.rests):
                group.create_task(one(job))
    finally:
        await engine.finish()


async def _read(job: ReadJob, engine: Runner) -> Done:
    knowledge = job.knowledge
    if knowledge.asking is None:
        raise ValueError("nothing can be read without a contract")
    generation = await knowledge.generation(job.task) + job.is_recheck
    reading = ModuleVerifier(run=engine.run, asking=knowledge.asking, generation=generation)
    listed = await verdicts(reading, job.task, knowledge.judging)
    found = entry(
        job.task,
        listed,
        knowledge.judging,
        contract=knowledge.contract,
        generation=generation,
    )
    reasons = [item.reason for item in listed.values() if isinstance(item, Unread)]
    is_lost = len(reasons) == len(listed) and not any(
        own in reason for own in OWN_REASONS for reason in reasons
    )
    return Done(job.task, found, "; ".join(dict.fromkeys(reasons)), is_lost)


def accepted(sheet: PaperVerdicts) -> list[ContextTask]:
    """The modules of a paper with a verdict and without a reported objection."""
    judging = sheet.objections.judging
    return [
        task
        for name, task in sheet.tasks.items()
        if isinstance(found := sheet.readings[name], LedgerEntry) and not found.reported(judging)
    ]


def sample(tasks: Iterable[ContextTask], size: int, seed: str) -> list[ContextTask]:
    """A sample of `size` tasks, independent of labels and of their order."""
    return sorted(tasks, key=lambda task: text_digest(f"{seed}\n{task.context}"))[:size]
