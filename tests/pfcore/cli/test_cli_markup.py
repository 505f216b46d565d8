"""The command on proofs in modules: with git and without, beside LaTeX, and on bad input."""

import json
import subprocess
from pathlib import Path

import pytest

from pfcore.cli.main import main

DATA = Path(__file__).parents[2] / "data"
ONE = (DATA / "one_theorem.pf").read_text(encoding="utf-8")
SEVERAL = (DATA / "several_theorems.pf").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder without git."""
    place = tmp_path / "notes"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def clone(tmp_path, repository, monkeypatch):
    """A repository with two proofs in modules; the working folder is inside."""
    repository({"proof.pf": ONE, "more/several.pf": SEVERAL})
    monkeypatch.chdir(tmp_path / "paper")
    return tmp_path / "paper"


def _run(capsys, *argv):
    status = main(argv)
    found = capsys.readouterr()
    return status, found.out, found.err


def _edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_file_is_checked_without_git(folder, capsys):
    (folder / "proof.pf").write_text(ONE, encoding="utf-8")
    status, out, _ = _run(capsys, "check", "proof.pf")
    assert status == 0
    assert out.startswith("proof.pf  1 file, working tree\n5 results, ")
    assert "no proof was read" in out


def test_a_file_is_checked_alone_when_it_is_named(folder, capsys):
    (folder / "proof.pf").write_text(ONE, encoding="utf-8")
    (folder / "other.pf").write_text("<LEMMA_PROOF>Nothing.", encoding="utf-8")
    assert _run(capsys, "check", "proof.pf")[0] == 0
    status, out, _ = _run(capsys, "check")
    assert status == 1
    assert "other.pf:1:1  [pf-markup" in out


def test_a_fault_of_the_form_is_shown_with_its_place(folder, capsys):
    (folder / "proof.pf").write_text(ONE.replace("</LEMMA_PROOF>", "", 1), encoding="utf-8")
    status, out, _ = _run(capsys, "check", "proof.pf")
    assert status == 1
    assert "proof.pf:27:1  [pf-markup" in out
    assert "tags do not nest" in out


@pytest.mark.parametrize("form", ["json", "dot", "mermaid", "text"])
def test_the_graph_is_printed_in_every_form(folder, capsys, form):
    (folder / "proof.pf").write_text(ONE, encoding="utf-8")
    status, out, _ = _run(capsys, "graph", "proof.pf", "--format", form)
    assert status == 0
    assert form == "text" or "prop:1" in out


def test_the_graph_has_numbers_places_parents_and_edges(folder, capsys):
    (folder / "several.pf").write_text(SEVERAL, encoding="utf-8")
    found = json.loads(_run(capsys, "graph", "several.pf", "--format", "json")[1])
    (lemma,) = [item for item in found["modules"] if item["id"] == "lem:2.1"]
    assert (lemma["kind"], lemma["number"], lemma["parent"]) == ("lemma", "2.1", "prop:2")
    assert (lemma["file"], lemma["proof"]["file"]) == ("several.pf", "several.pf")
    lines = SEVERAL.splitlines()
    assert lines[lemma["start_line"] - 1] == '<LEMMA_STATEMENT id="2.1">'
    assert lines[lemma["proof"]["end_line"] - 1] == "</LEMMA_PROOF>"
    edges = {(item["source"], item["target"], item["via"]) for item in found["edges"]}
    assert {("thm:2", "thm:1", "reference"), ("lem:2.1", "thm:1", "scope")} <= edges


def test_the_drawing_leaves_out_what_is_only_the_setting(folder, capsys):
    (folder / "several.pf").write_text(SEVERAL, encoding="utf-8")
    out = _run(capsys, "graph", "several.pf", "--format", "dot")[1]
    assert out.count("->") == 4


def test_a_change_is_planned_in_a_repository(clone, capsys):
    _edit(clone / "proof.pf", "Multiply", "Now multiply")
    status, out, _ = _run(capsys, "plan", "proof.pf", "--format", "json")
    assert status == 0
    assert [item["id"] for item in json.loads(out)["affected"]] == ["lem:1.1"]


def test_what_is_staged_is_planned(clone, capsys):
    _edit(clone / "proof.pf", "Multiply", "Now multiply")
    plan = ("plan", "proof.pf", "--staged", "--format", "json")
    assert json.loads(_run(capsys, *plan)[1])["affected"] == []
    subprocess.run(["git", "add", "proof.pf"], cwd=clone, check=True)
    _edit(clone / "proof.pf", "is its own inverse.", "equals its inverse.")
    (item,) = json.loads(_run(capsys, *plan)[1])["affected"]
    assert (item["id"], item["reasons"]) == ("lem:1.1", ["proof changed"])


def test_two_revisions_are_compared(clone, capsys, repository):
    _edit(clone / "proof.pf", "is its own inverse.", "equals its inverse.")
    repository({})
    status, out, _ = _run(
        capsys, "plan", "proof.pf", "--base", "HEAD~1", "--head", "HEAD", "--format", "json"
    )
    assert status == 0
    assert [item["id"] for item in json.loads(out)["affected"]] == ["prop:1", "lem:1.1"]


def test_a_statement_that_changed_while_its_readers_stayed_is_told(clone, capsys):
    _edit(clone / "proof.pf", "Every $x", "Any $x")
    status, out, _ = _run(capsys, "check")
    assert status == 0
    assert "Lemma 1.1 now says something else; the proof of Proposition 1 cites it" in out


def test_why_names_the_way(clone, capsys):
    status, out, _ = _run(capsys, "plan", "--why", "prop:2")
    assert status == 0
    assert "prop:1" in out


def test_why_tells_what_is_only_the_setting(folder, capsys):
    (folder / "several.pf").write_text(SEVERAL, encoding="utf-8")
    _, out, _ = _run(capsys, "plan", "--why", "prop:1", "several.pf")
    assert "applies here: as the setting (statement only)" in out


def test_a_statement_has_the_name_that_the_rewritten_text_gives_it(folder, capsys):
    text = ONE.replace('<LEMMA_STATEMENT id="1.1">', '<LEMMA_STATEMENT id="1.1" label="Lemma 4.3">')
    (folder / "one.pf").write_text(text, encoding="utf-8")
    _, out, _ = _run(capsys, "plan", "--why", "lem:1.1", "one.pf")
    assert "lem:1.1  Lemma 1.1 (Lemma 4.3)  one.pf:" in out


def test_proofs_in_modules_are_papers_beside_those_in_latex(clone, capsys, document, repository):
    lemma = "\\begin{lemma}\\label{a} A.\\end{lemma}\n\\begin{proof} P. \\end{proof}"
    repository({"main.tex": document(lemma)})
    status, out, _ = _run(capsys, "check", "--all")
    assert status == 0
    assert "\nmain.tex  1 file, working tree\n1 result.\n" in out
    assert "\nproof.pf  1 file, working tree\n5 results, " in out
    assert "\nmore/several.pf  1 file, working tree\n5 results, " in out
    out = _run(capsys, "check", "--all", "--paper", "more/several")[1]
    assert "main.tex" not in out
    assert "proof.pf" not in out


def test_pf_toml_can_name_a_proof_in_modules(clone, capsys):
    (clone / "pf.toml").write_text('[[paper]]\nroot = "more/several.pf"\n', encoding="utf-8")
    status, out, _ = _run(capsys, "check", "--all")
    assert status == 0
    assert out.startswith("more/several.pf  1 file, working tree\n5 results, ")
    assert "proof.pf" not in out.splitlines()[0]


def test_pf_toml_can_leave_proofs_out(clone, capsys):
    (clone / "pf.toml").write_text('[latex]\nignore = ["more/*"]\n', encoding="utf-8")
    out = _run(capsys, "check", "--all")[1]
    assert "several" not in out


NONSENSE = {
    "empty": (b"", 1),
    "only white space": (b" \n\n", 1),
    "no tags": ("Some words, \u00e9t\u00e9.\n".encode(), 1),
    "not UTF-8": (ONE.replace("abelian", "ab\u00e9lien").encode("latin-1"), 0),
    "UTF-16": (ONE.encode("utf-16"), 0),
    "a mark at the start": (b"\xef\xbb\xbf" + ONE.encode(), 0),
    "carriage returns": (ONE.replace("\n", "\r\n").encode(), 0),
    "old line ends": (ONE.replace("\n", "\r").encode(), 0),
    "no final newline": (ONE.rstrip().encode(), 0),
    "too long": (b"<THEOREM_STATEMENT>" + b"x" * 5_000_000, 1),
    "tags in tags": (b"<LEMMA_PROOF id='1.1'>" * 500, 1),
    "closing tags": (b"</LEMMA_PROOF>\n" * 500, 1),
    "a tag without end": (b"<LEMMA_PROOF " * 500, 1),
    "control characters": (ONE.replace("abelian", "abe\x07lian\x1b[31m").encode(), 0),
    "huge numbers": (ONE.replace('"1.2"', '"1.99999999999999999999"').encode(), 1),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_told_and_never_a_fault_of_ours(folder, capsys, name):
    data, expected = NONSENSE[name]
    (folder / "proof.pf").write_bytes(data)
    said = _run(capsys, "check", "proof.pf")[1]
    is_empty = "No theorems found" in said or "is empty." in said
    for command in (("check",), ("plan",), ("graph", "--format", "json")):
        status, out, err = _run(capsys, *command, "proof.pf")
        others = 3 if is_empty else 0
        assert status == ((expected or others) if command == ("check",) else others), (out, err)
        assert "Traceback" not in err
        assert "\x1b" not in out


def test_a_paper_without_git_is_checked_whatever_else_its_folder_has(folder, capsys, document):
    (folder / "main.tex").write_text(document(r"\input{part/one}"))
    (folder / "part").mkdir()
    (folder / "part" / "one.tex").write_text(r"By \ref{no}.")
    (folder / "sub").mkdir()
    (folder / "sub" / "pf.toml").write_text("no settings")
    (folder / "sub" / "main.tex").write_text(document("x"))
    (folder / "talk.tex").write_bytes(bytes(range(256)) * 50)
    status, out, _ = _run(capsys, "check", "main.tex")
    assert (status, "talk.tex" in out) == (1, False)
    assert "part/one.tex:1:4  [dangling-reference" in out
    assert _run(capsys, "check")[0] == 2


def test_a_binary_file_is_not_read_and_that_is_no_pass(folder, capsys):
    (folder / "proof.pf").write_bytes(bytes(range(256)) * 50)
    status, _, err = _run(capsys, "check", "proof.pf")
    assert status == 3
    assert "proof.pf" in err
    (folder / "good.pf").write_text(ONE, encoding="utf-8")
    assert _run(capsys, "check", "proof.pf")[0] == 3
    status, out, _ = _run(capsys, "check")
    assert status == 3
    assert "Not everything could be reviewed: proof.pf (binary file (NUL bytes))." in out


def test_a_file_of_that_name_without_tags_is_another_matter(folder, capsys):
    (folder / "proof.pf").write_text(ONE, encoding="utf-8")
    (folder / "font.pf").write_text("A font.", encoding="utf-8")
    status, out, _ = _run(capsys, "check")
    assert status == 0
    assert "Not looked at  font.pf (lacks the tags of a proof in modules)\n" in out
    status, _, err = _run(capsys, "check", "font.pf")
    assert (status, err) == (
        3,
        "pf: font.pf was not reviewed: lacks the tags of a proof in modules\n",
    )


def test_the_form_is_among_the_checks(capsys):
    assert "pf-markup" in _run(capsys, "checks")[1]


def test_of_a_new_file_the_plan_says_that_it_is_new(clone, capsys):
    (clone / "new.pf").write_text(ONE, encoding="utf-8")
    _, out, _ = _run(capsys, "plan", "new.pf")
    first, second = out.splitlines()[:2]
    assert first == "new  5 results  new file  (not read: 5 proofs)"
    assert second.startswith("  working tree against ")
    assert second.endswith(", which does not have new.pf")
    _, out, _ = _run(capsys, "plan", "--why", "prop:1", "new.pf")
    assert "not compared: new.pf is new and not in " in out
    assert "edited" in _run(capsys, "plan", "proof.pf")[1].splitlines()[0]
