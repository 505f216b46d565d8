"""What TeX's own code prints stands in a text, and nothing of the code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.latex.lexer.leftover_code import with_formulas, without_code
from pfcore.latex.lexer.normal_form import normal_form
from pfcore.latex.lexer.whitespace import fold


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        (r"$\ensuremath{\mathsf{p}_1}\xspace\circ f$", r"$\mathsf{p}_1\circ f$"),
        (r"the map \ensuremath{\mathsf{p}} is", r"the map $\mathsf{p}$ is"),
        (r"a \ensuremath{x\ensuremath{y}}, b", "a $xy$, b"),
        (r"$\ensuremath{a+b}^2$", "${a+b}^2$"),
        (r"$\hat\ensuremath{a+b}$", r"$\hat{a+b}$"),
        (r"the type \foo\xspace of maps", r"the type \foo of maps"),
        (r"$a\mathbin{\sharp}b\mathrel{R}^2$", r"$a\sharp bR^2$"),
        (r"$\mathopen{(}x\mathclose{)}$", "$(x)$"),
        (r"$x\mathord{ab}_2$", "$x{ab}_2$"),
        (r"$\mathchoice{a}{b}{c}{d}x$", "$bx$"),
        (r"$\mathchoice{a}{b}$", r"$\mathchoice{a}{b}$"),
        (r"$p\raisebox{0.5ex}{$\cdot$}q$", r"$p\cdot q$"),
        (r"a \raisebox{1pt}[2pt][3pt]{small} box", "a small box"),
        (r"\item \stepcounter{n} Show", r"\item Show"),
        (r"\setcounter{n}{3}\refstepcounter{n}Show", "Show"),
        (r"\setcounter{n} Show", r"\setcounter{n} Show"),
        (r"a \expandafter\gdef\csname x1\endcsname{\foo{y}} b", "a b"),
        (r"\def\a#1#2{#1}\let\b=\c\global\let\d\relax x", "x"),
        (r"\def\a", r"\def\a"),
        (r"a \defn{tame} ring, a \letter{b}", r"a \defn{tame} ring, a \letter{b}"),
        (r"$\if\relax\detokenize{}\relax a\else b\fi$", "$a$"),
        (r"$\if\relax\detokenize{\{x}\relax a\else b\fi$", "$b$"),
        (r"$\if\relax\detokenize{}\relax a\fi c$", "$ac$"),
        (r"$\ifx\relax x\relax a\else b\if1\else\fi\fi c$", r"$b\if1\else\fi c$"),
        (r"\ifx&&none\else some\fi, \if!x!none\else some\fi", "none, some"),
    ],
)
def test_only_what_is_printed_stays(text: str, printed: str) -> None:
    assert normal_form(text) == printed


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            r"let { \ensuremath{ { \ensuremath{\mathcal{C}} } \xspace} } \xspace be",
            r"let $ { {\mathcal{C}} } $ be",
        ),
        (r"Let ({\ensuremath{A}}, b) be", "Let ($A$, b) be"),
        (r"$\mathchoice{a}{b}{c}{d}x$ and {$y$}", "$bx$ and $y$"),
        (r"\emph{$y$} and \foo{$y$} { $z$ }", r"\emph{$y$} and \foo{$y$} { $z$ }"),
    ],
)
def test_what_may_stand_in_words_is_a_formula(text: str, shown: str) -> None:
    assert with_formulas(text) == shown


def test_a_test_that_nothing_closes_stays() -> None:
    assert r"\detokenize" in without_code(r"$\if\relax\detokenize{}\relax a$")


def test_texts_that_differ_in_code_alone_are_one_text() -> None:
    texts = [
        r"the path $p\mathbin{\centerdot}q$ in $\mathcal{M}_X$",
        r"the path $p{\centerdot}q$ in ${\mathcal{M}}_X$",
        r"the path \ensuremath{p\mathrel{\raisebox{1pt}{$\centerdot$}}q} in ${\mathcal M}_{X}$",
        r"\relax the path $p\centerdot_{}q$ in $\mathcal M_X$\stepcounter{n}",
    ]
    assert {normal_form(fold(text)) for text in texts} == {
        r"the path $p\centerdot q$ in $\mathcal{M}_X$"
    }


@pytest.mark.parametrize(
    "text",
    [
        r"$x_{n}{y}$",
        r"$\frac{a}{b}{c}$",
        r"$\sum_{i}{x}_i$",
        r"\emph{a} {b}",
        r"$\foo{a}{b}{\alpha}$",
    ],
)
def test_braces_that_something_may_take_stay(text: str) -> None:
    once = normal_form(fold(text))
    assert normal_form(once) == once
    assert once.count("{") >= text.count("{") - 1


DEEP = 2_000


@pytest.mark.parametrize(
    "text",
    [
        "$" + r"\mathbin{" * DEEP + "x" + "}" * DEEP + "$",
        "$" + r"\ensuremath{" * DEEP + "x" + "}" * DEEP + "$",
        r"\if\relax\detokenize{}\relax " * DEEP,
        r"\mathbin{" * DEEP,
        r"\raisebox{1pt}" * DEEP,
    ],
)
def test_code_that_nests_without_end_is_no_error(text: str) -> None:
    assert isinstance(normal_form(text), str)


PIECES = [
    r"\ensuremath", r"\mathbin", r"\raisebox", r"\mathchoice", r"\relax", r"\xspace", r"\def\a",
    r"\if\relax\detokenize{}\relax", r"\else", r"\fi", "{", "}", "$", "a", " ", r"\[", r"\]", "_",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_whatever_stands_there_is_no_error(text: str) -> None:
    assert len(without_code(text)) <= 2 * len(text) + 10


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        (r"$F\bgroup(U;E\aftergroup\egroup)$", "$F(U;E)$"),
        (r"$\ifthenelse{\equal{a}{\empty}}{\to}{\overset{a}{\to}}$", r"$\overset{a}{\to}$"),
        (r"$\ifthenelse{\equal{}{}}{x}{y}$", "$x$"),
        (r"$\ifxetex{[x]}\else{\lfloor{x}\rfloor}\fi$", r"${\lfloor{x}\rfloor}$"),
        (r"$\ifthenelse{\equal{\alpha}{\empty}}{x}{y}$", "$y$"),
        (r"$\ifthenelse{\equal{\foo}{a}}{\textcolor{red}{x}}{x}$", "$x$"),
        (r"$\ifthenelse{\equal{\foo}{a}}{x}{y}$", r"$\ifthenelse{\equal{\foo}{a}}{x}{y}$"),
        (r"$\mathpalette\macro{9013da3a}{b}$", "$b$"),
        (r"$\mathpalette\inner{b}$", "$b$"),
    ],
)
def test_groups_palettes_and_tests_of_plain_texts_print_what_is_in_them(text, printed):
    assert without_code(text) == printed
