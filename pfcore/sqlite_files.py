"""SQLite files of our own: their companion files, whose they are, whether they are in use.

Also switches on the write-ahead log, even if several processes open a new file at once.
"""

import os
import sqlite3
import stat
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from pfcore.domain.errors import IncompleteError

_BESIDE = ("", "-wal", "-shm", "-journal")


def files(path: Path) -> list[Path]:
    """The existing files of a database, including links."""
    found = (path.with_name(path.name + ending) for ending in _BESIDE)
    return [item for item in found if item.is_symlink() or item.exists()]


def size(path: Path) -> int:
    """The bytes of all files of a database."""
    return sum(item.lstat().st_size for item in files(path))


def foreign(path: Path, table: str, *, is_own_folder: bool) -> str:
    """Why a database must not be touched; "" if it is one of ours with this table."""
    if is_own_folder and path.parent.is_symlink():
        return f"{path.parent} is a symbolic link; left unchanged"
    for item in files(path):
        if item.is_symlink():
            return f"{item.name} is a symbolic link; left unchanged"
        if not stat.S_ISREG(item.lstat().st_mode):
            return f"{item.name} is not a file; left unchanged"
    if not path.exists():
        return f"{path.name} is missing but its journal exists; left unchanged"
    found = tables(path)
    if found is None:
        return "corrupt, or not a database of pf-verify; left unchanged. Delete it to start again"
    return "" if table in found or not found else "a database of another program; left unchanged"


def tables(path: Path) -> set[str] | None:
    """The names of the tables; None if it is not a database, or cannot be read."""
    try:
        address = f"file:{quote(str(path.absolute()))}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=2)) as opened:
            rows = opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            return {str(row[0]) for row in rows}
    except sqlite3.Error:
        return None


def require_free(path: Path) -> None:
    """IncompleteError if another process has the database open, or it cannot be written.

    A process would lose what it writes to a file that was deleted meanwhile.
    """
    try:
        with closing(sqlite3.connect(path, timeout=0.5, isolation_level=None)) as opened:
            # Only the sole user of a database can end its write-ahead log.
            opened.execute("PRAGMA journal_mode=DELETE")
            opened.execute("BEGIN EXCLUSIVE")
            opened.execute("ROLLBACK")
    except sqlite3.Error as error:
        message = f"{path} is in use or cannot be written ({error}); nothing was deleted"
        raise IncompleteError(message) from error


def unlink(path: Path) -> None:
    """Delete a database, and its folder if that is ours and then empty."""
    try:
        for item in files(path):
            item.unlink(missing_ok=True)
        if path.parent.name == "pf-verify" and not any(path.parent.iterdir()):
            path.parent.rmdir()
    except OSError as error:
        raise IncompleteError(f"{path} cannot be deleted: {error.strerror}") from error


def create_private(path: Path) -> None:
    """Make a file private to its owner, creating it if need be; SQLite's companion files follow."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    path.chmod(0o600)


_PAUSE = 0.01


def write_ahead(connection: sqlite3.Connection, seconds: float) -> None:
    """Switch a file to WAL permanently; SQLite does not wait for others here, so this does.

    sqlite3.OperationalError if others hold the file for longer.
    """
    end = time.monotonic() + seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if not _is_held(error) or time.monotonic() > end:
                raise
        else:
            return
        time.sleep(_PAUSE)


def _is_held(error: sqlite3.OperationalError) -> bool:
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
