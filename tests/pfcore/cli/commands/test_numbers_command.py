"""`pf numbers`: what it lists, and where LaTeX's own word is displayed, and where never."""

import json
import re
from dataclasses import replace

import pytest

from hooks import offline
from pfcore.graph.rendering import context_digest, render
from pfcore.review.review import displayed
from tests.conftest import commit
from tests.pfcore.papers.tex_double import Engine

PAPER = r"""\documentclass{article}
\newtheorem{lemma}{Lemma}
\newtheorem{theorem}{Theorem}
\newtheorem*{remark}{Remark}
\begin{document}
\begin{lemma}\label{a} A. \end{lemma}
\begin{proof} P. \end{proof}
\setcounter{theorem}{\unknown}
\begin{theorem}\label{t} T. \end{theorem}
\begin{proof} By Lemma 1 and Lemma \ref{a}. \end{proof}
\begin{remark} R. \end{remark}
\begin{lemma}\label{b} B. \end{lemma}
\begin{proof} By Lemma 1. \end{proof}
\end{document}
"""
LOG = """@pf-verify@|B|1|0|6|lemma|main.tex
@pf-verify@|R|1|lemma|lem|1
@pf-verify@|B|2|0|9|theorem|main.tex
@pf-verify@|R|2|theorem|lem|77
@pf-verify@|B|3|0|11|remark|main.tex
@pf-verify@|B|4|0|12|lemma|main.tex
@pf-verify@|R|4|lemma|lem|88
@pf-verify@|E
"""
PRINTED = re.compile(r"\b(?:77|88)\b")
LENGTH = re.compile(r'\b(?:x|y|x1|y1|x2|y2|cx|cy|r|rx|dx|dy|width|height|d|points)="[^"]*"')


@pytest.fixture
def engine(tmp_path, monkeypatch):
    monkeypatch.setenv("PF_CACHE_DIR", str(tmp_path / "cache"))
    made = Engine(tmp_path / "bin", monkeypatch)
    made.says("log", LOG)
    made.says("aux", "")
    return made


@pytest.fixture
def paper(tmp_path, monkeypatch):
    commit(tmp_path / "paper", {"main.tex": PAPER})
    monkeypatch.chdir(tmp_path / "paper")
    return tmp_path / "paper"


def test_each_statement_is_listed_with_its_number(run, paper, engine):
    assert run("numbers") == (
        0,
        """main.tex  4 statements, numbers as pf-verify counts them

  main.tex:6   Lemma 1    a
  main.tex:9   Theorem ?  t  (a counter here is uncertain)
  main.tex:11  Remark
  main.tex:12  Lemma 2    b

""",
        "",
    )
    assert engine.calls == []


def test_papers_without_statements_come_last(run, paper, engine):
    empty = "\\documentclass{article}\\begin{document}Words.\\end{document}"
    (paper / "an-appendix.tex").write_text(empty)
    out = run("numbers")[1]
    assert out.index("main.tex  4 statements, ") < out.index("an-appendix.tex  0 statements, ")


def test_latex_is_compared_with_what_is_counted(run, paper, engine):
    status, out, err = run("numbers", "--latex", "--plain")
    assert (status, err) == (0, "")
    assert (
        out
        == """main.tex  4 statements, numbers as LaTeX printed them

  main.tex:6   Lemma 1     a
  main.tex:9   Theorem 77  t
  main.tex:11  Remark
  main.tex:12  Lemma 88    b

LaTeX printed 3 numbers: 1 agree, 1 differ, 1 known only to LaTeX.
  main.tex:12  Lemma: LaTeX 88, pf-verify 2
  pf-verify miscounts here: please report it, with the paper's preamble.

"""
    )


def test_an_error_of_latex_is_told_with_its_place(run, paper, engine):
    engine.says("log", f"./main.tex:7: Undefined control sequence.\n{LOG}")
    out = run("numbers", "--latex")[1]
    assert "please report it" not in out
    assert (
        "LaTeX reported 1 error, the first: main.tex:7: Undefined control sequence "
        "(differences may be due to them).\n"
    ) in out


def test_json_has_both_numbers(run, paper, engine):
    before = json.loads(run("numbers", "--format", "json")[1])["papers"][0]
    after = json.loads(run("numbers", "--latex", "--format", "json")[1])["papers"][0]
    assert before["latex"] is None
    assert after["latex"] == {
        "agree": 1,
        "differ": 1,
        "latex_only": 1,
        "not_numbered": 0,
        "errors": 0,
        "first_error": None,
    }
    assert before["statements"][1] == {
        "id": "t",
        "kind": "theorem",
        "label": "t",
        "file": "main.tex",
        "line": 9,
        "number": None,
        "counted": None,
        "latex": None,
        "reason": "a counter here is uncertain",
    }
    assert [item["number"] for item in after["statements"]] == ["1", "77", None, "88"]
    assert [item["counted"] for item in after["statements"]] == ["1", None, None, "2"]
    assert [item["latex"] for item in after["statements"]] == ["1", "77", None, "88"]


def test_a_statement_that_only_pf_numbers_is_counted(run, paper, engine):
    engine.says("log", LOG.replace("@pf-verify@|R|1|lemma|lem|1\n", ""))
    out = run("numbers", "--latex")[1]
    assert ", 1 not numbered by LaTeX." in out
    assert "numbers as LaTeX printed them, but 1 as pf-verify counts\n" in out


def test_without_tex_it_says_what_to_install(run, paper, engine):
    (engine.folder / "pdflatex").unlink()
    engine.folder.joinpath("git").symlink_to("/usr/bin/git")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(engine.folder))
        status, out, err = run("numbers", "--latex")
    assert (status, out) == (2, "")
    assert err.startswith("pf: pdflatex is not installed; install TeX Live")


def test_a_paper_that_latex_does_not_finish_is_listed_as_counted(run, paper, engine):
    engine.says("log", "! LaTeX Error: File `own.sty' not found.\n")
    status, out, err = run("numbers", "--latex")
    assert status == 3
    assert "numbers as pf-verify counts them" in out
    assert err == (
        "pf: LaTeX did not reach the end of main.tex: file not found: own.sty. Does the paper "
        "compile from a fresh clone?\n"
    )


def test_every_display_on_this_machine_has_latexs_numbers(run, paper, engine):
    run("numbers", "--latex")
    calls = engine.calls
    assert "Theorem 77" in run("numbers")[1]
    modules = json.loads(run("graph", "--format", "json")[1])["modules"]
    assert [item["number"] for item in modules] == ["1", "77", None, "88"]
    assert "Theorem 77" in run("plan", "--why", "t")[1]
    run("report")
    assert "Lemma 88" in (paper / "pf-report.html").read_text()
    commit(paper, {"main.tex": PAPER.replace("P.", "Q.")})
    assert "Theorem 77" not in run("plan", "--why", "t")[1]
    assert engine.calls == calls


def test_an_affected_result_has_latexs_number_in_plan_and_check(run, paper, engine):
    commit(paper, {"main.tex": PAPER.replace(" T. ", " U. ")})
    run("numbers", "--latex")
    for name in ("plan", "check"):
        assert "Theorem 77" in run(name, "--base", "HEAD~1")[1]


def test_nothing_but_numbers_differs(run, paper, engine, tmp_path):
    def seen():
        graph = json.loads(run("graph", "--format", "json")[1])
        for item in graph["modules"]:
            item.pop("number")
        plan = run("plan", "--base", "HEAD~1", "--format", "json")[1]
        return graph, plan

    commit(paper, {"main.tex": PAPER.replace(" A. ", " C. ")})
    before = seen()
    run("numbers", "--latex")
    assert seen() == before
    assert {edge["target"] for edge in before[0]["edges"] if edge["source"] == "b"} == {"a"}


def test_contexts_are_the_same_to_the_byte(reviewed, engine, monkeypatch):
    from pfcore.papers.latex_numbers import ask_latex

    report = reviewed({"main.tex": PAPER})

    def contexts(found):
        document, texts = found.state.document, found.state.paper.texts
        return [
            (name, render(document, name, texts), context_digest(document, name, texts))
            for name in document.modules
        ]

    before = contexts(report.papers[0])
    ask_latex(report.papers[0].state.paper)
    after = displayed(report).papers[0]
    assert after.numbering.of(after.state.document.modules["b"]) == "88"
    assert replace(after, is_displayed=False).numbering.of(after.state.document.modules["b"]) == "2"
    assert contexts(after) == before
    assert contexts(reviewed({"main.tex": PAPER}).papers[0]) == before


def test_hook_ci_and_gate_neither_run_tex_nor_have_its_numbers(
    run, paper, engine, tmp_path, monkeypatch, capsys
):
    run("numbers", "--latex")
    calls = engine.calls

    def refuse(*_):
        raise AssertionError("LaTeX's word was looked up")

    monkeypatch.setattr("pfcore.papers.latex_numbers.kept_word", refuse)
    offline.main(["--notes"])
    run("gate", "--allow-unread")
    written = [path.read_text() for path in (paper / "pf-gate").iterdir()]
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("GITHUB_EVENT_NAME", "push")
    for name in ("check", "plan", "graph", "report", "numbers"):
        run(name)
    run("ci", "--out", str(tmp_path / "out"))
    printed = capsys.readouterr().out
    told = [LENGTH.sub("", text) for text in (printed, *written)]
    assert not any(map(PRINTED.search, told))
    assert engine.calls == calls


def test_a_build_server_refuses_to_run_tex(run, paper, engine, monkeypatch):
    monkeypatch.setenv("CI", "true")
    status, _, err = run("numbers", "--latex")
    assert status == 2
    assert "does not run in CI" in err
    assert engine.calls == []
