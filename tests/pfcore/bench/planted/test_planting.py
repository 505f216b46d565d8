"""Errors planted in small papers: each operator by example, and what all mutants have in common."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from pfcore.bench.planted.operators import is_whole
from pfcore.bench.planted.planting import OPERATORS, Planting, candidates, is_sound, mutants, reread
from pfcore.domain.values import ModulePart
from pfcore.graph.laws import likely_cycles
from pfcore.graph.paper_state import PaperState
from tests.conftest import CorpusPapers

Paper = Callable[..., PaperState]

BODY = r"""
\begin{lemma}\label{lem:a}
Let $G$ be a finite abelian group. Then $|G| \ge 1$.
\end{lemma}
\begin{proof}
As $1 \in G$, for every $g$ there is an $h$ such that $g h = 1$.
\end{proof}
\begin{lemma}\label{lem:b}
Let $n$ be a number. Assume that $n > 2$. Then $n + 1 > 3$.
\end{lemma}
\begin{proof}
We have % for $n < 9$
$n - 1 > 1$, and $\sum_{i=1}^{n+1} 4i > x_{n-1}$ for $\text{well-known}$ reasons.
\end{proof}
\begin{theorem}\label{thm:c}
Suppose that $n > 2$ is even. Then all is well.
\end{theorem}
\begin{proof}
By Lemma~\ref{lem:b}, $n + 1 \leq 7$, and there is a good one.

Case 1: $n$ is small. This is clear.

Case 2: $n$ is large. Then $n > 7$. This is clear as well.

Otherwise nothing is left.
\end{proof}
"""


@pytest.fixture
def found(paper: Paper) -> PaperState:
    return paper(BODY)


def edits(found: PaperState, operator: str) -> list[tuple[str, str, str]]:
    return [(item.module, item.old, item.new) for item in candidates(found, operator)]


def test_hypotheses_are_dropped_by_word_and_by_sentence(found: PaperState) -> None:
    assert edits(found, "dropped-hypothesis") == [
        ("lem:a", "a finite ", "an "),
        ("lem:a", "abelian ", ""),
        ("lem:b", "Assume that $n > 2$.", ""),
        ("thm:c", "Suppose that $n > 2$ is even.", ""),
    ]


def test_what_is_concluded_is_no_hypothesis(paper: Paper) -> None:
    body = r"""\begin{lemma} If $X$ is a space, then $X$ is a compact set. It is a finite one.
    \end{lemma}\begin{proof} Clear. \end{proof}"""
    assert edits(paper(body), "dropped-hypothesis") == []


def test_half_words_and_what_a_list_follows_are_no_hypotheses(paper: Paper) -> None:
    body = r"""\begin{lemma} For any $n$-connected space $X$ and any compact $Y$, all is well.
Suppose that these hold:
\begin{itemize} \item $X$ is $Y$. \end{itemize}
Then it is. \end{lemma}\begin{proof} Clear. \end{proof}"""
    (edit,) = edits(paper(body), "dropped-hypothesis")
    assert edit[1:] == ("compact ", "")


def test_inequalities_are_turned_round_in_proofs_but_not_in_comments(found: PaperState) -> None:
    assert edits(found, "flipped-inequality") == [
        ("lem:b", ">", "<"),
        ("lem:b", ">", "<"),
        ("thm:c", r"\leq", r"\geq"),
        ("thm:c", ">", "<"),
    ]


def test_quantifiers_are_swapped_in_words_and_in_signs(found: PaperState, paper: Paper) -> None:
    assert edits(found, "swapped-quantifiers") == [
        (
            "lem:a",
            "for every $g$ there is an $h$ such that",
            "there is an $h$ such that for every $g$ one has",
        )
    ]
    signs = paper(
        "\\begin{lemma} $\\forall x \\in X\\, \\exists y$. \\end{lemma}"
        "\\begin{proof} Clear. \\end{proof}"
    )
    assert edits(signs, "swapped-quantifiers")[0][2] == r"\exists x \in X\, \forall"


def test_indices_go_one_off(found: PaperState) -> None:
    assert edits(found, "off-by-one-index") == [
        ("lem:b", "1", "0"),
        ("lem:b", "+1", ""),
        ("lem:b", "-1", ""),
    ]


def test_signs_and_constants_go_wrong_in_mathematics_alone(found: PaperState) -> None:
    assert edits(found, "sign-or-constant") == [
        ("lem:b", "-", "+"),
        ("lem:b", "+", "-"),
        ("lem:b", "-", "+"),
        ("lem:b", "4", "5"),
        ("thm:c", "+", "-"),
        ("thm:c", "7", "8"),
        ("thm:c", "7", "8"),
    ]


def test_another_lemma_is_cited(found: PaperState) -> None:
    assert edits(found, "wrong-cited-lemma") == [("thm:c", "lem:b", "lem:a")]


def test_a_cited_result_is_made_to_say_more(found: PaperState) -> None:
    assert edits(found, "strengthened-use") == [
        ("thm:c", "there is a", "there is exactly one"),
        ("thm:c", r"\leq", "< "),
    ]


def test_cases_are_left_out(found: PaperState) -> None:
    assert edits(found, "missing-case") == [
        ("thm:c", "Case 1: $n$ is small. This is clear.", ""),
        ("thm:c", "Case 2: $n$ is large. Then $n > 7$. This is clear as well.", ""),
        ("thm:c", "Otherwise nothing is left.", ""),
    ]


def test_a_case_does_not_end_in_the_middle_of_a_sentence(paper: Paper) -> None:
    body = r"""\begin{lemma} All is well. \end{lemma}
\begin{proof} We begin.

Now assume that $n$ is odd. There is an $m$ with
\[ n = 2m + 1. \]
Otherwise $n = 2m$. \end{proof}"""
    assert edits(paper(body), "missing-case") == [
        ("lemma~main~1", "Now assume that $n$ is odd.", ""),
        ("lemma~main~1", "Otherwise $n = 2m$.", ""),
    ]


def test_the_range_of_an_index_is_not_what_a_cited_result_says(paper: Paper) -> None:
    body = r"""\begin{lemma}\label{a} All is well. \end{lemma}\begin{proof} Clear. \end{proof}
\begin{lemma}\label{b} So it is. \end{lemma}
\begin{proof} By \ref{a}, $\sum_{0 \le j \le n} j \le n^2$. \end{proof}"""
    found = paper(body)
    (edit,) = edits(found, "strengthened-use")
    (mutant,) = candidates(found, "strengthened-use")
    assert edit == ("b", r"\le", "< ")
    assert found.paper.source(mutant.path)[: mutant.start].endswith("n} j ")


def test_a_comment_before_an_error_does_not_shift_its_line(paper: Paper) -> None:
    proof = "So\n% not\n%\nit is % so\n$1 < 2$."
    body = f"\\begin{{lemma}} A. \\end{{lemma}}\\begin{{proof}} {proof} \\end{{proof}}"
    found = paper(body)
    (mutant,) = candidates(found, "flipped-inequality")
    assert found.paper.source(mutant.path).splitlines()[mutant.line - 1].startswith("$1 < 2$")


def test_a_circle_is_closed(found: PaperState) -> None:
    (mutant,) = candidates(found, "circular-citation")
    assert (mutant.module, mutant.part) == ("lem:b", ModulePart.PROOF)
    assert mutant.new == "The rest follows from Theorem~\\ref{thm:c}.\n"
    after = reread(found, mutant)
    assert after is not None
    (cycle,) = likely_cycles(after.document)  # "$n - 1$" stands there: it might be an induction
    assert {edge.source for edge in cycle} == {"lem:b", "thm:c"}
    assert not likely_cycles(found.document)


def test_every_operator_has_a_sound_mutant_with_its_true_location(found: PaperState) -> None:
    listed = mutants(found)
    assert {item.operator for item in listed} == set(OPERATORS)
    for item in listed:
        assert is_sound(found, item)
        where = found.document.modules[item.module]
        passage = where.statement if item.part is ModulePart.STATEMENT else where.proofs[0]
        assert passage.location.line <= item.line <= passage.location.end_line
        source = found.paper.source(item.path)
        assert source[item.start : item.end] == item.old != item.new
        assert source[: item.start].count("\n") + 1 == item.line
        assert is_whole(item.old) == is_whole(item.new)


def test_a_seed_gives_the_same_mutants_and_another_gives_others(found: PaperState) -> None:
    assert mutants(found) == mutants(found)
    few = [mutants(found, Planting(seed=seed, most=1)) for seed in range(6)]
    assert all(len(listed) == len(OPERATORS) for listed in few)
    assert any(listed != few[0] for listed in few[1:])


def test_what_leaves_the_canonical_text_alone_is_no_mutant(found: PaperState) -> None:
    (mutant, *_) = candidates(found, "flipped-inequality")
    assert is_sound(found, mutant)
    assert not is_sound(found, replace(mutant, new=f"{mutant.old}% turned round\n"))


def test_what_breaks_an_environment_or_moves_a_module_is_no_mutant(found: PaperState) -> None:
    (mutant, *_) = candidates(found, "flipped-inequality")
    for old, new in (
        ("\\end{proof}", "\\end{theorem}"),
        ("\\label{lem:a}", "\\label{lem:z}"),
        ("\\begin{theorem}", "\\begin{remark}"),
        ("finite abelian", "infinite abelian"),
    ):
        assert not is_sound(found, _with(found, mutant, old, new)), old


def test_a_mutant_without_a_paper_is_no_mutant(found: PaperState) -> None:
    (mutant, *_) = candidates(found, "flipped-inequality")
    source = found.paper.source(mutant.path)
    assert not is_sound(found, replace(mutant, start=0, end=len(source), new="% nothing\n"))


def _with(found, mutant, old, new):
    """A mutant that changes something else as well."""
    source = found.paper.source(mutant.path)
    text = source[: mutant.start] + mutant.new + source[mutant.end :]
    return replace(mutant, start=0, end=len(source), new=text.replace(old, new, 1))


CORPUS = {"carleson": 200, "pfr": 200}


@pytest.mark.corpus
@pytest.mark.parametrize("name", CORPUS)
def test_real_papers_give_sound_mutants(corpus_papers: CorpusPapers, name: str) -> None:
    found = max(corpus_papers(name), key=lambda item: len(item.document.modules))
    counts = {operator: len(candidates(found, operator)) for operator in OPERATORS}
    planted = mutants(found, Planting(most=1))
    assert sum(counts.values()) > CORPUS[name]
    assert len({item.operator for item in planted}) >= 6
