"""k rollouts of one module, and which of them are spared."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import prompts
from pfcore.llm.protocol import CallError, Endpoint
from pfcore.verification.contract import Contract, Granularity, Judging
from pfcore.verification.rollouts import ballot, is_taken_apart, verdicts
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import Accepted, Flagged, Unread
from prompts import CURRENT
from tests.pfcore.verification.conftest import ACCEPT, FLAG, UPHELD

Desk = Callable[..., Any]

CONTRACT = Contract(endpoint=Endpoint.CHAT, model="m", prompts=tuple(CURRENT.items()))


def read(made: Any, task: ContextTask, judging: Judging) -> Any:
    return asyncio.run(verdicts(made.reading, task, judging))


def test_each_rollout_is_asked_for_itself(desk: Desk, task: ContextTask) -> None:
    made = desk(verify=[ACCEPT, FLAG, ACCEPT], calibrate=[UPHELD])
    found = read(made, task, Judging(rollouts=3))
    assert [type(item) for item in found.values()] == [Accepted, Flagged, Accepted]
    assert made.asked.count("verify") == 3
    assert ballot(found, task.text, Judging(rollouts=3)).reported[0].count == 1


@pytest.mark.parametrize(
    ("replies", "calls"),
    [([ACCEPT], 2), ([FLAG], 2), ([FLAG, ACCEPT, FLAG], 3), ([ACCEPT, FLAG, ACCEPT], 3)],
)
def test_progressive_rollouts_stop_when_it_is_decided(
    desk: Desk, task: ContextTask, replies: list[str], calls: int
) -> None:
    made = desk(verify=replies, calibrate=[UPHELD])
    judging = Judging(rollouts=3, blocking_votes=2, progressive=True)
    read(made, task, judging)
    assert made.asked.count("verify") == calls


def test_a_failed_rollout_decides_nothing(desk: Desk, task: ContextTask) -> None:
    made = desk(verify=[CallError("down")])
    found = read(made, task, Judging(rollouts=2, blocking_votes=2, progressive=True))
    assert [type(item) for item in found.values()] == [Unread, Unread]


def test_more_rollouts_ask_only_for_those_that_are_new(desk: Desk, task: ContextTask) -> None:
    made = desk(verify=[ACCEPT])
    read(made, task, Judging(rollouts=2))
    read(made, task, Judging(rollouts=4))
    assert [event.kind.value for event in made.log].count("ran") == 4


@pytest.mark.parametrize(
    ("granularity", "bound", "apart"),
    [
        (Granularity.AUTHOR, 1, False),
        (Granularity.FINE, 10_000, True),
        (Granularity.AUTO, 1, True),
        (Granularity.AUTO, 10_000, False),
    ],
)
def test_long_modules_are_taken_apart(
    task: ContextTask, granularity: Granularity, bound: int, apart: bool
) -> None:
    contract = replace(CONTRACT, granularity=granularity, bound=bound)
    long = replace(task, proof=task.proof + " So it is." * 120)
    assert is_taken_apart(long, contract) is apart


@pytest.mark.parametrize(("wording", "apart"), [("v1", True), ("v2", False)])
def test_a_proof_of_a_few_lines_is_left_whole(task: ContextTask, wording: str, apart: bool) -> None:
    named = tuple(prompts.SETS[wording].items())
    contract = replace(CONTRACT, prompts=named, granularity=Granularity.FINE)
    assert is_taken_apart(task, contract) is apart
