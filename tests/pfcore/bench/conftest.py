"""Made-up rows, and what reads them without a model: an engine with a simulated reader."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import prompts
from pfcore.bench.runs import benchmark_rows, synthetic
from pfcore.bench.runs.benchmark_run import (
    JUDGING,
    GradedProofItem,
    Item,
    PaperItem,
    ProofItem,
    contract,
    judge_contract,
    method_stages,
)
from pfcore.bench.runs.graded_proofs import GradedProof
from pfcore.bench.runs.saved_run import Benchmark, Method
from pfcore.bench.runs.simulated_reader import NAME, SimulatedModel, SimulatedRates
from pfcore.domain.paper_settings import PaperSettings
from pfcore.llm.connection import Connection
from pfcore.llm.engine.action import EngineEvent, EngineEventKind
from pfcore.llm.engine.budget import Budget
from pfcore.llm.engine.run import CallLimits, Engine, Store
from pfcore.llm.model_settings import ModelChoice
from pfcore.llm.protocol import LlmClient
from pfcore.testing import FakeClock, MemoryStore
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.whole_paper import document

CHOICE = ModelChoice(
    model=NAME, named_by="a test", connection=Connection(base_url="http://127.0.0.1"), price=None
)


class Desk:
    """An engine whose events are known: `ran` has the keys of all calls."""

    def __init__(self, client: LlmClient, store: Store, *, in_flight: int = 16) -> None:
        self.ran: set[str] = set()
        self.log: list[EngineEvent] = []
        clock = FakeClock()
        self.store = store
        self.engine = Engine(
            client,
            store,
            limits=CallLimits(in_flight=in_flight, clock=clock, sleep=clock.sleep),
            budget=Budget(),
            observe=self._note,
        )

    def _note(self, event: EngineEvent) -> None:
        self.log.append(event)
        if event.kind is EngineEventKind.RAN:
            self.ran.add(event.key)


@pytest.fixture
def drawn_desk() -> Callable[..., Desk]:
    """Makes one, with a simulated reader."""

    def make(
        *, rates: SimulatedRates | None = None, seed: int = 1, store: Store | None = None
    ) -> Desk:
        model = SimulatedModel(rates, chance=Random(seed))
        return Desk(model, store or MemoryStore())

    return make


def whole(row: dict[str, Any]) -> GradedProof:
    """A made-up solution as one proof with one grade."""
    return GradedProof(
        name=row["unique_id"],
        problem=row["question"],
        proof="\n\n".join(row["model_response_by_step"]),
        is_right=all(row["human_labels"]),
    )


Make = Callable[..., list[Item]]


@pytest.fixture
def items(tmp_path: Path) -> Make:
    """Makes the items of made-up rows."""

    def make(
        benchmark: Benchmark, method: Method, count: int, *, self_repair: bool = True
    ) -> list[Item]:
        synthetic.write_rows(tmp_path, count)
        settings = PaperSettings.default()
        versions = method_stages(benchmark, method)
        asks = contract(CHOICE, settings, benchmark, versions, self_repair=self_repair)
        asking = ActionFactory(contract=asks, prompt=prompts.prompt)
        if benchmark is Benchmark.HARD2VERIFY:
            loaded = benchmark_rows.load_solutions([tmp_path / synthetic.PROOFS])
            return [ProofItem(row=row, method=method, asking=asking) for row in loaded.rows]
        if benchmark is Benchmark.PROOFS:
            rows = synthetic.proofs(count)
            return [GradedProofItem(row=whole(row), method=method, asking=asking) for row in rows]
        judges = {stage: prompts.RELEASED[stage] for stage in JUDGING}
        judge = ActionFactory(
            contract=judge_contract(CHOICE, settings, judges), prompt=prompts.prompt
        )
        papers = benchmark_rows.load_papers(tmp_path / synthetic.PAPERS, tmp_path / synthetic.PDFS)
        return [
            PaperItem(
                row=row,
                pdf=document(row.pdf.read_bytes()),
                method=method,
                asking=asking,
                judge=judge,
            )
            for row in papers
        ]

    return make
