"""What a paper says of what a reader asks for; results never."""

from collections.abc import Callable

import pytest

from pfcore.graph.paper_state import PaperState
from pfcore.graph.supplied import supplied

Paper = Callable[..., PaperState]

BODY = r"""
\section{One}
We write $\mathcal{D}_n$ for the dyadic grid.

\begin{definition}\label{d} A map is \emph{fully tame} if it has no loop.\end{definition}

\begin{lemma}[Snake lemma]\label{l} Let $X$ be a tree. Then $X$ is thin.\end{lemma}
\begin{proof} Clear.\end{proof}

\begin{theorem}\label{t} All is well.\end{theorem}
\begin{proof} Count them.\end{proof}

\section{Two}
Let $Q_j$ be the $j$-th layer, as in Lemma~\ref{l}.
"""


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (r"$\mathcal{D}_n$", "notation. We write"),
        (r"\mathcal{D}_n", "We write"),
        (r"\(\mathcal D_n\)", "We write"),
        (r"$\mathcal{D}_{n+1}$", "We write"),
        ("fully tame", "has no loop"),
        ("“Fully tame”", "has no loop"),
        ("fully\ntame maps", ""),
        ("tame", ""),
        ("$Q_j$", "th layer"),
        ("Snake lemma", ""),
        ("Lemma 1", ""),
        ("Result 1", ""),
        ("[elsewhere]", ""),
        ("", ""),
        ("$", ""),
        (r"\frac{", ""),
        ("x" * 10_000, ""),
    ],
)
def test_only_what_stands_under_exactly_this_key_is_told(
    paper: Paper, key: str, words: str
) -> None:
    found = supplied(paper(BODY), "t", key)
    assert words in found if words else not found


def test_what_is_told_refers_to_nothing_that_the_reader_lacks(paper: Paper) -> None:
    assert "th layer, as in [elsewhere]" in supplied(paper(BODY), "t", "$Q_j$")


PROSE = r"""
\section{Games}
Some games are older than others.

Two players, Ann and Bob, move in turn, and the one who cannot move has lost. % a comment
A game ends after $N$ moves, as \ref{l} says.

\begin{lemma}\label{l} All games end.\end{lemma}
\begin{proof} A game is a game.\end{proof}

\section{Winning}
\begin{theorem}\label{t} In such a game Ann or Bob can win.\end{theorem}
\begin{proof} Clear.\end{proof}

After that nobody plays a game with Bob.
"""


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("Ann", "cannot move has lost"),
        ("such a game", "ends after"),
        ("$N$", "as [elsewhere] says"),
    ],
)
def test_where_nothing_introduces_a_key_the_paragraphs_that_have_it_are_told(
    paper: Paper, key: str, words: str
) -> None:
    found = supplied(paper(PROSE), "t", key)
    assert words in found
    assert "All games end" not in found
    assert "a comment" not in found


def test_no_proof_and_no_result_is_among_them(paper: Paper) -> None:
    assert supplied(paper(PROSE), "t", "Clear") == ""
    assert "is a game" not in supplied(paper(PROSE), "t", "game")


def test_the_nearest_scope_comes_first(paper: Paper) -> None:
    body = (
        "\\section{One}\nLet $Q_j$ be a cube.\n\\section{Two}\nLet $Q_j$ be a ball.\n"
        "\\begin{theorem}\\label{t} All is well.\\end{theorem}\n\\begin{proof} So.\\end{proof}\n"
    )
    first, *_ = supplied(paper(body), "t", "$Q_j$").split("\n\n")
    assert "ball" in first


def test_an_edit_elsewhere_changes_no_answer(paper: Paper) -> None:
    other = BODY.replace("Count them.", "Count them twice.").replace("{One}", "{First}")
    for key in (r"$\mathcal{D}_n$", "fully tame", "$Q_j$"):
        assert supplied(paper(other), "t", key) == supplied(paper(BODY), "t", key)
