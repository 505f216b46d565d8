import pytest

from pfcore.latex.macros import macro_table
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
    found = macro_table.leading(macro_table.calls(TABLE), frozenset({"label"}))
    assert found == {"a", "b", "d", "g", "label"}


def test_a_further_meaning_leads_too() -> None:
    found = macro_table.calls({"a": Macro((), "x")}, [("a", Macro((), r"\ref{x}"))])
    assert macro_table.leading(found, frozenset({"ref"})) == {"a"}


def test_macros_that_call_themselves_are_endless_and_their_callers_are_not() -> None:
    assert macro_table.endless(macro_table.calls(TABLE)) == {"c", "e", "f"}


@pytest.mark.parametrize(("length", "is_endless"), [(10, False), (60, True)])
def test_macros_that_nest_too_deeply_are_endless(length: int, is_endless: bool) -> None:
    table = {"x" * i: Macro((), "\\" + "x" * (i + 1)) for i in range(1, length)}
    assert ("x" in macro_table.endless(macro_table.calls(table))) is is_endless
