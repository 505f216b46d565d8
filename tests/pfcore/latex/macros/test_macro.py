import pytest

from pfcore.latex.lexer.groups import Groups
from pfcore.latex.macros.macro import NO_VALUE, Macro, arguments, compared, filled, substitute


@pytest.mark.parametrize(
    ("parameters", "text", "values", "rest"),
    [
        (("m", "m"), "{a}{b}c", ["a", "b"], "c"),
        (("m", "m"), " a bc", ["a", "b"], "c"),
        (("m",), r"\foo x", [r"\foo"], " x"),
        (("Ox", "m"), "[a]{b}", ["a", "b"], ""),
        (("Ox", "m"), "{b}", [None, "b"], ""),
        (("s", "m"), "*{b}", ["*", "b"], ""),
        (("s", "o", "m"), "{b}", [None, None, "b"], ""),
        (("t/", "m"), "/{b}", ["/", "b"], ""),
        (("t/", "m"), "{b}", [None, "b"], ""),
        (("g", "Gx"), "{a} b", ["a", None], " b"),
        (("l(", "m", "l,", "m", "l)"), "(a,b)c", ["a", "b"], "c"),
        (("m", "l/"), "a/b", ["a"], "b"),
        (("l[", "m", "l]"), " [{a}]b", ["a"], "b"),
        (("l[", "m", "l]"), "[{a}{b}]c", ["{a}{b}"], "c"),
        (("l[", "m", "l]"), "[{a]b", ["{a"], "b"),
        (("m", "l ", "m"), "a b", ["a", "b"], ""),
    ],
)
def test_arguments_are_found_at_a_use(
    parameters: tuple[str, ...], text: str, values: list[str | None], rest: str
) -> None:
    found = arguments(Macro(parameters, ""), Groups(text), 0)
    assert found is not None
    assert [span and text[slice(*span)] for span in found[0]] == values
    assert text[found[1] :] == rest


@pytest.mark.parametrize(
    ("parameters", "text"),
    [(("m",), ""), (("m",), "}"), (("l(", "m", "l)"), "[a]"), (("m", "l;"), "a")],
)
def test_missing_arguments_are_none(parameters: tuple[str, ...], text: str) -> None:
    assert arguments(Macro(parameters, ""), Groups(text), 0) is None


@pytest.mark.parametrize(
    ("macro", "values", "text"),
    [
        (Macro(("m",), "<#1#1>"), ["a"], "<aa>"),
        (Macro(("Ox", "m"), "#1#2"), [NO_VALUE, "b"], "xb"),
        (Macro(("g", "Gx"), r"#2\IfValueT{#1}{y}"), [NO_VALUE, NO_VALUE], "x"),
        (Macro(("m",), "#2"), ["a"], ""),
        (Macro(("m",), r"\mathbb#1x#1\b@#1"), ["R"], r"\mathbb RxR\b@ R"),
        (Macro(("m",), r"\mathbb#1x"), ["1"], r"\mathbb1x"),
        (Macro(("m",), r"\def\x##1{#1}"), ["a"], r"\def\x#1{a}"),
        (Macro(("o",), r"\IfNoValueTF{#1}{none}{some #1}"), [NO_VALUE], "none"),
        (Macro(("o",), r"\IfNoValueTF{#1}{none}{some #1}"), ["a"], "some a"),
        (Macro(("o",), r"\IfValueT{#1}{some}"), [NO_VALUE], ""),
        (Macro(("o",), r"\IfValueF{#1}{none}"), [NO_VALUE], "none"),
        (Macro(("s",), r"\IfBooleanTF{#1}{star}{plain}"), ["*"], "star"),
        (Macro(("s",), r"\IfBooleanTF{#1}{star}{plain}"), [NO_VALUE], "plain"),
        (
            Macro(("o",), r"\IfNoValueTF{#1}{none}"),
            [NO_VALUE],
            rf"\IfNoValueTF{{{NO_VALUE}}}{{none}}",
        ),
    ],
)
def test_arguments_are_put_in(macro: Macro, values: list[str], text: str) -> None:
    assert substitute(macro, values) == text


@pytest.mark.parametrize(("value", "made"), [("", "none"), (" ", "none"), (r"\a{b}", "some")])
def test_a_blank_argument_decides(value: str, made: str) -> None:
    assert substitute(Macro(("m",), r"\ifblank{#1}{none}{some}"), [value]) == made


@pytest.mark.parametrize(
    "code",
    [
        r"\edef\a{\detokenize{x}}\def\b{x}\ifx\a\b yes\else no\fi",
        r"\def\a{\detokenize{*}}\def\b{*}\ifx\a\b yes\else no\fi",
        r"\edef\a{*}\def\b{*}\ifx\a\b yes\else no\fi\def\b{x}",
        r"\edef\a{*}\def\b{*}\let\b\x\ifx\a\b yes\else no\fi",
        r"\edef\a{*}\long\def\b{*}\ifx\a\b yes\else no\fi",
        r"\edef\a{*}\protected \def\b{*}\ifx\a\b yes\else no\fi",
        r"\def\a{*}{\def\b{*}}\ifx\a\b yes\else no\fi",
        r"{\def\a{*}\def\b{*}}\ifx\a\b yes\else no\fi",
        r"\ifx\c\d\def\a{*}\def\b{*}\fi\ifx\a\b yes\else no\fi",
        r"\edef\a{*}\def\b{* }\ifx\a\b yes\else no\fi",
        r"\edef\a{:}\def\b{:}\ifx\a\b yes\else no\fi",
        r"\ifx\a\b yes\else no\fi\edef\a{*}\def\b{*}",
        r"\edef\a{*}\def\b{*}" + "." * 2_000 + r"\ifx\a\b yes\else no\fi",
    ],
)
def test_what_macros_hold_where_they_are_compared_decides_nothing(code: str) -> None:
    assert substitute(Macro(("m",), rf"{code}#1"), ["."]) == rf"{code}."


def test_a_body_that_would_grow_too_long_is_not_filled() -> None:
    macro = Macro(("m",), "#1" * 100)
    assert filled(macro, macro.body, ["x" * 100], 1_000) is None
    assert filled(macro, macro.body, ["x"], 1_000) == "x" * 100


@pytest.mark.parametrize(
    ("body", "left"),
    [
        (r"\ifdefstring{\f@series}{b}{\boldsymbol{x}}{x}", "x"),
        (r"\ifdefstring{\protect\f@series}{m}{x}{\boldsymbol{x}}", "x"),
        (r"\ifdefstring{\f@shape}{it}{y}{x}", "x"),
        (r"\ifdefstring{\own}{b}{y}{x}", r"\ifdefstring{\own}{b}{y}{x}"),
    ],
)
def test_what_asks_for_the_font_is_told_that_it_is_the_usual_one(body: str, left: str) -> None:
    assert compared(body) == left
