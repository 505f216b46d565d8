from functools import partial

import pytest

from pfcore.latex.lexer.groups import Groups
from pfcore.latex.macros import macro as macros
from pfcore.latex.macros.macro import Macro, completed, is_open


@pytest.mark.parametrize("body", [r"\a", r"x\a*", "\\a \n", r"\a@b"])
def test_a_body_that_ends_in_a_command_is_open(body: str) -> None:
    assert is_open(body)


@pytest.mark.parametrize("body", ["", "a", r"\a{x}", r"\a.", r"\ ", r"\\"])
def test_any_other_body_is_not(body: str) -> None:
    assert not is_open(body)


def reached(groups: Groups, limit: int, *, macro: Macro) -> tuple[str, int] | None:
    """The text of the command at the beginning, which has a name of one letter."""
    found = macros.arguments(macro, groups, 2)
    return (groups.text[: found[1]], found[1]) if found and found[1] > limit else None


@pytest.mark.parametrize(
    ("parameters", "body", "text", "result", "rest"),
    [
        (("m",), r"\a", "{x}y", r"\a{x}", "y"),
        (("m",), r"\a", " x y", r"\a x", " y"),
        (("m", "m"), r"\a{x}", "{y}z", r"\a{x}{y}", "z"),
        (("l[", "m", "l]"), "\\a \n", " [x]y", r"\a[x]", "y"),
        ((), r"\a", "{x}", r"\a", "{x}"),
        (("m",), r"\a", "", r"\a", ""),
        (("m",), r"\a{x}", " y", r"\a{x}", " y"),
        (("m",), r"\a", "}", r"\a", "}"),
    ],
)
def test_the_last_command_takes_its_arguments_from_the_text(
    parameters: tuple[str, ...], body: str, text: str, result: str, rest: str
) -> None:
    macro = Macro(parameters, "")
    whole, end = completed(body, 0, Groups(text), partial(reached, macro=macro))
    assert (whole, text[end:]) == (result, rest)
