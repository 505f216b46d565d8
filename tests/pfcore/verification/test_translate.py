"""Proofs taken apart: form, faithfulness, blocks with their contexts, and one calibration."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pfcore.llm.protocol import CallError, Endpoint
from pfcore.verification.contract import Contract
from pfcore.verification.task import ContextTask
from pfcore.verification.translate import fine
from pfcore.verification.verify import Accepted, Flagged, Unread
from prompts import CURRENT, SETS
from tests.pfcore.verification.conftest import ACCEPT, FLAG, UNFAITHFUL, UPHELD

Desk = Callable[..., Any]

CONTRACT = Contract(endpoint=Endpoint.CHAT, model="m", prompts=tuple(CURRENT.items()))
FIRST = replace(CONTRACT, prompts=tuple(SETS["v1"].items()))
"""The first wording, which compares piece after piece."""
GOOD = """<THEOREM_STATEMENT>
For all $x$ we have $x > 0$.
</THEOREM_STATEMENT>
<PROPOSITION_STATEMENT id="1">
$x \\ge 0$.
</PROPOSITION_STATEMENT>
<PROPOSITION_PROOF id="1">
It follows from Result 1 that $x \\ge 0$.
</PROPOSITION_PROOF>
<THEOREM_PROOF>
By Proposition 1, $x \\ge 0$. Hence $x > 0$.
</THEOREM_PROOF>
"""
FAITHFUL = '```json\n{"verdict": "faithful"}\n```'


def read(made: Any, task: ContextTask) -> object:
    return asyncio.run(fine(made.reading, task, 1))


@pytest.mark.parametrize(("contract", "compared"), [(FIRST, 2), (CONTRACT, 1)])
def test_a_translated_proof_is_checked_piece_by_piece(
    desk: Desk, task: ContextTask, contract: Contract, compared: int
) -> None:
    made = desk(contract=contract, translate=[GOOD], faithfulness=[FAITHFUL], verify=[ACCEPT])
    assert read(made, task) == Accepted()
    expected = ["faithfulness"] * compared + ["translate"] + ["verify"] * 2
    assert sorted(made.asked) == expected


def test_each_block_sees_its_context_apart_from_what_is_established(
    desk: Desk, task: ContextTask
) -> None:
    made = desk(translate=[GOOD], faithfulness=[FAITHFUL], verify=[ACCEPT])
    read(made, task)
    texts = [item.text for item, stage in zip(made.client.requests, made.asked, strict=True)
             if stage == "verify"]  # fmt: skip
    (theorem,) = [text for text in texts if "Theorem. For all" in text.split("To be checked")[1]]
    (proposition,) = [text for text in texts if text is not theorem]
    usable = theorem.split("begin: What may be used")[1].split("end: What")[0]
    assert "Proposition 1." in usable
    assert "Result 1. R." in usable
    setting = proposition.split("begin: Setting")[1].split("end: Setting")[0]
    assert "Theorem. For all $x$" in setting
    assert "Proposition 1" not in proposition.split("What may be used")[1].split("end:")[0]


def test_objections_to_pieces_are_calibrated_once_against_the_original(
    desk: Desk, task: ContextTask
) -> None:
    made = desk(
        translate=[GOOD], faithfulness=[FAITHFUL], verify=[ACCEPT, FLAG], calibrate=[UPHELD]
    )
    assert isinstance(read(made, task), Flagged)
    assert made.asked.count("calibrate") == 1
    assert task.proof.split()[-1] in made.client.requests[-1].text


def test_a_proof_that_is_one_piece_is_read_as_it_stands(desk: Desk, task: ContextTask) -> None:
    whole = GOOD[: GOOD.index("<PROPOSITION_STATEMENT")] + GOOD[GOOD.index("<THEOREM_PROOF") :]
    whole = whole.replace("By Proposition 1, ", "")
    made = desk(translate=[whole], faithfulness=[FAITHFUL], verify=[ACCEPT])
    assert read(made, task) == Accepted()
    assert "Lemma. For all $x$" in made.client.requests[-1].text


def test_a_wrong_form_is_told_and_written_again(desk: Desk, task: ContextTask) -> None:
    broken = GOOD.replace('<PROPOSITION_PROOF id="1">', '<PROPOSITION_PROOF id="2">')
    made = desk(translate=[broken, GOOD], faithfulness=[FAITHFUL], verify=[ACCEPT])
    assert read(made, task) == Accepted()
    again = [item.text for item in made.client.requests][1]
    assert "Proposition 1 has no PROPOSITION_PROOF" in again


def test_more_pieces_than_the_contract_allows_are_told(desk: Desk, task: ContextTask) -> None:
    made = desk(contract=replace(CONTRACT, pieces=1), translate=[GOOD], verify=[ACCEPT])
    found = read(made, task)
    assert isinstance(found, Unread)
    assert found.reason.endswith("there are 2 pieces; at most 1 may be")
    assert "- there are 2 pieces; at most 1 may be" in made.client.requests[1].text


def test_a_rewriting_that_is_out_of_proportion_is_told(desk: Desk, task: ContextTask) -> None:
    long = GOOD.replace("It follows", "It follows " + "and follows " * 900)
    made = desk(translate=[long, GOOD], faithfulness=[FAITHFUL], verify=[ACCEPT])
    assert read(made, task) == Accepted()
    again = made.client.requests[1].text
    assert "characters; at most" in again
    assert len(again) < len(long)


def test_an_unfaithful_piece_is_told_and_written_again(desk: Desk, task: ContextTask) -> None:
    other = GOOD.replace("It follows", "Clearly it follows")
    made = desk(translate=[GOOD, other], faithfulness=[UNFAITHFUL, FAITHFUL], verify=[ACCEPT])
    assert read(made, task) == Accepted()
    texts = [item.text for item, stage in zip(made.client.requests, made.asked, strict=True)
             if stage == "translate"]  # fmt: skip
    assert "by that it is weaker" in texts[1]


def test_what_stays_unfaithful_is_marked_for_the_calibrator(desk: Desk, task: ContextTask) -> None:
    rewritten = [GOOD.replace("It follows", f"It {word} follows") for word in "a b c d".split()]
    made = desk(
        translate=rewritten, faithfulness=[UNFAITHFUL], verify=[FLAG, ACCEPT], calibrate=[UPHELD]
    )
    assert isinstance(read(made, task), Flagged)
    assert "was not faithful in these pieces" in made.client.requests[-1].text
    assert made.asked.count("translate") == 1 + CONTRACT.attempts


def test_a_translation_that_stays_the_same_is_not_asked_for_for_ever(
    desk: Desk, task: ContextTask
) -> None:
    made = desk(translate=[GOOD], faithfulness=[UNFAITHFUL], verify=[ACCEPT])
    assert read(made, task) == Accepted()
    assert made.asked.count("translate") == 2


def test_what_is_said_for_an_unfaithful_rewriting_is_not_said_for_the_proof(
    desk: Desk, task: ContextTask
) -> None:
    for last, found in ((FLAG, Flagged), (CallError("down"), Unread), (ACCEPT, Accepted)):
        made = desk(
            translate=[GOOD],
            faithfulness=[UNFAITHFUL],
            verify=[ACCEPT, ACCEPT, last],
            calibrate=[UPHELD],
        )
        assert isinstance(read(made, task), found)
        whole = [item.text for item in made.client.requests if task.proof in item.text][-1]
        assert f"{task.statement}\n\n{task.proof}" in whole


def test_without_attempts_nothing_is_compared(desk: Desk, task: ContextTask) -> None:
    made = desk(contract=replace(CONTRACT, attempts=0), translate=[GOOD], verify=[ACCEPT])
    assert read(made, task) == Accepted()
    assert "faithfulness" not in made.asked


def test_a_wrong_form_is_asked_for_again_even_without_attempts(
    desk: Desk, task: ContextTask
) -> None:
    none = replace(CONTRACT, attempts=0)
    made = desk(contract=none, translate=["No tags.", GOOD], verify=[ACCEPT])
    assert read(made, task) == Accepted()
    made = desk(contract=none, translate=["No tags."], verify=[ACCEPT])
    assert isinstance(read(made, task), Unread)
    assert made.asked == ["translate", "translate"]


VERBATIM = GOOD.replace("It follows from Result 1 that $x \\ge 0$.", "By Result 1, $x \\ge 0$.")


@pytest.mark.parametrize("contract", [FIRST, CONTRACT])
def test_text_that_is_taken_over_is_not_compared(
    desk: Desk, task: ContextTask, contract: Contract
) -> None:
    made = desk(contract=contract, translate=[VERBATIM], faithfulness=[FAITHFUL], verify=[ACCEPT])
    read(made, task)
    assert made.asked.count("faithfulness") == 1


@pytest.mark.parametrize(
    ("words", "cut"),
    [("For all $x$ we have $x > 0$.", "For all $x$"), ("Hence $x > 0$.", "")],
)
def test_words_that_are_left_out_make_all_be_compared(
    desk: Desk, task: ContextTask, words: str, cut: str
) -> None:
    short = VERBATIM.replace(words, cut)
    made = desk(contract=FIRST, translate=[short], faithfulness=[FAITHFUL], verify=[ACCEPT])
    read(made, task)
    assert made.asked.count("faithfulness") == 2


def _compared(made: Any) -> str:
    (text,) = [
        item.text
        for item, stage in zip(made.client.requests, made.asked, strict=True)
        if stage == "faithfulness"
    ]
    return str(text)


def test_one_question_compares_all_pieces_and_sends_the_original_once(
    desk: Desk, task: ContextTask
) -> None:
    made = desk(translate=[GOOD], faithfulness=[FAITHFUL], verify=[ACCEPT])
    read(made, task)
    text = _compared(made)
    assert text.count(task.proof) == 1
    rewriting = text.split("begin: The rewriting")[1]
    assert "Theorem. For all $x$ we have $x > 0$." in rewriting
    assert "It follows from Result 1" in rewriting
    assert "By Proposition 1, $x \\ge 0$." in rewriting


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("Proposition 1", "- Proposition 1: the original has: a"),
        ("Proposition 7", "- between the pieces: the original has: a"),
        ("", "- between the pieces: the original has: a"),
    ],
)
def test_a_difference_is_told_of_the_piece_that_it_names_else_of_what_is_between_them(
    desk: Desk, task: ContextTask, named: str, told: str
) -> None:
    lost = UNFAITHFUL.replace("<original>", f"<piece>{named}</piece><original>")
    other = GOOD.replace("It follows", "Clearly it follows")
    made = desk(translate=[GOOD, other], faithfulness=[lost, FAITHFUL], verify=[ACCEPT])
    assert read(made, task) == Accepted()
    again = [item.text for item, stage in zip(made.client.requests, made.asked, strict=True)
             if stage == "translate"]  # fmt: skip
    assert told in again[1]


def test_a_quote_with_what_was_inserted_into_a_piece_is_found_in_the_original(
    desk: Desk, task: ContextTask
) -> None:
    inserted = GOOD.replace("Hence $x > 0$", "Hence [as in Proposition 1] $x > 0$")
    flag = FLAG.replace("Hence $x > 0$", "Hence [as in Proposition 1] $x > 0$")
    made = desk(
        translate=[inserted], faithfulness=[FAITHFUL], verify=[ACCEPT, flag], calibrate=[UPHELD]
    )
    assert isinstance(read(made, task), Flagged)
    listed = made.client.requests[-1].text
    assert "Hence $x > 0$" in listed.split("begin: Objections")[1]
    assert "[as in Proposition 1]" not in listed.split("begin: Objections")[1]


FAILURES: dict[str, dict[str, list[Any]]] = {
    "nothing is translated": {"translate": [CallError("down")]},
    "the form stays wrong": {"translate": ["Here is your proof."]},
    "duplicate ids": {"translate": [GOOD + GOOD[GOOD.index("<PROP") : GOOD.index("<THEOREM_PR")]]},
    "an unknown tag": {"translate": [GOOD.replace("_PROOF id", "_PROOFS id")]},
    "an empty rewriting": {"translate": ["<THEOREM_STATEMENT>\n</THEOREM_STATEMENT>"]},
    "no comparison": {"translate": [GOOD], "faithfulness": [CallError("down")]},
    "a comparison that says nothing": {"translate": [GOOD], "faithfulness": ["Looks the same."]},
    "a piece that is not read": {
        "translate": [GOOD], "faithfulness": [FAITHFUL], "verify": [ACCEPT, CallError("down")],
    },
}  # fmt: skip


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_neither_a_pass_nor_a_finding(
    desk: Desk, task: ContextTask, name: str
) -> None:
    found = read(desk(**FAILURES[name]), task)
    assert isinstance(found, Unread)
    assert found.reason


def test_an_objection_stands_though_another_piece_was_not_read(
    desk: Desk, task: ContextTask
) -> None:
    made = desk(
        translate=[GOOD],
        faithfulness=[FAITHFUL],
        verify=[FLAG, CallError("down")],
        calibrate=[UPHELD],
    )
    assert isinstance(read(made, task), Flagged)
