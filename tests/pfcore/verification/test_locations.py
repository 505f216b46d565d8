"""Places of a paper by the labels that it prints: one place, however it is written."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pfcore.verification.locations import is_labelled, is_result, leading, printed_place

SAME = {
    "Lemma 4.3": (
        "Proof of Lemma 4.3", "the proof of Lemma 4.3.", "lemma 4.3", "Lem. 4.3", "Lemma~4.3",
        "**Lemma 4.3**", "Lemma 4.3, Step 2", "Lemma 4.3 (uniform bound)", "Lemma 4.3(ii)",
        "LEMMA 4.3", "Lemma  4.3:", "Statement of Lemma 4.3", "Lemma 4.3 in Section 4",
        "In the proof of Lemma 4.3", "Lemma (4.3)", "Lemma 4.3, proof", "Lemma 4.3 - second case",
        "Proof of the Lemma 4.3", "Lemma 4.3 on page 12", "Lemma 4.3's proof", "Lemma No. 4.3",
        "Lemma 4.3 proof", "Lemma 4.3 (proof of (ii))", "\\textbf{Lemma 4.3}",
        "Page 12, Lemma 4.3", "pp. 12–13: proof of Lemma 4.3", "Section 4 (Lemma 4.3)",
        "§4 (proof of Lemma 4.3)",
    ),
    "Theorem 2": ("Thm. 2", "Thm 2", "theorem 2", "Proof of Thm.~2", "Th. 2"),
    "Theorem B": ("Thm B", "theorem B"),
    "Corollary A.1": ("Cor. A.1", "Proof of Corollary A.1"),
    "Proposition 5": ("Prop. 5", "Prop 5"),
    "Equation 4.7": (
        "Eq. (4.7)", "equation (4.7)", "Eqn 4.7", "(4.7)", "the formula (4.7) on page 3",
        "Section 4, formula (4.7)", "Section 4 (formula (4.7))",
    ),
    "Theorem II": ("Thm. II",),
    "Lemma 3'": ("Lemma 3’", "Lem 3'"),
    "Lemma 3a": ("lemma 3a",),
    "Definition 2.1": ("Def. 2.1", "Defn 2.1"),
    "Main Theorem": ("the main theorem", "Proof of the Main Theorem"),
    "Section 3.2": ("§3.2", "Sec. 3.2", "Subsection 3.2", "section 3.2"),
}  # fmt: skip
PAIRS = [(name, other) for name, others in SAME.items() for other in others]


@pytest.mark.parametrize(("name", "other"), PAIRS)
def test_one_place_is_one_however_it_is_written(name: str, other: str) -> None:
    assert printed_place(other).key == printed_place(name).key


@pytest.mark.parametrize("name", [name for name in SAME if name != "Main Theorem"])
def test_a_place_is_shown_as_papers_print_it(name: str) -> None:
    for other in SAME[name]:
        assert printed_place(other).shown == name


DISTINCT = [
    *SAME,
    "Lemma 4.30", "Lemma 4", "Theorem 4.3", "Lemma 3", "Theorem", "Lemmas 4.3 and 4.4",
    "Section 3.2, after Definition 2.1", "Section 3.2, first paragraph", "Introduction",
    "Section 3.2 (after Definition 2.1)", "Page 3, before Definition 2.1",
    "Step 2", "Lemma B.1", "Lemma 4.3 and Theorem 5",
]  # fmt: skip


@pytest.mark.parametrize("text", ["Section 1 (in ", "Section 1, page 3, ", "Section 1, "])
def test_places_in_each_other_come_to_an_end(text: str) -> None:
    assert printed_place(text * 2_000).key != printed_place("Section 1").key
    assert printed_place(f"{text * 2}Lemma 4").shown == "Lemma 4"


def test_other_places_are_others() -> None:
    keys = [printed_place(name).key for name in DISTINCT]
    assert len(set(keys)) == len(DISTINCT)


@pytest.mark.parametrize("words", ["The (main) part", "the", "Exact", "Defi.", "These"])
def test_words_that_begin_like_a_label_are_none(words: str) -> None:
    assert not is_labelled(words)
    assert leading(words) == ""


def test_results_have_numbers_of_their_own_in_a_paper_and_claims_have_not() -> None:
    assert is_result("Proof of Lemma 4.3")
    assert not is_result("Claim 2")
    assert not is_result("Section 3")


def test_a_place_in_words_is_shown_in_these_words() -> None:
    assert printed_place("  Section 3.2, after\nDefinition 2.1 ").shown == (
        "Section 3.2, after Definition 2.1"
    )


@given(st.text(max_size=60))
@example(".IN 0")
@example("in .in the 0")
def test_what_is_shown_names_the_same_place(text: str) -> None:
    found = printed_place(text)
    assert printed_place(found.shown).key == found.key
    assert "\n" not in found.shown
