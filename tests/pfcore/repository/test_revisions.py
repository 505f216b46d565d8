"""Which two moments are compared."""

import os
import subprocess
from pathlib import Path

import pytest

from pfcore.domain.errors import (
    ConfigError,
    GitError,
    IncompleteError,
    RevisionError,
    ShallowError,
    UsageError,
)
from pfcore.repository.git import GitRepository
from pfcore.repository.revisions import (
    RevisionOptions,
    between,
    compared_revisions,
    settings_of,
)


def _wanted(tmp_path: Path, **changes) -> RevisionOptions:
    return RevisionOptions(path=tmp_path / "paper", **changes)


def _names(found) -> tuple[str | None, str]:
    return (found.before.name if found.before else None, found.after.name)


@pytest.fixture
def git(tmp_path):
    def run(*arguments: str) -> str:
        command = ["git", "-C", str(tmp_path / "paper"), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    return run


def test_a_folder_without_git_has_no_before(tmp_path):
    (tmp_path / "paper").mkdir()
    assert _names(compared_revisions(_wanted(tmp_path))) == (None, "working tree")


@pytest.mark.parametrize("changes", [{"base": "HEAD"}, {"head": "HEAD"}, {"staged": True}])
def test_a_folder_without_git_has_no_revisions(tmp_path, changes):
    (tmp_path / "paper").mkdir()
    with pytest.raises(UsageError, match="not a git repository"):
        compared_revisions(_wanted(tmp_path, **changes))


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(UsageError, match="file or folder not found"):
        compared_revisions(_wanted(tmp_path))


def test_a_repository_without_commits_is_reviewed_as_it_stands(tmp_path, git):
    (tmp_path / "paper").mkdir()
    git("init", "--quiet")
    assert _names(compared_revisions(_wanted(tmp_path))) == (None, "working tree")


def test_a_clean_clone_of_the_default_branch_is_reviewed_as_it_stands(tmp_path, repository):
    repository({"a.tex": "x"})
    assert _names(compared_revisions(_wanted(tmp_path))) == (None, "working tree")


def test_edits_are_compared_with_the_last_commit(tmp_path, repository):
    head = repository({"a.tex": "x"})
    (tmp_path / "paper" / "a.tex").write_text("y")
    assert _names(compared_revisions(_wanted(tmp_path))) == (head[:12], "working tree")


def test_a_branch_is_compared_with_where_it_left_the_default_branch(tmp_path, repository, git):
    left = repository({"a.tex": "x"})
    git("checkout", "--quiet", "-b", "topic")
    repository({"a.tex": "y"})
    repository({"a.tex": "z"})
    git("checkout", "--quiet", "main")
    repository({"b.tex": "b"})
    git("checkout", "--quiet", "topic")
    found = compared_revisions(_wanted(tmp_path))
    assert _names(found) == (left[:12], "working tree")
    assert found.before is not None
    assert set(found.before.files) == {"a.tex"}


@pytest.fixture
def ahead(repository, git):
    """Local commits on `main` that its origin does not have: its commit, and that of the last."""
    pushed = repository({"a.tex": "x"})
    git("update-ref", "refs/remotes/origin/main", "HEAD")
    return pushed, repository({"a.tex": "y", "b.tex": "b"})


def test_a_branch_of_the_local_main_is_compared_with_that_and_not_with_its_origin(
    tmp_path, repository, git, ahead
):
    _, local = ahead
    git("checkout", "--quiet", "-b", "topic")
    (tmp_path / "paper" / "a.tex").write_text("z")
    assert _names(compared_revisions(_wanted(tmp_path))) == (local[:12], "working tree")
    repository({"a.tex": "z"})
    assert _names(compared_revisions(_wanted(tmp_path))) == (local[:12], "working tree")
    git("checkout", "--quiet", "main")
    repository({"c.tex": "c"})
    git("checkout", "--quiet", "topic")
    assert _names(compared_revisions(_wanted(tmp_path))) == (local[:12], "working tree")


def test_local_commits_on_the_default_branch_itself_are_compared_with_its_origin(
    tmp_path, git, ahead
):
    pushed, _ = ahead
    assert _names(compared_revisions(_wanted(tmp_path))) == (pushed[:12], "working tree")
    git("checkout", "--quiet", "--detach")
    assert _names(compared_revisions(_wanted(tmp_path))) == (pushed[:12], "working tree")


def test_a_branch_that_is_based_on_a_later_origin_is_not_compared_with_an_old_local_main(
    tmp_path, repository, git
):
    repository({"a.tex": "x"})
    git("checkout", "--quiet", "-b", "topic")
    pushed = repository({"a.tex": "y"})
    git("update-ref", "refs/remotes/origin/main", "HEAD")
    repository({"a.tex": "z"})
    assert _names(compared_revisions(_wanted(tmp_path))) == (pushed[:12], "working tree")


def test_what_is_staged_is_compared_with_the_last_commit(tmp_path, repository, git):
    head = repository({"a.tex": "x"})
    (tmp_path / "paper" / "a.tex").write_text("y")
    git("add", "a.tex")
    (tmp_path / "paper" / "a.tex").write_text("z")
    found = compared_revisions(_wanted(tmp_path, staged=True))
    assert _names(found) == (head[:12], "index")
    assert found.after.read("a.tex").text == "y"


def test_revisions_can_be_named(tmp_path, repository):
    repository({"a.tex": "x"})
    repository({"a.tex": "y"})
    found = compared_revisions(_wanted(tmp_path, base="HEAD~1", head="HEAD"))
    assert _names(found) == ("HEAD~1", "HEAD")
    assert found.before is not None
    assert (found.before.read("a.tex").text, found.after.read("a.tex").text) == ("x", "y")


def test_a_named_base_is_kept_even_if_nothing_differs(tmp_path, repository):
    repository({"a.tex": "x"})
    assert compared_revisions(_wanted(tmp_path, base="HEAD")).before is not None


def test_the_whole_paper_has_no_before(tmp_path, repository):
    repository({"a.tex": "x"})
    (tmp_path / "paper" / "a.tex").write_text("y")
    assert compared_revisions(_wanted(tmp_path, whole=True)).before is None


def test_a_revision_that_does_not_exist_is_named(tmp_path, repository):
    repository({"a.tex": "x"})
    with pytest.raises(RevisionError, match="unknown revision 'nope'"):
        compared_revisions(_wanted(tmp_path, base="nope"))


def test_the_index_and_a_revision_cannot_both_be_reviewed(tmp_path, repository):
    repository({"a.tex": "x"})
    with pytest.raises(UsageError, match="cannot be used with"):
        compared_revisions(_wanted(tmp_path, head="HEAD", staged=True))


def test_a_shallow_clone_says_how_to_get_the_base(tmp_path, repository, git):
    repository({"a.tex": "x"})
    git("checkout", "--quiet", "-b", "topic")
    repository({"a.tex": "y"})
    repository({"a.tex": "z"})
    url = f"file://{tmp_path / 'paper'}"
    git("clone", "--quiet", "--depth=1", "--branch=topic", url, str(tmp_path / "clone"))
    with pytest.raises(ShallowError, match="shallow"):
        compared_revisions(RevisionOptions(path=tmp_path / "clone", base="HEAD~1"))


def test_the_folder_is_where_the_user_stands(tmp_path, repository):
    repository({"sub/a.tex": "x"})
    assert compared_revisions(RevisionOptions(path=tmp_path / "paper" / "sub")).folder == "sub"
    assert (
        compared_revisions(RevisionOptions(path=tmp_path / "paper" / "sub" / "a.tex")).folder
        == "sub/a.tex"
    )
    assert compared_revisions(RevisionOptions(path=tmp_path / "paper")).folder == ""


def test_what_is_unchanged_has_no_moment_before_it(tmp_path, repository, git):
    repository({"a.tex": "x"})
    assert compared_revisions(_wanted(tmp_path)).before is None
    (tmp_path / "paper" / "a.tex").touch()
    assert compared_revisions(_wanted(tmp_path)).before is None


def test_settings_and_ledgers_may_be_those_of_another_revision(tmp_path, repository):
    trusted = repository({"a.tex": "x", "pf.toml": "", "pf.lock": "{}", "b/pf.toml": ""})
    base = repository({"a.tex": "y"})
    (tmp_path / "paper/b/pf.toml").unlink()
    head = repository({"pf.toml": "[checks]", "c/pf.lock": "{}", "d/pf.toml": ""})
    found = compared_revisions(_wanted(tmp_path, base=base, head=head, settings=trusted))
    assert found.before is not None
    assert found.after.read("a.tex").text == "y"
    for moment in (found.before, found.after):
        assert sorted(moment.files) == ["a.tex", "b/pf.toml", "pf.lock", "pf.toml"]
        assert moment.read("pf.toml").text == ""
        assert "d/pf.toml" not in moment.paths


def test_the_settings_of_a_working_tree_may_be_those_of_a_revision(tmp_path, repository):
    repository({"a.tex": "x"})
    (tmp_path / "paper/pf.toml").symlink_to("a.tex")
    found = compared_revisions(_wanted(tmp_path, settings="HEAD"))
    assert sorted(found.after.files) == ["a.tex"]
    assert found.after.skipped == ()


def test_two_commits_of_a_bare_repository_are_read_under_a_third_ones_settings(
    tmp_path, repository
):
    base = repository({"a.tex": "x"})
    head = repository({"a.tex": "y", "pf.toml": 'publish = "private"'})
    trusted = repository({"pf.toml": "[app]\nrequired = true", "pf.lock": "line\n"})
    bare = GitRepository(
        root=None, git_dir=tmp_path / "paper/.git", common_dir=tmp_path / "paper/.git"
    )
    found = between(bare, base, head, trusted=trusted)
    assert found.before is not None
    assert found.before.read("a.tex").text == "x"
    assert found.after.read("a.tex").text == "y"
    for moment in (found.before, found.after):
        assert [item.app.required for item in settings_of(moment)] == [True]
        assert moment.read("pf.lock").text == "line\n"
    assert between(bare, None, head, trusted=head).before is None


def test_settings_that_cannot_be_read_are_named_wherever_they_stand(tmp_path, repository, git):
    repository({"a.tex": "x"})
    (tmp_path / "paper/pf.toml").symlink_to("a.tex")
    git("add", ".")
    git("commit", "--quiet", "-m", "a link")
    with pytest.raises(ConfigError, match="symbolic link"):
        list(settings_of(compared_revisions(_wanted(tmp_path, head="HEAD", settings="HEAD")).after))


def test_a_bare_repository_is_reviewed_at_a_revision(tmp_path, repository, git):
    base = repository({"a.tex": "x"})
    repository({"a.tex": "y"})
    git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare"))
    found = compared_revisions(RevisionOptions(path=tmp_path / "bare", head="HEAD", base=base))
    assert found.before is not None
    assert (found.before.read("a.tex").text, found.after.read("a.tex").text) == ("x", "y")
    assert found.folder == ""


@pytest.mark.parametrize("changes", [{}, {"staged": True}, {"base": "HEAD"}])
def test_a_bare_repository_has_nothing_but_revisions(tmp_path, repository, git, changes):
    repository({"a.tex": "x"})
    git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare"))
    with pytest.raises(UsageError, match=r"bare repository.*--head"):
        compared_revisions(RevisionOptions(path=tmp_path / "bare", **changes))


def test_an_index_with_conflicts_is_not_reviewed_as_staged(tmp_path, repository, git):
    repository({"main.tex": "1", "b.txt": "1"})
    git("switch", "--quiet", "--create", "side")
    repository({"main.tex": "theirs", "b.txt": "theirs"})
    git("switch", "--quiet", "main")
    repository({"main.tex": "ours", "b.txt": "ours"})
    with pytest.raises(subprocess.CalledProcessError):
        git("merge", "side")
    with pytest.raises(IncompleteError, match=r"^unresolved merge conflict in main\.tex: resolve"):
        compared_revisions(_wanted(tmp_path, staged=True))
    compared_revisions(_wanted(tmp_path))
    git("checkout", "--quiet", "--ours", "main.tex")
    git("add", "main.tex")
    compared_revisions(_wanted(tmp_path, staged=True))


@pytest.mark.parametrize("name", ["pf.toml", "pf.lock"])
@pytest.mark.parametrize("is_git", [True, False])
def test_settings_that_are_a_folder_are_wrong(tmp_path, git, name, is_git):
    (tmp_path / "paper" / name).mkdir(parents=True)
    if is_git:
        git("init", "--quiet")
    with pytest.raises(ConfigError, match=f"{name}: it is a folder; expected a file"):
        compared_revisions(_wanted(tmp_path))


def test_settings_that_are_no_text_are_a_wrong_setting(tmp_path, repository):
    repository({"pf.toml": "\0\1\2", "main.tex": "1"})
    moment = compared_revisions(_wanted(tmp_path)).after
    with pytest.raises(ConfigError, match=r"^pf\.toml: binary file"):
        list(settings_of(moment))


@pytest.mark.parametrize("lost", ["HEAD", "objects"])
def test_a_broken_repository_is_not_taken_for_a_plain_folder(tmp_path, repository, git, lost):
    repository({"main.tex": "1"})
    (tmp_path / "paper/.git" / lost).rename(tmp_path / "lost")
    (tmp_path / "paper/inner").mkdir()
    for path in ("paper", "paper/inner"):
        with pytest.raises(GitError, match=r"paper/\.git is broken \(git: not a git repository"):
            compared_revisions(RevisionOptions(path=tmp_path / path))


def test_a_branch_of_which_no_commit_is_there_is_compared_with_nothing_in_silence(
    tmp_path, repository
):
    repository({"main.tex": "a"})
    (tmp_path / "paper/.git/refs/heads/main").write_text(f"{'1' * 40}\n")
    for wanted in ({}, {"staged": True}):
        with pytest.raises(
            IncompleteError, match="lacks the commit of HEAD, 111111111111: run git"
        ):
            compared_revisions(_wanted(tmp_path, **wanted))
    assert compared_revisions(_wanted(tmp_path, whole=True)).before is None


def test_where_no_usual_branch_is_there_it_is_said_that_nothing_is_compared(
    tmp_path, repository, git
):
    repository({"main.tex": "a"})
    git("branch", "-m", "main", "trunk")
    words = "nothing to compare with: no main or master found; choose a revision with --base REV"
    assert compared_revisions(_wanted(tmp_path)).note == words
    git("switch", "--quiet", "-c", "topic")
    repository({"main.tex": "b"})
    assert compared_revisions(_wanted(tmp_path)).note == words
    for wanted in ({"base": "trunk"}, {"whole": True}, {"staged": True}):
        assert compared_revisions(_wanted(tmp_path, **wanted)).note == ""
    (tmp_path / "paper/main.tex").write_text("c")
    assert compared_revisions(_wanted(tmp_path)).note == ""


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_repository_that_may_not_be_read_is_said(tmp_path, repository):
    repository({"main.tex": "a"})
    (tmp_path / "paper/.git").chmod(0)
    try:
        with pytest.raises(IncompleteError, match=r"cannot read .*/\.git: permission denied"):
            compared_revisions(_wanted(tmp_path))
    finally:
        (tmp_path / "paper/.git").chmod(0o700)


def test_an_empty_folder_of_that_name_is_no_repository(tmp_path):
    (tmp_path / "paper/.git").mkdir(parents=True)
    assert _names(compared_revisions(_wanted(tmp_path))) == (None, "working tree")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may enter everything")
def test_a_folder_that_may_not_be_entered_is_said(tmp_path):
    (tmp_path / "paper").mkdir(mode=0)
    with pytest.raises(IncompleteError, match=r"^cannot read .*paper: permission denied$"):
        compared_revisions(_wanted(tmp_path))
