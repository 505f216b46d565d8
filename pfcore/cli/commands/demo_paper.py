"""The demo's paper: five commits of a short note on contractions, each with its story."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoCommit:
    """Files as they are after a commit, its message, and what a reader should notice."""

    message: str
    story: str
    files: Mapping[str, str]


_MAIN = r"""\documentclass{article}
\usepackage{amsmath,amssymb,amsthm}
\newtheorem{theorem}{Theorem}[section]
\newtheorem{lemma}[theorem]{Lemma}
\newtheorem{corollary}[theorem]{Corollary}
\theoremstyle{definition}
\newtheorem{definition}[theorem]{Definition}
\newcommand{\dist}[2]{d(#1,#2)}

\title{A note on contractions}
\author{A. Author}

\begin{document}
\maketitle

\section{Contractions}
Throughout this paper $(X,d)$ is a complete metric space that is not empty.

\begin{definition}\label{def:contraction}
A map $f\colon X\to X$ is a \emph{contraction} if there is $q<1$ such that
$\dist{f(x)}{f(y)}\le q\,\dist{x}{y}$ for all $x,y\in X$.
\end{definition}

\input{estimates}
\input{fixed-point}

\end{document}
"""

_ESTIMATES = r"""\section{Estimates}

\begin{lemma}[one step]\label{lem:step}
Let $f$ be a contraction with constant $q$. Then
$\dist{f^{n+1}(x)}{f^{n}(x)}\le q^{n}\,\dist{f(x)}{x}$ for all $x\in X$ and $n\ge 0$.
\end{lemma}
\begin{proof}
By induction on $n$: the case $n=0$ is trivial, and each application of $f$ adds a factor $q$.
\end{proof}

\begin{lemma}[Cauchy]\label{lem:cauchy}
For every contraction $f$ and every $x\in X$ the sequence $(f^{n}(x))_{n\ge 0}$ is Cauchy.
\end{lemma}
\begin{proof}
By Lemma~\ref{lem:step} and the triangle inequality,
$\dist{f^{m}(x)}{f^{n}(x)}\le\frac{q^{n}}{1+q}\,\dist{f(x)}{x}$ for $m\ge n$.
\end{proof}

\begin{lemma}[uniqueness]\label{lem:unique}
A contraction has at most one fixed point.
\end{lemma}
\begin{proof}
If $x$ and $y$ are fixed points, then $\dist{x}{y}=\dist{f(x)}{f(y)}\le q\,\dist{x}{y}$,
so $\dist{x}{y}=0$.
\end{proof}
"""

_FIXED_POINT = r"""\section{The fixed point}

\begin{theorem}[Banach]\label{thm:main}
Every contraction has exactly one fixed point.
\end{theorem}
\begin{proof}
By Lemma~\ref{lem:cauchy} the iterates of any point converge, since $X$ is complete. The limit is
a fixed point because $f$ is continuous. Lemma~\ref{lem:unique} shows that there is no other.
\end{proof}

\begin{corollary}\label{cor:root}
If $g\colon\mathbb{R}\to\mathbb{R}$ is differentiable with $|g'|\le 1/2$, then $g(x)=x$ has exactly
one solution.
\end{corollary}
\begin{proof}
By the mean value theorem $g$ is a contraction, so Theorem~\ref{thm:main} applies.
\end{proof}
"""

_FIXED_PROOF = _ESTIMATES.replace(r"\frac{q^{n}}{1+q}", r"\frac{q^{n}}{1-q}")

_WEAKENED = _FIXED_PROOF.replace(
    r"for all $x\in X$ and $n\ge 0$.", r"for all $x\in X$ and all sufficiently large $n$."
)

_CIRCULAR = _WEAKENED.replace(
    r"""If $x$ and $y$ are fixed points, then $\dist{x}{y}=\dist{f(x)}{f(y)}\le q\,\dist{x}{y}$,
so $\dist{x}{y}=0$.""",
    r"""This is immediate from Theorem~\ref{thm:main}.""",
)

_DANGLING = _FIXED_POINT.replace(
    r"Theorem~\ref{thm:main} applies", r"Theorem~\ref{thm:banach} applies"
)

HISTORY = (
    DemoCommit(
        message="A first version",
        story="Nothing to compare with yet: the paper is reviewed as it stands.",
        files={"main.tex": _MAIN, "estimates.tex": _ESTIMATES, "fixed-point.tex": _FIXED_POINT},
    ),
    DemoCommit(
        message="Mend the proof of the Cauchy lemma (a sign)",
        story="A proof changed, its statement did not: nobody else needs to be read again.",
        files={"estimates.tex": _FIXED_PROOF},
    ),
    DemoCommit(
        message="Weaken the first lemma",
        story="A statement changed: whoever cites it is affected, touched or not.",
        files={"estimates.tex": _WEAKENED},
    ),
    DemoCommit(
        message="Shorten the proof of uniqueness",
        story="The shorter proof cites the theorem, whose proof cites this lemma: a circle.",
        files={"estimates.tex": _CIRCULAR},
    ),
    DemoCommit(
        message="Undo that, and rename a reference",
        story="The circle is gone; one reference now leads to a label that nothing has.",
        files={"estimates.tex": _WEAKENED, "fixed-point.tex": _DANGLING},
    ),
)
