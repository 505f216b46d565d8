"""Asks a model about what is unread: the calls, and the same review with what came of them.

What a run shows while it goes: one line for each module that is read, one that counts.
"""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TextIO, TypeVar

from pfcore.ledger.ledger import LedgerEntry
from pfcore.llm.engine.action import EngineEvent, EngineEventKind, UsageTally
from pfcore.llm.engine.budget import Budget
from pfcore.llm.engine.run import CallLimits, Engine
from pfcore.llm.model_settings import ModelChoice, open_client
from pfcore.llm.protocol import LlmClient
from pfcore.llm.store.reply_store import FallbackReplyStore, ReplyStore
from pfcore.reporters.printing import Style, plural, safe, shortened
from pfcore.review.reading_session import Done, ReadJob, read_modules
from pfcore.review.review import PaperReport, Report, refreshed
from pfcore.review.verification_setup import VerificationSetup
from pfcore.verification.verify import Unread

Value = TypeVar("Value")

Opening = Callable[[ModelChoice], AbstractAsyncContextManager[LlmClient]]
"""Opens who is asked."""


def server(choice: ModelChoice) -> AbstractAsyncContextManager[LlmClient]:
    """The server that a choice names."""
    return open_client(choice.connection, in_flight=choice.rates.in_flight)


@dataclass(frozen=True, kw_only=True)
class Work:
    """What is asked about one paper, and what that may use."""

    jobs: Sequence[ReadJob]
    budget: Budget


def unread_jobs(paper: PaperReport, *, whole: bool) -> list[ReadJob]:
    """What a change affects and nothing has read; with `whole` the backlog, too."""
    sheet = paper.sheet
    if sheet is None:
        return []
    affected = {item.id for item in paper.plan.affected}
    return [
        ReadJob(task=sheet.tasks[name], knowledge=sheet.knowledge)
        for name in sheet.unread()
        if (whole or name in affected) and name in sheet.tasks
    ]


@dataclass(kw_only=True)
class Progress:
    """Counts events and prints to a stream, standard error by default.

    The counting line is there on terminals alone; lines of modules wherever `is_shown`. `noun` is
    what is counted; `asked` are the keys of the replies that were asked for.
    """

    total: int
    style: Style
    noun: str = "module"
    tally: UsageTally = field(default_factory=UsageTally)
    stream: TextIO = field(default_factory=lambda: sys.stderr)
    is_shown: bool = True
    done: int = 0
    findings: int = 0
    failures: dict[str, str] = field(default_factory=dict)
    found: dict[str, LedgerEntry | Unread] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)

    def call(self, event: EngineEvent) -> None:
        """Take note of what became of an action."""
        self.tally.add(event)
        if event.kind in (EngineEventKind.RAN, EngineEventKind.UNKEPT):
            self.asked.add(event.key)
        if event.kind is EngineEventKind.RETRY:
            self._line(f"  asked again: {safe(event.reason)}")
        self._counts()

    def module(self, item: Done) -> None:
        """Take note of a module that is done."""
        found = self.found[item.task.context] = item.found
        if item.missing:
            self.failures[item.task.context] = item.missing
        if isinstance(found, Unread):
            self.failures[item.task.context] = found.reason
            self.failed(item.task.module, found.reason)
        else:
            self.heard(
                item.task.module,
                [f"{each.votes} of {each.rollouts}  {each.message}" for each in found.findings],
            )

    def failed(self, name: str, reason: str) -> None:
        """Take note of what nobody has read to its end."""
        self.done += 1
        self._line(f"  ? {safe(name)}  not read: {safe(reason)}")
        self._counts()

    def heard(self, name: str, objections: Sequence[str]) -> None:
        """Take note of what was read, and of what was said of it."""
        self.done += 1
        self.findings += len(objections)
        self._line(f"  {'!' if objections else '✓'} {safe(name)}")
        for text in objections:
            self._line(f"      {shortened(safe(text), self.style.width - 6)}")
        self._counts()

    def counted(self, line: str = "") -> None:
        """Take note of one more that is done; a line is shown where there is something to say."""
        self.done += 1
        if line:
            self._line(line)
        self._counts()

    def end(self) -> None:
        """Leave a clean line behind."""
        if self._is_live:
            self.stream.write(_CLEAR)
            self.stream.flush()

    def interrupted(self) -> None:
        """Say that nothing is lost."""
        self.end()
        calls = plural(self.tally.calls, "reply", "replies")
        self.stream.write(f"pf: {calls} kept: the next run goes on from there\n")

    @property
    def _is_live(self) -> bool:
        return self.is_shown and self.stream.isatty() and not self.style.ascii

    def _line(self, text: str) -> None:
        if not self.is_shown:
            return
        encoding = getattr(self.stream, "encoding", None) or "utf-8"
        printed = self.style.finish([text]).encode(encoding, "replace").decode(encoding)
        self.stream.write(f"{_CLEAR if self._is_live else ''}{printed}")
        self.stream.flush()

    def _counts(self) -> None:
        if self._is_live:
            tally = self.tally
            parts = [
                f"{self.done} of {plural(self.total, self.noun)}",
                plural(tally.calls, "call"),
            ]
            parts += [f"${tally.cost:.2f}", plural(self.findings, "objection")]
            self.stream.write(f"{_CLEAR}  {', '.join(parts)}")
            self.stream.flush()


def asked(
    report: Report,
    desk: VerificationSetup,
    works: Sequence[Work],
    store: ReplyStore,
    progress: Progress,
    *,
    who: Opening = server,
) -> Report:
    """The review after the model was asked; replies that arrive are kept, whatever happens."""
    if desk.choice is None:
        raise ValueError("nobody is there to be asked")
    kept = FallbackReplyStore(store)
    carried_out(_ask(works, desk.choice, kept, progress, who), progress)
    done = replace(desk, store=kept, failures=progress.failures)
    return replace(refreshed(report, done), spent=progress.tally)


async def _ask(
    works: Sequence[Work],
    choice: ModelChoice,
    kept: FallbackReplyStore,
    progress: Progress,
    who: Opening,
) -> None:
    async with engines(choice, kept, progress, who) as engine:
        made: dict[int, Engine] = {}
        for work in works:
            at_once = choice.rates.in_flight
            own = made.setdefault(id(work.budget), engine(work.budget))
            await read_modules(work.jobs, own, at_once=at_once, observe=progress.module)


def carried_out(work: Coroutine[Any, Any, Value], progress: Progress) -> Value:
    """Run what asks a model to its end; what had been replied is kept, whatever happens."""
    started = time.monotonic()
    try:
        return asyncio.run(work)
    except KeyboardInterrupt:
        progress.interrupted()
        raise
    finally:
        progress.end()
        progress.tally.seconds = time.monotonic() - started


@asynccontextmanager
async def engines(
    choice: ModelChoice, kept: FallbackReplyStore, progress: Progress, who: Opening = server
) -> AsyncIterator[Callable[[Budget], Engine]]:
    """Makes an engine for each budget, over one client and under one set of limits."""
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


_CLEAR = "\r\x1b[2K"
