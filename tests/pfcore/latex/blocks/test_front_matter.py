r"""Who wrote a paper, and where its title and its abstract stand."""

import pytest

from pfcore.latex.blocks.front_matter import abstract_span, authors, title_parts
from pfcore.latex.macros.macro import Macro

MACROS = {"me": Macro((), r"Ren\'e"), "fund": Macro(("m",), "")}


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (r"\author{R\'emy D. \and Peter P.}", ["Rémy D.", "Peter P."]),
        (r"\author[Becker et al.]{Lars Becker}\author[]{Floris van Doorn}\email{a@b.c}",
         ["Lars Becker", "Floris van Doorn"]),
        (r"\author{Ada L.\thanks{To B., who {knows}.}\\ Univ. of X\\ \texttt{a@b.c} \And Bo}",
         ["Ada L.", "Bo"]),
        (r"\author{First\inst{1}\orcidID{0000-1} \and Second\inst{1,2}}\institute{Nowhere}",
         ["First", "Second"]),
        (r"\author[1,*]{An\corref{c}\fnref{f}}\author[2]{Bob\textsuperscript{2}}", ["An", "Bob"]),
        (r"\author{\IEEEauthorblockN{Cy Bell}\IEEEauthorblockA{Home\\ x@y.z}}", ["Cy Bell"]),
        (r"\author{\LARGE Nel Niu \and \LARGE \me~Roy}", ["Nel Niu", "René Roy"]),
        ("% \\author{Old}\n\\author{New}", ["New"]),
        (r"\renewcommand{\author}[1]{\def\x{#1}}", []),
        (r"\authornote{No}\authorrunning{N.}\author{Yes}", ["Yes"]),
        (r"\author{}\author{unclosed", []),
        (r"\newif\ifanon % \anontrue" "\n" r"\ifanon\author{Anon}\else\author{Ada}\fi", ["Ada"]),
        (r"\newif\ifanon\anontrue\ifanon\author{Anon}\else\author{Ada}\fi", ["Anon"]),
        (r"\newif\ifx\xtrue\xfalse\ifx\author{A}\else\author{B}\fi", ["A", "B"]),
        ("\\author{A\x1b[31m\u202e B}", ["A [31m B"]),
        ("", []),
    ],
)  # fmt: skip
def test_authors_are_read_as_printed(source, names):
    assert list(authors(source, MACROS)) == names


def test_many_authors_are_bounded():
    found = authors(r"\author{" + r" \and ".join(f"A{n}" for n in range(900)) + "}", {})
    assert len(found) == 200


@pytest.mark.parametrize(
    ("source", "inside"),
    [
        (r"\begin{abstract}We show $x$.\end{abstract}", "We show $x$."),
        (r"\begin{abstract}[spanish]Si.\end{abstract}", "Si."),
        (r"\begin{abstract} [1] is wrong.\end{abstract}", " [1] is wrong."),
        (r"\abstract{We \emph{show}.}", "We \\emph{show}."),
        (r"\abstract[short]{Long.}", "Long."),
        (r"\begin{abstract}One.\end{abstract}\begin{abstract}Two.\end{abstract}", "One."),
        (r"\begin{abstract}never closed", ""),
        (r"\renewcommand{\abstract}{x}\abstractname{y}", ""),
        ("", ""),
    ],
)
def test_the_abstract_is_found(source, inside):
    assert source[slice(*abstract_span(source))] == inside


def test_a_title_is_taken_without_its_thanks():
    source = r"\title[Short]{On $x$\thanks{To {A}.} and $y$\footnote{B}}"
    assert [source[slice(*span)] for span in title_parts(source)] == ["On $x$", " and $y$"]
    assert title_parts(r"\title{unclosed") == []
