"""A file in PF markup as records: faults with places, and no text that cannot be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.latex import codec
from pfcore.markup.pf_reader import label, survey_pf_file
from pfcore.markup.tagged_sections import read_sections as sections

PIECES = [
    "<THEOREM_STATEMENT>", "</THEOREM_STATEMENT>", "<THEOREM_PROOF>", "</THEOREM_PROOF>",
    '<PROPOSITION_STATEMENT id="1">', "</PROPOSITION_STATEMENT>", '<LEMMA_PROOF id="1.1">',
    '<LEMMA_STATEMENT id="1.1">', "</LEMMA_STATEMENT>", '<LEMMA_PROOF id="a,b">', "</LEMMA_PROOF>",
    "\\begin{document}", "\\end{document}", "\\begin{proof}", "\\end{proof}", "\\iffalse", "\\fi",
    "{", "}", "$", "%", "\\begin{lemma}", "\\textbf{Proof.} ", "\\textbf{Step 1.} ", "\\item[a]",
    "\\label{lem:1.1}", "\\ref{lem:1.1}", "\\ref{", "\\newcommand{\\a}{\\b}", "\\a ", "\\qed",
    "\\def\\b{\\a\\begin{proof}}", "\\input{x}", "\\section{y}", "\\begin{<LEMMA_PROOF>}",
    "\\begin{verbatim}", "Lemmas 1.1--1.9 and 2 ", "By Lemma 1.1, ", "the previous lemma ",
    "\\begin{align}\\label{e}", "\\eqref{e}", "\n", "\n\n", "\x00\x01", "\u2028", "[", "\ud800",
]  # fmt: skip


def problems(found):
    return [(item.code, item.start) for item in found.reading.problems]


def test_the_examples_have_no_fault(reader, one, several):
    for text in (one, several):
        assert reader(text).reading.problems == ()


FAULTS = {
    "pf-duplicate-id": ('<LEMMA_STATEMENT id="1.2">', '<LEMMA_STATEMENT id="1.1">'),
    "pf-unknown-tag": ('<LEMMA_STATEMENT id="1.2">', '<CLAIM_STATEMENT id="1.2">'),
    "pf-outside": ('<LEMMA_STATEMENT id="1.2">', 'Next.\n<LEMMA_STATEMENT id="1.2">'),
    "pf-missing-statement": ('<LEMMA_STATEMENT id="1.2">', '<LEMMA_STATEMENT id="1.3">'),
    "pf-missing-proof": ('<LEMMA_PROOF id="1.2">', '<LEMMA_PROOF id="1.3">'),
    "pf-order": ('<PROPOSITION_STATEMENT id="1">', '<PROPOSITION_STATEMENT id="3">'),
    "pf-citation": ("Multiply", "By Lemma 1.2, multiply"),
    "pf-mismatch": ("is its own inverse.\n</LEMMA_STATEMENT>", "</LEMMA_PROOF>"),
    "pf-stray": ("% A theorem", "</LEMMA_PROOF>\n% A theorem"),
    "pf-nested": ("is its own inverse.\n</LEMMA_STATEMENT>", "is its own inverse.\n"),
    "pf-unclosed": ("</THEOREM_PROOF>\n", ""),
    "pf-no-parent": ('<LEMMA_STATEMENT id="1.2">', '<LEMMA_STATEMENT id="7.2">'),
    "pf-bad-id": ('<LEMMA_STATEMENT id="1.2">', '<LEMMA_STATEMENT id="two">'),
    "pf-attributes": ('<LEMMA_STATEMENT id="1.2">', "<LEMMA_STATEMENT number=2>"),
    "pf-empty": ("Multiply $x^2 = e$ by $x^{-1}$.", ""),
}


@pytest.mark.parametrize("code", FAULTS)
def test_a_fault_of_the_form_is_a_problem_and_the_rest_is_read(reader, one, code):
    old, new = FAULTS[code]
    assert one.count(old) == 1
    found = reader(one.replace(old, new)).reading
    assert code in {item.code for item in found.problems}
    assert len(found.blocks) >= 9
    assert "thm" in {item.key for item in found.labels}


def test_a_citation_of_what_comes_later_is_told_where_it_stands(reader, one):
    text = one.replace("Multiply", "By Lemma 1.2, multiply")
    (problem,) = reader(text).reading.problems
    assert text[problem.start : problem.end] == "Lemma 1.2"


@pytest.mark.parametrize(
    "words", ["Compare Lemma 1.2.", "% By Lemma 1.2.\n", "See [1, Lemma 9.9]."]
)
def test_words_that_rest_on_nothing_are_no_fault(reader, one, words):
    assert problems(reader(one.replace("Multiply", f"{words} Multiply"))) == []


def test_a_section_in_a_comment_is_no_section(reader, one):
    start = one.index('<LEMMA_STATEMENT id="1.2">')
    end = one.index("<PROPOSITION_PROOF id")
    lines = "".join(f"% {line}\n" for line in one[start:end].splitlines())
    found = reader(one[:start] + lines + one[end:]).reading
    assert found.problems == ()
    assert len(found.blocks) == 8


def test_answers_to_objections_are_found_in_sections_and_between_them(reader, one):
    text = one.replace("Multiply", "% pf: ignore[a] why\nMultiply").replace(
        "% A theorem", "% pf: ignore[b] so\n% A theorem"
    )
    found = reader(text).reading.ignores
    assert [(item.id, item.reason) for item in found] == [("b", "so"), ("a", "why")]
    assert all(text.splitlines()[item.line - 1].startswith("% pf:") for item in found)


def test_environments_that_cross_a_tag_are_told(reader, one):
    text = one.replace("Multiply", "\\begin{align} Multiply")
    (problem,) = reader(text).reading.problems
    assert problem.message == "\\begin{align} is not closed before the closing tag"
    assert text[problem.start :].startswith("\\begin{align}")


def test_labels_are_short(one):
    found = sections(one.replace('"1.2"', '"a b"')).listed
    assert [label(item) for item in found][:7] == [
        "thm", "prop:1", "lem:1.1", "lem:1.1", "", "", "prop:1",
    ]  # fmt: skip


def test_macros_are_surveyed_where_they_stand(one):
    text = one.replace("Multiply", "\\newcommand{\\a}{b} Multiply")
    (macro,) = survey_pf_file(text).macros
    assert text[macro.start :].startswith("\\newcommand")
    assert text[slice(*survey_pf_file(text).silent[0])] == "\\newcommand{\\a}{b}"


def test_words_are_in_the_vocabulary_of_the_first_block_that_has_them(reader, one):
    found = reader(one).reading.vocabulary
    words = [word for listed in found for word in listed.split("\n")]
    assert len(words) == len(set(words))
    assert "abelian" in found[0].split("\n")


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=40))
def test_any_text_is_read(reader, pieces):
    text = "".join(pieces)
    found = reader(text)
    blocks = found.reading.blocks
    assert len(found.texts) == len(blocks)
    for index, block in enumerate(blocks):
        assert 0 <= block.place.start <= block.place.end <= len(text)
        assert block.parent < index
    for problem in found.reading.problems:
        assert 0 <= problem.start <= problem.end <= len(text)
        assert problem.message
    assert codec.decode_parsed_file(codec.dump(found.reading)) == found.reading


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.integers(0, 2_000))
def test_an_example_with_anything_put_in_is_read(reader, one, pieces, place):
    text = one[:place] + "".join(pieces) + one[place:]
    found = reader(text).reading
    assert {"thm", "prop:1"} & {item.key for item in found.labels}
