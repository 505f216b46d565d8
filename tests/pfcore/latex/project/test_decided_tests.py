"""Conditions of which the source shows whether they hold."""

import pytest

from pfcore.review.unseen import unseen

A = r"\begin{lemma}\label{a} A. \end{lemma}"
B = r"\begin{lemma}\label{b} B. \end{lemma}"


def _labels(reviewed, document, preamble, body):
    (paper,) = reviewed({"main.tex": document(body, preamble=preamble)}).papers
    return sorted(paper.state.document.modules)


@pytest.mark.parametrize(
    ("preamble", "begin", "left"),
    [
        (r"\def\full{}", r"\ifdefined\full", "a"),
        ("", r"\ifdefined\full", "b"),
        (r"\newcommand{\full}{1}", r"\ifcsname full\endcsname", "a"),
        ("", r"\ifx\full\undefined", "a"),
        (r"\def\full{}", r"\ifx\full\@undefined", "b"),
        ("", r"\ifx\undefined\full", "a"),
        (r"\def\short{1}", r"\ifnum\short=1", "a"),
        (r"\def\short{0}\def\one{1}", r"\ifnum\short=\one", "b"),
        ("", r"\ifnum 1>2 ", "b"),
        (r"\def\this{x}\def\that{x}", r"\ifx\this\that", "a"),
        (r"\def\this{x}\def\that{y}", r"\ifx\this\that", "b"),
        (r"\newif\iffull\fulltrue", r"\iffull", "a"),
    ],
)
def test_of_a_condition_that_the_source_decides_one_branch_is_read(
    reviewed, document, preamble, begin, left
):
    body = rf"{begin} {A}\else {B}\fi"
    assert _labels(reviewed, document, preamble, body) == [left]


@pytest.mark.parametrize(
    ("preamble", "begin", "left"),
    [
        (r"\def\full{}", r"\ifdef{\full}", "a"),
        ("", r"\ifdef\full", "b"),
        ("", r"\ifundef{\full}", "a"),
        ("", r"\ifcsdef{full}", "b"),
        (r"\def\full{}", r"\@ifundefined{full}", "b"),
    ],
)
def test_so_of_one_that_takes_its_branches_as_arguments(reviewed, document, preamble, begin, left):
    body = rf"{begin}{{{A}}}{{{B}}}"
    assert _labels(reviewed, document, preamble, body) == [left]


def test_a_second_branch_that_says_the_same_otherwise_is_not_read_and_that_is_said(
    reviewed, document
):
    text = document(rf"\ifdefined\directlua {A}\else {A}\fi")
    report = reviewed({"main.tex": text})
    assert list(report.papers[0].state.document.modules) == ["a"]
    (told,) = (item for item in unseen(report) if "branch" in item.what)
    assert (told.path, told.line, told.is_failure) == ("main.tex", 8, False)
    more = document(rf"\ifdefined\directlua {A}\else {A} {B}\fi")
    (paper,) = reviewed({"main.tex": more}).papers
    assert len(paper.state.document.modules) == 3


@pytest.mark.parametrize(
    ("preamble", "begin"),
    [
        (r"\ifx\a\b\def\full{}\fi", r"\ifdefined\full"),
        ("", r"\ifdefined\directlua"),
        ("", r"\full \ifdefined\full"),
        (r"\newif\iffull\fulltrue\fullfalse", r"\iffull"),
        (r"\def\short{1}\def\short{2}", r"\ifnum\short=1"),
        (r"\newcommand{\this}[1]{#1}", r"\ifnum\this=1"),
        (r"\input{gone}", r"\ifdefined\full"),
        ("", r"\ifx\this\that"),
        (r"{\def\full{}}", r"\ifdefined\full"),
    ],
)
def test_what_the_source_does_not_decide_is_read_both(reviewed, document, preamble, begin):
    body = rf"{begin} {A}\else {B}\fi"
    more = r"\input{lost}" if "gone" in preamble else ""
    assert _labels(reviewed, document, preamble, body + more) == ["a", "b"]
