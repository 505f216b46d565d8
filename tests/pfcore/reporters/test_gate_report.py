"""What stands between a paper and a pass: the least effort first, each with what is done."""

import re

import pytest

from pfcore.reporters.answer_record import code, prose
from pfcore.reporters.gate_steps import PLAIN_HINTS, GateHints, steps_to_a_pass
from pfcore.review.gate import OPEN, Cause, Reason


def reason(cause, words="x"):
    return Reason(cause=cause, words=words, path="main.tex", line=1)


def steps(reasons, hints=PLAIN_HINTS):
    return list(map(str, steps_to_a_pass(reasons, hints)))


def test_steps_come_in_order_of_effort_and_say_what_to_run():
    found = steps(
        [
            reason(Cause.FLAGGED),
            reason(Cause.UNREAD),
            reason(Cause.STRUCTURE, "[merge-conflict] two versions"),
            reason(Cause.STRUCTURE, "[dangling-reference] no label"),
            reason(Cause.STRUCTURE, "[dangling-reference] no label"),
            *[reason(Cause.UNPROVED)] * 29,
            reason(Cause.CONDITIONAL),
        ]
    )
    assert [line.partition(":")[0] for line in found] == [
        "29 results have no proof",
        "2 findings of dangling-reference",
        "1 finding of merge-conflict",
        "1 proof to read",
        "1 objection",
    ]
    assert "no proof: prove or cite them, or answer all: pf dismiss --rule no-proof" in found[0]
    assert "reference: correct them, or answer: pf" in found[1] and found[2].endswith(
        ": correct it"
    )
    assert "pf dismiss --rule dangling-reference" in found[1]
    assert "dismiss" not in found[2]


def test_the_answers_are_confined_to_the_paper_and_given_at_once():
    listed = [
        reason(Cause.UNPROVED),
        reason(Cause.PREFLIGHT, "[placeholder] unfilled"),
        reason(Cause.PREFLIGHT, "[draft-mark] showkeys"),
    ]
    *found, last = steps(listed, GateHints(paper="my paper.tex"))
    assert found[0].endswith("pf dismiss --rule no-proof --paper 'my paper.tex' --reason '…'")
    assert found[1].endswith("pf dismiss --rule draft-mark --paper 'my paper.tex' --reason '…'")
    rules = "--rule no-proof --rule draft-mark --rule placeholder"
    assert last == f"or answer all of these: pf dismiss {rules} --paper 'my paper.tex' --reason '…'"


@pytest.mark.parametrize(
    ("rule", "mend"),
    [
        ("missing-figure", "add the file to the commit, or delete its \\includegraphics"),
        ("missing-source", "add the file to the commit, or do without it"),
        ("refused-by-arxiv", "change the source as each line above says"),
        ("missing-bibliography", "add the .bib or the .bbl to the commit"),
    ],
)
def test_of_what_arxiv_refuses_for_certain_the_mend_is_named_and_no_answer(rule, mend):
    listed = [reason(Cause.PREFLIGHT, f"[{rule}] not found"), reason(Cause.UNPROVED)]
    proofless, other = steps(listed)
    assert "pf dismiss --rule no-proof" in proofless
    assert other == f"1 finding of {rule}: {mend}"


def test_nobody_is_told_to_answer_in_an_archive():
    causes = (Cause.UNPROVED, Cause.FLAGGED, Cause.STRUCTURE, Cause.PREFLIGHT)
    listed = [reason(cause, "[placeholder] unfilled") for cause in causes]
    assert not any("dismiss" in line for line in steps(listed, GateHints(dismiss="")))


def test_nothing_answers_all_where_one_thing_may_not_be_waved_through():
    listed = [
        reason(Cause.PREFLIGHT, "[placeholder] unfilled"),
        reason(Cause.STRUCTURE, "[merge-conflict] two versions"),
    ]
    assert not any("answer all of these" in line for line in steps(listed))


def test_what_rests_on_open_statements_alone_is_told_how_to_pass():
    opened = reason(Cause.CONDITIONAL, f"its proof depends on Conjecture 1, {OPEN}; state that")
    failed = reason(Cause.CONDITIONAL, "depends on Lemma 1, which failed")
    (line,) = steps([opened])
    said = "1 result depends on an open result: mention it in its statement, or prove it"
    assert line == f"{said}, or answer: pf dismiss --rule no-proof --reason '…'"
    (line,) = steps([opened, opened])
    said = "2 results depend on an open result: mention it in their statements, or prove it"
    assert line == f"{said}, or answer all: pf dismiss --rule no-proof --reason '…'"
    (line,) = steps([opened])
    *_, last = steps([opened, reason(Cause.PREFLIGHT, "[placeholder] unfilled")])
    assert last.startswith("or answer all of these: pf dismiss --rule no-proof --rule placeholder")
    assert line in steps([opened, failed, reason(Cause.UNPROVED)])
    assert steps([]) == []


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("A proof (by Ada).", "A proof (by Ada)."),
        ("a_b and *c* | d", r"a\_b and \*c\* \| d"),
        ("<img src=x> & [a](b)", r"\<img src=x\> \& \[a\](b)"),
        ("1. no list", r"1\. no list"),
        ("- no list", r"\- no list"),
    ],
)
def test_words_of_the_record_are_read_as_they_stand_and_mean_nothing_to_markdown(words, shown):
    assert prose(words) == shown


def test_words_of_the_record_mention_and_link_nobody():
    made = prose("@ada #12 www.a.b https://a.b")
    assert not re.search(r"@\w|#\d|www\.|://", made)
    assert "&#" not in made


@pytest.mark.parametrize(("name", "shown"), [("a_b", "`a_b`"), ("a`b", "`` a`b ``")])
def test_a_name_is_code_whatever_signs_it_has(name, shown):
    assert code(name) == shown


def test_dollar_signs_in_a_message_of_latex_are_no_formula():
    words = "main.tex:8 Missing $ inserted; main.tex:9 Missing $ inserted"
    assert prose(words, has_formulas=False) == words.replace("$", r"\$")
    assert prose("of $x$") == "of $`x`$"
