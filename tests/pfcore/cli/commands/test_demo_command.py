"""The demo: a repository with a history, reviewed commit by commit."""

import subprocess

import pytest

from pfcore.cli.commands.demo_command import HISTORY
from pfcore.cli.main import main


def test_the_demo_tells_what_each_commit_does(tmp_path, capsys):
    assert main(["demo", str(tmp_path / "demo")]) == 0
    out = capsys.readouterr().out
    parts = out.split("Commit ")[1:]
    assert len(parts) == len(HISTORY) == 5
    assert "No structural check found a problem in 5 results; no proof was read." in parts[0]
    assert "lem:cauchy" in parts[1]
    assert "Lemma 2.2 (Cauchy) edited → Lemma 2.2 (Cauchy) should be re-read." in parts[1]
    assert "Lemma 2.1 (lem:step), which it cites, changed its statement" in parts[2]
    assert "Lemma 2.3 (uniqueness) → Theorem 3.1 (Banach) → Lemma 2.3" in parts[3]
    assert "undefined label thm:banach" in parts[4]
    for code, part in zip("00001", parts, strict=True):
        assert f"exit status {code}" in part


def test_the_demo_leaves_a_clean_repository_for_more(tmp_path, capsys):
    folder = tmp_path / "demo"
    main(["demo", str(folder)])
    log = subprocess.run(
        ["git", "-C", str(folder), "log", "--format=%s"], capture_output=True, text=True, check=True
    )
    assert log.stdout.splitlines() == [commit.message for commit in reversed(HISTORY)]
    status = subprocess.run(
        ["git", "-C", str(folder), "status", "--porcelain"], capture_output=True, check=True
    )
    assert status.stdout == b""
    capsys.readouterr()
    assert main(["check", str(folder)]) == 1


def test_the_demo_overwrites_nothing(tmp_path, capsys):
    (tmp_path / "thesis.tex").write_text("x")
    assert main(["demo", str(tmp_path)]) == 2
    assert "already exists" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_WORK_TREE"])
def test_the_demo_does_not_follow_gits_variables_elsewhere(tmp_path, monkeypatch, capsys, variable):
    monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    main(["demo", str(tmp_path / "demo")])
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_that_cannot_be_made_is_said(tmp_path, capsys):
    (tmp_path / "file").write_text("x")
    assert main(["demo", str(tmp_path / "file" / "paper")]) == 3
    said = capsys.readouterr().err
    assert said == f"pf: {tmp_path}/file/paper cannot be written: Not a directory\n"


@pytest.mark.parametrize("is_made", [True, False])
def test_a_demo_that_does_not_fit_leaves_nothing_in_the_way(tmp_path, capsys, full_disk, is_made):
    folder = tmp_path / "demo"
    if is_made:
        folder.mkdir()
    full_disk(after=3)
    assert main(["demo", str(folder)]) == 3
    assert "cannot be written: No space left on device" in capsys.readouterr().err
    assert folder.exists() is is_made
    full_disk(after=99)
    assert main(["demo", str(folder)]) == 0


@pytest.mark.parametrize("name", [".git", ".git/x", "-"])
def test_the_demo_has_a_folder_of_its_own(tmp_path, capsys, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    assert main(["demo", name]) == 2
    assert list(tmp_path.iterdir()) == []
