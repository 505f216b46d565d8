"""The parse cache: parse results by the digest of the content and its syntax.

Entries are JSON. An unreadable entry is a miss, a cache that cannot be written is still read, and
one that cannot be opened counts as empty: it only saves time.

Surveys, readings and texts are cached by key, in memory first and then on disk.
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
        """The entries that exist."""
        ...

    def put(self, entries: Mapping[str, str]) -> None:
        """Store entries; they may be dropped at any time."""
        ...


class MemoryCache:
    """A cache that lives as long as the process."""

    def __init__(self) -> None:
        self.entries: dict[str, str] = {}

    def get(self, keys: Iterable[str]) -> dict[str, str]:
        """The entries that exist."""
        return {key: self.entries[key] for key in keys if key in self.entries}

    def put(self, entries: Mapping[str, str]) -> None:
        """Store entries."""
        self.entries.update(entries)


class DiskCache:
    """A cache in one SQLite file, shared by processes; deleted if too large when it is opened."""

    def __init__(self, path: Path) -> None:
        self._connection = _open(path)

    def get(self, keys: Iterable[str]) -> dict[str, str]:
        """The entries that exist."""
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
        """Store entries in one transaction."""
        if self._connection is None or not entries:
            return
        with suppress(sqlite3.Error), self._connection:
            self._connection.executemany(
                "INSERT OR REPLACE INTO entries VALUES (?, ?)", entries.items()
            )

    def is_writable(self) -> bool:
        """Whether entries can be written; this test stores nothing."""
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
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _open(path: Path) -> sqlite3.Connection | None:
    """The database; None if it cannot be opened. In our own folder a broken file is renamed."""
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
    """A new database after renaming a broken file; None if one has been renamed before."""
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
    """Returns cached values and makes missing ones; `workers` make many in parallel."""

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
        """The value of each name; `make` returns a missing value and the entries to store."""
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
        """Add entries made elsewhere, as if the cache had had them."""
        self._fresh.update(entries)

    def keep(self) -> None:
        """Write new entries to the cache."""
        self.cache.put(self._fresh)
        self._fresh.clear()
