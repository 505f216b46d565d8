"""Ranges of labels mean all that stands between the two."""

from collections.abc import Callable

from pfcore.graph.paper_state import PaperState

Paper = Callable[..., PaperState]
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


def targets(moment: PaperState, name: str) -> list[str]:
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


def test_a_range_that_is_written_out_means_what_crefrange_means(affected: Affected) -> None:
    before = LEMMAS + lemma("r", "By \\crefrange{a}{c}.")
    for written in (
        "Lemmas~\\ref{a}--\\ref{c}",
        "Lemmas~\\ref{a}\u2013\\ref{c}",
        "\\cref{a}-\\cref{c}",
        "Lemmas \\ref{a} to \\ref{c}",
        "Lemmas~\\ref{a} through~\\ref{c}",
        "Lemma~\\ref{a}--Lemma~\\ref{c}",
    ):
        assert affected(before, before.replace("\\crefrange{a}{c}", written)) == {}, written


def test_a_range_of_equations_that_is_written_out(rendered: Callable[..., str]) -> None:
    for written in ("\\eqref{e1}--\\eqref{e3}", "equations (\\ref{e1}) to (\\ref{e3})"):
        text = rendered(EQUATIONS + lemma("r", f"By {written}."), "r")
        assert "(E1), (E2), (E3)" in text


def test_from_one_result_to_another_is_no_range(paper: Paper) -> None:
    for written in (
        "Apply Lemma~\\ref{a} to Lemma~\\ref{c}",
        "Compare \\ref{a} through \\ref{c}",
        "Lemma~\\ref{a} --- \\ref{c} is not needed ---",
    ):
        assert set(targets(paper(LEMMAS + lemma("r", written + ".")), "r")) <= {"a", "c"}


def test_a_difference_of_equations_is_no_range(rendered: Callable[..., str]) -> None:
    text = rendered(EQUATIONS + lemma("r", "Take $\\eqref{e1}-\\eqref{e3}$."), "r")
    assert "$(E1)-(E2)$" in text


def test_a_written_range_from_one_kind_to_another_keeps_its_ends(paper: Paper) -> None:
    moment = paper(LEMMAS + lemma("r", "By \\ref{a}--\\ref{t}."))
    assert targets(moment, "r") == ["a", "t"]


def test_a_list_may_hold_ranges(paper: Paper) -> None:
    more = LEMMAS + lemma("d") + lemma("e") + lemma("f")
    moment = paper(more + lemma("r", "By Lemmas~\\ref{a}--\\ref{b} and \\ref{d}--\\ref{f}."))
    assert targets(moment, "r") == ["a", "b", "d", "e", "f"]
