"""Quotes held against a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.verification.quotes import ALIKE, align_quote, find_quote

TEXT = "Let $x > 0$ be small.\nThen  \\frac{1}{x} is large, and we conclude by Result 1."


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("Then \\frac{1}{x} is large", "Then  \\frac{1}{x} is large"),
        ('  "we conclude by Result 1." ', "we conclude by Result 1"),
        ("small. Then", "small.\nThen"),
        ("$x>0$", "$x > 0$"),
        ("Let $x > 0$ ... is large", "Let $x > 0$ be small.\nThen  \\frac{1}{x} is large"),
    ],
)
def test_a_quote_is_found_whatever_its_white_space(quote: str, found: str) -> None:
    place = find_quote(quote, TEXT)
    assert place is not None
    assert TEXT[place.start : place.end] == found


@pytest.mark.parametrize(
    "quote", ["is small", "", "x", "...", "large ... small", "we concluded by"]
)
def test_words_that_are_not_there_are_not_found(quote: str) -> None:
    assert find_quote(quote, TEXT) is None


@given(st.text(max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_any_part_of_a_text_is_found_in_it(text: str, start: int, length: int) -> None:
    quote = text[start : start + length]
    place = find_quote(quote, text)
    if place is not None:
        assert 0 <= place.start < place.end <= len(text)


@given(st.text(alphabet="abc $\\{}\n", min_size=8, max_size=60))
def test_a_whole_text_is_found(text: str) -> None:
    stripped = text.strip(" \"'`.,;:…“”‘’")
    if len(stripped) >= 3 and stripped.split():
        assert find_quote(text, text) is not None


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        (r"$x_1\le y$", r"So $x_{1}\leq y$ holds.", r"x_{1}\leq y"),
        (r"$x_{1}\leq y$", r"So $x_1\le y$ holds.", r"x_1\le y"),
        (r"we have $f(x)$", r"we have $f\!\left(x\right)$", r"we have $f\!\left(x\right)"),
        (r'a "good" map', "It is a ``good'' map", "a ``good'' map"),
        (r"Let $a\le b$ ... small", r"Let $a\leq b$ be very small", r"Let $a\leq b$ be very small"),
        (r"$a<b$", r"$a\le b$", None),
        (r"$x_2$ is", r"$x_1$ is", None),
    ],
)
def test_a_quote_is_found_in_another_way_of_writing(
    quote: str, text: str, found: str | None
) -> None:
    place = find_quote(quote, text)
    assert (text[place.start : place.end] if place else None) == found


LOOSE = [
    ("Let n be free, so n = p_1 p_2", r"Let \( n \) be free, so \( n = p_1 p_2 \) holds"),
    ("by Hensel’s Lemma", "so, by **Hensel's Lemma**, a root exists"),
    ("Here ρ₁ ≤ 2 and x² − 1 ∈ ℝ", r"Here \rho_1 \leq 2 and $x^{2} - 1 \in \mathbb{R}$ holds"),
    ("The vectors $v$ and $w$ agree", "The **vectors $ v $ and $ w $** agree."),
    ("… so it is closed under sums.", "and so it is closed under sums, as we said"),
    ("the Cauchy–Schwarz inequality, (3) holds", "by the Cauchy-Schwarz inequality (3) holds"),
]  # fmt: skip


@pytest.mark.parametrize(("quote", "text"), LOOSE)
def test_marks_emphasis_and_letters_by_another_name_do_not_count(quote: str, text: str) -> None:
    place = find_quote(quote, f"Before it. {text} After it.")
    assert place is not None
    assert f"Before it. {text} After it."[place.start : place.end] in text
    found = align_quote(quote, text)
    assert found is not None
    assert found.likeness == 1


LONG = (
    "Let us begin. Since the sequence is bounded, it has a convergent subsequence, whose limit is "
    "then a fixed point of the map. This ends the first part."
)


def test_a_passage_that_is_nearly_quoted_is_found_with_its_likeness() -> None:
    quote = (
        "Since the sequence is bounded it has a converging subsequence whose limit is a fixed point"
    )
    assert find_quote(quote, LONG) is None
    found = align_quote(quote, LONG)
    assert found is not None
    assert ALIKE <= found.likeness < 1
    assert LONG[slice(*found.span)].startswith("Since the sequence")
    assert LONG[slice(*found.span)].endswith("a fixed point")


@pytest.mark.parametrize(
    "quote",
    [
        "The map has no fixed point, as the sequence shows.",
        "Nothing of this is there.",
        "()",
        "B.",
        "the map x",
    ],
)
def test_a_passage_that_is_only_about_the_same_is_not_taken(quote: str) -> None:
    assert align_quote(quote, LONG) is None


@given(st.text(max_size=40), st.text(max_size=80))
def test_an_aligned_passage_lies_in_the_text(quote: str, text: str) -> None:
    found = align_quote(quote, text)
    if found is not None:
        assert 0 <= found.span.start < found.span.end <= len(text)
        assert ALIKE <= found.likeness <= 1
