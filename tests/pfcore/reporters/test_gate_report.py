"""What stands between a paper and a pass: the least effort first, each with what is done."""

import re
from dataclasses import replace
from itertools import product

import pytest

from pfcore.checks.registry import ALL
from pfcore.reporters.answer_record import code, prose
from pfcore.reporters.formal_proofs import formal_words
from pfcore.reporters.gate_report import Facts, gate_text, record
from pfcore.reporters.gate_steps import (
    PLAIN_HINTS,
    GateHints,
    steps_on_a_screen,
    steps_to_a_pass,
)
from pfcore.reporters.printing import Style
from pfcore.review.gate import OPEN, Cause, GateOutcome, Reason, judge_paper
from tests.conftest import article_text


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
        "1 finding of merge-conflict",
        "2 findings of dangling-reference",
        "1 proof to read",
        "1 objection",
    ]
    assert "no proof: prove or cite them, or answer all: pf dismiss --rule no-proof" in found[0]
    assert found[1].endswith(": correct it")
    assert found[2].endswith("-reference: define the label, or correct the reference")


def test_the_answers_are_confined_to_the_paper_and_each_check_has_its_own():
    listed = [
        reason(Cause.UNPROVED),
        reason(Cause.PREFLIGHT, "[placeholder] unfilled"),
        reason(Cause.PREFLIGHT, "[draft-mark] showkeys"),
    ]
    listed[1] = replace(listed[1], finding="abcdefgh")
    end = " --paper 'my paper.tex' --reason '…'"
    assert steps([listed[0], *listed, listed[2]], GateHints(paper="my paper.tex")) == [
        "2 results have no proof: prove or cite them, or answer all: "
        f"pf dismiss --rule no-proof{end}",
        f"1 finding of placeholder: fill it in or delete it, or answer: pf dismiss abcdefgh{end}",
        f"2 findings of draft-mark: delete them, or answer all: pf dismiss --rule draft-mark{end}",
    ]


def test_where_a_page_has_the_places_elsewhere_a_step_names_them():
    marks = [
        replace(reason(Cause.PREFLIGHT, "[draft-mark] showkeys"), line=line) for line in range(1, 6)
    ]
    (line,) = steps(marks, GateHints(is_away=True, dismiss=""))
    where = "main.tex:1, main.tex:2, main.tex:3 and 2 more"
    assert line == f"5 findings of draft-mark ({where}): delete them"


@pytest.mark.parametrize(
    ("rule", "mend"),
    [
        ("missing-figure", "add the file to the commit, or delete its \\includegraphics"),
        ("missing-source", "add the file to the commit, or do without it"),
        ("refused-by-arxiv", "change the source as each line says"),
        ("missing-bibliography", "add the .bib or the .bbl to the commit"),
        ("dangling-reference", "define the label, or correct the reference"),
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


def test_what_rests_on_open_statements_alone_is_told_how_to_pass():
    opened = reason(Cause.CONDITIONAL, f"its proof depends on Conjecture 1, {OPEN}; mention this")
    failed = reason(Cause.CONDITIONAL, "depends on Lemma 1, which failed")
    (line,) = steps([opened])
    said = "1 result depends on an open result: mention it in its statement, or prove it"
    assert line == f"{said}, or answer: pf dismiss --rule no-proof --reason '…'"
    (line,) = steps([opened, opened])
    said = "2 results depend on an open result: mention it in their statements, or prove it"
    assert line == f"{said}, or answer all: pf dismiss --rule no-proof --reason '…'"
    (line,) = steps([opened])
    named = replace(opened, finding="abcdefgh")
    assert steps([named])[0].endswith("or answer: pf dismiss abcdefgh --reason '…'")
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


def test_commands_and_names_in_a_message_of_latex_are_read_as_they_stand():
    def shown(words):
        return prose(words, has_formulas=False)

    assert shown("\\begin{a} ended by \\end{b}") == "\\begin{a} ended by \\end{b}"
    assert shown("File `lmodern.sty' not found") == "File 'lmodern.sty' not found"
    assert shown("a \\_ and \\\\") == r"a \\\_ and \\\\"
    assert shown("a `b") == r"a \`b"


WORDS = f"its words are {'long ' * 40}"
EVERYTHING = [
    *[reason(Cause.PREFLIGHT, f"[{check.id}] {WORDS}") for check in ALL for _ in range(30)],
    *[reason(cause, WORDS) for cause in Cause if cause is not Cause.NOTHING for _ in range(30)],
    *[reason(Cause.CONDITIONAL, f"its proof depends on Conjecture 1, {OPEN}; mention this")] * 3,
]


@pytest.fixture
def several(reviewed, document):
    """The review of as many papers as are wanted, whose titles are long."""
    body = "\\title{{A Study of {0}}}\\maketitle\n\\begin{{lemma}} {1}.\\end{{lemma}}"
    words = "Several Words " * 12

    def made(number):
        texts = [document(body.format(words, f"{place} " * 40)) for place in range(number)]
        return reviewed({f"a{place}/paper.tex": text for place, text in enumerate(texts)})

    return made


@pytest.mark.parametrize("number", [1, 2, 3, 5, pytest.param(40, marks=pytest.mark.acceptance)])
def test_whatever_stands_against_papers_fits_a_screen(several, number):
    report = several(number)
    assert len(report.papers) == number
    sets: tuple[list[Reason], ...] = (
        EVERYTHING,
        EVERYTHING[:40],
        EVERYTHING[-95:],
        EVERYTHING[:1],
        [],
    )
    for width, beside, reasons in product((80, 100, 160), (0, 4), sets):
        style, found = Style(width=width), GateOutcome(reasons=tuple(reasons))
        text = gate_text(report, [found] * number, style, beside=beside)
        assert style.rows(text.splitlines()) <= 24 - beside, text
        assert text.endswith("Gate failed.\n" if reasons else "Gate passed.\n")
        assert text.count("paper.tex  ") >= min(number, 4)


def test_what_weighs_most_is_on_the_screen_whatever_else_there_is(several):
    text = gate_text(several(1), [GateOutcome(reasons=tuple(EVERYTHING))], Style(width=80))
    for words in (
        "circular arguments: break them",
        "objections: correct the proof",
        "not looked at",
    ):
        assert words in text


def test_of_many_papers_the_line_of_each_begins_with_what_weighs_most(several):
    reasons = [item for item in EVERYTHING if item.cause is not Cause.NOTHING]
    text = gate_text(several(9), [GateOutcome(reasons=tuple(reasons))] * 9, Style(width=80))
    (first, *_) = (line for line in text.split("  a") if "does not pass: " in line)
    said = " ".join(first.partition("does not pass: ")[2].split())
    assert said.startswith("30 objections, 30 circular arguments, 30 parts not looked at, ")


def test_a_paper_that_passes_has_one_empty_line_below_it(several):
    text = gate_text(several(1), [GateOutcome(reasons=())], Style(width=80))
    assert "passes\n\nGate passed.\n" in text


def test_with_details_every_reason_is_listed_in_full(several):
    found = [GateOutcome(reasons=tuple(EVERYTHING))] * 2
    told = gate_text(several(2), found, Style(width=80, is_whole=True, notes=True))
    placed = [item for item in EVERYTHING if item.cause is not Cause.CONDITIONAL]
    assert told.count(" main.tex:1") == 2 * (len(placed) + 3)
    assert told.count(WORDS.strip()) == 2 * (len(placed) - 30)  # a step says what no proof means


def test_on_a_screen_no_command_answers_what_several_checks_have_found():
    listed = [
        *[replace(reason(Cause.UNPROVED), finding="abcdefgh")] * 2,
        reason(Cause.PREFLIGHT, "[placeholder] unfilled"),
        reason(Cause.PREFLIGHT, "[missing-figure] not found"),
        reason(Cause.UNREAD),
    ]
    found, answer = steps_on_a_screen(listed)
    assert list(map(str, found)) == [
        "2 results have no proof: prove or cite them",
        "1 finding of placeholder: fill it in or delete it",
        "1 finding of missing-figure: add the file to the commit, or delete its \\includegraphics",
        "1 proof to read: add --model NAME; to skip them: pf gate --allow-unread",
    ]
    one, many = "pf dismiss abcdefgh --reason '…'", "pf dismiss --rule no-proof --reason '…'"
    assert answer == f"or answer one: {one}; all of a check: {many}"
    assert steps_on_a_screen(listed[:2]) == (list(steps_to_a_pass(listed[:2])), "")
    assert steps_on_a_screen(listed[1:3])[1] == f"or answer one: {one}"
    assert steps_on_a_screen(listed, GateHints(dismiss=""))[1] == ""


def test_on_a_screen_the_checks_beyond_the_first_are_one_step():
    listed = [
        reason(Cause.PREFLIGHT, f"[{rule}] x")
        for number, rule in enumerate(
            ("placeholder", "draft-mark", "model-debris", "broken-entry", "misread-text"), 1
        )
        for _ in range(number)
    ]
    found, answer = steps_on_a_screen(listed)
    assert [step.head for step in found] == [
        "1 finding of placeholder",
        "2 findings of draft-mark",
        "3 findings of model-debris",
        "9 findings of 2 other checks",
    ]
    assert len(found[3].reasons) == 9
    assert answer == "or answer all of a check: pf dismiss --rule draft-mark --reason '…'"
    (single,), answer = steps_on_a_screen(listed, most=1)
    assert single.head == "15 findings of 5 checks" and answer == ""


MARKED = (
    "\\begin{lemma}\\label{%s}%s\\leanok %s.\\end{lemma}\\begin{proof}\\leanok Clear.\\end{proof}\n"
)


def test_what_formal_means_is_said_with_what_was_looked_at(reviewed):
    body = (
        MARKED % ("a", "\\lean{a}", "A")
        + MARKED % ("b", "\\lean{Nat.b}", "B")
        + MARKED % ("c", "", "C")
        + "\\begin{lemma}\\mathlibok D.\\end{lemma}\n"
    )
    files = {"main.tex": article_text(body), "A.lean": "theorem a : 1 = 1 := rfl\n"}
    report = reviewed(files)
    (paper,) = report.papers
    assert formal_words(paper) == [
        "4 proofs are formal according to the authors' marks alone: Lean was not run",
        "1 with a name that the Lean files here declare; a text search found no sorry, admit or "
        "axiom that it is known to contain or use",
        "1 with a Lean name that no Lean file here declares",
        "1 without a Lean name",
        "1 marked \\mathlibok; Mathlib was not looked at",
    ]
    said = gate_text(report, [judge_paper(paper)], Style())
    assert "4 proofs count as formal, according to the authors' marks; Lean was not run." in said


def test_no_lean_name_is_said_to_be_there_or_not_if_a_file_is_unread(reviewed):
    body = MARKED % ("a", "\\lean{a}", "A")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    files = {"main.tex": article_text(body), "A.lean": "theorem a : 1 = 1 := rfl\n"}
    (paper,) = reviewed({**files, "B.lean": pointer}).papers
    assert formal_words(paper)[1:] == ["1 with a Lean name; not all Lean files here could be read"]


def test_where_no_lean_file_is_here_no_name_is_looked_up(reviewed):
    (paper,) = reviewed({"main.tex": article_text(MARKED % ("a", "\\lean{a}", "A"))}).papers
    assert formal_words(paper) == [
        "1 proof is formal according to the authors' marks alone: Lean was not run, and the "
        "repository has no Lean file"
    ]
    (paper,) = reviewed({"main.tex": article_text("\\begin{lemma} A.\\end{lemma}")}).papers
    assert formal_words(paper) == []


def test_the_record_says_what_formal_means(reviewed):
    report = reviewed({"main.tex": article_text(MARKED % ("a", "", "A"))})
    facts = Facts(commit="c" * 40, date="2026-01-01T00:00:00", version="1", lock="none")
    page = record(report, [judge_paper(report.papers[0])], facts)
    assert "### Formal (claimed)\n\n- Lemma 1\n- 1 proof is formal" in page
    assert "unless the Lean files here contradict it" in page


def test_what_lean_contradicts_is_finished_there_or_unmarked():
    found = steps([reason(Cause.STRUCTURE, "[leanok-added] it contains sorry")])
    assert found[0].startswith("1 finding of leanok-added: finish in Lean, or delete \\leanok, or")
    found = steps([reason(Cause.STRUCTURE, "[unknown-declaration] \\lean names a")])
    assert found[0].startswith("1 finding of unknown-declaration: correct the name, or answer")
