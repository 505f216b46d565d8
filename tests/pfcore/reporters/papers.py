"""A small paper whose proofs have been read, as its ledger says; and one that means harm."""

from collections.abc import Mapping, Set

from pfcore.domain.findings import finding_id
from pfcore.domain.values import Severity
from pfcore.graph.paper_state import PaperState
from pfcore.ledger.ledger import LedgerEntry, LedgerVerdict, Recorded, ledger
from pfcore.ledger.lock_lines import ledger_text
from pfcore.verification.task import tasks

HOSTILE = "</script></style><script>alert(1)</script><img src=x onerror=alert(1)>\u202e"

NEWTON = r"""\documentclass{article}
\usepackage{amsthm,amsmath}
\newtheorem{theorem}{Theorem}[section]
\newtheorem{lemma}[theorem]{Lemma}
\newtheorem{corollary}[theorem]{Corollary}
\theoremstyle{definition}
\newtheorem{definition}[theorem]{Definition}
\newcommand{\dist}[2]{\lvert #1-#2\rvert}
\newcommand{\R}{\mathbb{R}}
\begin{document}
\title{On the speed of a simple iteration}\maketitle
\section{Simple zeros}
\begin{definition}[Simple zero]\label{def:simple}
Let $f:I\to\R$ be $C^1$ on an open interval $I$. A point $x_0\in I$ is a \emph{simple zero} of $f$
if $f(x_0)=0$ and $f'(x_0)\neq 0$.
\end{definition}
\begin{lemma}[Uniform bound]\label{lem:unif}
Let $f$ be $C^1$ with $f(x_0)=0$. There are $C,\delta>0$ with
$\dist{x}{x_0}\le C\,\lvert f(x)\rvert$ for all $x$ with $\dist{x}{x_0}<\delta$.
\end{lemma}
\begin{proof}
By the mean value theorem, for each $x$ near $x_0$ there is $\xi$ between them with
\[ f(x)=f'(\xi)(x-x_0). \]
Dividing by $f'(x_0)$ we obtain the estimate, since $f'$ is continuous:
\begin{align*}
\dist{x}{x_0} &= \frac{\lvert f(x)\rvert}{\lvert f'(\xi)\rvert} \\
 &\le \frac{2}{\lvert f'(x_0)\rvert}\,\lvert f(x)\rvert .
\end{align*}
\end{proof}
\begin{lemma}[Contraction]\label{lem:contraction}
If $T:X\to X$ satisfies $d(Tx,Ty)\le q\,d(x,y)$ with $q<1$ on a complete metric space, then $T$
has exactly one fixed point $x^*$, and $d(T^nx,x^*)\le \frac{q^n}{1-q}d(Tx,x)$.
\end{lemma}
\begin{proof}
\begin{enumerate}
\item The sequence $T^nx$ is Cauchy: $\sum_{k\ge n} d(T^{k+1}x,T^kx)\le \frac{q^n}{1-q}d(Tx,x)$.
\item Its limit is fixed since $T$ is continuous. Two fixed points satisfy $d\le q\,d$, so $d=0$.
\end{enumerate}
\end{proof}
\section{The iteration}
\begin{theorem}[Local convergence]\label{thm:main}
Let $x_0$ be a simple zero of $f$. Then Newton's iteration converges to $x_0$ from all points near
it, and $\dist{x_n}{x_0}\le C\,\lvert f(x_n)\rvert$.
\end{theorem}
\begin{proof}
The map $N(x)=x-f(x)/f'(x)$ contracts a ball around $x_0$, so Lemma~\ref{lem:contraction} applies.
The estimate is Lemma~\ref{lem:unif}, see also \cite[Theorem 2]{kantorovich}.
\end{proof}
\begin{corollary}\label{cor:decay}
In the situation of Theorem~\ref{thm:main}, $f(x_n)\to 0$ geometrically.
\end{corollary}
\begin{proof} Combine Theorem~\ref{thm:main} with Lemma~\ref{lem:contraction}. \end{proof}
\begin{theorem}[Divergence]\label{thm:open}
There is $f$ for which the iteration has no limit.
\end{theorem}
\begin{proof} By \ref{lem:nowhere}. \unknown{x} and $\unknown{x}$ remain. \end{proof}
\end{document}
"""
QUOTE = "Dividing by $f'(x_0)$ we obtain the estimate"
OBJECTION = r"The proof divides by $f'(x_0)$, but no premise gives $f'(x_0)\neq 0$."


def lock(
    now: PaperState, objections: Mapping[str, tuple[str, str]], unread: Set[str] = frozenset()
) -> str:
    """The ledger of a review that objected to some modules, and did not come to others."""
    entries = []
    for task in tasks(now, now.document.modules):
        said = [objections[name] for name in [task.module] if name in objections]
        found = [_recorded(task.module, *words) for words in said]
        verdict = LedgerVerdict.FLAGGED if found else LedgerVerdict.ACCEPTED
        entry = LedgerEntry(
            context=task.context, contract="c" * 64, verdict=verdict, rollouts=3, findings=(*found,)
        )
        if task.module not in unread:
            entries.append(entry)
    return ledger_text(ledger(entries=entries))


def _recorded(module: str, quote: str, words: str) -> Recorded:
    return Recorded(
        id=finding_id("gap", quote, module),
        rule="gap",
        severity=Severity.ERROR,
        message=words,
        quote=quote,
        votes=3,
        rollouts=3,
    )
