"""Ranges of labels mean all that stands between the two."""

from collections.abc import Callable

from pfcore.graph.paper import State

Paper = Callable[..., State]
Affected = Callable[..., dict[str, tuple[str, ...]]]


def lemma(name: str, proof: str = "Clear.", *, kind: str = "lemma") -> str:
    return (
        f"\\begin{{{kind}}}\\label{{{name}}} {name.upper()}. \\end{{{kind}}}\n"
        f"\\begin{{proof}} {proof} \\end{{proof}}\n"
    )


LEMMAS = lemma("a") + lemma("t", kind="theorem") + lemma("b") + lemma("c")
EQUATIONS = """
\\begin{lemma}\\label{l} L.
\\begin{align} x &= 1, \\label{e1}\\\\ y &= 2, \\label{e2}\\\\ z &= 3. \\label{e3}\\end{align}
\\end{lemma}
"""


def targets(moment: State, name: str) -> list[str]:
    return [edge.target for edge in moment.document.edges_of(name)]


def test_a_range_of_results_means_those_of_the_kind_between(paper: Paper) -> None:
    moment = paper(LEMMAS + lemma("r", "By \\crefrange{a}{c}."))
    assert targets(moment, "r") == ["a", "b", "c"]


def test_a_range_reads_as_the_list_of_what_it_means(affected: Affected) -> None:
    before = LEMMAS + lemma("r", "By \\crefrange{a}{c}.")
    assert affected(before, before.replace("\\crefrange{a}{c}", "\\cref{a,b,c}")) == {}


def test_a_result_put_into_a_range_affects_who_cites_the_range(affected: Affected) -> None:
    reader = lemma("r", "By \\crefrange{a}{c}.")
    after = LEMMAS.replace("\\begin{lemma}\\label{c}", lemma("n") + "\\begin{lemma}\\label{c}")
    assert set(affected(LEMMAS + reader, after + reader)) == {"n", "r"}


def test_a_range_of_equations_means_those_between(rendered: Callable[..., str]) -> None:
    text = rendered(EQUATIONS + lemma("r", "By \\crefrange{e1}{e3}."), "r")
    assert "By (E1), (E2), (E3)." in text


def test_a_range_that_runs_backwards_or_leads_nowhere_keeps_its_ends(paper: Paper) -> None:
    moment = paper(LEMMAS + lemma("r", "By \\crefrange{c}{a} and \\crefrange{a}{zzz}."))
    assert set(targets(moment, "r")) == {"a", "c"}
    moment = paper(LEMMAS + lemma("r", "By \\crefrange{a}{t}."))
    assert targets(moment, "r") == ["a", "t"]
