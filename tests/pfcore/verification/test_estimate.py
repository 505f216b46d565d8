"""What reading takes: the engine never uses more than the bound, whatever a model replies."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import prompts
from pfcore.llm.engine.action import EngineEvent
from pfcore.llm.engine.budget import Budget
from pfcore.llm.engine.run import CallLimits, Engine
from pfcore.llm.prices import Price, most
from pfcore.llm.protocol import CallError, Endpoint, Finish, Reply, Request, TokenUsage
from pfcore.testing import Answer, FakeClock, MemoryStore, ScriptedLlm
from pfcore.verification.contract import Contract, Granularity, Judging
from pfcore.verification.estimate import CostEstimate, likely_reading, reading_at_most, seconds
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.rollouts import verdicts
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import ModuleVerifier
from tests.pfcore.verification.conftest import ACCEPT

PRICE = Price(input=0.75, cached=0.075, output=4.5)
CONTRACT = Contract(
    endpoint=Endpoint.CHAT,
    model="m",
    prompts=tuple(prompts.CURRENT.items()),
    granularity=Granularity.FINE,
    pieces=3,
    limit=5_000,
)
TASK = ContextTask(
    module="lem:a",
    context="c" * 64,
    given=(("Setting", "All rings are commutative."), ("What may be used", "Result 1. R.")),
    statement="Lemma. For all $x$ we have $x > 0$.",
    proof=f"Proof. By Result 1, $x \\ge 0$. {'That is so. ' * 100}\nHence $x > 0$.",
)
"""Long enough to be taken apart."""


def asking(contract: Contract) -> ActionFactory:
    return ActionFactory(contract=contract, prompt=prompts.prompt)


def stage_of(request: Request) -> str:
    return next(
        stage
        for named in prompts.SETS.values()
        for stage, version in named.items()
        if request.instructions[:60] == prompts.prompt(stage, version)[:60]
    )


def rewriting(pieces: int, word: str, *, padding: int = 0) -> str:
    middle = "".join(
        f'<PROPOSITION_STATEMENT id="{number}">\n{word} {number}.\n</PROPOSITION_STATEMENT>\n'
        f'<PROPOSITION_PROOF id="{number}">\nIt is {word}.{" so" * padding}\n</PROPOSITION_PROOF>\n'
        for number in range(1, pieces)
    )
    return (
        f"<THEOREM_STATEMENT>\n{word}.\n</THEOREM_STATEMENT>\n{middle}"
        f"<THEOREM_PROOF>\nSo it is {word}.\n</THEOREM_PROOF>\n"
    )


def flags(count: int, length: int) -> str:
    one = f"<objection><quote>Hence $x > 0$</quote><problem>{'no ' * length}</problem></objection>"
    verdict = "flag" if count else "open"
    return f'<objections>{one * count}</objections>\n```json\n{{"verdict": "{verdict}"}}\n```'


def wanting(count: int) -> str:
    keys = "".join(f"<wanted>key {number}</wanted>" for number in range(count))
    return f"<missing>{keys}</missing>"


def audit(request: Request, *, quote: str) -> str:
    """A calibration of as many flags as the request has, the first one genuine."""
    count = request.text.count("\nreason: ")
    entries = ['{"id": "F1", "status": "genuine", "class": "gap", "severity": "error"}']
    entries += [f'{{"id": "F{n}", "status": "false_alarm"}}' for n in range(2, count + 1)]
    return (
        f'<finding id="F1"><quote>{quote}</quote><objection>No.</objection></finding>\n'
        f'```json\n{{"flags": [{", ".join(entries)}]}}\n```'
    )


FAITHFUL = '```json\n{"verdict": "faithful"}\n```'


def unfaithful(length: int) -> str:
    one = f"<original>{'a' * length}</original><rewriting>b</rewriting><effect>weaker</effect>"
    return f'<difference>{one}</difference>\n```json\n{{"verdict": "unfaithful"}}\n```'


class Worst:
    """A model whose replies follow a list of numbers, each as long and as dear as it may be."""

    def __init__(self, choices: Sequence[int], *, may_ask: bool = False) -> None:
        self.choices = list(choices)
        self.may_ask = may_ask
        self.count = 0

    def __call__(self, request: Request) -> Answer:
        choice = self.choices[self.count % len(self.choices)]
        self.count += 1
        if choice == 0:
            return CallError("down")
        text = "Hm." if choice == 1 else self.text(request, choice)
        return Reply(text=text, usage=most(request), finish=Finish.STOP, model="m")

    def text(self, request: Request, choice: int) -> str:
        match stage_of(request):
            case "translate":
                return rewriting(choice - 1, f"w{self.count}", padding=500 * (choice % 3))
            case "faithfulness":
                return FAITHFUL if choice == 2 else unfaithful(10 ** (choice - 2))
            case "verify":
                if choice in (4, 5) and self.may_ask:
                    return wanting(choice) + flags(choice - 4, 500)
                return ACCEPT if choice == 2 else flags(4 * choice, 10 ** (choice - 2))
            case _:
                return audit(request, quote="Hence $x > 0$" if choice == 2 else "nowhere")


def used(
    task: ContextTask, contract: Contract, judging: Judging, model: ScriptedLlm
) -> tuple[int, TokenUsage, float]:
    """What the engine's calls took: how many, tokens, dollars."""
    log: list[EngineEvent] = []
    clock = FakeClock()
    engine = Engine(
        model,
        MemoryStore(),
        limits=CallLimits(in_flight=8, clock=clock, sleep=clock.sleep),
        budget=Budget(price=PRICE),
        observe=log.append,
    )
    reading = ModuleVerifier(run=engine.run, asking=asking(contract))
    asyncio.run(verdicts(reading, task, judging))
    usage = sum((event.usage for event in log), TokenUsage())
    return len(model.requests), usage, sum(event.cost for event in log)


CONTRACTS = st.builds(
    partial(replace, CONTRACT, bound=1_000),
    granularity=st.sampled_from(Granularity),
    attempts=st.integers(0, 3),
    pieces=st.integers(1, 4),
    prompts=st.sampled_from([tuple(listed.items()) for listed in prompts.SETS.values()]),
    asks=st.booleans(),
)
JUDGINGS = st.builds(
    Judging, rollouts=st.integers(1, 3), blocking_votes=st.just(1), progressive=st.booleans()
)


@given(
    choices=st.lists(st.integers(0, 5), min_size=1, max_size=40),
    contract=CONTRACTS,
    judging=JUDGINGS,
    length=st.sampled_from((0, 1_000)),
)
def test_reading_never_takes_more_than_the_bound(
    choices: list[int], contract: Contract, judging: Judging, length: int
) -> None:
    task = replace(
        TASK, proof=TASK.proof + " so" * length, answer=lambda key: f"{key} is meant. " * 2_000
    )
    model = ScriptedLlm(Worst(choices, may_ask=contract.may_ask))
    calls, usage, cost = used(task, contract, judging, model)
    bound = reading_at_most([task], asking(contract), judging, PRICE)
    assert bound.dollars is not None
    assert calls <= bound.calls
    assert usage.input <= bound.input
    assert usage.output <= bound.output
    assert cost <= bound.dollars + 1e-9


@pytest.mark.parametrize("attempts", [0, 1, 3])
def test_the_bound_on_calls_is_reached(attempts: int) -> None:
    """By the worst model: the form is right, nothing faithful, every first reply malformed.

    It always asks for something, too.

    All its objections are false alarms, so that what was unfaithful is read as it stands. Where
    nothing is compared, it is the form that is wrong at first.
    """
    seen: dict[str, int] = {}

    def answer(request: Request) -> Answer:
        stage = stage_of(request)
        seen[stage] = seen.get(stage, 0) + 1
        if stage == "translate":
            is_bad = attempts == 0 and "The form is wrong" not in request.text
            return "Hm." if is_bad else rewriting(3, f"w{seen[stage]}")
        if "What was wrong with the last attempt" not in request.text:
            return "Hm."
        if stage == "calibrate":
            return audit(request, quote="x").replace("genuine", "false_alarm").partition("\n")[2]
        if stage == "faithfulness":
            return unfaithful(1)
        return flags(1, 1) if "begin: Supplied" in request.text else wanting(1) + flags(1, 1)

    contract = replace(CONTRACT, attempts=attempts)
    task = replace(TASK, answer=lambda key: f"{key} is meant.")
    calls, _, _ = used(task, contract, Judging(), ScriptedLlm(answer))
    assert calls == reading_at_most([TASK], asking(contract), Judging(), PRICE).calls


def test_a_module_that_is_one_block_takes_at_most_six_calls_for_each_rollout() -> None:
    contract = replace(CONTRACT, granularity=Granularity.AUTHOR)
    bound = reading_at_most([TASK, TASK], asking(contract), Judging(rollouts=3), PRICE)
    assert (bound.calls, bound.output) == (36, 36 * 5_000)


def test_progressive_rollouts_are_all_counted() -> None:
    one = reading_at_most([TASK], asking(CONTRACT), Judging(progressive=True), PRICE)
    assert one == reading_at_most([TASK], asking(CONTRACT), Judging(), PRICE)


def test_nothing_to_read_takes_nothing() -> None:
    assert reading_at_most([], asking(CONTRACT), Judging(), PRICE) == CostEstimate()
    assert likely_reading([], asking(CONTRACT), Judging(), PRICE) == CostEstimate()
    assert seconds(CostEstimate(), 10.0, 4) == 0.0


def test_without_a_price_there_are_no_dollars() -> None:
    assert reading_at_most([TASK], asking(CONTRACT), Judging(), None).dollars is None
    assert likely_reading([TASK], asking(CONTRACT), Judging(), None).dollars is None


@pytest.mark.parametrize("granularity", Granularity)
@pytest.mark.parametrize("attempts", [0, 3])
@pytest.mark.parametrize("pieces", [1, 40])
@pytest.mark.parametrize("progressive", [False, True])
def test_what_is_likely_is_no_more_than_the_bound(
    granularity: Granularity, attempts: int, pieces: int, progressive: bool
) -> None:
    contract = replace(
        CONTRACT, granularity=granularity, attempts=attempts, pieces=pieces, limit=2_000
    )
    judging = Judging(progressive=progressive)
    expected = likely_reading([TASK], asking(contract), judging, PRICE)
    bound = reading_at_most([TASK], asking(contract), judging, PRICE)
    assert 0 < expected.calls <= bound.calls
    assert 0 < expected.input <= bound.input
    assert 0 < expected.output <= bound.output


@pytest.mark.parametrize(("wording", "compared", "dollars"), [("v1", 10, 0.145), ("v2", 1, 0.125)])
def test_an_average_rollout_costs_about_what_the_paper_says(
    wording: str, compared: int, dollars: float
) -> None:
    """0.165 dollars, of which input is a third: our contexts are shorter, so it is less."""
    named = tuple(prompts.SETS[wording].items())
    contract = replace(CONTRACT, prompts=named, pieces=40, limit=16_000)
    expected = likely_reading(
        [TASK], asking(contract), Judging(rollouts=1, blocking_votes=1), PRICE
    )
    assert expected.output == 8_550 + compared * 372 + 10 * 1_000 + 4_138
    assert expected.dollars == pytest.approx(dollars, abs=0.01)


@pytest.mark.parametrize(("in_flight", "wanted"), [(1, 100.0), (4, 25.0), (100, 10.0)])
def test_a_local_model_writes_on_several_calls_at_once(in_flight: int, wanted: float) -> None:
    assert seconds(CostEstimate(calls=10, output=1_000), 10.0, in_flight) == wanted
