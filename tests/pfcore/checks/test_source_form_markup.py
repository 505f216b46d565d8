"""The check of the form of proofs in modules."""

from pathlib import Path

import pytest

from pfcore.domain.findings import finding_id
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot
from pfcore.review import review

ONE = (Path(__file__).parents[2] / "data" / "one_theorem.pf").read_text(encoding="utf-8")


@pytest.fixture
def findings(tmp_path):
    """The findings of a proof in modules."""

    def make(text):
        (tmp_path / "proof.pf").write_text(text, encoding="utf-8")
        after = snapshot.from_folder(tmp_path)
        (report,) = review.review(None, after, ParseCache(MemoryCache())).papers
        return report.findings

    return make


def swap(old, new):
    assert ONE.count(old) == 1, old
    return ONE.replace(old, new)


def test_a_proof_in_good_form_is_clean(findings):
    assert findings(ONE) == ()


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (swap('<LEMMA_PROOF id="1.2">', "<LEMMA_PROOF>"), (34, 1), "<LEMMA_PROOF> has no id"),
        (swap("% A theorem, proved", "A theorem, proved"), (1, 1), "is outside all tags"),
        (swap("Multiply", "By Lemma 1.2, multiply"), (24, 4), "cites Lemma 1.2, which comes later"),
        (
            swap('<PROPOSITION_STATEMENT id="2">', "<PROPOSITION_STATEMNT id='2'>"),
            (42, 1),
            "is not a tag of this format",
        ),
        (
            swap("$(ab)^{-1} = b^{-1} a^{-1}$.\n</LEMMA_STATEMENT>", ""),
            (33, 1),
            '<LEMMA_PROOF id="1.2"> is inside <LEMMA_STATEMENT id="1.2">',
        ),
    ],
)  # fmt: skip
def test_a_fault_is_an_error_with_its_line_and_its_tag(findings, text, place, words):
    first = next(item for item in findings(text) if words in item.message)
    assert (first.rule, first.severity) == ("pf-markup", "error")
    assert (first.location.path, *first.location[3:5]) == ("proof.pf", *place)


def test_a_fault_belongs_to_the_module_in_whose_section_it_stands(findings):
    (finding,) = findings(swap("Multiply", "By Lemma 1.2, multiply"))
    assert finding.module == "lem:1.1"
    (finding,) = findings(swap("% A theorem, proved", "A theorem, proved"))
    assert finding.module is None


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (swap('<LEMMA_PROOF id="1.2">', '<LEMMA_PROOF id="1.1">'), 2),
        (swap('<LEMMA_STATEMENT id="1.2">', '<LEMMA_STATEMENT id="1.1">'), 2),
        (ONE[: ONE.index("<THEOREM_PROOF>")], 1),
    ],
)
def test_what_the_form_says_no_other_check_says_again(findings, text, count):
    found = findings(text)
    assert [item.rule for item in found] == ["pf-markup"] * count


def test_the_id_of_a_fault_is_of_what_the_parser_says_not_of_what_people_read(findings):
    first = next(
        item
        for item in findings(
            swap('<PROPOSITION_STATEMENT id="2">', "<PROPOSITION_STATEMNT id='2'>")
        )
        if "is not a tag of this format" in item.message
    )
    hint = "did you mean PROPOSITION_STATEMENT?"
    said = f"pf-unknown-tag <PROPOSITION_STATEMNT id='2'> is no tag of this format; {hint} 1"
    assert (first.subject, first.id) == (said, finding_id("pf-markup", said, first.module))


def test_the_same_fault_at_two_places_is_two_findings(findings):
    text = ONE.replace("Multiply", "By Lemma 1.2, and again Lemma 1.2, multiply")
    found = findings(text)
    assert len({item.id for item in found}) == len(found) == 2


def test_a_circle_of_propositions_is_still_told(findings):
    found = findings(swap("Apply Lemma 1.1", "By Proposition 2 and Lemma 1.1"))
    assert sorted(item.rule for item in found) == ["cycle", "pf-markup"]


def test_a_fault_can_be_answered_beside_it(findings):
    text = swap("Multiply", "% pf: ignore[pf-markup] on purpose\nBy Lemma 1.2, multiply")
    (finding,) = findings(text)
    assert finding.dismissed == "on purpose"


def test_the_source_is_checked_as_that_of_a_paper_is(findings):
    found = findings(swap("Multiply", "\\begin{align} By \\ref{nowhere}, multiply"))
    assert sorted(item.rule for item in found) == ["dangling-reference", "unbalanced-environment"]


def test_an_omitted_proof_between_tags_is_noted(findings):
    start = ONE.index('<LEMMA_PROOF id="1.2">') + len('<LEMMA_PROOF id="1.2">')
    text = f"{ONE[:start]}\nOmitted.\n{ONE[ONE.index('</LEMMA_PROOF>', start) :]}"
    assert [(item.rule, item.message) for item in findings(text)] == [
        ("no-proof", "the proof of lem:1.2 is omitted")
    ]


WORDED = """<PROPOSITION_STATEMENT id="1">
One is odd.
</PROPOSITION_STATEMENT>
<PROPOSITION_PROOF id="1">
Look.
</PROPOSITION_PROOF>
<THEOREM_STATEMENT>
Every number is odd.
</THEOREM_STATEMENT>
<THEOREM_PROOF>
By Proposition 1 and Step 2, see Lemma 2 of Smith's paper and [5, Lemma 3]. By Lemma 1.7 it holds,
and by Lemma 1.7 again.
</THEOREM_PROOF>
"""


def test_a_number_that_no_statement_of_the_file_has_leads_nowhere(findings):
    (found,) = findings(WORDED)
    assert (found.rule, found.message) == (
        "dangling-reference",
        "Lemma 1.7 does not exist in this file; correct the number or add its statement",
    )
    assert found.location.line == 11
    assert not findings(WORDED.replace("Lemma 1.7", "Proposition 1"))


SEVERAL = {
    "By Lemmas 1.1 and 1.7": "Lemma 1.7 does not exist in this file; "
    "correct the number or add its statement",
    "By Propositions 7 and 8": "Proposition 7 and Proposition 8 do not exist in this file; "
    "correct the numbers or add their statements",
    "By Lemmas 1.1--1.3": "Lemma 1.3 does not exist in this file; "
    "correct the number or add its statement",
    "By Lemmas 1.8--1.99": "Lemma 1.8 and Lemma 1.99 do not exist in this file; "
    "correct the numbers or add their statements",
    "By Lemmas 3.1 to 3.40": "Lemma 3.1, Lemma 3.2, Lemma 3.3 and 37 others do not exist in this "
    "file; correct the numbers or add their statements",
    "By Corollary 3": "Corollary 3 does not exist in this file; "
    "its results are theorems, propositions and lemmas",
    "By Lemma 4.3": "Lemma 4.3 does not exist in this file: Proposition 2 has the label Lemma 4.3; "
    "cite it as Proposition 2",
    "By Lemmas 4.3 and 4.4": "Lemma 4.3 and Lemma 4.4 do not exist in this file: Proposition 2 has "
    "the label Lemma 4.3; cite it as Proposition 2",
    "By Theorem 9": "Theorem 9 does not exist in this file: the Theorem has the label Theorem 9; "
    "cite it as the Theorem",
}


@pytest.mark.parametrize("words", SEVERAL)
def test_of_several_numbers_those_are_told_that_no_statement_has(findings, words):
    text = swap("Apply Lemma 1.1", words).replace(
        '<PROPOSITION_STATEMENT id="2">', '<PROPOSITION_STATEMENT id="2" label="Lemma 4.3">'
    )
    text = text.replace("<THEOREM_STATEMENT>", '<THEOREM_STATEMENT label="Theorem 9">')
    (found,) = findings(text)
    assert (found.rule, found.severity, found.module) == ("dangling-reference", "error", "prop:1")
    assert found.message == SEVERAL[words]


@pytest.mark.parametrize(
    ("words", "place", "message"),
    [
        ("By \\emph{this, multiply", (24, 9), "\\emph{ is not closed before </LEMMA_PROOF>"),
        ("As $\\} x^{-1 = x$, multiply", (24, 10), "{ is not closed before </LEMMA_PROOF>"),
        (
            "\\begin{align*} x^{2 \\end{align*} Multiply",
            (24, 18),
            "{ is not closed before \\end{align*}",
        ),
        ("As $\\frac{1}{2$ is small, multiply", (24, 13), "{ is not closed before </LEMMA_PROOF>"),
    ],
)
def test_a_brace_that_is_not_closed_in_its_section_is_an_error(findings, words, place, message):
    (found,) = findings(swap("Multiply", words))
    assert (found.rule, found.severity, found.message) == ("unclosed-brace", "error", message)
    assert found.location[3:5] == place


@pytest.mark.parametrize(
    "words",
    ["$\\{x$ multiply", "% {\nMultiply", "\\verb|{| Multiply", "{Now} $x^{-1}$: multiply"],
)
def test_a_brace_that_is_none_or_is_closed_is_no_fault_of_a_section(findings, words):
    assert not findings(swap("Multiply", words))


CONFLICT = "<<<<<<< HEAD\n%s\n=======\n%s\n>>>>>>> other\n"


def test_what_a_merge_leaves_in_a_section_is_an_error_at_its_place(findings):
    line = "Multiply $x^2 = e$ by $x^{-1}$."
    (found,) = findings(swap(f"{line}\n", CONFLICT % (line, "Multiply both sides.")))
    assert (found.rule, found.severity, found.location.line) == ("merge-conflict", "error", 24)
    assert found.message == "merge conflict markers are left in the file"


def test_what_a_merge_leaves_around_sections_is_told_once(findings):
    proof = ONE[ONE.index('<LEMMA_PROOF id="1.1">') :].partition("</LEMMA_PROOF>\n")[0]
    whole = f"{proof}</LEMMA_PROOF>"
    (found,) = findings(swap(f"{whole}\n", CONFLICT % (whole, "")))
    assert found.rule == "merge-conflict"
    found = findings(swap(f"{whole}\n", CONFLICT % (whole, "Some words.")))
    assert sorted(item.rule for item in found) == ["merge-conflict", "pf-markup"]


def test_markers_in_a_comment_of_a_file_are_no_conflict(findings):
    lines = (CONFLICT % ("a", "b")).splitlines()
    text = "".join(f"% {line}\n" for line in lines)
    assert not findings(swap("Multiply", f"{text}Multiply"))


def without(tag):
    """The file without a section."""
    start = ONE.index(f"<{tag}")
    return ONE[:start] + ONE[ONE.index("</", start) :].partition("\n")[2]


SAID = {
    "the Theorem has no THEOREM_PROOF; add it after the statement": without("THEOREM_PROOF"),
    "there is no THEOREM_STATEMENT; begin the file with <THEOREM_STATEMENT>":
        without("THEOREM_STATEMENT"),
    "Lemma 1.2 has no LEMMA_PROOF; add it after the statement": without('LEMMA_PROOF id="1.2"'),
    "<LEMMA_PROOF id=\"1.1\"> is empty; enter its text":
        swap("Multiply $x^2 = e$ by $x^{-1}$.", "% now"),
    "<LEMMA_STATEMENT id=\"two\"> has the id \"two\"; expected one such as \"2.1\", for a lemma of "
    "Proposition 2": swap('<LEMMA_STATEMENT id="1.2">', '<LEMMA_STATEMENT id="two">'),
    "<LEMMA_STATEMENT> has no id; expected one such as \"2.1\", for a lemma of Proposition 2":
        swap('<LEMMA_STATEMENT id="1.2">', "<LEMMA_STATEMENT>"),
    "<LEMMA_PROOF id=\"1.2\" id=\"1.2\"> has the attribute id twice":
        swap('<LEMMA_PROOF id="1.2">', '<LEMMA_PROOF id="1.2" id="1.2">'),
    "the proof of Lemma 1.1 cites Proposition 1, which this lemma serves to prove; prove it "
    "without that": swap("Multiply", "By Proposition 1, multiply"),
    "the proof of Lemma 1.1 cites the Theorem, which depends on it; prove it without that":
        swap("Multiply", "By the Theorem, multiply"),
    "the proof of Lemma 1.1 cites Lemma 1.2, which comes later; cite only what comes before, or "
    "change the order": swap("Multiply", "By Lemma 1.2, multiply"),
    "the proof of the Theorem cites Lemma 1.1; a theorem's proof cites propositions, not their "
    "lemmas": swap("This is what", "By Lemma 1.1, this is what"),
    "Lemma 1.1 has a second statement; the first is on line 16: correct one of the two ids, or "
    "delete one": swap('<LEMMA_STATEMENT id="1.2">', '<LEMMA_STATEMENT id="1.1" label="L">'),
    "the Theorem has a second statement; the first is on line 2: give both an id":
        f"{ONE}<THEOREM_STATEMENT>\nMore.\n</THEOREM_STATEMENT>\n",
    "the Theorem has a second proof; the first is on line 53: give both an id":
        f"{ONE}<THEOREM_PROOF>\nMore.\n</THEOREM_PROOF>\n",
    "<LEMMA_PROOF id=\"1.1\"> is never closed; add its closing tag":
        ONE[: ONE.index("Multiply") + 9],
    "this text is outside all tags; put it between tags, or begin its lines with %":
        f"Some words.\n{ONE}",
    "this text is outside all tags; unknown tag DEFINITION: definitions go into the statement "
    "of the theorem": f'<DEFINITION id="1">\nA group is good.\n</DEFINITION>\n{ONE}',
    '<PROPOSITION_STATEMENT id="0"> has the id "0"; expected a number from 1, such as "2"':
        swap('<PROPOSITION_STATEMENT id="2">', '<PROPOSITION_STATEMENT id="0">'),
}  # fmt: skip


@pytest.mark.parametrize("message", SAID)
def test_a_message_says_what_is_wrong_and_what_to_do(findings, message):
    assert message in [item.message for item in findings(SAID[message])]


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("As $x = y, so the order of $x$ is $2$, multiply", "$x = y"),
        ("As $x^2 = e$ and $x = y$, so the order of $x is small, multiply", "$x is"),
        ("As $\\text{for all of it} x = y$, so $x$ and so on, $2 multiply", "$2"),
    ],
)
def test_a_missing_dollar_is_told_where_the_odd_one_begins(findings, words, place):
    text = swap("Multiply $x^2 = e$ by $x^{-1}$.", words)
    (found,) = [item for item in findings(text) if item.rule == "pf-markup"]
    assert text[found.location.start :].startswith(place)
    assert found.message.endswith(' is not closed, in <LEMMA_PROOF id="1.1">; add the missing $')


def test_an_empty_proof_is_none(findings):
    found = findings(swap("Multiply $x^2 = e$ by $x^{-1}$.", ""))
    assert [item.rule for item in found] == ["pf-markup"]


def test_a_label_of_a_document_beside_it_is_told_without_latexs_way_to_share(tmp_path):
    (tmp_path / "main.tex").write_text(
        "\\documentclass{article}\\newtheorem{lemma}{Lemma}\\begin{document}"
        "\\begin{lemma}\\label{far} A. \\end{lemma}\\end{document}"
    )
    (tmp_path / "proof.pf").write_text(swap("Multiply", "By \\ref{far}, multiply"))
    after = snapshot.from_folder(tmp_path)
    papers = review.review(None, after, ParseCache(MemoryCache())).papers
    (found,) = [item for paper in papers for item in paper.findings if item.rule != "no-proof"]
    assert found.message == (
        "undefined label far; main.tex defines it, but a .pf file cites only its own results: "
        "add the cited result to it"
    )


def test_an_undefined_label_is_told_with_how_results_are_cited(findings):
    (found,) = findings(swap("Multiply", "By \\ref{prop:nope}, multiply"))
    assert found.message == (
        "undefined label prop:nope; add the label, or cite a result by kind and number, "
        "for example Proposition 2"
    )
    (found,) = findings(swap("Multiply", "By \\ref{prop:22}, multiply"))
    assert found.message == "undefined label prop:22; did you mean prop:2?"


def test_an_id_that_occurs_twice_is_told_where_a_tag_has_a_control_character(findings):
    text = swap('<LEMMA_STATEMENT id="1.2">', '<LEMMA_STATEMENT\x01id="1.1">')
    assert any(
        "Lemma 1.1" in item.message or "occurs twice" in item.message for item in findings(text)
    )
