import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pfcore.sqlite_files import write_ahead


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Holds a new file, as a process does that is preparing it."""
    with closing(sqlite3.connect(tmp_path / "file", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE held (x)")
        connection.execute("BEGIN EXCLUSIVE")
        yield connection


def opened(path: Path, before: Callable[[int], object]) -> sqlite3.Connection:
    """A connection that tells how many statements it was given, before each."""

    class Counting(sqlite3.Connection):
        tried = 0

        def execute(self, *arguments: Any) -> sqlite3.Cursor:
            self.tried += 1
            before(self.tried)
            return super().execute(*arguments)

    return sqlite3.connect(path, timeout=0, isolation_level=None, factory=Counting)


def mode(connection: sqlite3.Connection) -> str:
    found: str = connection.execute("PRAGMA journal_mode").fetchone()[0]
    return found


def test_who_holds_a_file_is_waited_for(tmp_path: Path, holder: sqlite3.Connection) -> None:
    def release(tried: int) -> None:
        if tried == 3:
            holder.rollback()

    with closing(opened(tmp_path / "file", release)) as connection:
        write_ahead(connection, 60)
        assert mode(connection) == "wal"


def test_not_for_ever(tmp_path: Path, holder: sqlite3.Connection) -> None:
    with (
        closing(opened(tmp_path / "file", lambda _: None)) as connection,
        pytest.raises(sqlite3.OperationalError, match="locked"),
    ):
        write_ahead(connection, -1)
    assert mode(holder) == "delete"


def test_what_is_no_database_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no database, and longer than a page's head " * 40)
    with (
        closing(opened(tmp_path / "file", lambda _: None)) as connection,
        pytest.raises(sqlite3.DatabaseError, match="not a database"),
    ):
        write_ahead(connection, 60)
