"""Runs before they are made: stages, contracts, names."""

import asyncio
from dataclasses import replace
from itertools import product

import pytest

import prompts
from pfcore.bench.runs.benchmark_run import (
    JUDGING,
    BenchmarkTrial,
    ProofItem,
    contract,
    judge_contract,
    method_stages,
    rows_digest,
)
from pfcore.bench.runs.saved_run import Benchmark, Method
from pfcore.bench.runs.simulated_reader import SimulatedModel, SimulatedRates, answer_key
from pfcore.bench.runs.solution_steps import read_solution
from pfcore.domain.paper_settings import PaperSettings, ReadingSettings
from pfcore.testing import MemoryStore
from pfcore.verification.contract import Granularity
from pfcore.verification.verify import ModuleVerifier, Unread
from tests.pfcore.bench.conftest import CHOICE, Desk

SETTINGS = PaperSettings.default()
ASKS = contract(
    CHOICE,
    SETTINGS,
    Benchmark.ARXIV,
    method_stages(Benchmark.ARXIV, Method.PF),
    self_repair=True,
)
TRIAL = BenchmarkTrial(
    benchmark=Benchmark.ARXIV,
    method=Method.PF,
    self_repair=True,
    k=3,
    contract=ASKS,
    judge=judge_contract(CHOICE, SETTINGS, dict.fromkeys(JUDGING, "v1")),
    items=(),
    data="rows.jsonl",
    data_digest="ab" * 32,
)


@pytest.mark.parametrize(("benchmark", "method"), list(product(Benchmark, Method)))
def test_every_stage_of_a_method_has_a_prompt(benchmark: Benchmark, method: Method) -> None:
    for stage, version in method_stages(benchmark, method).items():
        assert prompts.prompt(stage, version)


def test_together_they_use_every_prompt_of_benchmarks() -> None:
    used = {stage for pair in product(Benchmark, Method) for stage in method_stages(*pair)}
    assert set(prompts.BENCH) <= used | set(JUDGING)


def test_self_repair_is_in_the_contract() -> None:
    versions = method_stages(Benchmark.HARD2VERIFY, Method.PF)
    without = PaperSettings(reading=ReadingSettings(attempts=0))
    asks = [
        contract(CHOICE, settings, Benchmark.HARD2VERIFY, versions, self_repair=repair).attempts
        for settings, repair in ((SETTINGS, True), (SETTINGS, False), (without, True))
    ]
    assert asks == [3, 0, 1]


@pytest.mark.parametrize(
    "change",
    [
        {"k": 4},
        {"method": Method.DIRECT},
        {"self_repair": False},
        {"benchmark": Benchmark.HARD2VERIFY},
        {"data_digest": "cd" * 32},
        {"contract": replace(ASKS, effort="high")},
        {"contract": replace(ASKS, model="another/model")},
        {"judge": None},
    ],
)
def test_two_runs_that_differ_have_two_names(change) -> None:
    assert replace(TRIAL, **change).name != TRIAL.name


def test_a_name_is_a_files() -> None:
    odd = replace(TRIAL, contract=replace(ASKS, model="../a model:7b"))
    assert odd.name.startswith("arxiv-pf-a-model-7b-k3-abababab-")
    assert "/" not in odd.name
    nameless = replace(TRIAL, contract=replace(ASKS, model="模型"))
    assert nameless.name.startswith("arxiv-pf-model-k3-")


def test_what_judges_are_asked_has_nothing_of_how_papers_are_read() -> None:
    other = PaperSettings(reading=ReadingSettings(strictness="pedantic", attempts=1))
    versions = dict.fromkeys(JUDGING, "v1")
    assert judge_contract(CHOICE, other, versions) == TRIAL.judge


def test_rows_are_told_apart_by_all_that_is_read_of_them(items) -> None:
    one, two = items(Benchmark.HARD2VERIFY, Method.PF, 2)
    digests = {rows_digest(listed) for listed in ([one], [two], [one, two], [two, one])}
    assert len(digests) == 4
    (paper,) = items(Benchmark.ARXIV, Method.PF, 1)
    other = replace(paper, pdf=replace(paper.pdf, digest="0" * 64))
    assert rows_digest([paper]) != rows_digest([other])
    assert rows_digest([paper]) == rows_digest(items(Benchmark.ARXIV, Method.DIRECT, 1))


def long(item: ProofItem, steps: int) -> ProofItem:
    """The same with so many steps, all of them right."""
    texts = tuple(f"Step number {step}." for step in range(steps))
    row = replace(item.row, steps=texts, labels=(True,) * steps, first_error=None)
    return replace(item, row=row)


@pytest.mark.parametrize(("steps", "pieces"), [(1, 40), (40, 40), (41, 61), (60, 80), (400, 420)])
def test_the_limit_of_pieces_follows_the_length_of_a_row(items, steps: int, pieces: int) -> None:
    (item,) = items(Benchmark.HARD2VERIFY, Method.PF, 1)
    found = long(item, steps).roomy.contract
    assert found.pieces == pieces
    assert (found == item.asking.contract) == (steps <= 40)
    assert (found.digest() == item.asking.contract.digest()) == (steps <= 40)


def test_what_is_not_taken_apart_has_the_limit_that_it_had(items) -> None:
    (item,) = items(Benchmark.HARD2VERIFY, Method.DIRECT, 1)
    assert long(item, 60).roomy == item.asking


def test_a_longer_limit_changes_no_question(items) -> None:
    (item,) = items(Benchmark.HARD2VERIFY, Method.PF, 1)
    made = long(item, 60)
    asked = [
        asking.action("translate-solution", (("Problem", "x"),), rollout=1).key()
        for asking in (made.asking, made.roomy)
    ]
    assert asked[0] == asked[1]


@pytest.mark.parametrize("steps", [39, 40, 41, 60])
def test_a_row_of_many_steps_is_read(items, drawn_desk, steps: int) -> None:
    (item,) = items(Benchmark.HARD2VERIFY, Method.PF, 1)
    made = long(item, steps)
    labels = tuple(step % 2 == 0 for step in range(steps))
    made = replace(made, row=replace(made.row, labels=labels, first_error=1))
    rates = SimulatedRates(block_found=1, kept=1, block_false=0, unfaithful=0)
    desk = Desk(SimulatedModel(rates, known=answer_key([made])), MemoryStore())
    found = asyncio.run(made.read(desk.engine.run, 1))
    assert found.unreached == ()
    assert found.steps == tuple(range(1, steps, 2))


def test_before_the_limit_followed_such_a_row_was_refused(items) -> None:
    (item,) = items(Benchmark.HARD2VERIFY, Method.PF, 1)
    made = long(item, 60)
    rates = SimulatedRates(block_false=0, unfaithful=0)
    desk = Desk(SimulatedModel(rates, known=answer_key([made])), MemoryStore())
    reader = ModuleVerifier(run=desk.engine.run, asking=item.asking)
    found = asyncio.run(read_solution(reader, made.solution, 1))
    assert isinstance(found, Unread)
    assert "at most 40 may be" in found.reason


def test_whole_proofs_are_asked_about_as_results_of_papers_are(items) -> None:
    (item,) = items(Benchmark.PROOFS, Method.PF, 1)
    asks = item.asking.contract
    assert dict(asks.prompts) == {
        stage: prompts.CURRENT[stage] for stage in ("verify", "calibrate")
    }
    assert (asks.granularity, asks.attempts, asks.pieces) == (Granularity.AUTHOR, 0, 1)
    other = replace(item, row=replace(item.row, is_right=not item.row.is_right))
    assert rows_digest([item]) != rows_digest([other])
