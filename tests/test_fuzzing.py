"""Made papers are read without a fault; what goes wrong with one is said."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pfcore.graph import paper_state, rendering
from pfcore.graph.building import assemble
from pfcore.impact.plan import make_plan
from pfcore.latex import codec, reader
from pfcore.latex.numbering import step_scanner
from pfcore.latex.parsed_file import EMPTY
from pfcore.latex.project.recipes import ParseJob
from pfcore.latex.project.syntax import Syntax
from pfcore.latex.reader import Read
from pfcore.papers import discover
from pfcore.papers import paper as papers
from tests import fuzzing
from tests.fuzzing import Campaign, examined, main, run
from tests.fuzzing_grammar import MAIN, edited, grammar, made_paper, repeated

SMALL = {
    MAIN: b"\\documentclass{article}\n\\newtheorem{lemma}{Lemma}\n\\begin{document}\n"
    b"\\section{One}\\label{s}\n"
    b"\\begin{lemma}\\label{a}\nAll is well, see \\ref{a}.\n\\end{lemma}\n"
    b"\\begin{proof} By \\ref{a}. \\end{proof}\n\\end{document}\n"
}


@pytest.mark.acceptance
@pytest.mark.parametrize("is_broken", [False, True])
def test_made_papers_are_read_without_a_fault(
    contained: None, capsys: pytest.CaptureFixture[str], is_broken: bool
) -> None:
    status = run(Campaign(seed=2, indices=range(110), is_broken=is_broken))
    assert status == 0, capsys.readouterr().out


@pytest.mark.acceptance
@pytest.mark.parametrize("is_broken", [False, True])
def test_many_made_papers_are_read_without_a_fault(
    contained: None, capsys: pytest.CaptureFixture[str], is_broken: bool
) -> None:
    status = run(Campaign(seed=3, indices=range(300), is_broken=is_broken))
    assert status == 0, capsys.readouterr().out


def test_a_made_paper_is_a_function_of_its_seed_and_index() -> None:
    alone = made_paper(4, 7, is_broken=True)
    assert made_paper(4, 7, is_broken=True) == alone
    assert edited(alone, 4, 7) == edited(alone, 4, 7) != alone
    assert made_paper(5, 7, is_broken=True) != alone != made_paper(4, 8, is_broken=True)


def test_every_hole_of_the_grammar_leads_to_something() -> None:
    names = {name.removeprefix("pool ") for name in grammar()}
    holes = {
        hole
        for lines in grammar().values()
        for line in lines
        for hole in re.findall(r"‹(?:=|@[a-z]+ )?([^‹›*]+)(?:\*\d+)?›", line)
    }
    assert holes <= names
    assert names - holes == {"paper", "aux", "odd"}
    assert all(grammar().values())


def test_made_papers_have_modules_with_proofs_and_several_files() -> None:
    made = [made_paper(6, index) for index in range(40)]
    found = [examined(folder) for folder in made]
    assert sum(item.papers for item in found) >= 35
    assert sum(item.modules for item in found) >= 60
    assert sum(len(folder) > 1 for folder in made) >= 10
    assert not any(item.problems for item in found)


def _raise(*_: object, **__: object) -> None:
    raise KeyError("planted")


@pytest.mark.parametrize(
    ("where", "name", "said"),
    [
        (rendering, "context", "KeyError: 'planted'"),  # nobody contains it
        (assemble, "draft", "paper main.tex: KeyError: 'planted'"),
        (
            discover,
            "survey_file",
            "no readable LaTeX file here: main.tex: pf-verify could not",
        ),
        (papers, "_made_of", "file in main.tex:0: KeyError: 'planted'"),
        (step_scanner, "steps", "KeyError: 'planted'"),
    ],
)
def test_a_fault_that_is_planted_is_said(
    contained: None, monkeypatch: pytest.MonkeyPatch, where: object, name: str, said: str
) -> None:
    assert examined(SMALL).problems == []
    monkeypatch.setattr(where, name, _raise)
    found = examined(SMALL)
    assert any(problem.startswith(said) for problem in found.problems), found.problems


def test_what_the_tool_raises_on_purpose_is_no_fault() -> None:
    found = examined({"a.tex": b"No document.", "pf.toml": b"[nothing]\n"})
    assert (found.is_declined, found.papers, found.problems) == (True, 0, [])


@pytest.mark.parametrize(
    "change",
    [
        {"end": 10_000},
        {"start": -1},
        {"start": 140, "end": 130},
        {"line": 1},
        {"end_column": 99},
    ],
)
def test_a_place_that_is_none_of_its_text_is_said(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, int]
) -> None:
    def moved(path: str, job: ParseJob, how: Syntax) -> Read:
        made = reader.read_latex_file(job, how)
        first, *others = made.reading.blocks
        wrong = first._replace(place=first.place._replace(**change))
        return made._replace(reading=made.reading._replace(blocks=(wrong, *others)))

    monkeypatch.setattr(papers, "_made_of", moved)
    found = examined(SMALL).problems
    assert any("a block is outside of its text: main.tex" in problem for problem in found), found
    assert any("a place is outside of its text" in problem for problem in found), found


@pytest.mark.parametrize(
    ("field", "change"),
    [("labels", {"offset": 10_000}), ("sections", {"offset": -1})],
)
def test_an_offset_outside_of_its_text_is_said(
    monkeypatch: pytest.MonkeyPatch, field: str, change: dict[str, int]
) -> None:
    def moved(path: str, job: ParseJob, how: Syntax) -> Read:
        made = reader.read_latex_file(job, how)
        items = tuple(item._replace(**change) for item in getattr(made.reading, field))
        changed: dict[str, Any] = {field: items}
        return made._replace(reading=made.reading._replace(**changed))

    monkeypatch.setattr(papers, "_made_of", moved)
    assert any("a span is outside of its text: main.tex" in p for p in examined(SMALL).problems)


def test_another_reading_out_of_the_cache_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert examined(SMALL, is_whole=True).problems == []
    monkeypatch.setattr(codec, "decode_parsed_file", lambda _: EMPTY)
    found = examined(SMALL, is_whole=True)
    assert "main.tex is read otherwise out of the cache" in found.problems


def test_an_edit_that_is_not_what_reading_it_from_nothing_gives_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lemma = b"\\begin{lemma}\\label{b} More. \\end{lemma}\n\\end{document}"
    now = {MAIN: SMALL[MAIN].replace(b"\\end{document}", lemma)}
    assert examined(now, SMALL).problems == []
    monkeypatch.setattr(paper_state, "rebuild_document", lambda like, *_: like)
    assert "main.tex is another paper where it was edited" in examined(now, SMALL).problems


def test_a_plan_that_forgets_a_module_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    now = {MAIN: SMALL[MAIN].replace(b"All is well", b"All is open")}
    assert examined(now, SMALL).problems == []
    monkeypatch.setattr(
        "pfcore.review.review.make_plan",
        lambda then, now: replace(make_plan(then, now), affected=()),
    )
    found = examined(now, SMALL).problems
    assert found == ["the plan and the contexts do not agree about a"]


def test_a_paper_that_takes_too_long_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzing, "SECONDS", 0.0)
    (found,) = examined(SMALL).problems
    assert re.fullmatch(r"takes [\d.]+ s of processor time", found)


def test_a_paper_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(fuzzing, "PATIENCE", 0.05)
    monkeypatch.setattr(papers, "_made_of", endless)
    (_, found), *_ = Campaign(seed=1, indices=(3,)).outcomes()
    assert found.problems == ["takes more than 0.05 s of processor time"]


def test_the_command_says_each_fault_with_its_index_and_sums_up(
    contained: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["--documents", "2", "--seed", "1", "--start", "3"]) == 0
    (last,) = capsys.readouterr().out.splitlines()
    assert re.fullmatch(
        r"2 documents, \d+ papers, \d+ declined, \d+ modules, 0 failures, \d+ processor seconds",
        last,
    )
    monkeypatch.setattr(papers, "_made_of", _raise)
    assert main(["--seed", "1", "--only", "3", "--bytes"]) == 1
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.startswith("--seed 1 --only 3 --bytes: file in main.tex:0: KeyError: 'planted' (")
    assert last.startswith("1 documents, ")
    assert ", 1 failures, " in last


def test_the_files_of_a_made_paper_are_written_for_a_look(tmp_path: Path) -> None:
    assert main(["--seed", "1", "--only", "10", "--into", str(tmp_path)]) == 0
    made = made_paper(1, 10)
    assert {
        path.relative_to(tmp_path / "10").as_posix(): path.read_bytes()
        for path in (tmp_path / "10").iterdir()
    } == dict(made)
    assert (tmp_path / "10-edited" / MAIN).read_bytes() == edited(made, 1, 10)[MAIN]


def test_a_repeated_body_has_labels_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    made = {MAIN: SMALL[MAIN].replace(b"{a}", b"{lem:a}")}
    text = repeated(made, 3)[MAIN].decode()
    assert text.count("\\begin{lemma}") == 3
    assert [f"\\label{{lem:a-{number}}}" in text for number in range(4)] == [True] * 3 + [False]
    assert main(["--double", "--documents", "1", "--seed", "1"]) == 0
    assert re.match(
        r"x2: median [\d.]+, largest [\d.]+ \(--only 0\)\nx4: ", capsys.readouterr().out
    )


def test_a_label_that_a_result_shares_with_its_equation_affects_it() -> None:
    text = (
        "\\documentclass{article}\n\\newtheorem{remark}{Remark}\n\\begin{document}\n"
        "\\begin{remark}\\label{a} By \\ref{a}. "
        "\\begin{equation}x\\label{KEY}\\end{equation} Yes.\\end{remark}\n"
        "\\begin{proof}Clear.\\end{proof}\n\\end{document}\n"
    )
    then, now = ({MAIN: text.replace("KEY", key).encode()} for key in ("a", "b"))
    assert examined(now, then).problems == []


def test_a_sentence_before_a_claim_that_it_leads_to_affects_it() -> None:
    text = (
        "\\documentclass{article}\n\\newtheorem{claim}{Claim}\n\\begin{document}\n"
        "\\begin{enumerate}\\item WORDS, we have $\\frac{X_{1}}{2}=3$.\\end{enumerate}\n"
        "\\begin{claim}\\label{c} All is net if $f\\colon X\\to Y$.\\end{claim}\n"
        "\\begin{proof}Clear.\\end{proof}\n\\end{document}\n"
    )
    then, now = ({MAIN: text.replace("WORDS", said).encode()} for said in ("By it", "So"))
    assert examined(now, then).problems == []


@pytest.mark.parametrize("code", [r"\int_gset:cn", r"\int_gset:cn\x", r"\titleformat{}", r"\cslet"])
def test_counting_commands_may_lack_their_arguments(code: str) -> None:
    text = f"\\documentclass{{article}}\n\\begin{{document}}\n{code}\n\\end{{document}} {code}"
    assert examined({MAIN: text.encode()}).problems == []
