"""What a PDF costs: never more than the bound, and about what the paper's own runs came to."""

import asyncio
from dataclasses import replace

import pytest

import prompts
from pfcore.llm.engine.budget import Budget
from pfcore.llm.engine.run import CallLimits, Engine
from pfcore.llm.prices import Price, most
from pfcore.llm.protocol import Endpoint, Request
from pfcore.review.pdf_review import likely_pdf_reading, pdf_reading_at_most, verdicts
from pfcore.testing import FakeClock, MemoryStore, ScriptedLlm
from pfcore.verification.contract import Contract
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.verify import ModuleVerifier
from pfcore.verification.whole_paper import LONGEST, document, sighted

PRICE = Price(input=0.75, cached=0.075, output=4.5)
CONTRACT = Contract(
    endpoint=Endpoint.RESPONSES,
    model="m",
    prompts=tuple(prompts.WHOLE.items()),
    attempts=2,
    pieces=3,
)
PDF = document(b"%PDF-1.7" + b" " * 10_000)
OBJECTIONS = "".join(
    f"<objection><quote>{'q' * 400}</quote><problem>{'p' * 3000}</problem></objection>\n"
    for _ in range(20)
)
FLAG = f'<objections>\n{OBJECTIONS}</objections>\n```json\n{{"verdict": "flag"}}\n```'
UNFAITHFUL = (
    f"<difference><original>{'a' * 30_000}</original><effect>weaker</effect></difference>\n"
    '```json\n{"verdict": "unfaithful"}\n```'
)


def rewriting(length: int) -> str:
    label = "L" * 150
    pieces = "".join(
        f'<PROPOSITION_STATEMENT id="{number}" label="{label}">\n{"s" * 9_000}\n'
        f"</PROPOSITION_STATEMENT>\n"
        f'<PROPOSITION_PROOF id="{number}">\nClear.\n</PROPOSITION_PROOF>\n'
        for number in (1, 2)
    )
    made = (
        f'<THEOREM_STATEMENT id="1" label="{label}">\nTrue.\n</THEOREM_STATEMENT>\n{pieces}'
        '<THEOREM_PROOF id="1">\nBy Propositions 1 and 2. PAD\n</THEOREM_PROOF>\n'
    )
    return made.replace("PAD", "x" * (length - len(made)))


def asking(contract: Contract = CONTRACT) -> ActionFactory:
    return ActionFactory(contract=contract, prompt=prompts.prompt)


def scripted(request: Request) -> str:
    """The longest that may be said, unfaithful, objected to, and never calibrated."""
    said = {
        "translate-paper": rewriting(LONGEST - 9),
        "faithfulness-paper": UNFAITHFUL,
        "verify": FLAG,
        "calibrate-paper": "Hm.",
    }
    stage = next(
        stage
        for stage, version in prompts.WHOLE.items()
        if request.instructions[:60] == prompts.prompt(stage, version)[:60]
    )
    is_new = "The last attempt" not in request.text
    return said[stage] if is_new else said[stage].replace("Clear.", "So it is.")


@pytest.mark.parametrize("attempts", [0, 2])
def test_no_reading_takes_more_than_the_bound(attempts: int) -> None:
    contract = replace(CONTRACT, attempts=attempts)
    clock, client = FakeClock(), ScriptedLlm(scripted)
    engine = Engine(
        client,
        MemoryStore(),
        limits=CallLimits(in_flight=8, clock=clock, sleep=clock.sleep),
        budget=Budget(),
    )
    reading = ModuleVerifier(run=sighted(engine.run, PDF), asking=asking(contract))
    asyncio.run(verdicts(reading, (1, 2), lambda *_: None))
    bound = pdf_reading_at_most(asking(contract), PDF, 2, PRICE)
    used = [most(request) for request in client.requests]
    assert len(used) <= bound.calls
    assert sum(usage.input for usage in used) <= bound.input
    assert sum(usage.output for usage in used) <= bound.output
    assert any(request.document for request in client.requests)


def test_the_bound_grows_with_the_pdf() -> None:
    small, large = (
        pdf_reading_at_most(asking(), document(b"%" * size), 1, PRICE) for size in (10, 10**6)
    )
    assert large.input - small.input >= 10**6 * 0.05


def test_an_average_paper_costs_what_the_paper_says() -> None:
    found = likely_pdf_reading(1, PRICE).dollars
    assert found is not None
    assert round(found, 2) == 0.59
    assert likely_pdf_reading(1, None).dollars is None
