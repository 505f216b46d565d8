"""Asks a model about what is unread: the calls, and the same review with what came of them."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pfcore.cli.progress import Progress
from pfcore.llm.engine.budget import Budget
from pfcore.llm.engine.events import EngineEvent
from pfcore.llm.engine.limits import CallLimits
from pfcore.llm.engine.run import Engine
from pfcore.llm.model_settings import ModelChoice
from pfcore.llm.opening import open_client
from pfcore.llm.protocol import LlmClient
from pfcore.llm.store.kept import FallbackReplyStore
from pfcore.llm.store.reply_store import ReplyStore
from pfcore.review.reading_session import ReadJob, read_modules
from pfcore.review.review import PaperReport, Report, refreshed
from pfcore.review.verification_setup import VerificationSetup

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
