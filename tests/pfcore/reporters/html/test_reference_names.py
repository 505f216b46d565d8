"""References as the PDF has them; each row was compiled with LaTeX once.

In one thing the report differs: hyperref calls a lemma that shares a counter with the theorems
`Theorem 1.1`, and the report says what it is.
"""

import html
import re

import pytest

from pfcore.reporters.html.mathml import formula_mathml
from pfcore.reporters.html.page import Assets, report_page

ASSETS = Assets(style="p{}", script="'use strict'")
PAPER = r"""\documentclass{article}
\usepackage{amsthm,amsmath}
%s
\newtheorem{theorem}{Theorem}[section]
\newtheorem{lemma}[theorem]{Lemma}
\newtheorem{thm}[theorem]{Theorem}
\newtheorem{prop}{Proposition}
\newtheorem{main}{Main Theorem}
\begin{document}
\section{A}\label{s}\subsection{B}\label{ss}
\begin{lemma}[Key lemma]\label{l}x\begin{equation}\label{e}x\end{equation}\end{lemma}
\begin{theorem}\label{t}x\begin{enumerate}\item\label{i}x\end{enumerate}\end{theorem}
\begin{thm}\label{tt}x\end{thm}
\begin{prop}\label{p}x\end{prop}
\begin{main}\label{m}x\end{main}
\begin{figure}\caption{x}\label{f}\end{figure}
\begin{prop}\label{last}x\end{prop}
\begin{proof}%s\end{proof}
\appendix\section{C}\label{ap}
\end{document}
"""
KEYS = "s ss l e t i tt p m f ap".split()
NAMES = (
    r"\usepackage{cleveref}\crefname{thm}{thm.}{thms.}\Crefname{prop}{Prop.}{Props.}"
    r"\crefname{lemma}{Lemma}{Lemmas}\crefformat{section}{\S#2#1#3}\crefname{equation}{}{}"
    r"\Crefformat{section}{Section~#2#1#3}\crefname{enumi}{part}{parts}"
)
ROWS = [
    (r"\usepackage{cleveref}", "cref",
     "section 1; section 1.1; lemma 1.1; eq. (1); theorem 1.2; item 1; theorem 1.3; "
     "proposition 1; main Theorem 1; fig. 1; appendix A"),
    (r"\usepackage{cleveref}", "Cref",
     "Section 1; Section 1.1; Lemma 1.1; Equation (1); Theorem 1.2; Item 1; Theorem 1.3; "
     "Proposition 1; Main Theorem 1; Figure 1; Appendix A"),
    (r"\usepackage[capitalise]{cleveref}", "cref",
     "Section 1; Section 1.1; Lemma 1.1; Eq. (1); Theorem 1.2; Item 1; Theorem 1.3; "
     "Proposition 1; Main Theorem 1; Fig. 1; Appendix A"),
    (r"\usepackage[nameinlink,noabbrev]{cleveref}", "cref",
     "section 1; section 1.1; lemma 1.1; equation (1); theorem 1.2; item 1; theorem 1.3; "
     "proposition 1; main Theorem 1; figure 1; appendix A"),
    (NAMES, "cref",
     "§1; §1.1; Lemma 1.1; (1); theorem 1.2; part 1; thm. 1.3; "
     "prop. 1; main Theorem 1; fig. 1; appendix A"),
    (NAMES, "Cref",
     "Section 1; Section 1.1; Lemma 1.1; (1); Theorem 1.2; Part 1; Thm. 1.3; "
     "Prop. 1; Main Theorem 1; Figure 1; Appendix A"),
    (r"\usepackage{hyperref}", "autoref",
     "section 1; subsection 1.1; Lemma 1.1; Equation 1; Theorem 1.2; item 1; Theorem 1.3; "
     "Proposition 1; Main Theorem 1; Figure 1; Appendix A"),
    (r"\usepackage{hyperref}\renewcommand{\sectionautorefname}{Section}", "autoref",
     "Section 1; subsection 1.1; Lemma 1.1; Equation 1; Theorem 1.2; item 1; Theorem 1.3; "
     "Proposition 1; Main Theorem 1; Figure 1; Appendix A"),
    (r"\usepackage{hyperref,cleveref}\let\autoref\cref", "autoref",
     "section 1; section 1.1; lemma 1.1; eq. (1); theorem 1.2; item 1; theorem 1.3; "
     "proposition 1; main Theorem 1; fig. 1; appendix A"),
]  # fmt: skip


@pytest.fixture
def shown(reviewed):
    """The page of a paper."""

    def run(text):
        maths = lambda text, display: formula_mathml(text, display=display)  # noqa: E731
        return report_page(reviewed({"main.tex": text}), ASSETS, maths)

    return run


def _proof(page: str) -> str:
    found = re.findall(r'<details class="proof".*?</summary>(.*?)</details>', page, re.DOTALL)
    assert len(found) == 1
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", found[0])).split())


@pytest.mark.parametrize(("preamble", "command", "wanted"), ROWS)
def test_a_reference_has_the_name_that_latex_prints(shown, preamble, command, wanted):
    said = "; ".join(rf"\{command}{{{key}}}" for key in KEYS)
    assert _proof(shown(PAPER % (preamble, said))) == wanted


def test_names_of_results_stay_where_no_package_is_seen_or_the_language_is_another(shown):
    german = r"\usepackage[ngerman]{babel}\usepackage{cleveref}"
    for preamble in ("", german):
        assert _proof(shown(PAPER % (preamble, r"By \cref{l}."))) == "By Lemma 1.1."


def test_thmtools_gives_names_too(shown):
    preamble = r"\usepackage{cleveref,thmtools}\declaretheorem[name=Z, refname={zed,zeds}]{zed}"
    text = (PAPER % (preamble, r"By \cref{z}, \Cref{z}.")).replace(
        r"\begin{main}", r"\begin{zed}\label{z}x\end{zed}\begin{main}"
    )
    assert _proof(shown(text)) == "By zed 1, Zed 1."


def test_a_nameref_is_a_title(shown):
    said = r"By \nameref{l}, \nameref{s}, \nameref{ss}, \nameref{t}, \nameref{e}."
    made = _proof(shown(PAPER % (r"\usepackage{hyperref}", said)))
    assert made == "By Key lemma, A, B, Theorem 1.2, (1)."


LISTS = r"""\documentclass{article}
\usepackage{amsthm,enumitem,cleveref}
\newtheorem{lemma}{Lemma}
\newlist{exs}{enumerate}{1}\setlist[exs]{label=\thesection.\arabic*}
\crefname{exsi}{Exercise}{Exercises}
\newlist{steps}{enumerate}{1}\setlist[steps]{label=(S\arabic*)}
\begin{document}
\section{A}
\begin{exs}\item\label{x}y\end{exs}
\begin{steps}\item\label{st}y\end{steps}
\begin{lemma}\label{l}So:\begin{enumerate}[label=(\alph*)]\item\label{it:a} a \item\label{it:b} b
\begin{enumerate}\item\label{it:c} c\end{enumerate}\end{enumerate}\end{lemma}
\begin{proof}%s\end{proof}
\end{document}
"""


def test_items_are_called_as_in_the_pdf(shown):
    said = r"By \ref{it:a}, \cref{it:b}, \ref{it:c}, \ref{x}, \cref{x}, \ref{st}."
    made = _proof(shown(LISTS % said))
    assert made == "By (a), item (b), (b)a, 1.1, Exercise 1.1, (S1)."
