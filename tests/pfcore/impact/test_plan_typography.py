"""The edits of typography that were tried on real papers: none of them affects anybody."""

from collections.abc import Callable

import pytest

from pfcore.graph.paper_state import PaperState
from pfcore.impact import plan

Affected = Callable[..., dict[str, tuple[str, ...]]]
Paper = Callable[..., PaperState]

EDITS = {
    "less or equal": (r"$a\le b$", r"$a\leq b$"),
    "not equal": (r"$a \ne b$", r"$a\neq b$"),
    "braces by name": (r"$\{x\}$", r"$\lbrace x\rbrace$"),
    "a script in braces": (r"$x_1+y^n$", r"$x_{1}+y^{n}$"),
    "dots": (r"$1,\dots,n$", r"$1, \ldots, n$"),
    "a wide space": (r"$a=b \quad c=d$", r"$a=b \qquad c=d$"),
    "a thin space": (r"$\int f\,dx$", r"$\int f dx$"),
    "italic correction": (r"\emph{very\/} old", r"\emph{very} old"),
    "a large parenthesis": (r"$f(x)$", r"$f\!\bigl(x\bigr)$"),
    "display style": (r"$\sum_i x_i$", r"$\displaystyle\sum\limits_{i} x_i$"),
    "italics": (r"a \emph{real} set", r"a \textit{real} set"),
    "a switch to italics": (r"a \emph{real} set", r"a {\em real} set"),
    "small print": (r"a note on $x$, too", r"{\small a note on $x$,} too"),
    "where a page may end": ("one two", r"one \pagebreak[3] two"),
    "a target": ("one two", r"\hypertarget{here}{}one two"),
    "an entry of the index": ("one, two", r"one\index{one}, two"),
    "blanks in a citation": (r"see \cite{a,b}", r"see \cite{a, b}"),
    "a display": (r"so \[x<y.\] Yes", r"so \begin{center}$x<y$.\end{center} Yes"),
    "no number": (
        r"\begin{align}a&=b\\c&=d\end{align}",
        r"\begin{align}a&=b\nonumber\\c&=d\notag\end{align}",
    ),
    "a star": (r"\begin{align}a&=b\end{align}", r"\begin{align*}a&=b\end{align*}"),
    "labels of a list": (
        r"\begin{enumerate}\item one\end{enumerate}",
        r"\begin{enumerate}[label=(\roman*)]\item one\end{enumerate}",
    ),
    "colours": (r"some red words", r"\textcolor{red}{some} {\color{blue} red} words"),
    "a line that ends in an argument": (r"\textbf{one}", "\\textbf{%\none}"),
    "a tie": ("one two", "one~two"),
    "a vertical space": ("one two", r"one \vspace{2pt} two"),
    "no indentation": ("one two", r"\noindent one two"),
    "a square": (r"\[x=y\]", r"\[x=y \qedhere\]"),
    "a note to oneself": ("one two", r"one \todo{why?} two"),
    "dollar signs": (r"\[x=y\]", "$$x=y$$"),
    "a line that is broken": ("one, two", r"one,\\[2pt] two"),
    "a square at the end": ("one two.", r"one two.\qed"),
    "a place on the line": ("one two", r"one {\centering two}"),
    "upright words": ("(i) one two", r"\textup{(i)} \textrm{one} \mbox{two}"),
    "braces that nothing takes": ("one two", r"{one} two"),
    "where a word may be parted": ("isomorphism", r"iso\-morphism"),
    "typed dots": (r"$1,\dots,n$", "$1,...,n$"),
    "one line of several": (r"\[x=y\]", r"\begin{align*}x&=y\end{align*}"),
    "one line in the middle": (r"\[x=y\]", r"\begin{gather}x=y\end{gather}"),
}

PAPER = r"""\documentclass{article}\usepackage{amsmath}\newtheorem{lemma}{Lemma}
\newtheorem{theorem}{Theorem}\newtheorem{definition}{Definition}
\begin{document}
\begin{definition}\label{def:tame}A set is \emph{tame} if it is finite. DEFINITION\end{definition}
\begin{lemma}\label{lem:a}A tame set is small. STATEMENT\end{lemma}
\begin{proof}It is finite. PROOF\end{proof}
\begin{theorem}\label{thm:b}All is well.\end{theorem}
\begin{proof}By \ref{lem:a} tame sets are small.\end{proof}
\end{document}
"""
PLACES = ("DEFINITION", "STATEMENT", "PROOF")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("edit", EDITS)
def test_typography_affects_nobody(affected: Affected, place: str, edit: str) -> None:
    before, after = EDITS[edit]
    assert affected(PAPER.replace(place, before), PAPER.replace(place, after)) == {}


@pytest.mark.parametrize(
    ("place", "names"),
    [
        ("DEFINITION", {"lem:a", "thm:b"}),
        ("STATEMENT", {"lem:a", "thm:b"}),
        ("PROOF", {"lem:a"}),
    ],
)
def test_mathematics_affects_who_reads_it(affected: Affected, place: str, names: set[str]) -> None:
    found = affected(PAPER.replace(place, r"$a\le b$"), PAPER.replace(place, r"$a<b$"))
    assert set(found) == names


def test_no_check_says_that_typography_changes_a_statement(paper: Paper) -> None:
    for before, after in EDITS.values():
        then = paper(PAPER.replace("STATEMENT", before))
        now = paper(PAPER.replace("STATEMENT", after))
        made = plan.make_plan(then, now)
        assert (made.edited, made.restated) == ((), ())


def test_reasons_do_not_speak_of_typography(affected: Affected) -> None:
    before = PAPER.replace("STATEMENT", r"$a\le b$").replace("PROOF", "One.")
    after = PAPER.replace("STATEMENT", r"$a\leq b$").replace("PROOF", "Two.")
    assert affected(before, after) == {"lem:a": ("proof changed",)}


def test_a_title_is_read(affected: Affected) -> None:
    title = r"\begin{lemma}[for finite groups]\label{lem:a}"
    before = PAPER.replace(r"\begin{lemma}\label{lem:a}", title)
    after = before.replace("finite groups", "infinite groups")
    assert affected(before, after) == {
        "lem:a": ("statement changed",),
        "thm:b": ("lem:a, which it cites, changed its statement",),
    }
    inside = before.replace(r"groups]\label{lem:a}", r"groups\label{lem:a}]")
    assert affected(before, inside) == {}


@pytest.mark.parametrize(
    ("made", "used"),
    [
        (r"\newcommandx{\foo}[2][1=a]{#1 < #2}", r"$\foo{b}$"),
        (r"\newcommandx{\foo}[2][1=a,usedefault]{#1 < #2}", r"$\foo[]{b}$"),
        (r"\expandafter\def\csname foo\endcsname{a < b}", r"$\foo$"),
        (r"\@namedef{foo}{a < b}", r"$\foo$"),
        (r"\def\do#1{\expandafter\def\csname b#1\endcsname{a < #1}}\docsvlist{b}", r"$\bb$"),
        (r"\foreach \x in {b}{\expandafter\xdef\csname b\x\endcsname{a < \x}}", r"$\bb$"),
    ],
)
def test_the_body_of_a_macro_counts_however_it_was_defined(
    affected: Affected, made: str, used: str
) -> None:
    before = PAPER.replace(r"\begin{document}", made + "\n\\begin{document}")
    before = before.replace("STATEMENT", used)
    assert set(affected(before, before.replace("a < ", "a > "))) <= {"lem:a", "thm:b"}
    assert affected(before, before.replace("#1 <", "#1 >").replace("a <", "a >"))
