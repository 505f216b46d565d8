"""What contexts hold, counted, and set beside edges that authors declare and we do not see."""

import json
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from pfcore.bench.quality import context_contents as bench
from pfcore.bench.quality.context_contents import DeclaredScore, Trace
from pfcore.bench.quality.dependencies import without_marks
from pfcore.bench.real_papers import paper as paper_of
from pfcore.graph.context import members
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.graph.rendering import render
from pfcore.repository import snapshot
from tests.pfcore.conftest import files

Make = Callable[..., PaperState]
UNPREPARED = Path(__file__).parents[3] / "data/unprepared"

DEFINITIONS = r"""
\begin{definition}\label{def:tame} A number is \emph{tame} if it is small. \end{definition}
\begin{definition}\label{def:ball} Put $\mathcal{B}_r := \{x : x < r\}$. \end{definition}
"""
DECLARED = (
    r"""\newcommand{\uses}[1]{}
"""
    + DEFINITIONS
    + r"""
\begin{lemma}[Gap principle]\label{lem:gap} There is a gap. \end{lemma}
\begin{proof} Count. \end{proof}
\begin{lemma}\label{lem:odd} \uses{def:tame, def:ball, lem:gap}
Every tame number is odd.
\end{lemma}
\begin{proof} Look at $\mathcal{B}_2$. \end{proof}
\begin{theorem}\label{thm:all} \uses{lem:odd}
All is well.
\end{theorem}
\begin{proof} \uses{lem:odd, lem:gap}
By Lemma~\ref{lem:odd} and the gap principle.
\end{proof}
\begin{remark}\label{rem:no} \uses{lem:gap} It is no claim. \end{remark}
"""
)


@pytest.fixture
def scored(tmp_path: Path) -> Callable[[str], DeclaredScore | None]:
    """Reads a body twice, once without its marks."""

    def make(body: str) -> DeclaredScore | None:
        for path, text in files(body).items():
            (tmp_path / path).write_text(text, encoding="utf-8")
        whole = snapshot.from_folder(tmp_path)
        state, hidden = (
            build_paper_state(paper_of(moment, "main.tex"))
            for moment in (whole, without_marks(whole))
        )
        return bench.declared_score(state.document, hidden)

    return make


def test_members_and_characters_are_those_of_each_claim_with_a_proof(paper: Make) -> None:
    state = paper(
        DEFINITIONS
        + r"""\begin{lemma}\label{a} Every tame number is odd. \end{lemma}
\begin{proof} Clear. \end{proof}
\begin{lemma}\label{b} One. \end{lemma}
\begin{theorem}\label{c} Two. \end{theorem}
\begin{proof} By \ref{a} and \ref{b}. \end{proof}"""
    )
    found = bench.context_contents(state)
    texts = [render(state.document, name, state.paper.texts) for name in ("a", "c")]
    assert found.members == tuple(len(members(state.document, name)) for name in ("a", "c"))
    assert found.members == (1, 3)
    assert found.characters == tuple(map(len, texts))
    assert found.score is None


def test_definitions_and_introductions_have_their_share_of_the_characters(paper: Make) -> None:
    body = r"""\begin{definition} A number is \emph{tame} if it is small. \end{definition}
We write $\mathcal{Q}_p$ for the set of all primes below $p$.

\begin{lemma}\label{a} No tame number is in $\mathcal{Q}_7$. \end{lemma}
\begin{proof} Clear. \end{proof}"""
    state = paper(body)
    found = bench.context_contents(state)
    text = render(state.document, "a", state.paper.texts)
    sections = dict(part.split("\n\n", 1) for part in text.split("# ") if part)
    assert found.definitions == len(sections["Definitions"].strip()) > 20
    assert found.introductions == len(sections["Notation: nothing here is established"].strip())
    assert found.introductions > 20


def test_what_nothing_introduces_and_what_several_might_are_counted_apart(paper: Make) -> None:
    found = bench.context_contents(
        paper(
            r"""\section{One}\subsection{A} Let $R$ be a radius that is small.
\subsection{B} Let $R$ be a radius that is not small.
\subsection{C}
\begin{lemma}\label{a} The size of $R$ is finite. \end{lemma}
\begin{proof} Clear. \end{proof}
\begin{lemma}\label{b} Then $\xi_0$ is small, and $\xi_0$ is no $\mathcal{G}$. \end{lemma}
\begin{proof} Clear. \end{proof}"""
        )
    )
    assert found.unexplained == (0, 2)
    assert found.ambiguous == (1, 0)
    ((*_, unexplained, ambiguous, _, _, _),) = bench.contents_rows({"p": found})
    assert (unexplained, ambiguous) == (1.0, 0.5)
    values = bench.as_values(found)["needs"]
    assert isinstance(values, dict)
    assert tuple(values.values()) == (2, 1, 1, 1)


def test_a_proof_behind_another_statement_is_counted_as_guessed(paper: Make) -> None:
    found = bench.context_contents(
        paper(
            r"""\begin{theorem}\label{a} One. \end{theorem}
\begin{remark} It is so. \end{remark}
\begin{proof} Clear. \end{proof}"""
        )
    )
    assert found.guessed == 1


def test_the_worst_hub_is_what_many_claims_have_and_few_speak_of(paper: Make) -> None:
    body = r"""\begin{definition}\label{inner} A map is \emph{tame} if it is small. \end{definition}
\begin{lemma}\label{via} Tame maps exist. \end{lemma}"""
    for number in range(12):
        body += rf"""
\begin{{lemma}}\label{{l{number}}} Number {number}. \end{{lemma}}
\begin{{proof}} By \ref{{via}}. \end{{proof}}"""
    found = bench.context_contents(paper(body))
    assert found.hub == ("inner", 13, 1)
    assert list(bench.hub_lines({"p": found})) == [
        "p: inner is in the contexts of 13 claims, of which 1 say its words"
    ]
    assert [row[-2:] for row in bench.contents_rows({"p": found})] == [(13, 1)]


def test_an_edge_has_the_traces_that_its_target_leaves_in_the_source(scored) -> None:
    score = scored(DECLARED)
    assert score is not None
    assert {(edge.source, edge.target): set(edge.traces) for edge in score.edges} == {
        ("lem:odd", "def:tame"): {Trace.TERM},
        ("lem:odd", "def:ball"): {Trace.SYMBOL},
        ("lem:odd", "lem:gap"): set(),
        ("thm:all", "lem:odd"): {Trace.REFERENCE},
        ("thm:all", "lem:gap"): {Trace.NAME},
    }


def test_what_a_context_lacks_once_the_marks_are_hidden_is_missed(scored) -> None:
    score = scored(DECLARED)
    assert score is not None
    assert [(edge.source, edge.target) for edge in score.edges if not edge.is_found] == [
        ("lem:odd", "lem:gap"),
    ]
    assert len(score.traced) == 4
    assert score.left_out == 0


def test_members_are_declared_by_the_source_itself_or_by_a_path(scored) -> None:
    score = scored(
        r"""\newcommand{\uses}[1]{}
\begin{definition}\label{d} A number is \emph{tame} if it is small. \end{definition}
\begin{definition}\label{e} A number is \emph{grim} if it is large. \end{definition}
\begin{lemma}\label{a} \uses{d} Every tame number is odd. \end{lemma}
\begin{theorem}\label{b} \uses{a} All is well. \end{theorem}
\begin{proof} By \ref{a}, no tame number is grim. \end{proof}"""
    )
    assert score is not None
    # Of a: d. Of b: a, declared; d, by a path; e, not at all.
    assert (score.members, score.declared, score.implied) == (4, 2, 3)


def test_a_paper_that_declares_nothing_has_no_score(scored) -> None:
    assert scored(DEFINITIONS) is None


def test_rows_and_values_say_the_same_sums(scored, paper: Make) -> None:
    found = bench.context_contents(paper(DECLARED.replace(r"\newcommand{\uses}[1]{}", "")))
    score = scored(DECLARED)
    whole = bench.ContextContents(
        **{name: getattr(found, name) for name in found.__slots__ if name != "score"}, score=score
    )
    ((name, declared, recall, traced, of_traced, *_),) = bench.declared_rows({"p": whole})
    assert (name, declared, traced, of_traced) == ("p", 5, 4, 1.0)
    assert recall == pytest.approx(4 / 5)
    values = bench.as_values(whole)["declared"]
    assert isinstance(values, dict)
    assert (values["edges"], values["found"], values["traced_found"]) == (5, 4, 4)
    assert values["by_trace"] == {
        "reference": [1, 1],
        "term": [1, 1],
        "symbol": [1, 1],
        "name": [1, 1],
    }


def test_a_paper_without_a_proof_has_a_row_of_nothing(paper: Make) -> None:
    found = bench.context_contents(paper("A."))
    ((name, claims, *numbers, guessed, held, says),) = bench.contents_rows({"p": found})
    assert (name, claims, guessed, held, says) == ("p", 0, 0, "-", "-")
    assert numbers == [0, 0, 0, 0, "-", "-", "-", "-"]
    assert bench.as_values(found)["hub"] is None


def test_what_was_counted_of_papers_is_whole_and_no_part_exceeds_its_whole() -> None:
    found = tomllib.loads((UNPREPARED / "contexts.toml").read_text("utf-8"))["document"]
    assert Counter(item["set"] for item in found) == {
        "corpus": 9,
        "look": 12,
        "measure": 12,
        "blueprint": 7,
        "blueprint look": 4,
        "blueprint measure": 3,
    }
    for item in found:
        for moment in (0, 1):
            assert item["members"][moment][0] <= item["members"][moment][1]
            assert 0 <= item["definitions"][moment] + item["introductions"][moment] <= 1
            assert bool(item["hub"][moment]) == bool(item["hubs"][moment])
            if "edges" in item:
                missed = item["edges"] - item["found"][moment]
                assert missed >= item["traced"] - item["traced_found"][moment] >= 0
                assert item["by_source"][moment] <= item["held"][moment] >= item["by_path"][moment]
                assert item["found"][moment] <= item["by_source"][moment]


def test_each_edge_that_was_read_has_one_verdict_and_its_traces() -> None:
    lines = (UNPREPARED / "uses.jsonl").read_text("utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    assert len({(item["repository"], item["source"], item["target"]) for item in found}) == 210
    assert Counter(item["trace"] for item in found) == {"yes": 159, "no": 47, "unclear": 4}
    assert all(bool(item["by"]) == (item["trace"] == "yes") for item in found)
    assert {Trace(kind) for item in found for kind in item["by"]} == set(Trace) - {Trace.NAME}
