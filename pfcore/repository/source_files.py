"""Which files of a snapshot may belong to a paper, and why others are not read.

Also decodes the bytes of a file, and says how certain its encoding is.
"""

import codecs
import hashlib
import os
import posixpath
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from pfcore.domain.lazy_regex import regex
from pfcore.repository.git import SUBMODULE, SYMLINK, GitEntry, GitRepository

_SUFFIXES = tuple(f".{s}" for s in "tex sty cls ltx def clo bib aux pf lean".split())
FIGURES = tuple(f".{s}" for s in "pdf png jpg jpeg eps ps mps jbig2 jb2 svg".split())
SETTINGS = ("pf.toml", "pf.lock")
LINK = "symbolic link"
_LINK_ITSELF = f"{LINK} to itself: put the file itself here"
_LINK_TO_NOTHING = f"{LINK} to a missing file"
_LINK_OUT = f"{LINK} that leads outside this folder or is absolute: put the file itself here"
_SUBMODULE = "submodule not checked out"
_NESTED = "a repository inside this one: make it a submodule"
LONGEST_LINK = 4_096
"""The most bytes read of a symbolic link's target."""
_STRANGE_NAME = "unsafe characters in its name: rename it"
_IRREGULAR = "not a regular file"
# Control and direction-changing characters, undecodable bytes, backslashes, drives, and the
# parts that lead out of the folder or into git's own files.
_STRANGE = regex(
    "[\0-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\\\\]"
    r"|^[a-z]:|(?:^|/)(?:\.\.?|\.git)?(?:/|$)",
    re.IGNORECASE,
)
# O_NONBLOCK: opening a named pipe must not wait for a writer.
_OPEN = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderLimits:
    """How much of somebody's folder is read at most."""

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
    """A path that is not read, made printable, and why; `mark` changes with its content."""

    path: str
    reason: str
    mark: str = ""

    @property
    def is_repository(self) -> bool:
        """Whether it is a separate repository."""
        return self.reason.startswith(_SUBMODULE) or self.reason == _NESTED

    @property
    def is_closed(self) -> bool:
        """Whether it may contain files that cannot be listed from here."""
        return self.is_repository or self.reason == _LINK_OUT


def submodule_reason(path: str, *, below: str = "") -> str:
    """Why the files of a submodule are not read, and what to run; `below` is an outer submodule."""
    from shlex import quote  # imported late: only needed for submodules

    meant = below or path
    words = [_SUBMODULE + ": run git submodule update --init", *(["--recursive"] if below else [])]
    if not _STRANGE.search(meant):
        words.append(quote(f"./{meant}" if meant.startswith("-") else meant))
    return " ".join(words)


def is_setting(path: str) -> bool:
    """Whether a path is a settings file or a ledger."""
    return path.rpartition("/")[2] in SETTINGS


_BARE = frozenset(
    """preamble preambule header commands command macros macro mymacros newcommands defs defns
    definitions shortcuts packages notation theorems environments""".split()
)


def is_bare(path: str) -> bool:
    """Whether a file has no suffix but a name that papers input as it is: `\\input{preamble}`."""
    return path.rpartition("/")[2].lower() in _BARE


def is_of_interest(path: str) -> bool:
    """Whether a path's name is that of a LaTeX, bibliography or Lean file, or one of our own."""
    return path.lower().endswith(_SUFFIXES) or is_setting(path) or is_bare(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedText:
    """A file's text, with LF line ends and spaces for NULs; `note` says what was guessed.

    `is_binary`: the bytes are not text in any encoding that we know; `is_wide`: they may still be
    text with two or four bytes per character.
    """

    text: str
    encoding: str
    note: str | None = None
    is_binary: bool = False
    is_wide: bool = False


class BlobCache:
    """Blobs that have been read, by blob id; snapshots of one repository share one cache."""

    def __init__(self) -> None:
        self.sizes: dict[str, int] = {}
        self._bytes: dict[str, bytes] = {}
        self._sources: dict[str, DecodedText] = {}
        self._foreseen: set[str] = set()

    def __contains__(self, oid: str) -> bool:
        return oid in self._bytes or oid in self._sources

    def add(self, oid: str, data: bytes) -> None:
        """Keep a blob's bytes until its text is requested."""
        if oid not in self._sources:
            self._bytes[oid] = data

    def foresee(self, oids: Iterable[str]) -> None:
        """Note blobs that may be needed soon."""
        self._foreseen.update(oids)

    def foreseen(self) -> list[str]:
        """The noted blobs that are not cached; clears the notes."""
        found = sorted(oid for oid in self._foreseen if oid not in self)
        self._foreseen.clear()
        return found

    def source(self, oid: str) -> DecodedText | None:
        """The decoded blob, or None if it was never added."""
        data = self._bytes.get(oid)
        if data is not None:
            self._sources[oid] = decode(data)
            self._bytes.pop(oid, None)
        return self._sources.get(oid)


class Candidates:
    """Sorts a snapshot's paths into files, skipped and others; finds blob ids and sizes."""

    def __init__(
        self,
        limits: FolderLimits | None,
        cache: BlobCache | None,
        *,
        root: Path | None = None,
        repository: GitRepository | None = None,
    ) -> None:
        self.limits = limits or FolderLimits()
        self.cache = BlobCache() if cache is None else cache
        self.root = root
        self.repository = repository
        self.paths: set[str] = set()
        self.skipped: dict[str, tuple[str, str]] = {}
        self.blobs: dict[str, str] = {}  # path -> blob id
        self.on_disk: dict[str, int] = {}  # path -> size
        self.links: dict[str, bool] = {}
        self._link_blobs: dict[str, str] = {}
        self._link_targets: dict[str, str] = {}

    def targets(self) -> Mapping[str, str]:
        """The symbolic links to targets inside, each with the path of its file or folder."""
        found = dict(self._link_targets)
        oids = {oid: None for path, oid in self._link_blobs.items() if path not in found}
        if oids and self.repository:
            texts = dict(self.repository.read_blobs(oids, limit=LONGEST_LINK))
            for path, oid in self._link_blobs.items():
                found.setdefault(path, (texts.get(oid) or b"").decode("utf-8", "replace"))
        inside = {path: linked_inside(path, target) for path, target in sorted(found.items())}
        return MappingProxyType({path: target for path, target in inside.items() if target})

    def files(self) -> Mapping[str, FileEntry]:
        """The files, sorted by path; those without a blob id are read now."""
        return MappingProxyType({entry.path: entry for entry in self._entries()})

    def left_out(self, targets: Mapping[str, str]) -> tuple[Skipped, ...]:
        """The paths that are not read; complete only after `files` and `targets`."""
        return tuple(
            Skipped(path=path, reason=self._link(path, targets) if why == LINK else why, mark=mark)
            for path, (why, mark) in sorted(self.skipped.items())
        )

    def _link(self, path: str, targets: Mapping[str, str]) -> str:
        """Why a symbolic link is not read, in more detail if possible."""
        if path not in targets:
            is_known = path in self._link_targets or path in self._link_blobs
            return _LINK_OUT if is_known else LINK
        if targets[path] == path:
            return _LINK_ITSELF
        is_there = targets[path] in self.paths or targets[path] in self._folders
        return LINK if is_there else _LINK_TO_NOTHING

    @cached_property
    def _folders(self) -> frozenset[str]:
        """The parent folders of all paths."""
        found: set[str] = set()
        for path in self.paths:
            folder = posixpath.dirname(path)
            while folder and folder not in found:
                found.add(folder)
                folder = posixpath.dirname(folder)
        return frozenset(found)

    def add_blob(self, entry: GitEntry) -> None:
        """Add a path whose content git has."""
        if entry.mode == SUBMODULE:
            self._skip(entry.path, submodule_reason(entry.path))
        elif self._is_candidate(entry.path):
            if entry.mode == SYMLINK:
                self._skip(entry.path, LINK)
                self._link_blobs[entry.path] = entry.oid
            elif is_of_interest(entry.path):
                self.blobs[entry.path] = entry.oid

    def add_file(self, path: str) -> None:
        """Add a path whose content is on disk; "a/" is a nested repository."""
        if path.endswith("/"):
            self._skip(path[:-1], _NESTED)
        elif self._is_candidate(path):
            status = self._status(path)
            if self._is_below_link(path) or (status and stat.S_ISLNK(status.st_mode)):
                self._skip(path, LINK)
                self._follow(path)
            elif status and stat.S_ISREG(status.st_mode) and is_of_interest(path):
                self.on_disk[path] = status.st_size
            elif is_of_interest(path):
                self._skip(path, _IRREGULAR if status else _why_unread(_fault(self._place(path))))

    def _follow(self, path: str) -> None:
        with suppress(OSError):  # not a link itself, but behind one
            self._link_targets[path] = str(Path(self._place(path)).readlink())

    def add_folder(self, folder: str) -> list[str]:
        """Add the files of a folder ("" or "a/"); returns the folders below it."""
        try:
            with os.scandir(self._place(folder)) as items:
                found = [(folder + item.name, item.is_dir(follow_symlinks=False)) for item in items]
        except OSError as exc:
            self._skip(folder or ".", _why_unread(exc))
            return []
        for path, is_folder in found:
            if not is_folder:
                self.add_file(path)
        return [path + "/" for path, is_folder in found if is_folder and is_entered(path)]

    def _is_candidate(self, path: str) -> bool:
        is_source = is_of_interest(path)
        if _STRANGE.search(path):
            if is_source:
                self._skip(path, _STRANGE_NAME)
            return False
        self.paths.add(path)
        # A path without a suffix may be a link to a folder of sources, which is worth reporting.
        return is_source or "." not in path.rpartition("/")[2]

    def _skip(self, path: str, reason: str) -> None:
        self.skipped[printable(path)] = reason, self.blobs.get(path) or self._seen(path)

    def _seen(self, path: str) -> str:
        """The size and time of a file on disk, by which versions differ; "" for any other."""
        status = self._status(path) if self.root and path in self.on_disk else None
        return f"{status.st_size}:{status.st_mtime_ns}" if status else ""

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
                self._skip(path, reason or _why_unread(_fault(self._place(path))))
                continue
            count, total = count + 1, total + (size or 0)
            yield entry

    def _excess(self, size: int, *, count: int, total: int) -> str | None:
        limits = self.limits
        if size > limits.file_bytes:
            return f"larger than {limits.file_bytes:,} bytes"
        if count >= limits.files:
            return f"above the limit of {limits.files:,} files"
        if total + size > limits.total_bytes:
            return f"above the total limit of {limits.total_bytes:,} bytes"
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


def printable(path: str) -> str:
    """A path as it is listed where it is not read: other characters are escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in path)


def linked_inside(path: str, target: str) -> str:
    """The path that a link points to; "" if it leads outside or has an unsafe name."""
    if target.startswith("/"):
        return ""
    meant = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return "" if meant == "." or _STRANGE.search(meant) else meant


def is_entered(folder: str) -> bool:
    """Whether a folder is searched: hidden folders and node_modules are not."""
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


def _why_unread(fault: OSError | None) -> str:
    is_denied = isinstance(fault, PermissionError)
    return "permission denied" if is_denied else "it changed while pf-verify read it"


def _fault(path: str) -> OSError | None:
    """The system's error on opening a file; None if it can be opened now."""
    try:
        os.close(os.open(path, _OPEN))
    except OSError as exc:
        return exc
    return None


def content_below(root: Path, path: str, *, limit: int) -> bytes | None:
    """The bytes of a regular file below a folder and not behind a link; None if there is none."""
    place = root / path
    is_below_link = place.parent.resolve() != root.resolve().joinpath(path).parent
    return None if is_below_link else _content(str(place), limit=limit)


_UTF8_MARK = b"\xef\xbb\xbf"
# What "surrogateescape" makes of a stray byte -> that byte's character.
_UNDECODED = {
    0xDC00 + byte: bytes((byte,)).decode("cp1252", "ignore") or chr(byte)
    for byte in range(0x80, 0x100)
}
_DECLARED = re.compile(
    rb"^(?:[^%\n]*\\(?:usepackage|RequirePackage)\s*\[\s*([\w-]{2,20})\s*\]\s*\{\s*inputenc\s*\}"
    rb"|[^%\n]*\\inputencoding\s*\{\s*([\w-]{2,20})\s*\}"
    rb"|%+[ \t]*!T[eE]X[ \t]+encoding[ \t]*=[ \t]*([\w-]{2,20}))",
    re.MULTILINE,
)
_CALLED_OTHERWISE = {
    "ansinew": "cp1252", "applemac": "mac_roman", "macce": "mac_latin2", "maccyr": "mac_cyrillic",
    "cp437de": "cp437", "latin1": "cp1252", "latin-1": "cp1252", "iso-8859-1": "cp1252",
}  # fmt: skip
"""Names that inputenc or editors use for encodings, where Python does not know them so."""
_ASCII, _HIGH = bytes(range(0x20, 0x7F)), bytes(range(0x80, 0x100))
_WORD_OF_HIGH = re.compile(rb"[\x80-\xff]{3,}")
_SMALL = {
    "cp1251": frozenset(range(0xE0, 0x100)),
    "koi8-r": frozenset(range(0xC0, 0xE0)),
    "cp866": frozenset((*range(0xA0, 0xB0), *range(0xE0, 0xF0))),
}
"""The lower-case Cyrillic letters in common encodings."""
_GREEK_ACCENT = re.compile(rb"[\xe1-\xfe]{2}[\xdc-\xdf]")
"""An accented vowel after lower-case letters; in koi8-r, a lower-case letter after capitals."""
_FEWEST_NULS = 3
"""At least one byte in this many is a NUL if characters take two or four bytes."""
_FEWEST_LETTERS, _FEWEST_KANA, _FEWEST_ACCENTS = 12, 4, 20
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1f\x7f]")


def decode(data: bytes) -> DecodedText:
    """The text of a file: UTF-8, UTF-16 or UTF-32, else in a declared encoding, or a likely one.

    Likely is a Cyrillic or Greek encoding if most words consist of such letters only, a Japanese
    one if much of the text is kana. Otherwise each stray byte is read as Windows-1252.
    """
    if wide := _wide(data):
        try:
            text, is_broken = data.decode(wide), False
        except UnicodeDecodeError:
            text, is_broken = data.decode(wide, "replace"), True
        note = f"is not UTF-8; read as {wide[:6].upper()}"
        text = _plain(text.removeprefix("\ufeff"))
        return DecodedText(text=text, encoding=wide[:6], note=note, is_binary=is_broken)
    mark = len(_UTF8_MARK) if data.startswith(_UTF8_MARK) else 0
    is_binary = _is_binary(data)
    is_wide = is_binary and _FEWEST_NULS * data.count(0) >= len(data)
    try:
        text = _plain(data[mark:].decode())
        return DecodedText(text=text, encoding="utf-8", is_binary=is_binary, is_wide=is_wide)
    except UnicodeDecodeError as exc:
        first = mark + exc.start
    likely = _japanese(data[mark:]) or _cyrillic_or_greek(data)
    for name, why in ((_declared(data), "it declares"), (likely, "its letters suggest")):
        if name:
            text = _plain(data[mark:].decode(name, "replace"))
            note = f"is not UTF-8; read as {name}, as {why}"
            return DecodedText(
                text=text, encoding=name, note=note, is_binary=is_binary, is_wide=is_wide
            )
    text = data[mark:].decode("utf-8", "surrogateescape").translate(_UNDECODED)
    line = _plain(data[:first].decode("latin-1")).count("\n") + 1
    note = f"is not UTF-8; read as Windows-1252 from byte {first} (line {line})"
    return DecodedText(
        text=_plain(text), encoding="cp1252", note=note, is_binary=is_binary, is_wide=is_wide
    )


_HEAD = 4_096
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Longer marks first, because one of them begins with a shorter one."""
_FEWEST_WIDE = 8


def _wide(data: bytes) -> str:
    """The encoding, if characters take two or four bytes; else "".

    Without a byte order mark, ASCII letters decide: all their other bytes are NUL.
    """
    for mark, name in _MARKS.items():
        if data.startswith(mark):
            return name
    head = data[:_HEAD]
    if len(head) < _FEWEST_WIDE or b"\0" not in head:
        return ""
    for width, name, last in (
        (4, "utf-32-le", 0),
        (4, "utf-32-be", 3),
        (2, "utf-16-le", 0),
        (2, "utf-16-be", 1),
    ):
        columns = [head[place::width] for place in range(width)]
        letters = columns.pop(last)
        is_text = 10 * len(_CONTROL.findall(letters)) < len(letters)
        if is_text and all(2 * column.count(0) > len(column) for column in columns):
            return name
    return ""


def _declared(data: bytes) -> str:
    """The single-byte encoding that a file declares; "" if it is cp1252, UTF-8 or unknown."""
    match = _DECLARED.search(data)
    said = next(filter(None, match.groups())).decode().lower() if match else ""
    name = _CALLED_OTHERWISE.get(said, said)
    if not name or name == "cp1252" or "utf" in name:
        return ""
    with suppress(LookupError, UnicodeError):
        is_plain = _ASCII.decode(name) == _ASCII.decode()
        if is_plain and len(_HIGH.decode(name, "replace")) == len(_HIGH):
            return name
    return ""


def _cyrillic_or_greek(data: bytes) -> str:
    """The likely Cyrillic or Greek encoding of a text; "" if neither is likely.

    Accents indicate Greek: in Cyrillic the bytes of its accented vowels are capitals or no letters.
    """
    listed = _WORD_OF_HIGH.findall(data)
    words = b"".join(listed)
    high = len(data) - len(data.translate(None, _HIGH))
    if len(words) < max(_FEWEST_LETTERS, 0.8 * high):
        return ""
    if _FEWEST_ACCENTS * len(_GREEK_ACCENT.findall(words)) > len(listed):
        return "iso8859_7"
    counts = {name: sum(byte in small for byte in words) for name, small in _SMALL.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if 10 * counts[best] > 7 * len(words) else ""


def _japanese(data: bytes) -> str:
    """The likely Japanese encoding of a text; "" if none is likely."""
    for name in ("cp932", "euc_jp"):
        with suppress(UnicodeDecodeError):
            wide = [letter for letter in data.decode(name) if letter > "\xff"]
            kana = sum("\u3041" <= letter <= "\u30fe" for letter in wide)
            if kana >= max(_FEWEST_KANA, len(wide) / 4):
                return name
    return ""


def _is_binary(data: bytes) -> bool:
    """Whether bytes contain a NUL and more control characters than an accident explains."""
    return b"\0" in data and 100 * len(_CONTROL.findall(data)) > len(data)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ")
