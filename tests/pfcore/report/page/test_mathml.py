"""Formulas as MathML: what is converted, what is refused, and that nothing else gets through."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.report.page.mathml import formula


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("x<y", "<mo>&lt;</mo>"),
        (r"\frac{a}{b}", "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>"),
        (r"\text{if $x=0$ and}", "<mi>x</mi>"),
        (r"\lvert x|", '<mo stretchy="false" lspace="0" rspace="0">|</mo><mi>x</mi>'),
        (r"a\ensuremath{b}\label{c}", "<mi>b</mi>"),
        (r"\if\relax\detokenize{}\relax x\else y\fi", "<mi>x</mi>"),
        (r"\if\relax\detokenize{z}\relax x\else y\fi", "<mi>y</mi>"),
        (r"\mathchoice{{a}}{b}{c}{d}e", "<mi>a</mi>"),
        (r"\begin{align*}a&=b\\&=c\end{align*}", '<mtr><mtd class="right"><mi>a</mi></mtd>'),
    ],
)
def test_a_formula_is_converted(text, part):
    assert part in (formula(text, display=False) or "")


@pytest.mark.parametrize(
    "text",
    [
        r"\unknown{x}",
        r"\frac{a",
        r"a^b^c",
        r"\mathchoice{a}",
        "{" * 900,
        "x" * 5000,
        r"\left(",
        r"a\text",
    ],
)
def test_what_cannot_be_converted_is_nothing(text):
    assert formula(text, display=True) is None


@pytest.mark.parametrize(
    "text",
    [
        r"\href{javascript:alert(1)}{x}",
        r"\style{background:url(//a)}{x}",
        r"\class{a}{x}",
        r"\text{<script>alert(1)</script>}",
        r"\text{&lt;script&gt;}",
        r"\unicode{x3c}script\unicode{x3e}",
        r"\mathord{<img src=x onerror=alert(1)>}",
        r"\color{red\" onclick=\"x}y",
        "\u202e\x00<",
        r"\hspace{1em\" onload=\"x}",
    ],
)
def test_hostile_formulas_are_only_formulas(text):
    made = formula(text, display=True) or ""
    _require_harmless(made)


@given(st.text("\\{}$^_&<>\"'ab1 \u202efracsqrttexthrefleftright", max_size=40))
def test_any_formula_is_well_formed_or_nothing(text):
    _require_harmless(formula(text, display=False) or "")


def _require_harmless(made):
    assert not re.search(
        r"href|style=|class=(?!\"(?:left|right)\")|on\w+=|<script|<img|\u202e",
        re.sub(r">[^<]*<", "><", made),
    )
    assert "\u202e" not in made
    if made:
        ElementTree.fromstring(made)
