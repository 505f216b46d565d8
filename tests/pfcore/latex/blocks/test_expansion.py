import re

import pytest

from pfcore.latex.blocks.expansion import Expander
from pfcore.latex.macros.macro import PRIMITIVE, Macro
from pfcore.latex.macros.macro_table import Lexicon, MacroChange
from pfcore.latex.project import syntax


def expander(table: dict[str, Macro], *changes: MacroChange) -> Expander:
    how = syntax.build(syntax.Declared(macros=table))
    return Expander(how, Lexicon(table, changes))


TABLE = {
    "a": Macro(("m",), r"<#1>"),
    "b": Macro((), r"\a{x}\c y"),
    "c": Macro((), "z"),
    "p": Macro(PRIMITIVE, r"\q"),
    "u": Macro((), r"\p\a"),
    "v": Macro(("m",), r"\a{\a{\c #1}}"),
    "big": Macro(("m",), "#1" * 5_000),
    "w": Macro((), r"\big{\big{xxxxx}}"),
}


@pytest.mark.parametrize(
    ("name", "template"),
    [("a", "<#1>"), ("b", "<x>z y"), ("v", "<<z #1>>"), ("c", "z")],
)
def test_a_template_has_the_papers_macros_expanded(name: str, template: str) -> None:
    assert expander(TABLE).template(name, TABLE[name], 0).replace("zy", "z y") == template


def test_a_template_has_one_branch_of_what_asks_for_the_font() -> None:
    table = {"r": Macro(("m",), r"\ifdefstring{\f@series}{b}{\mathbf{#1}}{#1}")}
    table["s"] = Macro(("m",), r"\r{#1}!")
    assert expander(table).template("s", table["s"], 0).strip() == "#1!"


@pytest.mark.parametrize("name", ["u", "w"])
def test_what_cannot_be_expanded_is_opaque(name: str) -> None:
    assert r"\macro{" in expander(TABLE).template(name, TABLE[name], 0)


def test_a_macro_that_runs_code_for_its_arguments_is_opaque() -> None:
    """As the well-known bars over letters do, which measure what stands below them."""
    wide = r"\setbox0\hbox{$#1$}\ifdim\ht0=\ht2\def\x{y}\fi\overline{#1}"
    table = {"bar": Macro(("m",), wide), "h": Macro((), r"\bar{H}")}
    assert re.fullmatch(r"\\macro\{\w{8}\}\{H\}", expander(table).template("h", table["h"], 0))


def test_a_macro_whose_code_chooses_between_opaque_ones_is_one_opaque_macro() -> None:
    inner = Macro(("m", "m"), r"\setbox0\hbox{#1}#2")
    table = {"in": inner, "out": Macro(("m",), r"\in{#1}{\in{#1}{2}}")}
    made = expander(table).template("out", table["out"], 0)
    assert re.fullmatch(r"\\macro\{\w{8}\}\{#1\}", made)


def test_a_sign_of_setting_in_a_box_ends_no_formula() -> None:
    raised = Macro((), r"\mathrel{\mathop{\raisebox{1pt}{\scriptsize$:=$}}}")
    assert expander({}).template("defines", raised, 0) == r"\mathrel{\mathop{{:=}}}"


CURRIED = {
    "call": Macro(("m", "m"), r"#1\!\left(#2\right)"),
    "core": Macro((), r"\call{C}"),
    "gap": Macro(("O:f", "m"), r"\call{\Delta_{#1}^{#2}}"),
    "same": Macro((), r"\call"),
    "wide": Macro((), r"\call\overline"),
    "both": Macro((), r"\call{C}{D}"),
    "inside": Macro((), r"{\call{C}}"),
    "before": Macro((), r"\call{C} x"),
    "free": Macro(("g", "Gx", "m", "m"), r"#1#2#3#4"),
    "given": Macro((), r"\free{A}{B}{C}"),
    "asked": Macro(("U", "m", "m"), r"#1#2#3"),
    "bracketed": Macro((), r"\asked[A]{B}"),
}


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("core", 1),
        ("gap", 3),
        ("same", 2),
        ("wide", 1),
        ("both", 0),
        ("inside", 0),
        ("before", 0),
        ("given", 1),
        ("bracketed", 1),
    ],
)
def test_a_macro_takes_what_its_last_command_lacks(name: str, count: int) -> None:
    found = expander(CURRIED).meaning(name, 0)
    assert found is not None
    assert len(found.parameters) == count


def test_a_template_hands_on_what_its_last_command_lacks() -> None:
    made = expander(CURRIED)
    core = made.meaning("core", 0)
    assert core is not None
    assert made.template("core", core, 0).replace(" ", "") == r"C\!\left(#1\right)"


def test_a_template_is_made_of_what_its_macros_mean_at_the_place() -> None:
    made = expander(TABLE, MacroChange(10, "c", Macro((), "new")))
    assert made.template("b", TABLE["b"], 0) != made.template("b", TABLE["b"], 10)
    assert "new" in made.template("b", TABLE["b"], 10)


def test_an_opaque_macro_keeps_its_arguments_and_loses_its_name() -> None:
    one = {"x": Macro(("m", "O"), r"\x\y#1"), "y": Macro((), "k")}
    two = {"r": Macro(("m", "O"), r"\r\s#1"), "s": Macro((), "k")}
    first = expander(one).opaque(one["x"], 0)
    assert first == expander(two).opaque(two["r"], 0)
    assert first.endswith("{#1}{#2}")
    other = one | {"y": Macro((), "l")}
    assert expander(other).opaque(other["x"], 0) != first


@pytest.mark.parametrize("body", ["\\x one\n  two\\y $a + b$", "\\x one   two\\y $a+b$ "])
def test_how_the_lines_of_an_opaque_macro_are_wrapped_is_nothing(body: str) -> None:
    plain = {"x": Macro(("m",), "\\x one two\\y $a+b$"), "y": Macro((), "k")}
    wrapped = plain | {"x": Macro(("m",), body)}
    first, other = (expander(table).opaque(table["x"], 0) for table in (plain, wrapped))
    assert first == other


def test_constants_are_macros_without_parameters() -> None:
    made = expander(TABLE)
    assert made.constant("c", 0) == "z"
    assert made.constant("a", 0) is None
    assert made.constant("unknown", 0) is None
