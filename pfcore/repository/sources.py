"""What bytes of a file say: its text, and how sure that is."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_UTF8_MARK = b"\xef\xbb\xbf"
# What "surrogateescape" makes of a stray byte -> that byte's character.
_UNDECODED = {
    0xDC00 + byte: bytes((byte,)).decode("cp1252", "ignore") or chr(byte)
    for byte in range(0x80, 0x100)
}
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedText:
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


def decode(data: bytes) -> DecodedText:
    """The text of a file: UTF-8, UTF-16 with its mark, else each stray byte as Windows-1252."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return DecodedText(text=_plain(data.decode("utf-16", "replace")), encoding="utf-16")
    mark = len(_UTF8_MARK) if data.startswith(_UTF8_MARK) else 0
    is_binary = _is_binary(data)
    try:
        text = _plain(data[mark:].decode())
        return DecodedText(text=text, encoding="utf-8", is_binary=is_binary)
    except UnicodeDecodeError as exc:
        first = mark + exc.start
    text = data[mark:].decode("utf-8", "surrogateescape").translate(_UNDECODED)
    line = _plain(data[:first].decode("latin-1")).count("\n") + 1
    note = f"is not UTF-8; read as Windows-1252 from byte {first} (line {line})"
    return DecodedText(text=_plain(text), encoding="cp1252", note=note, is_binary=is_binary)


def _is_binary(data: bytes) -> bool:
    """Whether bytes with a NUL have more control characters than a text that got one by accident.

    UTF-16 without its mark has a NUL in every other byte.
    """
    return b"\0" in data and 100 * len(_CONTROL.findall(data)) > len(data)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ")
