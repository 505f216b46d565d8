"""A paper read from its PDF: translated, held against it, verified in pieces, calibrated."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import prompts
from pfcore.llm.engine.action import Action
from pfcore.llm.protocol import CallError, Endpoint
from pfcore.verification.contract import Contract
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.verify import ModuleVerifier, Unread
from pfcore.verification.whole_paper import (
    LONGEST,
    TIMES,
    PaperRead,
    PaperVerdict,
    document,
    read_paper,
    sighted,
)
from tests.pfcore.verification.conftest import ACCEPT, FLAG, UNFAITHFUL

Desk = Callable[..., Any]

CONTRACT = Contract(
    endpoint=Endpoint.RESPONSES,
    model="m",
    prompts=tuple(prompts.WHOLE.items()),
    attempts=0,
    pieces=5,
)
PDF = document(b"%PDF-1.7 one")
GOOD = """<THEOREM_STATEMENT id="1" label="Theorem 1.1">
For all $x$ we have $x > 0$.
</THEOREM_STATEMENT>
<THEOREM_STATEMENT id="2" label="Theorem B">
For all $x$ we have $x \\ne 0$.
</THEOREM_STATEMENT>
<PROPOSITION_STATEMENT id="1" label="Lemma 4.3">
$x \\ge 0$.
</PROPOSITION_STATEMENT>
<PROPOSITION_PROOF id="1">
Clear.
</PROPOSITION_PROOF>
<THEOREM_PROOF id="1">
By Proposition 1, $x \\ge 0$. Hence $x > 0$.
</THEOREM_PROOF>
<THEOREM_PROOF id="2">
By Theorem 1.
</THEOREM_PROOF>
"""
QUIET = '```json\n{"flags": [], "own": []}\n```'
UPHELD = (
    '<finding id="F1"><location>Theorem 1.1</location><quote>x</quote>'
    "<objection>Zero.</objection></finding>\n"
    '```json\n{"flags": [{"id": "F1", "status": "genuine", "class": "gap", '
    '"severity": "error"}], "own": []}\n```'
)
ADDED = (
    '<finding id="E1"><location>Section 2</location><objection>Odd.</objection></finding>\n'
    '```json\n{"flags": [], "own": [{"id": "E1", "class": "gap", "severity": "note"}]}\n```'
)
FAITHFUL = '```json\n{"verdict": "faithful"}\n```'
CALM: dict[str, list[Any]] = {
    "translate-paper": [GOOD], "faithfulness-paper": [FAITHFUL], "verify": [ACCEPT],
    "calibrate-paper": [QUIET],
}  # fmt: skip


def reading(made: Any, contract: Contract = CONTRACT) -> ModuleVerifier:
    run = sighted(made.engine.run, PDF)
    return ModuleVerifier(run=run, asking=ActionFactory(contract=contract, prompt=prompts.prompt))


def heard(made: Any, contract: Contract = CONTRACT) -> PaperVerdict:
    return asyncio.run(read_paper(reading(made, contract), 1))


def requests(made: Any, stage: str) -> list[Any]:
    pairs = zip(made.client.requests, made.asked, strict=True)
    return [request for request, asked in pairs if asked == stage]


def test_a_paper_is_verified_piece_by_piece_and_calibrated_in_any_case(desk: Desk) -> None:
    made = desk(**CALM)
    assert heard(made) == PaperRead(defects=(), pieces=3, unread={})
    assert made.asked == ["translate-paper", "verify", "verify", "verify", "calibrate-paper"]


def test_the_pdf_goes_to_whoever_has_to_see_it_and_to_nobody_else(desk: Desk) -> None:
    made = desk(**CALM)
    heard(made, replace(CONTRACT, attempts=1))
    seen = {stage: request.document for request, stage in
            zip(made.client.requests, made.asked, strict=True)}  # fmt: skip
    assert seen["verify"] is None
    others = {document for stage, document in seen.items() if stage != "verify"}
    assert others == {PDF}


def test_replies_about_all_of_a_paper_may_be_long(desk: Desk) -> None:
    made = desk(**CALM)
    heard(made)
    limits = {stage: request.limit for request, stage in
              zip(made.client.requests, made.asked, strict=True)}  # fmt: skip
    assert limits["verify"] == CONTRACT.limit
    assert limits["translate-paper"] == limits["calibrate-paper"] == TIMES * CONTRACT.limit


def test_the_content_of_a_pdf_is_in_the_key_and_its_name_is_not(desk: Desk) -> None:
    keys: dict[bytes, list[str]] = {}

    async def noting(action: Action) -> Any:
        return await made.engine.run(action)

    for content in (b"%PDF-1.7 one", b"%PDF-1.7 two"):
        made = desk(**CALM)
        run = sighted(noting, document(content))
        asking = ActionFactory(contract=CONTRACT, prompt=prompts.prompt)
        asyncio.run(read_paper(ModuleVerifier(run=run, asking=asking), 1))
        keys[content] = [event.key for event in made.log]
    one, other = keys.values()
    assert one[0] != other[0]
    assert one[1:4] == other[1:4]
    assert document(b"%PDF").name == "paper.pdf"


def test_an_objection_reaches_the_calibrator_with_what_the_paper_calls_the_piece(
    desk: Desk,
) -> None:
    made = desk(**CALM | {"verify": [FLAG, ACCEPT], "calibrate-paper": [UPHELD]})
    found = heard(made)
    assert isinstance(found, PaperRead)
    assert [item.location for item in found.defects] == ["Theorem 1.1"]
    (request,) = requests(made, "calibrate-paper")
    assert "[Theorem 1, in the paper: Theorem 1.1] zero" in request.text
    assert "- Proposition 1, in the paper: Lemma 4.3" in request.text


def test_a_calibrator_that_is_asked_about_nothing_may_find_something(desk: Desk) -> None:
    made = desk(**CALM | {"calibrate-paper": [ADDED]})
    found = heard(made)
    assert isinstance(found, PaperRead)
    assert [item.judged.objection for item in found.defects] == ["Odd."]
    assert "nobody objects to any piece" in made.client.requests[-1].text


def test_each_block_sees_its_context_apart_from_what_is_established(desk: Desk) -> None:
    made = desk(**CALM)
    heard(made)
    texts = [item.text for item in requests(made, "verify")]
    (main,) = [text for text in texts if "Theorem 1. For all" in text.split("To be checked")[1]]
    assert "Proposition 1." in main.split("begin: What may be used")[1].split("end: What")[0]
    (pool,) = [text for text in texts if "Proposition 1." in text.split("To be checked")[1]]
    assert "Theorem 2." in pool.split("begin: Setting")[1].split("end: Setting")[0]


def test_each_piece_is_held_against_the_pdf_where_the_contract_says_so(desk: Desk) -> None:
    other = GOOD.replace("Clear.", "Clearly so.")
    made = desk(**CALM | {
        "translate-paper": [GOOD, other],
        "faithfulness-paper": [UNFAITHFUL, FAITHFUL],
    })  # fmt: skip
    found = heard(made, replace(CONTRACT, attempts=1))
    assert found == PaperRead(defects=(), pieces=3, unread={}, unfaithful=("Theorem 1",))
    assert made.asked.count("faithfulness-paper") > 3
    again = requests(made, "translate-paper")[1].text
    assert "by that it is weaker" in again
    assert "In the original: Theorem 1.1" in requests(made, "faithfulness-paper")[0].text


def test_what_stays_unfaithful_is_told_to_the_calibrator(desk: Desk) -> None:
    made = desk(**CALM | {"faithfulness-paper": [UNFAITHFUL]})
    heard(made, replace(CONTRACT, attempts=1))
    assert "was not faithful in these pieces" in made.client.requests[-1].text


FAILURES: dict[str, dict[str, list[Any]]] = {
    "no translation": {"translate-paper": [CallError("down")]},
    "no tags": {"translate-paper": ["I cannot read this."]},
    "nothing in the tags": {"translate-paper": ["<THEOREM_STATEMENT>\n</THEOREM_STATEMENT>"]},
    "an id twice": {"translate-paper": [GOOD.replace('id="2"', 'id="1"')]},
    "too many pieces": {
        "translate-paper": [
            GOOD + "".join(
                f'<PROPOSITION_STATEMENT id="{n}">\nA.\n</PROPOSITION_STATEMENT>\n'
                f'<PROPOSITION_PROOF id="{n}">\nB.\n</PROPOSITION_PROOF>\n' for n in range(2, 9)
            )
        ]
    },
    "too long": {"translate-paper": [GOOD.replace("Clear.", "Clear. " * (LONGEST // 7))]},
    "no calibration": {"calibrate-paper": [CallError("down")]},
    "a calibration that says nothing": {"calibrate-paper": ["Fine."]},
}  # fmt: skip


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_neither_a_pass_nor_a_finding(desk: Desk, name: str) -> None:
    found = heard(desk(**CALM | FAILURES[name]))
    assert isinstance(found, Unread)
    assert found.reason


def test_a_piece_that_nobody_read_is_named_beside_what_was_found(desk: Desk) -> None:
    made = desk(**CALM | {"verify": [FLAG, CallError("down")], "calibrate-paper": [UPHELD]})
    found = heard(made)
    assert isinstance(found, PaperRead)
    assert len(found.defects) == 1
    assert found.unread == {"Theorem B (Theorem 2)": "down", "Lemma 4.3 (Proposition 1)": "down"}
