"""Both judges of locations on one table: what is certain by labels, and whom a model decides.

The model is a double that knows the table's paper, or one that always says the contrary.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import prompts
from pfcore.bench.runs.location_judges import (
    STRICT,
    Matches,
    Question,
    Relation,
    is_surely_other,
    is_surely_same,
    judged,
    relation,
)
from pfcore.llm.protocol import Endpoint
from pfcore.verification.contract import Contract
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.verify import ModuleVerifier, Unread
from pfcore.verification.whole_paper import INCLUSIVE, document, sighted

PDF = document(b"%PDF-1.7 one")
LABELS, MODEL = True, False
"""Who decides: labels, so that nobody is asked; or the model."""


class Pair(NamedTuple):
    """What each judge has to say of a named place, and who decides it."""

    known: str
    named: str
    inclusive: bool
    strict: bool
    inclusive_by: bool
    strict_by: bool


def rows(verdicts: tuple[bool, bool], by: tuple[bool, bool], *pairs: tuple[str, str]) -> list[Pair]:
    return [Pair(known, named, *verdicts, *by) for known, named in pairs]


SAME_RESULT = rows(
    (True, True), (LABELS, LABELS),
    ("Theorem 19", "theorem 19"),
    ("Theorem 19", "Proof of Theorem 19"),
    ("Theorem 19", "the statement of Thm. 19"),
    ("Theorem 19", "Theorem 19, equation (4.2)"),
    ("Theorem 19", "Theorem 19, Step 3"),
    ("Theorem 19", "Theorem 19's proof, case 2"),
    ("Proposition 4.1(b)", "Prop. 4.1, second line"),
    ("Lemma 4.3", "Section 4, Lemma 4.3"),
    ("Lemma A.1", "Lemma A.1 in Appendix A"),
    ("Theorem B", "Theorem 4.24 (Theorem B)"),
    ("Theorem 1.1", "Theorem 1.1 (restated)"),
    ("Theorem 1.1", "Restatement of Theorem 1.1"),
    ("Theorem 1.1", "Theorem 5.2 (restatement of Theorem 1.1)"),
    ("Theorem 1.1", "Uniform bound theorem (Theorem 1.1)"),
    ("Theorem 1.1", "thm:main (Theorem 1.1)"),
    ("Lemma 3.2", "Lemmas 3.1 and 3.2"),
    ("Lemma 3.2", "Lemmas 3.1–3.4"),
    ("Lemma 3.2", "Lemma 3.1 to Lemma 3.4"),
    ("Lemma 3.1-3.4", "Lemma 3.2"),
    ("Theorem B", "Theorems A, B and C"),
    ("Corollary 20", "Theorem 19 / Corollary 20"),
    ("Equation (4.7)", "Eq. (4.7)"),
    ("Section 3.2", "§3.2"),
)  # fmt: skip
INSIDE_BY_ITS_WORDS = rows(
    (True, False), (LABELS, MODEL),
    ("Theorem 1", "Step 3 of the proof of Theorem 1"),
    ("Theorem 2.1", "Claim 2.2 in the proof of Theorem 2.1"),
    ("Theorem 2", "Claim 1 (proof of Theorem 2)"),
    ("Theorem 2", "last line of the proof of Theorem 2"),
    ("Theorem 5", "Case 2 within Theorem 5"),
    ("Theorem 5", "converse direction of Theorem 5"),
    ("Theorem B", "inequality (7) in the proof of Theorem B, case n = 1"),
    ("Lemma 4", "the second claim inside Lemma 4"),
    ("Section 3", "Section 3, paragraph after Definition 3.1"),
    ("Section 3", "Section 3.2"),
    ("Appendix A", "Appendix A, first paragraph"),
)  # fmt: skip
INSIDE_IN_THE_PAPER = rows(
    (True, False), (MODEL, MODEL),
    ("Theorem 1", "Claim 2"),
    ("Theorem 1", "Equation (4.2)"),
    ("Theorem 1", "Section 4, the estimate of the second integral"),
    ("Appendix A", "Lemma A.1"),
    ("Section 3", "Theorem 3.1"),
    ("Lemma 7", "page 12, line 3"),
    ("Theorem 5", "Lemma 4.3 in the proof of Theorem 5"),
)  # fmt: skip
INSIDE_BUT_OF_ANOTHER_NUMBER = rows(
    (True, False), (MODEL, LABELS),
    ("Theorem 1", "Proposition 1.1"),
    ("Theorem 1", "Lemma 2, third line"),
)  # fmt: skip
OTHER_NUMBER = rows(
    (False, False), (MODEL, LABELS),
    ("Theorem 19", "Theorem 18"),
    ("Theorem 1.1", "Theorem 1.10"),
    ("Theorem 1", "Theorem 1.1"),
    ("Lemma 4.3", "Lemma 4.30"),
    ("Theorem B", "Theorem A"),
    ("Lemma 3.5", "Lemmas 3.1–3.4"),
    ("Lemma 3.1 and Lemma 3.2", "Lemma 3.3"),
)  # fmt: skip
ELSEWHERE = rows(
    (False, False), (MODEL, MODEL),
    ("Theorem 19", "Lemma 19"),
    ("Lemma 4.3", "Section 4.3"),
    ("Lemma 4.3", "Lemma 4.3'"),
    ("Claim 2", "Claim 2"),
    ("Theorem 2", "Corollary 3 of Theorem 2"),
    ("Theorem 2", "Lemma 5, which uses Theorem 2"),
    ("Theorem 4", "Lemma 3, used in the proof of Theorem 4"),
    ("Theorem 2", "Remark after the proof of Theorem 2"),
    ("Lemma 2.3", "the paragraph before Lemma 2.3"),
    ("Theorem 3.1", "Section 3"),
    ("Theorem 2", "Application of Theorem 2 in Section 5"),
    ("Lemma 7", "Introduction"),
    ("Appendix A", "Appendix B"),
    ("main theorem", "Theorem 1.1"),
)  # fmt: skip
ANOTHER_NAME = rows(
    (True, True), (MODEL, MODEL),
    ("main theorem", "Proof of the main theorem"),
    ("main theorem", "Theorem 1.1 (Main Theorem)"),
    ("Proposition 4.1", "Proposition 4.1b"),
    ("Theorem I", "Theorem 1"),
    ("Lemma 4", "Theorem 3 (Lemma 4)"),
    ("Theorem 1", "Main result"),
)  # fmt: skip
TABLE = [
    *SAME_RESULT, *INSIDE_BY_ITS_WORDS, *INSIDE_IN_THE_PAPER, *INSIDE_BUT_OF_ANOTHER_NUMBER,
    *OTHER_NUMBER, *ELSEWHERE, *ANOTHER_NAME,
]  # fmt: skip


class Told(NamedTuple):
    """What a judge says of one known place, and the requests that were made for it."""

    found: Matches | Unread
    requests: list[Any]


def told(made: Any, stage: str, known: tuple[str, ...], named: str) -> Told:
    contract = Contract(
        endpoint=Endpoint.RESPONSES, model="m", prompts=tuple(prompts.RELEASED.items())
    )
    reading = ModuleVerifier(
        run=sighted(made.engine.run, PDF),
        asking=ActionFactory(contract=contract, prompt=prompts.prompt),
    )
    question = Question(title="A paper", known=known, location=named, words="The sign.")
    return Told(asyncio.run(judged(reading, stage, question)), made.client.requests)


def said(*numbers: int) -> str:
    return f"```json\n{json.dumps({'matches': list(numbers)})}\n```"


def expected(stage: str, pair: Pair) -> tuple[bool, bool]:
    if stage == INCLUSIVE:
        return pair.inclusive, pair.inclusive_by
    return pair.strict, pair.strict_by


def test_the_table_has_many_pairs_of_all_kinds() -> None:
    assert len({(pair.known, pair.named) for pair in TABLE}) == len(TABLE) >= 60
    kinds = {expected(stage, pair) for stage in (INCLUSIVE, STRICT) for pair in TABLE}
    assert kinds == {(True, LABELS), (False, LABELS), (True, MODEL), (False, MODEL)}


@pytest.mark.parametrize("stage", [INCLUSIVE, STRICT])
def test_a_judge_says_what_the_paper_and_the_labels_say(
    desk: Callable[..., Any], stage: str
) -> None:
    for pair in TABLE:
        is_match, by_labels = expected(stage, pair)
        made = desk(**{stage: [said(0) if is_match else said()]})
        found, requests = told(made, stage, (pair.known,), pair.named)
        assert found == Matches(found=(0,) if is_match else ()), pair
        assert [request.document for request in requests] == (
            [] if by_labels else [PDF if stage == INCLUSIVE else None]
        ), pair


@pytest.mark.parametrize("stage", [INCLUSIVE, STRICT])
def test_what_is_certain_counts_whatever_the_model_says_and_all_else_as_it_says(
    desk: Callable[..., Any], stage: str
) -> None:
    for pair in TABLE:
        is_match, by_labels = expected(stage, pair)
        known = (pair.known, "the passage on page 7")
        made = desk(**{stage: [said() if is_match else said(0)]})
        found, requests = told(made, stage, known, pair.named)
        assert len(requests) == 1, pair
        certain = Matches(found=(0,) if is_match else (), overruled=(0,))
        assert found == (certain if by_labels else Matches(found=() if is_match else (0,))), pair


@pytest.mark.parametrize("stage", [INCLUSIVE, STRICT])
def test_a_reply_that_agrees_is_not_overruled(desk: Callable[..., Any], stage: str) -> None:
    made = desk(**{stage: [said(0, 1)]})
    found, _ = told(made, stage, ("Theorem 19", "the passage on page 7"), "Proof of Theorem 19")
    assert found == Matches(found=(0, 1))


def test_labels_alone_never_contradict_what_is_certain() -> None:
    for pair in TABLE:
        found = relation(pair.known, pair.named)
        if pair.strict_by is LABELS:
            assert (found is Relation.SAME) == pair.strict, pair
        if pair.inclusive_by is LABELS:
            assert (found is not Relation.OTHER) == pair.inclusive, pair


@given(st.text(max_size=60), st.text(max_size=60))
def test_of_any_two_texts_no_judge_is_sure_of_both(known: str, named: str) -> None:
    question = Question(title="A paper", known=(known,), location=named, words="")
    inclusive, strict = (question.settled(stage).get(0) for stage in (INCLUSIVE, STRICT))
    assert inclusive in (True, None)
    assert not (strict is True and inclusive is None)
    assert not (is_surely_same(known, named) and is_surely_other(known, named))


@given(st.sampled_from(TABLE), st.sampled_from(TABLE))
def test_a_list_is_as_sure_as_its_items(one: Pair, other: Pair) -> None:
    question = Question(title="A", known=(one.known, other.known), location=one.named, words="")
    alone = Question(title="A", known=(one.known,), location=one.named, words="")
    for stage in (INCLUSIVE, STRICT):
        assert question.settled(stage).get(0) == alone.settled(stage).get(0)
