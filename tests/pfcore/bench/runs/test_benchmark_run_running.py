"""Readings of many rows: their order, their number at once, what is known, what they used."""

import asyncio
from itertools import product

import pytest

from pfcore.bench.runs.benchmark_run import ANEW, jobs, known_readings, read_items
from pfcore.bench.runs.saved_run import Benchmark, Method, Rollout, RunAccount, Truth
from pfcore.bench.runs.simulated_reader import SimulatedRates
from pfcore.llm.prices import Price
from pfcore.llm.protocol import CallError
from pfcore.testing import MemoryStore, ScriptedLlm
from pfcore.verification.locations import printed_place
from tests.pfcore.bench.conftest import Desk

BOTH = list(product(Benchmark, Method))


def all_of(drawn_desk, listed, account=None, at_once=4):
    """All readings, and the order in which they ended."""
    ended: list[Rollout] = []
    found = asyncio.run(
        read_items(
            listed,
            drawn_desk.engine.run,
            account or RunAccount(price=None),
            at_once=at_once,
            fresh=drawn_desk.ran,
            observe=ended.append,
        )
    )
    return found, ended


def calls(rollouts):
    return sum(used.calls for item in rollouts for used in item.used)


def test_all_rows_are_read_once_and_then_again(items) -> None:
    listed = jobs(items(Benchmark.HARD2VERIFY, Method.DIRECT, 3), 2)
    assert [(job.item.name, job.number) for job in listed] == [
        ("made-up-1", 1), ("made-up-2", 1), ("made-up-3", 1),
        ("made-up-1", 2), ("made-up-2", 2), ("made-up-3", 2),
    ]  # fmt: skip
    assert [job.key for job in listed] == [(job.item.name, job.number) for job in listed]


def test_readings_begin_in_their_order_and_no_more_than_so_many_at_once(items) -> None:
    listed = jobs(items(Benchmark.HARD2VERIFY, Method.DIRECT, 3), 2)
    begun: list[tuple[str, int]] = []
    at_once: list[int] = []

    class Slow:
        """An item that notes when it begins and ends."""

        content: list[object] = []  # noqa: RUF012 - nobody writes to it

        def __init__(self, name):
            self.name = name
            self.truth = Truth(name=name)

        async def read(self, run, number):
            begun.append((self.name, number))
            at_once.append(len(begun) - len(ended))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            return Rollout(row=self.name, number=number)

    slow = [job._replace(item=Slow(job.item.name)) for job in listed]
    ended: list[Rollout] = []

    async def nobody(action):
        raise AssertionError

    account = RunAccount(price=None)
    asyncio.run(
        read_items(slow, nobody, account, at_once=2, fresh=frozenset(), observe=ended.append)
    )
    assert begun == [job.key for job in listed]
    assert max(at_once) == 2


@pytest.mark.parametrize(("benchmark", "method"), BOTH)
def test_what_was_read_is_known_and_costs_the_same(items, drawn_desk, benchmark, method) -> None:
    listed = jobs(items(benchmark, method, 4), 2)
    made = drawn_desk()
    price = Price(input=1.0, cached=0.5, output=2.0)
    found, ended = all_of(made, listed, RunAccount(price=price, judge_price=price))
    account = RunAccount(price=price, judge_price=price)
    again = asyncio.run(known_readings(listed, made.store, account))
    assert set(again) == set(found) == {job.key for job in listed}
    assert len(ended) == len(listed)
    for key, rollout in found.items():
        assert again[key].predictions == rollout.predictions
        assert (again[key].steps, again[key].first) == (rollout.steps, rollout.first)
    assert calls(again.values()) == calls(found.values()) == len(made.store.replies)
    assert all(used.fresh == 0 for item in again.values() for used in item.used)
    assert all(used.fresh == used.calls for item in found.values() for used in item.used)
    dollars = [
        sum(used.dollars or 0 for item in group.values() for used in item.used)
        for group in (found, again)
    ]
    assert dollars[0] == pytest.approx(dollars[1])


def test_what_lacks_a_reply_is_not_known(items, drawn_desk) -> None:
    listed = jobs(items(Benchmark.HARD2VERIFY, Method.PF, 3), 1)
    made = drawn_desk()
    found, _ = all_of(made, listed)
    for key in list(made.store.replies)[-1:]:
        del made.store.replies[key]
    left = asyncio.run(known_readings(listed, made.store, RunAccount(price=None)))
    assert len(left) == len(found) - 1
    again = drawn_desk(store=made.store)
    all_of(again, [job for job in listed if job.key not in left])
    assert len(again.ran) <= 1 + 1  # the one that was lost, and what hung on it


def test_replies_that_rollouts_share_are_counted_once(items, drawn_desk) -> None:
    listed = jobs(items(Benchmark.ARXIV, Method.DIRECT, 2), 6)
    made = drawn_desk(rates=SimulatedRates(direct_found=0.0, direct_false=1.0))
    account = RunAccount(price=None)
    found, _ = all_of(made, listed, account)
    judged = [
        used.calls
        for item in found.values()
        for used in item.used
        if used.stage == "judge-inclusive"
    ]
    places = {
        (item.row, printed_place(prediction.location).key)
        for item in found.values()
        for prediction in item.predictions
    }
    assert sum(judged) == len(places)
    assert account.served == account.judges == {"simulated"}


def test_who_gives_no_verdict_is_no_pass(items, drawn_desk) -> None:
    listed = jobs(items(Benchmark.HARD2VERIFY, Method.DIRECT, 3), 1)
    made = drawn_desk(rates=SimulatedRates(malformed=1.0))
    found, _ = all_of(made, listed)
    assert [item.unreached for item in found.values()] == 3 * [("the reply has no JSON block",)]
    assert len(made.ran) == 3 * 2 * (ANEW + 1)
    assert calls(found.values()) == len(made.ran)
    again = asyncio.run(known_readings(listed, made.store, RunAccount(price=None)))
    assert [item.unreached for item in again.values()] == [
        item.unreached for item in found.values()
    ]


@pytest.mark.parametrize(("benchmark", "method"), BOTH)
def test_what_says_nothing_is_asked_anew_and_rows_are_finished(
    items, drawn_desk, benchmark, method
) -> None:
    listed = jobs(items(benchmark, method, 5), 2)
    made = drawn_desk(rates=SimulatedRates(malformed=0.1))
    found, _ = all_of(made, listed)
    assert not any(item.unreached or item.unjudged for item in found.values())
    assert calls(found.values()) == len(made.ran)
    again = asyncio.run(known_readings(listed, made.store, RunAccount(price=None)))
    assert {key: item.steps for key, item in again.items()} == {
        key: item.steps for key, item in found.items()
    }


def test_where_calls_fail_nothing_is_asked_anew(items) -> None:
    listed = jobs(items(Benchmark.HARD2VERIFY, Method.PF, 2), 1)
    client = ScriptedLlm([CallError("down")])
    found, _ = all_of(Desk(client, MemoryStore()), listed)
    assert [item.unreached for item in found.values()] == 2 * [("down",)]
    assert len(client.requests) == 2


def test_a_store_that_knows_nothing_has_nothing(items) -> None:
    listed = jobs(items(Benchmark.ARXIV, Method.PF, 1), 1)
    assert asyncio.run(known_readings(listed, MemoryStore(), RunAccount(price=None))) == {}
