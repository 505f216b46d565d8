"""How a result is called before people."""

import html
import time
from dataclasses import replace

import pytest

from pfcore.reporters.formats import markdown
from pfcore.reporters.module_names import bare_title, finding_words, module_name, reasons_told
from pfcore.reporters.objections import explained
from pfcore.reporters.printing import Style
from pfcore.reporters.review_outcome import Caller
from pfcore.reporters.terminal import check_text

MANUAL = r"""\newtheorem{inner}{Theorem}
\newenvironment{manual}[1]{\renewcommand\theinner{#1}\inner}{\endinner}"""


@pytest.mark.parametrize(
    ("said", "shown"), [("1.7'", "Theorem 1.7'"), ("1.7$'$", "Theorem 1.7'"), ("A", "Theorem A")]
)
def test_a_number_that_is_given_by_hand_is_no_title(reviewed, document, said, shown):
    text = document(rf"{MANUAL}\begin{{manual}}{{{said}}}\label{{a}}x\end{{manual}}")
    (paper,) = reviewed({"main.tex": text}).papers
    style = Style(colour=False, ascii=True)
    assert module_name(paper.state.document.modules["a"], paper, style) == shown


@pytest.mark.parametrize(
    ("declared", "shown"),
    [
        (r"\newtheorem*{thmB}{Theorem B}", "Theorem B"),
        (r"\newtheorem*{thmB}{Main~Theorem~B}", "Main Theorem B"),
        (r"\newtheorem{thmB}{Theorem B}", "Theorem B 1"),
        (r"\newtheorem*{thmB}{Main Theorem}", "Main Theorem"),
    ],
)
def test_a_number_in_the_name_that_is_printed_is_said_once(reviewed, document, declared, shown):
    text = document(
        declared + r"\begin{thmB}\label{b}x\end{thmB}\begin{lemma}y\end{lemma}"
        r"\begin{proof}By \ref{b}.\end{proof}"
    )
    report = reviewed({"main.tex": text})
    (paper,) = report.papers
    assert module_name(paper.state.document.modules["b"], paper, Style()) == shown
    told = check_text(report, Style())
    assert "B B" not in told
    assert f" {shown}" in told


def test_brackets_around_a_title_are_not_doubled(reviewed, document):
    text = document(r"\begin{lemma}[(Gauss)]\label{a}x\end{lemma}")
    (paper,) = reviewed({"main.tex": text}).papers
    style = Style(colour=False, ascii=True)
    assert module_name(paper.state.document.modules["a"], paper, style) == "Lemma 1 (Gauss)"


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("{[Main theorem]}", "Theorem 1 ([Main theorem])"),
        ("{[0,1]}", "Theorem 1 ([0,1])"),
        ("{$[0,1]$}", "Theorem 1 ([0,1])"),
        (r"$C^{1,\alpha}$ regularity", "Theorem 1 (C^(1,α) regularity)"),
        ("(Gauß)", "Theorem 1 (Gauß)"),
        (r"{\cite[Theorem~3]{Foo}}", "Theorem 1"),
        (r"\citet*{Foo}", "Theorem 1"),
        (r"\textcite{Foo}", "Theorem 1"),
        (r"Gauss \cite{G}", "Theorem 1 (Gauss [G])"),
    ],
)
def test_only_a_title_that_is_a_citation_is_no_name(reviewed, document, title, shown):
    declared = "\\newtheorem{thm}{Theorem}"
    text = document(rf"{declared}\begin{{thm}}[{title}]\label{{a}}x\end{{thm}}")
    (paper,) = reviewed({"main.tex": text}).papers
    assert module_name(paper.state.document.modules["a"], paper, Style()) == shown


@pytest.mark.parametrize("title", ["\\" + "cite" * 50_000, "\\cite{a}" + " " * 100_000 + "b"])
def test_a_long_title_takes_no_long_time(title):
    start = time.process_time()
    assert bare_title(title)
    assert time.process_time() - start < 1


def test_a_title_stands_behind_the_number(reviewed, document):
    text = document(r"\begin{lemma}[Gauss]\label{a}x\end{lemma}")
    (paper,) = reviewed({"main.tex": text}).papers
    style = Style(colour=False, ascii=True)
    assert module_name(paper.state.document.modules["a"], paper, style).endswith("(Gauss)")


REST = r"""\begin{lemma}[Gauss]\label{a}OLD\end{lemma}
\begin{definition}\label{d}A \emph{gadget} is OLD.\end{definition}
\begin{lemma}OLD twice.\end{lemma}
\begin{lemma}\label{u}x\end{lemma}\begin{proof}By %s.\end{proof}"""


@pytest.mark.parametrize(
    ("by", "long", "short"),
    [
        (r"Lemma~\ref{a}", "Lemma 1 (a), which it cites", "Lemma 1, which it cites"),
        ("gadgets", "Definition 2 (d), whose term it uses", "Definition 2, whose term it uses"),
        ("Lemma 3", "Lemma 3, which it cites", "Lemma 3, which it cites"),
        ("the convention", "the convention at main.tex:", "the convention at main.tex:"),
    ],
)
def test_a_reason_names_a_result_by_its_number_with_the_label_behind(
    reviewed, document, by, long, short
):
    now = document("Throughout, $k$ is OLD.\n\n" + REST % by)
    then = now.replace("OLD", "old")
    (paper,) = reviewed({"main.tex": now}, {"main.tex": then}).papers
    item = next(item for item in paper.plan.affected if item.id == "u")
    for is_short, start in ((False, long), (True, short)):
        told = reasons_told(item, paper, is_short=is_short)
        assert [reason for reason in told if reason.startswith(start)], told
    assert not any("\ue000" in reason for reason in item.reasons)


def test_a_reason_names_what_has_neither_number_nor_label_by_its_place(reviewed):
    text = (
        "<THEOREM_STATEMENT>One.</THEOREM_STATEMENT>\n"
        '<PROPOSITION_STATEMENT id="1">Two.</PROPOSITION_STATEMENT>\n'
        '<PROPOSITION_PROOF id="1">So.</PROPOSITION_PROOF>\n'
        "<THEOREM_PROOF>By Proposition 1.</THEOREM_PROOF>\n"
    )
    now = f"{text}<THEOREM_STATEMENT>More.</THEOREM_STATEMENT>\n"
    (paper,) = reviewed({"a.pf": now}, {"a.pf": text}).papers
    item = next(item for item in paper.plan.affected if item.id == "prop:1")
    assert reasons_told(item, paper) == ("the theorem at a.pf:5, which applies to it, is new",)


GAPS = r"""\begin{lemma}\label{lem:gap}Gap.\end{lemma}
\begin{lemma}\label{lem:one}One.\end{lemma}\begin{proof}\uses{lem:zero} By \ref{lem:gap}.\end{proof}
\begin{lemma}\label{lem:zero}Zero.\end{lemma}\begin{proof}Clear.\end{proof}
\begin{lemma*}\label{lem:bare}Bare.\end{lemma*}
"""


@pytest.fixture
def gaps(reviewed, document):
    return reviewed({"main.tex": document(f"\\newtheorem*{{lemma*}}{{Lemma}}{GAPS}")})


def test_a_finding_names_results_by_their_numbers_with_the_labels_behind(gaps):
    (paper,) = gaps.papers
    told = {item.message: finding_words(item, paper) for item in paper.findings}
    assert told == {
        "lem:gap has no proof or citation": "Lemma 1 (lem:gap) has no proof or citation",
        "lem:bare has no proof or citation": "lem:bare has no proof or citation",
        "the proof of lem:one cites lem:gap, which its \\uses does not list": (
            "the proof of Lemma 2 (lem:one) cites Lemma 1 (lem:gap), which its \\uses does not list"
        ),
    }


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("label lem:gap is taken", "label lem:gap is taken"),
        ("write \\uses{lem:gap} for lem:gap.", "write \\uses{lem:gap} for Lemma 1 (lem:gap)."),
        ("lem:gap, then lem:gap again", "Lemma 1 (lem:gap), then Lemma 1 again"),
        ("lem:nowhere is undefined", "lem:nowhere is undefined"),
    ],
)
def test_what_is_typed_and_what_is_said_of_labels_stays(gaps, message, shown):
    (paper,) = gaps.papers
    assert finding_words(replace(paper.findings[0], message=message), paper) == shown


def test_all_doors_say_the_number(gaps):
    wanted = "Lemma 1 (lem:gap) has no proof or citation"
    (paper,) = gaps.papers
    finding = next(item for item in paper.findings if item.message.startswith("lem:gap"))
    assert wanted in check_text(gaps, Style(width=80, notes=True), Caller())
    assert wanted in "\n".join(explained(finding, paper, Style(width=80), None))
    assert wanted in html.unescape(markdown.finding(finding, paper))
