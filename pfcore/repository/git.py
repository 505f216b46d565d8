"""The one place that runs git: argument lists, no shell, no prompt, a time limit on every call.

Also parses git's lists of the entries of trees and of the index.
"""

import os
import re
import shlex
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pfcore.domain.errors import (
    GitError,
    IncompleteError,
    PfError,
    RevisionError,
    ShallowError,
    UsageError,
)
from pfcore.domain.lazy_regex import regex

_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_PAGER": "cat",
}
# A repository's own configuration must not make git run programs when we only read.
_SETTINGS = ("core.quotePath=false", "core.hooksPath=/dev/null", "core.fsmonitor=false")
_GIT = ("git", *(word for setting in _SETTINGS for word in ("-c", setting)))
_OF_ONE_REPOSITORY = frozenset(
    f"GIT_{name}"
    for name in """DIR WORK_TREE INDEX_FILE OBJECT_DIRECTORY ALTERNATE_OBJECT_DIRECTORIES
    COMMON_DIR PREFIX SHALLOW_FILE GRAFT_FILE NAMESPACE""".split()
)
_OID = regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_BEYOND_SHALLOW = regex(r"[~^]|^(?:origin|upstream|refs/remotes)/|^[0-9a-fA-F]{7,64}$")
_DEFAULT_BRANCHES = (
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "refs/heads/main",
    "refs/heads/master",
)
_DEEPEN = "fetch the history with `git fetch --unshallow` (in GitHub Actions: fetch-depth: 0)"


@dataclass(frozen=True, slots=True, kw_only=True)
class GitEntry:
    """A path of a tree or of the index; for a submodule, `oid` is a commit."""

    path: str
    mode: int
    oid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Worktree:
    """The index, and how the files on disk differ from it.

    `modified` holds the index paths whose file differs (or is unmerged), `deleted` those without a
    file, `untracked` the other files that are not ignored ("sub/": a nested repository).
    `unwatched` are the paths whose files git was told not to check.
    """

    entries: tuple[GitEntry, ...]
    modified: frozenset[str]
    deleted: frozenset[str]
    untracked: tuple[str, ...]
    unwatched: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class GitRepository:
    """A git repository in its state when it was found.

    `root` is the top of the working tree (None: bare), `commit` that of HEAD (None: no commit
    yet), `seconds` the time limit of each call. For a submodule (`is_inner`), the variables by
    which a hook names another repository are dropped. Every method may raise GitError.
    """

    root: Path | None
    git_dir: Path
    common_dir: Path
    commit: str | None = None
    object_format: str = "sha1"
    seconds: float = 60
    is_inner: bool = False

    def without_files(self, path: Path, advice: str) -> UsageError:
        """The error for a path without a working tree, with advice on what to do."""
        if self.git_dir.name == ".git":
            return UsageError(f"{path} is in git's own folder: use {self.git_dir.parent}")
        return UsageError(f"{path} is a bare repository: {advice}")

    @property
    def is_shallow(self) -> bool:
        """Whether the history was cut off when this repository was cloned or fetched."""
        return (self.common_dir / "shallow").is_file()

    def head(self) -> str | None:
        """The commit of HEAD now; None in a repository without commits."""
        return self._commit("HEAD")

    def resolve(self, revision: str) -> str:
        """The full commit id of a revision; RevisionError or ShallowError when it is unknown."""
        _check_revision(revision)
        return self._commit(revision) or self._raise_unknown(revision)

    def date(self, commit: str) -> str:
        """When a commit was made, by its committer's clock: `2024-01-01T00:00:00+00:00`."""
        _check_revision(commit)
        options = ("--no-show-signature", "--max-count=1", "--format=%cI", "--end-of-options")
        return decode_output(self._read("log", *options, commit)).strip()

    def default_branch(self) -> str | None:
        """The branch of origin/HEAD, else origin/main or origin/master, else main or master."""
        form = "--format=%(refname) %(symref)"
        lines = decode_output(self._read("for-each-ref", form, *_DEFAULT_BRANCHES)).split("\n")
        found = dict(line.split(" ") for line in lines if line)
        for name in _DEFAULT_BRANCHES:
            if name in found:
                branch = found[name] or name
                return branch.removeprefix("refs/remotes/").removeprefix("refs/heads/")
        return None

    def is_left(self, branch: str) -> bool:
        """Whether a local branch exists, and another one is checked out."""
        form = "--format=%(HEAD)%(refname)"
        found = decode_output(self._read("for-each-ref", form, "refs/heads")).split("\n")
        return f" refs/heads/{branch}" in found and any(line.startswith("*") for line in found)

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor of two revisions; None when they share no history."""
        _check_revision(one)
        _check_revision(other)
        done = self._run("merge-base", "--end-of-options", one, other)
        if done.returncode == 0:
            return decode_output(done.stdout).strip()
        if done.returncode == 1 and not self.is_shallow:
            return None
        self.resolve(one)
        self.resolve(other)
        if done.returncode == 1:
            message = f"this clone is too shallow to find where {one} and {other} diverged"
            raise ShallowError(f"{message}; {_DEEPEN}", revision=one)
        raise _failure(done)

    def ancestors(self, commit: str, *, most: int) -> tuple[str, ...]:
        """At most `most` ancestors of a commit, every child before its parents."""
        _check_revision(commit)
        options = ("--topo-order", f"--max-count={most + 1}", "--end-of-options")
        return tuple(decode_output(self._read("rev-list", *options, commit)).split())[1:]

    def before_file(self, commit: str, path: str) -> str:
        """The last commit of the branch at `commit` without this file; "" if all have it."""
        _check_revision(commit)
        last = ("--first-parent", "--diff-filter=AD", "--name-status", "--max-count=1")
        options = ("--no-show-signature", "--format=%P%x00", "--end-of-options", commit)
        found = decode_output(self._read("log", *last, *options, "--", f":(literal,top){path}"))
        parents, _, what = found.partition("\0")
        if not what.strip().startswith("A"):
            return commit
        return parents.split()[0] if parents.strip() else ""

    def log(self, form: str, since: str | None = None) -> list[str]:
        """Fields of the commits that led to HEAD, without merges; `form` ends each field with NUL.

        The latest comes first; commits that led to `since` are left out.
        """
        listed = ("HEAD", *([f"^{self.resolve(since)}"] if since else ()))
        options = ("--no-show-signature", "--no-merges", "-z", f"--format={form}")
        return records(self._read("log", *options, "--end-of-options", *listed, "--"))

    def patch(self, one: str, other: str, path: str) -> str:
        """The diff of a file between two revisions, without context lines."""
        _check_revision(one)
        _check_revision(other)
        options = ("--unified=0", "--inter-hunk-context=0", "--no-renames", "--no-color")
        own = ("--no-ext-diff", "--no-textconv", "--end-of-options", one, other)
        return decode_output(self._read("diff", *options, *own, "--", f":(literal,top){path}"))

    def blame(self, commit: str, path: str) -> str:
        """The output of `git blame --line-porcelain` for a file; "" if there is no such file."""
        _check_revision(commit)
        # blame has no --end-of-options; a revision that begins with "-" is refused above
        done = self._run("blame", "--line-porcelain", commit, "--", path)
        return "" if done.returncode else decode_output(done.stdout)

    def tree(self, commit: str) -> tuple[GitEntry, ...]:
        """All paths of a commit, submodules and symbolic links included."""
        _check_revision(commit)
        options = ("-r", "-z", "--full-tree", "--end-of-options")
        done = self._run("ls-tree", *options, commit)
        if done.returncode:
            self.resolve(commit)
            raise _failure(done)
        return tuple(tree_entry(record) for record in records(done.stdout))

    def index(self) -> tuple[GitEntry, ...]:
        """The staged paths; an unmerged path gives our side, or nothing if we deleted it."""
        return self.staged().entries

    def staged(self) -> Worktree:
        """The index alone; `modified` are its unmerged paths."""
        return worktree(self._read("ls-files", "-z", "-t", "-s"))

    def is_ignored(self, path: str) -> bool:
        """Whether git ignores an untracked file."""
        return self._run("check-ignore", "-q", "--", path).returncode == 0

    def worktree(self) -> Worktree:
        """The index and the modified, deleted and untracked files, from one process."""
        if self.root is None:
            raise UsageError(f"{self.git_dir} is a bare repository, without a working tree")
        options = ("-z", "-v", "-s", "-m", "-d", "-o", "--exclude-standard")
        return worktree(self._read("ls-files", *options))

    def differing(self, one: str, other: str | None = None, *, kind: str = "") -> tuple[str, ...]:
        """The paths that differ between two revisions, or between one and the index.

        `kind` restricts them to one kind of difference, by git's letter ("D": deleted).
        """
        _check_revision(one)
        _check_revision(other or one)
        command = ("diff-tree", "-r") if other else ("diff-index", "--cached")
        options = ("--name-only", "--no-renames", "--ignore-submodules", "-z")
        only = (f"--diff-filter={kind}",) if kind else ()
        named = ("--end-of-options", *filter(None, (one, other)))
        return tuple(records(self._read(*command, *options, *only, *named)))

    def submodule(self, path: str) -> "GitRepository | None":
        """The repository of a submodule that is checked out here."""
        if self.root is None or not (self.root / path / ".git").exists():
            return None
        found = find_repository(self.root / path, seconds=self.seconds, is_inner=True)
        return found if found and found.root == self.root / path else None

    def sizes(self, oids: Iterable[str]) -> dict[str, int]:
        """The sizes in bytes of those objects that this repository has."""
        wanted = _check_oids(oids)
        if not wanted:
            return {}
        lines = "".join(f"{oid}\n" for oid in wanted).encode()
        form = "--batch-check=%(objectname) %(objectsize)"
        output = decode_output(self._read("cat-file", form, "--buffer", feed=lines))
        fields = (line.split(" ") for line in output.splitlines())
        return {oid: int(size) for oid, size in fields if size.isdecimal()}

    def read_blobs(self, oids: Iterable[str], *, limit: int) -> Iterator[tuple[str, bytes | None]]:
        """Each blob once, in order, from one process; None if missing or above `limit` bytes.

        All requested blobs pass through memory: ask for `sizes` first.
        """
        wanted = _check_oids(oids)
        lines = "".join(f"{oid}\n" for oid in wanted).encode()
        output = self._read("cat-file", "--batch", "--buffer", feed=lines) if wanted else b""
        start = 0
        for oid in wanted:
            end = output.index(b"\n", start)
            header, start = output[start:end].split(), end + 1
            if header[-1] == b"missing":
                yield oid, None
                continue
            size = int(header[2])
            is_wanted = header[1] == b"blob" and size <= limit
            yield oid, output[start : start + size] if is_wanted else None
            start += size + 1

    def _command(self) -> tuple[str, ...]:
        # Not --git-dir in a working tree: inside a hook, GIT_DIR and GIT_INDEX_FILE must win.
        where = ("-C", str(self.root)) if self.root else (f"--git-dir={self.git_dir}",)
        return (*_GIT, *where)

    def _run(self, *arguments: str, feed: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = (*self._command(), *arguments)
        return _call(command, seconds=self.seconds, feed=feed, is_inner=self.is_inner)

    def _read(self, *arguments: str, feed: bytes = b"") -> bytes:
        done = self._run(*arguments, feed=feed)
        if done.returncode:
            raise _failure(done)
        return done.stdout

    def _commit(self, revision: str) -> str | None:
        # ":/words" finds a commit by its message, so a suffix would be taken as more words.
        form = revision if revision.startswith(":/") else f"{revision}^{{commit}}"
        done = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", form)
        return None if done.returncode else decode_output(done.stdout).split()[-1]

    def _raise_unknown(self, revision: str) -> str:
        if self.is_shallow and _BEYOND_SHALLOW.search(revision):
            message = f"this shallow clone does not have the revision '{revision}'"
            raise ShallowError(f"{message}; {_DEEPEN}", revision=revision)
        message = f"unknown revision '{revision}'"
        raise RevisionError(message, revision=revision)


OLDEST = (2, 30)
"""The first version of git that accepts --end-of-options wherever we use it."""


def version(*, seconds: float = 60) -> tuple[int, ...]:
    """The version of the installed git; GitError if there is none."""
    done = _call(("git", "--version"), seconds=seconds)
    found = re.search(r"\d+(?:\.\d+)+", decode_output(done.stdout))
    if done.returncode or not found:
        raise GitError("git printed no version; is it installed?")
    return tuple(map(int, found[0].split(".")))


def find_repository(
    path: Path, *, seconds: float = 60, is_inner: bool = False
) -> GitRepository | None:
    """The repository around a folder or file, or None; one git process.

    `is_inner`: it is a submodule, see `GitRepository`.
    """
    folder = _folder(path)
    options = ("--is-inside-work-tree", "--show-object-format", "--absolute-git-dir")
    where = ("--git-common-dir", "--show-cdup", "HEAD")
    try:
        command = (*_GIT, "rev-parse", *options, *where)
        done = _call(command, seconds=seconds, folder=folder, is_inner=is_inner)
    except GitError:
        if any(os.path.exists(f"{parent}/.git") for parent in (folder, *folder.parents)):  # noqa: PTH110 - false where permission is denied
            raise
        return None
    # Without commits git prints all but the last answer, then fails on HEAD.
    lines = decode_output(done.stdout).rstrip("\n").split("\n")
    if len(lines) < 4:
        if b"not a git repository" in done.stderr:
            if not is_inner:
                _require_none(folder)
            return None
        raise _failure(done)
    if "\n" in str(folder):
        raise UsageError(f"{str(folder)!r} has a line break in its name: rename that folder")
    root = folder / lines[4] if lines[0] == "true" else None
    return GitRepository(
        root=root and Path(os.path.realpath(root)),
        git_dir=Path(lines[2]),
        common_dir=Path(os.path.realpath(folder / lines[3])),
        commit=lines[-1] if _OID.fullmatch(lines[-1]) else None,
        object_format=lines[1],
        seconds=seconds,
        is_inner=is_inner,
    )


def _require_none(folder: Path) -> None:
    """Raise an error if git found no repository around a folder because the one there is broken.

    UsageError for a wrong GIT_DIR, IncompleteError for one that cannot be read, else GitError.
    """
    if named := os.environ.get("GIT_DIR"):
        raise UsageError(f"GIT_DIR names {named}, which is not a git repository: unset GIT_DIR")
    for place in (f"{one}/.git" for one in (folder, *folder.parents)):
        needed = os.R_OK | os.X_OK if os.path.isdir(place) else os.R_OK  # noqa: PTH112 - as above
        if os.path.lexists(place) and not os.access(place, needed):
            raise IncompleteError(f"cannot read {place}: permission denied")
        if os.path.isfile(place) or any(os.path.exists(f"{place}/{part}") for part in _PARTS):  # noqa: PTH110, PTH113 - as above
            raise GitError(f"{_broken(place)}; {_ELSEWHERE}")


def _broken(place: str) -> str:
    """What is wrong with a repository that git does not recognize, and how to repair it."""
    named = ""
    if os.path.isfile(place):  # noqa: PTH113 - as above
        with suppress(OSError), open(place, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - as above
            named = file.read(_MOST_OF_POINTER).partition("gitdir:")[2].strip()
    if not named or os.path.exists(os.path.join(os.path.dirname(place), named)):  # noqa: PTH110, PTH118, PTH120 - as above
        return f"{place} is broken (git: not a git repository): try git fsck, or clone again"
    return (
        f"{place} points to {named}, which does not exist: in the moved repository, run "
        "git worktree repair with this folder, or git worktree prune to discard this folder"
    )


_ELSEWHERE = "a copy of the files in another folder is reviewed without git"
_MOST_OF_POINTER = 4096
_PARTS = ("HEAD", "config", "objects", "refs")
"""Entries that a repository's folder has."""


def _folder(path: Path) -> Path:
    try:
        path.stat()
    except PermissionError as exc:
        raise IncompleteError(f"cannot read {path}: permission denied") from exc
    except (OSError, ValueError) as exc:
        raise UsageError(f"file or folder not found: {path}") from exc
    folder = path if path.is_dir() else path.parent
    if not os.access(folder, os.R_OK | os.X_OK):
        raise IncompleteError(f"cannot read {folder}: permission denied")
    return Path(os.path.realpath(folder))


def _check_revision(revision: str) -> None:
    if not revision or revision.startswith("-") or not revision.isprintable():
        raise RevisionError(f"{revision!r} is not a valid revision name", revision=revision)


def _check_oids(oids: Iterable[str]) -> list[str]:
    wanted = list(dict.fromkeys(oids))
    for oid in wanted:
        if not _OID.fullmatch(oid):
            raise ValueError(f"not an object id: {oid!r}")
    return wanted


def _call(
    command: tuple[str, ...],
    *,
    seconds: float,
    folder: Path | None = None,
    feed: bytes = b"",
    is_inner: bool = False,
) -> subprocess.CompletedProcess[bytes]:
    dropped = _OF_ONE_REPOSITORY if is_inner else ()
    environment = {name: value for name, value in os.environ.items() if name not in dropped}
    try:
        return subprocess.run(
            command,
            input=feed,
            capture_output=True,
            cwd=folder,
            env=environment | _ENVIRONMENT,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as exc:
        words = " ".join(command[len(_GIT) :])
        raise GitError(f"git did not finish within {seconds:g} seconds ({words})") from exc
    except OSError as exc:
        is_missing = isinstance(exc, FileNotFoundError) and exc.filename == command[0]
        why = "it is not installed, or not in PATH" if is_missing else exc.strerror
        raise GitError(f"git could not be started: {why}") from exc


def _failure(done: subprocess.CompletedProcess[bytes]) -> PfError:
    lines = decode_output(done.stderr).strip().splitlines()
    fatal = [line for line in lines if line.startswith("fatal: ")]
    others = [line for line in lines if not line.startswith("warning: ")]
    found = next(iter((*fatal, *others, *lines)), f"exit status {done.returncode}")
    reason = found.removeprefix("fatal: ").removeprefix("error: ")
    said = " ".join(lines)
    advice = next((words for sign, words in _ADVICE.items() if sign in said), "")
    if "dubious ownership" in reason:
        place = shlex.quote(reason.partition(" at ")[2].strip("'"))
        advice = f"; if you trust it: git config --global --add safe.directory {place}"
    return GitError(f"git failed: {reason}{advice}")


_ADVICE = {
    "index file": "; delete .git/index, then run git reset",
    "bad signature": "; delete .git/index, then run git reset",
    "from promisor remote": "; this clone lacks files: run git fetch --refetch",
    "lazy fetching disabled": "; this clone lacks files: run git fetch --refetch",
    "corrupt": "; git fsck lists the damage, git fetch --refetch repairs it",
    "inflate": "; git fsck lists the damage, git fetch --refetch repairs it",
    "unable to read": "; git fsck lists what is missing, git fetch --refetch downloads it",
}
"""Advice on repairing a repository, by a text in git's message; the first match counts."""


SYMLINK = 0o120000
SUBMODULE = 0o160000


def decode_output(output: bytes) -> str:
    """The output as text; bytes that are not UTF-8 become lone surrogates."""
    return output.decode("utf-8", "surrogateescape")


def records(output: bytes) -> list[str]:
    """The records of an output in which NUL ends each record."""
    return decode_output(output).split("\0")[:-1]


def tree_entry(record: str) -> GitEntry:
    """Reads a record of `ls-tree -z`."""
    fields, path = record.split("\t", 1)
    mode, _, oid = fields.split(" ")
    return GitEntry(path=path, mode=int(mode, 8), oid=oid)


def worktree(output: bytes) -> Worktree:
    """Parse `ls-files -z -v -s …`: a tag (H, S, M, C, R or ?), then a path or an index entry.

    A lower-case tag means that git was told to assume the file unchanged.
    """
    entries: dict[str, GitEntry] = {}
    modified, deleted, untracked = set[str](), set[str](), list[str]()
    unwatched = set[str]()
    for record in records(output):
        tag, rest = record[0], record[2:]
        if tag == "?":
            untracked.append(rest)
            continue
        fields, path = rest.split("\t", 1)
        mode, oid, stage = fields.split(" ")
        if tag.islower() or tag == "S":
            unwatched.add(path)
        tag = tag.upper()
        if tag == "R":
            deleted.add(path)
        elif tag in "CM":
            modified.add(path)
        if tag in "HSM" and stage in "02":
            entries[path] = GitEntry(path=path, mode=int(mode, 8), oid=oid)
    return Worktree(
        entries=tuple(entries.values()),
        modified=frozenset(modified - deleted),
        deleted=frozenset(deleted),
        untracked=tuple(untracked),
        unwatched=frozenset(unwatched),
    )
