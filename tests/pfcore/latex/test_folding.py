import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.latex.folding import bare, fold


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("a  b~c\n\nd", "a b c d"),
        ("$a + b$ c", "$a+b$ c"),
        (r"$\alpha b\ c$", r"$\alpha b\ c$"),
        (r"$\text{a b} + c$", r"$\text{a b}+c$"),
        ("$$ a + b $$", "$$a+b$$"),
        (r"\[ a \\ b \]", r"\[a\\b\]"),
        (r"\( a + b \)", r"\(a+b\)"),
        (r"a \\[2pt] b + c", r"a \\[2pt] b + c"),
        (r"\$ a + b \$", r"\$ a + b \$"),
        (r"\begin{align*} a & b \end{align*}c", r"\begin{align*}a&b\end{align*} c"),
        (r"\begin{align} a + b", r"\begin{align} a + b"),
        (r"\[ a + b", r"\[ a + b"),
        ("a\\item b", "a \\item b"),
    ],
)
def test_white_space_is_folded_and_in_mathematics_dropped(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("\x040\x05 a", "a"),
        ("a \x040\x05 b", "a b"),
        ("a\x040\x05b", "ab"),
        ("$\\alpha\x040\x05b$", "$\\alpha b$"),
        ("a\x040\x05 \x041\x05b", "a b"),
        ("plain", "plain"),
    ],
)
def test_a_bare_text_has_no_anchors(text: str, without: str) -> None:
    assert bare(text) == without


@given(st.text(alphabet="ab $\\[]~\n{}&", max_size=30))
def test_folding_twice_changes_no_word(text: str) -> None:
    assert fold(fold(text)).split() == fold(fold(fold(text))).split()
