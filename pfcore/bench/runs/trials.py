"""A run of a benchmark before it is made: its rows, its contracts, what it is called."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import prompts
from pfcore.bench.runs import grading, location_judges, solution_steps, step_calibration
from pfcore.bench.runs.benchmark_run import Item
from pfcore.bench.runs.saved_run import Benchmark, Method
from pfcore.domain.digest import digest
from pfcore.domain.paper_settings import PaperSettings
from pfcore.llm.model_settings import ModelChoice
from pfcore.review.settled import contract_of
from pfcore.verification import direct, paper_calibration, stages_verify, whole_paper
from pfcore.verification.contract import Contract, Granularity

FORM = "pf-bench/1"
"""The version of what the requests of benchmarks are made of."""
SUFFIX = ".jsonl"
"""How the name of a saved run's file ends."""

_PIECES = {Benchmark.HARD2VERIFY: 40, Benchmark.ARXIV: 100}
_STAGES: Mapping[tuple[Benchmark, Method], tuple[str, ...]] = {
    (Benchmark.HARD2VERIFY, Method.DIRECT): (grading.DIRECT,),
    (Benchmark.HARD2VERIFY, Method.PF): (
        solution_steps.TRANSLATE,
        solution_steps.FAITHFUL,
        stages_verify.STAGE,
        step_calibration.STAGE,
    ),
    (Benchmark.ARXIV, Method.DIRECT): (direct.DIRECT_PAPER,),
    (Benchmark.ARXIV, Method.PF): (
        whole_paper.TRANSLATE,
        whole_paper.FAITHFUL,
        stages_verify.STAGE,
        paper_calibration.CALIBRATE_PAPER,
    ),
}
JUDGING = (whole_paper.INCLUSIVE, location_judges.STRICT)
"""The stages that judge locations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkTrial:
    """What is to be read, how, and how often; `judge` is None where nobody judges locations.

    `data` is the data file's name, `data_digest` that of its rows as they are read.
    """

    benchmark: Benchmark
    method: Method
    self_repair: bool
    k: int
    contract: Contract
    judge: Contract | None
    items: Sequence[Item]
    data: str
    data_digest: str

    @property
    def name(self) -> str:
        """A name that only the same run has."""
        repair = "" if self.self_repair or self.method is Method.DIRECT else "-no-repair"
        model = re.sub(r"[^A-Za-z0-9.]+", "-", self.contract.model).strip("-.") or "model"
        asks = digest([self.contract.fields(), self.judge.fields() if self.judge else None])
        what = f"{self.data_digest[:8]}-{asks[:8]}"
        return f"{self.benchmark}-{self.method}{repair}-{model}-k{self.k}-{what}"


def method_stages(benchmark: Benchmark, method: Method) -> Mapping[str, str]:
    """The stages that a method needs, with the versions of our prompts."""
    return {stage: prompts.RELEASED[stage] for stage in _STAGES[benchmark, method]}


def contract(
    choice: ModelChoice,
    settings: PaperSettings,
    benchmark: Benchmark,
    versions: Mapping[str, str],
    *,
    self_repair: bool,
) -> Contract:
    """What is asked; without self-repair a rewriting is not compared with what it rewrites."""
    made = contract_of(choice, settings, "", versions)
    return replace(
        made,
        granularity=Granularity.FINE,
        bound=0,
        attempts=max(1, made.attempts) if self_repair else 0,
        pieces=_PIECES[benchmark],
        form=FORM,
    )


def judge_contract(
    choice: ModelChoice, settings: PaperSettings, versions: Mapping[str, str]
) -> Contract:
    """What judges of locations are asked; nothing of how papers are read is in it."""
    made = contract_of(
        choice, replace(settings, reading=PaperSettings.default().reading), "", versions
    )
    return replace(made, granularity=Granularity.AUTHOR, bound=0, attempts=0, pieces=1, form=FORM)


def rows_digest(items: Sequence[Item]) -> str:
    """The digest of rows as they are read and scored."""
    return digest([item.content for item in items])
