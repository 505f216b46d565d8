from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.domain.values import Edge, Role
from pfcore.graph.document import ProofDocument
from pfcore.graph.laws import (
    certain_cycles,
    good_pf_bounds,
    is_invocation,
    knots,
    likely_cycles,
)
from pfcore.graph.paper_state import PaperState

Argument = Callable[..., ProofDocument]
Paper = Callable[..., PaperState]

NAMES = "abcdefg"
GRAPHS = st.dictionaries(
    st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=4), max_size=len(NAMES)
)


@given(GRAPHS)
def test_a_cycle_of_each_knot_is_reported_whole(
    argument: Argument, graph: dict[str, list[str]]
) -> None:
    cited = {name: [t for t in graph.get(name, []) if t != name] for name in NAMES}
    document = argument(cited)
    cycles = certain_cycles(document)
    assert len(cycles) == len(knots(document))
    for cycle, knot in zip(cycles, knots(document), strict=True):
        sources = [edge.source for edge in cycle]
        assert [edge.target for edge in cycle] == [*sources[1:], sources[0]]
        assert len(set(sources)) == len(sources)
        assert set(sources) <= set(knot)
        assert all(edge.target in cited[edge.source] for edge in cycle)


def test_the_shortest_cycle_is_told(argument: Argument) -> None:
    document = argument({"a": ["b"], "b": ["c", "a"], "c": ["a"]})
    (cycle,) = certain_cycles(document)
    assert [edge.source for edge in cycle] == ["a", "b"]


def test_only_results_named_in_proofs_make_a_certain_cycle(argument: Argument) -> None:
    cited = {"a": ["b"], "b": ["a"]}
    assert knots(argument(cited)) == [["a", "b"]]
    assert knots(argument(cited, {"b": Role.ASIDE})) == []


def test_remarks_equations_and_followed_proofs_make_no_certain_cycle(paper: Paper) -> None:
    statement = "\\begin{{lemma}}\\label{{lem:{0}}} {0} \\end{{lemma}}\n"
    a, b = statement.format("a"), statement.format("b")
    proof = "\\begin{proof} By \\cref{lem:a}. \\end{proof}\n"
    for words in (
        "Compare \\cref{lem:b}.",
        "As in the proof of \\cref{lem:b}.",
        "\\uses{lem:b} Clear.",
        "We prove this together with \\cref{lem:b}. By \\cref{lem:b} for $n - 1$ we win.",
        "In \\cref{lem:b} we will see a stronger result.",
        "The converse of this will be \\cref{lem:b}, whose proof does not use it.",
    ):
        other = f"\\begin{{proof}} {words} \\end{{proof}}\n"
        assert knots(paper(a + other + b + proof).document) == []
    for words in (
        "By \\cref{lem:b}.",
        "This is immediate from \\cref{lem:b}.",
        "Now \\cref{lem:b} gives it.",
        "Clearly so, using \\cref{lem:b}.",
    ):
        again = f"\\begin{{proof}} {words} \\end{{proof}}\n"
        assert knots(paper(a + again + b + proof).document) == [["lem:a", "lem:b"]], words


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("By \\cref{lem:b}.", "certain"),
        ("We use \\cref{lem:b}.", "likely"),
        ("See \\cref{lem:b}.", "likely"),
        ("By \\crefrange{lem:b}{lem:c}.", "likely"),
        ("By \\cref{lem:b} for $n - 1$.", "inductive"),
        ("By induction and \\cref{lem:b}.", "inductive"),
        ("Compare \\cref{lem:b}.", ""),
        ("Compare this with \\cref{lem:b}.", ""),
        ("As in the proof of \\cref{lem:b}.", ""),
    ],
)
def test_a_circle_is_as_certain_as_its_least_plain_use(paper: Paper, words: str, told: str) -> None:
    statement = "\\begin{{lemma}}\\label{{lem:{0}}} {0} \\end{{lemma}}\n"
    lemma = statement + "\\begin{{proof}} {1} \\end{{proof}}\n"
    proofs = (("a", words), ("b", "By \\cref{lem:a}."), ("c", "Clear."))
    document = paper("".join(lemma.format(*item) for item in proofs)).document
    kinds: dict[str, Callable[[ProofDocument], list[list[Edge]]]] = {
        "certain": certain_cycles,
        "likely": likely_cycles,
        "inductive": partial(likely_cycles, with_inductions=True),
    }
    found = {kind: cycles(document) for kind, cycles in kinds.items()}
    assert {kind: len(cycles) for kind, cycles in found.items() if cycles} == (
        {told: 1} if told else {}
    )
    assert knots(document) == ([["lem:a", "lem:b"]] if told == "certain" else [])


CIRCLE = r"""
\begin{lemma}\label{a} First. \end{lemma}
\begin{proof} By \cref{b}. \end{proof}
\begin{lemma}\label{b} Second. \end{lemma}
\begin{proof} By \cref{a}. \end{proof}
"""


def test_to_find_circles_no_terms_are_looked_up(paper: Paper) -> None:
    moment = paper(CIRCLE)
    assert knots(moment.document) == [["a", "b"]]
    assert not moment.assembly.linking.proofs.memo


def test_what_proofs_name_is_looked_up_once(paper: Paper) -> None:
    moment = paper(CIRCLE)
    assert knots(moment.document) == [["a", "b"]]
    known = moment.document.named_by_proofs
    assert len(certain_cycles(moment.document)) == 1
    assert likely_cycles(moment.document) == []
    assert moment.document.named_by_proofs is known


def test_only_of_what_may_lie_on_a_circle_it_is_worked_out_what_is_meant(paper: Paper) -> None:
    moment = paper(r"""
\begin{lemma}\label{a} First. \end{lemma}
\begin{proof} By \cref{b}. \end{proof}
\begin{lemma}\label{b} Second. \end{lemma}
\begin{proof} By \cref{a}. \end{proof}
\begin{lemma}\label{c} Third. \end{lemma}
\begin{proof} By \cref{a,b}. \end{proof}
""")
    assert knots(moment.document) == [["a", "b"]]
    assert moment.document.named_by_proofs.keys() == {"a", "b"}


@pytest.mark.parametrize("words", ["By \\cref{a}.", "By \\cref{e}."])
def test_what_a_proof_may_use_has_all_that_it_names_as_used(paper: Paper, words: str) -> None:
    document = paper(
        "\\begin{lemma}\\label{a} \\begin{equation}\\label{e} 1 \\end{equation} \\end{lemma}\n"
        "\\begin{lemma}\\label{b} B. \\end{lemma}\n"
        f"\\begin{{lemma}}\\label{{c}} C. \\end{{lemma}}\n\\begin{{proof}} {words} \\end{{proof}}\n"
    ).document
    assert document.may_use()["c"] >= {edge.target for edge in document.edges_of("c")} >= {"a"}
    assert "c" not in document.may_use()["c"]


def test_an_invocation_is_a_proof_that_uses_a_claim(argument: Argument) -> None:
    document = argument({"a": ["b", "c"], "b": None, "c": None}, {"c": Role.DEFINITION})
    assert [is_invocation(edge, document) for edge in document.edges] == [True, False]


def test_bounds_name_the_longest_module_and_the_deepest(paper: Paper) -> None:
    found = good_pf_bounds(
        paper(r"""
\begin{theorem}\label{thm} All. \end{theorem}
\begin{proof}
\begin{claim}\label{cl} Some. \end{claim}
\begin{proof} This proof is by far the longest text of the whole paper, for sure. \end{proof}
\begin{equation}\label{eq} 1 = 1 \end{equation}
\end{proof}
""").document
    )
    assert (found.depth, found.deepest) == (2, "cl")
    assert found.longest == "cl"
    assert found.length > 60
