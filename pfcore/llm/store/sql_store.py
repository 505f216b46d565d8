"""The store in a file of SQLite, which the processes of one machine share.

A reply is committed as soon as it arrives, so that nothing that was paid for is lost. Parsing
follows on reading: what is kept is what the server sent.
"""

import os
import sqlite3
from pathlib import Path
from typing import Any

from pfcore.ahead import write_ahead
from pfcore.llm.protocol import Reply, TokenUsage
from pfcore.llm.store import statements
from pfcore.llm.store.leases import TABLE, KeyLeases, Step, Values
from pfcore.llm.store.reply_store import Clock, StoredReplies, StoreError

_BUSY = 30.0


class SqliteStore:
    """One file that processes share; read-only where it cannot be written."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._connection = sqlite3.connect(path, timeout=_BUSY, isolation_level=None)
            self._prepare()
        except (OSError, sqlite3.Error) as error:
            if not path.is_file() or os.access(path.parent, os.W_OK):
                raise StoreError(f"the store {path} cannot be opened: {error}") from error
            # Beside a file that nobody can write, SQLite cannot put what it needs to share it.
            place = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
            self._connection = sqlite3.connect(place, uri=True, isolation_level=None)

    def _prepare(self) -> None:
        try:
            write_ahead(self._connection, _BUSY)
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.execute(statements.REPLIES)
            self._connection.execute(statements.CHARGES)
            self._connection.execute(TABLE)
            if self._path.exists():
                self._path.chmod(0o600)
        except sqlite3.OperationalError as error:
            if "readonly" not in str(error):
                raise

    def get(self, key: str) -> Reply | None:
        """The reply to an action, if it is known; an unreadable one is not."""
        try:
            row = self._connection.execute(statements.GET, {"key": key}).fetchone()
        except sqlite3.Error:
            return None
        return statements.reply_of(row) if row else None

    def put(self, key: str, stage: str, reply: Reply) -> None:
        """Keep a reply for good; the first one for a key stays."""
        try:
            self._connection.execute(
                statements.PUT, statements.row_of(key, stage, reply, self._clock())
            )
        except sqlite3.Error as error:
            raise StoreError(f"the store {self._path} cannot be written: {error}") from error

    def require_writable(self) -> None:
        """StoreError where no reply could be kept; none is."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.execute(
                    statements.PUT, statements.row_of("", "", statements.NO_REPLY, 0.0)
                )
            finally:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            raise StoreError(f"the store {self._path} cannot be written: {error}") from error

    def used(self, since: float) -> TokenUsage:
        """The tokens of all replies kept since a moment."""
        row = self._connection.execute(statements.SINCE, {"since": since}).fetchone()
        return TokenUsage(input=row[0], cached=row[1], output=row[2])

    def charge(self, model: str, cost: float) -> None:
        """Note what a call cost."""
        values = {"made": self._clock(), "model": model, "cost": cost}
        try:
            self._connection.execute(statements.CHARGE, values)
        except sqlite3.Error as error:
            raise StoreError(f"the store {self._path} cannot be written: {error}") from error

    def spent(self, since: float) -> float:
        """The dollars of all calls since a moment; none where they cannot be written down."""
        try:
            return float(self._connection.execute(statements.SPENT, {"since": since}).fetchone()[0])
        except sqlite3.Error:
            return 0.0

    def claims(self) -> KeyLeases:
        """What one more reader claims."""
        return KeyLeases(self, self._clock)

    def change(self, *steps: Step) -> int:
        """Carry out all steps or none; how many rows the last one has changed."""
        try:
            with self._connection:
                if len(steps) > 1:
                    self._connection.execute("BEGIN IMMEDIATE")
                return [self._connection.executemany(*step).rowcount for step in steps][-1]
        except sqlite3.Error as error:
            raise StoreError(f"the store {self._path} cannot be written: {error}") from error

    def rows(self, query: str, values: Values) -> list[Any]:
        """The rows that a query finds."""
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"the store {self._path} cannot be read: {error}") from error

    def held(self) -> list[StoredReplies]:
        """What is kept, by models."""
        try:
            return [statements.held_of(row) for row in self._connection.execute(statements.HELD)]
        except sqlite3.Error as error:
            raise StoreError(f"the store {self._path} cannot be read: {error}") from error

    def erase(self) -> int:
        """Forget everything; how many replies that were."""
        try:
            count = self._connection.execute("DELETE FROM replies").rowcount
            self._connection.execute("DELETE FROM claims")
            self._connection.execute("VACUUM")
        except sqlite3.Error as error:
            raise StoreError(f"the store {self._path} cannot be erased: {error}") from error
        return count

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()
