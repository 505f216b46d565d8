import pytest

from pfcore.latex.groups import Groups
from pfcore.latex.macros import (
    NO_VALUE,
    PRIMITIVE,
    Macro,
    arguments,
    definitions,
    filled,
    substitute,
)


@pytest.mark.parametrize(
    ("text", "name", "macro"),
    [
        (r"\newcommand{\R}{\mathbb{R}}", "R", Macro((), r"\mathbb{R}")),
        (r"\newcommand\R{\mathbb R}", "R", Macro((), r"\mathbb R")),
        (r"\newcommand*{\f}[2]{#1,#2}", "f", Macro(("m", "m"), "#1,#2")),
        (r"\newcommand{\f}[2][x]{#1,#2}", "f", Macro(("Ox", "m"), "#1,#2")),
        (r"\renewcommand{\f}{y}", "f", Macro((), "y")),
        (r"\DeclareRobustCommand{\f}{y}", "f", Macro((), "y")),
        (r"\newrobustcmd\f{y}", "f", Macro((), "y")),
        (r"\def\f{y}", "f", Macro((), "y")),
        (r"\gdef\f#1#2{#2#1}", "f", Macro(("m", "m"), "#2#1")),
        (r"\def\f(#1,#2){#1}", "f", Macro(("l(", "m", "l,", "m", "l)"), "#1")),
        (r"\def\f#1 {#1}", "f", Macro(("m",), "#1")),
        (r"\NewDocumentCommand{\f}{s o O{d} m}{#4}", "f", Macro(("s", "o", "Od", "m"), "#4")),
        (r"\DeclareDocumentCommand \f { +m !o }{#1}", "f", Macro(("m", "o"), "#1")),
        (r"\let\a\b", "a", Macro(PRIMITIVE, r"\b")),
        (r"\let\a=x", "a", Macro(PRIMITIVE, "x")),
        (r"\DeclareMathOperator{\Hom}{Hom}", "Hom", Macro((), r"\operatorname{Hom}")),
        (r"\DeclareMathOperator*{\colim}{colim}", "colim", Macro((), r"\operatorname*{colim}")),
        (
            r"\DeclarePairedDelimiter\abs{\lvert}{\rvert}",
            "abs",
            Macro(("s", "O", "m"), r"\lvert #3 \rvert"),
        ),
        (r"\DeclarePairedDelimiter{\abs}||", "abs", Macro(("s", "O", "m"), "| #3 |")),
        ("\\newcommand{\\f}{%\n  a% b\n  c}", "f", Macro((), "ac")),
    ],
)
def test_every_form_of_definition_is_read(text: str, name: str, macro: Macro) -> None:
    (found,) = definitions(text, Groups(text))
    assert (found.name, found.macro) == (name, macro)
    assert (found.start, found.end) == (0, len(text))


@pytest.mark.parametrize(
    "text",
    [
        r"\newcommand",
        r"\newcommand{\f}",
        r"\newcommand{f}{x}",
        r"\newcommand{\f}[2]{",
        r"\def\f#1",
        r"\def\csname a\endcsname{x}",
        r"\def\f" + "0" * 300 + "{x}",
        r"\let\a",
        r"\let\csname x",
        r"\DeclareMathOperator{\Hom}",
        r"\DeclareMathOperator",
        r"\DeclarePairedDelimiter\abs",
        r"\DeclarePairedDelimiter\abs{|}",
        r"\NewDocumentCommand{\f}",
        r"\NewDocumentCommand{\f}{m}",
        r"\NewDocumentCommand{\f}{v}{x}",
        r"\define x",
        r"\defn{x}",
        r"\letter",
    ],
)
def test_a_broken_definition_defines_nothing(text: str) -> None:
    assert definitions(text, Groups(text)) == []


def test_definitions_inside_of_a_body_are_not_seen() -> None:
    text = r"\newcommand{\a}{\def\b{x}}\def\c{y}"
    assert [item.name for item in definitions(text, Groups(text))] == ["a", "c"]


def test_what_only_provides_is_marked() -> None:
    text = r"\providecommand{\a}{x}\ProvideDocumentCommand{\b}{}{y}\newcommand{\c}{}"
    assert [item.provides for item in definitions(text, Groups(text))] == [True, True, False]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        (r"a\long\def\x{}", r"\long\def\x{}"),
        (r"\protected \global\long\def\x{}", r"\protected \global\long\def\x{}"),
        (r"\global\let\x=y", r"\global\let\x=y"),
        (r"\longest\def\x{}", r"\def\x{}"),
    ],
)
def test_what_stands_before_a_definition_belongs_to_it(text: str, span: str) -> None:
    (found,) = definitions(text, Groups(text))
    assert text[slice(*found.whole(text))] == span
    assert found.is_global == ("global" in span)


@pytest.mark.parametrize(
    ("text", "is_global"),
    [
        (r"\gdef\x{}", True),
        (r"\xdef\x{}", True),
        (r"\global\edef\x{}", True),
        (r"\edef\x{}", False),
        (r"\global\y\def\x{}", False),
        (r"\newcommand{\x}{}", False),
        (r"\global\newcommand{\x}{}", False),
    ],
)
def test_some_definitions_outlive_their_group(text: str, is_global: bool) -> None:
    (found,) = definitions(text, Groups(text))
    assert found.is_global is is_global


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


def test_a_body_that_would_grow_too_long_is_not_filled() -> None:
    macro = Macro(("m",), "#1" * 100)
    assert filled(macro, macro.body, ["x" * 100], 1_000) is None
    assert filled(macro, macro.body, ["x"], 1_000) == "x" * 100
