"""A `.pf` file is a paper of its own: its modules, its forest, and what a change to it affects."""

import re

import pytest

from pfcore.domain.values import ModulePart, Via
from pfcore.graph.argument_shape import argument_shape
from pfcore.graph.laws import certain_cycles, good_pf_bounds
from pfcore.graph.rendering import render
from pfcore.verification.task import tasks


def swap(text, old, new):
    assert text.count(old) == 1, (old, text.count(old))
    return text.replace(old, new)


def edges(moment, *, via=Via.REFERENCE):
    found: dict[str, list[str]] = {}
    for edge in moment.document.edges:
        if edge.via is via:
            found.setdefault(edge.source, []).append(edge.target)
    return found


def test_modules_are_named_as_the_file_names_them(paper, one, several):
    modules = paper(one).document.modules
    assert list(modules) == ["thm", "prop:1", "lem:1.1", "lem:1.2", "prop:2"]
    assert [item.kind for item in modules.values()] == [
        "theorem", "proposition", "lemma", "lemma", "proposition",
    ]  # fmt: skip
    assert [item.number for item in modules.values()] == ["", "1", "1.1", "1.2", "2"]
    assert list(paper(several).document.modules)[:3] == ["thm:1", "thm:2", "prop:1"]


def test_a_module_stands_where_its_tags_stand(paper, one):
    moment = paper(one)
    lemma = moment.document.modules["lem:1.1"]
    for passage in (lemma.statement, lemma.proof):
        said = one[passage.location.start : passage.location.end]
        assert said.startswith("<LEMMA_")
        assert said.endswith(">")
        assert one[: passage.location.start].count("\n") + 1 == passage.location.line
        assert passage.location.column == 1


def test_lemmas_inherit_from_their_proposition_and_all_from_the_theorem(paper, one):
    moment = paper(one)
    assert {name: item.parent for name, item in moment.document.modules.items()} == {
        "thm": None,
        "prop:1": "thm",
        "lem:1.1": "prop:1",
        "lem:1.2": "prop:1",
        "prop:2": "thm",
    }
    assert good_pf_bounds(moment.document).depth == 3


def test_citations_are_edges_by_reference_from_proofs(paper, one):
    moment = paper(one)
    assert edges(moment) == {"thm": ["prop:2"], "prop:1": ["lem:1.1"], "prop:2": ["prop:1"]}
    assert all(edge.part is ModulePart.PROOF and edge.is_explicit for edge in moment.document.edges)


def test_several_theorems_are_the_setting_of_what_is_proved_for_them(paper, several):
    moment = paper(several)
    assert {name: item.parent for name, item in moment.document.modules.items()} == {
        "thm:1": None,
        "thm:2": None,
        "prop:1": None,
        "prop:2": None,
        "lem:2.1": "prop:2",
    }
    bound = ["thm:1", "thm:2"]
    assert edges(moment, via=Via.SCOPE) == {"prop:1": bound, "prop:2": bound, "lem:2.1": bound}
    assert edges(moment)["thm:2"] == ["thm:1", "prop:2"]


def test_the_context_tells_the_setting_from_what_may_be_used(paper, one, several):
    moment = paper(one)
    text = render(moment.document, "prop:1", moment.paper.texts)
    setting, _, rest = text.partition("# What may be used")
    assert "$G$ is abelian" in setting
    assert "Every $x\\in G$ is its own inverse" in rest
    assert "Apply Result 1 to $x=ab$." in rest
    moment = paper(several)
    text = render(moment.document, "lem:2.1", moment.paper.texts)
    assert text.count("(theorem). ") == 2
    assert "may be used" not in text
    assert "<" not in text


def test_the_theorem_without_a_number_binds_like_one_with_a_number(paper, one):
    numbered = one.replace("<THEOREM_STATEMENT>", '<THEOREM_STATEMENT id="1">').replace(
        "<THEOREM_PROOF>", '<THEOREM_PROOF id="1">'
    )
    found = paper(numbered).document.modules
    assert [item.parent for item in found.values()][:3] == [None, "thm:1", "prop:1"]


EMPTY_EDITS = {
    "white space": ("Multiply $x^2 = e$ by", "Multiply   $x^2=e$\n  by"),
    "a comment": ("Multiply $x^2", "Multiply % both sides\n$x^2"),
    "a comment between sections": ('<LEMMA_PROOF id="1.1">', '% now\n\n<LEMMA_PROOF id="1.1">'),
    "the quotes of an id": ('<LEMMA_PROOF id="1.1">', "<LEMMA_PROOF id='1.1'>"),
    "no final newline": ("</THEOREM_PROOF>\n", "</THEOREM_PROOF>"),
}


@pytest.mark.parametrize("edit", EMPTY_EDITS)
def test_what_nobody_reads_affects_nothing(affected, one, edit):
    assert affected(one, swap(one, *EMPTY_EDITS[edit])) == {}


def test_carriage_returns_and_a_mark_at_the_start_affect_nothing(affected, one):
    assert affected(one, "\ufeff" + one.replace("\n", "\r\n")) == {}


def test_the_proof_of_a_lemma_affects_that_lemma_alone(affected, one):
    after = swap(one, "Multiply $x^2 = e$ by", "In $x^2 = e$, multiply by")
    assert affected(one, after) == {"lem:1.1": ("proof changed",)}


def test_a_broken_proof_affects_that_lemma_alone(affected, one):
    after = swap(one, "Multiply $x^2", "\\iffalse { $ \\begin{align} Multiply $x^2")
    assert affected(one, after) == {"lem:1.1": ("proof changed",)}


def test_the_statement_of_a_lemma_affects_its_readers(affected, one):
    after = swap(one, "is its own inverse.\n</LEMMA", "equals its inverse.\n</LEMMA")
    assert affected(one, after) == {
        "lem:1.1": ("statement changed",),
        "prop:1": ("lem:1.1, which it cites, changed its statement",),
    }


def test_the_statement_of_a_proposition_affects_its_lemmas_and_its_readers(affected, one):
    found = affected(one, swap(one, "$(ab)^{-1} = ab$", "$(ab)^{-1} = ab$, so $abab = e$"))
    assert sorted(found) == ["lem:1.1", "lem:1.2", "prop:1", "prop:2"]
    assert found["lem:1.1"] == ("prop:1, whose proof contains it, changed its statement",)


def test_a_theorem_among_several_affects_what_is_proved_for_it(affected, several):
    found = affected(several, swap(several, "$n^2 + n$ is even", "$n (n + 1)$ is even"))
    assert sorted(found) == ["lem:2.1", "prop:1", "prop:2", "thm:1", "thm:2"]
    assert found["prop:1"] == ("thm:1, which applies to it, changed its statement",)


def test_the_proof_of_a_theorem_affects_that_theorem_alone(affected, several):
    after = swap(several, "and Proposition 1 applies", "see Proposition 1")
    assert list(affected(several, after)) == ["thm:1"]


def test_a_citation_added_affects_who_cites(affected, one):
    after = swap(one, "The product of the two is $e$.", "By Lemma 1.1, the product is $e$.")
    assert list(affected(one, after)) == ["lem:1.2"]


def test_a_section_added_affects_itself(affected, one):
    extra = (
        '<PROPOSITION_STATEMENT id="3">\nMore.\n</PROPOSITION_STATEMENT>\n'
        '<PROPOSITION_PROOF id="3">\nBy Proposition 2.\n</PROPOSITION_PROOF>\n\n<THEOREM_PROOF>'
    )
    found = affected(one, swap(one, "<THEOREM_PROOF>", extra))
    assert found == {"prop:3": ("this proposition is new",)}


def test_the_macros_of_a_file_are_expanded_in_all_of_it(affected, paper, one):
    defined = swap(one, "- $G$ is a group", "\\newcommand{\\any}{x \\in G}- $G$ is a group")
    used = swap(defined, "Every $x \\in G$ is its", "Every $\\any$ is its")
    assert affected(defined, used) == {}
    assert affected(one, defined) == {}
    changed = swap(used, "\\any}{x", "\\any}{z")
    assert affected(used, changed) == {
        "lem:1.1": ("a macro that its statement uses was redefined",),
        "prop:1": ("lem:1.1, which it cites, uses a macro that was redefined",),
    }
    assert "Every $x\\in G$ is its own inverse." in paper(used).paper.texts("proof.pf")[2]


def test_a_circle_of_propositions_is_certain(paper, one):
    circular = swap(one, "Apply Lemma 1.1", "By Proposition 2 and by Lemma 1.1")
    (cycle,) = certain_cycles(paper(circular).document)
    assert {edge.source for edge in cycle} == {"prop:1", "prop:2"}


def test_the_previous_lemma_is_found(paper, one):
    text = swap(one, "The product of", "By the previous lemma, the product of")
    text = swap(text, "Apply Lemma 1.1", "By the previous lemma")
    found = edges(paper(text), via=Via.PHRASE)
    assert found == {"lem:1.2": ["lem:1.1"], "prop:1": ["lem:1.2"]}


def test_equations_are_cited_within_a_section_and_beyond_it(paper, one):
    text = swap(
        one, "Multiply $x^2 = e$", "\\begin{equation}\\label{sq} x^2 = e \\end{equation} Now"
    )
    moment = paper(swap(text, "Apply Lemma 1.1", "Apply \\eqref{sq} and Lemma 1.1"))
    assert "sq" in edges(moment)["prop:1"]


def test_claims_in_a_proof_are_modules_of_their_own(paper, one):
    text = swap(
        one,
        "Multiply $x^2 = e$",
        "\\begin{claim}\\label{c} C. \\end{claim}\\begin{proof} P. \\end{proof}"
        "By \\ref{c}, $x^2 = e$",
    )
    moment = paper(text)
    assert moment.document.modules["c"].parent == "lem:1.1"
    assert moment.document.modules["lem:1.1"].proof.location.line == 23


def test_words_that_only_compare_are_no_citation(paper, one):
    text = swap(one, "The product of the two", "Compare Lemma 1.1. The product of the two")
    assert "lem:1.2" not in edges(paper(text))


def test_an_optional_argument_is_no_title(paper, one):
    text = swap(one, "Statement :\nEvery", "Statement :\nEvery").replace(
        '<LEMMA_STATEMENT id="1.1">\n', '<LEMMA_STATEMENT id="1.1">\n[0, 1] is fine. '
    )
    module = paper(text).document.modules["lem:1.1"]
    assert module.title == ""


def test_its_proofs_are_tasks_for_the_stages_as_those_of_a_paper_in_latex(paper, one):
    moment = paper(one)
    made = {task.module: task for task in tasks(moment, moment.document.modules)}
    assert [(name, task.rests) for name, task in made.items()] == [
        ("lem:1.1", 3), ("prop:1", 2), ("prop:2", 1), ("thm", 0), ("lem:1.2", 0),
    ]  # fmt: skip
    assert [title for title, _ in made["prop:1"].given] == ["Setting", "What may be used"]
    assert made["lem:1.1"].proof == "Proof. Multiply $x^2=e$ by $x^{-1}$."


LOST = {
    "By Lemmas 1.1 and 1.7": "By Result 1, Lemma 1.7 to $x=ab$.",
    "By Lemmas 1.7, 1.8 and 1.1": "By Lemma 1.7, Lemma 1.8, Result 1 to $x=ab$.",
    "By Lemmas~1.1, 1.2 and~1.7": "By Result 1, Result 2, Lemma 1.7 to $x=ab$.",
    "By Lemmas 1.1--1.3": "By Result 1, Result 2, Lemma 1.3 to $x=ab$.",
    "By Lemmas 1.1 to 1.4": "By Result 1, Result 2, Lemma 1.3, Lemma 1.4 to $x=ab$.",
    "By Lemma 1.1 and 1.7": "By Result 1, Lemma 1.7 to $x=ab$.",
    "By Lemmas 1.7 and 1.8": "By Lemmas 1.7 and 1.8 to $x=ab$.",
}


@pytest.mark.parametrize("words", LOST)
def test_a_number_that_nothing_has_stays_in_what_a_reader_gets(paper, affected, one, words):
    text = swap(one, "Apply Lemma 1.1", words)
    moment = paper(text)
    assert LOST[words] in render(moment.document, "prop:1", moment.paper.texts)
    assert list(affected(one, text)) == ["prop:1"]
    same = swap(one, "Apply Lemma 1.1", words.replace("By", "Apply"))
    (reasons,) = affected(one, same).values()
    lost = re.findall(r"Lemmas? 1\.[3-9](?: and 1.8)?", LOST[words])
    assert f"a reference in its proof, {lost[0]}, now leads nowhere" in reasons
    (reasons,) = affected(same, one).values()
    assert reasons
    cited = {edge.target for edge in moment.document.edges_of("prop:1") if edge.via is Via.NUMBER}
    assert cited == {f"lem:1.{place}" for place in "12" if f"Result {place}" in LOST[words]}


def test_what_no_proof_of_a_file_cites_is_known(paper, one):
    assert argument_shape(paper(one)).uncited == ("lem:1.2",)
    alone = swap(one, "Apply Lemma 1.1", "Look at \\begin{claim} C. \\end{claim}")
    assert argument_shape(paper(alone)).uncited == ("lem:1.1", "lem:1.2")


def test_a_second_proof_is_that_of_a_second_statement_of_its_name(paper, one):
    more = (
        "<THEOREM_STATEMENT>\nMore.\n</THEOREM_STATEMENT>\n<THEOREM_PROOF>\nSo.\n</THEOREM_PROOF>\n"
    )
    found = paper(f"{one}{more}").document.modules
    assert [len(item.proofs) for item in found.values() if item.kind == "theorem"] == [1, 1]
    again = one.replace(
        '<LEMMA_STATEMENT id="1.2">',
        '<LEMMA_PROOF id="1.1">Or so.</LEMMA_PROOF>\n<LEMMA_STATEMENT id="1.2">',
    )
    assert len(paper(again).document.modules["lem:1.1"].proofs) == 2
