"""A paper's files at one moment: of a working tree, an index, a revision, or a plain folder."""

import hashlib
import os
import re
import stat
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from pfcore.errors import SourceError, UsageError
from pfcore.git import Repository, find_repository
from pfcore.listing import SUBMODULE, SYMLINK, Entry

_SUFFIXES = tuple(f".{s}" for s in "tex sty cls ltx def clo bib aux pf lean".split())
_SETTINGS = ("pf.toml", "pf.lock")
_LINK = "it is a symbolic link, or lies behind one"
_SUBMODULE = "it is a submodule, a repository of its own"
_NESTED = "it is a repository inside this one"
_STRANGE_NAME = "its name has characters or parts that are not safe to use"
_IRREGULAR = "it is not a regular file"
_UNREADABLE = "it could not be read"
_BINARY = "it is no text: it has NUL bytes"
# Control and direction-changing characters, undecodable bytes, backslashes, drives, and the
# parts that lead out of the folder or into git's own files.
_STRANGE = re.compile(
    "[\0-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\\\\]"
    r"|^[a-z]:|(?:^|/)(?:\.\.?|\.git)?(?:/|$)",
    re.IGNORECASE,
)
_FULL = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_UTF8_MARK = b"\xef\xbb\xbf"
# What "surrogateescape" makes of a stray byte -> that byte's character.
_UNDECODED = {
    0xDC00 + byte: bytes((byte,)).decode("cp1252", "ignore") or chr(byte)
    for byte in range(0x80, 0x100)
}
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1f\x7f]")
# O_NONBLOCK: opening a named pipe must not wait for a writer.
_OPEN = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of somebody's folder we are willing to read."""

    file_bytes: int = 16_000_000
    total_bytes: int = 256_000_000
    files: int = 20_000
    walked_files: int = 500_000
    git_seconds: float = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """A file that may belong to a paper; `oid` is its git blob id, `size` None if git lacks it."""

    path: str
    oid: str
    size: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A path that is not read, made printable, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file's text: lines end in LF, NUL is a space; `note` says what was guessed.

    `is_binary`: the bytes are no text in any encoding that we know.
    """

    text: str
    encoding: str
    note: str | None = None
    is_binary: bool = False


class BlobCache:
    """What has been read, by blob id; snapshots of one repository share one."""

    def __init__(self) -> None:
        self.sizes: dict[str, int] = {}
        self._bytes: dict[str, bytes] = {}
        self._sources: dict[str, Source] = {}

    def __contains__(self, oid: str) -> bool:
        return oid in self._bytes or oid in self._sources

    def add(self, oid: str, data: bytes) -> None:
        """Keeps a blob's bytes until its text is asked for."""
        if oid not in self._sources:
            self._bytes[oid] = data

    def source(self, oid: str) -> Source | None:
        """The decoded blob, or None if it was never added."""
        data = self._bytes.get(oid)
        if data is not None:
            self._sources[oid] = decode(data)
            self._bytes.pop(oid, None)
        return self._sources.get(oid)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The files of interest at one moment, by POSIX path below the top folder, sorted.

    `paths` are all paths, figures included. `root` is the top folder on disk if this is its
    content; `commit` the id of the revision if this is one.
    """

    name: str
    files: Mapping[str, FileEntry]
    paths: frozenset[str]
    skipped: tuple[Skipped, ...] = ()
    root: Path | None = None
    commit: str | None = None
    repository: Repository | None = field(default=None, repr=False)
    cache: BlobCache = field(default_factory=BlobCache, repr=False, compare=False)
    limits: Limits = field(default_factory=Limits, repr=False)

    def read(self, path: str) -> Source:
        """A file's text; SourceError if it cannot be had. For several files use `read_many`."""
        return self.read_many((path,))[path]

    @property
    def folders(self) -> "Folders":
        """The folders."""
        return Folders(self.paths, self.root)

    def read_many(self, paths: Iterable[str]) -> dict[str, Source]:
        """The texts of many files, through at most one git process; SourceError as `read`."""
        entries = [self._entry(path) for path in paths]
        missing = sorted({entry.oid for entry in entries if entry.oid not in self.cache})
        if missing and self.repository:
            for oid, data in self.repository.read_blobs(missing, limit=self.limits.file_bytes):
                if data is not None:
                    self.cache.add(oid, data)
        return {entry.path: self._source(entry) for entry in entries}

    def _source(self, entry: FileEntry) -> Source:
        source = self.cache.source(entry.oid)
        if source is None:
            raise SourceError("this clone does not have the file's content", path=entry.path)
        if source.is_binary:
            raise SourceError(_BINARY, path=entry.path)
        return replace(source, note=f"{entry.path} {source.note}") if source.note else source

    def _entry(self, path: str) -> FileEntry:
        if path in self.files:
            return self.files[path]
        reason = next((item.reason for item in self.skipped if item.path == path), None)
        message = f"not read: {reason}" if reason else f"there is no such file in the {self.name}"
        raise SourceError(message, path=path)


@dataclass(frozen=True, slots=True)
class Folders(Container[str]):
    """The folders above some paths; where these are on disk, also those without such a path."""

    paths: frozenset[str]
    root: Path | None

    def __contains__(self, path: object) -> bool:
        if any(other.startswith(f"{path}/") for other in self.paths):
            return True
        try:
            return self.root is not None and stat.S_ISDIR(os.lstat(f"{self.root}/{path}").st_mode)
        except OSError:
            return False


def with_settings_of(moment: Snapshot, trusted: Snapshot) -> Snapshot:
    """One moment of a repository under the settings and the ledgers of another one of it."""
    chosen = {path: entry for path, entry in trusted.files.items() if is_setting(path)}
    kept = {path: entry for path, entry in moment.files.items() if not is_setting(path)}
    others = (path for path in moment.paths if not is_setting(path))
    return replace(
        moment,
        files=MappingProxyType(dict(sorted({**kept, **chosen}.items()))),
        paths=frozenset((*others, *chosen)),
        skipped=tuple(item for item in moment.skipped if not is_setting(item.path)),
    )


def is_setting(path: str) -> bool:
    """Whether a path is that of settings, or of a ledger."""
    return path.rpartition("/")[2] in _SETTINGS


def decode(data: bytes) -> Source:
    """The text of a file: UTF-8, UTF-16 with its mark, else each stray byte as Windows-1252."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Source(text=_plain(data.decode("utf-16", "replace")), encoding="utf-16")
    mark = len(_UTF8_MARK) if data.startswith(_UTF8_MARK) else 0
    is_binary = _is_binary(data)
    try:
        text = _plain(data[mark:].decode())
        return Source(text=text, encoding="utf-8", is_binary=is_binary)
    except UnicodeDecodeError as exc:
        first = mark + exc.start
    text = data[mark:].decode("utf-8", "surrogateescape").translate(_UNDECODED)
    line = _plain(data[:first].decode("latin-1")).count("\n") + 1
    note = f"is not UTF-8; read as Windows-1252 from byte {first} (line {line})"
    return Source(text=_plain(text), encoding="cp1252", note=note, is_binary=is_binary)


def _is_binary(data: bytes) -> bool:
    """Whether bytes with a NUL have more control characters than a text that got one by accident.

    UTF-16 without its mark has a NUL in every other byte.
    """
    return b"\0" in data and 100 * len(_CONTROL.findall(data)) > len(data)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ")


def is_of_interest(path: str) -> bool:
    """Whether a path's name is that of LaTeX, bibliography, Lean, or one of our own files."""
    return path.lower().endswith(_SUFFIXES) or is_setting(path)


def current(
    path: Path, *, cache: BlobCache | None = None, limits: Limits | None = None
) -> Snapshot:
    """The working tree of the repository around a path, else the folder as it is."""
    seconds = (limits or Limits()).git_seconds
    repository = find_repository(path, seconds=seconds)
    if repository and repository.root:
        return working_tree(repository, cache=cache, limits=limits)
    return from_folder(path, cache=cache, limits=limits)


def from_folder(
    path: Path, *, cache: BlobCache | None = None, limits: Limits | None = None
) -> Snapshot:
    """A folder as it is, without git; hidden folders and node_modules are not entered."""
    if not path.exists():
        raise UsageError(f"there is no file or folder {path}")
    root = (path if path.is_dir() else path.parent).resolve()
    listing = _Listing(limits, cache, root=root)
    pending = [""]
    while pending:
        pending += listing.add_folder(pending.pop())
        if len(listing.paths) > listing.limits.walked_files:
            most = f"{listing.limits.walked_files:,}"
            raise UsageError(f"{root} has more than {most} files; name the folder of the paper")
    return listing.snapshot("working tree")


def working_tree(
    repository: Repository, *, cache: BlobCache | None = None, limits: Limits | None = None
) -> Snapshot:
    """What is on disk and not ignored; only modified and untracked files are opened."""
    state = repository.worktree()
    listing = _Listing(limits, cache, root=repository.root, repository=repository)
    submodules = {entry.path for entry in state.entries if entry.mode == SUBMODULE}
    changed = state.modified - submodules
    for entry in state.entries:
        if entry.path not in changed and entry.path not in state.deleted:
            listing.add_blob(entry)
    for path in changed.union(state.untracked):
        listing.add_file(path)
    return listing.snapshot("working tree")


def from_index(
    repository: Repository, *, cache: BlobCache | None = None, limits: Limits | None = None
) -> Snapshot:
    """What is staged, whatever the files on disk say."""
    listing = _Listing(limits, cache, repository=repository)
    for entry in repository.index():
        listing.add_blob(entry)
    return listing.snapshot("index")


def from_revision(
    repository: Repository,
    revision: str,
    *,
    cache: BlobCache | None = None,
    limits: Limits | None = None,
) -> Snapshot:
    """The tree of a revision; RevisionError or ShallowError if it is not there."""
    is_full = bool(_FULL.fullmatch(revision))
    commit = revision if is_full else repository.resolve(revision)
    listing = _Listing(limits, cache, repository=repository)
    for entry in repository.tree(commit):
        listing.add_blob(entry)
    return listing.snapshot(commit[:12] if is_full else revision, commit=commit)


class _Listing:
    """Sorts a moment's paths into files, skipped, and others; gives files blob ids and sizes."""

    def __init__(
        self,
        limits: Limits | None,
        cache: BlobCache | None,
        *,
        root: Path | None = None,
        repository: Repository | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.cache = BlobCache() if cache is None else cache
        self.root = root
        self.repository = repository
        self.paths: set[str] = set()
        self.skipped: dict[str, str] = {}
        self.blobs: dict[str, str] = {}  # path -> blob id
        self.on_disk: dict[str, int] = {}  # path -> size
        self.links: dict[str, bool] = {}

    def snapshot(self, name: str, *, commit: str | None = None) -> Snapshot:
        """What was listed; the files that have no blob id yet are read now."""
        files = MappingProxyType({entry.path: entry for entry in self._entries()})
        return Snapshot(
            name=name,
            files=files,
            paths=frozenset(self.paths),
            skipped=tuple(Skipped(path=p, reason=r) for p, r in sorted(self.skipped.items())),
            root=self.root,
            commit=commit,
            repository=self.repository,
            cache=self.cache,
            limits=self.limits,
        )

    def add_blob(self, entry: Entry) -> None:
        """Takes a path whose content git has."""
        if entry.mode == SUBMODULE:
            self._skip(entry.path, _SUBMODULE)
        elif self._is_candidate(entry.path):
            if entry.mode == SYMLINK:
                self._skip(entry.path, _LINK)
            elif is_of_interest(entry.path):
                self.blobs[entry.path] = entry.oid

    def add_file(self, path: str) -> None:
        """Takes a path whose content is on disk; "a/" is a repository of its own."""
        if path.endswith("/"):
            self._skip(path[:-1], _NESTED)
        elif self._is_candidate(path):
            status = self._status(path)
            if self._is_below_link(path) or (status and stat.S_ISLNK(status.st_mode)):
                self._skip(path, _LINK)
            elif status and stat.S_ISREG(status.st_mode) and is_of_interest(path):
                self.on_disk[path] = status.st_size
            elif is_of_interest(path):
                self._skip(path, _IRREGULAR if status else _UNREADABLE)

    def add_folder(self, folder: str) -> list[str]:
        """Takes the files of a folder ("" or "a/"); gives the folders below it."""
        try:
            with os.scandir(self._place(folder)) as items:
                found = [(folder + item.name, item.is_dir(follow_symlinks=False)) for item in items]
        except OSError:
            self._skip(folder or ".", _UNREADABLE)
            return []
        for path, is_folder in found:
            if not is_folder:
                self.add_file(path)
        return [path + "/" for path, is_folder in found if is_folder and _is_entered(path)]

    def _is_candidate(self, path: str) -> bool:
        is_source = is_of_interest(path)
        if _STRANGE.search(path):
            if is_source:
                self._skip(path, _STRANGE_NAME)
            return False
        self.paths.add(path)
        # Without a suffix it may be a link to a folder of sources, which is worth telling.
        return is_source or "." not in path.rpartition("/")[2]

    def _skip(self, path: str, reason: str) -> None:
        printable = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in path)
        self.skipped["".join(printable)] = reason

    def _entries(self) -> Iterator[FileEntry]:
        self._learn_sizes()
        count = total = 0
        for path in sorted(self.blobs | self.on_disk):
            oid = self.blobs.get(path)
            size = self.cache.sizes.get(oid) if oid else self.on_disk[path]
            reason = self._excess(size or 0, count=count, total=total)
            entry = None
            if reason is None:
                entry = FileEntry(path=path, oid=oid, size=size) if oid else self._hashed(path)
            if entry is None:
                self._skip(path, reason or _UNREADABLE)
                continue
            count, total = count + 1, total + (size or 0)
            yield entry

    def _excess(self, size: int, *, count: int, total: int) -> str | None:
        limits = self.limits
        if size > limits.file_bytes:
            return f"it is larger than {limits.file_bytes:,} bytes"
        if count >= limits.files:
            return f"{limits.files:,} files come before it"
        if total + size > limits.total_bytes:
            return f"with it, the files are larger than {limits.total_bytes:,} bytes together"
        return None

    def _learn_sizes(self) -> None:
        sizes = self.cache.sizes
        unknown = {path: oid for path, oid in self.blobs.items() if oid not in sizes}
        # The working tree answers faster than git, and its answers serve the base's blobs too.
        if self.root:
            seen = {oid: self._status(path) for path, oid in unknown.items()}
            sizes |= {oid: status.st_size for oid, status in seen.items() if status}
        if self.repository:
            sizes |= self.repository.sizes(oid for oid in unknown.values() if oid not in sizes)

    def _hashed(self, path: str) -> FileEntry | None:
        data = _content(self._place(path), limit=self.limits.file_bytes)
        if data is None:
            return None
        blob = hashlib.new(self.repository.object_format if self.repository else "sha1")
        blob.update(b"blob %d\0" % len(data))
        blob.update(data)
        oid = blob.hexdigest()
        self.cache.add(oid, data)
        self.cache.sizes[oid] = len(data)
        return FileEntry(path=path, oid=oid, size=len(data))

    def _status(self, path: str) -> os.stat_result | None:
        try:
            return os.lstat(self._place(path))
        except OSError:
            return None

    def _is_below_link(self, path: str) -> bool:
        folders = [path[:end] for end, character in enumerate(path) if character == "/"]
        for folder in folders:
            if folder not in self.links:
                status = self._status(folder)
                self.links[folder] = bool(status and stat.S_ISLNK(status.st_mode))
        return any(self.links[folder] for folder in folders)

    def _place(self, path: str) -> str:
        return f"{self.root}/{path}"


def _is_entered(folder: str) -> bool:
    name = folder.rpartition("/")[2]
    return not name.startswith(".") and name != "node_modules"


def _content(path: str, *, limit: int) -> bytes | None:
    """A regular file's bytes; None if it is gone, too large, or no longer a regular file."""
    try:
        with os.fdopen(os.open(path, _OPEN), "rb") as file:
            is_regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            data = file.read(limit + 1) if is_regular else b""
    except OSError:
        return None
    return data if is_regular and len(data) <= limit else None
