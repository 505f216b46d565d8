"""The summary comment is the first screen of the paper, and its next step is a comment.

With `PF_SCREENS=write` the comments of `tests/data/screens` are written anew.
"""

import re
from dataclasses import replace

import pytest

from bot.publishing.summary import SummaryOptions, summary
from bot.reviewing.pull_review import review_proofs, review_structure
from pfcore.reporters.formats.markdown import about
from pfcore.reporters.paper_overview import overview_sentences, paper_overview
from pfcore.testing import ScriptedLlm
from tests.bot.readers import ALL, A, B, subject
from tests.pfcore.cli.conftest import ACCEPT
from tests.pfcore.reporters.test_first_screen import EDITED, GAP, IS_WRITING, PAPER, SCREENS

BASE = "b" * 40
NOTHING = SummaryOptions(base=BASE)
LOST = EDITED.replace(r"\ref{lem:last} and", r"\ref{lem:lost} and")


@pytest.fixture
def screen(reviewed):
    """The review that a comment is of, by the comment's name."""
    numbered = {f"p{n}.tex": PAPER.replace("Counting", f"{n}") for n in range(6)}
    moments = {
        "finding": ({"paper.tex": LOST}, {"paper.tex": PAPER}),
        "gap": ({"paper.tex": GAP.replace("Paths are short", "So are paths")}, {"paper.tex": GAP}),
        "whole": ({"paper.tex": PAPER},),
        "several": (numbered | {"p3.tex": EDITED.replace("Counting", "3")}, numbered),
    }
    return lambda name: reviewed(*moments[name])


@pytest.mark.parametrize("name", ["finding", "gap", "whole", "several"])
def test_a_comment_is_as_it_was_meant(screen, name):
    text = re.sub(r"since \S+?(?=[: ])", "since BASE", summary(screen(name), NOTHING))
    place = SCREENS / f"{name}-comment.md"
    if IS_WRITING:
        place.write_text(text, encoding="utf-8")
    assert text == place.read_text(encoding="utf-8")


def test_a_comment_says_what_the_terminal_says_of_the_paper(screen):
    report = screen("gap")
    found = paper_overview(report.papers[0], report)
    text = summary(report, NOTHING)
    assert all(part in text for part in about(found))
    assert "depend on Lemma 1.2 (first step), which has no proof." in text
    assert text.index(found.title) < text.index("| Result |")
    assert all(sentence in text for sentence in overview_sentences(found))


@pytest.mark.parametrize(
    ("name", "step"),
    [("finding", r"Next: comment `/pf explain [a-z2-7]{8}`"), ("gap", None), ("whole", None)],
)
def test_the_next_step_is_a_comment_where_there_is_one(screen, name, step):
    text = summary(screen(name), NOTHING)
    assert bool(re.search(r"^Next: ", text, re.M)) is (step is not None)
    assert step is None or re.search(step, text)


@pytest.mark.parametrize(("answer", "is_said"), [("?", True), (ACCEPT, False)])
def test_of_proofs_that_could_not_be_read_the_next_step_is_to_have_them_read(
    commits, bare, kit, answer, is_said
):
    change = subject(commits(A + B), commits(A.replace("Clear.", "It is clear.") + B))
    said = "Next: comment `/pf check` to have the remaining proofs read."
    read = review_proofs(bare, change, kit(ScriptedLlm(answer)), ALL)
    assert (said in read.summary) is is_said
    assert said not in review_structure(bare, change, kit(), ALL).summary


def test_of_what_stands_beside_lines_the_next_step_names_no_id(screen):
    report = screen("finding")
    ids = frozenset(item.id for item in report.papers[0].findings)
    text = summary(report, replace(NOTHING, elsewhere=ids))
    assert "Next: fix the findings in the comments" in text and "/pf explain" not in text


def test_a_papers_title_is_text_in_a_comment(reviewed):
    hostile = PAPER.replace("Counting", "@everyone [x](javascript:y) <img src=z>")
    text = summary(reviewed({"paper.tex": hostile}), NOTHING)
    assert "<img" not in text and "](javascript" not in text and "@everyone" not in text


def test_many_papers_without_news_are_counted(screen):
    text = summary(screen("several"), NOTHING)
    assert "… and 5 more papers without a finding or a change." in text
    assert text.count("5 results, 1 definition") == 1


def test_what_is_affected_is_counted_in_results_and_definitions_apart(reviewed):
    meaning = (
        "\\begin{definition}\\label{d} One exists, by \\ref{lem:step}.\\end{definition}\n"
        "\\begin{proof}[Proof of Definition \\ref{d}] By \\ref{lem:step}. \\end{proof}\n"
    )
    text, edited = (
        one.replace("\\section{Counting}", f"{meaning}\\section{{Counting}}")
        for one in (PAPER, EDITED)
    )
    said = summary(reviewed({"paper.tex": edited}, {"paper.tex": text}), NOTHING)
    assert "3 of 5 results and 1 definition with a proof affected; 2 unchanged" in said
    assert "module" not in said
