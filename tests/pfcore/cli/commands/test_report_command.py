"""`pf report`: the file that it writes, and those that it leaves alone."""

import subprocess

import pytest

from pfcore.domain.installation import install_command

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


def test_a_page_is_written_and_written_again(run, paper):
    status, out, _ = run("report")
    size = round(len((paper / "pf-report.html").read_bytes()) / 1_000)
    assert (status, out) == (0, f"pf-report.html: {size} kB\n")
    first = (paper / "pf-report.html").read_text()
    assert first.startswith("<!doctype html>")
    assert run("report")[0] == 0
    assert (paper / "pf-report.html").read_text() == first


def test_what_is_not_ours_is_left_alone(run, paper):
    place = paper / "mine.html"
    place.write_text("mine")
    status, _, err = run("report", "--out", str(place))
    assert status == 2
    assert "--force replaces it" in err
    assert place.read_text() == "mine"
    assert run("report", "--out", str(place), "--force")[0] == 0
    assert "pf-verify report" in place.read_text()


def test_a_folder_and_a_link_are_left_alone(run, paper):
    (paper / "link.html").symlink_to(paper / "main.tex")
    for name in (".", "link.html"):
        assert run("report", "--out", name, "--force")[0] == 2


def test_a_folder_that_is_missing_is_named(run, paper):
    status, _, err = run("report", "--out", "no/where.html")
    assert status == 3
    assert "cannot be written" in err


def test_an_objection_is_shown_with_its_reason_and_nobody_is_asked_again(run, paper, edit, referee):
    edit("Clear.", "Dividing by $x$ it is clear.")
    referee.objects_to("Dividing by $x$")
    run("check", "--model", "m")
    asked = len(referee.asked)
    run("report", "--model", "m")
    text = (paper / "pf-report.html").read_text()
    assert len(referee.asked) == asked
    assert "<mark>Dividing by </mark>" in text
    assert "Take 0." in text
    assert "contract <code>" in text


def test_without_the_extra_formulas_are_shown_as_latex(run, paper, monkeypatch):
    monkeypatch.setattr("pfcore.cli.commands.report_command.find_spec", lambda name: None)
    status, _, err = run("report")
    assert status == 0
    assert f"to typeset them: {install_command('report')}\n" in err


def test_no_force_replaces_a_source_or_what_git_tracks(run, paper):
    (paper / "page.html").write_text("<p>mine")
    (paper / "refs.bib").write_text("@book{a}")
    subprocess.run(["git", "add", "page.html"], cwd=paper, check=True)
    for name in ("main.tex", "refs.bib", "page.html"):
        kept = (paper / name).read_text()
        for more in ((), ("--force",)):
            status, _, err = run("report", "--out", name, *more)
            what = "tracked by git" if name == "page.html" else "a source of a paper"
            assert (status, err) == (2, f"pf: {name} is {what}; choose another path with --out\n")
        assert (paper / name).read_text() == kept


def test_a_report_that_git_tracks_is_replaced(run, paper):
    run("report", "--out", "page.html")
    subprocess.run(["git", "add", "page.html"], cwd=paper, check=True)
    assert run("report", "--out", "page.html")[0] == 0


GIT = [".git/HEAD", ".git/config", ".git/hooks/pre-commit", ".git", ".GIT/new", "link/pre-commit"]


@pytest.mark.parametrize("place", GIT)
@pytest.mark.parametrize("more", [(), ("--force",)])
def test_nothing_is_written_into_the_folder_of_git(run, paper, place, more):
    (paper / "link").symlink_to(".git/hooks")
    before = {path: path.read_bytes() for path in (paper / ".git").rglob("*") if path.is_file()}
    commands = (
        ("report", "--out", place),
        ("gate", "--allow-unread", "--out", place),
        ("gate", "--allow-unread", "--bundle", place),
    )
    for command in commands:
        status, _, err = run(*command, *more)
        assert (status, "belongs to git itself" in err) == (2, True), (command, err)
    after = {path: path.read_bytes() for path in (paper / ".git").rglob("*") if path.is_file()}
    assert before == after


def test_nothing_is_written_into_a_repository_without_files(run, paper, tmp_path):
    subprocess.run(["git", "clone", "--quiet", "--bare", paper, tmp_path / "bare"], check=True)
    status, _, err = run("report", "--out", str(tmp_path / "bare/HEAD"), "--force")
    assert (status, "belongs to git itself" in err) == (2, True)


@pytest.mark.parametrize("command", ["report", "gate"])
def test_a_dash_is_no_place(run, paper, command):
    status, _, err = run(command, "--out", "-")
    kind = "file" if command == "report" else "folder"
    assert (status, err) == (2, f"pf: --out needs the name of a {kind}, not -\n")
    assert not (paper / "-").exists()


def test_a_page_that_does_not_fit_leaves_the_earlier_one(run, paper, full_disk):
    assert run("report")[0] == 0
    first = (paper / "pf-report.html").read_text()
    full_disk(after=0)
    status, _, err = run("report")
    said = "pf: pf-report.html cannot be written: No space left on device\n"
    assert (status, err) == (3, said)
    assert (paper / "pf-report.html").read_text() == first
    assert not list(paper.glob(".pf-report*"))
