"""The command: what it prints, its JSON contract, its exit statuses, and bad input."""

import json
import os
import re
import select
import shutil
import subprocess
import sys
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from pfcore.cli import environment
from pfcore.cli.environment import cache_folder, jobs
from pfcore.cli.exit_status import pf_command
from pfcore.cli.main import main
from pfcore.papers import processes
from pfcore.papers.processes import ProcessPool
from pfcore.repository.revisions import RevisionOptions

LEMMA = "\\begin{lemma}\\label{%s} %s.\\end{lemma}\n\\begin{proof} %s \\end{proof}\n"


@pytest.fixture
def paper(tmp_path, repository, document, monkeypatch):
    """A repository with one lemma and one that cites it; the working folder is inside."""
    repository(
        {"main.tex": document(LEMMA % ("a", "A", "P.") + LEMMA % ("b", "B", r"By \ref{a}."))}
    )
    monkeypatch.chdir(tmp_path / "paper")
    return tmp_path / "paper"


def _edit(folder, old, new):
    path = folder / "main.tex"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def _run(capsys, *argv):
    status = main(argv)
    found = capsys.readouterr()
    return status, found.out, found.err


def test_a_clean_paper_is_clean_and_nobody_claims_that_it_was_read(paper, capsys):
    status, out, _ = _run(capsys, "check")
    assert status == 0
    assert out.startswith("main.tex  1 file, working tree\n2 results, 1 dependency by citation.")
    assert "No structural check found a problem in 2 results; no proof was read." in out
    assert "Not read       2 proofs: no model is set (" in out


def test_a_change_is_shown_with_its_reasons(paper, capsys):
    _edit(paper, "A.", "A always.")
    status, out, _ = _run(capsys, "check")
    assert status == 0  # a warning does not block
    assert ": 1 file, Lemma 1 says something else → Lemma 1 and Lemma 2 should be re-read." in out
    assert "Lemma 1 (a), which it cites, changed its statement" in out
    assert (
        "Lemma 1 now says something else; the proof of Lemma 2 cites it and was not touched" in out
    )


def test_an_error_that_the_change_introduces_gives_status_1(paper, capsys):
    _edit(paper, r"By \ref{a}", r"By \ref{c}")
    status, out, _ = _run(capsys, "check")
    assert status == 1
    assert "main.tex:11:18  [dangling-reference" in out


def test_an_older_error_is_listed_and_does_not_block(paper, capsys, repository):
    _edit(paper, r"By \ref{a}", r"By \ref{c}")
    repository({})
    _edit(paper, "P.", "Q.")
    status, out, _ = _run(capsys, "check")
    assert status == 0
    assert "Older, not caused by this change:" in out
    assert "; older: 1 error." in out


def test_the_same_error_blocks_where_the_whole_paper_is_asked_for(paper, capsys, repository):
    _edit(paper, r"By \ref{a}", r"By \ref{c}")
    repository({})
    assert _run(capsys, "check")[0] == 1
    assert _run(capsys, "check", "--all")[0] == 1


def test_a_threshold_can_be_chosen(paper, capsys):
    (paper / "pf.toml").write_text('[checks]\nthreshold = "warning"\n')
    _edit(paper, "A.", "A always.")
    assert _run(capsys, "check")[0] == 1


def test_a_note_is_shown_unasked_where_notes_fail_the_review(paper, capsys, repository):
    """What ends with 1 says what it found, on every screen."""
    (paper / "pf.toml").write_text('[checks]\nthreshold = "note"\n')
    repository({})
    end = "\\end{document}"
    _edit(paper, end, f"\\begin{{lemma}}\\label{{open}} So it is.\\end{{lemma}}\n{end}")
    status, out, _ = _run(capsys, "check")
    assert status == 1
    assert "[no-proof " in out and "1 finding, 1 blocking." in out and "--notes" not in out
    assert "pf explain" in out
    assert "[no-proof " in _run(capsys, "check", "-q")[1]
    _, page, _ = _run(capsys, "check", "--format", "markdown")
    assert "1 finding, 1 blocking" in page and "note: no-proof" in page

    (paper / "pf.toml").write_text('[checks]\nthreshold = "warning"\n')
    status, out, _ = _run(capsys, "check")
    assert (
        status == 0 and "[no-proof " not in out and f"1 note ({pf_command()} check --notes)" in out
    )


def test_the_json_of_check_keeps_its_contract(paper, capsys):
    _edit(paper, r"By \ref{a}", r"By \ref{c}")
    status, out, _ = _run(capsys, "check", "--format", "json")
    found = json.loads(out)
    assert (status, found["schema"]) == (1, 1)
    (finding,) = found["findings"]
    assert {
        "id", "rule", "severity", "module", "message", "quote", "file", "start_line",
        "start_column", "end_line", "end_column", "introduced", "votes", "rollouts",
    } <= finding.keys()  # fmt: skip
    assert (finding["module"], finding["introduced"]) == ("b", True)
    assert found["unreached"][0] == {"module": "a", "reason": "not read: no model is set"}
    assert found["statuses"] == {"a": "unreached", "b": "unreached"}
    assert found["usage"]["calls"] == 0


def test_the_json_of_plan_keeps_its_contract(paper, capsys):
    _edit(paper, "A.", "A always.")
    status, out, _ = _run(capsys, "plan", "--format", "json")
    found = json.loads(out)
    assert (status, found["schema"], found["total"], found["backlog"]) == (0, 1, 2, 0)
    assert [(item["id"], item["unread"]) for item in found["affected"]] == [
        ("a", True),
        ("b", True),
    ]
    assert found["affected"][0]["reasons"] == ["statement changed"]
    assert {"calls", "input_tokens", "output_tokens", "cost_usd"} <= found.keys()


def test_the_json_of_graph_keeps_its_contract(paper, capsys):
    _, out, _ = _run(capsys, "graph", "--format", "json")
    found = json.loads(out)
    one, two = found["modules"]
    assert {
        "id", "kind", "title", "label", "number", "file", "start_line", "end_line", "proof",
        "parent", "context", "status",
    } <= one.keys()  # fmt: skip
    assert (one["id"], one["kind"], one["label"], one["number"]) == ("a", "lemma", "a", "1")
    assert (one["start_line"], one["proof"]["start_line"]) == (8, 9)
    assert (one["context"], two["context"]) == ([], ["a"])
    assert [(e["source"], e["target"], e["via"]) for e in found["edges"]] == [
        ("b", "a", "reference")
    ]


def test_two_papers_with_the_same_labels_keep_apart_in_the_graph(paper, capsys, document):
    (paper / "other.tex").write_text(document(LEMMA % ("a", "Z", "P.")))
    _, out, _ = _run(capsys, "graph", "--format", "json")
    assert [item["id"] for item in json.loads(out)["modules"]] == ["a", "b", "other.tex::a"]


def test_the_plan_names_every_reason(paper, capsys):
    _edit(paper, "A.", "A always.")
    _, out, _ = _run(capsys, "plan")
    why = "Lemma 1 (a), which it cites, changed its statement"
    assert f"  b  Lemma 2  main.tex:10\n      {why}" in out
    assert "  2 affected proofs should be re-read.\n" in out


def test_why_tells_what_a_module_rests_on_and_how_that_was_found(paper, capsys):
    _, out, _ = _run(capsys, "plan", "--base", "HEAD", "--why", "b")
    assert "not affected: nothing it depends on has changed" in out
    assert "a  Lemma 1  main.tex:8  cited in its proof" in out


def test_why_names_each_target_once_with_all_ways(paper, capsys):
    _edit(paper, "B.", r"B, by \ref{a}.")
    _edit(paper, r"By \ref{a}.", r"By \ref{a} and the previous lemma.")
    _, out, _ = _run(capsys, "plan", "--why", "b")
    ways = "cited in its proof and in its statement; cited in words in its proof"
    assert f"a  Lemma 1  main.tex:8  {ways}\n" in out
    assert out.count("main.tex:8") == 1


def test_why_says_once_what_a_statement_and_its_proof_do_alike(paper, capsys):
    _edit(paper, "B.", r"B, by \ref{a}.")
    _, out, _ = _run(capsys, "plan", "--why", "b")
    assert "a  Lemma 1  main.tex:8  cited in its proof and in its statement\n" in out


def test_why_says_that_a_convention_applies_without_a_place_in_the_text(paper, capsys):
    _edit(
        paper, r"\begin{lemma}\label{b}", "Throughout, all is finite.\n\n\\begin{lemma}\\label{b}"
    )
    _, out, _ = _run(capsys, "plan", "--why", "b")
    assert re.search(
        r"^  Convention “Throughout, all is finite\.”  main\.tex:10  applies here$",
        out,
        re.MULTILINE,
    )


def test_why_of_a_result_of_another_work_tells_who_cites_it(paper, capsys):
    _edit(paper, "P. ", r"By \cite[Theorem~2]{gauss}, and again \cite[Theorem~2]{gauss}. ")
    _, out, _ = _run(capsys, "plan", "--why", "cite:gauss[Theorem 2]")
    assert out == (
        "Theorem 2 of gauss\nstatus: cited, not read\ncited by:\n  a  Lemma 1  main.tex:8\n"
    )
    assert _run(capsys, "plan", "--why", "a")[1].count("Theorem 2 of gauss") == 1
    status, _, err = _run(capsys, "plan", "--why", "cite:gauss[Theorem 3]")
    assert (status, "cite:gauss[Theorem 2]" in err) == (2, True)


def test_why_of_an_unknown_module_proposes_another(paper, capsys):
    (paper / "main.tex").write_text((paper / "main.tex").read_text().replace("{a}", "{lem:one}"))
    status, _, err = _run(capsys, "plan", "--why", "lem:on")
    assert (status, err) == (2, "pf: unknown result 'lem:on'. Did you mean lem:one?\n")


def test_why_ends_with_the_command_that_shows_the_text_of_a_reader(paper, capsys):
    _, out, _ = _run(capsys, "plan", "--all", "--why", "b", ".")
    said = "text that a reader sees: "
    *_, last = out.splitlines()
    assert last == f"{said}{pf_command()} explain b --all ."
    status, shown, _ = _run(capsys, *last.removeprefix(f"{said}{pf_command()} ").split())
    assert status == 0
    assert "What a reader would see:" in shown
    text = (paper / "main.tex").read_text(encoding="utf-8")
    (paper / "main.tex").write_text(re.sub(r"(?s)\\begin.proof.*?\\end.proof.", "", text), "utf-8")
    assert said not in _run(capsys, "plan", "--why", "b")[1]


def test_a_hint_that_is_pasted_as_it_stands_is_answered(paper, capsys):
    said = "NAME is a placeholder for the name of a model; pf help models has examples"
    for command in ("check", "plan", "recheck b", "report"):
        status, _, err = _run(capsys, *command.split(), "--model", "NAME")
        assert (status, err) == (2, f"pf: {said}\n")
    assert said in _run(capsys, "doctor", "--model", "NAME")[1]


def test_the_graph_can_be_drawn(paper, capsys):
    _, out, _ = _run(capsys, "graph", "--format", "dot")
    assert out.startswith("digraph paper {")
    assert "p0n1 -> p0n0;" in out
    _, out, _ = _run(capsys, "graph", "--format", "mermaid")
    assert out.startswith("graph BT\n")
    assert "p0n1 --> p0n0" in out


def test_the_graph_without_a_format_tells_what_there_is(paper, capsys):
    status, out, _ = _run(capsys, "graph")
    assert status == 0
    assert "2  lemma" in out
    assert "1 edge between these: 1 by reference" in out


def test_a_definition_that_has_a_proof_is_no_result(paper, capsys):
    text = (paper / "main.tex").read_text(encoding="utf-8")
    text = text.replace(
        "\\begin{document}", "\\newtheorem{definition}{Definition}\n\\begin{document}"
    ).replace(
        "\\end{document}",
        "\\begin{definition} A \\emph{cone} is open.\\end{definition}\n"
        "\\begin{proof} One exists: take all.\\end{proof}\\end{document}",
    )
    (paper / "main.tex").write_text(text, encoding="utf-8")
    _, out, _ = _run(capsys, "check", "--plain")
    assert "2 results, 1 definition (with a proof), 1 dependency by citation." in out
    assert "problem in 2 results" in out.replace("\n", " ")


def test_a_formal_proof_is_shown_as_a_claim_and_asks_for_no_reading(paper, capsys):
    _edit(paper, r"\begin{proof} P.", r"\begin{proof}\leanok Q.")
    _, out, _ = _run(capsys, "check", "--plain")
    assert "Marked as formalised: 1 of 2 results." in " ".join(out.split())
    assert re.search(r"^  # a .* formal \(claimed\)$", out, re.MULTILINE)
    _, out, _ = _run(capsys, "plan")
    assert "  a  Lemma 1  main.tex:8  formal (claimed)\n" in out
    assert "No proof needs to be re-read" in out
    _, out, _ = _run(capsys, "plan", "--why", "a")
    assert "status: formal (claimed)" in out
    _, out, _ = _run(capsys, "graph")
    assert "1 formal (claimed), 1 not read yet" in out
    _, out, _ = _run(capsys, "graph", "--format", "dot")
    assert 'tooltip="formal (claimed)"' in out
    _, out, _ = _run(capsys, "graph", "--format", "json")
    assert [item["status"] for item in json.loads(out)["modules"]] == ["formal", "unreached"]


def test_missing_uses_are_printed_as_a_patch_and_nothing_else(paper, capsys):
    status, out, err = _run(capsys, "graph", "--suggest-uses")
    assert (status, out) == (0, "")
    assert err == "pf: main.tex has no \\uses, so nothing is suggested\n"
    _edit(paper, r"\label{b}", r"\label{b}\uses{c}\begin{lemma}\label{c} C. \end{lemma}")
    status, out, err = _run(capsys, "graph", "--suggest-uses")
    assert (status, err) == (0, "")
    assert "\n+  \\uses{a} By \\ref{a}. \\end{proof}\n" in out
    subprocess.run(["git", "apply"], input=out, text=True, check=True)
    status, out, err = _run(capsys, "graph", "--suggest-uses", "--with-terms")
    assert (status, out, err) == (0, "", "pf: no \\uses is missing\n")


def test_the_index_can_be_checked(paper, capsys):
    _edit(paper, r"By \ref{a}", r"By \ref{c}")
    assert _run(capsys, "check", "--staged")[0] == 0
    subprocess.run(["git", "add", "main.tex"], check=True)
    assert _run(capsys, "check", "--staged")[0] == 1


def test_a_path_can_be_given_instead_of_going_there(paper, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert _run(capsys, "check", "paper")[0] == 0
    assert _run(capsys, "check", "paper/main.tex")[0] == 0


def test_one_of_several_papers_can_be_chosen(paper, capsys, document):
    (paper / "other.tex").write_text(document(r"\ref{no}"))
    assert _run(capsys, "check", "--all")[0] == 1
    assert _run(capsys, "check", "--all", "--paper", "main.tex")[0] == 0
    assert _run(capsys, "check", "--all", "other.tex")[0] == 1
    assert _run(capsys, "check", "--all", "main.tex")[0] == 0


def test_the_checks_are_listed_with_their_reasons(capsys):
    status, out, _ = _run(capsys, "checks")
    assert status == 0
    assert "cycle                    warning  circular argument" in out


@pytest.mark.parametrize(
    ("argv", "status", "sentence"),
    [
        (["check", "--base", "nope"], 2, "pf: unknown revision 'nope'"),
        (["check", "--base=--upload-pack=x"], 2, "pf: "),
        (["check", "nowhere"], 2, "pf: file or folder not found: nowhere"),
        (["check", "--head", "HEAD", "--staged"], 2, "pf: --staged cannot be used with --head"),
        (["check", "--paper", "x"], 2, "pf: unknown paper 'x'. Papers here: main.tex."),
    ],
)
def test_what_cannot_be_meant_is_one_sentence_and_a_status(paper, capsys, argv, status, sentence):
    found, out, err = _run(capsys, *argv)
    assert (found, out) == (status, "")
    assert err.startswith(sentence)
    assert err.count("\n") == 1


@pytest.mark.parametrize("argv", [["nonsense"], ["check", "--format", "xml"]])
def test_wrong_usage_has_status_2(argv, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(argv)
    assert stopped.value.code == 2


@pytest.mark.parametrize(
    "command",
    [["check"], ["plan"], ["report"], ["gate"], ["upgrade"], ["bench", "mutate"]],
    ids=" ".join,
)
def test_a_folder_of_prompts_must_be_there_even_if_no_model_is_asked(paper, capsys, command):
    for name, why in (("nix", "folder not found"), ("main.tex", "not a folder")):
        with pytest.raises(SystemExit, match="2"):
            main([*command, "--prompts", name])
        said = f"pf {' '.join(command)}: argument --prompts: {why}: {name}\n"
        assert said in capsys.readouterr().err


@pytest.mark.parametrize("command", ["explain", "dismiss"])
def test_an_empty_finding_is_called_empty(paper, capsys, command):
    with pytest.raises(SystemExit, match="2"):
        main([command, ""])
    assert f"pf {command}: FINDING is empty\n" in capsys.readouterr().err


def test_a_wrong_setting_is_one_sentence(paper, capsys):
    (paper / "pf.toml").write_text("[chekcs]\n")
    status, _, err = _run(capsys, "check")
    assert status == 2
    assert err.startswith("pf: pf.toml: ")


def test_a_file_that_is_named_and_not_read_has_its_reason(paper, tmp_path, capsys):
    (tmp_path / "out.tex").write_text("Outside.")
    (paper / "out.tex").symlink_to(tmp_path / "out.tex")
    (paper / "gone.tex").symlink_to("nowhere.tex")
    (paper / "new\nline.tex").write_text("Strange.")
    (paper / "in.tex").symlink_to("main.tex")
    link = "is a symbolic link"
    for name, status, why in (
        ("out.tex", 2, f"out.tex {link} that leads outside the repository, and is not read"),
        ("gone.tex", 2, f"gone.tex {link} to a missing file, and is not read"),
        ("new\nline.tex", 3, "unsafe characters in its name"),
    ):
        found = _run(capsys, "check", name)
        assert (found[0], found[1]) == (status, "")
        assert why in found[2]
    (paper / "new\nline.tex").unlink()
    assert _run(capsys, "check", "in.tex")[0] == 0


def test_a_first_commit_of_nothing_is_told_what_to_stage(tmp_path, capsys, monkeypatch, document):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "main.tex").write_text(document(""))
    monkeypatch.chdir(tmp_path)
    said = "pf: nothing is staged: git add the files of the paper\n"
    assert _run(capsys, "check", "--staged") == (2, "", said)


def test_a_repository_without_files_and_a_missing_git_are_named(tmp_path, capsys, monkeypatch):
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "bare"], check=True)
    (tmp_path / "none").mkdir()
    monkeypatch.chdir(tmp_path / "bare")
    status, _, err = _run(capsys, "init", "--config", "--yes")
    said = "pf: . is a bare repository: it has no working tree; run pf init in a clone of it\n"
    assert (status, err) == (2, said)
    monkeypatch.chdir(tmp_path / "none")
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    assert "it is not installed, or not in PATH" in _run(capsys, "init", "--config", "--yes")[2]
    assert "it is not installed, or not in PATH" in _run(capsys, "check", "--staged")[2]


def test_a_folder_without_latex_is_one_sentence(tmp_path, capsys):
    assert _run(capsys, "check", str(tmp_path)) == (
        2,
        "",
        f"pf: {tmp_path}: no LaTeX file found here\n",
    )


def test_an_option_that_is_unknown_is_named_before_a_missing_command(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["--verison"])
    assert "unknown option --verison. Did you mean --version" in capsys.readouterr().err


def test_a_misspelt_check_is_named(paper, capsys):
    status, _, err = _run(capsys, "explain", "cylce")
    assert status == 2
    assert "Did you mean cycle?" in err


@pytest.mark.parametrize("rest", ["init 0<&-", "check nope 2>&-"])
def test_what_whoever_calls_has_closed_is_no_fault(rest, tmp_path):
    pf = f'"{sys.executable}" -c "from pfcore.cli.main import script; script()"'
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    found = subprocess.run(["sh", "-c", f"{pf} {rest}"], cwd=tmp_path, check=False)
    assert found.returncode == 2


def test_a_device_is_never_replaced(paper, capsys, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    status, _, err = _run(capsys, "report", "--out", str(tmp_path / "pipe"), "--force")
    assert (status, (tmp_path / "pipe").is_fifo()) == (2, True)
    assert "is not a regular file; choose another path with --out" in err


def test_a_fault_of_ours_keeps_its_traceback_and_has_status_4(paper, capsys, monkeypatch):
    def broken(*_args, **_kwargs):
        raise RuntimeError("oh")

    monkeypatch.setattr("pfcore.repository.revisions.compared_revisions", broken)
    status, _, err = _run(capsys, "check")
    assert status == 4
    assert "RuntimeError: oh" in err
    assert "please report it" in err


def test_an_interrupt_is_no_traceback(paper, capsys, monkeypatch):
    def stopped(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("pfcore.repository.revisions.compared_revisions", stopped)
    assert _run(capsys, "check") == (130, "", "pf: interrupted\n")


@pytest.mark.parametrize(
    "body",
    [
        "",
        "\\begin{lemma}" * 3_000,
        "{" * 5_000 + "\\emph" * 5_000 + "}" * 4_999,
        '\\label{\u202e\x1b[31m<b>"--> \u00e9}\\begin{lemma}\\label{a b\x07c} A.\\end{lemma}',
        "\\input{main}\\input{../../../etc/passwd}\\input{/etc/passwd}",
        "\\newcommand{\\x}{\\x\\x}\\begin{lemma} \\x \\end{lemma}",
        "\\def\\a{\\b\\b}\\def\\b{\\c\\c}\\def\\c{\\a\\a}\\begin{lemma} \\a \\end{lemma}",
        "x" * 300_000,
    ],
)
def test_bad_input_is_reviewed_as_far_as_it_goes(paper, capsys, document, body):
    (paper / "main.tex").write_text(document(body), encoding="utf-8")
    status, out, err = _run(capsys, "check", "--notes")
    assert status in ((1, 3) if "No theorems found" in out else (0, 1))
    assert err == ""
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "\u202e" not in out


def test_hostile_names_cannot_break_out_of_a_drawing(paper, capsys, document):
    title = '"]; evil [label="x\\'
    text = f"\\begin{{lemma}}[{{{title}}}] A.\\end{{lemma}}"
    (paper / "main.tex").write_text(document(text))
    _, dot, _ = _run(capsys, "graph", "--format", "dot")
    (node,) = [line for line in dot.splitlines() if "p0n0 [" in line]
    assert node.replace('\\"', "").count('"') == 6
    _, drawn, _ = _run(capsys, "graph", "--format", "mermaid")
    (node,) = [line for line in drawn.splitlines() if "p0n0(" in line]
    assert node.count('"') == 2


TITLED = "\\begin{lemma}[Szemer\\'edi's $\\sigma$-bound] %s.\\end{lemma}"


def test_titles_are_printed_as_people_read_them(paper, capsys, document):
    (paper / "main.tex").write_text(document(TITLED % "A"))
    for command in ("check", "plan"):
        assert "(Szemerédi's σ-bound)" in _run(capsys, command)[1]
    assert "Szemerédi's σ-bound" in _run(capsys, "graph", "--format", "dot")[1]
    assert "Szemerédi's σ-bound" in _run(capsys, "graph", "--format", "mermaid")[1]


def test_titles_stay_as_written_in_json_and_where_there_is_no_unicode(paper, capsys, document):
    (paper / "main.tex").write_text(document(TITLED % "A"))
    assert "(Szemer\\'edi's $\\sigma$-bound)" in _run(capsys, "plan", "--plain")[1]
    (module,) = json.loads(_run(capsys, "graph", "--format", "json")[1])["modules"]
    assert module["title"] == "Szemer\\'edi's $\\sigma$-bound"


def test_plain_output_is_ascii_without_colours(paper, capsys):
    _edit(paper, "A.", "A always.")
    _, out, _ = _run(capsys, "check", "--plain")
    assert out.isascii()


def test_a_console_without_unicode_is_no_failure(paper):
    _edit(paper, "A.", "A always.")
    code = "import sys; from pfcore.cli.main import main; sys.exit(main(['check']))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env=_ascii_environment(), check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b" > Lemma 1 and Lemma 2 should be re-read." in done.stdout


def _ascii_environment():
    import os

    return {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}


def test_a_reader_that_goes_away_is_no_failure(paper):
    run = "sys.exit(main(['graph', '--format', 'json']))"
    code = f"import sys; from pfcore.cli.main import main; {run}"
    shell = f'"{sys.executable}" -c "{code}" | true'
    done = subprocess.run(["sh", "-c", shell], capture_output=True, check=False)
    assert done.stderr == b""


def test_the_second_run_reads_from_the_cache(paper, capsys, monkeypatch):
    assert _run(capsys, "graph")[0] == 0
    assert (cache_folder() / "readings.sqlite").exists()

    def unwanted(*_args, **_kwargs):
        raise AssertionError("read again")

    monkeypatch.setattr("pfcore.latex.reader.parse_latex_file", unwanted)
    assert _run(capsys, "graph")[0] == 0


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"PF_CACHE_DIR": "/x"}, "/x"),
        ({"XDG_CACHE_HOME": "/y"}, "/y/pf-verify"),
        ({"HOME": "/z"}, "/z/.cache/pf-verify"),
    ],
)
def test_the_cache_lies_where_the_user_wants_it(monkeypatch, variables, expected):
    for name in ("PF_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache_folder().as_posix() == expected


@pytest.mark.acceptance
def test_the_user_says_how_many_processes_read(monkeypatch, paper, capsys):
    monkeypatch.setenv("PF_JOBS", "3")
    assert jobs() == 3
    monkeypatch.delenv("PF_JOBS")
    assert 1 <= jobs() <= 8
    for wrong in ("0", "-1", "many", "²"):
        monkeypatch.setenv("PF_JOBS", wrong)
        status, _, err = _run(capsys, "check")
        assert (status, err) == (2, f"pf: invalid PF_JOBS '{wrong}': expected a positive integer\n")


@pytest.mark.acceptance
def test_many_processes_find_what_one_finds(monkeypatch, paper, capsys, document, tmp_path):
    parts = [f"part{number}" for number in range(4)]
    (paper / "main.tex").write_text(document("".join(f"\\input{{{part}}}\n" for part in parts)))
    for part in parts:
        lemmas = (LEMMA % (f"{part}:{n}", "A word. " * 99, "P.") for n in range(50))
        (paper / f"{part}.tex").write_text("".join(lemmas))
    pool = partial(ProcessPool, worth=150_000)  # a tenth of what is worth it in use
    assert sum(path.stat().st_size for path in paper.glob("part*.tex")) > pool().worth
    monkeypatch.setattr(processes, "ProcessPool", pool)
    found = []
    for number in ("1", "2"):
        monkeypatch.setenv("PF_JOBS", number)
        monkeypatch.setenv("PF_CACHE_DIR", str(tmp_path / f"cache{number}"))
        found.append(_run(capsys, "graph", "--format", "json"))
    assert found[0] == found[1]
    assert found[0][0] == 0
    assert found[0][1].count('"kind": "lemma"') == 200


def test_a_cache_that_cannot_be_written_is_no_failure(paper, capsys, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("PF_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert _run(capsys, "check")[0] == 0


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out.startswith("pf-verify ")


def test_the_second_run_counts_no_numbers_again(paper, capsys, monkeypatch):
    assert _run(capsys, "graph", "--format", "json")[0] == 0

    def unwanted(*_args, **_kwargs):
        raise AssertionError("counted again")

    monkeypatch.setattr("pfcore.latex.numbering.step_scanner.steps", unwanted)
    _, out, _ = _run(capsys, "graph", "--format", "json")
    assert [module["number"] for module in json.loads(out)["modules"]] == ["1", "2"]


def test_a_result_of_another_work_is_a_cited_leaf(paper, capsys):
    _edit(paper, "P. ", r"By \cite[Theorem~2]{gauss} and \cite[p.~7]{euler}, see \cite{weil}. ")
    _edit(paper, r"By \ref{a}.", r"By \ref{a} and \cite[Theorem 2]{gauss}.")
    _, out, _ = _run(capsys, "graph", "--format", "json")
    graph = json.loads(out)
    (leaf,) = [item for item in graph["modules"] if item["kind"] == "citation"]
    assert (leaf["id"], leaf["title"], leaf["status"]) == (
        "cite:gauss[Theorem 2]",
        "Theorem 2",
        "cited",
    )
    arrows = [(item["source"], item["target"]) for item in graph["edges"]]
    assert arrows == [("b", "a"), ("a", leaf["id"]), ("b", leaf["id"])]
    assert '"Theorem 2 of gauss"' in _run(capsys, "graph", "--format", "dot")[1]
    assert '>"Theorem 2 of gauss"]' in _run(capsys, "graph", "--format", "mermaid")[1]
    assert "Theorem 2 of gauss  cited, not read" in _run(capsys, "plan", "--why", "a")[1]


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["checks"], 0, "cycle"),
        (["--version"], 0, "pf-verify "),
        (["check", "nowhere"], 2, "file or folder not found: nowhere"),
        (["nothing"], 2, "usage: pf"),
    ],
)
def test_the_script_ends_with_the_status_of_the_command(tmp_path, arguments, status, said):
    code = "from pfcore.cli.main import script; script()"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == status
    assert said in done.stdout + done.stderr


@pytest.mark.parametrize("command", ["check", "plan"])
def test_a_base_and_the_whole_paper_exclude_one_another(command, capsys):
    with pytest.raises(SystemExit) as stop:
        main([command, "--base", "HEAD", "--all"])
    assert stop.value.code == 2
    assert "argument --all: not allowed with argument --base" in capsys.readouterr().err


def test_an_empty_revision_is_a_usage_error(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["check", "--base", ""])
    assert stop.value.code == 2
    assert "--base is empty" in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--all"], []])
def test_why_claims_no_comparison_that_was_not_made(paper, capsys, options):
    if not options:
        shutil.rmtree(".git")
    _, out, _ = _run(capsys, "plan", *options, "--why", "a")
    assert "not compared: no earlier version (choose one with --base)\n" in out
    assert "what it was" not in out


def test_why_and_the_graph_say_that_a_proof_was_guessed(paper, capsys):
    _edit(paper, r"\begin{proof} P. ", "\\begin{remark} R. \\end{remark}\n\\begin{proof} P. ")
    _, out, _ = _run(capsys, "plan", "--why", "a")
    assert "proof: guessed (main.tex:10): another statement comes between" in out
    assert r"\begin{proof}[Proof of \ref{a}] makes it certain" in out
    assert "proof: " not in _run(capsys, "plan", "--why", "b")[1]
    found = json.loads(_run(capsys, "graph", "--format", "json")[1])["modules"]
    assert {item["id"]: item["guessed"] for item in found if item["kind"] == "lemma"} == {
        "a": ["proof"],
        "b": [],
    }


def test_why_says_of_an_example_that_its_proof_was_guessed(paper, capsys):
    example = "\\begin{example}[Primes]\\label{e} E. \\end{example}\n"
    _edit(paper, r"\begin{proof} P. ", example + r"\begin{proof} P. ")
    _, out, _ = _run(capsys, "plan", "--why", "e")
    assert "proof: guessed (main.tex:10): an earlier result has no proof" in out
    assert r"\begin{proof}[Proof of \ref{e}] makes it certain" in out
    assert "proof: " not in _run(capsys, "plan", "--why", "a")[1]


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("Omitted.", "omitted", "it is empty or omitted"),
        ("", "omitted", "it is empty or omitted"),
        ("See [3].", "cited", "only a reference to where it is"),
    ],
)
def test_why_and_the_graph_say_that_a_proof_is_none(paper, capsys, words, status, said):
    _edit(paper, "P. ", words)
    _, out, _ = _run(capsys, "plan", "--why", "a")
    assert f"status: {status}\nproof: none; {said}\n" in out
    found = json.loads(_run(capsys, "graph", "--format", "json")[1])["modules"]
    assert [(item["status"], item["proof"]) for item in found if item["id"] == "a"] == [
        (status, None)
    ]
    assert f"1 {status}" in _run(capsys, "graph")[1]


_INTERRUPTED = """
import sys
from pfcore.cli.exit_status import pf


class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "pfcore.cli.command_table":
            raise KeyboardInterrupt


sys.meta_path.insert(0, Finder())
pf()
"""


def test_an_interrupt_while_modules_are_loaded_is_one_line() -> None:
    command = [sys.executable, "-c", _INTERRUPTED]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "pf: interrupted\n")
    (found,) = entry_points(group="console_scripts", name="pf")
    assert found.value == "pfcore.cli.exit_status:pf"


def test_on_a_terminal_it_is_seen_that_files_are_read_and_nothing_stays(paper, monkeypatch):
    pty = pytest.importorskip("pty")
    read, write = pty.openpty()
    monkeypatch.setattr(environment, "_FIRST_SIGN", 0.0001)
    reviewed = partial(environment.run_review, RevisionOptions(path=paper), paper=None)
    with open(write, "w", closefd=False) as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with reviewed() as report:
            assert report.papers
    shown = "  reading the files: 0 s"
    said, nothing = "", f"\r{' ' * len(shown)}\r"
    while not said.endswith(nothing) and select.select([read], [], [], 10)[0]:
        said += os.read(read, 10_000).decode()
    assert said.startswith(f"\r{shown}\r") and said.endswith(nothing)
    with (paper / "err").open("w") as file:
        monkeypatch.setattr(sys, "stderr", file)
        with reviewed():
            pass
    assert (paper / "err").read_text() == ""
    os.close(read)
    os.close(write)


def test_neither_a_terminal_that_is_gone_nor_a_quiet_command_hears_of_seconds(paper, monkeypatch):
    pty = pytest.importorskip("pty")
    read, write = pty.openpty()
    os.set_blocking(read, False)
    monkeypatch.setattr(environment, "_FIRST_SIGN", 0.0001)
    monkeypatch.chdir(paper)
    with open(write, "w", closefd=False) as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        assert main(["check", "-q"]) == 0
        with pytest.raises(BlockingIOError):
            os.read(read, 100)
        os.close(read)
        with environment.run_review(RevisionOptions(path=paper), paper=None) as report:
            assert report.papers
    os.close(write)


def started(folder, *words, **environment):
    """The command as a process of its own: the status, what is printed, what is said beside."""
    command = [sys.executable, "-c", "from pfcore.cli.exit_status import pf; pf()", *words]
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    own = {"HOME": str(folder), "PF_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        command, cwd=folder, env=kept | own | environment, capture_output=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.acceptance
@pytest.mark.parametrize("name", ["\u00fc.tex", "\u6570\u5b66.tex"])
@pytest.mark.parametrize("command", [("check",), ("gate", "--allow-unread"), ("report",)])
def test_names_that_the_locale_lacks_stop_no_command(repository, document, tmp_path, name, command):
    proof = "\\begin{theorem}\\label{a}A.\\end{theorem}\\begin{proof}B.\\end{proof}"
    repository({"main.tex": document(f"\\input{{{name}}}"), name: proof})
    ascii_alone = {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    status, out, err = started(tmp_path / "paper", *command, **ascii_alone)
    assert (status, b"Traceback" in err) == (0, False), err
    assert out.isascii()
    if command == ("check",):
        status, out, _ = started(tmp_path / "paper", "check", name, **ascii_alone)
        assert status == 0


def test_a_user_without_a_home_is_reviewed_for(paper, monkeypatch, capsys):
    def unknown():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", unknown)
    for variable in ("HOME", "PF_CACHE_DIR", "PF_DATA_DIR", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    assert main(["check", "--all"]) == 0
    assert main(["plan"]) == 0
    capsys.readouterr()
    assert main(["doctor"]) == 2
    out, err = capsys.readouterr()
    assert "set PF_CACHE_DIR to another folder" in out and "Traceback" not in err
    assert "your home folder is unknown: set HOME, or PF_DATA_DIR" in out
    assert main(["check", "--all", "--model", "m", "--yes"]) == 2
    assert main(["remove", "--yes"]) in (0, 2)
    assert "Traceback" not in capsys.readouterr().err


def test_a_working_folder_that_is_gone_is_said(tmp_path, monkeypatch, capsys):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    for words in (["check"], ["gate"], ["plan"], ["report"], ["dismiss", "x", "--reason", "known"]):
        assert main(words) == 2
        said = "pf: the current folder no longer exists: change to another\n"
        assert capsys.readouterr().err == said


@pytest.mark.parametrize("count", [400, pytest.param(3000, marks=pytest.mark.acceptance)])
def test_a_chain_of_files_longer_than_calls_can_be_nested_is_read(
    tmp_path, document, capsys, monkeypatch, count
):
    for number in range(count):
        (tmp_path / f"f{number}.tex").write_text(f"\\input{{f{number + 1}}}\n")
    (tmp_path / f"f{count}.tex").write_text("See \\ref{nowhere}.\n")
    (tmp_path / "main.tex").write_text(document("\\input{f0}"))
    monkeypatch.chdir(tmp_path)
    status, out, err = _run(capsys, "check")
    assert (status, "Traceback" in err) == (1, False)
    assert "undefined label nowhere" in out
