import pytest

from pfcore.latex.lexer.groups import Groups
from pfcore.latex.macros.macro import NO_VALUE, looked, one_style, past_space, valued

NEXT = r"\@ifnextchar[{\a}{\b}"


@pytest.mark.parametrize(
    ("body", "text", "result", "rest"),
    [
        (NEXT, "[x]", r"\a", "[x]"),
        (NEXT, "  \n [x]", r"\a", "  \n [x]"),
        (NEXT, "{x}", r"\b", "{x}"),
        (NEXT, "\n\n[x]", r"\b", "\n\n[x]"),
        (NEXT, "", r"\b", ""),
        (r"\@ifnextchar[\a\b", "[x]", r"\a", "[x]"),
        (r"p\kernel@ifnextchar [ {\a}{\b[d]}", "{x}", r"p\b[d]", "{x}"),
        (r"\@ifnextchar\bgroup{\a}{\b}", "{x}", r"\a", "{x}"),
        (r"\@ifnextchar\bgroup{\a}{\b}", "x", r"\b", "x"),
        (r"\@ifnextchar\x{\a}{\b}", r"\x y", r"\a", r"\x y"),
        (r"\@ifnextchar\x{\a}{\b}", r"\xy", r"\b", r"\xy"),
        (r"\@ifstar{\a}{\b}", "*[x]", r"\a", "[x]"),
        (r"\@ifstar{\a}{\b}", " * x", r"\a", " x"),
        (r"\@ifstar\a\b", "[x]", r"\b", "[x]"),
        (r"\@testopt{\a}{d}", "{x}", r"\a[{d}]", "{x}"),
        (r"\@testopt\a{d}", "[x]", r"\a", "[x]"),
        (r"\@dblarg\a", "{x}y", r"\a[{x}]{x}", "y"),
        (r"\@dblarg\a", "[s]{x}", r"\a", "[s]{x}"),
        (r"\@ifstar{\@ifnextchar[{\a}{\b}}{\c}", "*[x]", r"\a", "[x]"),
        (r"\@ifstar{\@ifnextchar[{\a}{\b}}{\c}", "* x", r"\b", " x"),
        (NEXT + "[x]", "y", r"\a[x]", "y"),
        (NEXT + "word", "[y]", r"\b word", "[y]"),
        (r"\@ifstar{\a}{\b}*z", "*y", r"\a z", "*y"),
        (r"\let\c\d" + NEXT, "[x]", r"\let\c\d\a", "[x]"),
        ("no look", "[x]", "no look", "[x]"),
    ],
)
def test_a_look_ahead_takes_the_branch_of_what_follows(
    body: str, text: str, result: str, rest: str
) -> None:
    made = looked(body, Groups(text), 0)
    assert made is not None
    assert (made[0], text[made[1] :]) == (result, rest)


@pytest.mark.parametrize(
    "body",
    [
        r"\expandafter\@ifnextchar\expandafter[{\a}{\b}",
        r"\def\next{" + NEXT + r"}\next",
        r"\newcommand{\next}{" + NEXT + r"}\next",
        r"\let\look\@ifnextchar",
        r"\let \look = \@ifnextchar [{\a}{\b}",
        r"\@ifnextchar[{\a}",
        r"\@ifnextchar[{\a",
        r"\@dblarg\a",
        r"\@ifstar{\@ifstar{\a}{\b}}" * 20,
    ],
)
def test_what_cannot_be_decided_by_looking_is_not(body: str) -> None:
    assert looked(body, Groups(""), 0) is None


def test_a_look_at_what_follows_the_macros_own_arguments() -> None:
    text = r"\x{a} [b]c"
    assert looked(NEXT, Groups(text), 5) == (r"\a", 5)
    assert looked(r"\@ifstar\a\b", Groups(r"\x{a} *c"), 5) == (r"\a", 7)


@pytest.mark.parametrize(
    ("text", "rest"),
    [("  a", "a"), (" \n a", "a"), (" \n \n a", "\n a"), ("a", "a"), ("", "")],
)
def test_white_space_is_passed_over_up_to_the_end_of_the_paragraph(text: str, rest: str) -> None:
    assert text[past_space(text, 0) :] == rest


@pytest.mark.parametrize(
    ("body", "result"),
    [
        (r"\IfNoValueTF{-}{a}{b}", "a"),
        (r"\IfValueTF{-}{a}{b}", "b"),
        (r"\IfBooleanT{x}{a}.", "a."),
        (r"\IfNoValueF{-}{a}.", "."),
        (r"\IfNoValueTF{-}{a}", r"\IfNoValueTF{-}{a}"),
        (r"\IfBooleanTF {x} \a\b c", r"\a c"),
        (r"\IfNoValueTF {x}\relax {b}", "b"),
        (r"\IfNoValueTF{-}{\a}{b}c", r"\a c"),
        ("none", "none"),
    ],
)
def test_tests_for_a_missing_value_are_decided(body: str, result: str) -> None:
    assert valued(body.replace("-", NO_VALUE)) == result.replace("-", NO_VALUE)


@pytest.mark.parametrize(
    ("body", "result"),
    [
        (r"\mathchoice{{\textstyle\a{#1}}}{\a{#1}}{\a{#1}}{\scriptstyle \a{#1}}.", r"\a{#1}."),
        (r"\mathchoice{\a}{\a}{\a}{\a}b", r"\a b"),
        (r"\mathchoice{\mathchoice aaaa}{a}{a}{a}", "a"),
        (r"\mathchoice{a}{b}{b}{b}", r"\mathchoice{a}{b}{b}{b}"),
        (r"\mathchoice{a}{a}", r"\mathchoice{a}{a}"),
    ],
)
def test_of_branches_that_differ_in_size_alone_one_is_left(body: str, result: str) -> None:
    assert one_style(body) == result
