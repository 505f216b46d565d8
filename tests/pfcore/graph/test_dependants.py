"""Who reads a statement: found by labels where these tell, else by all that texts refer to."""

from collections.abc import Callable

import pytest

from pfcore.graph.paper_state import PaperState

Affected = Callable[..., dict[str, tuple[str, ...]]]

ALL = (
    "\\begin{lemma}\\label{a} A. \\end{lemma}\n\\begin{proof} Yes. \\end{proof}\n"
    "\\begin{lemma}\\label{b} B%s. \\begin{equation}\\label{e} 1 \\end{equation} \\end{lemma}\n"
    "\\begin{proof} Yes. \\end{proof}\n"
    "\\begin{definition}\\label{d} A \\emph{tame map} is one%s. \\end{definition}\n"
    "\\begin{lemma}\\label{c} C. \\end{lemma}\n\\begin{proof} Yes. \\end{proof}\n"
    "\\begin{lemma}\\label{reader} %s \\end{lemma}\n\\begin{proof} %s \\end{proof}\n"
)


@pytest.mark.parametrize(
    ("statement", "proof"),
    [
        ("By Lemma~\\ref{b}.", "Yes."),
        ("R.", "By Lemma~\\ref{b}."),
        ("R.", "By \\eqref{e}."),
        ("R.", "By \\crefrange{a}{c}."),
        ("R.", "\\uses{b} Yes."),
        ("R.", "As in the proof of Lemma~\\ref{b}."),
        ("R.", "By \\ref{c} and \\ref{b}, or \\ref{d}."),
    ],
)
def test_the_reader_of_a_changed_statement_is_affected(
    affected: Affected, statement: str, proof: str
) -> None:
    found = affected(ALL % ("", "", statement, proof), ALL % ("!", "", statement, proof))
    assert set(found) == {"b", "reader"}


def test_a_phrase_may_mean_any_statement(affected: Affected) -> None:
    body = ALL.replace("{c} C", "{c} C%s")
    words = ("", "R.", "By the previous lemma.")
    assert set(affected(body % ("", "", *words), body % ("", "", "!", *words[1:]))) == {
        "c",
        "reader",
    }


def test_the_user_of_a_term_is_found_without_a_label(affected: Affected) -> None:
    found = affected(ALL % ("", "", "Tame maps.", "Yes."), ALL % ("", "!", "Tame maps.", "Yes."))
    assert set(found) == {"reader"}


def test_the_reader_of_a_display_is_affected_by_the_words_around_it(affected: Affected) -> None:
    body = (
        "\\section{Notation}\nBelow %s we use \\begin{equation}\\label{e} x = y \\end{equation}\n\n"
        "\\begin{lemma}\\label{reader} All is well by \\eqref{e}. \\end{lemma}\n"
        "\\begin{lemma}\\label{other} All is well. \\end{lemma}\n"
    )
    assert set(affected(body % "$x$", body % "$t$")) == {"reader"}


def test_readers_of_readers_are_found_by_their_statements(paper: Callable[..., PaperState]) -> None:
    body = ALL % ("", "", "By Lemma~\\ref{b}.", "Yes.") + (
        "\\begin{lemma}\\label{far} F. \\end{lemma}\n\\begin{proof}By \\ref{reader}. \\end{proof}\n"
        "\\begin{lemma}\\label{other} F. \\end{lemma}\n\\begin{proof} By \\ref{a}. \\end{proof}\n"
        "\\begin{lemma}\\label{same} F. \\end{lemma}\n"
        "\\begin{proof} As in the proof of \\ref{far}. \\end{proof}\n"
    )
    moment = paper(body)
    readers = moment.readers
    assert readers.of({"b"}) == {"reader", "far", "same"}
    assert readers.followers({"far"}) == {"same"}


@pytest.mark.parametrize(
    ("statement", "proof", "expected"),
    [
        ("R.", "By Lemma~\\ref{b}.", ["reader"]),
        ("R.", "By \\eqref{e}.", ["reader"]),
        ("R.", "By \\crefrange{a}{c}.", ["reader"]),
        ("R.", "\\uses{b} Yes.", ["reader"]),
        ("R. \\uses{b}", "Yes.", ["reader"]),
        ("By Lemma~\\ref{b}.", "Yes.", []),
        ("R.", "By \\ref{c}.", []),
    ],
)
def test_whose_proof_cites_a_module_is_told_without_the_edges_of_the_others(
    paper: Callable[..., PaperState], statement: str, proof: str, expected: list[str]
) -> None:
    moment = paper(ALL % ("", "", statement, proof))
    assert moment.readers.citing("b") == expected
    assert not moment.document.known_edges


def test_a_proof_cites_the_claims_that_stand_in_it(paper: Callable[..., PaperState]) -> None:
    claim = "\\begin{claim}\\label{inner} I. \\end{claim}"
    moment = paper(
        f"\\begin{{lemma}}\\label{{a}} A. \\end{{lemma}}\\begin{{proof}} {claim} \\end{{proof}}"
    )
    assert moment.readers.citing("inner") == ["a"]


DOCUMENT = (
    "\\documentclass{article}\\usepackage{amsthm,xr}\\newtheorem{lemma}{Lemma}\n"
    "\\externaldocument[one-]{main}\\externaldocument[two-]{two}\n\\begin{document}\n%s\\end{document}"
)
RESULT = "\\begin{lemma}\\label{%s} R. \\end{lemma}\n\\begin{proof} %s \\end{proof}\n"


def test_readers_in_another_document_are_found_by_the_key_under_its_prefix(
    paper: Callable[..., PaperState],
) -> None:
    one = RESULT % ("a", "Yes.") + RESULT % ("b", "By \\ref{a}.")
    two = (
        RESULT % ("a", "No.") + RESULT % ("c", "By \\ref{one-a}.") + RESULT % ("d", "By \\ref{a}.")
    )
    moment = paper({"main.tex": DOCUMENT % one, "two.tex": DOCUMENT % two})
    ids = {module.label or "": name for name, module in moment.document.modules.items()}
    first, second = (name for name, m in moment.document.modules.items() if m.label == "a")
    assert moment.readers.of({first}) == {ids["b"], ids["c"]}
    assert moment.readers.of({second}) == {ids["d"]}
    assert moment.readers.referred_to({first, second, ids["b"]}) == {first, second}
    assert moment.document.may_use() == {
        ids["b"]: {first}, ids["c"]: {first}, ids["d"]: {second}, first: set(), second: set(),
    }  # fmt: skip
    assert not moment.document.known_edges
