"""Which two snapshots a command compares: base and head, from its options and the repository."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pfcore.domain.errors import (
    ConfigError,
    IncompleteError,
    NoPaperError,
    ShallowError,
    UsageError,
)
from pfcore.repository import snapshot, source_files
from pfcore.repository.git import GitRepository, find_repository, version
from pfcore.repository.snapshot import Snapshot
from pfcore.repository.source_files import SETTINGS, BlobCache, FolderLimits

if TYPE_CHECKING:
    from pfcore.domain.paper_settings import PaperSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionOptions:
    """The user's options; None where one was not given.

    `settings` is the revision whose settings and ledgers replace those of the snapshots.
    `repository` stands for the repository of a path that has none: the files of an archive.
    """

    path: Path
    base: str | None = None
    head: str | None = None
    staged: bool = False
    whole: bool = False
    settings: str | None = None
    repository: GitRepository | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Revisions:
    """The snapshot under review, and the base (None: the paper is reviewed without one).

    `folder` is the user's folder in the snapshot, "" for its top; `note` says why there is no base
    where one would be expected.
    """

    before: Snapshot | None
    after: Snapshot
    folder: str
    note: str = ""


def compared_revisions(wanted: RevisionOptions) -> Revisions:
    """The snapshots that the options mean; UsageError or RevisionError if they are invalid."""
    if wanted.staged and wanted.head:
        raise UsageError("--staged cannot be used with --head")
    if wanted.path.is_symlink() and not wanted.path.is_dir():
        _require_inside(wanted.path)
    repository = wanted.repository or find_repository(wanted.path)
    top = repository.root if repository else wanted.path
    for name in source_files.SETTINGS if top and not wanted.head else ():
        if top and (top / name).is_dir():
            raise ConfigError("it is a folder; expected a file", path=name)
    if repository is None:
        return _without_git(wanted)
    if repository.root is None and not wanted.head:
        raise repository.without_files(wanted.path, "choose a revision with --head")
    cache = BlobCache()
    after = _after(wanted, repository, cache)
    if wanted.staged and not after.paths and repository.commit is None:
        raise NoPaperError("nothing is staged: git add the files of the paper")
    before = None if wanted.whole else _before(wanted, repository, cache)
    if before is not None and wanted.base is None and _is_same(before, after):
        before = None
    if wanted.settings:
        trusted = snapshot.from_revision(repository, wanted.settings, cache=cache)
        after = snapshot.with_settings_of(after, trusted)
        before = before and snapshot.with_settings_of(before, trusted)
    is_lost = before is None and not (wanted.whole or wanted.staged) and repository.commit
    note = _NO_BRANCH if is_lost and repository.default_branch() is None else ""
    folder = place_within(wanted.path, repository.root)
    return Revisions(before=before, after=after, folder=folder, note=note)


def _require_inside(link: Path) -> None:
    """UsageError for a symbolic link to no file of the repository in which it lies."""
    if not link.exists():
        raise UsageError(f"{link} is a symbolic link to a missing file, and is not read")
    repository = find_repository(link.parent)
    root = repository and repository.root
    if root and not link.resolve().is_relative_to(root):
        raise UsageError(
            f"{link} is a symbolic link that leads outside the repository, and is not read"
        )


_NO_BRANCH = "nothing to compare with: no main or master found; choose a revision with --base REV"


def between(
    repository: GitRepository,
    base: str | None,
    head: str,
    *,
    trusted: str,
    limits: FolderLimits | None = None,
) -> Revisions:
    """Two commits, with the settings and ledgers of a third; base None: review the head alone."""
    cache = BlobCache()
    read = partial(snapshot.from_revision, repository, cache=cache, limits=limits)
    own = read(trusted)
    before = None if base is None else snapshot.with_settings_of(read(base), own)
    return Revisions(before=before, after=snapshot.with_settings_of(read(head), own), folder="")


_SOURCES = (".tex", ".ltx", ".pf")


def has_paper(repository: GitRepository, *commits: str | None, folder: str = "") -> bool:
    """Whether a commit has sources in a folder; for the top (""), a pf.toml counts as well."""
    commits_there = (snapshot.from_revision(repository, one) for one in filter(None, commits))
    paths = [path for moment in commits_there for path in moment.paths]
    if folder:
        paths = [path for path in paths if path.startswith(f"{folder}/")]
    elif any(path.rpartition("/")[2] == SETTINGS[0] for path in paths):
        return True
    return any(path.lower().endswith(_SOURCES) for path in paths)


def settings_of(moment: Snapshot) -> Iterator[PaperSettings]:
    """All settings in a snapshot; ConfigError if one cannot be read."""
    from pfcore.domain import paper_settings

    unread = {item.path: item.reason for item in moment.skipped}
    for path in (*unread, *moment.files):
        if path.rpartition("/")[2] == paper_settings.FILE_NAME:
            if path in unread:
                raise ConfigError(unread[path], path=path)
            yield paper_settings.parse_paper_settings(moment.settings_text(path), path=path)


def touches_no_paper(repository: GitRepository, base: str | None, head: str) -> bool:
    """Whether no file that may belong to a paper differs from `base`; False if there is no base."""
    if not base:
        return False
    return not any(map(source_files.is_of_interest, repository.differing(base, head)))


def _without_git(wanted: RevisionOptions) -> Revisions:
    if wanted.base or wanted.head or wanted.staged or wanted.settings:
        version()  # GitError where there is no git, which is another reason
        raise UsageError(f"not a git repository, so it has no revisions: {wanted.path}")
    if wanted.path.is_file():
        after = snapshot.from_file(wanted.path)
        return Revisions(before=None, after=after, folder=wanted.path.name)
    return Revisions(before=None, after=snapshot.from_folder(wanted.path), folder="")


def _after(wanted: RevisionOptions, repository: GitRepository, cache: BlobCache) -> Snapshot:
    if wanted.head:
        return snapshot.from_revision(repository, wanted.head, cache=cache)
    if wanted.staged:
        return snapshot.from_index(repository, cache=cache)
    return snapshot.working_tree(repository, cache=cache)


def _before(
    wanted: RevisionOptions, repository: GitRepository, cache: BlobCache
) -> Snapshot | None:
    base = _base(wanted, repository)
    return snapshot.from_revision(repository, base, cache=cache) if base else None


_ORIGIN = "origin/"


def _base(wanted: RevisionOptions, repository: GitRepository) -> str | None:
    """The base given by the user; else HEAD for the index, else the fork point of the branch.

    For a branch made from the local default branch it is the fork point from that one, even if
    the origin's default branch is elsewhere.
    """
    if wanted.base:
        return wanted.base
    head = repository.resolve(wanted.head) if wanted.head else repository.head()
    if head is None and repository.commit is not None:
        short = repository.commit[:12]
        message = f"this clone lacks the commit of HEAD, {short}: run git fsck, or clone again"
        raise IncompleteError(message)
    if head is None or wanted.staged:
        return head
    branch = repository.default_branch()
    base = repository.merge_base(branch, head) if branch else head
    if base is None:
        message = f"{branch} and HEAD have no common history here; choose a revision with --base"
        raise ShallowError(message, revision=branch or "HEAD")
    local = (branch or "").removeprefix(_ORIGIN)
    if local != branch and not wanted.head and repository.is_left(local):
        left = repository.merge_base(local, head)
        if left and repository.merge_base(base, left) == base:
            return left
    return base


def _is_same(before: Snapshot, after: Snapshot) -> bool:
    """Whether no text differs and no figure was removed: then the paper is reviewed without a base.

    Settings and ledgers do not count: editing them does not choose what is compared.
    """
    ours, theirs = (
        {path: entry.oid for path, entry in one.files.items() if not source_files.is_setting(path)}
        for one in (after, before)
    )
    gone = before.paths - after.paths
    return ours == theirs and not any(path.lower().endswith(source_files.FIGURES) for path in gone)


def place_within(path: Path, root: Path | None) -> str:
    """A path relative to the root of a repository; "" for the root and for paths outside it."""
    inside = path.resolve()
    if root is None or not inside.is_relative_to(root.resolve()):
        return ""
    relative = inside.relative_to(root.resolve()).as_posix()
    return "" if relative == "." else relative
