"""The first screen of `pf check`, as a whole, as it is printed.

With `PF_SCREENS=write` the screens of `tests/data/screens` are written anew.
"""

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from pfcore.cli.commands.report_command import report_html
from pfcore.reporters.formats import catalogue, json_report, markdown
from pfcore.reporters.paper_overview import overview_sentences, paper_overview
from pfcore.reporters.printing import Style
from pfcore.reporters.terminal import Caller, check_text

IS_WRITING = os.environ.get("PF_SCREENS") == "write"
SCREENS = Path(__file__).parents[2] / "data" / "screens"
TITLED = "\\documentclass{article}\\newtheorem{theorem}{Theorem}[section]\n" + "".join(
    f"\\newtheorem{{{kind}}}[theorem]{{{kind.capitalize()}}}\n"
    for kind in ("lemma", "definition", "corollary", "remark")
)
BODY = r"""
\title{Counting Lattice Paths\\ Below a~Line\thanks{To nobody.}}
\begin{document}
\section{Paths}
\begin{definition}[lattice path]\label{def:path} A \emph{lattice path} is a list.\end{definition}
\begin{lemma}[first step]\label{lem:step} Every path of \ref{def:path} has a first step.\end{lemma}
\begin{proof} Clear. \end{proof}
\begin{lemma}[last step]\label{lem:last} Likewise a last one.\end{lemma}
\begin{proof} By Lemma~\ref{lem:step}. \end{proof}
\begin{lemma}\label{lem:lone} Paths are short.\end{lemma}
\begin{lemma}\label{lem:cited} Paths are many \cite[Theorem~2]{feller}.\end{lemma}
\section{Counting}
\begin{theorem}[reflection]\label{thm:main} The number is known.\end{theorem}
\begin{proof} By Lemmas~\ref{lem:step}, \ref{lem:last} and \ref{lem:cited}. \end{proof}
\begin{remark} See \ref{lem:step}.\end{remark}
\end{document}
"""
PAPER = TITLED + BODY
EMPTY = TITLED + "\\begin{document}Words.\\end{document}"
BROKEN = PAPER.replace(r"\ref{lem:last} and", r"\ref{lem:lost} and")
EDITED = PAPER.replace("has a first step", "has exactly one first step")


def shown(report, **style) -> str:
    return check_text(report, Style(**{"width": 80} | style), Caller())


@pytest.fixture
def screen(reviewed):
    """The review that a screen is of, by the screen's name."""
    plain = {"paper.tex": PAPER}
    moments = {
        "quiet": (plain,),
        "finding": ({"paper.tex": BROKEN},),
        "change": ({"paper.tex": EDITED}, plain),
        "proof": ({"paper.tex": PAPER.replace("Clear.", "Sure.")}, plain),
        "nothing": ({"paper.tex": EMPTY, "talk.tex": EMPTY.replace("article", "beamer")},),
        "several": ({"one.tex": PAPER, "two.tex": EDITED.replace("Counting", "More")},),
    }
    return lambda name: reviewed(*moments[name])


NAMES = ("quiet", "finding", "change", "proof", "nothing", "several")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [80, 40])
def test_a_screen_is_as_it_was_meant(screen, name, width):
    text = shown(screen(name), width=width)
    text = re.sub(r"since \S+(?=\n|:)", "since BASE", text)
    place = SCREENS / f"{name}-{width}.txt"
    if IS_WRITING:
        place.write_text(text, encoding="utf-8")
    assert text == place.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["quiet", "proof", "nothing", "several"])
def test_without_findings_a_screen_is_at_most_24_lines(screen, name):
    assert shown(screen(name)).count("\n") <= 24


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [80, 40])
def test_no_line_is_wider_than_the_screen(screen, name, width):
    lines = shown(screen(name), width=width).splitlines()
    is_command = re.compile(r"Next |  pf |  root = |      >")
    assert [one for one in lines if len(one) > width and not is_command.match(one)] == []


def test_what_was_not_looked_at_stands_between_the_paper_and_what_is_wrong(reviewed):
    talk = EMPTY.replace("article", "beamer")
    lines = shown(reviewed({"paper.tex": BROKEN, "talk.tex": talk})).splitlines()
    heads = ("Counting", "5 results", "Not looked at", "1 finding", "  error", "Not read", "Next")
    places = [
        next(index for index, line in enumerate(lines) if line.startswith(head)) for head in heads
    ]
    assert places == sorted(places)
    assert "talk.tex" in lines[places[2]]
    assert lines[places[3] - 1] == ""


AUX = "\\relax\n" + "".join(
    f"\\newlabel{{{label}}}{{{{{number}}}{{1}}}}\n"
    for label, number in {
        "def:path": "1.1", "lem:step": "1.2", "lem:last": "1.3", "lem:lone": "1.4",
        "lem:cited": "1.5", "thm:main": "2.1",
    }.items()
)  # fmt: skip


@pytest.mark.parametrize(
    ("aux", "is_told"),
    [
        (AUX, False),
        (AUX.replace("{2.1}", "{2.4}"), True),
        (AUX.replace("lem:lone", "lem:old"), True),
        ("\\relax\n", False),
    ],
)
def test_an_aux_file_that_is_out_of_date_is_told_with_what_was_not_looked_at(
    reviewed, aux, is_told
):
    report = reviewed({"paper.tex": PAPER, "paper.aux": aux})
    said = "paper.aux (out of date: its numbers are not used)" in shown(report)
    found = json.loads(json_report.check_json(report))["not_looked_at"]
    assert said is is_told
    assert is_told is any(item["file"] == "paper.aux" for item in found)


def test_the_sentences_say_what_the_paper_is(reviewed):
    report = reviewed({"paper.tex": PAPER})
    found = paper_overview(report.papers[0], report)
    assert found.title == "Counting Lattice Paths Below a Line"
    assert overview_sentences(found) == [
        "5 results, 1 definition, 6 dependencies by citation.",
        "1 result is taken from the literature.",
        "Main result: Theorem 2.1 (reflection), which depends on 3 other results.",
        "The longest chain has 3 results and starts at Lemma 1.2 (first step).",
        "Most used: Lemma 1.2 (first step), cited by 2 results.",
        "Nothing cites Lemma 1.4.",
        "Without a proof: Lemma 1.4.",
    ]


def test_a_result_without_number_and_label_is_named_by_its_place(reviewed):
    text = "<PROPOSITION_STATEMENT>\nA.\n</PROPOSITION_STATEMENT>\n"
    report = reviewed({"paper.pf": f"<THEOREM_STATEMENT>\nB.\n</THEOREM_STATEMENT>\n{text}"})
    found = overview_sentences(paper_overview(report.papers[0], report))
    assert "Without a proof: Theorem thm and Proposition at paper.pf:4." in found


def test_the_json_has_the_same_with_the_ids(reviewed):
    found = json.loads(json_report.check_json(reviewed({"paper.tex": PAPER})))
    schema = json.loads(catalogue.schema("check"))
    jsonschema.validate(found, schema)
    assert found["papers"][0]["overview"] == {
        "title": "Counting Lattice Paths Below a Line",
        "files": 1,
        "results": 5,
        "definitions": 1,
        "formalised": 0,
        "cited": 1,
        "unread": 3,
        "without_proof": ["lem:lone"],
        "dependencies": 6,
        "uncited": ["lem:lone"],
        "most_used": {"module": "lem:step", "users": 2},
        "main_result": {
            "module": "thm:main",
            "depends_on": 3,
            "chain": ["thm:main", "lem:last", "lem:step"],
        },
    }


def test_the_same_sentences_stand_in_the_summary(reviewed):
    report = reviewed({"paper.tex": PAPER})
    text = markdown.check_markdown(report)
    assert "**Counting Lattice Paths Below a Line** · <code>paper.tex</code>, 1 file" in text
    assert "Main result: Theorem 2.1 (reflection), which depends on 3 other results." in text


def test_a_paper_without_a_title_is_called_by_its_file(reviewed):
    report = reviewed({"sub/paper.tex": PAPER.replace(r"\title{", r"\author{")})
    assert shown(report).startswith("sub/paper.tex ")


def test_a_title_may_stand_in_another_file_and_use_macros_of_a_third(reviewed):
    files = {
        "paper.tex": PAPER.replace(
            r"\title{Counting Lattice Paths\\ Below a~Line\thanks{To nobody.}}",
            r"\input{macros}\input{front}",
        ),
        "macros.tex": r"\newcommand{\what}[1]{Paths in #1}",
        "front.tex": r"\title{\what{Gra\v{z}}}",
    }
    assert shown(reviewed(files)).startswith("Paths in Graž ")


def test_a_title_with_control_characters_is_harmless(reviewed):
    report = reviewed({"paper.tex": PAPER.replace("Counting", "\x1b[31mCounting\u202e")})
    assert "\x1b" not in shown(report) and "\u202e" not in shown(report)


def test_nothing_is_cut_for_a_file_or_another_program(screen):
    text = shown(screen("change"), width=40, is_whole=True)
    assert "→ Lemma 1.2 (first step), Lemma 1.3 (last step) and Theorem 2.1 (reflection)" in text
    assert "…" not in text and "(+" not in text


def test_quiet_prints_problems_alone(screen):
    assert shown(screen("quiet"), is_quiet=True).strip() == ""
    lines = shown(screen("finding"), is_quiet=True).splitlines()
    assert lines[0].startswith("  error  paper.tex:")
    assert not any(line.startswith(("Next", "Not read", "Counting")) for line in lines)


def test_what_could_not_be_reviewed_is_a_problem_however_quiet(reviewed):
    report = reviewed({"paper.tex": PAPER, "rest.tex": PAPER.replace("document}", "\0" * 60)})
    report = replace(
        report, library=replace(report.library, unread={"rest.tex": "binary file (NUL bytes)"})
    )
    said = "Not everything could be reviewed: rest.tex (binary file (NUL bytes)).\n"
    assert said in shown(report, is_quiet=True) and said in shown(report)


def test_the_next_step_has_the_options_that_mean_the_same(screen):
    caller = Caller("'/my pf'", " --all sub", " --model=m")
    text = check_text(screen("finding"), Style(), caller)
    assert re.search(r"^Next +'/my pf' explain [a-z0-9]{8} --all sub --model=m$", text, re.M)
    assert "'/my pf' check --model NAME --all sub" in text


def test_an_id_that_a_shell_would_read_is_not_printed_as_a_command(reviewed):
    evil = PAPER.replace("thm:main", "$(touch x)")
    assert "Next           pf graph\n" in shown(reviewed({"paper.tex": evil}))


def test_each_result_that_is_named_without_a_proof_has_its_number(reviewed):
    text = PAPER.replace(
        "\\section{Counting}", "\\begin{theorem} Open.\\end{theorem}\n\\section{C}"
    )
    lemma = "\\begin{lemma} Open, too.\\end{lemma}\n"
    report = reviewed(
        {"paper.tex": text.replace("\\end{document}", f"{lemma * 2}\\end{{document}}")}
    )
    found = overview_sentences(paper_overview(report.papers[0], report))
    assert "Without a proof: 4 results: Lemma 1.4, Theorem 1.6, Lemma 2.3 and 1 more." in found


def test_proofs_that_no_result_has_are_counted_apart(reviewed):
    loose = "\\begin{proof}[Proof of the claim above] Clear.\\end{proof}\n"
    meaning = (
        "\\begin{definition}\\label{d} One exists.\\end{definition}\n"
        "\\begin{proof}[Proof of Definition \\ref{d}] Two. \\end{proof}\n"
    )
    text = PAPER.replace("\\section{Paths}", f"\\section{{Paths}} We claim this. {loose}")
    report = reviewed({"paper.tex": text.replace("\\section{Counting}", meaning)})
    assert "5 results, 2 definitions (1 with a proof), 6 dependencies" in shown(report)
    left = " ".join(shown(report, width=200).partition("Not read")[2].split())
    assert left.startswith("4 proofs, 1 unattached proof: no model is set")


def test_papers_without_results_come_last_and_the_largest_is_looked_at_next(reviewed):
    more = EDITED.replace("Counting", "More").replace("\\section{Paths}", "\\section{Paths} Words.")
    lone = TITLED + "\\begin{document}\\begin{lemma}\\label{x} A.\\end{lemma}\\end{document}"
    text = shown(reviewed({"a.tex": EMPTY, "b.tex": lone, "c.tex": more}))
    assert text.index("b.tex") < text.index("c.tex") < text.index("No theorems found in a.tex")
    assert "Next           pf check --paper c.tex\n" in text


SAME = "no statement changed"


@pytest.mark.parametrize(
    ("edited", "said"),
    [
        ((), "Since HEAD no statement changed. Nothing needs to be re-read."),
        (
            (0,),
            "Since HEAD no statement changed in 6 of 7 papers. Nothing there needs to be re-read.",
        ),
    ],
)
def test_of_many_papers_that_are_what_they_were_this_is_said_once(reviewed, edited, said):
    before = {f"p{n}.tex": PAPER.replace("Counting", f"Number {n}") for n in range(7)}
    after = before | {f"p{n}.tex": EDITED.replace("Counting", f"Number {n}") for n in edited}
    report = reviewed(after, before)
    since = report.before
    texts = (shown(report, width=200), markdown.check_markdown(report), report_html(report))
    for text in texts:
        assert text.count(SAME) == 1
        assert said.replace("HEAD", since) in text
        assert text.count("should be re-read") == len(edited)


def test_two_papers_of_which_one_changed_are_told_each_for_itself(reviewed):
    before = {"a.tex": PAPER, "b.tex": PAPER.replace("Counting", "More")}
    text = shown(reviewed(before | {"a.tex": EDITED}, before), width=200)
    assert "Nothing needs to be re-read." in text
    assert "Nothing there" not in text


def test_that_no_result_has_a_proof_is_no_list_of_all(reviewed):
    lemmas = "".join(f"\\begin{{lemma}} Claim {n}. \\end{{lemma}}\n" for n in range(5))
    report = reviewed({"paper.tex": TITLED + "\\begin{document}" + lemmas + "\\end{document}"})
    found = overview_sentences(paper_overview(report.papers[0], report))
    assert "No result has a proof." in found
    assert not [sentence for sentence in found if "5 results:" in sentence]
