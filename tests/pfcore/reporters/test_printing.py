"""Text made safe to print."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pfcore.reporters.formats
from pfcore.domain.values import Status
from pfcore.reporters.printing import GLYPHS, Style, plural, safe, shortened, status_words


@given(st.text())
def test_nothing_unprintable_survives(text):
    assert safe(text).isprintable()


@pytest.mark.parametrize(
    "letter", ["\x1b", "\x9b", "\u202e", "\u2066", "\ufeff", "\u200b", "\ud800", "\n"]
)
def test_controls_and_directions_are_taken_out(letter):
    assert safe(f"a{letter}b") == "a b"


@given(st.text(min_size=1, max_size=50), st.integers(2, 60))
def test_a_shortened_text_fits(text, width):
    assert len(shortened(text, width)) <= width


def test_nouns_agree_with_their_number():
    assert (
        plural(1, "module"),
        plural(0, "module"),
        plural(1234, "reply", "replies"),
    ) == (
        "1 module",
        "0 modules",
        "1,234 replies",
    )


SCHEMAS = Path(pfcore.reporters.formats.__file__).parent / "schemas"


@pytest.mark.parametrize("status", Status)
def test_every_status_has_a_sign_and_a_word_and_is_in_the_schemas(status):
    assert len(GLYPHS[status]) == 1
    assert Style(ascii=True).finish([GLYPHS[status]]).isascii()
    assert status_words(status).startswith(status.value)
    for name in ("check", "graph"):
        assert f'"{status.value}"' in (SCHEMAS / f"{name}.json").read_text("utf-8")
