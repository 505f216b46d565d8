"""What `\\uses` leave out."""

from collections.abc import Callable

import pytest

from pfcore.domain.values import ModulePart
from pfcore.graph.missing_uses import find_missing_uses
from pfcore.graph.paper_state import PaperState

Paper = Callable[..., PaperState]

A = r"\begin{lemma}\label{a} A. \end{lemma}\begin{lemma}\label{z} Z. \end{lemma}"
B = r"\begin{lemma}\label{b} B. \end{lemma}\begin{proof}\uses{a} Q. \end{proof}"
T = r"\begin{theorem}\label{t}%s T. \end{theorem}\begin{proof}%s \end{proof}"


def gaps(
    state: PaperState, *, by_word: bool = False
) -> list[tuple[str, ModulePart, tuple[str, ...]]]:
    return [
        (gap.module.id, gap.part, gap.targets) for gap in find_missing_uses(state, by_word=by_word)
    ]


@pytest.mark.parametrize(
    ("statement", "proof", "found"),
    [
        (r"\uses{b}", r"By \ref{b}.", []),
        (r"\uses{b}", r"By \ref{a}.", []),  # b uses a
        (r"\uses{a}", r"By \ref{b}.", [("t", ModulePart.PROOF, ("b",))]),
        ("", r"\uses{a} By \ref{b} and \ref{b}.", [("t", ModulePart.PROOF, ("b",))]),
        (r" By \ref{b},", r"\uses{a}", [("t", ModulePart.STATEMENT, ("b",))]),
        (r" By \ref{b},", r"\uses{a} By \ref{b}.", [("t", ModulePart.STATEMENT, ("b",))]),
        (r"\uses{z}", r"By \ref{b} and \ref{a}.", [("t", ModulePart.PROOF, ("b",))]),
        (r"\uses{z}", r"By \ref{a} and \ref{b}.", [("t", ModulePart.PROOF, ("a", "b"))]),
        (r"\uses{a}", r"Compare \ref{b}.", []),  # a remark
        (r"\uses{a}", r"As in the proof of \ref{b}.", []),
        (r"\uses{a}", r"By \ref{r} and \eqref{e}.", []),  # no blueprint has these
        (r"\uses{a}", r"By \ref{nothing}.", []),
    ],
)
def test_what_no_path_covers_is_missing(
    paper: Paper, statement: str, proof: str, found: list[object]
) -> None:
    remark = r"\begin{remark}\label{r} R. \end{remark}\begin{equation}\label{e} 1 \end{equation}"
    assert gaps(paper(A + B + remark + T % (statement, proof))) == found


def test_a_kind_that_some_uses_names_takes_part(paper: Paper) -> None:
    remark = r"\begin{remark}\label{r} R. \end{remark}"
    body = remark + T % (r"\uses{r}", "") + r"\begin{theorem} By \ref{r}. \end{theorem}"
    ((_, _, targets),) = gaps(paper(body))
    assert targets == ("r",)


def test_a_paper_without_uses_misses_none(paper: Paper) -> None:
    assert gaps(paper(A + T % ("", r"By \ref{a}."))) == []


def test_what_would_close_a_circle_is_not_missing_and_references_back_come_first(
    paper: Paper,
) -> None:
    one = r"\begin{theorem}\label{s} See \ref{t}. \end{theorem}"
    assert gaps(paper(A + B + one + T % (r"\uses{a}", r"By \ref{s}."))) == [
        ("t", ModulePart.PROOF, ("s",))
    ]
    assert gaps(paper(A + B + one + T % (r"\uses{s}", ""))) == []


def test_words_count_where_they_are_asked_for(paper: Paper) -> None:
    body = (
        r"\begin{definition}\label{d} A ring is \emph{tame} if it is. \end{definition}"
        r"\begin{definition}\label{e}\uses{d} A ring is \emph{mild} if it is tame. \end{definition}"
        + A
        + T % (r"\uses{a}", "Every tame ring is a ring.")
        + r"\begin{lemma} \uses{e} A tame ring. \end{lemma}"
    )
    assert gaps(paper(body)) == []
    assert gaps(paper(body), by_word=True) == [("t", ModulePart.PROOF, ("d",))]


def test_a_claim_inside_a_proof_and_its_theorem_leave_each_other_out(paper: Paper) -> None:
    inner = r"\begin{claim}\label{c}\uses{a} By \ref{t}. \end{claim}\begin{proof} P. \end{proof}"
    body = A + T % (r"\uses{a}", inner + r"By \ref{c} we are done.")
    assert gaps(paper(body)) == []


def test_what_has_no_label_cannot_be_named(paper: Paper) -> None:
    body = A + r"\begin{lemma} B. \end{lemma}" + T % (r"\uses{a}", r"By Lemma~\ref{}.")
    assert gaps(paper(body)) == []
