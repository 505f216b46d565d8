import pytest

from pfcore.latex.macros.macro import Macro
from pfcore.latex.project.declarations import Environment, Theorem
from pfcore.latex.project.syntax import Custom, Declared, build

BASE = Declared(
    theorems=(Theorem("foo", "Lemma", "bracket", ""),),
    environments=(Environment("bar", r"\begin{foo}", r"\end{foo}", 2, True),),
    proofs=("pf2",),
    macros={"x": Macro((), "y")},
)


@pytest.mark.parametrize(
    ("declared", "custom"),
    [
        (BASE._replace(theorems=(Theorem("foo", "Lemma", "braces", ""),)), Custom()),
        (BASE._replace(theorems=(Theorem("foo", "Claim", "bracket", ""),)), Custom()),
        (BASE._replace(environments=()), Custom()),
        (BASE._replace(proofs=()), Custom()),
        (BASE._replace(macros={"x": Macro((), "z")}), Custom()),
        (BASE._replace(variants=(("x", Macro((), "z")),)), Custom()),
        (BASE, Custom(kinds={"foo": "claim"})),
        (BASE, Custom(references=("r",))),
        (BASE, Custom(labels=("r",))),
        (BASE, Custom(emphasis=("r",))),
    ],
)
def test_whatever_changes_a_reading_changes_the_key(declared: Declared, custom: Custom) -> None:
    assert build(declared, custom).key != build(BASE).key


def test_the_order_of_macros_does_not_change_the_key() -> None:
    one, other = Macro((), "1"), Macro((), "2")
    first = build(BASE._replace(macros={"a": one, "b": other}))
    assert first.key == build(BASE._replace(macros={"b": other, "a": one})).key


def test_an_environment_stands_for_what_it_begins() -> None:
    found = build(BASE)
    assert found.environment("bar") == "foo"
    assert found.environment("foo") == "foo"
    assert found.arguments == {"bar": 1}
    assert "pf2" in found.proofs


def test_a_proof_that_is_declared_as_a_theorem_is_a_statement() -> None:
    assert (
        "answer"
        not in build(Declared(theorems=(Theorem("answer", "Answer", "bracket", ""),))).proofs
    )


THEOREMS = (
    Theorem("d", r"D\'efinition", "bracket", ""),
    Theorem("t", r"Th\'{e}or\`eme", "bracket", ""),
)


def test_an_accent_of_a_printed_name_is_read():
    declared = Declared(theorems=THEOREMS)
    kinds = build(declared).kinds
    assert (kinds["d"], kinds["t"]) == ("definition", "theoreme")


def test_an_environment_that_is_a_formula_is_no_statement() -> None:
    made = build(BASE._replace(macros={"problem": Macro((), r"$$\refstepcounter{problem}")}))
    assert "problem" not in made.kinds
    assert build(BASE).kinds["problem"] == "problem"
