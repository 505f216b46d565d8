import pytest

from pfcore.latex.macros import reach
from pfcore.latex.macros.macro import PRIMITIVE, Macro

TABLE = {
    "a": Macro((), r"\b x"),
    "b": Macro((), r"\label{x}"),
    "c": Macro((), r"\c"),
    "d": Macro((), r"\c\b"),
    "e": Macro((), r"\f"),
    "f": Macro((), r"\e"),
    "g": Macro(PRIMITIVE, r"\label"),
    "label": Macro(("m",), r"\g{#1}"),
}


def test_macros_lead_to_commands_through_others() -> None:
    found = reach.leading(reach.calls(TABLE), frozenset({"label"}))
    assert found == {"a", "b", "d", "g", "label"}


def test_a_further_meaning_leads_too() -> None:
    found = reach.calls({"a": Macro((), "x")}, [("a", Macro((), r"\ref{x}"))])
    assert reach.leading(found, frozenset({"ref"})) == {"a"}


def test_macros_that_call_themselves_are_endless_and_their_callers_are_not() -> None:
    assert reach.endless(reach.calls(TABLE)) == {"c", "e", "f"}


@pytest.mark.parametrize(("length", "is_endless"), [(10, False), (60, True)])
def test_macros_that_nest_too_deeply_are_endless(length: int, is_endless: bool) -> None:
    table = {"x" * i: Macro((), "\\" + "x" * (i + 1)) for i in range(1, length)}
    assert ("x" in reach.endless(reach.calls(table))) is is_endless
