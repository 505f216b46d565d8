import hashlib
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.domain.errors import (
    IncompleteError,
    RevisionError,
    ShallowError,
    SourceError,
    UsageError,
)
from pfcore.repository import snapshot as snapshots
from pfcore.repository import source_files
from pfcore.repository.git import GitEntry, GitRepository, find_repository
from pfcore.repository.snapshot import Snapshot
from pfcore.repository.source_files import BlobCache, FolderLimits, decode
from tests.pfcore.repository.conftest import Git, run

NOT_HERE = "submodule not checked out: run git submodule update --init"
OUT = "symbolic link that leads outside this folder or is absolute: put the file itself here"


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The git commands that were started, by name."""
    started: list[str] = []
    original = subprocess.run

    def spy(command: tuple[str, ...], **options: object) -> object:
        names = {"rev-parse", "ls-files", "ls-tree", "cat-file"}
        started.extend(word for word in command if word in names)
        return original(command, **options)  # type: ignore[call-overload]

    monkeypatch.setattr("pfcore.repository.git.subprocess.run", spy)
    return started


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.tex").write_text(text)


def commit(folder: Path, **files: str) -> str:
    write(folder, **files)
    run(folder, "add", "-A")
    run(folder, "commit", "-q", "--allow-empty", "-m", "change")
    return run(folder, "rev-parse", "HEAD")


def found(folder: Path) -> GitRepository:
    repository = find_repository(folder)
    assert repository
    return repository


def texts(snapshot: Snapshot) -> dict[str, str]:
    return {path: source.text for path, source in snapshot.read_many(snapshot.files).items()}


def reasons(snapshot: Snapshot) -> dict[str, str]:
    return {skipped.path: skipped.reason for skipped in snapshot.skipped}


# Which moment has which files


def test_revision_index_and_working_tree_each_show_their_own_content(top: Path, git: Git) -> None:
    commit(top, a="committed", b="same")
    write(top, a="staged")
    git("add", "a.tex")
    write(top, a="on disk")
    repository = found(top)
    revision = snapshots.from_revision(repository, "HEAD")
    index = snapshots.from_index(repository)
    tree = snapshots.working_tree(repository)
    assert texts(revision) == {"a.tex": "committed", "b.tex": "same"}
    assert texts(index) == {"a.tex": "staged", "b.tex": "same"}
    assert texts(tree) == {"a.tex": "on disk", "b.tex": "same"}
    assert (revision.name, index.name, tree.name) == ("HEAD", "index", "working tree")
    assert (revision.root, index.root, tree.root) == (None, None, top)


def test_a_revision_is_called_by_its_name_or_its_first_digits(top: Path) -> None:
    head = commit(top, a="1")
    by_name = snapshots.from_revision(found(top), "main")
    by_id = snapshots.from_revision(found(top), head)
    assert (by_name.name, by_id.name) == ("main", head[:12])
    assert by_name.commit == by_id.commit == head
    assert by_name.files == by_id.files


def test_untracked_files_belong_to_the_working_tree_unless_ignored(top: Path) -> None:
    (top / ".gitignore").write_text("draft.tex\n*.png\n")
    commit(top, a="1")
    write(top, new="2", draft="3")
    assert texts(snapshots.working_tree(found(top))) == {"a.tex": "1", "new.tex": "2"}
    assert list(snapshots.from_index(found(top)).files) == ["a.tex"]


def test_a_blueprint_that_lean_has_written_belongs_to_the_working_tree(top: Path) -> None:
    (top / ".gitignore").write_text(".lake\n")
    commit(top, a="1")
    folder = top / ".lake/build/blueprint/module/A.artifacts"
    folder.mkdir(parents=True)
    write(folder, x="2")
    (folder / "x.json").write_text("{}")
    write(top / ".lake/build", other="3")
    name = ".lake/build/blueprint/module/A.artifacts/x.tex"
    assert texts(snapshots.working_tree(found(top))) == {name: "2", "a.tex": "1"}
    assert list(snapshots.from_index(found(top)).files) == ["a.tex"]
    assert list(snapshots.from_revision(found(top), "HEAD").files) == ["a.tex"]


@pytest.mark.parametrize("link", [".lake", ".lake/build", ".lake/build/blueprint/library"])
def test_a_blueprint_behind_a_link_is_not_read(top: Path, tmp_path: Path, link: str) -> None:
    (top / ".gitignore").write_text(".lake\n")
    commit(top, a="1")
    away = tmp_path / "away"
    for inner in ("build/blueprint/library", "blueprint/library", "."):
        (away / inner).mkdir(parents=True, exist_ok=True)
        write(away / inner, x="2")
    (top / link).parent.mkdir(parents=True, exist_ok=True)
    (top / link).symlink_to(away)
    assert texts(snapshots.working_tree(found(top))) == {"a.tex": "1"}


def test_a_deleted_file_is_gone_from_the_working_tree_only(top: Path, git: Git) -> None:
    commit(top, a="1", b="2")
    (top / "a.tex").unlink()
    assert list(snapshots.working_tree(found(top)).files) == ["b.tex"]
    assert "a.tex" not in snapshots.working_tree(found(top)).paths
    assert list(snapshots.from_index(found(top)).files) == ["a.tex", "b.tex"]
    git("rm", "-q", "--cached", "a.tex")
    assert list(snapshots.from_index(found(top)).files) == ["b.tex"]


def test_a_renamed_file_keeps_its_blob_id(top: Path, git: Git) -> None:
    commit(top, a="1")
    git("mv", "a.tex", "b.tex")
    repository = found(top)
    old = snapshots.from_revision(repository, "HEAD")
    for new in (snapshots.working_tree(repository), snapshots.from_index(repository)):
        assert list(new.files) == ["b.tex"]
        assert new.files["b.tex"].oid == old.files["a.tex"].oid


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_blob_ids_are_those_that_git_would_give(tmp_path: Path, form: str) -> None:
    run(tmp_path, "init", "-q", f"--object-format={form}")
    commit(tmp_path, a="1")
    write(tmp_path, a="edited", new="é\n")
    entries = snapshots.working_tree(found(tmp_path)).files
    for path in ("a.tex", "new.tex"):
        assert entries[path].oid == run(tmp_path, "hash-object", path)
        assert entries[path].size == (tmp_path / path).stat().st_size
    commit(tmp_path)
    assert snapshots.from_revision(found(tmp_path), "HEAD").files == entries


def test_a_repository_without_commits_has_a_working_tree(top: Path) -> None:
    write(top, a="1")
    assert texts(snapshots.working_tree(found(top))) == {"a.tex": "1"}
    assert snapshots.from_index(found(top)).files == {}
    with pytest.raises(RevisionError):
        snapshots.from_revision(found(top), "HEAD")


def test_during_a_merge_the_file_on_disk_counts(top: Path, git: Git) -> None:
    commit(top, a="1", b="1")
    git("checkout", "-q", "-b", "side")
    commit(top, a="theirs", b="theirs")
    git("checkout", "-q", "main")
    git("rm", "-q", "b.tex")
    commit(top, a="ours")
    with pytest.raises(subprocess.CalledProcessError):
        git("merge", "side")
    tree = texts(snapshots.working_tree(found(top)))
    assert tree["b.tex"] == "theirs"
    assert "<<<<<<<" in tree["a.tex"]
    with pytest.raises(IncompleteError, match=r"merge conflict in a\.tex, b\.tex: resolve them"):
        snapshots.from_index(found(top))


def test_a_shallow_clone_shows_its_tip_and_refuses_what_lies_before(
    top: Path, tmp_path: Path
) -> None:
    first = commit(top, a="1")
    commit(top, a="2")
    run(tmp_path, "clone", "-q", "--depth", "1", f"file://{top}", "clone")
    repository = found(tmp_path / "clone")
    assert texts(snapshots.from_revision(repository, "HEAD")) == {"a.tex": "2"}
    for revision in ("HEAD~1", first):
        with pytest.raises(ShallowError):
            snapshots.from_revision(repository, revision)


def test_a_bare_repository_shows_its_revisions(top: Path, tmp_path: Path) -> None:
    commit(top, a="1")
    run(tmp_path, "clone", "-q", "--bare", str(top), "bare.git")
    repository = found(tmp_path / "bare.git")
    assert texts(snapshots.from_revision(repository, "main")) == {"a.tex": "1"}
    with pytest.raises(UsageError, match="bare"):
        snapshots.working_tree(repository)


def test_the_current_files_are_the_working_tree_or_else_the_folder(
    top: Path, tmp_path: Path
) -> None:
    (top / "sections").mkdir()
    commit(top, a="1")
    plain = tmp_path / "plain"
    plain.mkdir()
    write(plain, b="2")
    assert texts(snapshots.current(top / "sections")) == {"a.tex": "1"}
    assert texts(snapshots.current(plain)) == texts(snapshots.current(plain / "b.tex"))
    assert texts(snapshots.current(plain)) == {"b.tex": "2"}
    assert snapshots.current(plain).repository is None


# Which files are of interest


def test_only_sources_are_files_and_every_path_is_known(top: Path) -> None:
    names = "m.tex M.STY c.cls l.ltx d.def o.clo r.bib m.aux p.pf L.lean pf.toml pf.lock"
    others = "fig.pdf Makefile x.toml tex notes.lock my-pf.toml sub/a.png"
    (top / "sub").mkdir()
    for name in f"{names} {others}".split():
        (top / name).write_text(name)
    before = snapshots.working_tree(found(top))
    commit(top)
    for snapshot in (
        before,
        snapshots.from_folder(top),
        snapshots.from_index(found(top)),
        snapshots.from_revision(found(top), "HEAD"),
    ):
        assert list(snapshot.files) == sorted(names.split())
        assert snapshot.paths == set(f"{names} {others}".split())
        assert snapshot.skipped == ()


def test_names_with_spaces_and_accents_are_ordinary(top: Path) -> None:
    (top / "thèse 1").mkdir()
    (top / "thèse 1" / 'a "quote" — ∀.tex').write_text("x")
    commit(top)
    path = 'thèse 1/a "quote" — ∀.tex'
    assert texts(snapshots.from_revision(found(top), "HEAD")) == {path: "x"}
    assert texts(snapshots.working_tree(found(top))) == {path: "x"}
    assert texts(snapshots.from_folder(top)) == {path: "x"}


def test_a_plain_folder_leaves_hidden_folders_and_node_modules_out(tmp_path: Path) -> None:
    for folder in (".git", ".pf", ".lake", "node_modules", "a/node_modules", "a/b"):
        (tmp_path / folder).mkdir(parents=True)
        write(tmp_path / folder, x="1")
    assert list(snapshots.from_folder(tmp_path).files) == ["a/b/x.tex"]


def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="file or folder not found"):
        snapshots.from_folder(tmp_path / "nowhere")


# What is not read


def test_a_symlink_is_listed_as_skipped_and_never_read(top: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text("secret")
    (top / "link.tex").symlink_to(tmp_path / "secret.tex")
    (top / "figure.png").symlink_to("nowhere")
    untracked = snapshots.working_tree(found(top))
    commit(top, a="1")
    for snapshot in (
        untracked,
        snapshots.working_tree(found(top)),
        snapshots.from_index(found(top)),
        snapshots.from_revision(found(top), "HEAD"),
        snapshots.from_folder(top),
    ):
        assert "link.tex" not in snapshot.files
        assert snapshot.paths >= {"link.tex", "figure.png"}
        assert reasons(snapshot) == {"link.tex": OUT}
        with pytest.raises(SourceError, match="not read: symbolic link") as caught:
            snapshot.read("link.tex")
        assert caught.value.path == "link.tex"


PARTS = {
    "main.tex": "\\documentclass[12pt]{own}\\usepackage{tikz, my-macros}\\input inc/one\n"
    "\\include{inc/two words}\\newcommand{\\chap}[1]{\\input{ch/chap#1}}\\chap{3}"
    "\\bibliography{refs}\\includegraphics{fig}\\input{\\jobname-end}"
    "\\input{app.\\jobname.tex}",
    "app.main.tex": "",
    "own.cls": "\\RequirePackage{deep}",
    "deep.sty": "",
    "my-macros.sty": "",
    "inc/one.tex": "\\subimport{sub/}{three}",
    "inc/two words.tex": "",
    "inc/sub/three.tex": "",
    "ch/chap3.tex": "",
    "refs.bib": "@book{other}",
    "main-end.tex": "",
    "main.aux": "",
    "fig.png": "",
}
OTHERS = {
    "other.tex": "\\documentclass{article}",
    "one.tex.orig": "",
    "inc/zz.tex": "",
    "letters/refs.tex": "",
    "talks/deep/a.tex": "",
    "x.lean": "",
    "zz.sty": "",
}


def _written(folder: Path, listed: dict[str, str]) -> Path:
    for path, text in listed.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def test_of_a_single_file_only_what_it_may_include_is_read(tmp_path: Path) -> None:
    _written(tmp_path, PARTS | OTHERS)
    snapshot = snapshots.from_file(tmp_path / "main.tex")
    assert sorted(snapshot.files) == sorted({*PARTS} - {"fig.png"})
    assert snapshot.paths == {*PARTS, "one.tex.orig"}
    whole = snapshots.from_folder(tmp_path)
    assert snapshot.files == {path: whole.files[path] for path in snapshot.files}


@pytest.mark.parametrize(
    ("name", "more"),
    [("inc/one.tex", {}), ("main.tex", {"pf.toml": ""}), ("main.tex", {"pf.lock": ""})],
)
def test_a_part_of_a_paper_and_a_set_up_have_the_whole_folder(
    tmp_path: Path, name: str, more: dict[str, str]
) -> None:
    place = _written(tmp_path, PARTS | OTHERS | more) / name
    assert snapshots.from_file(place).files == snapshots.from_folder(place.parent).files


def test_a_file_in_markup_is_alone(tmp_path: Path) -> None:
    _written(tmp_path, {"a.pf": "<LEMMA_STATEMENT>{b}", "b.tex": "", "c.pf": "", "c.tex": ""})
    assert list(snapshots.from_file(tmp_path / "a.pf").files) == ["a.pf", "b.tex"]


def test_folders_that_are_not_named_are_not_looked_into(tmp_path: Path) -> None:
    text = "\\documentclass{article}\\input{.hid/a}\\input{out/b}"
    _written(tmp_path, {"main.tex": text, ".hid/a.tex": "", "away/a.tex": ""})
    _written(tmp_path, {"behind/b.tex": ""})
    (tmp_path / "out").symlink_to("behind")
    (tmp_path / "b.tex").symlink_to("behind/b.tex")
    for number in range(30):
        _written(tmp_path / f"more{number}", {"a.tex": ""})
    limits = FolderLimits(walked_files=40)
    snapshot = snapshots.from_file(tmp_path / "main.tex", limits=limits)
    assert list(snapshot.files) == ["behind/b.tex", "main.tex"]
    assert reasons(snapshot) == {"b.tex": "symbolic link", "out": "symbolic link"}
    assert dict(snapshot.links) == {"b.tex": "behind/b.tex", "out": "behind"}
    with pytest.raises(UsageError, match="more than 20 files; move the paper"):
        snapshots.from_file(tmp_path / "main.tex", limits=FolderLimits(walked_files=20))


def test_a_file_that_became_a_symlink_is_skipped(top: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text("secret")
    commit(top, a="1")
    (top / "a.tex").unlink()
    (top / "a.tex").symlink_to(tmp_path / "secret.tex")
    snapshot = snapshots.working_tree(found(top))
    assert not snapshot.files
    assert reasons(snapshot) == {"a.tex": OUT}


def test_a_symlink_that_became_a_file_is_read(top: Path) -> None:
    (top / "a.tex").symlink_to("nowhere")
    commit(top)
    (top / "a.tex").unlink()
    write(top, a="1")
    assert texts(snapshots.working_tree(found(top))) == {"a.tex": "1"}


def test_a_folder_that_became_a_symlink_is_not_followed(top: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    for folder in (outside, top / "sections"):
        folder.mkdir()
    write(outside, a="secret")
    write(top / "sections", a="1")
    commit(top)
    (top / "sections" / "a.tex").unlink()
    (top / "sections").rmdir()
    (top / "sections").symlink_to(outside)
    snapshot = snapshots.working_tree(found(top))
    assert not snapshot.files
    assert reasons(snapshot)["sections"] == OUT
    assert reasons(snapshots.from_folder(top)) == {"sections": OUT}


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("../secret.tex", OUT),
        (".git/config", OUT),
        ("/etc/passwd", OUT),
        ("b.tex", "symbolic link"),
        ("sub/c.tex", "symbolic link"),
        ("sub", "symbolic link"),
        ("gone.tex", "symbolic link to a missing file"),
        ("sub/gone.tex", "symbolic link to a missing file"),
    ],
)
def test_what_a_symlink_leads_to_is_told_at_each_moment(
    top: Path, target: str, reason: str
) -> None:
    (top / "sub").mkdir()
    write(top / "sub", c="1")
    (top / "a.tex").symlink_to(target)
    commit(top, b="1")
    for snapshot in (
        snapshots.working_tree(found(top)),
        snapshots.from_index(found(top)),
        snapshots.from_revision(found(top), "HEAD"),
        snapshots.from_folder(top),
    ):
        assert reasons(snapshot) == {"a.tex": reason}
        assert [item.is_closed for item in snapshot.skipped] == [reason == OUT]


def test_a_submodule_that_is_not_checked_out_is_skipped(top: Path, git: Git) -> None:
    oid = commit(top, a="1")
    (top / "sub.tex").mkdir()
    git("update-index", "--add", "--cacheinfo", f"160000,{oid},sub.tex")
    for snapshot in (snapshots.from_index(found(top)), snapshots.working_tree(found(top))):
        assert list(snapshot.files) == ["a.tex"]
        assert reasons(snapshot) == {"sub.tex": f"{NOT_HERE} sub.tex"}
        assert [item.is_closed for item in snapshot.skipped] == [True]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a b", f"{NOT_HERE} 'a b'"),
        ("$(id)", f"{NOT_HERE} '$(id)'"),
        ("--all", f"{NOT_HERE} ./--all"),
        ("a\x1b[31m", NOT_HERE),
    ],
)
def test_what_is_to_be_run_is_safe_whatever_a_submodule_is_called(
    top: Path, git: Git, name: str, said: str
) -> None:
    oid = commit(top, a="1")
    git("update-index", "--add", "--cacheinfo", f"160000,{oid},{name}")
    assert list(reasons(snapshots.from_index(found(top))).values()) == [said]


def test_a_submodule_inside_of_one_is_told_from_the_top(inner: Path) -> None:
    oid = run(inner, "rev-parse", "HEAD").strip()
    run(inner, "update-index", "--add", "--cacheinfo", f"160000,{oid},deep")
    (inner / "deep").mkdir()
    run(inner, "commit", "-q", "-m", "deep")
    said = reasons(snapshots.working_tree(found(inner.parent)))
    assert said == {
        "sub/deep": "submodule not checked out: run git submodule update --init --recursive sub"
    }


@pytest.fixture
def inner(top: Path, tmp_path: Path) -> Path:
    """A submodule that is checked out, at the second of its two commits; the first in HEAD."""
    other = tmp_path / "other"
    other.mkdir()
    run(other, "init", "-q")
    (other / "pf.toml").write_text("")
    commit(other, b="1")
    run(top, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "sub")
    commit(top, a="1")
    commit(top / "sub", b="2")
    return top / "sub"


@pytest.mark.parametrize("is_in_a_hook", [False, True])
def test_a_submodule_that_is_checked_out_has_its_files_at_its_own_moment(
    top: Path, inner: Path, git: Git, monkeypatch: pytest.MonkeyPatch, is_in_a_hook: bool
) -> None:
    git("add", "sub")
    write(inner, b="3", c="untracked")
    if is_in_a_hook:
        monkeypatch.setenv("GIT_DIR", str(top / ".git"))
        monkeypatch.setenv("GIT_INDEX_FILE", str(top / ".git" / "index"))
    repository = found(top)
    head = snapshots.from_revision(repository, "HEAD")
    assert texts(head) == {"a.tex": "1", "sub/b.tex": "1"}
    assert texts(snapshots.from_index(repository)) == {"a.tex": "1", "sub/b.tex": "2"}
    on_disk = snapshots.working_tree(repository)
    assert texts(on_disk) == {"a.tex": "1", "sub/b.tex": "3", "sub/c.tex": "untracked"}
    assert [head.is_own(path) for path in ("a.tex", "sub/b.tex")] == [True, False]
    assert not reasons(head)


def test_a_commit_that_the_submodule_does_not_have_is_skipped(
    top: Path, inner: Path, git: Git
) -> None:
    git("update-index", "--cacheinfo", f"160000,{'1' * 40},sub")
    moment = snapshots.from_index(found(top))
    assert list(moment.files) == ["a.tex"]
    assert reasons(moment) == {"sub": f"{NOT_HERE} sub"}
    assert texts(snapshots.working_tree(found(inner.parent)))["sub/b.tex"] == "2"


def test_a_repository_inside_this_one_is_skipped(top: Path) -> None:
    commit(top, a="1")
    (top / "other").mkdir()
    run(top / "other", "init", "-q")
    write(top / "other", b="2")
    commit(top / "other")
    snapshot = snapshots.working_tree(found(top))
    assert list(snapshot.files) == ["a.tex"]
    assert reasons(snapshot) == {"other": "a repository inside this one: make it a submodule"}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"a\nb.tex", r"a\nb.tex"),
        (b"a\x1b[31m.tex", r"a\x1b[31m.tex"),
        (b"a\\b.tex", r"a\b.tex"),
        (b"a\xff.tex", r"a\udcff.tex"),
        ("é\u202e.tex".encode(), r"é\u202e.tex"),
        (b"C:.tex", "C:.tex"),
    ],
)
def test_a_strange_name_is_skipped_and_shown_harmlessly(top: Path, name: bytes, shown: str) -> None:
    Path(os.fsdecode(bytes(top) + b"/" + name)).write_text("x")
    Path(os.fsdecode(bytes(top) + b"/" + name + b".png")).write_text("x")
    untracked = snapshots.working_tree(found(top))
    commit(top, a="1")
    revision = snapshots.from_revision(found(top), "HEAD")
    for snapshot in (untracked, revision, snapshots.from_folder(top)):
        assert list(reasons(snapshot)) == [shown]
        assert snapshot.paths <= {"a.tex"}
        assert set(snapshot.files) <= {"a.tex"}


@pytest.mark.parametrize(
    "path", ["../a.tex", "b/../a.tex", "/etc/a.tex", ".git/a.tex", "b/.GIT/a.tex", "./a.tex"]
)
def test_a_tree_with_a_path_that_leads_elsewhere_is_not_trusted(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tree(_: GitRepository, __: str) -> tuple[GitEntry, ...]:
        return (GitEntry(path=path, mode=0o100644, oid="a" * 40),)

    monkeypatch.setattr(GitRepository, "tree", tree)
    monkeypatch.setattr(GitRepository, "sizes", lambda *_: {})
    repository = GitRepository(root=tmp_path, git_dir=tmp_path, common_dir=tmp_path)
    snapshot = snapshots.from_revision(repository, "b" * 40)
    assert not snapshot.files
    assert reasons(snapshot) == {path: "unsafe characters in its name: rename it"}


@pytest.mark.parametrize(
    "path", ["a..b/c.tex", ".github/a.tex", "a/...tex", "git/x.tex", "ab:c.tex"]
)
def test_a_path_that_only_resembles_a_dangerous_one_is_read(tmp_path: Path, path: str) -> None:
    run(tmp_path, "init", "-q")
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text("x")
    assert list(snapshots.working_tree(found(tmp_path)).files) == [path]


def test_a_file_above_the_limit_is_skipped_at_every_moment(top: Path) -> None:
    limits = FolderLimits(file_bytes=10)
    write(top, large="x" * 11, fits="x" * 10)
    untracked = snapshots.working_tree(found(top), limits=limits)
    commit(top)
    for snapshot in (
        untracked,
        snapshots.working_tree(found(top), limits=limits),
        snapshots.from_index(found(top), limits=limits),
        snapshots.from_revision(found(top), "HEAD", limits=limits),
        snapshots.from_folder(top, limits=limits),
    ):
        assert reasons(snapshot) == {"large.tex": "larger than 10 bytes"}
        assert texts(snapshot) == {"fits.tex": "x" * 10}


def test_the_limits_on_number_and_total_keep_the_first_paths(tmp_path: Path) -> None:
    write(tmp_path, a="12345", b="12345", c="12", d="1")
    by_number = snapshots.from_folder(tmp_path, limits=FolderLimits(files=2))
    by_total = snapshots.from_folder(tmp_path, limits=FolderLimits(total_bytes=8))
    assert list(by_number.files) == ["a.tex", "b.tex"]
    assert reasons(by_number)["d.tex"] == "above the limit of 2 files"
    assert list(by_total.files) == ["a.tex", "c.tex", "d.tex"]
    assert "total limit" in reasons(by_total)["b.tex"]


def test_a_folder_with_too_many_files_is_refused(tmp_path: Path) -> None:
    write(tmp_path, a="1", b="2", c="3")
    with pytest.raises(UsageError, match="more than 2 files"):
        snapshots.from_folder(tmp_path, limits=FolderLimits(walked_files=2))


def test_a_named_pipe_is_skipped_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.tex")
    assert reasons(snapshots.from_folder(tmp_path)) == {"a.tex": "not a regular file"}


def test_what_vanishes_or_changes_between_listing_and_reading_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, gone="1", grown="1", linked="1", piped="1", stays="1")
    original = os.open

    def race(path: str, flags: int) -> int:
        (tmp_path / "gone.tex").unlink(missing_ok=True)
        write(tmp_path, grown="x" * 20)
        if not (tmp_path / "linked.tex").is_symlink():
            (tmp_path / "linked.tex").unlink()
            (tmp_path / "linked.tex").symlink_to("stays.tex")
            (tmp_path / "piped.tex").unlink()
            os.mkfifo(tmp_path / "piped.tex")
        return original(path, flags)

    monkeypatch.setattr("pfcore.repository.snapshot.os.open", race)
    snapshot = snapshots.from_folder(tmp_path, limits=FolderLimits(file_bytes=10))
    assert list(snapshot.files) == ["stays.tex"]
    assert reasons(snapshot) == {
        f"{name}.tex": "it changed while pf-verify read it"
        for name in ("gone", "grown", "linked", "piped")
    }


def test_a_file_that_vanishes_after_git_listed_it_is_skipped(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(top, gone="1")
    repository = found(top)
    state = repository.worktree()
    (top / "gone.tex").unlink()
    monkeypatch.setattr(GitRepository, "worktree", lambda _: state)
    assert reasons(snapshots.working_tree(repository)) == {
        "gone.tex": "it changed while pf-verify read it"
    }


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_skipped(tmp_path: Path) -> None:
    write(tmp_path, a="1")
    (tmp_path / "a.tex").chmod(0)
    assert reasons(snapshots.from_folder(tmp_path)) == {"a.tex": "permission denied"}


def test_a_folder_that_cannot_be_listed_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed").mkdir()
    write(tmp_path, a="1")
    original = os.scandir

    def scandir(path: str) -> object:
        if path.rstrip("/").endswith("closed"):
            raise PermissionError(path)
        return original(path)

    monkeypatch.setattr("pfcore.repository.snapshot.os.scandir", scandir)
    snapshot = snapshots.from_folder(tmp_path)
    assert list(snapshot.files) == ["a.tex"]
    assert reasons(snapshot) == {"closed/": "permission denied"}


def test_very_deep_folders_are_no_problem(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    write(tmp_path, a="1")
    try:
        assert "a.tex" in snapshots.from_folder(tmp_path).files
    finally:
        # Python's own removal of a folder recurses, and would fail at this depth.
        subprocess.run(("rm", "-rf", str(tmp_path / "d")), check=True)


def test_content_that_the_clone_lacks_is_an_error_at_its_path(top: Path, git: Git) -> None:
    commit(top, a="1")
    git("update-index", "--add", "--cacheinfo", f"100644,{'a' * 40},b.tex")
    snapshot = snapshots.from_index(found(top))
    assert snapshot.files["b.tex"].size is None
    with pytest.raises(SourceError, match=r"b\.tex:1:1: git cannot read its content") as caught:
        snapshot.read_many(["a.tex", "b.tex"])
    assert caught.value.path == "b.tex"


def test_reading_a_path_that_is_not_there_names_the_moment(top: Path) -> None:
    commit(top, a="1")
    with pytest.raises(SourceError, match="file not found in the working tree"):
        snapshots.working_tree(found(top)).read("nowhere.tex")


# How often git is asked


def test_a_quiet_working_tree_and_its_base_take_three_processes(
    top: Path, processes: list[str]
) -> None:
    head = commit(top, a="1", b="2")
    processes.clear()
    repository = found(top)
    tree = snapshots.working_tree(repository)
    base = snapshots.from_revision(repository, repository.commit or head, cache=tree.cache)
    assert base.files == tree.files
    assert processes == ["rev-parse", "ls-files", "ls-tree"]


def test_an_unmodified_file_is_not_opened(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(top, a="1", b="2")
    write(top, b="3")
    opened: list[str] = []
    original = source_files._content

    def spy(path: str, *, limit: int) -> bytes | None:
        opened.append(Path(path).name)
        return original(path, limit=limit)

    monkeypatch.setattr(source_files, "_content", spy)
    assert list(snapshots.working_tree(found(top)).files) == ["a.tex", "b.tex"]
    assert opened == ["b.tex"]


def test_two_snapshots_with_one_cache_read_a_shared_blob_once(
    top: Path, processes: list[str]
) -> None:
    commit(top, a="1", b="2", c="3")
    commit(top, b="changed")
    cache = BlobCache()
    base = snapshots.from_revision(found(top), "HEAD~1", cache=cache)
    head = snapshots.from_revision(found(top), "HEAD", cache=cache)
    processes.clear()
    assert texts(base) == {"a.tex": "1", "b.tex": "2", "c.tex": "3"}
    assert processes == ["cat-file"]
    assert head.read("a.tex") is base.read("a.tex")
    assert processes == ["cat-file"]
    assert head.read("b.tex").text == "changed"
    assert processes == ["cat-file", "cat-file"]


def test_files_that_are_foreseen_are_read_with_the_first_and_not_before(
    top: Path, processes: list[str]
) -> None:
    commit(top, a="1", b="2", c="3")
    moment = snapshots.from_revision(found(top), "HEAD")
    processes.clear()
    moment.foresee(["a.tex", "b.tex", "gone.tex"])
    assert processes == []
    assert moment.read("a.tex").text == "1"
    assert moment.read("b.tex").text == "2"
    assert processes == ["cat-file"]
    assert moment.read("c.tex").text == "3"
    assert processes == ["cat-file", "cat-file"]


# Encodings

_WIDE = "\\documentclass{article}\nThe group \u03b5 is \u6570\u5b66, and \u00e9t\u00e9.\n"


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        ("∀ε\n".encode(), "∀ε\n", "utf-8"),
        (b"\xef\xbb\xbfa", "a", "utf-8"),
        ("∀ε".encode("utf-16"), "∀ε", "utf-16"),
        (b"\xfe\xff" + "∀".encode("utf-16-be"), "∀", "utf-16"),
        (b"\xff\xfea\0b", "a\N{REPLACEMENT CHARACTER}", "utf-16"),
        (_WIDE.encode("utf-16-le"), _WIDE, "utf-16"),
        (_WIDE.encode("utf-16-be"), _WIDE, "utf-16"),
        (_WIDE.encode("utf-32"), _WIDE, "utf-32"),
        (b"\0\0\xfe\xff" + _WIDE.encode("utf-32-be"), _WIDE, "utf-32"),
        (_WIDE.encode("utf-32-le"), _WIDE, "utf-32"),
        (_WIDE.encode("utf-32-be"), _WIDE, "utf-32"),
        (b"a\r\nb\rc\n\rd", "a\nb\nc\n\nd", "utf-8"),
        (b"a\0b", "a b", "utf-8"),
        (b"caf\xe9", "café", "cp1252"),
        (b"\x93q\x94 \x81", "\u201cq\u201d \x81", "cp1252"),
        ("ε and ".encode() + b"caf\xe9", "ε and café", "cp1252"),
        (b"\xef\xbb\xbfcaf\xe9", "café", "cp1252"),
    ],
)
def test_text_is_decoded_from_what_authors_have(data: bytes, text: str, encoding: str) -> None:
    source = decode(data)
    assert (source.text, source.encoding) == (text, encoding)
    assert (source.note is None) == (encoding == "utf-8")


_RUSSIAN = "Лемма о простых делителях многочлена с целыми коэффициентами. " * 9


@pytest.mark.parametrize(
    ("declared", "encoding", "text"),
    [
        (r"\usepackage[cp1251]{inputenc}", "cp1251", "Лемма"),
        (r"\usepackage[T2A]{fontenc}\usepackage[koi8-r]{inputenc}", "koi8-r", "Лемма"),
        (r"\usepackage[cp866]{inputenc}", "cp866", "Лемма"),
        (r"\RequirePackage[latin2]{inputenc}", "latin2", "Věta"),
        (r"x \inputencoding{cp1250}", "cp1250", "Věta"),
        ("% !TeX encoding = windows-1250", "windows-1250", "Věta"),
        (r"\usepackage[applemac]{inputenc}", "mac_roman", "Théorème"),
    ],
)
def test_a_text_is_read_in_the_encoding_that_it_declares(
    declared: str, encoding: str, text: str
) -> None:
    source = decode(f"{declared}\n{text}\n".encode(encoding))
    assert (source.text, source.encoding) == (f"{declared}\n{text}\n", encoding)
    assert source.note == f"is not UTF-8; read as {encoding}, as it declares"


@pytest.mark.parametrize(
    "declared",
    [r"\usepackage[latin1]{inputenc}", r"\usepackage[utf8]{inputenc}",
     r"%\usepackage[cp1251]{inputenc}",
     r"\usepackage[nonsense]{inputenc}", r"\usepackage[utf-16]{inputenc}"],
)  # fmt: skip
def test_a_declaration_that_says_nothing_of_such_bytes_leaves_the_usual_one(declared: str) -> None:
    source = decode(f"{declared}\n".encode() + b"caf\xe9")
    assert (source.text.split("\n")[1], source.encoding) == ("café", "cp1252")


def test_greek_that_declares_nothing_is_not_taken_for_cyrillic() -> None:
    text = "Θεώρημα. Κάθε συνεχής συνάρτηση σε κλειστό διάστημα είναι φραγμένη και παίρνει μέγιστο."
    read = decode(text.encode("iso8859_7"))
    assert (read.text, read.encoding) == (text, "iso8859_7")
    russian = "Лемма. Очень простая функция на отрезке ограничена и принимает значение ОБЪЁМА."
    assert decode(russian.encode("koi8-r")).text == russian


@pytest.mark.parametrize("encoding", ["cp1251", "koi8-r", "cp866"])
def test_a_part_in_cyrillic_that_declares_nothing_is_known_by_its_letters(encoding: str) -> None:
    few = r"\newtheorem{lemma}{Лемма}\newcommand{\proof}{\textit{Доказательство}}"
    source = decode(_RUSSIAN.encode(encoding))
    assert (source.text, source.encoding) == (_RUSSIAN, encoding)
    assert decode(few.encode(encoding)).text == few
    assert source.note == f"is not UTF-8; read as {encoding}, as its letters suggest"
    assert (
        decode(("Théorème de Poincaré, à démontrer. " * 20).encode("latin-1")).encoding == "cp1252"
    )


@pytest.mark.parametrize("encoding", ["cp932", "euc_jp"])
def test_a_part_in_japanese_that_declares_nothing_is_known_by_its_kana(encoding: str) -> None:
    text = "\\chapter{\u57fa\u672c\u7fa4}\u3053\u3053\u3067\u306f\u4f4d\u76f8\u8868\u73fe\u3092"
    source = decode(text.encode(encoding))
    assert (source.text, source.encoding) == (text, encoding)
    assert decode(_RUSSIAN.encode("cp1251")).encoding == "cp1251"
    assert decode("Les \u00e9l\u00e8ves \u00e9tudient.".encode("latin-1")).encoding == "cp1252"


def test_one_nul_is_an_accident_and_many_are_no_text() -> None:
    assert not decode(b"One stray \0 in a text. " + b"And more of it. " * 9).is_binary
    assert decode(b"\0\1\2\3").is_binary
    assert decode("text".encode("utf-16-le") + b"\0").is_binary
    assert decode("text".encode("utf-16") + b"\0").is_binary
    assert decode("text".encode("utf-32") + b"\0").is_binary
    assert decode(b"a\0" * 40 + b"\0\xdc").is_binary
    assert not decode(b"\0\1\2\3").is_wide
    assert not decode("text".encode("utf-16")).is_binary
    assert not decode(b"\x1b[1mbold, without a NUL").is_binary


def test_a_file_that_is_no_text_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_bytes(b"\0\1\2")
    with pytest.raises(SourceError, match=r"a\.tex:1:1: binary file \(NUL bytes\)"):
        snapshots.from_folder(tmp_path).read("a.tex")


def test_a_file_that_may_be_utf_16_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_bytes("tex".encode("utf-16-be"))
    with pytest.raises(SourceError, match=r"\(NUL bytes\), perhaps UTF-16: save it as UTF-8"):
        snapshots.from_folder(tmp_path).read("a.tex")


def test_a_link_to_itself_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.tex").symlink_to("a.tex")
    said = "symbolic link to itself: put the file itself here"
    assert reasons(snapshots.from_folder(tmp_path)) == {"a.tex": said}


def test_a_tracked_file_in_a_folder_that_may_not_be_entered_is_no_missing_one(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(top, a="1")
    repository = found(top)
    state = replace(repository.worktree(), deleted=frozenset({"a.tex"}))
    monkeypatch.setattr(GitRepository, "worktree", lambda _: state)

    def denied(path: str, *_: object) -> None:
        raise PermissionError(path)

    monkeypatch.setattr("pfcore.repository.snapshot.os.lstat", denied)
    monkeypatch.setattr("pfcore.repository.source_files.os.open", denied)
    snapshot = snapshots.working_tree(repository)
    assert (reasons(snapshot), "a.tex" in snapshot.paths) == ({"a.tex": "permission denied"}, True)


def test_folders_are_those_above_files_and_those_on_disk(tmp_path: Path) -> None:
    for name in ("a/b/c.txt", "d.tex/e.pdf"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "empty").mkdir()
    folders = snapshots.from_folder(tmp_path).folders
    assert all(name in folders for name in ("a", "a/b", "d.tex", "empty"))
    assert not any(name in folders for name in ("a/b/c.txt", "b", "nothing", "x" * 5_000))


def test_a_file_that_is_not_utf8_says_from_where(tmp_path: Path) -> None:
    (tmp_path / "sec1.tex").write_bytes(b"one\r\ntwo\rcaf\xe9 na\xefve")
    source = snapshots.from_folder(tmp_path).read("sec1.tex")
    assert source.text == "one\ntwo\ncafé naïve"
    assert source.note == "sec1.tex is not UTF-8; read as Windows-1252 from byte 12 (line 3)"


def test_the_same_bytes_under_two_names_have_each_its_note(tmp_path: Path) -> None:
    for name in ("a.tex", "b.tex"):
        (tmp_path / name).write_bytes(b"\xe9")
    sources = snapshots.from_folder(tmp_path).read_many(["a.tex", "b.tex"])
    assert [(source.note or "")[:5] for source in sources.values()] == ["a.tex", "b.tex"]


@given(st.binary())
def test_any_bytes_give_text_that_can_be_written_again(data: bytes) -> None:
    text = decode(data).text
    text.encode()
    assert "\r" not in text
    assert "\0" not in text


@given(st.text())
def test_utf8_text_comes_back_but_for_its_line_ends(text: str) -> None:
    source = decode(text.removeprefix("\ufeff").encode())
    if source.encoding == "utf-8" and not text.startswith("\ufeff"):
        plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ")
        assert source.text == plain


def test_a_blob_is_hashed_as_git_hashes_it(tmp_path: Path) -> None:
    write(tmp_path, a="x")
    expected = hashlib.sha1(b"blob 1\0x").hexdigest()
    assert snapshots.from_folder(tmp_path).files["a.tex"].oid == expected


def test_files_that_few_ask_for_are_read_at_each_moment(top: Path, git: Git) -> None:
    (top / "sub").mkdir()
    for name in ("main.tex", "own.cfg", "sub/a.TIKZ", "gone.cfg", "plot.csv"):
        (top / name).write_text(f"old {name}")
    (top / "link.cfg").symlink_to(top / "own.cfg")
    git("add", ".")
    git("commit", "-qm", "x")
    (top / "own.cfg").write_text("staged")
    git("add", ".")
    (top / "own.cfg").write_text("new")
    (top / "gone.cfg").unlink()
    repository = find_repository(top)
    assert repository is not None
    wanted = (".cfg", ".tikz", ".tex")
    tikz = {"sub/a.TIKZ": b"old sub/a.TIKZ"}
    assert snapshots.working_tree(repository).others(wanted) == {"own.cfg": b"new", **tikz}
    gone = {"gone.cfg": b"old gone.cfg"}
    staged = snapshots.from_index(repository).others(wanted)
    assert staged == {"own.cfg": b"staged", **tikz, **gone}
    then = snapshots.from_revision(repository, "HEAD").others(wanted)
    assert then == {"own.cfg": b"old own.cfg", **tikz, **gone}


def test_a_file_that_few_ask_for_is_not_read_behind_a_link_or_beyond_its_bound(
    top: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.cfg").write_text("secret")
    (top / "sub").mkdir()
    (top / "sub/secret.cfg").write_text("own")
    (top / "big.cfg").write_text("x" * 100)
    (top / "main.tex").write_text("x")
    found = snapshots.from_folder(top, limits=FolderLimits(file_bytes=50))
    (top / "sub/secret.cfg").unlink()
    (top / "sub").rmdir()
    (top / "sub").symlink_to(tmp_path / "outside")
    assert found.others((".cfg",)) == {}
