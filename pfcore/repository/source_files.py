"""Which files of a moment may belong to a paper, and why others are not read.

What bytes of a file say: its text, and how sure that is.
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
_LINK_OUT = f"{LINK} out of this folder or by an absolute path: put the file itself here"
_SUBMODULE = "submodule not checked out"
_NESTED = "a repository inside this one: make it a submodule"
LONGEST_LINK = 4_096
"""Bytes of what a symbolic link says."""
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
    """A path that is not read, made printable, and why; `mark` tells its contents apart."""

    path: str
    reason: str
    mark: str = ""

    @property
    def is_repository(self) -> bool:
        """Whether it is a repository of its own."""
        return self.reason.startswith(_SUBMODULE) or self.reason == _NESTED

    @property
    def is_closed(self) -> bool:
        """Whether there may be files behind it that nobody can look at from here."""
        return self.is_repository or self.reason == _LINK_OUT


def submodule_reason(path: str, *, below: str = "") -> str:
    """Why the files of a submodule are not read, and what to run; `below` is one around it."""
    from shlex import quote  # only where there is one

    meant = below or path
    words = [_SUBMODULE + ": run git submodule update --init", *(["--recursive"] if below else [])]
    if not _STRANGE.search(meant):
        words.append(quote(f"./{meant}" if meant.startswith("-") else meant))
    return " ".join(words)


def is_setting(path: str) -> bool:
    """Whether a path is that of settings, or of a ledger."""
    return path.rpartition("/")[2] in SETTINGS


_BARE = frozenset(
    """preamble preambule header commands command macros macro mymacros newcommands defs defns
    definitions shortcuts packages notation theorems environments""".split()
)


def is_bare(path: str) -> bool:
    """Whether a file has a name by which LaTeX reads it in as it stands: `\\input{preamble}`."""
    return path.rpartition("/")[2].lower() in _BARE


def is_of_interest(path: str) -> bool:
    """Whether a path's name is that of LaTeX, bibliography, Lean, or one of our own files."""
    return path.lower().endswith(_SUFFIXES) or is_setting(path) or is_bare(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedText:
    """A file's text: lines end in LF, NUL is a space; `note` says what was guessed.

    `is_binary`: the bytes are no text in any encoding that we know; `is_wide`: but they may be in
    one that takes two bytes or four for a letter.
    """

    text: str
    encoding: str
    note: str | None = None
    is_binary: bool = False
    is_wide: bool = False


class BlobCache:
    """What has been read, by blob id; snapshots of one repository share one."""

    def __init__(self) -> None:
        self.sizes: dict[str, int] = {}
        self._bytes: dict[str, bytes] = {}
        self._sources: dict[str, DecodedText] = {}
        self._foreseen: set[str] = set()

    def __contains__(self, oid: str) -> bool:
        return oid in self._bytes or oid in self._sources

    def add(self, oid: str, data: bytes) -> None:
        """Keeps a blob's bytes until its text is asked for."""
        if oid not in self._sources:
            self._bytes[oid] = data

    def foresee(self, oids: Iterable[str]) -> None:
        """Notes blobs that may be wanted soon."""
        self._foreseen.update(oids)

    def foreseen(self) -> list[str]:
        """The blobs that were noted and are not here, once."""
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
    """Sorts a moment's paths into files, skipped, and others; gives files blob ids and sizes."""

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
        """The symbolic links that stay inside, each with the path of its file or folder."""
        found = dict(self._link_targets)
        oids = {oid: None for path, oid in self._link_blobs.items() if path not in found}
        if oids and self.repository:
            texts = dict(self.repository.read_blobs(oids, limit=LONGEST_LINK))
            for path, oid in self._link_blobs.items():
                found.setdefault(path, (texts.get(oid) or b"").decode("utf-8", "replace"))
        inside = {path: linked_inside(path, target) for path, target in sorted(found.items())}
        return MappingProxyType({path: target for path, target in inside.items() if target})

    def files(self) -> Mapping[str, FileEntry]:
        """The files, sorted by path; those that have no blob id yet are read now."""
        return MappingProxyType({entry.path: entry for entry in self._entries()})

    def left_out(self, targets: Mapping[str, str]) -> tuple[Skipped, ...]:
        """What is not read; complete once the files are known, and what links mean."""
        return tuple(
            Skipped(path=path, reason=self._link(path, targets) if why == LINK else why, mark=mark)
            for path, (why, mark) in sorted(self.skipped.items())
        )

    def _link(self, path: str, targets: Mapping[str, str]) -> str:
        """Why a symbolic link is not read, where that says more than that it is one."""
        if path not in targets:
            is_known = path in self._link_targets or path in self._link_blobs
            return _LINK_OUT if is_known else LINK
        if targets[path] == path:
            return _LINK_ITSELF
        is_there = targets[path] in self.paths or targets[path] in self._folders
        return LINK if is_there else _LINK_TO_NOTHING

    @cached_property
    def _folders(self) -> frozenset[str]:
        """The folders around all paths."""
        found: set[str] = set()
        for path in self.paths:
            folder = posixpath.dirname(path)
            while folder and folder not in found:
                found.add(folder)
                folder = posixpath.dirname(folder)
        return frozenset(found)

    def add_blob(self, entry: GitEntry) -> None:
        """Takes a path whose content git has."""
        if entry.mode == SUBMODULE:
            self._skip(entry.path, submodule_reason(entry.path))
        elif self._is_candidate(entry.path):
            if entry.mode == SYMLINK:
                self._skip(entry.path, LINK)
                self._link_blobs[entry.path] = entry.oid
            elif is_of_interest(entry.path):
                self.blobs[entry.path] = entry.oid

    def add_file(self, path: str) -> None:
        """Takes a path whose content is on disk; "a/" is a repository of its own."""
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
        with suppress(OSError):  # it is no link itself, but lies behind one
            self._link_targets[path] = str(Path(self._place(path)).readlink())

    def add_folder(self, folder: str) -> list[str]:
        """Takes the files of a folder ("" or "a/"); gives the folders below it."""
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
        # Without a suffix it may be a link to a folder of sources, which is worth telling.
        return is_source or "." not in path.rpartition("/")[2]

    def _skip(self, path: str, reason: str) -> None:
        printable = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in path)
        self.skipped["".join(printable)] = reason, self.blobs.get(path) or self._seen(path)

    def _seen(self, path: str) -> str:
        """What tells a file on disk from an earlier one without a look into it."""
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


def linked_inside(path: str, target: str) -> str:
    """The path that a link means; "" if it leads out of the repository, or to a strange name."""
    if target.startswith("/"):
        return ""
    meant = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return "" if meant == "." or _STRANGE.search(meant) else meant


def is_entered(folder: str) -> bool:
    """Whether a folder is looked into: hidden ones and those of packages are not."""
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
    """What the system says when a file is opened, None where it opens it now."""
    try:
        os.close(os.open(path, _OPEN))
    except OSError as exc:
        return exc
    return None


def content_below(root: Path, path: str, *, limit: int) -> bytes | None:
    """The bytes of a regular file below a folder that no link leads to; None if there is none."""
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
"""What the package inputenc, or an editor, calls some encodings; Python knows the others so."""
_ASCII, _HIGH = bytes(range(0x20, 0x7F)), bytes(range(0x80, 0x100))
_WORD_OF_HIGH = re.compile(rb"[\x80-\xff]{3,}")
_SMALL = {
    "cp1251": frozenset(range(0xE0, 0x100)),
    "koi8-r": frozenset(range(0xC0, 0xE0)),
    "cp866": frozenset((*range(0xA0, 0xB0), *range(0xE0, 0xF0))),
}
"""The small letters of Cyrillic in its usual encodings."""
_GREEK_ACCENT = re.compile(rb"[\xe1-\xfe]{2}[\xdc-\xdf]")
"""An accented vowel behind small letters; in koi8-r it would be a small one behind capitals."""
_FEWEST_NULS = 3
"""One byte of so many is a NUL, at the least, where letters take two bytes or four."""
_FEWEST_LETTERS, _FEWEST_KANA, _FEWEST_ACCENTS = 12, 4, 20
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1f\x7f]")


def decode(data: bytes) -> DecodedText:
    """The text of a file: UTF-8, UTF-16 or UTF-32, else what it declares, or is likely.

    That is one of Cyrillic's encodings, or Greek's, where most words have nothing but such letters,
    one of Japanese where much of the text is kana; elsewhere each stray byte is one of
    Windows-1252.
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
"""The longer ones first: one of them begins with a shorter one."""
_FEWEST_WIDE = 8


def _wide(data: bytes) -> str:
    """The encoding of two or four bytes a letter that a text has; "" if it has neither.

    Without its mark, the letters of commands tell: the other bytes of these are all NUL.
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
    """The encoding of single bytes that a file declares; "" if it is the usual one, or unknown."""
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
    """The encoding of either in which a text is likely to be; "" if it is likely in none.

    Accents tell Greek: the bytes of its accented vowels are capitals or none in Cyrillic.
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
    """The encoding of Japanese in which a text is likely to be; "" if it is likely in none."""
    for name in ("cp932", "euc_jp"):
        with suppress(UnicodeDecodeError):
            wide = [letter for letter in data.decode(name) if letter > "\xff"]
            kana = sum("\u3041" <= letter <= "\u30fe" for letter in wide)
            if kana >= max(_FEWEST_KANA, len(wide) / 4):
                return name
    return ""


def _is_binary(data: bytes) -> bool:
    """Whether bytes with a NUL have more control characters than one accident would explain."""
    return b"\0" in data and 100 * len(_CONTROL.findall(data)) > len(data)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ")
