"""Runs before they are made: stages, contracts, names."""

from dataclasses import replace
from itertools import product

import pytest

import prompts
from pfcore.bench.runs.benchmark_run import (
    JUDGING,
    BenchmarkTrial,
    contract,
    judge_contract,
    method_stages,
    rows_digest,
)
from pfcore.bench.runs.saved_run import Benchmark, Method
from pfcore.domain.paper_settings import PaperSettings, ReadingSettings
from tests.pfcore.bench.conftest import CHOICE

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
