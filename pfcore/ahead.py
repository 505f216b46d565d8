"""SQLite's write-ahead log, where several processes may open a new file at once."""

import sqlite3
import time

_PAUSE = 0.01


def write_ahead(connection: sqlite3.Connection, seconds: float) -> None:
    """Switch a file to WAL for good, for which SQLite waits for nobody: waiting is done here.

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
