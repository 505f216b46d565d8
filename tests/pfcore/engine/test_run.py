"""The engine: what is called, what is not, and that a failure is never a reply."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from pfcore.engine.action import Action
from pfcore.engine.budget import Budget
from pfcore.engine.events import Event
from pfcore.engine.limits import Limits
from pfcore.engine.run import Engine, NoReply, Outcome
from pfcore.errors import IncompleteError
from pfcore.llm.costs import Price
from pfcore.llm.protocol import CallError, Finish, Reply, Request
from pfcore.testing import FakeClock, MemoryStore, ScriptedLlm, reply

Make = Callable[..., Action]


class Setting:
    """An engine with everything around it at hand."""

    def __init__(
        self, answers: Any, *, budget: Budget | None = None, in_flight: int = 8, **limits: int
    ) -> None:
        self.client: Any = answers if hasattr(answers, "complete") else ScriptedLlm(answers)
        self.store = MemoryStore()
        self.clock = FakeClock()
        self.log: list[Event] = []
        self.budget = budget or Budget()
        self.engine = Engine(
            self.client,
            self.store,
            limits=Limits(in_flight=in_flight, clock=self.clock, sleep=self.clock.sleep, **limits),
            budget=self.budget,
            sleep=self.clock.sleep,
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
        await asyncio.sleep(0)
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
    setting = Setting("accept")
    outcomes = setting.run(action(), action(), action())
    assert len(set(map(id, outcomes))) == 1
    assert sorted(setting.kinds) == ["joined", "joined", "ran"]


def test_rollouts_are_calls_of_their_own(action: Make) -> None:
    setting = Setting("accept")
    setting.run(action(rollout=1), action(rollout=2))
    assert setting.kinds == ["ran", "ran"]


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


def test_what_will_not_pass_is_not_tried_again(action: Make) -> None:
    setting = Setting([CallError("too long for this model")])
    assert setting.run(action()) == [NoReply(reason="too long for this model")]
    assert setting.kinds == ["failed"]


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


def test_a_budget_is_checked_before_each_call(action: Make) -> None:
    price = Price(output=10_000.0)  # a cent for each token
    budget = Budget(price=price, dollars=2.5)
    setting = Setting(Slow(), budget=budget)
    outcomes = setting.run(*(action(f"text {number}") for number in range(4)))
    assert len([outcome for outcome in outcomes if isinstance(outcome, Reply)]) == 2
    assert NoReply(reason="the budget is spent") in outcomes
    assert budget.spent <= 2.5


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


def test_a_reply_that_cannot_be_kept_still_counts_and_is_told(action: Make) -> None:
    setting = Setting("accept")

    def full(key: str, stage: str, reply: Reply) -> None:
        raise IncompleteError("the disk is full")

    setting.store.put = full  # type: ignore[method-assign]
    (outcome,) = setting.run(action())
    assert isinstance(outcome, Reply)
    assert setting.kinds == ["unkept", "ran"]
    assert setting.log[0].reason == "the disk is full"
