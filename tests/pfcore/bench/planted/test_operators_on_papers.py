"""All operators on the demo's paper, on small papers of several kinds, and on real ones."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pfcore.bench.planted.operators import is_whole
from pfcore.bench.planted.planting import (
    OPERATORS,
    Mutant,
    Planting,
    candidates,
    edited,
    is_sound,
    mutants,
    reread,
)
from pfcore.cli.commands.demo_command import HISTORY
from pfcore.domain.values import ModulePart
from pfcore.graph.paper_state import PaperState
from pfcore.graph.rendering import context_digest
from tests.conftest import CorpusPapers

Paper = Callable[..., PaperState]
COUNTS = Path(__file__).parents[3] / "data" / "planted_errors.json"

MACROS = r"""
\newcommand{\R}{\mathbb{R}} \newcommand{\abs}[1]{\lvert #1 \rvert}
\begin{definition}\label{d} A number is \emph{tame} if it is $\leq 7$. \end{definition}
\begin{lemma}\label{a} Let $x \in \R$ be a positive number. Suppose that $x$ is tame. Then
$\abs{x} \leq 7$. \end{lemma}
\begin{proof} We have $\abs{x} = x \leq 7$, and $\sum_{i=0}^{n-1} x_i \geq 2 + x$. \end{proof}
\begin{lemma}\label{a2} For every $x \in \R$ there is a number $y$ such that $x < y$. \end{lemma}
\begin{proof} Take $y = x + 1$. If $x$ is large, this is larger.
Otherwise nothing needs to be shown, and $x - 3 < x$. \end{proof}
\begin{theorem}\label{b} All is well. \end{theorem}
\begin{proof}[Proof of \cref{b}]
\begin{claim} For all $z$ there exists a number $w$ with $w \geq z$. \end{claim}
\begin{proof} By \cref{a2} there is a good one. \end{proof}
By \cref{a} at least two of them are at most $7$. % $x < 3$ is not meant
\end{proof}
"""
BLUEPRINT = r"""
\begin{lemma}[First]\label{a}\lean{Some.first}\leanok Let $G$ be a finite abelian group. Then
$1 \leq \lvert G \rvert$. \end{lemma}
\begin{proof}\leanok The neutral element is in it, so that $\lvert G \rvert > 0$. \end{proof}
\begin{lemma}\label{c}\uses{a} If $n$ is a positive integer, then $n + 1 > 1$. \end{lemma}
\begin{proof}\uses{a} For all $n$ there is an $m$ such that $m = n + 1$; see \cref{a}. \end{proof}
\begin{theorem}\label{b}\uses{a,c} All of it. \end{theorem}
\begin{proof}\uses{a,c} Case 1: $n = 2$. Clear by \cref{c}, as $n \leq 3$.

Case 2: $n > 2$. Clear, too. \end{proof}
"""
SMALL: Mapping[str, str | Mapping[str, str]] = {
    "macros": MACROS,
    "blueprint": BLUEPRINT,
    "two files": {"main.tex": "\\input{part}", "part.tex": BLUEPRINT},
}


NO_SUCH = {"off-by-one-index", "wrong-cited-lemma"}
LACKING = {"blueprint": NO_SUCH, "two files": NO_SUCH}


def require_error(found: PaperState, mutant: Mutant) -> None:
    """All that holds of a mutant: sound, located, whole, and of another canonical text."""
    assert is_sound(found, mutant)
    source = found.paper.source(mutant.path)
    assert source[mutant.start : mutant.end] == mutant.old != mutant.new
    assert source[: mutant.start].count("\n") + 1 == mutant.line
    module = found.document.modules[mutant.module]
    listed = [module.statement] if mutant.part is ModulePart.STATEMENT else module.proofs
    assert any(
        (where := passage.location).path == mutant.path
        and where.start <= mutant.start <= mutant.end <= where.end
        for passage in listed
    )
    assert is_whole(mutant.old) == is_whole(mutant.new)
    (text,) = edited(found, mutant).files.values()
    assert len(text) == len(source) + len(mutant.new) - len(mutant.old)
    after = reread(found, mutant)
    assert after is not None
    then, now = (
        context_digest(each.document, mutant.module, each.paper.texts) for each in (found, after)
    )
    assert then != now


@pytest.mark.parametrize("name", SMALL)
def test_all_that_is_planted_in_small_papers_is_sound_and_located(paper: Paper, name: str) -> None:
    found = paper(SMALL[name])
    listed = mutants(found, Planting(most=10))
    for mutant in listed:
        require_error(found, mutant)
    assert {item.operator for item in listed} == set(OPERATORS) - LACKING.get(name, set())


@pytest.mark.parametrize("last", range(1, len(HISTORY) + 1))
def test_all_that_is_planted_in_the_paper_of_the_demo_is_sound_and_located(
    paper: Paper, last: int
) -> None:
    files: dict[str, str] = {}
    for commit in HISTORY[:last]:
        files |= commit.files
    found = paper(files)
    listed = mutants(found, Planting(most=10))
    for mutant in listed:
        require_error(found, mutant)
    assert {"flipped-inequality", "sign-or-constant", "wrong-cited-lemma"} <= {
        item.operator for item in listed
    }


def _papers() -> dict[str, dict[str, list[int]]]:
    found: dict[str, dict[str, list[int]]] = json.loads(COUNTS.read_text("utf-8"))
    return found


@pytest.mark.corpus
@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", _papers())
def test_real_papers_have_as_many_errors_as_were_counted(
    corpus_papers: CorpusPapers, name: str
) -> None:
    """The file has for each paper and operator how many places there were, and results planted."""
    folder, _, root = name.partition("/")
    found = next(state for state in corpus_papers(folder) if state.paper.root == root)
    for operator, (places, planted) in _papers()[name].items():
        assert len(candidates(found, operator)) >= 0.9 * places, operator
        made = mutants(found, Planting(operators=(operator,), most=2))
        assert len(made) >= min(2, planted - 1), operator
        for mutant in made:
            require_error(found, mutant)
