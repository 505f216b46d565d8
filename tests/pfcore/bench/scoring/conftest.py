"""Runs of benchmarks that nobody made: readers of known rates, drawn by a seed."""

from collections.abc import Callable
from random import Random

import pytest

from pfcore.bench.runs.saved_run import (
    Benchmark,
    Header,
    Judge,
    Method,
    Prediction,
    Rollout,
    RunAsked,
    SavedRun,
    Spent,
    Truth,
    Used,
)
from pfcore.domain.digest import text_digest
from pfcore.llm.prices import Price
from pfcore.llm.protocol import TokenUsage

PRICE = Price(input=0.75, cached=0.075, output=4.5)
STAGES = {Method.DIRECT: ("direct",), Method.PF: ("translate", "faithfulness", "verify")}


def steps(rows: int, chance: Random) -> list[Truth]:
    """Proofs of some steps, half of them with wrong ones."""
    listed = []
    for number in range(rows):
        count = chance.randint(4, 14)
        wrong = sorted(chance.sample(range(count), chance.choice((0, 0, 1, 2, 3))))
        listed.append(Truth(name=f"proof {number}", steps=count, wrong=tuple(wrong)))
    return listed


def whole(rows: int, chance: Random) -> list[Truth]:
    """Proofs with one grade, two of each problem."""
    return [
        Truth(name=f"proof {number}", steps=1, wrong=wrong, group=f"problem {number // 2}")
        for number in range(rows)
        for wrong in (chance.choice(((), (0,))),)
    ]


def papers(rows: int, chance: Random) -> list[Truth]:
    """Papers with one or two known errors."""
    listed = []
    for number in range(rows):
        places = tuple(f"Lemma {number}.{part}" for part in range(1, chance.randint(2, 3)))
        every = tuple(range(len(places)))
        listed.append(Truth(name=f"paper {number}", places=places, own=every, reference=every))
    return listed


def used(stage: str, chance: Random) -> Used:
    usage = TokenUsage(
        input=chance.randint(2000, 9000),
        cached=chance.randint(0, 900),
        output=chance.randint(500, 4000),
    )
    return Used(stage=stage, calls=3, fresh=2, usage=usage, dollars=PRICE.of(usage))


def rollout(row: Truth, number: int, method: Method, rates: tuple[float, float], chance: Random):
    recall, alarms = rates
    costs = tuple(used(stage, chance) for stage in STAGES[method])
    if row.steps is not None:
        flagged = [
            step
            for step in range(row.steps)
            if chance.random() < (recall if step in row.wrong else alarms)
        ]
        first = flagged[0] if flagged else None
        return Rollout(row=row.name, number=number, steps=tuple(flagged), first=first, used=costs)
    found = [
        Prediction(location=place, words="No.", matches=dict.fromkeys(Judge, (index,)))
        for index, place in enumerate(row.places)
        if chance.random() < recall
    ]
    found += [
        Prediction(location=f"Theorem {place}", words="?", matches=dict.fromkeys(Judge, ()))
        for place in range(1, 13)
        if chance.random() < alarms
    ]
    return Rollout(row=row.name, number=number, predictions=tuple(found), used=costs)


@pytest.fixture
def simulated() -> Callable[..., SavedRun]:
    """A run of readers who find errors with one chance and err with another."""
    return make


def make(
    method: Method = Method.PF,
    benchmark: Benchmark = Benchmark.HARD2VERIFY,
    *,
    rates: tuple[float, float] = (0.5, 0.05),
    rows: int = 30,
    k: int = 4,
    model: str = "a-model",
    self_repair: bool = True,
    seed: int = 0,
) -> SavedRun:
    data = Random(f"data {rows}")
    kinds = {Benchmark.HARD2VERIFY: steps, Benchmark.PROOFS: whole, Benchmark.ARXIV: papers}
    truths = kinds[benchmark](rows, data)
    chance = Random(f"{seed} {method} {model} {rates}")
    rollouts = tuple(
        rollout(row, number, method, rates, chance) for number in range(1, k + 1) for row in truths
    )
    asked = RunAsked(
        model=model,
        served=(f"{model}-2026-10",),
        contract=text_digest(f"{method} {model}"),
        asks={},
    )
    return SavedRun(
        header=Header(
            benchmark=benchmark,
            method=method,
            self_repair=self_repair,
            simulated=True,
            asked=asked,
            judge=asked if benchmark is Benchmark.ARXIV else None,
            n=rows,
            k=k,
            date="2026-11-21T18:00:00Z",
            data="rows.jsonl",
            data_digest="cd" * 32,
            version="0.1.0",
            price=PRICE,
            spent=Spent(),
        ),
        rows=tuple(truths),
        rollouts=rollouts,
    )
