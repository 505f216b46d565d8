"""The store in a file of SQLite, which the processes of one machine share.

A reply is committed as soon as it arrives, so that nothing that was paid for is lost. Parsing
follows on reading: what is kept is what the server sent.

The store in a database that machines share; what is kept is what the server sent. The tables of a
store, what is asked of them, and what their rows mean. Opens a store by its path or its URL.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pfcore.domain.errors import UsageError
from pfcore.domain.installation import install_command
from pfcore.llm.protocol import Finish, Reply, TokenUsage
from pfcore.llm.store.leases import TABLE, KeyLeases, Step, Values
from pfcore.llm.store.reply_store import Clock, ReplyStore, StoredReplies, StoreError
from pfcore.sqlite_files import write_ahead

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

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
            self._connection.execute(REPLIES)
            self._connection.execute(CHARGES)
            self._connection.execute(TABLE)
            if self._path.exists():
                self._path.chmod(0o600)
        except sqlite3.OperationalError as error:
            if "readonly" not in str(error):
                raise

    def get(self, key: str) -> Reply | None:
        """The reply to an action, if it is known; an unreadable one is not."""
        try:
            row = self._connection.execute(GET, {"key": key}).fetchone()
        except sqlite3.Error:
            return None
        return reply_of(row) if row else None

    def put(self, key: str, stage: str, reply: Reply) -> None:
        """Keep a reply for good; the first one for a key stays."""
        try:
            self._connection.execute(PUT, row_of(key, stage, reply, self._clock()))
        except sqlite3.Error as error:
            raise StoreError(f"the store {self._path} cannot be written: {error}") from error

    def require_writable(self) -> None:
        """StoreError where no reply could be kept; none is."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.execute(PUT, row_of("", "", NO_REPLY, 0.0))
            finally:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            raise StoreError(f"the store {self._path} cannot be written: {error}") from error

    def used(self, since: float) -> TokenUsage:
        """The tokens of all replies kept since a moment."""
        row = self._connection.execute(SINCE, {"since": since}).fetchone()
        return TokenUsage(input=row[0], cached=row[1], output=row[2])

    def charge(self, model: str, cost: float) -> None:
        """Note what a call cost."""
        values = {"made": self._clock(), "model": model, "cost": cost}
        try:
            self._connection.execute(CHARGE, values)
        except sqlite3.Error as error:
            raise StoreError(f"the store {self._path} cannot be written: {error}") from error

    def spent(self, since: float) -> float:
        """The dollars of all calls since a moment; none where they cannot be written down."""
        try:
            return float(self._connection.execute(SPENT, {"since": since}).fetchone()[0])
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
            return [held_of(row) for row in self._connection.execute(HELD)]
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


class SqlStore:
    """A database by its URL, shared by machines."""

    def __init__(self, url: str, clock: Clock) -> None:
        self._clock = clock
        self._engine = _engine(url)
        for table in (REPLIES, CHARGES, TABLE):
            self._create(table)

    def get(self, key: str) -> Reply | None:
        """The reply to an action, if it is known."""
        rows = self._run(GET, {"key": key})
        return reply_of(rows[0]) if rows else None

    def put(self, key: str, stage: str, reply: Reply) -> None:
        """Keep a reply for good; the first one for a key stays."""
        self._run(PUT, row_of(key, stage, reply, self._clock()))

    def require_writable(self) -> None:
        """StoreError where no reply could be kept; none is."""
        self._run(PUT, row_of("", "", NO_REPLY, 0.0), is_trial=True)

    def used(self, since: float) -> TokenUsage:
        """The tokens of all replies kept since a moment."""
        row = self._run(SINCE, {"since": since})[0]
        return TokenUsage(input=int(row[0]), cached=int(row[1]), output=int(row[2]))

    def charge(self, model: str, cost: float) -> None:
        """Note what a call cost."""
        self._run(CHARGE, {"made": self._clock(), "model": model, "cost": cost})

    def spent(self, since: float) -> float:
        """The dollars of all calls since a moment."""
        return float(self._run(SPENT, {"since": since})[0][0])

    def held(self) -> list[StoredReplies]:
        """What is kept, by models."""
        return [held_of(row) for row in self._run(HELD, {})]

    def erase(self) -> int:
        """Forget everything; how many replies that were."""
        count = int(self._run("SELECT COUNT(*) FROM replies", {})[0][0])
        self._run("DELETE FROM replies", {})
        self._run("DELETE FROM claims", {})
        return count

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def claims(self) -> KeyLeases:
        """What one more reader claims."""
        return KeyLeases(self, self._clock)

    def change(self, *steps: Step) -> int:
        """Carry out all steps or none; how many rows the last one has changed."""
        from sqlalchemy import text

        with self._connected() as connection:
            return [
                int(connection.execute(text(statement), [dict(item) for item in values]).rowcount)
                for statement, values in steps
            ][-1]

    def rows(self, query: str, values: Values) -> list[Any]:
        """The rows that a query finds."""
        return self._run(query, dict(values))

    def _create(self, table: str) -> None:
        """Create a table; of two that do so at once, PostgreSQL may refuse one."""
        try:
            self._run(table, {})
        except StoreError:
            self._run(table, {})

    def _run(self, query: str, values: dict[str, Any], *, is_trial: bool = False) -> list[Any]:
        from sqlalchemy import text

        with self._connected() as connection:
            found = connection.execute(text(query), values)
            if is_trial:
                connection.rollback()
                return []
            return list(found) if found.returns_rows else []

    @contextmanager
    def _connected(self) -> "Iterator[Connection]":
        """A transaction; StoreError where it fails."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            # The driver's own words may quote the URL, which holds a password.
            name = type(error).__name__
            raise StoreError(f"the store's database did not answer ({name})") from None


def _engine(url: str) -> "Engine":
    try:
        from sqlalchemy import create_engine
        from sqlalchemy.exc import SQLAlchemyError
    except ImportError as error:
        raise UsageError(f"a store by URL needs SQLAlchemy: {install_command('bot')}") from error
    try:
        return create_engine(url, pool_pre_ping=True)
    except (SQLAlchemyError, ImportError) as error:
        name = type(error).__name__
        raise UsageError(f"the store's URL cannot be used ({name})") from None


REPLIES = """CREATE TABLE IF NOT EXISTS replies (
    key VARCHAR(64) PRIMARY KEY, stage VARCHAR(32) NOT NULL, text TEXT NOT NULL,
    model VARCHAR(200) NOT NULL, input INTEGER NOT NULL, cached INTEGER NOT NULL,
    output INTEGER NOT NULL, made DOUBLE PRECISION NOT NULL)"""
CHARGES = """CREATE TABLE IF NOT EXISTS charges (
    made DOUBLE PRECISION NOT NULL, model VARCHAR(200) NOT NULL, cost DOUBLE PRECISION NOT NULL)"""
CHARGE = "INSERT INTO charges VALUES (:made, :model, :cost)"
SPENT = "SELECT COALESCE(SUM(cost), 0) FROM charges WHERE made >= :since"
GET = "SELECT text, model, input, cached, output FROM replies WHERE key = :key"
PUT = (
    "INSERT INTO replies VALUES (:key, :stage, :text, :model, :input, :cached, :output, :made) "
    "ON CONFLICT (key) DO NOTHING"
)
SINCE = (
    "SELECT COALESCE(SUM(input), 0), COALESCE(SUM(cached), 0), COALESCE(SUM(output), 0) "
    "FROM replies WHERE made >= :since"
)
HELD = (
    "SELECT model, COUNT(*), SUM(input), SUM(cached), SUM(output) FROM replies "
    "GROUP BY model ORDER BY model"
)
NO_REPLY = Reply(text="", usage=TokenUsage(), finish=Finish.STOP, model="")


def row_of(key: str, stage: str, reply: Reply, now: float) -> dict[str, object]:
    """What PUT takes."""
    return {
        "key": key,
        "stage": stage,
        "text": reply.text,
        "model": reply.model,
        "input": reply.usage.input,
        "cached": reply.usage.cached,
        "output": reply.usage.output,
        "made": now,
    }


def held_of(row: Any) -> StoredReplies:
    """What a row of HELD says."""
    model, count, *tokens = row
    into, cached, out = map(int, tokens)
    return StoredReplies(str(model), int(count), TokenUsage(input=into, cached=cached, output=out))


def reply_of(row: Any) -> Reply | None:
    """What a row of GET says; None for what cannot be read."""
    text, model, *counts = row
    if not isinstance(text, str) or not all(isinstance(count, int) for count in counts):
        return None
    usage = TokenUsage(input=counts[0], cached=counts[1], output=counts[2])
    return Reply(text=text, usage=usage, finish=Finish.STOP, model=str(model))


def open_store(place: str, clock: Clock) -> ReplyStore:
    """The store at a path or a database URL; StoreError or UsageError if it cannot be used."""
    if "://" in place and not place.startswith("sqlite:///"):
        return SqlStore(place, clock)
    return SqliteStore(Path(place.removeprefix("sqlite:///")), clock)
