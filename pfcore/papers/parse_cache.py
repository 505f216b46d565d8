"""The parse cache: what was read from a content, by the digest of the content and its syntax.

Entries are JSON. Anything unreadable is a miss; a cache that cannot be written still reads, and
a cache that cannot be opened is an empty one: nothing depends on it but time.

Surveys, readings and texts by key: in memory, behind it the parse cache.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from pfcore.papers.processes import ProcessPool
from pfcore.sqlite_files import write_ahead

_SCHEMA = "CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID"
_BATCH = 500
_LARGEST = 512_000_000
_BUSY = 2.0


class CacheBackend(Protocol):
    """Texts by key."""

    def get(self, keys: Iterable[str]) -> dict[str, str]:
        """The entries that are there."""
        ...

    def put(self, entries: Mapping[str, str]) -> None:
        """Keep entries; may forget them at any time."""
        ...


class MemoryCache:
    """A cache that lives as long as the process."""

    def __init__(self) -> None:
        self.entries: dict[str, str] = {}

    def get(self, keys: Iterable[str]) -> dict[str, str]:
        """The entries that are there."""
        return {key: self.entries[key] for key in keys if key in self.entries}

    def put(self, entries: Mapping[str, str]) -> None:
        """Keep entries."""
        self.entries.update(entries)


class DiskCache:
    """A cache in one SQLite file, shared by processes; emptied when it grows beyond its size."""

    def __init__(self, path: Path) -> None:
        self._connection = _open(path)

    def get(self, keys: Iterable[str]) -> dict[str, str]:
        """The entries that are there."""
        found: dict[str, str] = {}
        if self._connection is None:
            return found
        wanted = list(keys)
        with suppress(sqlite3.Error):
            for start in range(0, len(wanted), _BATCH):
                batch = wanted[start : start + _BATCH]
                marks = ",".join("?" * len(batch))
                query = f"SELECT key, value FROM entries WHERE key IN ({marks})"  # noqa: S608 - marks only
                found.update(self._connection.execute(query, batch))
        return found

    def put(self, entries: Mapping[str, str]) -> None:
        """Keep entries, in one transaction."""
        if self._connection is None or not entries:
            return
        with suppress(sqlite3.Error), self._connection:
            self._connection.executemany(
                "INSERT OR REPLACE INTO entries VALUES (?, ?)", entries.items()
            )

    def is_writable(self) -> bool:
        """Whether anything could be kept; nothing is."""
        if self._connection is None:
            return False
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("INSERT OR REPLACE INTO entries VALUES ('', '')")
        except sqlite3.Error:
            return False
        finally:
            self._connection.rollback()
        return True

    def close(self) -> None:
        """Let go of the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _open(path: Path) -> sqlite3.Connection | None:
    """The database; None where it cannot be had. At our own place a broken file is put aside."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.exists() and path.stat().st_size > _LARGEST:
            path.unlink()
        connection = sqlite3.connect(path, timeout=_BUSY, isolation_level="IMMEDIATE")
        write_ahead(connection, _BUSY)
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute(_SCHEMA)
    except (OSError, sqlite3.Error) as error:
        broken = getattr(error, "sqlite_errorcode", 0) in (
            sqlite3.SQLITE_NOTADB,
            sqlite3.SQLITE_CORRUPT,
        )
        return _opened_anew(path) if broken and path.parent.name == "pf-verify" else None
    return connection


def _opened_anew(path: Path) -> sqlite3.Connection | None:
    """A new database in place of a broken file, which is kept; None where one is kept already."""
    aside = path.with_name(f"{path.name}.broken")
    try:
        if aside.exists() or not path.is_file() or path.is_symlink():
            return None
        path.rename(aside)
        for ending in ("-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
    except OSError:
        return None
    return _open(path)


Value = TypeVar("Value")


@dataclass(slots=True)
class ParseCache:
    """Gives what it has, makes what is missing; `workers` make many things at once."""

    cache: CacheBackend
    workers: ProcessPool = field(default_factory=ProcessPool)
    _memory: dict[str, object] = field(default_factory=dict)
    _fresh: dict[str, str] = field(default_factory=dict)
    _held: dict[str, str] = field(default_factory=dict)

    def get_or_parse(
        self,
        keys: Mapping[str, str],
        decode: Callable[[str], Value],
        make: Callable[[str], tuple[Value, dict[str, str]]],
    ) -> dict[str, Value]:
        """The value of each name; `make` gives what is missing, and the entries to keep."""
        absent = {key for key in keys.values() if key not in self._memory}
        unknown = [key for key in absent if key not in self._held and key not in self._fresh]
        stored = self.cache.get(unknown) if unknown else {}
        for key in absent:
            text = self._held.pop(key, None) or self._fresh.get(key) or stored.get(key)
            if text is not None:
                with suppress(ValueError):
                    self._memory[key] = decode(text)
        found: dict[str, Value] = {}
        for name, key in keys.items():
            if key not in self._memory:
                self._memory[key], entries = make(name)
                self._fresh.update(entries)
            found[name] = self._memory[key]  # type: ignore[assignment]
        return found

    def missing(self, keys: Mapping[str, str]) -> list[str]:
        """The names whose value would have to be made."""
        absent = {key for key in keys.values() if key not in self._memory}
        held = self.cache.get(sorted(absent)) if absent else {}
        self._held.update(held)
        return [name for name, key in keys.items() if key in absent and key not in held]

    def take(self, entries: Mapping[str, str]) -> None:
        """Have entries that were made elsewhere, as if the cache had had them."""
        self._fresh.update(entries)

    def keep(self) -> None:
        """Write what is new to the cache."""
        self.cache.put(self._fresh)
        self._fresh.clear()
