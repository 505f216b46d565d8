"""What leads where: references, `\\uses`, terms, scopes, followed proofs; and how it is told."""

from collections.abc import Callable

from pfcore.domain.values import ModulePart, Role, Via
from pfcore.graph.context import members
from pfcore.graph.laws import knots
from pfcore.graph.paper_state import PaperState
from pfcore.impact.reasons import chain

Paper = Callable[..., PaperState]
Edges = set[tuple[str, str, Via, ModulePart]]


def edges(moment: PaperState) -> Edges:
    return {(e.source, e.target, e.via, e.part) for e in moment.document.edges}


DEF = "\\begin{definition}\\label{d} A map is \\emph{tame} if it is bounded. \\end{definition}\n"
A = "\\begin{lemma}\\label{a} A. \\end{lemma}\n\\begin{proof} Trivial. \\end{proof}\n"


def b(words: str, statement: str = "B.") -> str:
    lemma = f"\\begin{{lemma}}\\label{{b}} {statement} \\end{{lemma}}"
    return f"{lemma}\\begin{{proof}} {words} \\end{{proof}}\n"


def test_a_reference_leads_from_the_half_that_it_stands_in(paper: Paper) -> None:
    assert edges(paper(A + b("By \\ref{a}."))) == {("b", "a", Via.REFERENCE, ModulePart.PROOF)}
    found = edges(paper(A + b("Clear.", "As \\ref{a}.")))
    assert found == {("b", "a", Via.REFERENCE, ModulePart.STATEMENT)}


def test_uses_is_an_edge_of_the_proof_wherever_it_stands(paper: Paper) -> None:
    expected = {("b", "a", Via.USES, ModulePart.PROOF)}
    assert edges(paper(A + b("\\uses{a} Clear."))) == expected
    assert edges(paper(A + b("Clear.", "\\uses{a,b,nowhere} B."))) == expected


def test_a_term_leads_to_its_definition(paper: Paper) -> None:
    assert edges(paper(DEF + b("Clear.", "Tame maps exist."))) == {
        ("b", "d", Via.TERM, ModulePart.STATEMENT)
    }
    assert edges(paper(DEF + b("Take a tame map."))) == {("b", "d", Via.TERM, ModulePart.PROOF)}


def test_of_several_definitions_the_last_one_before_is_meant(paper: Paper) -> None:
    other = DEF.replace("{d}", "{d2}")
    user = b("Clear.", "Tame maps exist.")
    for body, meant in (
        (DEF + other + user, "d2"),
        (DEF + user + other, "d"),
        (user + DEF + other, None),
    ):
        found = {e.target for e in paper(body).document.edges if e.source == "b"}
        assert found == ({meant} if meant else set())


def test_a_definition_does_not_lead_to_itself(paper: Paper) -> None:
    assert edges(paper(DEF)) == set()


def test_a_followed_proof_is_an_edge_of_its_own_kind(paper: Paper) -> None:
    assert edges(paper(A + b("As in the proof of \\cref{a}."))) == {
        ("b", "a", Via.PROOF, ModulePart.PROOF)
    }
    unproved = "\\begin{lemma}\\label{a} A. \\end{lemma}\n"
    assert edges(paper(unproved + "\n\\section{S}" + b("As in the proof of \\cref{a}."))) == {
        ("b", "a", Via.REFERENCE, ModulePart.PROOF)
    }


def test_a_remark_is_no_edge_unless_it_is_about_an_inner_claim(paper: Paper) -> None:
    assert edges(paper(A + b("Clear; compare \\cref{a}."))) == set()
    inner = "\\begin{claim}\\label{c} C. \\end{claim}\\begin{proof} Yes. \\end{proof}"
    found = edges(paper(b(f"First. {inner} We now prove \\cref{{c}}.")))
    assert found == {("b", "c", Via.REFERENCE, ModulePart.PROOF)}


def test_whose_notation_is_wanted_is_read_and_no_certain_edge(paper: Paper) -> None:
    moment = paper(A + b("With the notation of \\cref{a}, clear."))
    (edge,) = moment.document.edges
    assert (edge.target, edge.via, edge.is_explicit) == ("a", Via.NOTATION, False)
    assert "a" in members(moment.document, "b")


def test_what_may_be_used_is_an_edge_and_no_certain_one(paper: Paper) -> None:
    (edge,) = paper(A + b("The converse is \\cref{a}.")).document.edges
    assert (edge.via, edge.is_explicit) == (Via.REFERENCE, False)
    (edge,) = paper(A + b("The converse is \\cref{a}. So by \\cref{a} we win.")).document.edges
    assert (edge.via, edge.is_explicit) == (Via.REFERENCE, True)


def test_a_convention_leads_by_scope(paper: Paper) -> None:
    moment = paper(f"\\section{{S}}\nThroughout this section, $k$ is a field.\n\n{A}")
    (edge,) = moment.document.edges
    assert (edge.source, edge.via, edge.part) == ("a", Via.SCOPE, ModulePart.STATEMENT)
    assert moment.document.modules[edge.target].role is Role.CONVENTION


def test_naming_a_module_is_explicit_and_naming_its_equation_is_not(paper: Paper) -> None:
    body = (
        "\\begin{lemma}\\label{a} A \\begin{equation}\\label{e} 1 \\end{equation} \\end{lemma}\n"
        "\\begin{proof} Yes. \\end{proof}"
    )
    (edge,) = paper(body + b("By \\eqref{e}.")).document.edges
    assert (edge.target, edge.is_explicit) == ("a", False)
    (edge,) = paper(body + b("By \\eqref{e} and \\cref{a}.")).document.edges
    assert (edge.target, edge.is_explicit, edge.order) == ("a", True, 0)


def test_an_equation_in_a_proof_is_a_module_of_its_own(paper: Paper) -> None:
    body = A.replace("Trivial.", "\\begin{equation}\\label{e} 1 \\end{equation} By \\eqref{e}.")
    moment = paper(body + b("By \\eqref{e}."))
    assert edges(moment) == {("b", "e", Via.REFERENCE, ModulePart.PROOF)}
    assert moment.document.modules["e"].role is Role.FRAGMENT
    assert moment.document.modules["e"].parent == "a"


def test_a_label_on_a_loose_proof_names_no_module(paper: Paper) -> None:
    body = "\\section{S}\\begin{proof}\\label{p} Loose. \\end{proof}\\section{T}" + b(
        "See \\cref{p}."
    )
    moment = paper(body)
    assert edges(moment) == set()
    assert moment.document.proofs["b"][0].mentions[0][0].word == "proof"


def test_of_equal_labels_the_one_in_the_same_file_is_meant(paper: Paper) -> None:
    other = "\\begin{lemma}\\label{a} Other. \\end{lemma}\\begin{proof} Yes. \\end{proof}\n"
    moment = paper({"main.tex": f"{A}\\input{{sub}}", "sub.tex": other + b("By \\cref{a}.")})
    (edge,) = moment.document.edges
    assert moment.document.modules[edge.target].statement.location.path == "sub.tex"
    assert {place.path for place in moment.document.labels["a"]} == {"main.tex", "sub.tex"}


def test_the_chain_of_a_module_goes_by_half_and_by_kind(paper: Paper) -> None:
    document = paper(
        DEF + A + b("\\uses{a} By a tame map and \\cref{a}.", "Tame maps exist.")
    ).document
    assert [(e.part, e.via) for e in chain(document, "b")] == [
        (ModulePart.PROOF, Via.REFERENCE),
        (ModulePart.PROOF, Via.USES),
        (ModulePart.PROOF, Via.TERM),
        (ModulePart.STATEMENT, Via.TERM),
    ]
    assert {edge.target for edge in document.invoked()["b"]} == {"a", "d"}


def test_a_proof_rests_on_the_claims_inside_it(paper: Paper) -> None:
    inner = "\\begin{claim}\\label{c} C. \\end{claim}\\begin{proof} By \\cref{b}. \\end{proof}"
    moment = paper(b(f"First. {inner} Done."))
    assert edges(moment) == {
        ("b", "c", Via.REFERENCE, ModulePart.PROOF),
        ("c", "b", Via.REFERENCE, ModulePart.PROOF),
    }
    assert knots(moment.document) == []
