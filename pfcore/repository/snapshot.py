"""A paper's files at one moment: of a working tree, an index, a revision, or a plain folder."""

import os
import stat
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType

from pfcore.domain.errors import ConfigError, IncompleteError, PfError, SourceError, UsageError
from pfcore.domain.lazy_regex import regex
from pfcore.repository.git import SUBMODULE, SYMLINK, GitEntry, GitRepository, find_repository
from pfcore.repository.source_files import (
    SETTINGS,
    BlobCache,
    Candidates,
    DecodedText,
    FileEntry,
    FolderLimits,
    Skipped,
    content_below,
    is_of_interest,
    is_setting,
    submodule_reason,
)

_BINARY = "binary file (NUL bytes)"
_WIDE = f"{_BINARY}, perhaps UTF-16: save it as UTF-8"
_REFETCH = "git fetch --refetch downloads it again"
LFS_POINTER = "version https://git-lfs.github.com/spec/"
"""The first line of a file that only says where Git LFS keeps the content."""
_POINTER = "a Git LFS pointer without its content: run git lfs pull"
_FULL = regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The files of interest at one moment, by POSIX path below the top folder, sorted.

    `paths` are all paths, figures included. `links` are the symbolic links to targets inside, with
    their targets. `submodules` are the submodules that are checked out, by folder, each as its own
    snapshot; their files are among the files. `root` is the top folder, for a snapshot of files on
    disk; `commit` the commit id, for a revision. `lender` is the snapshot whose settings and
    ledgers replace its own, if any.
    """

    name: str
    files: Mapping[str, FileEntry]
    paths: frozenset[str]
    skipped: tuple[Skipped, ...] = ()
    links: Mapping[str, str] = field(default_factory=dict)
    submodules: Mapping[str, "Snapshot"] = field(default_factory=dict)
    root: Path | None = None
    commit: str | None = None
    repository: GitRepository | None = field(default=None, repr=False)
    cache: BlobCache = field(default_factory=BlobCache, repr=False, compare=False)
    limits: FolderLimits = field(default_factory=FolderLimits, repr=False)
    lender: "Snapshot | None" = field(default=None, repr=False, compare=False)

    def read(self, path: str) -> DecodedText:
        """A file's text; SourceError if it cannot be read. For several files use `read_many`."""
        entry = self._entry(path)
        return self._source(entry) if entry.oid in self.cache else self.read_many((path,))[path]

    def settings_text(self, path: str) -> str:
        """The text of a settings file; ConfigError if it cannot be read."""
        try:
            return self.read(path).text
        except SourceError as error:
            raise ConfigError(error.reason, path=path) from error

    @property
    def folders(self) -> "Folders":
        """The folders of all paths."""
        return Folders(self.paths, self.root)

    def read_many(self, paths: Iterable[str]) -> dict[str, DecodedText]:
        """The texts of many files, from at most one git process; SourceError as in `read`.

        Files of submodules come from their own repositories, one more process for each.
        """
        entries = [self._entry(path) for path in paths]
        for folder, inner in self.submodules.items():
            below = (entry.path.removeprefix(f"{folder}/") for entry in entries)
            inner.read_many(path for path in below if path in inner.files)
        missing = sorted({entry.oid for entry in entries if entry.oid not in self.cache})
        if missing and self.repository:
            missing += self.cache.foreseen()
            for oid, data in self.repository.read_blobs(missing, limit=self.limits.file_bytes):
                if data is not None:
                    self.cache.add(oid, data)
        return {entry.path: self._source(entry) for entry in entries}

    def others(
        self, suffixes: tuple[str, ...], *, most: int | None = None, limit: int | None = None
    ) -> dict[str, bytes]:
        """The contents, as bytes, of the files with these suffixes that are not among `files`.

        By path; links, files behind links, and files that are missing or too large are left out.
        `most` is how many files are read, `limit` the largest size of one; None: no bound on the
        number, and the usual limit on sizes.
        """
        wanted = [
            path
            for path in sorted(self.paths)
            if path.lower().endswith(suffixes) and path not in self.files
        ][:most]
        return self.contents(wanted, limit=self.limits.file_bytes if limit is None else limit)

    def contents(self, paths: Iterable[str], *, limit: int) -> dict[str, bytes]:
        """The contents of files, as bytes, whatever their names; left out as in `others`."""
        wanted = sorted(self.paths.intersection(paths))
        if self.root is not None:
            found = {path: content_below(self.root, path, limit=limit) for path in wanted}
            return {path: data for path, data in found.items() if data is not None}
        if self.repository is None or not wanted:
            return {}
        listed = self.repository.tree(self.commit) if self.commit else self.repository.index()
        entries = {item.path: item.oid for item in listed if item.mode not in (SUBMODULE, SYMLINK)}
        oids = {path: entries[path] for path in wanted if path in entries}
        sizes = self.repository.sizes(sorted(set(oids.values())))
        small = sorted(oid for oid, size in sizes.items() if size <= limit)
        blobs = dict(self.repository.read_blobs(small, limit=limit))
        return {path: data for path, oid in oids.items() if (data := blobs.get(oid)) is not None}

    def is_own(self, path: str) -> bool:
        """Whether a file belongs to this repository and not to a submodule."""
        return not self.submodule_of(path)

    def submodule_of(self, path: str) -> str:
        """The folder of the submodule that a file belongs to; "" if there is none."""
        return next((one for one in self.submodules if path.startswith(f"{one}/")), "")

    def foresee(self, paths: Iterable[str]) -> None:
        """Let the next read include these files, because each read is a git process."""
        self.cache.foresee(self.files[path].oid for path in paths if path in self.files)

    def _source(self, entry: FileEntry) -> DecodedText:
        source = self.cache.source(entry.oid)
        if source is None:
            lost = f"git cannot read its content (object {entry.oid[:8]}; see git fsck)"
            raise SourceError(f"{lost}: {_REFETCH}", path=entry.path)
        if source.is_binary:
            is_broken = source.encoding in ("utf-16", "utf-32")
            words = f"broken {source.encoding.upper()}: save it as UTF-8" if is_broken else _BINARY
            raise SourceError(_WIDE if source.is_wide else words, path=entry.path)
        if source.text.startswith(LFS_POINTER):
            raise SourceError(_POINTER, path=entry.path)
        return replace(source, note=f"{entry.path} {source.note}") if source.note else source

    def _entry(self, path: str) -> FileEntry:
        if path in self.files:
            return self.files[path]
        reason = next((item.reason for item in self.skipped if item.path == path), None)
        message = f"not read: {reason}" if reason else f"file not found in the {self.name}"
        raise SourceError(message, path=path)


@dataclass(frozen=True)
class Folders(Container[str]):
    """The parent folders of some paths; for files on disk, also folders without such a path."""

    paths: frozenset[str]
    root: Path | None

    def __contains__(self, path: object) -> bool:
        if path in self._above:
            return True
        try:
            return self.root is not None and stat.S_ISDIR(os.lstat(f"{self.root}/{path}").st_mode)
        except OSError:
            return False

    @cached_property
    def _above(self) -> frozenset[str]:
        return frozenset(
            path[:end] for path in self.paths for end, sign in enumerate(path) if sign == "/"
        )


def with_settings_of(moment: Snapshot, trusted: Snapshot) -> Snapshot:
    """A snapshot with the settings and ledgers of another one of the same repository."""
    chosen = {path: entry for path, entry in trusted.files.items() if is_setting(path)}
    kept = {path: entry for path, entry in moment.files.items() if not is_setting(path)}
    others = (path for path in moment.paths if not is_setting(path))
    skipped = [item for item in moment.skipped if not is_setting(item.path)]
    skipped += [item for item in trusted.skipped if is_setting(item.path)]
    return replace(
        moment,
        files=MappingProxyType(dict(sorted({**kept, **chosen}.items()))),
        paths=frozenset((*others, *chosen)),
        skipped=tuple(sorted(skipped, key=lambda item: item.path)),
        lender=trusted,
    )


def current(
    path: Path, *, cache: BlobCache | None = None, limits: FolderLimits | None = None
) -> Snapshot:
    """The working tree of the repository around a path, or else the plain folder."""
    seconds = (limits or FolderLimits()).git_seconds
    repository = find_repository(path, seconds=seconds)
    if repository and repository.root:
        return working_tree(repository, cache=cache, limits=limits)
    return from_folder(path, cache=cache, limits=limits)


def from_folder(
    path: Path, *, cache: BlobCache | None = None, limits: FolderLimits | None = None
) -> Snapshot:
    """A plain folder, without git; hidden folders and node_modules are not entered."""
    if not path.exists():
        raise UsageError(f"file or folder not found: {path}")
    root = (path if path.is_dir() else path.parent).resolve()
    listing = Candidates(limits, cache, root=root)
    pending = [""]
    while pending:
        pending += listing.add_folder(pending.pop())
        if len(listing.paths) > listing.limits.walked_files:
            most = f"{listing.limits.walked_files:,}"
            raise UsageError(f"{root} has more than {most} files; give the folder of the paper")
    return _snapshot(listing, "working tree")


def from_file(
    path: Path, *, cache: BlobCache | None = None, limits: FolderLimits | None = None
) -> Snapshot:
    """A single document, without git: its file, and those of its folder that it may include.

    The whole folder if it has settings or a ledger, or if the file is not a document by itself.
    """
    root, name = path.parent.resolve(), path.name
    listing = Candidates(limits, cache, root=root)
    data = content_below(root, name, limit=listing.limits.file_bytes)
    mark = b"_STATEMENT" if name.lower().endswith(".pf") else b"\\documentclass"
    is_alone = data is not None and mark in data
    if not is_alone or any((root / item).exists() for item in SETTINGS):
        return from_folder(path, cache=cache, limits=limits)
    from pfcore.repository.document_parts import DocumentParts  # late: only without git

    for part in DocumentParts(root, listing.limits).of(name):
        listing.add_file(part)
    return _snapshot(listing, "working tree")


def working_tree(
    repository: GitRepository, *, cache: BlobCache | None = None, limits: FolderLimits | None = None
) -> Snapshot:
    """The files on disk that are not ignored; only modified and untracked ones are opened.

    It includes the blueprint LaTeX that LeanArchitect writes, which git ignores.
    """
    state = repository.worktree()
    listing = Candidates(limits, cache, root=repository.root, repository=repository)
    submodules = {entry.path for entry in state.entries if entry.mode == SUBMODULE}
    # git was told to ignore changes of these files, but people see what is on disk.
    unwatched = {path for path in state.unwatched if is_of_interest(path)}
    there = {path for path in unwatched if os.path.lexists(f"{repository.root}/{path}")}
    changed = (state.modified | there) - submodules
    for entry in state.entries:
        if entry.path not in changed and entry.path not in state.deleted:
            listing.add_blob(entry)
    tracked = {entry.path for entry in state.entries}
    denied = {path for path in state.deleted if _is_denied(f"{repository.root}/{path}")}
    for path in changed.union(denied, state.untracked, set(_generated(repository.root)) - tracked):
        listing.add_file(path)

    def taken(inner: GitRepository, _: str) -> Snapshot:
        return working_tree(inner, cache=listing.cache, limits=limits)

    return _with_submodules(_snapshot(listing, "working tree"), state.entries, taken)


def _is_denied(path: str) -> bool:
    """Whether a file only seems to be missing because its folder may not be entered."""
    try:
        os.lstat(path)
    except PermissionError:
        return True
    except OSError:
        pass
    return False


GENERATED = ".lake/build/blueprint/"
"""Where LeanArchitect writes the LaTeX of a blueprint."""


def _generated(root: Path | None) -> Iterator[str]:
    """The LaTeX files that LeanArchitect built below a folder; no symbolic link is followed."""
    if root is None or not (root / GENERATED).is_dir():
        return
    tops = (root / GENERATED[:at] for at, sign in enumerate(GENERATED) if sign == "/")
    if any(top.is_symlink() for top in tops):
        return
    for number, (folder, _, names) in enumerate(os.walk(f"{root}/{GENERATED}")):
        if number > _MOST_GENERATED:
            return
        below = Path(folder).relative_to(root).as_posix()
        yield from (f"{below}/{name}" for name in names if name.endswith(".tex"))


_MOST_GENERATED = 10_000
"""How many folders of a build are searched."""


def from_index(
    repository: GitRepository, *, cache: BlobCache | None = None, limits: FolderLimits | None = None
) -> Snapshot:
    """The staged files, regardless of the disk; IncompleteError if a merge left conflicts."""
    listing = Candidates(limits, cache, repository=repository)
    state = repository.staged()
    if unmerged := sorted(filter(is_of_interest, state.modified)):
        it = "it" if len(unmerged) == 1 else "them"
        more = f" and {len(unmerged) - 5} more" if len(unmerged) > 5 else ""
        words = f"unresolved merge conflict in {', '.join(unmerged[:5])}{more}"
        raise IncompleteError(f"{words}: resolve {it} and git add {it}")
    entries = state.entries
    for entry in entries:
        listing.add_blob(entry)
    taken = partial(from_revision, cache=listing.cache, limits=limits)
    return _with_submodules(_snapshot(listing, "index"), entries, taken)


def from_revision(
    repository: GitRepository,
    revision: str,
    *,
    cache: BlobCache | None = None,
    limits: FolderLimits | None = None,
) -> Snapshot:
    """The tree of a revision; RevisionError or ShallowError if it is unknown."""
    is_full = bool(_FULL.fullmatch(revision))
    commit = revision if is_full else repository.resolve(revision)
    listing = Candidates(limits, cache, repository=repository)
    entries = repository.tree(commit)
    for entry in entries:
        listing.add_blob(entry)
    made = _snapshot(listing, commit[:12] if is_full else revision, commit=commit)
    taken = partial(from_revision, cache=listing.cache, limits=limits)
    return _with_submodules(made, entries, taken)


def _with_submodules(
    made: Snapshot, entries: Iterable[GitEntry], taken: Callable[[GitRepository, str], Snapshot]
) -> Snapshot:
    """A snapshot with the files of its checked-out submodules, except their settings.

    `taken` makes the snapshot of a submodule from its repository and its commit.
    """
    found: dict[str, Snapshot] = {}
    for entry in entries:
        if entry.mode != SUBMODULE or made.repository is None:
            continue
        inner = made.repository.submodule(entry.path)
        if inner is not None:
            with suppress(PfError):  # the commit is missing there: it stays among the skipped
                found[entry.path] = taken(inner, entry.oid)
    if not found:
        return made
    files = dict(made.files)
    links, paths = dict(made.links), set(made.paths)
    skipped = [item for item in made.skipped if item.path not in found]
    for folder, moment in found.items():
        own = [path for path in moment.files if not is_setting(path)]
        files |= {f"{folder}/{path}": _below(folder, moment.files[path]) for path in own}
        links |= {f"{folder}/{path}": f"{folder}/{to}" for path, to in moment.links.items()}
        paths.update(f"{folder}/{path}" for path in moment.paths)
        skipped += [_skipped_below(folder, item) for item in moment.skipped]
    return replace(
        made,
        files=MappingProxyType(dict(sorted(files.items()))),
        paths=frozenset(paths),
        skipped=tuple(sorted(skipped, key=lambda item: item.path)),
        links=MappingProxyType(links),
        submodules=MappingProxyType(found),
    )


def _skipped_below(folder: str, item: Skipped) -> Skipped:
    """A skipped path of a submodule, as seen from the repository around it."""
    path = f"{folder}/{item.path}"
    is_inner = item.reason == submodule_reason(item.path)
    reason = submodule_reason(path, below=folder) if is_inner else item.reason
    return replace(item, path=path, reason=reason)


def _below(folder: str, entry: FileEntry) -> FileEntry:
    return replace(entry, path=f"{folder}/{entry.path}")


def _snapshot(listing: Candidates, name: str, *, commit: str | None = None) -> Snapshot:
    files, links = listing.files(), listing.targets()
    return Snapshot(
        name=name,
        files=files,
        paths=frozenset(listing.paths),
        skipped=listing.left_out(links),
        links=links,
        root=listing.root,
        commit=commit,
        repository=listing.repository,
        cache=listing.cache,
        limits=listing.limits,
    )
