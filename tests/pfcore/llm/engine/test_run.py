"""The engine: what is called, what is not, and that a failure is never a reply."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.domain.errors import IncompleteError
from pfcore.llm.engine.action import Action, EngineEvent
from pfcore.llm.engine.budget import Budget
from pfcore.llm.engine.run import GRACE, After, CallLimits, Engine, NoReply, Outcome, after
from pfcore.llm.prices import Price
from pfcore.llm.protocol import CallError, Endpoint, Finish, Reply, Request, TokenUsage
from pfcore.testing import FakeClock, MemoryStore, ScriptedLlm, reply

Make = Callable[..., Action]


class Setting:
    """An engine with everything around it at hand."""

    def __init__(
        self,
        answers: Any,
        *,
        budget: Budget | None = None,
        in_flight: int = 8,
        clock: FakeClock | None = None,
        after: After = after,
        **limits: int,
    ) -> None:
        self.client: Any = answers if hasattr(answers, "complete") else ScriptedLlm(answers)
        self.store = MemoryStore()
        self.clock = clock or FakeClock()
        self.log: list[EngineEvent] = []
        self.budget = budget or Budget()
        calls = CallLimits(in_flight=in_flight, clock=self.clock, sleep=self.clock.sleep, **limits)
        calls.after = after
        self.engine = Engine(
            self.client,
            self.store,
            limits=calls,
            budget=self.budget,
            observe=self.log.append,
        )

    def run(self, *actions: Action) -> list[Outcome]:
        async def all_of_them() -> list[Outcome]:
            return list(await asyncio.gather(*(self.engine.run(item) for item in actions)))

        return asyncio.run(all_of_them())

    @property
    def kinds(self) -> list[str]:
        return [event.kind.value for event in self.log]


class Slow:
    """A model that answers when it is told to, and counts how many wait."""

    def __init__(self) -> None:
        self.waiting = self.most = 0

    async def complete(self, request: Request) -> Reply:
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        for _ in range(50):
            await asyncio.sleep(0)
        self.waiting -= 1
        return reply("accept", request)


def test_a_reply_is_stored_and_found_again(action: Make) -> None:
    setting = Setting("accept")
    (first,) = setting.run(action())
    (second,) = setting.run(action())
    assert isinstance(first, Reply)
    assert first == second
    assert setting.kinds == ["ran", "hit"]
    assert len(setting.client.requests) == 1


def test_equal_actions_in_flight_make_one_call(action: Make) -> None:
    setting = Setting(Slow())
    outcomes = setting.run(action(), action(), action())
    assert len(set(map(id, outcomes))) == 1
    assert sorted(setting.kinds) == ["joined", "joined", "ran"]


def test_rollouts_are_calls_of_their_own(action: Make) -> None:
    setting = Setting("accept")
    setting.run(action(rollout=1), action(rollout=2))
    assert setting.kinds == ["ran", "ran"]


def test_the_first_call_is_out_before_the_last_action_is_looked_at(action: Make) -> None:
    setting = Setting("accept")
    looked: list[int] = []
    get = setting.store.get

    def counted(key: str) -> Reply | None:
        looked.append(len(setting.client.requests))
        return get(key)

    setting.store.get = counted  # type: ignore[method-assign]
    setting.run(*(action(f"text {number}") for number in range(50)))
    assert looked[0] == 0
    assert looked[-1] > 40


SPOILT = {
    "cut off": lambda request: reply("acc", request, finish=Finish.LENGTH),
    "refused": lambda request: reply("I cannot", request, finish=Finish.REFUSAL),
    "withheld": lambda request: reply("", request, finish=Finish.FILTER),
    "empty": lambda request: reply("  \n", request),
}


@pytest.mark.parametrize("word", SPOILT)
def test_a_spoilt_reply_does_not_count_and_is_not_kept(action: Make, word: str) -> None:
    setting = Setting(SPOILT[word], budget=Budget(price=Price(input=1, output=1)))
    (outcome,) = setting.run(action())
    assert isinstance(outcome, NoReply)
    assert word in outcome.reason
    assert setting.store.replies == {}
    assert setting.log[-1].cost > 0


def test_what_may_pass_is_tried_again_after_the_time_that_the_server_says(action: Make) -> None:
    setting = Setting([CallError("too many requests", retry=True, wait=7.0), "accept"])
    (outcome,) = setting.run(action())
    assert isinstance(outcome, Reply)
    assert setting.kinds == ["retry", "ran"]
    assert setting.clock.slept == [7.0]


def test_without_a_word_from_the_server_the_waits_grow(action: Make) -> None:
    setting = Setting([CallError("down", retry=True)])
    (outcome,) = setting.run(action())
    assert outcome == NoReply(reason="down")
    assert setting.clock.slept == [1.0, 2.0, 4.0, 8.0]
    assert setting.kinds == ["retry"] * 4 + ["failed"]
    assert setting.log[-1].may_pass


def test_a_user_may_want_fewer_attempts(action: Make) -> None:
    setting = Setting([CallError("down", retry=True)], attempts=2)
    setting.run(action())
    assert setting.kinds == ["retry", "failed"]


def test_what_will_not_pass_is_not_tried_again(action: Make) -> None:
    setting = Setting([CallError("too long for this model")])
    assert setting.run(action()) == [NoReply(reason="too long for this model")]
    assert setting.kinds == ["failed"]
    assert not setting.log[-1].may_pass


def test_an_exhausted_quota_ends_the_run(action: Make) -> None:
    setting = Setting([CallError("the quota is exhausted", fatal=True)], in_flight=1)
    outcomes = setting.run(action("a"), action("b"))
    assert outcomes == [NoReply(reason="the quota is exhausted")] * 2
    assert len(setting.client.requests) <= 2
    assert setting.run(action("c")) == [NoReply(reason="the quota is exhausted")]
    assert len(setting.client.requests) <= 2


def test_a_failure_may_be_asked_again(action: Make) -> None:
    setting = Setting([CallError("cut connection"), "accept"])
    assert setting.run(action()) == [NoReply(reason="cut connection")]
    assert isinstance(setting.run(action())[0], Reply)


DEAR = Price(output=10_000.0)  # a cent for each token; an action here may take a hundred


def _plain(text: str) -> Action:
    request = Request(endpoint=Endpoint.CHAT, model="m", instructions="", text=text, limit=100)
    return Action(stage="verify", prompt="verify/v1", request=request)


def used_up(request: Request) -> Reply:
    return replace(reply("accept", request), usage=TokenUsage(output=request.limit))


def test_a_call_that_does_not_fit_waits_for_those_in_flight(action: Make) -> None:
    slow = Slow()
    setting = Setting(slow, budget=Budget(price=DEAR, dollars=2.5))
    outcomes = setting.run(*(action(f"text {number}") for number in range(6)))
    assert all(isinstance(outcome, Reply) for outcome in outcomes)
    assert slow.most == 2


def test_a_call_fails_when_nothing_in_flight_can_free_enough(action: Make) -> None:
    budget = Budget(price=DEAR, dollars=2.5)
    setting = Setting(used_up, budget=budget)
    outcomes = setting.run(*(action(f"text {number}") for number in range(4)))
    assert [type(outcome) for outcome in outcomes] == [Reply, Reply, NoReply, NoReply]
    assert outcomes[-1] == NoReply(reason="the budget is spent: $2.50 for this run")
    assert budget.spent == 2.0


def test_nobody_overtakes_a_call_that_waits_for_the_budget(action: Make) -> None:
    setting = Setting(Slow(), budget=Budget(price=DEAR, dollars=1.5))
    order: list[str] = []

    async def ask(name: str, limit: int) -> None:
        asked = action(name)
        await setting.engine.run(replace(asked, request=replace(asked.request, limit=limit)))
        order.append(name)

    async def all_of_them() -> None:
        await asyncio.gather(ask("first", 100), ask("large", 149), ask("small", 10))

    asyncio.run(all_of_them())
    assert order == ["first", "large", "small"]


@given(
    outputs=st.lists(st.integers(0, 100), min_size=1, max_size=30),
    cents=st.integers(0, 1000),
    in_flight=st.integers(1, 6),
)
def test_no_more_is_spent_than_the_budget_has(
    outputs: list[int], cents: int, in_flight: int
) -> None:
    left = list(outputs)
    budget = Budget(price=DEAR, dollars=cents / 100)
    setting = Setting(
        lambda request: replace(reply("accept", request), usage=TokenUsage(output=left.pop())),
        budget=budget,
        in_flight=in_flight,
    )
    outcomes = setting.run(*(_plain(f"text {number}") for number in range(len(outputs))))
    assert budget.spent <= cents / 100 + 1e-6
    refused = [item for item in outcomes if isinstance(item, NoReply)]
    assert not refused or budget.spent + 1.0 > cents / 100 - 1e-6


def test_no_call_begins_when_the_time_is_over(action: Make) -> None:
    clock = FakeClock()

    async def late(request: Request) -> Reply:
        await clock.sleep(40)
        return reply("accept", request)

    client = SimpleNamespace(complete=late)
    setting = Setting(client, budget=Budget(seconds=60), in_flight=1, clock=clock)
    outcomes = setting.run(*(action(f"text {number}") for number in range(4)))
    assert [type(outcome) for outcome in outcomes] == [Reply, Reply, NoReply, NoReply]
    assert outcomes[-1] == NoReply(reason="the budget is spent: 60 s for this run")


class Hanging:
    """A model that never replies; it says when it is asked."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def complete(self, request: Request) -> Reply:
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError("unreachable")


class Alarms:
    """What is to happen later, in seconds; a test lets it happen."""

    def __init__(self) -> None:
        self.set: list[tuple[float, Callable[[], None]]] = []

    def __call__(self, seconds: float, act: Callable[[], None]) -> "Alarms":
        self.set.append((seconds, act))
        return self

    def cancel(self) -> None:
        self.set.clear()


def test_a_call_that_hangs_ends_with_the_time_of_the_run(action: Make) -> None:
    hanging, alarms = Hanging(), Alarms()
    budget = Budget(seconds=60, price=Price(output=1.0))
    setting = Setting(hanging, budget=budget, in_flight=1, after=alarms)

    async def timed_out() -> list[Outcome]:
        asking = asyncio.gather(
            *(setting.engine.run(action(f"text {number}")) for number in range(3))
        )
        await hanging.asked.wait()
        ((seconds, act),) = alarms.set
        assert seconds == 60
        act()
        return await asking

    late = "the budget is spent: 60 s for this run"
    first, *others = asyncio.run(timed_out())
    assert first == NoReply(reason=f"{late} (counted in full: it may have been charged)")
    assert others == [NoReply(reason=late)] * 2
    assert setting.log[0].cost == budget.spent > 0
    assert setting.kinds == ["failed"] * 3
    assert alarms.set == []


def test_a_call_that_has_not_begun_ends_with_the_time_of_the_run_as_well(action: Make) -> None:
    alarms = Alarms()
    setting = Setting(Hanging(), budget=Budget(seconds=60), after=alarms)

    async def timed_out() -> Outcome:
        asking = asyncio.ensure_future(setting.engine.run(action()))
        while not alarms.set:
            await asyncio.sleep(0)
        alarms.set[0][1]()
        return await asking

    assert asyncio.run(timed_out()) == NoReply(reason="the budget is spent: 60 s for this run")


def test_a_reply_that_is_paid_is_kept_at_the_end_of_the_time(action: Make) -> None:
    alarms = Alarms()

    async def just_in_time(request: Request) -> Reply:
        asyncio.get_running_loop().call_soon(alarms.set[0][1])
        return reply("accept", request)

    client = SimpleNamespace(complete=just_in_time)
    setting = Setting(client, budget=Budget(seconds=60), after=alarms)
    assert isinstance(setting.run(action())[0], Reply)
    assert setting.kinds == ["ran"]


@pytest.mark.parametrize("seconds", [None, 60.0])
@pytest.mark.parametrize("is_pressed_again", [False, True])
@pytest.mark.parametrize("is_finishing", [False, True])
def test_after_an_interruption_a_call_that_hangs_is_given_up(
    action: Make, seconds: float | None, is_pressed_again: bool, is_finishing: bool
) -> None:
    hanging, alarms = Hanging(), Alarms()
    setting = Setting(hanging, budget=Budget(seconds=seconds), in_flight=1, after=alarms)

    async def work() -> None:
        asking = asyncio.ensure_future(setting.engine.run(action()))
        try:
            await (hanging.asked.wait() if is_finishing else asking)
        finally:
            await setting.engine.finish()

    async def interrupted() -> None:
        working = asyncio.ensure_future(work())
        await hanging.asked.wait()
        await asyncio.sleep(0)
        working.cancel()
        while not alarms.set or alarms.set[-1][0] != GRACE:
            await asyncio.sleep(0)
        if is_pressed_again:
            working.cancel()
        else:
            alarms.set[-1][1]()
        with pytest.raises(asyncio.CancelledError):
            await working

    asyncio.run(interrupted())
    (lost,) = setting.log
    assert lost.reason == "interrupted"
    assert alarms.set == []


def test_who_is_interrupted_twice_before_it_can_wait_does_not_wait(action: Make) -> None:
    hanging, alarms = Hanging(), Alarms()
    setting = Setting(hanging, after=alarms)

    async def work() -> None:
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(setting.engine.run(action()))
        finally:
            await setting.engine.finish()

    async def interrupted() -> None:
        working = asyncio.ensure_future(work())
        await hanging.asked.wait()
        working.cancel()
        await asyncio.sleep(0)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working

    asyncio.run(interrupted())
    assert [event.kind for event in setting.log] == ["failed"]


def test_a_call_whose_turn_comes_too_late_is_not_made(action: Make) -> None:
    setting = Setting("accept", budget=Budget(seconds=50), requests=2)
    outcomes = setting.run(*(action(f"text {number}") for number in range(3)))
    assert [type(outcome) for outcome in outcomes] == [Reply, Reply, NoReply]
    assert len(setting.client.requests) == 2
    assert setting.budget.used < 100


def test_a_wait_that_is_longer_than_the_time_left_is_not_begun(action: Make) -> None:
    busy = CallError("too many requests", retry=True, wait=90.0)
    setting = Setting([busy], budget=Budget(seconds=60))
    (outcome,) = setting.run(action())
    words = "too many requests; the next attempt must wait 90 s"
    assert outcome == NoReply(reason=words)


def test_a_long_wait_that_the_server_asks_for_is_kept(action: Make) -> None:
    setting = Setting([CallError("busy", retry=True, wait=600.0), "accept"])
    assert isinstance(setting.run(action())[0], Reply)
    assert setting.clock.slept == [600.0]


def test_a_wait_beyond_ten_minutes_ends_the_call_and_is_named(action: Make) -> None:
    setting = Setting([CallError("busy", retry=True, wait=1501.0), "accept"])
    (outcome,) = setting.run(action())
    words = "busy; the next attempt must wait 26 minutes"
    assert outcome == NoReply(reason=words)
    assert setting.clock.slept == []


def test_what_may_have_been_charged_counts_in_full_and_says_so(action: Make) -> None:
    lost = CallError("no reply within 600 s", retry=True, charged=True)
    budget = Budget(price=Price(output=10_000.0), dollars=2.5)
    setting = Setting([lost, "accept"], budget=budget)
    assert isinstance(setting.run(action())[0], Reply)
    first = setting.log[0]
    assert (first.kind.value, first.usage.output, first.cost) == ("retry", 100, 1.0)
    assert first.reason == "no reply within 600 s (counted in full: it may have been charged)"
    assert budget.spent == pytest.approx(1.01)
    assert sum(event.cost for event in setting.log) == pytest.approx(budget.spent)


def test_calls_that_may_have_been_charged_use_the_budget_up(action: Make) -> None:
    lost = CallError("cut", retry=True, charged=True)
    setting = Setting([lost], budget=Budget(price=DEAR, dollars=2.5))
    (outcome,) = setting.run(action())
    assert outcome == NoReply(reason="the budget is spent: $2.50 for this run")
    assert [event.cost for event in setting.log] == [1.0, 1.0, 0.0]
    last = Setting([CallError("cut", charged=True)], budget=Budget(price=DEAR, dollars=2.5))
    last.run(action())
    assert last.log[-1].cost == 1.0


def test_a_fault_of_the_client_leaves_nobody_waiting(action: Make) -> None:
    async def broken(request: Request) -> Reply:
        await asyncio.sleep(0)
        raise ValueError("a fault of ours")

    budget = Budget(price=DEAR, dollars=1.5)
    setting = Setting(SimpleNamespace(complete=broken), budget=budget)

    async def both() -> list[Any]:
        asked = [setting.engine.run(action(name)) for name in "ab"]
        return await asyncio.gather(*asked, return_exceptions=True)

    first, second = asyncio.run(both())
    assert isinstance(first, ValueError)
    assert isinstance(second, NoReply)
    assert budget.spent == 1.0


def test_what_was_set_aside_is_free_again_after_the_call(action: Make) -> None:
    budget = Budget(tokens=400)
    setting = Setting("accept", budget=budget)
    for number in range(3):
        assert isinstance(setting.run(action(f"text {number}"))[0], Reply)
    assert 0 < budget.used < 100


def test_no_more_calls_are_in_flight_than_is_allowed(action: Make) -> None:
    slow = Slow()
    setting = Setting(slow, in_flight=3)
    setting.run(*(action(f"text {number}") for number in range(10)))
    assert slow.most == 3


def test_requests_per_minute_are_kept(action: Make) -> None:
    setting = Setting("accept", in_flight=20, requests=5)
    setting.run(*(action(f"text {number}") for number in range(12)))
    assert setting.clock.now >= 120


def test_whoever_stops_waiting_loses_no_reply(action: Make) -> None:
    setting = Setting(Slow())

    async def leave() -> None:
        asked = asyncio.ensure_future(setting.engine.run(action()))
        await asyncio.sleep(0)
        asked.cancel()
        await setting.engine.finish()

    asyncio.run(leave())
    assert len(setting.store.replies) == 1


def test_whoever_leaves_before_his_turn_holds_nobody_up(action: Make) -> None:
    setting = Setting("accept")

    async def leave() -> Outcome:
        asked = [asyncio.ensure_future(setting.engine.run(action(name))) for name in "abcd"]
        await asyncio.sleep(0)
        asked[1].cancel()
        asked[2].cancel()
        await asyncio.gather(asked[0])
        return await asked[3]

    assert isinstance(asyncio.run(leave()), Reply)


def test_a_reply_that_cannot_be_kept_still_counts_and_is_told(action: Make) -> None:
    setting = Setting("accept")

    def full(key: str, stage: str, reply: Reply) -> None:
        raise IncompleteError("the disk is full")

    setting.store.put = full  # type: ignore[method-assign]
    (outcome,) = setting.run(action())
    assert isinstance(outcome, Reply)
    assert setting.kinds == ["unkept", "ran"]
    assert setting.log[0].reason == "the disk is full"


class Shared:
    """A store that another process writes to: its reply is there once this one has its own."""

    def __init__(self, theirs: Reply) -> None:
        self._theirs = theirs
        self._is_there = False

    def get(self, key: str) -> Reply | None:
        return self._theirs if self._is_there else None

    def put(self, key: str, stage: str, reply: Reply) -> None:
        self._is_there = True  # the first reply to a key stays


def test_of_two_processes_that_ask_the_first_reply_that_was_kept_counts(action: Make) -> None:
    clock = FakeClock()
    theirs = reply("theirs", action().request)
    engine = Engine(
        ScriptedLlm("mine"),
        Shared(theirs),
        limits=CallLimits(in_flight=1, clock=clock, sleep=clock.sleep),
        budget=Budget(),
    )
    assert asyncio.run(engine.run(action())) == theirs
