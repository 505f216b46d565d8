"""Trees of derivations as fractions."""

import pytest

from pfcore.reporters.html.diagrams import derived
from pfcore.reporters.html.mathml import formula_mathml


def _tree(body):
    return rf"\begin{{prooftree}}{body}\end{{prooftree}}"


@pytest.mark.parametrize(
    ("body", "made"),
    [
        (r"\AxiomC{$A$}", r"\displaystyle \text{$A$}"),
        (
            r"\AxiomC{a}\UnaryInfC{b}",
            r"\displaystyle \frac{\displaystyle \text{a}}{\displaystyle \text{b}}",
        ),
        (
            r"\AxiomC{a} \AxiomC{b}\RightLabel{(r)}\BinaryInfC{c}",
            r"\displaystyle \frac{\displaystyle \text{a}\qquad \displaystyle \text{b}}"
            r"{\displaystyle \text{c}}\,\text{(r)}",
        ),
        (
            r"\AxiomC{a}\LeftLabel{l}\UnaryInfC{b}\DisplayProof",
            r"\text{l}\,\displaystyle \frac{\displaystyle \text{a}}{\displaystyle \text{b}}",
        ),
    ],
)
def test_a_derivation_is_a_fraction(body, made):
    assert derived(_tree(body)) == made
    assert formula_mathml(made, display=True) is not None


def test_derivations_stand_on_derivations():
    made = derived(_tree(r"\AxiomC{a}\UnaryInfC{b}\AxiomC{c}\BinaryInfC{d}"))
    assert made is not None
    assert made.count(r"\frac") == 2
    assert formula_mathml(made, display=True) is not None


@pytest.mark.parametrize(
    "text",
    [
        "x",
        _tree(""),
        _tree(r"\UnaryInfC{a}"),
        _tree(r"\AxiomC{a}\AxiomC{b}"),
        _tree(r"\AxiomC{a"),
        _tree(r"\AxiomC{a}\noLine\UnaryInfC{b}"),
        _tree(r"\AxiomC{a}\setbox\UnaryInfC{b}"),
        _tree(r"\AxiomC{a}" * 100 + r"\UnaryInfC{b}" * 100),
    ],
)
def test_what_is_not_understood_is_left(text):
    assert derived(text) is None
