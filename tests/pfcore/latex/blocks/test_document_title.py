r"""What `\title` says, as a person reads it."""

import pytest

from pfcore.latex.blocks.document_title import document_title
from pfcore.latex.macros.macro import Macro


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        (r"\title{Counting Lattice Paths}", "Counting Lattice Paths"),
        (r"\title{Equa\c{c}\~oes de G\"odel--Fej\'er}", "Equações de Gödel–Fejér"),
        (r"\title[Short]{The long\\[2pt] title\thanks{To A.}}", "The long title"),
        (r"\title{\vspace{-2cm}\Large\textbf{Tame  Tilings} \& Fans}", "Tame Tilings & Fans"),
        (r"\title{\line{2pt} \\ Tilings \rule{3cm}{1pt}}", "Tilings"),
        (r"\title{Maps on $\mathbb{R}^n$}", "Maps on ℝ^n"),
        (r"\title{Drawing in $2\times n$ Grids}", "Drawing in 2× n Grids"),
        (r"\title{Drawing in $2\times n$ Grids \frac}", "Drawing in 2× n Grids"),
        ("% \\title{Old}\n\\title{New}", "New"),
        ("\\title{New}\n\\iffalse\\title{Old}\\fi", "New"),
        (r"\title{First}\title{Second}", "Second"),
        (r"\renewcommand{\title}[1]{\def\x{#1}}", ""),
        (r"\titlepage{No} \titleformat{\section}", ""),
        (r"\title{Known \strange{things} by \odd}", "Known things by"),
        (r"\title{The \name's theorem on \pair{a}{b}}", "The Gauß's theorem on a and b"),
        (r"\title{\titlefont Tame Tilings:\\\medskip and Fans}", "Tame Tilings: and Fans"),
        (r"\title{{\strange}Tame Tilings}", "Tame Tilings"),
        (r"\title{\bfseries Tame Tilings\\[3ex] \mdseries\large January 2019}", "Tame Tilings"),
        (
            "\\title{Tame Tilings\\\\\\begin{tikzpicture}[scale=2]\n\\draw (0,1) -- (1,0);"
            "\n\\end{tikzpicture} and Fans}",
            "Tame Tilings and Fans",
        ),
        (r"\title{\loop}", ""),
        ("\\title{A\x1b[31m\u202e B}", "A [31m B"),
        (r"\title{unclosed", ""),
        (r"\title{}", ""),
        (
            r"\icmltitlerunning{Lattices}\twocolumn[\icmltitle{Counting Lattice Paths}]",
            "Counting Lattice Paths",
        ),
        (r"\aistatstitle{Counting Paths}", "Counting Paths"),
        (r"\TITLE{Counting Paths}", "Counting Paths"),
        (r"\Title{Counting Paths}", "Counting Paths"),
        (r"\thesistitle{Counting Paths}", "Counting Paths"),
        (r"\title{Paths}\icmltitle{Counting Paths}", "Paths"),
        (r"\aistatstitle{Paths} Text. \aistatstitle{Supplement to \emph{Paths}}", "Paths"),
        (r"\title{Paths}\maketitle Text. \title{Supplement to Paths}\maketitle", "Paths"),
        (r"\title{No}\renewcommand\maketitle{x}\title{Paths}\maketitle", "Paths"),
        (r"\frametitle{Counting Paths}\booktitle{No}", ""),
        (r"\newcommand{\mytitle}{Counting Paths}", "Counting Paths"),
        (
            r"\def\thesistitle{Counting \emph{Paths}}\hypersetup{pdftitle={No such}}",
            "Counting Paths",
        ),
        (r"\def\mytitle#1{Counting Paths}\newcommand\sectiontitle{All the Paths}", ""),
        (r"\hypersetup{colorlinks, pdftitle = {Counting Paths}, pdfauthor={A}}", "Counting Paths"),
        (r"\hypersetup{pdftitle={Title},pdfauthor={Author}}", ""),
        (r"\hypersetup{pdftitle={\mytitle}}", ""),
        ("", ""),
    ],
)
def test_a_title_is_read_as_printed(source, printed):
    macros = {
        "name": Macro((), r"Gau{\ss}"),
        "pair": Macro(("m", "m"), "#1 and #2"),
        "line": Macro(("m",), r"\color{blue}{\rule{\linewidth}{#1}}"),
        "loop": Macro((), r"\loop"),
        "titlefont": Macro((), r"\normalfont\Huge\bfseries"),
    }
    assert document_title(source, macros) == printed


def test_macros_that_grow_end():
    title = document_title(r"\title{\grow}", {"grow": Macro((), r"x\grow\grow")})
    assert title.startswith("x") and len(title) < 2_100
