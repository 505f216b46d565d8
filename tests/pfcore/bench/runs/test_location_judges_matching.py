"""Known and named places: which are one, which lie in which, by their names alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.bench.runs.location_judges import Relation, place_keys, relation

SAME = [
    ("Theorem 19", "theorem 19"),
    ("Theorem 19", "Proof of Theorem 19"),
    ("Theorem 19", "the proof of Thm. 19"),
    ("Theorem 19", "Theorem 19, equation (4.2)"),
    ("Theorem 19", "Theorem 19 (ii)"),
    ("Theorem 5.1", "Theorem 5.1(6)"),
    ("Proposition 4.1(b)", "Proposition 4.1"),
    ("Proposition 4.1(b)", "Prop. 4.1 (b), second line"),
    ("Lemma 4.3", "Lemma 4.3, Step 2"),
    ("Lemma 4.3", "Section 4, Lemma 4.3"),
    ("Lemma 4.3", "Lemma 4.3 in Section 4"),
    ("Lemma 4.3", "Section 4, proof of Lemma 4.3"),
    ("Theorem B", "Theorem 4.24 (Theorem B)"),
    ("Theorem B", "Thm 4.24 (= Theorem B)"),
    ("Theorem 4.24 (Theorem B)", "Theorem B"),
    ("main theorem", "Theorem 1.1 (Main Theorem)"),
    ("main theorem", "the main theorem"),
    ("main theorem", "Proof of the main theorem"),
    ("Lemma 3.2", "Lemma 3.1 and Lemma 3.2"),
    ("Lemma 3.1", "Lemma 3.1, Lemma 3.2"),
    ("Theorem 2.3, Theorem 2.4", "Theorem 2.4"),
    ("Lemma A.1", "proof of Lem. A.1"),
    ("Section 3.2", "§3.2"),
    ("Equation (4.7)", "(4.7)"),
]
INSIDE = [
    ("Theorem 2.1", "Claim 2.2 in the proof of Theorem 2.1"),
    ("Theorem 1", "Step 3 of the proof of Theorem 1"),
    ("Theorem 1", "last line of the proof of Theorem 1"),
    ("Lemma 4", "Equation (4.2) in the proof of Lemma 4"),
    ("Lemma 4", "Eq. (4.2) in Lemma 4"),
    ("Lemma 4", "the second claim inside Lemma 4"),
    ("Theorem 5", "Lemma 4.3 in the proof of Theorem 5"),
    ("Theorem 5", "Case 2 within Theorem 5"),
    ("Corollary 3", "(b) of Corollary 3"),
    ("Theorem B", "inequality (7) in the proof of Theorem B, case n = 1"),
    ("Proposition 2", "End of the proof of Proposition 2"),
    ("Section 3", "Section 3.2"),
    ("Section 3", "Section 3, paragraph after Definition 3.1"),
    ("Section 3.2", "Subsection 3.2, first paragraph"),
]
OTHER = [
    ("Theorem 19", "Theorem 18"),
    ("Theorem 19", "Lemma 19"),
    ("Theorem 1", "Theorem 1.1"),
    ("Theorem 1.1", "Theorem 1.10"),
    ("Lemma 4.3", "Lemma 4.30"),
    ("Lemma 4.3", "Lemma 4.3'"),
    ("Theorem B", "Theorem A"),
    ("Theorem 2", "Corollary 3 (of Theorem 2)"),
    ("Theorem 2", "Corollary 3 of Theorem 2"),
    ("Theorem 2", "Lemma 5, which uses Theorem 2"),
    ("Theorem 4", "Lemma 3, used in the proof of Theorem 4"),
    ("Theorem 2", "Application of Theorem 2 in Section 5"),
    ("Theorem 2", "Remark after the proof of Theorem 2"),
    ("Lemma 2.3", "the paragraph before Lemma 2.3"),
    ("Lemma 2.3", "Section 2, after Lemma 2.3"),
    ("Theorem 3.1", "Section 3"),
    ("Section 3", "Theorem 3.1"),
    ("Section 3", "Section 30"),
    ("Section 3.2", "Section 3"),
    ("main theorem", "Theorem 1.1"),
    ("Theorem 2", "Claim 2"),
    ("Lemma 7", "Introduction"),
    ("Lemma 7", ""),
]
TABLE = [
    *((*pair, Relation.SAME) for pair in SAME),
    *((*pair, Relation.INSIDE) for pair in INSIDE),
    *((*pair, Relation.OTHER) for pair in OTHER),
]


@pytest.mark.parametrize(("known", "named", "expected"), TABLE)
def test_a_name_is_held_against_a_known_place(known: str, named: str, expected: Relation) -> None:
    assert relation(known, named) is expected


def test_the_table_has_more_than_forty_pairs() -> None:
    assert len({(known, named) for known, named, _ in TABLE}) == len(TABLE) > 40


@given(st.text(max_size=60))
def test_every_text_names_itself(text: str) -> None:
    assert relation(text, text) is Relation.SAME
    assert place_keys(text)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_have_a_relation(known: str, named: str) -> None:
    assert relation(known, named) in Relation
