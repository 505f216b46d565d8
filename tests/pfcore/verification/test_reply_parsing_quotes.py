"""Quotes held against a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.verification.reply_parsing import find_quote, nearest

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


def test_the_source_line_with_most_of_the_words_is_near() -> None:
    source = "Let \\eps be small.\nThen \\inv{x} is large, and we\nconclude by \\cref{a}.\n"
    place = nearest("Then \\frac{1}{x} is large, and", source)
    assert place is not None
    assert source[place.start : place.end] == "Then \\inv{x} is large, and we"
    assert nearest("something entirely different", source) is None
    assert nearest("$x$", source) is None


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
