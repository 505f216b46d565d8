"""Characters that no reader of the PDF sees."""

import pytest

from pfcore.latex.lexer.mask import visible


@pytest.mark.parametrize("letter", ["\u200b", "\u202e", "\U000e0041", "\ufeff", "\x1b", "\u2066"])
def test_what_a_reader_cannot_see_does_not_go_along(letter: str) -> None:
    assert visible(f"a{letter}b") == "ab"


def test_what_a_reader_sees_stays() -> None:
    assert visible("é∀ x\n\ty 漢") == "é∀ x\n\ty 漢"
