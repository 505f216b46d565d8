"""Contexts against the edges that the authors wrote down, which are hidden from the reading."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pfcore.bench import real_papers
from pfcore.bench.quality import dependencies as bench
from pfcore.graph.paper_state import PaperState

MAIN = r"""\documentclass{article}
\newtheorem{lemma}{Lemma}
\newtheorem{theorem}{Theorem}
\newtheorem{definition}{Definition}
\newcommand{\uses}[1]{}
\begin{document}
\begin{definition}\label{def:a} A number is \emph{tame} if it is small. \end{definition}
\begin{definition}\label{def:b} Let $B$ be the ball. \end{definition}
\begin{lemma}\label{lem:a}
\uses{def:a,def:b}
Every tame number is odd.
\end{lemma}
\begin{lemma}\label{lem:b} Some numbers are even. \end{lemma}
\begin{theorem}\label{thm:a}
  \uses{lem:a}
All is well.
\end{theorem}
\begin{proof}
\uses{lem:a}
By Lemma~\ref{lem:a} and Lemma~\ref{lem:b}.
\end{proof}
\end{document}
"""
TRUTH = (
    ("lem:a", "statement", "def:a"),
    ("lem:a", "statement", "def:b"),
    ("thm:a", "statement", "lem:a"),
    ("thm:a", "proof", "lem:a"),
    ("thm:a", "proof", "nowhere"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A collection of one paper."""
    edges = [{"src": src, "part": part, "target": target} for src, part, target in TRUTH]
    (tmp_path / "p/_truth").mkdir(parents=True)
    (tmp_path / "p/main.tex").write_text(MAIN, "utf-8")
    (tmp_path / "p/_truth/uses.json").write_text(json.dumps(edges), "utf-8")
    entries = [{"name": "p", "main": "main.tex"}, {"name": "none", "main": "main.tex"}]
    (tmp_path / "MANIFEST.json").write_text(json.dumps(entries), "utf-8")
    return tmp_path


def _scored(folder: Path) -> bench.DependencyScore:
    ((_, found),) = bench.scores(folder)
    return found


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a \\uses{b} c", "a  c"),
        ("a\n  \\uses{b,\n c}\nd", "a\n%\n%\nd"),
        ("\\thm{x}{\\uses{a}Let}", "\\thm{x}{Let}"),
        ("\\uses{a, % {\n b}c", "%\nc"),
        (
            "\\newcommand{\\uses}[1]{#1}\\def\\uses#1{}",
            "\\newcommand{\\uses}[1]{#1}\\def\\uses#1{}",
        ),
        ("\\label{a}\\uses{b}\n\\usesnothing{c}", "\\label{a}\n\\usesnothing{c}"),
    ],
)
def test_uses_is_taken_out_of_a_text_and_leaves_neither_a_paragraph_nor_another_line(
    text: str, left: str
) -> None:
    assert bench.without_uses(text) == left


def test_the_paper_is_read_without_the_edges_that_are_looked_for(folder: Path) -> None:
    moment = bench.hidden(folder / "p", "main.tex")
    assert not any(moment.document.uses.values())
    assert "\\uses" in (folder / "p/main.tex").read_text("utf-8")


def test_an_edge_is_found_where_its_target_is_in_the_context(folder: Path) -> None:
    found = _scored(folder)
    assert [(edge.source, edge.target, edge.part) for edge in found.missed] == [
        ("lem:a", "def:b", "statement")
    ]
    assert found.edges == 3
    assert found.left_out == 1
    assert found.recall == pytest.approx(2 / 3)


def test_members_that_no_edge_implies_are_told_with_how_they_came(folder: Path) -> None:
    found = _scored(folder)
    assert [(item.source, item.member, item.how) for item in found.wrong] == [
        ("thm:a", "lem:b", "reference")
    ]
    assert found.precision == pytest.approx(3 / 4)
    assert sorted(found.sizes) == [1, 3]


def test_a_member_may_have_come_through_another(paper: Callable[..., PaperState]) -> None:
    text = r"""\begin{lemma}\label{x} One. \end{lemma}
\begin{lemma}\label{y} As in \ref{x}. \end{lemma}
\begin{lemma}\label{z} By \ref{y}. \end{lemma}"""
    found = bench.score(paper(text), [{"src": "z", "part": "proof", "target": "y"}])
    assert [(item.member, item.how) for item in found.wrong] == [("x", "reference from y")]


def test_equations_and_conventions_are_no_members_that_an_edge_could_name(
    paper: Callable[..., PaperState],
) -> None:
    text = r"""Throughout this paper, all rings are commutative.
\begin{equation}\label{eq} 1 = 1 \end{equation}
\begin{lemma}\label{x} One. \end{lemma}
\begin{lemma}\label{z} By \ref{x} and \eqref{eq}. \end{lemma}"""
    found = bench.score(paper(text), [{"src": "z", "part": "proof", "target": "x"}])
    assert (found.wrong, found.precision, found.recall) == ((), 1, 1)
    assert found.sizes == (3,)


def test_a_row_for_each_paper_a_total_and_samples_are_printed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.main([str(folder), "--missed", "5", "--wrong", "5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == "p 3 0.667 0.500 1.000 0.750 2.000 3 1".split()
    assert lines[2].split()[0] == "total"
    assert lines[3:] == [
        "missed: p: statement of lemma lem:a (main.tex:9) -> definition def:b (main.tex:8)",
        "wrong: p: theorem thm:a (main.tex:14) -> lemma lem:b (main.tex:13), by reference",
    ]
    assert bench.main([str(folder), "--paper", "other"]) == 2


def test_papers_with_a_known_truth_are_listed(folder: Path) -> None:
    (found,) = real_papers.papers_with_truth(folder, "uses.json")
    assert (found.name, found.main, len(found.truth)) == ("p", "main.tex", 5)
    assert list(real_papers.papers_with_truth(folder, "labels.json")) == []


@pytest.mark.corpus
def test_contexts_hold_most_of_what_the_authors_named(corpus: Path) -> None:
    total = bench.sum_of_scores(made for _, made in bench.scores(corpus))
    assert total.recall >= 0.72
    assert total.precision >= 0.60
    assert sorted(total.sizes)[len(total.sizes) // 2] <= 8
