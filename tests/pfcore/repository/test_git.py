import os
import subprocess
import sys
from pathlib import Path

import pytest

from pfcore.domain.errors import GitError, RevisionError, ShallowError, UsageError
from pfcore.repository import git as git_module
from pfcore.repository.commit_log import blamed_lines
from pfcore.repository.git import SUBMODULE, SYMLINK, GitRepository, find_repository
from tests.pfcore.repository.conftest import Git, run

EMPTY = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


def commit(folder: Path, **files: str) -> str:
    for name, text in files.items():
        (folder / f"{name}.tex").write_text(text)
    run(folder, "add", "-A")
    run(folder, "commit", "-q", "--allow-empty", "-m", "change")
    return run(folder, "rev-parse", "HEAD")


def found(folder: Path, *, seconds: float = 60) -> GitRepository:
    repository = find_repository(folder, seconds=seconds)
    assert repository
    return repository


def shallow(top: Path, folder: Path, *options: str) -> GitRepository:
    run(top, "clone", "-q", "--depth", "1", *options, f"file://{top}", str(folder))
    return found(folder)


def stub(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    program = folder / "git"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_a_repository_is_found_from_a_folder_and_a_file_inside_it(top: Path) -> None:
    (top / "sections").mkdir()
    head = commit(top, a="x")
    for path in (top, top / "sections", top / "a.tex"):
        repository = found(path)
        assert repository.root == top
        assert repository.git_dir == repository.common_dir == top / ".git"
        assert repository.commit == head


def test_a_repository_behind_a_link_is_found_at_its_real_place(top: Path, tmp_path: Path) -> None:
    (top / "sections").mkdir()
    (tmp_path / "link").symlink_to(top / "sections")
    assert found(tmp_path / "link").root == top


def test_a_linked_worktree_shares_its_common_folder(top: Path, git: Git, tmp_path: Path) -> None:
    commit(top, a="x")
    git("worktree", "add", "-q", str(tmp_path / "other"))
    repository = found(tmp_path / "other")
    assert repository.root == tmp_path / "other"
    assert repository.common_dir == top / ".git"
    assert repository.git_dir == top / ".git" / "worktrees" / "other"


def test_a_bare_repository_has_no_root_and_still_reads(top: Path, git: Git, tmp_path: Path) -> None:
    head = commit(top, a="x")
    git("clone", "-q", "--bare", str(top), str(tmp_path / "bare.git"))
    repository = found(tmp_path / "bare.git")
    assert repository.root is None
    assert repository.commit == repository.resolve("main") == head
    assert [entry.path for entry in repository.tree(head)] == ["a.tex"]
    with pytest.raises(UsageError, match="bare repository"):
        repository.worktree()


def test_a_folder_without_git_has_no_repository(tmp_path: Path) -> None:
    assert find_repository(tmp_path) is None


def test_a_path_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="file or folder not found"):
        find_repository(tmp_path / "nowhere")


def test_a_path_that_looks_like_an_option_is_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="file or folder not found: --upload-pack=x"):
        find_repository(Path("--upload-pack=x"))
    Path("-n.tex").write_text("")
    assert find_repository(Path("-n.tex")) is None


def test_a_variable_that_names_no_repository_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    with pytest.raises(UsageError, match="GIT_DIR names /nowhere, which is not a git repository"):
        find_repository(tmp_path)


def test_a_worktree_whose_repository_is_gone_says_what_mends_it(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text(f"gitdir: {tmp_path}/gone/.git/worktrees/x\n")
    with pytest.raises(GitError, match=r"gone/\.git/worktrees/x, which does not exist: .* repair"):
        find_repository(tmp_path)


def test_a_line_break_in_the_name_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "a\nb").mkdir()
    assert find_repository(tmp_path / "a\nb") is None
    subprocess.run(["git", "init", "-q"], cwd=tmp_path / "a\nb", check=True)
    with pytest.raises(UsageError, match=r"a\\nb' has a line break in its name: rename"):
        find_repository(tmp_path / "a\nb")


def test_git_own_folder_is_not_called_bare(top: Path) -> None:
    message = found(top / ".git").without_files(Path(".git"), "").message
    assert message == f".git is in git's own folder: use {top.resolve()}"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            b"error: bad signature 0x62726167\nfatal: index file corrupt\n",
            "index file corrupt; delete .git/index, then run git reset",
        ),
        (
            b"warning: lazy fetching disabled; some objects may not be available\n"
            b"fatal: could not fetch 0e from promisor remote\n",
            "could not fetch 0e from promisor remote; this clone lacks files: "
            "run git fetch --refetch",
        ),
        (
            b"error: inflate: data stream error\nfatal: loose object e (in x) is corrupt\n",
            "loose object e (in x) is corrupt; "
            "git fsck lists the damage, git fetch --refetch repairs it",
        ),
    ],
)
def test_what_mends_a_repository_is_said(said: bytes, told: str) -> None:
    done = subprocess.CompletedProcess(["git"], 128, b"", said)
    assert git_module._failure(done).message == f"git failed: {told}"


def test_a_commit_may_be_named_by_its_message(top: Path) -> None:
    commit(top)
    assert found(top).resolve(":/chan") == found(top).commit


def test_a_broken_repository_is_an_error_and_not_a_plain_folder(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("nonsense")
    with pytest.raises(GitError, match="git failed: invalid gitfile"):
        find_repository(tmp_path)


def test_a_repository_of_somebody_else_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = "fatal: detected dubious ownership in repository at '/x'"
    stub(tmp_path / "bin", f'echo "{message}" >&2; exit 128', monkeypatch)
    with pytest.raises(GitError, match=r"dubious ownership.*safe\.directory"):
        find_repository(tmp_path)


def test_without_git_a_plain_folder_works_and_a_repository_does_not(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    (tmp_path / "plain").mkdir()
    assert find_repository(tmp_path / "plain") is None
    with pytest.raises(GitError, match="it is not installed, or not in PATH"):
        find_repository(top)


def test_a_repository_without_commits_has_no_head(top: Path) -> None:
    repository = found(top)
    assert repository.root == top
    assert repository.commit is None
    assert repository.head() is None
    assert repository.default_branch() is None
    assert repository.index() == ()


def test_git_that_takes_too_long_is_stopped_with_a_sentence(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = found(top, seconds=0.2)
    stub(tmp_path / "bin", f"exec {sys.executable} -c 'import time; time.sleep(20)'", monkeypatch)
    with pytest.raises(GitError, match=r"did not finish within 0\.2 seconds"):
        repository.head()


def test_every_spelling_of_a_commit_resolves_to_its_full_id(top: Path, git: Git) -> None:
    first = commit(top, a="1")
    second = commit(top, a="2")
    git("tag", "-a", "v1", "-m", "first", first)
    repository = found(top)
    assert repository.resolve("v1") == repository.resolve("HEAD~1") == first
    assert repository.resolve("main") == repository.resolve(second[:9]) == second
    assert repository.head() == second


@pytest.mark.parametrize("revision", ["nosuch", "HEAD~9", "f" * 40, "HEAD:a.tex", "main..main"])
def test_an_unknown_revision_is_named(top: Path, revision: str) -> None:
    commit(top, a="1")
    with pytest.raises(RevisionError, match="unknown revision '") as caught:
        found(top).resolve(revision)
    assert caught.value.revision == revision
    with pytest.raises(RevisionError):
        found(top).tree(revision)


@pytest.mark.parametrize("revision", ["", "-h", "--all", "a\nb", "a\0b", "a\x1b[1m"])
def test_a_revision_that_no_name_can_be_is_refused(top: Path, revision: str) -> None:
    repository = found(top)
    for call in (repository.resolve, repository.tree):
        with pytest.raises(RevisionError, match="is not a valid revision name"):
            call(revision)
    with pytest.raises(RevisionError):
        repository.merge_base("HEAD", revision)


@pytest.mark.parametrize("revision", ["HEAD~1", "origin/other", "0123456789abcdef"])
def test_what_a_shallow_clone_cut_off_is_told_apart(
    top: Path, tmp_path: Path, revision: str
) -> None:
    commit(top, a="1")
    commit(top, a="2")
    repository = shallow(top, tmp_path / "clone")
    assert repository.is_shallow
    with pytest.raises(ShallowError, match=r"--unshallow.*fetch-depth: 0"):
        repository.resolve(revision)
    with pytest.raises(RevisionError, match="unknown revision 'nosuch'"):
        repository.resolve("nosuch")


def test_the_default_branch_is_what_the_origin_says(top: Path, tmp_path: Path, git: Git) -> None:
    commit(top, a="1")
    git("branch", "-m", "trunk")
    git("clone", "-q", str(top), str(tmp_path / "clone"))
    repository = found(tmp_path / "clone")
    assert repository.default_branch() == "origin/trunk"
    run(tmp_path / "clone", "remote", "set-head", "origin", "-d")
    assert repository.default_branch() is None


@pytest.mark.parametrize("name", ["main", "master"])
def test_without_an_origin_the_default_branch_is_local(top: Path, git: Git, name: str) -> None:
    commit(top, a="1")
    git("branch", "-m", name)
    git("branch", f"{name}er")
    assert found(top).default_branch() == name


def test_the_origin_wins_over_the_local_branch(top: Path, git: Git) -> None:
    commit(top, a="1")
    git("update-ref", "refs/remotes/origin/master", "HEAD")
    assert found(top).default_branch() == "origin/master"


def test_the_merge_base_is_where_two_branches_parted(top: Path, git: Git) -> None:
    base = commit(top, a="1")
    git("checkout", "-q", "-b", "side")
    commit(top, a="2")
    git("checkout", "-q", "main")
    commit(top, b="3")
    assert found(top).merge_base("main", "side") == base


def test_what_led_to_a_commit_is_listed_with_no_parent_before_its_children(
    top: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = commit(top, a="1")
    git("checkout", "-q", "-b", "side")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00Z")  # a clock that is wrong
    side = commit(top, b="2")
    git("merge", "-q", "--no-ff", "--no-edit", "-m", "merge", "main")
    head = commit(top, a="3")
    repository = found(top)
    assert repository.ancestors(head, most=9) == (side, first)
    assert repository.ancestors(head, most=1) == (side,)
    assert repository.ancestors(first, most=9) == ()
    with pytest.raises(GitError):
        repository.ancestors("d" * 40, most=9)


def test_the_last_commit_without_a_file_is_found_on_the_branch_itself(top: Path, git: Git) -> None:
    first = commit(top, a="1")
    repository = found(top)
    assert repository.before_file(first, "x.tex") == first
    assert repository.before_file(first, "a.tex") == ""
    git("checkout", "-q", "-b", "side")
    commit(top, x="1")
    git("checkout", "-q", "main")
    second = commit(top, a="2")
    git("merge", "-q", "--no-ff", "--no-edit", "-m", "merge", "side")
    assert repository.before_file(commit(top, x="2"), "x.tex") == second
    git("rm", "-q", "x.tex")
    without = commit(top)
    assert repository.before_file(without, "x.tex") == without
    assert repository.before_file(commit(top, x="3"), "x.tex") == without


def test_unrelated_histories_have_no_merge_base(top: Path, git: Git) -> None:
    commit(top, a="1")
    git("checkout", "-q", "--orphan", "other")
    commit(top, a="2")
    assert found(top).merge_base("main", "other") is None
    with pytest.raises(RevisionError, match="'nosuch'"):
        found(top).merge_base("main", "nosuch")


def test_a_shallow_clone_without_the_merge_base_says_what_to_fetch(
    top: Path, git: Git, tmp_path: Path
) -> None:
    commit(top, a="1")
    git("checkout", "-q", "-b", "side")
    commit(top, a="2")
    git("checkout", "-q", "main")
    commit(top, a="3")
    repository = shallow(top, tmp_path / "clone", "--no-single-branch")
    with pytest.raises(
        ShallowError, match=r"where origin/main and origin/side diverged.*unshallow"
    ):
        repository.merge_base("origin/main", "origin/side")


def test_a_tree_lists_modes_and_odd_names_of_the_whole_repository(top: Path, git: Git) -> None:
    (top / "é ü").mkdir()
    (top / "é ü" / 'a\n"b.tex').write_text("x")
    (top / "link.tex").symlink_to("a.tex")
    oid = commit(top, a="")
    git("update-index", "--add", "--cacheinfo", f"160000,{oid},sub")
    git("commit", "-q", "-m", "submodule")
    entries = {entry.path: entry for entry in found(top / "é ü").tree("HEAD")}
    assert set(entries) == {'é ü/a\n"b.tex', "link.tex", "a.tex", "sub"}
    assert entries["a.tex"].oid == EMPTY
    assert entries["link.tex"].mode == SYMLINK
    assert (entries["sub"].mode, entries["sub"].oid) == (SUBMODULE, oid)


def test_the_worktree_tells_modified_deleted_untracked_and_ignored_apart(
    top: Path, git: Git
) -> None:
    commit(top, same="1", edited="1", staged="1", gone="1", removed="1", touched="1")
    (top / ".gitignore").write_text("ignored.tex\n")
    git("rm", "-q", "removed.tex")
    (top / "staged.tex").write_text("2")
    git("add", "staged.tex", ".gitignore")
    (top / "edited.tex").write_text("2")
    (top / "gone.tex").unlink()
    (top / "ignored.tex").write_text("2")
    (top / "new é\n.tex").write_text("2")
    os.utime(top / "touched.tex", (1, 1))
    state = found(top).worktree()
    assert state.modified == {"edited.tex"}
    assert state.deleted == {"gone.tex"}
    assert state.untracked == ("new é\n.tex",)
    paths = {entry.path for entry in state.entries}
    assert paths == {".gitignore", *(f"{n}.tex" for n in "same edited staged gone touched".split())}
    assert state.entries == found(top).index()


def test_of_an_unmerged_path_our_side_counts(top: Path, git: Git) -> None:
    commit(top, a="1", b="1")
    git("checkout", "-q", "-b", "side")
    commit(top, a="theirs", b="theirs")
    git("checkout", "-q", "main")
    git("rm", "-q", "b.tex")
    commit(top, a="ours")
    ours = git("rev-parse", "HEAD:a.tex")
    with pytest.raises(subprocess.CalledProcessError):
        git("merge", "side")
    state = found(top).worktree()
    assert [(entry.path, entry.oid) for entry in state.entries] == [("a.tex", ours)]
    assert state.modified == {"a.tex", "b.tex"}


def test_a_file_that_is_hidden_by_a_sparse_checkout_is_not_deleted(top: Path, git: Git) -> None:
    commit(top, a="1")
    git("update-index", "--skip-worktree", "a.tex")
    (top / "a.tex").unlink()
    state = found(top).worktree()
    assert state.deleted == frozenset()
    assert [entry.path for entry in state.entries] == ["a.tex"]


def test_blobs_come_once_and_in_order_with_none_for_what_is_missing_or_large(
    top: Path, git: Git
) -> None:
    commit(top, a="one\n", b="two\nthree", c="x" * 100, d="")
    a, b, c, d = (git("rev-parse", f"HEAD:{name}.tex") for name in "abcd")
    tree = git("rev-parse", "HEAD^{tree}")
    missing = "f" * 40
    blobs = list(found(top).read_blobs([b, missing, a, c, tree, b, d], limit=50))
    assert blobs == [
        (b, b"two\nthree"),
        (missing, None),
        (a, b"one\n"),
        (c, None),
        (tree, None),
        (d, b""),
    ]
    assert found(top).sizes([a, missing, c, a]) == {a: 4, c: 100}


def test_nothing_asked_starts_no_process(tmp_path: Path) -> None:
    nowhere = GitRepository(
        root=tmp_path / "no", git_dir=tmp_path / "no", common_dir=tmp_path / "no"
    )
    assert list(nowhere.read_blobs([], limit=9)) == []
    assert nowhere.sizes([]) == {}


@pytest.mark.parametrize("oid", ["", "--batch", "HEAD", "A" * 40, f"{EMPTY}\n{EMPTY}", "f" * 41])
def test_only_object_ids_can_be_read(top: Path, oid: str) -> None:
    with pytest.raises(ValueError, match="not an object id"):
        list(found(top).read_blobs([oid], limit=9))


def test_many_large_blobs_do_not_block_the_pipes(top: Path) -> None:
    commit(top, **{f"f{i}": f"{i}\n" * 20_000 for i in range(60)})
    repository = found(top)
    oids = [entry.oid for entry in repository.tree("HEAD")]
    wanted = [oid for pair in zip(oids, ["0" * 40] * len(oids), strict=True) for oid in pair]
    many = [f"{i:040x}" for i in range(20_000)]
    blobs = dict(repository.read_blobs(wanted + many, limit=10**6))
    assert sum(len(blobs[oid] or b"") for oid in oids) == sum(
        len(f"{i}\n") * 20_000 for i in range(60)
    )


def test_a_repository_with_sha256_is_read_alike(tmp_path: Path) -> None:
    run(tmp_path, "init", "-q", "--object-format=sha256")
    head = commit(tmp_path, a="1")
    repository = found(tmp_path)
    assert repository.object_format == "sha256"
    assert repository.commit == repository.resolve("HEAD") == head
    assert len(head) == 64
    (entry,) = repository.tree(head)
    assert dict(repository.read_blobs([entry.oid], limit=9)) == {entry.oid: b"1"}


def test_a_hooks_own_index_is_respected(
    top: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(top, a="1")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/other-index")
    git("read-tree", "--empty")
    (top / "b.tex").write_text("2")
    git("add", "b.tex")
    assert [entry.path for entry in found(top).index()] == ["b.tex"]


def test_a_repository_cannot_make_git_run_its_programs(top: Path, git: Git, tmp_path: Path) -> None:
    commit(top, a="1")
    spy = top / "spy.sh"
    spy.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    spy.chmod(0o755)
    git("config", "core.fsmonitor", str(spy))
    git("config", "core.hooksPath", str(top))
    git("config", "core.pager", str(spy))
    repository = found(top)
    repository.worktree()
    repository.tree("HEAD")
    assert not (tmp_path / "ran").exists()


def test_reading_leaves_the_index_file_alone(top: Path) -> None:
    commit(top, a="1")
    os.utime(top / "a.tex", (1, 1))
    before = (top / ".git" / "index").read_bytes()
    found(top).worktree()
    assert (top / ".git" / "index").read_bytes() == before


def test_a_damaged_repository_is_an_error_and_never_an_empty_paper(top: Path, git: Git) -> None:
    first = commit(top, a="1")
    commit(top, a="2")
    git("branch", "side", "HEAD~1")
    tree = git("rev-parse", "HEAD^{tree}")
    repository = found(top)
    for oid in (first, tree):
        (top / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    (top / ".git" / "index").write_bytes(b"nonsense")
    for call in (repository.index, repository.worktree, lambda: repository.tree("HEAD")):
        with pytest.raises(GitError, match="git failed: "):
            call()
    git("update-ref", "refs/heads/other", "HEAD")
    with pytest.raises((GitError, RevisionError)):
        repository.merge_base("main", "side")


def test_each_line_has_its_author_but_those_that_a_shallow_clone_does_not_reach(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = commit(top, a="one\ntwo\n")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "B")
    second = commit(top, a="one\nother\n")
    lines = blamed_lines(found(top), second, "a.tex")
    assert [tuple(line) for line in lines] == [("one", "A", first), ("other", "B", second)]
    assert list(blamed_lines(found(top), second, "gone.tex")) == []
    run(tmp_path, "clone", "-q", "--depth", "1", f"file://{top}", "shallow")
    cut = blamed_lines(found(tmp_path / "shallow"), "HEAD", "a.tex")
    assert [tuple(line) for line in cut] == [("one", "", ""), ("other", "", "")]


def test_git_says_its_version():
    from pfcore.repository import git

    assert git.version() >= git.OLDEST


def test_a_commit_has_the_date_of_its_committer(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2023-01-01T00:00:00+00:00")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2024-01-01T00:00:00+02:00")
    assert found(top).date(commit(top, a="x")) == "2024-01-01T00:00:00+02:00"
