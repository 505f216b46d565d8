import pytest

from pfcore.latex.numbering.counters import Format, printed, styled, without_fonts

STYLES = [
    ("arabic", 12, "12"), ("roman", 4, "iv"), ("Roman", 1999, "MCMXCIX"), ("alph", 2, "b"),
    ("Alph", 27, None), ("fnsymbol", 2, "†"), ("fnsymbol", 9, None), ("alph", 0, ""),
    ("roman", -1, None), ("Roman", 5000, None), ("alph", -3, None), ("roman", 0, ""),
]  # fmt: skip


@pytest.mark.parametrize(("style", "value", "text"), STYLES)
def test_numbers_have_styles(style: str, value: int, text: str | None) -> None:
    assert styled(style, value) == text


BODIES = [
    (r"\ifnum\c@a>\z@ \arabic{a}.\fi x", "3.x", True),
    (r"\ifnum\value{a}<1 y\else n\fi", "n", True),
    (r"\ifnum\c@a=3 y\fi", "y", True),
    (r"\@nameuse{thea}\@thmcountersep\the\c@a", "(3).3", True),
    (r"\arabic{\value{a}}\number\c@a", "33", True),
    (r"\Alph{b}", "", False),
    (r"\loop", "", False),
    (r"\unknown{1}", r"\unknown1", False),
    ("x" * 500, "", False),
]


@pytest.mark.parametrize(("body", "text", "certain"), BODIES)
def test_bodies_become_characters(body: str, text: str, certain: bool) -> None:
    values = {"a": (3, True), "b": (40, True)}
    known = {"thea": Format(r"(\arabic{a})"), "loop": Format(r"\loop")}
    known["@thmcountersep"] = Format(".")
    found = printed(Format(body), lambda name: values.get(name, (0, False)), known, {})
    assert found[1] == certain
    if certain:
        assert found[0] == text


def test_what_is_left_of_mathematics_is_uncertain() -> None:
    assert without_fonts(r"\textbf{2}$^\prime$") == ("2'", True)
    assert without_fonts(r"$\alpha$")[1] is False
    assert without_fonts("")[1] is False
