"""`pf bench contexts`: what contexts hold, of one paper or of many; nobody is asked."""

import json
import subprocess

import pytest

from pfcore.papers.load import PaperLoader

BLUEPRINT = r"""\newcommand{\uses}[1]{}
\begin{definition}\label{d} A number is \emph{tame} if it is small. \end{definition}
\begin{lemma}\label{a} \uses{d} Every tame number is odd. \end{lemma}
\begin{proof} Clear. \end{proof}
"""


WHY = "Why entries are there"


def _rows(out, name):
    before = out.partition(WHY)[0]
    return [line.split() for line in before.splitlines() if line.startswith(f"{name} ")]


def test_keys_are_listed_with_how_many_entries_they_bring(run, paper, repository, document):
    repository({"main.tex": document(BLUEPRINT.replace("\\uses{d}", ""))})
    _, out, _ = run("bench", "contexts", "--plain")
    lines = (line.split() for line in out.partition(WHY)[2].splitlines())
    shares, key = (words for words in lines if words[:1] == ["main.tex"])
    assert shares[:5] == ["main.tex", "1", "0.000", "0.000", "1.000"]
    assert key == ["main.tex", "word", "tame", "states", "d", "1", "1"]


def test_a_paper_is_a_row_and_it_is_said_that_nobody_was_asked(run, paper):
    status, out, _ = run("bench", "contexts")
    assert status == 0
    ((name, claims, members, ninetieth, *_),) = _rows(out, "main.tex")
    assert (name, claims, members, ninetieth) == ("main.tex", "2", "0", "1")
    assert "no model was used" in out
    assert "Beside what the authors declare" not in out


def test_what_authors_declare_is_set_beside_it(run, paper, repository, document):
    repository({"main.tex": document(BLUEPRINT)})
    status, out, _ = run("bench", "contexts", "--plain")
    assert status == 0
    _, declared = _rows(out, "main.tex")
    assert declared == ["main.tex", *"1 1.000 1 1.000 1 1.000 1.000 0".split()]


def test_several_folders_are_told_apart_as_json_and_as_text(run, paper, tmp_path, document):
    other = tmp_path / "other"
    other.mkdir()
    (other / "main.tex").write_text(document(BLUEPRINT), encoding="utf-8")
    status, out, _ = run("bench", "contexts", str(paper), str(other), "--format", "json")
    assert status == 0
    found = json.loads(out)
    assert [(item["path"], item["root"], item["claims"]) for item in found["documents"]] == [
        (str(paper), "main.tex", 2),
        (str(other), "main.tex", 1),
    ]
    assert [item["declared"] and item["declared"]["found"] for item in found["documents"]] == [
        None,
        1,
    ]
    assert found["failed"] == []
    _, out, _ = run("bench", "contexts", str(paper), str(other))
    assert {line.split()[0] for line in out.splitlines() if "main.tex" in line} == {
        "paper:",
        "other:",
    }


def test_a_revision_is_measured_also_where_no_files_are(run, paper, edit, tmp_path):
    edit(r"By \ref{a}.", "Clear.")
    _, now, _ = run("bench", "contexts")
    _, then, _ = run("bench", "contexts", "--head", "HEAD")
    assert [row[3] for row in (*_rows(now, "main.tex"), *_rows(then, "main.tex"))] == ["0", "1"]
    bare = tmp_path / "bare"
    subprocess.run(["git", "clone", "-q", "--bare", str(paper), str(bare)], check=True)
    status, out, _ = run("bench", "contexts", str(bare))
    assert (status, out) == (0, then)


def test_a_revision_of_what_git_does_not_know_is_refused(run, paper, tmp_path):
    (tmp_path / "loose").mkdir()
    status, _, err = run("bench", "contexts", str(tmp_path / "loose"), "--head", "HEAD")
    assert status == 2
    assert "not a git repository" in err


def test_without_a_proof_there_is_nothing_to_count(run, paper, repository):
    repository({"main.tex": "\\documentclass{article}\\begin{document}A.\\end{document}"})
    status, _, err = run("bench", "contexts", str(paper))
    assert status == 3
    assert "nothing is counted" in err


def test_a_paper_that_cannot_be_read_is_named_and_is_no_success(run, paper, monkeypatch, contained):
    whole = PaperLoader.paper

    def fails(self, name, root):
        if root.path == "second.tex":
            raise RuntimeError
        return whole(self, name, root)

    source = "\\documentclass{book}\\begin{document}A.\\end{document}"
    (paper / "second.tex").write_text(source, encoding="utf-8")
    monkeypatch.setattr(PaperLoader, "paper", fails)
    status, out, _ = run("bench", "contexts", str(paper))
    assert status == 3
    assert len(_rows(out, "main.tex")) == 1
    assert f"Could not be read, and is counted nowhere: {paper}: second.tex" in out


@pytest.mark.parametrize("is_git", [True, False])
def test_a_file_stands_for_its_paper_and_one_of_no_paper_is_refused(
    run, paper, tmp_path, document, is_git
):
    folder = paper if is_git else tmp_path / "loose"
    folder.mkdir(exist_ok=True)
    for name in ("first.tex", "second.tex"):
        (folder / name).write_text(document(BLUEPRINT), encoding="utf-8")
    (folder / "stray.tex").write_text("Nobody includes this.", encoding="utf-8")
    status, out, _ = run("bench", "contexts", str(folder / "second.tex"))
    assert (status, len(_rows(out, "second.tex")), _rows(out, "first.tex")) == (0, 2, [])
    status, out, err = run("bench", "contexts", str(folder / "stray.tex"))
    assert (status, out) == (2, "")
    assert "stray.tex does not belong to a paper: no document here includes it" in err


def test_a_paper_that_is_not_there_is_no_empty_count(run, paper):
    status, out, err = run("bench", "contexts", "--paper", "mian.tex")
    assert (status, out) == (2, "")
    assert "unknown paper 'mian.tex'. Did you mean main.tex?" in err


def test_of_a_revision_too_only_the_named_folder_is_measured(run, paper, repository, document):
    names = ("a/main.tex", "b/main.tex")
    repository({name: document(f"{BLUEPRINT} In {name}.") for name in names})
    status, out, _ = run("bench", "contexts", str(paper / "b"), "--head", "HEAD")
    assert status == 0
    assert _rows(out, "b/main.tex")
    assert not _rows(out, "a/main.tex")
