"""Lists of places: where they are cut, and what a range names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.verification.locations import items, singular

CUT = {
    "Lemma 3.1": ["Lemma 3.1"],
    "Lemma 3.1, Lemma 3.2": ["Lemma 3.1", "Lemma 3.2"],
    "Lemma 3.1 and the proof of Theorem 4": ["Lemma 3.1", "the proof of Theorem 4"],
    "Lemmas 3.1 and 3.2": ["Lemma 3.1", "Lemma 3.2"],
    "Proofs of Lemmas 3.1, 3.2 & 3.3": ["Lemma 3.1", "Lemma 3.2", "Lemma 3.3"],
    "Corollaries 2 and 5, Theorem 7": ["Corollary 2", "Corollary 5", "Theorem 7"],
    "Theorem 1 / Corollary 2": ["Theorem 1", "Corollary 2"],
    "Theorem 19, equation (4.2)": ["Theorem 19, equation (4.2)"],
    "Theorem 19, (4.2)": ["Theorem 19, (4.2)"],
    "Lemma 4.3, 2nd line": ["Lemma 4.3, 2nd line"],
    "Lemmas 3.1–3.3": ["Lemma 3.1", "Lemma 3.2", "Lemma 3.3"],
    "Lemma 3.1 through Lemma 3.2": ["Lemma 3.1", "Lemma 3.2"],
    "Theorems 1 to 3 and Lemma 9": ["Theorem 1", "Theorem 2", "Theorem 3", "Lemma 9"],
    "Eqs. (4.7)-(4.8)": ["Eq 4.7", "Eq 4.8"],
    "Lemma 3.4-3.1": ["Lemma 3.4-3.1"],
    "Lemmas 1-2000": ["Lemma 1-2000"],
    "Lemma 4.3 - 2nd case": ["Lemma 4.3 - 2nd case"],
    "equation 24 and 25": ["equation 24", "Equation 25"],
    "eq(1)/(2)": ["eq(1)", "Equation (2)"],
    "Theorems 1.2/1.3": ["Theorem 1.2", "Theorem 1.3"],
    "formulas (2) and (3)": ["formula (2)", "formula (3)"],
    "Theorem 2 and (3.1)": ["Theorem 2 and (3.1)"],
    "Lemma 3 and the end of Section 2": ["Lemma 3 and the end of Section 2"],
    "Theorem 3.3 (pages 14–15)": ["Theorem 3.3 (pages 14–15)"],
    "Lemma 3.4, points (3)–(4)": ["Lemma 3.4, points (3)–(4)"],
    "Lemma 4, equations (30)-(31)": ["Lemma 4", "equations 30", "equations 31"],
    "Proof of Lemma 2 (p. 7), Lemmas 4-5": ["Proof of Lemma 2 (p. 7)", "Lemma 4", "Lemma 5"],
    "Steps 1-3 of Theorem 2": ["Steps 1-3 of Theorem 2"],
    "Section 3 (Propositions 2–3)": ["Propositions 2", "Propositions 3"],
    "Introduction": ["Introduction"],
    "": [""],
}


@pytest.mark.parametrize(("text", "expected"), CUT.items())
def test_a_list_is_cut_into_places_that_each_have_a_kind(text: str, expected: list[str]) -> None:
    assert items(text) == expected


def test_words_that_only_look_like_many_are_left_alone() -> None:
    assert singular("Classes 3") == "Classes 3"
    assert singular("Lemmas 3") == "Lemma 3"


@given(st.text(max_size=60))
def test_every_text_is_a_list(text: str) -> None:
    assert items(text)
