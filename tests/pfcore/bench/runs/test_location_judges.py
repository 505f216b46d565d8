"""The judges of locations: what they are asked, and which of their answers count."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import prompts
from pfcore.bench.runs.location_judges import STRICT, Matches, Question, judged, parse_matches
from pfcore.llm.protocol import CallError, Endpoint
from pfcore.verification.contract import Contract
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.reply_parsing import Malformed
from pfcore.verification.verify import ModuleVerifier, Unread
from pfcore.verification.whole_paper import INCLUSIVE, document, sighted

KNOWN = ("Theorem 1.5", "Lemma 2.1")
PDF = document(b"%PDF-1.7 one")


def heard(made: Any, stage: str, question: Question) -> Matches | Unread:
    contract = Contract(
        endpoint=Endpoint.RESPONSES, model="m", prompts=tuple(prompts.RELEASED.items())
    )
    asking = ActionFactory(contract=contract, prompt=prompts.prompt)
    reading = ModuleVerifier(run=sighted(made.engine.run, PDF), asking=asking)
    return asyncio.run(judged(reading, stage, question))


def question(location: str, words: str = "The sign.") -> Question:
    return Question(title="A paper", known=KNOWN, location=location, words=words)


def said(listed: str) -> str:
    return f'```json\n{{"matches": {listed}}}\n```'


def test_a_location_may_name_several_known_errors_or_none() -> None:
    assert parse_matches(said("[]"), 2) == Matches(found=())
    assert parse_matches(said("[1, 0, 1]"), 2) == Matches(found=(0, 1))


@pytest.mark.parametrize(
    "text",
    [
        "[0]",
        said("[2]"),
        said("[-1]"),
        said('"0"'),
        said("[true]"),
        said("0"),
        said("[0.5]"),
        said('{"0": 1}'),
        '```json\n{"match": [0]}\n```',
    ],
)
def test_a_number_that_no_known_error_has_is_no_answer(text: str) -> None:
    assert isinstance(parse_matches(text, 2), Malformed)


def test_only_the_inclusive_judge_sees_the_paper(desk: Callable[..., Any]) -> None:
    made = desk(**{INCLUSIVE: [said("[0]")], STRICT: [said("[]")]})
    asked = question("Claim 2 in the proof of Theorem 1.5")
    assert heard(made, INCLUSIVE, asked) == Matches(found=(0,))
    assert heard(made, STRICT, asked) == Matches(found=())
    assert [request.document for request in made.client.requests] == [PDF, None]
    assert "0. Theorem 1.5\n1. Lemma 2.1" in made.client.requests[0].text
    assert "The sign." in made.client.requests[0].text


def test_a_numbered_result_is_asked_about_once_in_whatever_words(desk: Callable[..., Any]) -> None:
    made = desk(**{INCLUSIVE: [said("[1]")]})
    for location in ("Lemma 2.1", "Proof of Lemma 2.1", "Lem. 2.1, second line"):
        heard(made, INCLUSIVE, question(location, words=f"About {location}."))
    assert len(made.client.requests) == 1
    heard(made, INCLUSIVE, question("Section 2", words="One."))
    heard(made, INCLUSIVE, question("Section 2", words="Another."))
    assert len(made.client.requests) == 3


@pytest.mark.parametrize(
    "location",
    [
        "Theorem 1.1 (Main Theorem)",
        "Lemma 4.3 in the proof of Theorem 5",
        "Lemma 3.1 and Lemma 3.2",
        "Claim 2",
        "Section 2, after Lemma 2.1",
    ],
)
def test_whatever_else_a_location_says_is_passed_on(location: str) -> None:
    parts = dict(question(location).parts)
    assert parts["The place that is named"] == location
    assert parts["What is said of it"] == "The sign."


def test_a_failure_is_no_mismatch(desk: Callable[..., Any]) -> None:
    made = desk(**{INCLUSIVE: [CallError("down")]})
    assert heard(made, INCLUSIVE, question("Lemma 2.1")) == Unread(reason="down")
