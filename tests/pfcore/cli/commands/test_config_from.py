"""`--config-from`: a pull request does not switch off what judges it."""

import json

import pytest

from pfcore.cli.main import main
from tests.conftest import commit

LEMMA = "\\begin{lemma}\\label{a} A.\\end{lemma}\n\\begin{proof} %s \\end{proof}\n"
RULE = "dangling-reference"


@pytest.fixture
def paper(tmp_path, repository, document, monkeypatch):
    """Commits a paper whose one proof is given, with other files; `base` is sound."""
    folder = tmp_path / "paper"

    def change(proof, files=None):
        return commit(folder, {"main.tex": document(LEMMA % proof), **(files or {})})

    change("P.")
    monkeypatch.chdir(folder)
    return change


def _found(capsys, *argv):
    status = main(["check", "--format", "json", *argv])
    found = json.loads(capsys.readouterr().out)["findings"]
    return status, {item["rule"]: item for item in found}


GUARDED = ("--base", "HEAD~", "--head", "HEAD", "--config-from", "HEAD~")


@pytest.mark.parametrize(
    "off", [f'[checks]\ndisable = ["{RULE}"]', '[latex]\nignore = ["*.tex"]', "not even toml"]
)
def test_settings_that_the_change_brings_do_not_count(paper, capsys, off):
    paper(r"By \ref{nowhere}.", {"pf.toml": off})
    status, found = _found(capsys, *GUARDED)
    assert status == 1
    assert found[RULE]["introduced"] is True


def test_an_answer_in_the_source_does_not_count_for_what_is_as_new(paper, capsys):
    paper(f"By \\ref{{nowhere}}. % pf: ignore[{RULE}] trust me\n")
    assert _found(capsys, *GUARDED[:4])[0] == 0
    status, found = _found(capsys, *GUARDED)
    assert status == 1
    assert found[RULE]["dismissed"] is None
    assert "unused-ignore" not in found


def test_an_answer_to_what_was_there_before_still_counts(paper, capsys):
    text = f"By \\ref{{nowhere}}. % pf: ignore[{RULE}] we know\n"
    paper(text)
    paper(text + "And so on.")
    status, found = _found(capsys, *GUARDED)
    assert status == 0
    assert found[RULE]["dismissed"] == "we know"


@pytest.mark.parametrize(("other", "status"), [(False, 0), (True, 1)])
def test_a_paper_under_a_new_name_keeps_its_answers_and_another_has_none(
    paper, capsys, tmp_path, document, other, status
):
    text = f"By \\ref{{nowhere}}. % pf: ignore[{RULE}] trust me\n"
    paper(text)
    (tmp_path / "paper/main.tex").rename(tmp_path / "paper/other.tex")
    body = (LEMMA % text).replace(" A.", " B.") + "And more."
    commit(tmp_path / "paper", {"other.tex": document(body)} if other else {})
    assert _found(capsys, *GUARDED)[0] == status


def test_a_whole_paper_at_a_trusted_revision_keeps_its_answers(paper, capsys):
    paper(f"By \\ref{{nowhere}}. % pf: ignore[{RULE}] we know\n")
    status, found = _found(capsys, "--all", "--head", "HEAD", "--config-from", "HEAD")
    assert status == 0
    assert found[RULE]["dismissed"] == "we know"


def test_lines_of_the_ledger_count_in_ci_where_a_trusted_revision_has_them(
    paper, capsys, monkeypatch
):
    monkeypatch.setenv("CI", "true")
    paper("P.", {"pf.lock": "no line\n"})
    main(["check", "--all", "--config-from", "HEAD"])
    assert "pf.lock:1" in capsys.readouterr().out
    main(["check", "--all", "--config-from", "HEAD~"])
    assert "pf.lock:1" not in capsys.readouterr().out
