"""Several processes on one store: one asks, the others wait, and nobody waits for the dead."""

import asyncio
import heapq
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from pfcore.llm.engine.action import Action, EngineEvent
from pfcore.llm.engine.budget import Budget
from pfcore.llm.engine.run import CallLimits, Engine, NoReply, Outcome
from pfcore.llm.protocol import CallError, Reply, Request
from pfcore.llm.store import open_store
from pfcore.llm.store.leases import LEASE
from pfcore.llm.store.reply_store import FallbackReplyStore
from pfcore.llm.store.sql_store import SqlReplyStore
from pfcore.testing import reply

Make = Callable[..., Action]


class Hours:
    """Time that passes when a test lets it; whoever sleeps wakes in order."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._numbers = count()
        self._asleep: list[tuple[float, int, asyncio.Future[None]]] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._asleep, (self.now + seconds, next(self._numbers), woken))
        await woken

    async def go_on(self, seconds: float = 0.0) -> None:
        end = self.now + seconds
        await settled()
        while self._asleep and self._asleep[0][0] <= end:
            self.now, _, woken = heapq.heappop(self._asleep)
            if not woken.done():
                woken.set_result(None)
            await settled()
        self.now = end


async def settled() -> None:
    for _ in range(30):
        await asyncio.sleep(0)


class Model:
    """Answers after so many seconds, or fails then."""

    def __init__(self, hours: Hours, seconds: float, fails: str = "") -> None:
        self.hours, self.seconds, self.fails = hours, seconds, fails
        self.asked: list[str] = []

    async def complete(self, request: Request) -> Reply:
        self.asked.append(request.text)
        await self.hours.sleep(self.seconds)
        if self.fails:
            raise CallError(self.fails)
        return reply("accept", request)


class Process:
    """One of several readers of a store in a file."""

    def __init__(
        self,
        path: Path,
        hours: Hours,
        *,
        seconds: float = 5.0,
        fails: str = "",
        budget: Budget | None = None,
        in_flight: int = 8,
        clock: Callable[[], float] | None = None,
        **limits: int,
    ) -> None:
        self.store = open_store(str(path), clock or hours)
        self.model = Model(hours, seconds, fails)
        self.log: list[EngineEvent] = []
        self.budget = budget or Budget()
        kept = FallbackReplyStore(self.store)
        self.engine = Engine(
            self.model,
            kept,
            limits=CallLimits(in_flight=in_flight, clock=hours, sleep=hours.sleep, **limits),
            budget=self.budget,
            claims=kept.claims(),
            observe=self.log.append,
        )

    def ask(self, action: Action) -> asyncio.Task[Outcome]:
        return asyncio.ensure_future(self.engine.run(action))

    @property
    def kinds(self) -> list[str]:
        return [event.kind.value for event in self.log]


@pytest.fixture
def hours() -> Hours:
    return Hours()


@pytest.fixture
def process(tmp_path: Path, hours: Hours) -> Iterator[Callable[..., Process]]:
    made: list[Process] = []

    def make(**how: Any) -> Process:
        made.append(Process(tmp_path / "replies.sqlite", hours, **how))
        return made[-1]

    yield make
    for each in made:
        each.store.close()


def carry_out(process: Process, statement: str) -> Any:
    """Say something to the connection that a reader has; the first value that comes of it."""
    store = process.store
    assert isinstance(store, SqlReplyStore)
    with store._database.begin() as connection:
        found = connection.exec_driver_sql(statement)
        return found.scalar() if found.returns_rows else None


def claimed(process: Process) -> int:
    return int(carry_out(process, "SELECT COUNT(*) FROM claims"))


async def test_two_processes_that_ask_the_same_make_one_call(
    process: Callable[..., Process], hours: Hours, action: Make
) -> None:
    one, other = process(), process()
    asked = [one.ask(action()), other.ask(action())]
    await hours.go_on(7)
    first, second = (task.result() for task in asked)
    assert isinstance(first, Reply)
    assert first == second
    assert (one.kinds, other.kinds) == (["ran"], ["joined"])
    assert one.model.asked + other.model.asked == ["the text"]
    assert claimed(one) == 0


async def test_what_waits_for_its_place_is_left_to_whoever_has_one(
    process: Callable[..., Process], hours: Hours, action: Make
) -> None:
    one, other = process(in_flight=1), process(in_flight=1)
    actions = [action(name) for name in "abcdef"]
    asked = [each.ask(item) for each in (one, other) for item in actions]
    await hours.go_on(60)
    assert all(isinstance(task.result(), Reply) for task in asked)
    assert sorted(one.model.asked + other.model.asked) == list("abcdef")
    assert min(len(one.model.asked), len(other.model.asked)) >= 2


async def test_a_long_call_keeps_its_claim_and_no_reply_is_lost(
    process: Callable[..., Process], hours: Hours, action: Make
) -> None:
    one, other = process(seconds=600), process()
    asked = [one.ask(action()), other.ask(action())]
    await hours.go_on(599)
    assert other.model.asked == []
    await hours.go_on(3)
    assert asked[0].result() == asked[1].result()
    assert isinstance(asked[1].result(), Reply)


async def test_whoever_waits_takes_over_from_whoever_fails(
    process: Callable[..., Process], hours: Hours, action: Make
) -> None:
    one, other = process(fails="the connection was cut"), process()
    asked = [one.ask(action()), other.ask(action())]
    await hours.go_on(12)
    assert asked[0].result() == NoReply(reason="the connection was cut")
    assert isinstance(asked[1].result(), Reply)
    assert other.kinds == ["ran"]
    assert claimed(one) == 0


@pytest.mark.parametrize("fails", ["", "the connection was cut"])
async def test_whoever_waits_for_one_call_does_not_wait_for_others_of_that_process(
    process: Callable[..., Process], hours: Hours, action: Make, fails: str
) -> None:
    one, other = process(seconds=300), process()
    one.ask(action("long"))
    await hours.go_on(1)
    one.model.seconds, one.model.fails = 5.0, fails
    one.ask(action("short"))
    asked = other.ask(action("short"))
    await hours.go_on(13)
    assert isinstance(asked.result(), Reply)
    assert other.kinds == ["ran" if fails else "joined"]
    await hours.go_on(300)


@pytest.mark.parametrize("elsewhere", ["", "another machine"])
async def test_nobody_waits_longer_than_a_minute_for_what_stands_still(
    process: Callable[..., Process], hours: Hours, action: Make, elsewhere: str
) -> None:
    gone, other = process(), process()
    assert gone.store.claims().claim(action().key())
    if elsewhere:
        carry_out(gone, "UPDATE claims SET owner = 'another/1/machine'")
    asked = other.ask(action())
    await hours.go_on(LEASE - 2)
    assert other.model.asked == []
    await hours.go_on(8)
    assert isinstance(asked.result(), Reply)


async def test_waiting_takes_no_place_no_budget_and_no_turn_of_a_rate_limit(
    process: Callable[..., Process], hours: Hours, action: Make
) -> None:
    one = process(seconds=30)
    other = process(in_flight=1, requests=1, tokens=200, budget=Budget(tokens=200))
    same = [one.ask(action("same")), other.ask(action("same"))]
    await hours.go_on(1)
    own = other.ask(action("own"))
    await hours.go_on(6)
    assert isinstance(own.result(), Reply)
    assert not any(task.done() for task in same)
    used = other.budget.used
    await hours.go_on(30)
    assert same[0].result() == same[1].result()
    assert other.budget.used == used < 100


async def test_a_run_whose_time_is_over_waits_no_more(
    process: Callable[..., Process], hours: Hours, action: Make
) -> None:
    one, other = process(seconds=300), process(budget=Budget(seconds=60))
    asked = [one.ask(action()), other.ask(action())]
    await hours.go_on(62)
    assert asked[1].result() == NoReply(reason="the budget is spent: 60 s for this run")
    await hours.go_on(300)
    assert isinstance(asked[0].result(), Reply)


async def test_whoever_leaves_does_not_wait_for_others(
    process: Callable[..., Process], hours: Hours, action: Make
) -> None:
    one, other = process(seconds=300), process()
    asked = [one.ask(action()), other.ask(action())]
    await hours.go_on(3)
    ended = asyncio.ensure_future(other.engine.finish())
    await hours.go_on(2)
    assert ended.done()
    assert asked[1].result() == NoReply(reason="another process is using the model")
    await hours.go_on(300)
    assert isinstance(asked[0].result(), Reply)
    asked = [one.ask(action("next")), other.ask(action("next"))]
    await hours.go_on(302)
    assert asked[0].result() == asked[1].result()
    assert isinstance(asked[1].result(), Reply)


async def test_whoever_is_interrupted_lets_others_ask_at_once(
    process: Callable[..., Process], hours: Hours, action: Make
) -> None:
    one, other = process(seconds=300), process()
    left, asked = one.ask(action()), other.ask(action())
    await hours.go_on(3)
    for task in list(one.engine._flying.values()):
        task.cancel()  # as a loop does that is closed by a second Ctrl-C
    await hours.go_on(7)
    assert left.cancelled()
    assert isinstance(asked.result(), Reply)


async def test_a_reply_that_cannot_be_kept_is_asked_for_by_whoever_can_keep_it(
    process: Callable[..., Process], hours: Hours, action: Make
) -> None:
    one, other = process(), process()
    carry_out(
        one,
        "CREATE TEMP TRIGGER full BEFORE INSERT ON main.replies "
        "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
    )
    asked = [one.ask(action()), other.ask(action())]
    await hours.go_on(15)
    assert all(isinstance(task.result(), Reply) for task in asked)
    assert (one.kinds, other.kinds) == (["unkept", "ran"], ["ran"])


async def test_a_reply_that_comes_between_look_up_and_claim_is_not_asked_for_again(
    process: Callable[..., Process], hours: Hours, action: Make
) -> None:
    one, busy = process(in_flight=1), process()
    asked = [one.ask(action("first")), one.ask(action("second"))]
    await hours.go_on(1)
    busy.store.put(action("second").key(), "verify", reply("theirs", action().request))
    await hours.go_on(20)
    assert asked[1].result() == reply("theirs", action().request)
    assert one.model.asked == ["first"]
    assert claimed(one) == 0


async def test_readers_of_a_store_that_cannot_be_written_ask_each_for_itself(
    process: Callable[..., Process], hours: Hours, action: Make
) -> None:
    both = [process(), process()]
    for each in both:
        carry_out(each, "PRAGMA query_only=ON")
    asked = [each.ask(action()) for each in both]
    await hours.go_on(6)
    assert all(isinstance(task.result(), Reply) for task in asked)
    assert [each.kinds for each in both] == [["unkept", "ran"]] * 2


@pytest.mark.parametrize("leap", [-1e6, -50.0, 50.0, 1e6])
async def test_a_clock_that_leaps_costs_one_call_at_most_and_no_reply(
    process: Callable[..., Process], hours: Hours, action: Make, leap: float
) -> None:
    shifts = [0.0]
    one = process(seconds=45, clock=lambda: hours.now + shifts[0])
    other = process()
    asked = [one.ask(action()), other.ask(action())]
    await hours.go_on(3)
    shifts[0] = leap
    await hours.go_on(2 * LEASE)
    assert asked[0].result() == asked[1].result()
    assert isinstance(asked[0].result(), Reply)
    assert len(one.model.asked + other.model.asked) <= 2


async def test_many_readers_that_fail_now_and_then_ask_no_more_than_they_must(
    process: Callable[..., Process], hours: Hours, action: Make
) -> None:
    readers = [process(seconds=3 + number, in_flight=3) for number in range(4)]
    readers[0].model.fails = "down"
    actions = [action(f"text {number}") for number in range(20)]
    asked = [[each.ask(item) for item in actions] for each in readers]
    await hours.go_on(600)
    for tasks in asked[1:]:
        assert all(isinstance(task.result(), Reply) for task in tasks)
    answered = [text for each in readers[1:] for text in each.model.asked]
    assert sorted(answered) == sorted(item.request.text for item in actions)
    assert claimed(readers[0]) == 0


def test_a_loop_that_ends_in_the_middle_of_a_call_leaves_no_claim(
    process: Callable[..., Process], hours: Hours, action: Make
) -> None:
    one = process()

    async def cut_short() -> None:
        one.ask(action())
        await settled()
        assert claimed(one) == 1

    asyncio.run(cut_short())
    assert claimed(one) == 0
