import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.latex.lexer.whitespace import SqueezedText, bare, fold


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("a  b~c\n\nd", "a b c d"),
        (r"n\~ao~de espa\~{n}ol", r"n\~ao de espa\~{n}ol"),
        (r"a\\~b", r"a\\ b"),
        (r"S\~ao\\\~{A}rea", r"S\~ao\\\~{A}rea"),
        (r"\~a\\\\~b~\~~", r"\~a\\\\ b \~"),
        ("$a + b$ c", "$a+b$ c"),
        (r"$\alpha b\ c$", r"$\alpha b\ c$"),
        (r"$\text{a b} + c$", r"$\text{a b}+c$"),
        ("$$ a + b $$", r"\[a+b\]"),
        (r"\[ a \\ b \]", r"\[a\\b\]"),
        (r"\( a + b \)", "$a+b$"),
        (r"a \\[2pt] b + c", r"a \\[2pt] b + c"),
        (r"\$ a + b \$", r"\$ a + b \$"),
        (r"a \\$b + c$", r"a \\$b+c$"),
        (r"a\\\\[2mm] b", r"a\\\\[2mm] b"),
        (r"a \\\$ b + $c + d$", r"a \\\$ b + $c+d$"),
        (r"a \\\[ b + c \]", r"a \\ \[b+c\]"),
        (r"\begin{align*} a & b \end{align*}c", r"\begin{align*}a&b\end{align*} c"),
        (r"\begin{align} a + b", r"\begin{align} a + b"),
        (r"\[ a + b", r"\[ a + b"),
        ("a\\item b", "a \\item b"),
    ],
)
def test_white_space_is_folded_and_in_mathematics_dropped(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"a \(x + y\)-b", "a $x+y$-b"),
        (r"a \begin{math} x \end{math}-b", "a $x$-b"),
        ("a $$ x = y $$ b", r"a \[x = y\] b"),
        (r"a $$x \\[2pt] y$$ b", r"a \[x \\[2pt] y\] b"),
        (r"a \begin{displaymath}x\end{displaymath} b", r"a \[ x \] b"),
        (r"a \begin{equation*}x\end{equation*} b", r"a \[ x \] b"),
        (r"\[x \text{ if \(y\)}\]", r"\[x \text{ if $y$}\]"),
    ],
)
def test_mathematics_reads_alike_whatever_fences_it(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize("text", [r"\(a\)\(b\)", r"\(a\)$b$", r"$a$\(b\)", r"\(a \text{$b$}\)"])
def test_no_dollar_signs_come_to_touch(text: str) -> None:
    assert "$$" not in fold(text)
    assert fold(fold(text)) == fold(text)


def test_a_line_break_before_a_bracket_opens_no_formula() -> None:
    assert fold(r"$a \\(b)$ and $c \\ (d\\)$") == r"$a\\(b)$ and $c\\(d\\)$"


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


@given(st.text(alphabet="ab \n\t", max_size=60))
def test_places_of_a_squeezed_text_are_those_of_its_letters(text: str) -> None:
    lines = SqueezedText(text)
    letters = [place for place, sign in enumerate(lines.text) if sign in "ab"]
    assert [text[lines.start(place)] for place in letters] == [lines.text[p] for p in letters]
    assert all(lines.end(place + 1) == lines.start(place) + 1 for place in letters)
    assert "".join(lines.text.split()) == "".join(text.split())
    assert SqueezedText(lines.text).text == lines.text
