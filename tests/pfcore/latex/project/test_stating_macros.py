"""Commands that print a statement: its kind in bold, its number, and what they are given."""

from collections.abc import Callable

import pytest

from pfcore.latex.project.stating_macros import headings_alone
from pfcore.latex.project.syntax import Syntax
from pfcore.latex.reader import Read

Reader = Callable[..., Read]
COUNTED = r"""\newcommand{\thm}[1]{
  \stepcounter{thmcounter}\hypertarget{t:\thethmcounter}{}%
  \noindent\textbf{Théorème \thethmcounter ~:} #1 \newline}"""
BOLD = r"\newcommand{\thm}[1]{\par\medskip\noindent{\bf Theorem.} {\it #1}\par}"
SWITCHED = r"\newcommand\thm[1]{\medskip\bfseries Theorem \thethm. \normalfont #1 \medskip}"
TITLED = r"\newcommand{\thm}[2]{\par\textbf{Theorem \thethm\ (#1).} \textit{#2}}"
OPTIONAL = r"\newcommand{\thm}[2][]{\par\refstepcounter{thm}\textbf{Theorem \thethm.} #1 #2}"
LABELLED = r"\newcommand{\thm}[2]{\refstepcounter{t}\label{thm:#1}\textbf{Theorem \thet:} #2\par}"
HELPED = (
    r"\newcommand{\state}[2]{\refstepcounter{t}\par\noindent\textsc{#1 \thet.} \emph{#2}\par}"
    r"\newcommand{\thm}[1]{\state{Theorem}{#1}}"
)
BY_DEF = r"\long\def\thm#1{\vspace{4pt}\noindent\underline{\textbf{Theorem}:} #1 \vspace{4pt}}"
FRAMED = r"\newcommand{\thm}[1]{\begin{mdframed}[linecolor=blue]\textbf{Theorem:} #1\end{mdframed}}"
TESTED = (
    r"\newcommand{\thm}[2]{\par\ifthenelse{\equal{#1}{}}{\textbf{Theorem.}}"
    r"{\textbf{Theorem (#1).}} #2}"
)
BOX = (
    r"\NewTotalTColorBox[use counter=c]{\thm}{ +m }{notitle,colback=blue!5!white,label={T:\thec}}"
    r"{\textcolor{blue!50!black}{\sffamily\textbf{Theorem~\thetcbcounter.}%"
    "\n}%\n"
    r"#1}"
)
BOX_TITLED = (
    r"\DeclareTotalTColorBox[auto counter]{\thm}{O{} m}"
    r"{title={Theorem~\thetcbcounter #1},colback=red}{#2}"
)


@pytest.mark.parametrize(
    ("text", "kind", "title"),
    [
        (COUNTED + r"\thm{Every $x$ is $y$.}", "theoreme", ""),
        (BOLD + r"\thm{Every $x$ is $y$.}", "theorem", ""),
        (SWITCHED + r"\thm{Every $x$ is $y$.}", "theorem", ""),
        (TITLED + r"\thm{Gauss}{Every $x$ is $y$.}", "theorem", "Gauss"),
        (OPTIONAL + r"\thm[Gauss]{Every $x$ is $y$.}", "theorem", "Gauss"),
        (LABELLED + r"\thm{a}{Every $x$ is $y$.}", "theorem", ""),
        (HELPED + r"\thm{Every $x$ is $y$.}", "theorem", ""),
        (BY_DEF + r"\thm{Every $x$ is $y$.}", "theorem", ""),
        (FRAMED + r"\thm{Every $x$ is $y$.}", "theorem", ""),
        (TESTED + r"\thm{Gauss}{Every $x$ is $y$.}", "theorem", "Gauss"),
        (BOX + r"\thm{Every $x$ is $y$.}", "theorem", ""),
        (BOX_TITLED + r"\thm{Every $x$ is $y$.}", "theorem", ""),
    ],
)
def test_a_command_that_prints_a_kind_and_its_argument_is_a_statement(
    text: str, kind: str, title: str, reads: Reader
) -> None:
    found = reads(text + " Text.")
    (block,) = (item for item in found.reading.blocks if item.shape == "statement")
    assert (block.kind, block.title) == (kind, title)
    assert text[block.place.start :].startswith(r"\thm")
    (said,) = (
        made for one, made in zip(found.reading.blocks, found.texts, strict=True) if one == block
    )
    assert "Every $x$ is $y$." in said
    labels = [(item.key, item.holder) for item in found.reading.labels]
    assert labels == ([("thm:a", "statement")] if "thm:#1" in text else [])


PROOF = r"\newcommand{\demo}[1]{\textbf{Démonstration :~} #1 \newline}"
ASIDES = r"\newcommand{\rmq}[1]{\textbf{Remarque :~} #1 \newline}"


def test_proofs_and_remarks_beside_such_statements_are_read_so(reads: Reader) -> None:
    text = COUNTED + PROOF + ASIDES + r"\thm{X.} \demo{Clear.} \rmq{Y.}"
    found = [(item.shape, item.kind) for item in reads(text).reading.blocks]
    assert found == [("statement", "theoreme"), ("proof", "proof"), ("statement", "remarque")]
    alone = reads(PROOF + ASIDES + r"\demo{Clear.} \rmq{Y.}")
    assert alone.reading.blocks == ()


BOX_WITH_PROOF = (
    r"\newcommand{\kara}{}\NewTotalTColorBox[use counter=c]{\thm}{ +m +m }{notitle}"
    r"{\textcolor{blue}{\sffamily\textbf{Theorem~\thetcbcounter.}}#1\if #2\kara \else \tcblower"
    r"\textcolor{blue}{\sffamily\textbf{Proof.}}#2\qedsymbol\fi}"
)


@pytest.mark.parametrize(("proof", "number"), [("Clear.", 1), ("", 0), (" \n", 0)])
def test_a_command_may_print_a_statement_with_its_proof(
    proof: str, number: int, reads: Reader
) -> None:
    found = reads(rf"{BOX_WITH_PROOF}\thm{{X.}}{{{proof}}} Text.")
    assert [item.shape for item in found.reading.blocks] == ["statement", *["proof"] * number]


@pytest.mark.parametrize(
    "text",
    [
        r"\newcommand{\thm}[1]{Theorem~\ref{#1}} By \thm{a}.",
        r"\newcommand{\thm}[1]{\textbf{Theorem~\ref{#1}}} By \thm{a}.",
        r"\newcommand{\thm}[1]{\textbf{Theorem} \ref{#1}} By \thm{a}.",
        r"\newcommand{\thm}[1]{\textbf{Theorem #1}} By \thm{2}.",
        r"\newcommand{\thm}[1]{\textbf{Theorem} #1} By \thm{2}.",
        r"\newcommand{\thm}[1]{{\bf Theorem~#1}} By \thm{2}.",
        r"\newcommand{\thm}[1]{\hyperref[#1]{\textbf{Theorem}}} By \thm{a}.",
        r"\newcommand{\note}[1]{\textbf{Note:} #1} \note{Say more here.}",
        r"\newcommand{\question}[1]{\par\textbf{Question:} #1} \question{Why?}",
        r"\newcommand{\step}[1]{\par\textbf{Step:} #1} \step{We induct.}",
        r"\newcommand{\vect}[1]{\mathbf{#1}} $\vect{a}$",
        r"\newcommand{\thm}{\par\textbf{Theorem.} } \thm Every.",
        r"\newcommand{\thm}[1]{\par\textbf{Theorem #1.}} \thm{3} Every.",
        r"\newcommand{\lem}[2]{\textbf{Lemma:} #1 and #2 meet} \lem{a}{b}.",
        r"\newcommand{\sec}[1]{\section{#1}\textbf{Theorem:} } \sec{A}",
        r"\newtheorem{thm}{Theorem}\newcommand{\thmx}[1]{\textbf{Table:} #1}\thmx{A}",
    ],
)
def test_what_refers_or_says_something_else_is_no_statement(text: str, reads: Reader) -> None:
    assert reads(text).reading.blocks == ()


def test_a_command_of_two_meanings_is_left(reads: Reader, how: Callable[..., Syntax]) -> None:
    assert how(BOLD).theorems.keys() == {"thm"}
    text = BOLD + r"\newtheorem{thm}{Theorem}"
    assert reads(text + r"\begin{thm}X.\end{thm}").reading.blocks[0].kind == "theorem"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (r"\newcommand{\thm}{\par\textbf{Theorem.} }", {"thm": "Theorem"}),
        (r"\newcommand{\thm}[1]{\par\textbf{\sffamily Theorem #1.}}", {"thm": "Theorem"}),
        (r"\newcommand{\thm}[1]{\ifthenelse{\equal{#1}{.}}{\textbf{Lemma.}}{\textbf{Lemma #1.}}}",
         {"thm": "Lemma"}),
        (r"\newcommand{\thm}{Theorem}", {}),
        (r"\newcommand{\thm}[1]{\textbf{Theorem~\ref{#1}}}", {}),
        (BOLD, {}),
    ],
)  # fmt: skip
def test_commands_that_print_a_heading_alone_are_known(
    text: str, names: dict[str, str], how: Callable[..., Syntax]
) -> None:
    assert headings_alone(how(text).macros) == names
