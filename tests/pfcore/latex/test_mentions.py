"""How a reference is meant, by the words before it."""

import pytest

from pfcore.latex.mentions import announced, form
from pfcore.model import Mention

ASIDE = (
    "Compare ",
    "See also Lemma~",
    "Similar to ",
    "Arguing similarly to Theorem~",
    "This completes the proof of Lemma~",
    "and thus finishes our proof of ",
    "We now prove ",
    "This is used in the proof of ",
    "It is a special case of Theorem ",
    "with the new bound in place of ",
    "by Lemma A instead of Lemma~",
    "unlike ",
)
PROOF = (
    "As in the proof of Lemma~",
    "By repeating the proofs of ",
    "Same proof as Lemma~",
    "Same proof as in Lemma~",
    "by the same argument as in Theorem ",
    "the proof is the same as that of ",
    "The argument is identical to that of Proposition~",
)
REFERENCE = (
    "By Lemma~",
    "as proved in ",
    "Applying ",
    "We show the claim with ",
    "which proves, by ",
    "Given ",
    "the same constant as in ",
    "the proof uses ",
)


@pytest.mark.parametrize(
    ("words", "expected"),
    [(w, "aside") for w in ASIDE] + [(w, "proof") for w in PROOF]
    + [(w, "reference") for w in REFERENCE],
)  # fmt: skip
def test_the_words_before_a_reference_say_how_it_is_meant(words: str, expected: str) -> None:
    assert form(words, None, is_range=False) == expected


def test_a_list_goes_on_as_it_began() -> None:
    before = Mention("aside", ("a",), "ref", 0, 1)
    assert form("the proof of \x020\x03 and thus ", before, is_range=False) == "aside"
    assert form("\x020\x03, and by Lemma~", before, is_range=False) == "reference"


def test_a_range_is_a_range() -> None:
    assert form("by ", None, is_range=True) == "range"


@pytest.mark.parametrize("word", ["Lemma~", "Theorems ", "Eq.\\ ", "(Lemma~", "§"])
def test_a_word_that_announces_a_reference_is_dropped(word: str) -> None:
    count = announced(f"by {word}")
    assert count >= len(word.strip("( \\~")) or word == "Eq.\\ "
