"""A task to read, and a model that answers by stage."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pytest

import prompts
from pfcore.llm.engine.action import EngineEvent
from pfcore.llm.engine.budget import Budget
from pfcore.llm.engine.run import CallLimits, Engine
from pfcore.llm.protocol import CallError, Endpoint, Request
from pfcore.testing import Answer, FakeClock, MemoryStore, ScriptedLlm
from pfcore.verification.contract import Contract, Judging
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.rollouts import clusters
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import ModuleVerifier, Verdict

CONTRACT = Contract(
    endpoint=Endpoint.CHAT,
    model="a-model",
    prompts=tuple(prompts.CURRENT.items()),
)


ACCEPT = '```json\n{"verdict": "accept"}\n```'
FLAG = (
    "<objections><objection><quote>Hence $x > 0$</quote><problem>zero</problem></objection>"
    '</objections>\n```json\n{"verdict": "flag"}\n```'
)
UPHELD = (
    '<finding id="F1"><quote>Hence $x > 0$</quote><objection>Zero.</objection></finding>\n'
    '```json\n{"flags": [{"id": "F1", "status": "genuine", "class": "gap", '
    '"severity": "error"}]}\n```'
)
UNFAITHFUL = (
    "<difference><original>a</original><rewriting>b</rewriting><effect>it is weaker</effect>"
    '</difference>\n```json\n{"verdict": "unfaithful"}\n```'
)
"""What a reader says of a block, of a flag, of a rewriting."""


@pytest.fixture
def task() -> ContextTask:
    return ContextTask(
        module="lem:a",
        context="c" * 64,
        given=(("Setting", "All rings are commutative."), ("What may be used", "Result 1. R.")),
        statement="Lemma. For all $x$ we have $x > 0$.",
        proof="Proof. By Result 1, $x \\ge 0$.\nHence $x > 0$.",
        rests=2,
    )


def stage_of(request: Request) -> str:
    """The stage of a request, by its prompt."""
    return next(
        stage
        for named in (prompts.RELEASED, *prompts.SETS.values())
        for stage, version in named.items()
        if request.instructions[:60] == prompts.prompt(stage, version)[:60]
    )


@dataclass
class Desk:
    """A reading with a scripted model at hand: answers by stage, the last one repeats."""

    answers: Mapping[str, list[Answer]]
    contract: Contract = CONTRACT
    log: list[EngineEvent] = field(default_factory=list)
    store: MemoryStore = field(default_factory=MemoryStore)

    def __post_init__(self) -> None:
        left = {stage: list(listed) for stage, listed in self.answers.items()}

        def answer(request: Request) -> Answer:
            listed = left.get(stage_of(request)) or [CallError("nothing is scripted")]
            return listed.pop(0) if len(listed) > 1 else listed[0]

        clock = FakeClock()
        self.client = ScriptedLlm(answer)
        self.engine = Engine(
            self.client,
            self.store,
            limits=CallLimits(in_flight=8, clock=clock, sleep=clock.sleep),
            budget=Budget(),
            observe=self.log.append,
        )
        self.reading = ModuleVerifier(
            run=self.engine.run, asking=ActionFactory(contract=self.contract, prompt=prompts.prompt)
        )

    def block(self, task: ContextTask, rollout: int = 1) -> object:
        return asyncio.run(self.reading.block(task, rollout))

    @property
    def asked(self) -> list[str]:
        return [stage_of(request) for request in self.client.requests]


@pytest.fixture
def desk() -> Callable[..., Desk]:
    def make(*, contract: Contract = CONTRACT, **answers: list[Answer]) -> Desk:
        return Desk(answers, contract=contract)

    return make


def is_blocked(verdicts: Mapping[int, Verdict], text: str, judging: Judging) -> bool:
    """Whether enough rollouts object to one place, and gravely enough."""
    return any(
        item.count >= judging.blocking_votes and item.severity.rank >= judging.threshold.rank
        for item in clusters(verdicts, text)
    )
