"""`pf demo DIR`: a small paper with a history, and what pf says of each of its commits.

The demo's paper: five commits of a short note on contractions, each with its story.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pfcore.cli.environment import replace, require_place
from pfcore.cli.exit_status import pf_command
from pfcore.domain.errors import GitError, IncompleteError, UsageError
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.reporters import terminal
from pfcore.reporters.printing import Style
from pfcore.repository.git import find_repository
from pfcore.repository.snapshot import from_revision
from pfcore.review.review import review
from pfcore.review.unseen import exit_status

_IDENTITY = {
    "GIT_AUTHOR_NAME": "A. Author",
    "GIT_AUTHOR_EMAIL": "author@example.org",
    "GIT_COMMITTER_NAME": "A. Author",
    "GIT_COMMITTER_EMAIL": "author@example.org",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
}
Echo = Callable[[str], None]


def run_demo(folder: Path, *, style: Style, echo: Echo) -> int:
    """Write the paper and review each commit against the one before it; returns 0."""
    require_place(folder, "DIR", "folder")
    write_demo(folder)
    repository = find_repository(folder)
    if repository is None:
        raise GitError(f"git could not create a repository in {folder}")
    parse_cache = ParseCache(MemoryCache())
    count = len(HISTORY)
    for number, commit in enumerate(HISTORY, 1):
        echo(f"\n{style.paint(f'Commit {number} of {count}: {commit.message}', 'bold')}\n")
        head = from_revision(repository, _revision(number, count))
        base = from_revision(repository, _revision(number - 1, count)) if number > 1 else None
        report = review(base, head, parse_cache)
        echo(f"{commit.story}\n\n")
        echo(terminal.check_text(report, style))
        echo(f"exit status {exit_status(report)}\n")
    echo(_farewell(folder))
    return 0


def _revision(number: int, count: int) -> str:
    return f"HEAD~{count - number}" if number < count else "HEAD"


def _farewell(folder: Path) -> str:
    pf = pf_command()
    return (
        f"\nThe paper is in {folder}. Go there, change a lemma, and try:\n"
        f"  {pf} check                 what your change affects\n"
        f"  {pf} plan --why thm:main   why, and what the theorem depends on\n"
        f"  {pf} graph                 what the paper consists of\n"
    )


def write_demo(folder: Path) -> None:
    """Write the repository; UsageError if the folder is not empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} already exists; choose a new or empty folder")
    was_there = folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _git(folder, "init", "--quiet", "--initial-branch=main")
        for number, commit in enumerate(HISTORY, 1):
            _commit(folder, commit, f"2026-01-{number:02}T12:00:00+00:00")
    except BaseException as error:
        _remove(folder, is_all=not was_there)  # half a paper would block the next run
        if isinstance(error, OSError):
            raise IncompleteError(f"{folder} cannot be written: {error.strerror}") from error
        raise


def _remove(folder: Path, *, is_all: bool) -> None:
    """Remove the content of a folder that was empty; `is_all`: also the folder itself."""
    with suppress(OSError):
        for item in folder.iterdir():
            if item.is_dir():
                shutil.rmtree(item, ignore_errors=True)
            else:
                item.unlink()
        if is_all:
            folder.rmdir()


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoCommit:
    """Files as they are after a commit, its message, and what a reader should notice."""

    message: str
    story: str
    files: Mapping[str, str]


def _commit(folder: Path, commit: DemoCommit, date: str) -> None:
    for name, text in commit.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, text.encode())
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--no-gpg-sign", "-m", commit.message, date=date)


def _git(folder: Path, *arguments: str, date: str = "") -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} if date else {}
    command = ["git", "-c", "core.hooksPath=/dev/null", "-C", str(folder), *arguments]
    try:
        subprocess.run(
            command, env=kept | _IDENTITY | dates, check=True, capture_output=True, timeout=60
        )
    except FileNotFoundError as error:
        raise UsageError("the demo needs git, which is not installed") from error
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        raise GitError(f"git {arguments[0]} failed in {folder}") from error


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
        story="The first commit, so the whole paper is reviewed.",
        files={"main.tex": _MAIN, "estimates.tex": _ESTIMATES, "fixed-point.tex": _FIXED_POINT},
    ),
    DemoCommit(
        message="Fix a sign in the proof of the Cauchy lemma",
        story="A proof changed but its statement did not: no other proof is affected.",
        files={"estimates.tex": _FIXED_PROOF},
    ),
    DemoCommit(
        message="Weaken the first lemma",
        story="A statement changed: every result that cites it is affected.",
        files={"estimates.tex": _WEAKENED},
    ),
    DemoCommit(
        message="Shorten the proof of uniqueness",
        story=(
            "The shorter proof cites the theorem, whose proof cites this lemma: a circular "
            "argument."
        ),
        files={"estimates.tex": _CIRCULAR},
    ),
    DemoCommit(
        message="Undo that, and rename a reference",
        story="The argument is no longer circular, but one reference has an undefined label.",
        files={"estimates.tex": _WEAKENED, "fixed-point.tex": _DANGLING},
    ),
)
