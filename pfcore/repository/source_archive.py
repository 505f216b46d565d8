"""A paper's source in an archive: unpacked completely below one folder, or refused.

The sender of an archive chooses its bytes. Refused, with a message, are: names that lead outside
or that some system takes for another name, links and devices, nested archives, and contents above
the limits. No claim that an entry makes about itself is trusted.
"""

import bz2
import gzip
import hashlib
import io
import lzma
import os
import re
import stat
import tarfile
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.domain.lazy_regex import regex
from pfcore.repository.git import GitEntry, GitRepository, Worktree
from pfcore.repository.scratch_folder import scratch_folder

_NESTED = (
    *(".zip", ".tar", ".tgz", ".tbz", ".txz", ".gz", ".bz2", ".xz", ".7z", ".rar", ".zst", ".lz"),
    *(".jar", ".cab", ".iso", ".lzma", ".z", ".arj", ".deb", ".rpm"),
)
_7Z, _RAR = b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07"
_MAGIC = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", _7Z, _RAR)
_MAKE = "unpack it, and make a .zip or .tar.gz of the files"
_AGAIN = "download it again, or make it again"
_NO_SOURCE = "not LaTeX source; to have a PDF read: pf check FILE.pdf --model NAME"
_OTHERS = (
    (_7Z, f"a 7z archive: {_MAKE}"),
    (_RAR, f"a RAR archive: {_MAKE}"),
    (b"\x28\xb5\x2f\xfd", f"compressed by Zstandard: {_MAKE}"),
    (b"\x1f\x9d", f"compressed by compress: {_MAKE}"),
    (b"%PDF-", f"a PDF, {_NO_SOURCE}"),
    (b"%!PS", "PostScript, not LaTeX source"),
    (b"\xd0\xcf\x11\xe0", "a Word document, not LaTeX"),
)
"""Formats that are mistaken for a supported archive, and what to do about each."""
_HTML = re.compile(rb"\s{0,99}(?:<\?xml[^>]{0,200}>\s{0,99})?<(?:!doctype\s{1,9}html|html)\b", re.I)
_DOCUMENT = re.compile(rb"\\(?:documentclass|documentstyle|begin\s{0,9}\{document\})")
_RESERVED = frozenset(
    ["con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10))]
)
_RESERVES = os.name == "nt"
_OF_MACOS = "__macosx/"
_OF_SYSTEMS = (".ds_store", "thumbs.db", "desktop.ini")
_LEFT_AT_HOME = regex(r"pf\.(?:toml|lock)|\.git(?:ignore|attributes|modules)", re.IGNORECASE)
"""Files that decide how a paper is read or judged: those in an archive are the sender's choice."""
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveLimits:
    """Limits of an archive: its own size, unpacked, of one file, and the number of entries."""

    packed_bytes: int = 200_000_000
    total_bytes: int = 256_000_000
    file_bytes: int = 100_000_000
    entries: int = 10_000
    name_letters: int = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpackedSource:
    """The contents of an archive: its SHA-256, the paths written, and the files ignored.

    `notes` are sentences about what was guessed.
    """

    digest: str
    paths: tuple[str, ...]
    ignored: tuple[str, ...]
    notes: tuple[str, ...] = ()


class _Unpacking:
    """Writes entries below a folder, one after the other, within the limits."""

    def __init__(self, place: Path, folder: Path, limits: ArchiveLimits) -> None:
        self._place = place
        self._folder = folder
        self._limits = limits
        self._taken: dict[str, str] = {}
        self._folders: set[str] = set()
        self._left = limits.total_bytes
        self._count = 0
        self.ignored: list[str] = []
        self.paths: list[str] = []
        self.guessed: dict[str, list[str]] = {}

    def refused(self, why: str) -> IncompleteError:
        """The error that the archive is refused."""
        return IncompleteError(f"{self._place.name} is not read: {why}")

    def count(self) -> None:
        """Count one more entry."""
        self._count += 1
        if self._count > self._limits.entries:
            raise self.refused(f"it has more than {self._limits.entries:,} entries")

    def name(self, written: str) -> str:
        """The path of an entry below the folder; raises if the name is unsafe or ambiguous."""
        shown = _shown(written)
        if not written or len(written) > self._limits.name_letters:
            raise self.refused(f"an entry has no name, or a very long one: {shown}")
        if any(unicodedata.category(letter)[0] == "C" for letter in written):
            raise self.refused(f"the name {shown} has invisible characters or an unknown encoding")
        if "\\" in written or ":" in written or written.startswith("/"):
            raise self.refused(f"the name {shown} leads out of the archive")
        parts = [part for part in written.removeprefix("./").split("/") if part not in ("", ".")]
        if ".." in parts or not parts:
            raise self.refused(f"the name {shown} leads out of the archive")
        for part in parts:
            self._require_part(part, shown)
        return unicodedata.normalize("NFC", "/".join(parts))

    def _require_part(self, part: str, shown: str) -> None:
        low = part.lower()
        if low == ".git" or low.startswith(".git/") or low.rstrip(". ") == ".git":
            raise self.refused(f"it contains a git repository: {shown}")
        if _RESERVES and low.partition(".")[0] in _RESERVED:
            raise self.refused(f"the name {shown} is reserved on Windows: rename it")
        if part != part.rstrip(". ") or len(part) > 200:
            raise self.refused(f"the name {shown} is not valid on every system: rename it")

    def decoded(self, raw: bytes) -> str:
        """An entry's name in an undeclared encoding: UTF-8, or CP437, or Latin-1.

        Of the last two, the first one in which the name has letters only.
        """
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            pass
        for encoding, shown in (("cp437", "CP437"), ("latin-1", "Latin-1")):
            name = raw.decode(encoding)
            if all(sign.isascii() or (sign.isalpha() and sign < "\u0180") for sign in name):
                self.guessed.setdefault(shown, []).append(name)
                return name
        name = _shown(raw.decode("ascii", "surrogateescape"))
        raise self.refused(
            f"the name {name} is in an unknown encoding: rename it, or use UTF-8 for all names"
        )

    def folder(self, written: str) -> None:
        """Note an entry that is a folder; it is created only for a file inside it."""
        if written.strip("./"):
            self._folders.add(self.name(written).lower())

    def file(self, written: str, data: IO[bytes]) -> None:
        """Write an entry that is a file, as far as the limits allow."""
        path = self.name(written)
        low = path.lower()
        base = low.rpartition("/")[2]
        if low.startswith(_OF_MACOS) or base.startswith("._") or base in _OF_SYSTEMS:
            return  # Finder adds these to archives; they are not part of the paper
        if base.endswith(".synctex.gz"):
            return  # written by TeX for an editor
        if self._taken.get(low, path) != path:
            both = f"{self._taken[low]} and {path}"
            raise self.refused(
                f"it contains {both}, which differ only in case: some systems take them for one"
            )
        if low in self._taken or low in self._folders:
            raise self.refused(f"it contains {path} twice")
        above = low.split("/")[:-1]
        for depth in range(1, len(above) + 1):
            inner = "/".join(above[:depth])
            if inner in self._taken:
                raise self.refused(f"{self._taken[inner]} is both a file and a folder in it")
            self._folders.add(inner)
        self._taken[low] = path
        if low.endswith(_NESTED):
            raise self.refused(
                f"it contains an archive: {path}; unpack that first, or leave it out"
            )
        if _LEFT_AT_HOME.fullmatch(path.rpartition("/")[2]):
            self.ignored.append(path)
            return
        self._write(path, data)
        self.paths.append(path)

    def _write(self, path: str, data: IO[bytes]) -> None:
        place = self._folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        size = 0
        with place.open("xb") as file:
            while chunk := data.read(_CHUNK):
                if not size and chunk.startswith(_MAGIC):
                    raise self.refused(f"{path} is an archive itself; unpack that first")
                size += len(chunk)
                self._left -= len(chunk)
                if size > self._limits.file_bytes:
                    most = f"{self._limits.file_bytes / 1e6:,.0f} MB"
                    raise self.refused(f"{path} unpacks to more than {most}")
                if self._left < 0:
                    most = f"{self._limits.total_bytes / 1e6:,.0f} MB"
                    raise self.refused(f"it unpacks to more than {most}")
                file.write(chunk)


def unpack_source(place: Path, folder: Path, limits: ArchiveLimits | None = None) -> UnpackedSource:
    """Unpack an archive below an empty folder.

    Accepts a .zip, a .tar, also compressed by gzip, bzip2 or xz, or one TeX file compressed by
    gzip, as arXiv serves it. UsageError if the file cannot be read; IncompleteError, with a
    message, if the archive is refused: then ignore whatever is below the folder.
    """
    limits = limits or ArchiveLimits()
    work = _Unpacking(place, folder, limits)
    data = _read(place, work, limits)
    _require_archive(data, work)
    try:
        if data.startswith((_MAGIC[0], b"PK\x05\x06")):
            _unzip(data, work)
        else:
            _untar(data, work, limits)
    except NotImplementedError as error:
        method = "it is encrypted, or compressed by a method that is not supported"
        raise work.refused(f"{method}: {_MAKE}") from error
    except (
        tarfile.TarError,
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        OSError,
        ValueError,
        RuntimeError,
    ) as error:
        why = str(error)[:120] or type(error).__name__
        raise work.refused(f"it is damaged or incomplete ({why}): {_AGAIN}") from error
    if not work.paths:
        raise work.refused("it contains no files")
    digest = hashlib.sha256(data).hexdigest()
    return UnpackedSource(
        digest=digest,
        paths=tuple(sorted(work.paths)),
        ignored=tuple(sorted(work.ignored)),
        notes=tuple(
            f"names that are not in UTF-8 were read as {encoding}: {', '.join(found[:5])}"
            for encoding, found in work.guessed.items()
        ),
    )


def _require_archive(data: bytes, work: _Unpacking) -> None:
    """Refuse files of unsupported kinds, saying which kind it is."""
    if not data:
        raise work.refused(f"it is empty: {_AGAIN}")
    for magic, words in _OTHERS:
        if data.startswith(magic):
            raise work.refused(f"it is {words}")
    if _HTML.match(data):
        raise work.refused("it is an HTML page, perhaps from a failed download: download it again")


def _read(place: Path, work: _Unpacking, limits: ArchiveLimits) -> bytes:
    try:
        status = place.stat()
        if not stat.S_ISREG(status.st_mode):
            raise UsageError(f"{place} is not a file; --source expects an archive")
        if status.st_size > limits.packed_bytes:
            raise work.refused(f"it is larger than {limits.packed_bytes / 1e6:,.0f} MB")
        with place.open("rb") as file:
            return file.read(limits.packed_bytes + 1)
    except OSError as error:
        raise UsageError(f"{place} cannot be read: {error.strerror}") from error


def _shown(written: str) -> str:
    """A name for display: shortened, and without control sequences for the terminal."""
    return written.encode("unicode_escape").decode("ascii")[:120]


def _unzip(data: bytes, work: _Unpacking) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        _require_no_office(archive, work)
        for item in archive.infolist():
            work.count()
            if not item.filename:
                raise work.refused("an entry has no name")
            kind = stat.S_IFMT(item.external_attr >> 16)
            if item.flag_bits & 0x1:
                raise work.refused(
                    f"{_shown(item.filename)} is encrypted: make the archive without a password"
                )
            if not item.flag_bits & 0x800 and not item.filename.isascii():
                item.filename = work.decoded(item.filename.encode("cp437"))
            if item.orig_filename != item.filename and "\0" in item.orig_filename:
                raise work.refused("a name in it has invisible characters or an unknown encoding")
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise work.refused(f"{work.name(item.filename)} is a link or a device")
            if item.is_dir():
                work.folder(item.filename)
            else:
                with archive.open(item) as file:
                    work.file(item.filename, file)


def _require_no_office(archive: zipfile.ZipFile, work: _Unpacking) -> None:
    """Refuse word processor documents, which are zip files."""
    names = archive.namelist()
    if "word/document.xml" in names:
        raise work.refused("it is a Word document, not LaTeX")
    if names[:1] == ["mimetype"] and not archive.infolist()[0].flag_bits & 0x1:
        with archive.open("mimetype") as file:
            if file.read(100).startswith(b"application/vnd.oasis.opendocument"):
                raise work.refused("it is an OpenDocument file, not LaTeX")


def _opened(data: bytes) -> tuple[IO[bytes], bool]:
    """The decompressed content of a file, and whether it was compressed."""
    file = io.BytesIO(data)
    if data.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.GzipFile(fileobj=file)), True
    if data.startswith(b"BZh"):
        return cast(IO[bytes], bz2.BZ2File(file)), True
    if data.startswith(b"\xfd7zXZ\x00"):
        return cast(IO[bytes], lzma.LZMAFile(file)), True
    return file, False


def _untar(data: bytes, work: _Unpacking, limits: ArchiveLimits) -> None:
    opened, is_packed = _opened(data)
    with tempfile.TemporaryFile() as plain:
        _spool(opened, plain, work, limits)
        plain.seek(0)
        head = plain.read(_CHUNK)
        plain.seek(0)
        if b"ustar" not in head[257:262] and _is_source(head, work, is_packed=is_packed):
            work.count()
            work.file("main.tex", plain)
            return
        for item, file in _entries(plain, work):
            work.count()
            name = item.name if item.name.isascii() else work.decoded(_raw(item.name))
            if item.isdir():
                work.folder(name)
            elif item.isreg():
                if file is not None:
                    work.file(name, file)
            else:
                raise work.refused(f"{work.name(name)} is a link or a device")


def _entries(
    plain: IO[bytes], work: _Unpacking
) -> Iterator[tuple[tarfile.TarInfo, IO[bytes] | None]]:
    """The entries of a tar file, each with its content if it is a regular file."""
    if not tarfile.is_tarfile(plain):
        raise work.refused("it is not a .zip or .tar.gz archive, nor a LaTeX file")
    with tarfile.open(fileobj=plain, mode="r:", errors="surrogateescape") as archive:
        for item in archive:
            yield item, archive.extractfile(item) if item.isreg() else None


def _raw(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def _is_source(head: bytes, work: _Unpacking, *, is_packed: bool) -> bool:
    """Whether a file that is not a ustar archive is one LaTeX file; other texts are refused."""
    _require_archive(head, work)
    if head.startswith(_MAGIC):
        raise work.refused("it contains another archive; unpack that one first")
    if b"\0" in head:
        return False  # it may be an old tar format
    if _DOCUMENT.search(head) or (is_packed and b"\\" in head):
        return True
    raise work.refused("it is not an archive, but a text file without a LaTeX document")


def _spool(opened: IO[bytes], plain: IO[bytes], work: _Unpacking, limits: ArchiveLimits) -> None:
    """Decompress to a file of ours, up to the limit plus room for the headers of the entries."""
    left = limits.total_bytes + limits.entries * 1_536
    while chunk := opened.read(_CHUNK):
        left -= len(chunk)
        if left < 0:
            raise work.refused(f"it unpacks to more than {limits.total_bytes / 1e6:,.0f} MB")
        plain.write(chunk)


@contextmanager
def unpacked(place: Path) -> Iterator[tuple["ArchiveRepository", UnpackedSource]]:
    """An archive as a repository of one commit, without git; its files are removed afterwards."""
    with scratch_folder("source") as made:
        folder = made / "source"
        folder.mkdir()
        found = unpack_source(place, folder)
        yield archive_repository(folder, found.paths), found


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveRepository(GitRepository):
    """The files of a folder as one commit: `oids` are the blob ids that git would give them.

    Nothing in it is modified or ignored, and there is no earlier commit.
    """

    oids: Mapping[str, str]

    def head(self) -> str | None:
        """The digest of all files."""
        return self.commit

    def resolve(self, revision: str) -> str:
        """The same commit, whatever the revision is called."""
        return self.commit or revision

    def date(self, commit: str) -> str:
        """Always "": an archive has no commit date."""
        return ""

    def default_branch(self) -> str | None:
        """Always None."""
        return None

    def tree(self, commit: str) -> tuple[GitEntry, ...]:
        """All files."""
        return tuple(GitEntry(path=path, mode=_REGULAR, oid=oid) for path, oid in self.oids.items())

    def blame(self, commit: str, path: str) -> str:
        """Always "": the authors of an archive's lines are unknown."""
        return ""

    def worktree(self) -> Worktree:
        """All files, none of them modified."""
        none = frozenset[str]()
        found = self.tree(self.commit or "")
        return Worktree(entries=found, modified=none, deleted=none, untracked=())

    def differing(self, one: str, other: str | None = None, *, kind: str = "") -> tuple[str, ...]:
        """Always empty."""
        return ()

    def submodule(self, path: str) -> GitRepository | None:
        """Always None: an archive has no submodules."""
        return None

    def sizes(self, oids: Iterable[str]) -> dict[str, int]:
        """The sizes in bytes."""
        paths = self._paths()
        return {oid: paths[oid].stat().st_size for oid in oids if oid in paths}

    def read_blobs(self, oids: Iterable[str], *, limit: int) -> Iterator[tuple[str, bytes | None]]:
        """Each file once; None if missing or above `limit` bytes."""
        paths = self._paths()
        for oid in dict.fromkeys(oids):
            data = paths[oid].read_bytes() if oid in paths else None
            yield oid, None if data is None or len(data) > limit else data

    def _paths(self) -> dict[str, Path]:
        return {oid: Path(f"{self.root}/{path}") for path, oid in self.oids.items()}


_REGULAR = 0o100644


def archive_repository(folder: Path, paths: Iterable[str]) -> ArchiveRepository:
    """The files of a folder as one commit, whose id depends only on paths and contents."""
    oids = {path: _oid((folder / path).read_bytes()) for path in sorted(paths)}
    listed = "".join(f"{oid} {path}\0" for path, oid in oids.items())
    away = folder.parent / "no-repository"
    return ArchiveRepository(
        root=folder,
        git_dir=away,
        common_dir=away,
        commit=hashlib.sha256(listed.encode("utf-8", "surrogateescape")).hexdigest(),
        oids=oids,
    )


def _oid(data: bytes) -> str:
    """The blob id that git gives to the content of a file."""
    return hashlib.sha1(b"blob %d\0%s" % (len(data), data), usedforsecurity=False).hexdigest()
