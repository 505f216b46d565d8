"""`pf-verify-online`: whom it asks, about which commits, and what it says where nobody is named."""

import pytest

from hooks import online
from tests.hooks.conftest import git


@pytest.fixture
def push(capsys):
    """Run the hook: its exit status, what it prints, and what beside."""

    def run(*argv):
        status = online.main(argv)
        found = capsys.readouterr()
        return status, found.out, found.err

    return run


@pytest.fixture
def pushed(stage, monkeypatch):
    """A commit that changes a proof, which is being pushed."""
    stage("P.", "Q.")
    git("commit", "--quiet", "--message", "a change")
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "HEAD~1")
    monkeypatch.setenv("PRE_COMMIT_TO_REF", "HEAD")


def test_a_push_that_nobody_could_read_is_no_pass(pushed, push):
    status, out, err = push()
    assert (status, out) == (3, "")
    assert err.startswith("pf-verify-online: no model is set, so no proof was read: ")
    assert err.count("\n") == 1


def test_where_reading_is_optional_a_push_passes_and_says_that_nobody_read(pushed, push):
    status, out, err = push("--optional")
    assert (status, err) == (0, "")
    assert out.startswith("pf-verify-online: no model is set, so no proof was read")


def test_a_push_without_a_paper_in_it_needs_nobody(paper, push, monkeypatch):
    (paper / "README").write_text("Words")
    git("add", ".")
    git("commit", "--quiet", "--message", "words")
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "HEAD~1")
    monkeypatch.setenv("PRE_COMMIT_TO_REF", "HEAD")
    assert push() == (0, "", "")


def test_a_repository_cannot_name_the_model(pushed, push):
    with pytest.raises(SystemExit) as stopped:
        push("--model", "m")
    assert stopped.value.code == 2


def test_a_wrong_configuration_is_one_sentence(pushed, push, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "pf-verify").mkdir()
    (tmp_path / "pf-verify/config.toml").write_text("modl = 1\n")
    status, _, err = push()
    assert (status, err.count("\n")) == (2, 1)
    assert "modl" in err
