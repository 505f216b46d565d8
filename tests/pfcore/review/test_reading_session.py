"""A run over several modules: order, rechecks, failures, interruptions."""

import asyncio
from dataclasses import replace

import pytest

from pfcore.ledger.ledger import LedgerEntry, LedgerVerdict
from pfcore.llm.engine.budget import Budget
from pfcore.llm.engine.run import CallLimits, Engine
from pfcore.llm.protocol import CallError, LlmClient, Reply, Request
from pfcore.review.known_verdicts import KnownVerdicts
from pfcore.review.reading_session import (
    AskingObserver,
    Done,
    ReadJob,
    attended,
    read_modules,
)
from pfcore.testing import FakeClock, MemoryStore, ScriptedLlm, reply
from pfcore.verification.contract import Judging
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import Unread
from tests.pfcore.review.conftest import ACCEPT, FLAG, GENUINE


class Desk:
    def __init__(self, asking: ActionFactory, client: LlmClient, rollouts: int = 2) -> None:
        self.store = MemoryStore()
        self.client = client
        self.knowledge = KnownVerdicts(
            judging=Judging(rollouts=rollouts), asking=asking, store=self.store
        )
        self.done: list[Done] = []

    def engine(self) -> Engine:
        clock = FakeClock()
        limits = CallLimits(in_flight=1, clock=clock, sleep=clock.sleep)
        return Engine(self.client, self.store, limits=limits, budget=Budget())

    def run(self, *tasks: ContextTask, is_recheck: bool = False) -> list[Done]:
        jobs = [ReadJob(task=t, knowledge=self.knowledge, is_recheck=is_recheck) for t in tasks]
        self.done = []
        asyncio.run(read_modules(jobs, self.engine(), at_once=1, observe=self.done.append))
        return self.done


def other(task: ContextTask, name: str, rests: int) -> ContextTask:
    return replace(task, module=name, context=name * 64, statement=f"Lemma. {name}.", rests=rests)


def test_what_most_rest_on_is_read_first(asking: ActionFactory, task: ContextTask) -> None:
    desk = Desk(asking, ScriptedLlm(ACCEPT))
    done = desk.run(other(task, "a", 1), other(task, "b", 7), other(task, "c", 3))
    assert [item.task.module for item in done] == ["b", "c", "a"]
    assert [item.found.verdict for item in done if isinstance(item.found, LedgerEntry)] == (
        [LedgerVerdict.ACCEPTED] * 3
    )


def test_what_was_read_is_known_and_asked_no_more(asking: ActionFactory, task: ContextTask) -> None:
    client = ScriptedLlm([FLAG, FLAG, GENUINE, GENUINE])
    desk = Desk(asking, client)
    (done,) = desk.run(task)
    assert desk.knowledge.entries([task]) == {task.module: done.found}
    desk.run(task)
    assert len(client.requests) == 4


def test_a_recheck_asks_again_and_counts_from_then_on(
    asking: ActionFactory, task: ContextTask
) -> None:
    desk = Desk(asking, ScriptedLlm([ACCEPT, FLAG, GENUINE]), rollouts=1)
    desk.run(task)
    (done,) = desk.run(task, is_recheck=True)
    assert isinstance(done.found, LedgerEntry)
    assert done.found.generation == 1
    assert desk.knowledge.entries([task])[task.module] == done.found


@pytest.mark.parametrize("fault", [CallError("the server is down"), "no verdict"])
def test_a_failure_is_no_verdict_and_has_its_reason(
    asking: ActionFactory, task: ContextTask, fault: CallError | str
) -> None:
    desk = Desk(asking, ScriptedLlm([fault]))
    (done,) = desk.run(task)
    assert isinstance(done.found, Unread)
    assert done.found.reason in ("the server is down", "the reply has no JSON block")


class Slow:
    """A model that answers when it is told to."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.told = asyncio.Event()

    async def complete(self, request: Request) -> Reply:
        self.asked.set()
        await self.told.wait()
        return reply(ACCEPT, request)


def test_an_interruption_keeps_the_reply_that_is_on_its_way(
    asking: ActionFactory, task: ContextTask
) -> None:
    async def interrupted() -> MemoryStore:
        slow = Slow()
        desk = Desk(asking, slow)
        job = ReadJob(task=task, knowledge=desk.knowledge)
        running = asyncio.create_task(
            read_modules([job], desk.engine(), at_once=4, observe=desk.done.append)
        )
        await slow.asked.wait()
        running.cancel()
        await asyncio.sleep(0)
        slow.told.set()
        with pytest.raises(asyncio.CancelledError):
            await running
        return desk.store

    assert len(asyncio.run(interrupted()).replies) >= 1


class Told(AskingObserver):
    """Remembers what it was told of an interruption."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.heard = asyncio.Event()

    def stopping(self) -> None:
        self.words.append("stopping")
        self.heard.set()

    def waiting(self) -> None:
        self.words.append("waiting")


async def test_an_interruption_is_told_before_what_runs_has_ended() -> None:
    told, begun = Told(), asyncio.Event()

    async def stubborn() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await told.heard.wait()
            told.words.append("ended")

    running = asyncio.create_task(attended(stubborn(), told))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert told.words == ["stopping", "ended"]


async def test_each_second_is_told_until_what_runs_has_ended() -> None:
    told, seconds = Told(), 0

    async def sleep(_: float) -> None:
        nonlocal seconds
        seconds += 1
        await asyncio.sleep(0)

    async def work() -> str:
        while len(told.words) < 3:
            await asyncio.sleep(0)
        return "done"

    assert await attended(work(), told, sleep) == "done"
    assert set(told.words) == {"waiting"}
