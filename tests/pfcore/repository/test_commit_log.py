"""Messages of commits, and the lines that they change."""

from pathlib import Path

import pytest

from pfcore.domain.errors import RevisionError
from pfcore.repository.commit_log import LineChange, line_changes, logged_commits
from pfcore.repository.git import GitRepository, find_repository
from tests.conftest import commit, git

Span = tuple[int, int]
Lines = tuple[str, ...]


def found(folder: Path) -> GitRepository:
    repository = find_repository(folder)
    assert repository is not None
    return repository


def test_the_latest_commit_comes_first_with_its_whole_message(tmp_path: Path) -> None:
    first = commit(tmp_path, {"a.tex": "a\n"}, message="one\n\nwith a body")
    last = commit(tmp_path, {"a.tex": "b\n"}, message="two")
    listed = logged_commits(found(tmp_path))
    assert [item.commit for item in listed] == [last, first]
    assert [item.parents for item in listed] == [(first,), ()]
    assert listed[1].message.strip() == "one\n\nwith a body"
    assert listed[0].day == "2024-01-01"


def test_commits_up_to_a_revision_and_merges_are_left_out(tmp_path: Path) -> None:
    first = commit(tmp_path, {"a.tex": "a\n"})
    git(tmp_path, "branch", "side")
    second = commit(tmp_path, {"a.tex": "b\n"})
    git(tmp_path, "checkout", "--quiet", "side")
    side = commit(tmp_path, {"b.tex": "b\n"})
    git(tmp_path, "merge", "--quiet", "-m", "both", "main")
    listed = logged_commits(found(tmp_path), first)
    assert {item.commit for item in listed} == {second, side}


def test_an_unknown_revision_to_begin_with_is_an_error(tmp_path: Path) -> None:
    commit(tmp_path, {"a.tex": "a\n"})
    with pytest.raises(RevisionError):
        logged_commits(found(tmp_path), "nowhere")


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ("a\nb\nc\n", "a\nx\nc\n", ((2, 2), (2, 2), ("b",), ("x",))),
        ("a\nc\n", "a\nb\nc\n", ((1, 1), (2, 2), (), ("b",))),
        ("a\nb\nc\n", "a\nc\n", ((2, 2), (1, 1), ("b",), ())),
        ("a\nb", "a\nx", ((2, 2), (2, 2), ("b",), ("x",))),
        ("a\n-- b\n", "a\n@@ -1 +1 @@\n", ((2, 2), (2, 2), ("-- b",), ("@@ -1 +1 @@",))),
    ],
    ids=["replaced", "inserted", "removed", "no newline at the end", "like a patch"],
)
def test_changed_lines_have_their_numbers_on_either_side(
    tmp_path: Path, old: str, new: str, change: tuple[Span, Span, Lines, Lines]
) -> None:
    one = commit(tmp_path, {"odd [a].tex": old, "other.tex": "x\n"})
    other = commit(tmp_path, {"odd [a].tex": new, "other.tex": "y\n"})
    patch = found(tmp_path).patch(one, other, "odd [a].tex")
    before, after, removed, added = change
    expected = LineChange(old=before, new=after, removed=removed, added=added)
    assert list(line_changes(patch)) == [expected]


def test_a_patch_is_of_revisions_alone(tmp_path: Path) -> None:
    one = commit(tmp_path, {"a.tex": "a\n"})
    with pytest.raises(RevisionError):
        found(tmp_path).patch(one, "--output=b", "a.tex")
