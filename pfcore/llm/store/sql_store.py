"""The store in a SQLite file, shared by the processes of one machine, or in any database.

A reply is committed as soon as it arrives, so that no paid reply is lost. The raw reply is stored,
and parsed only when it is read.
"""

import os
import secrets
import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import (
    URL,
    BindParameter,
    Column,
    Double,
    Engine,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    bindparam,
    create_engine,
    delete,
    func,
    insert,
    select,
)
from sqlalchemy.exc import SQLAlchemyError

from pfcore.domain.errors import UsageError
from pfcore.llm.protocol import Finish, Reply, TokenUsage
from pfcore.llm.store.leases import CLAIMS, KeyLeases
from pfcore.llm.store.reply_store import Clock, StoredReplies, StoreError
from pfcore.llm.store.sql_database import (
    NewerVersionError,
    SqlDatabase,
    VersionedTables,
    bring_up_to_date,
    cause,
    file_engine,
)

_ALL = MetaData()
REPLIES = Table(
    "replies",
    _ALL,
    Column("key", String(64), primary_key=True),
    Column("stage", String(32), nullable=False),
    Column("text", Text, nullable=False),
    Column("model", String(200), nullable=False),
    Column("input", Integer, nullable=False),
    Column("cached", Integer, nullable=False),
    Column("output", Integer, nullable=False),
    Column("made", Double, nullable=False),
)
CHARGES = Table(
    "charges",
    _ALL,
    Column("made", Double, nullable=False),
    Column("model", String(200), nullable=False),
    Column("cost", Double, nullable=False),
)
EXAMINATIONS = Table(
    "examinations",
    _ALL,
    Column("made", Double, nullable=False),
    Column("server", String(2000), nullable=False),
    Column("model", String(200), nullable=False),
    Column("fault", String(200), nullable=False),
)
TABLES = VersionedTables(name="reply_schema", tables=(REPLIES, CHARGES, CLAIMS, EXAMINATIONS))

_ROWS = REPLIES.c
_TOKENS = (_ROWS.input, _ROWS.cached, _ROWS.output)
_SINCE: BindParameter[float] = bindparam("since")
_READ = select(_ROWS.text, _ROWS.model, *_TOKENS, _ROWS.made).where(_ROWS.key == bindparam("its"))
_USED = select(*(func.coalesce(func.sum(item), 0) for item in _TOKENS)).where(_ROWS.made >= _SINCE)
_HELD = select(_ROWS.model, func.count(), *map(func.sum, _TOKENS)).group_by(_ROWS.model)
_CHARGE = insert(CHARGES)
_SPENT = select(func.coalesce(func.sum(CHARGES.c.cost), 0.0)).where(CHARGES.c.made >= _SINCE)
_EXAMINED = (
    select(EXAMINATIONS.c.fault)
    .where(EXAMINATIONS.c.server == bindparam("at"), EXAMINATIONS.c.model == bindparam("its"))
    .order_by(EXAMINATIONS.c.made.desc())
)
_LETTERS = select(
    _ROWS.key,
    func.sum(func.length(_ROWS.text)).over(order_by=(_ROWS.made.desc(), _ROWS.key)).label("sum"),
).subquery()
_SHORTEN = delete(REPLIES).where(
    _ROWS.key.in_(select(_LETTERS.c.key).where(_LETTERS.c.sum > bindparam("most")))
)
_TRIAL = "trial"
_ROOM = 131_072
"""Bytes that must be free before a reading begins: the replies about some modules."""


class SqlReplyStore:
    """Replies in a database; a file that is not writable can still be read."""

    def __init__(self, database: SqlDatabase, clock: Clock, *, is_file: bool) -> None:
        self._database = database
        self._clock = clock
        self._is_file = is_file
        self._keep = database.insert(REPLIES).on_conflict_do_nothing()

    def get(self, key: str) -> Reply | None:
        """The stored reply to an action; None if there is none, or it or the file is unreadable.

        StoreError if the database of another machine does not answer.
        """
        try:
            with self._database.begin("cannot be read") as connection:
                row = connection.execute(_READ, {"its": key}).first()
        except StoreError:
            if self._is_file:
                return None
            raise
        return _reply(row) if row else None

    def put(self, key: str, stage: str, reply: Reply) -> None:
        """Store a reply permanently; the first one for a key stays."""
        with self._database.begin("cannot be written") as connection:
            connection.execute(self._keep, _row(key, stage, reply, self._clock()))

    def require_writable(self) -> None:
        """StoreError if replies cannot be stored; leaves no reply behind.

        Only a commit detects a full disk, so a trial reply of the size of several is committed, and
        then deleted.
        """
        trial = Reply(
            text=secrets.token_hex(_ROOM // 2), usage=TokenUsage(), finish=Finish.STOP, model=""
        )
        row = _row(f"{_TRIAL}{secrets.token_hex(8)}", _TRIAL, trial, 0.0)
        with self._database.begin("cannot be written") as connection:
            connection.execute(self._keep, row)
        with self._database.begin("cannot be written") as connection:
            connection.execute(delete(REPLIES).where(_ROWS.stage == _TRIAL))

    def used(self, since: float) -> TokenUsage:
        """The tokens of all replies stored since a time."""
        with self._database.begin("cannot be read") as connection:
            into, cached, out = map(int, connection.execute(_USED, {"since": since}).one())
        return TokenUsage(input=into, cached=cached, output=out)

    def charge(self, model: str, cost: float) -> None:
        """Record the cost of a call."""
        values = {"made": self._clock(), "model": model, "cost": cost}
        with self._database.begin("cannot be written") as connection:
            connection.execute(_CHARGE, values)

    def spent(self, since: float) -> float:
        """The cost in dollars of all calls since a time; 0 if a file is unreadable."""
        try:
            with self._database.begin("cannot be read") as connection:
                return float(connection.execute(_SPENT, {"since": since}).scalar_one())
        except StoreError:
            if self._is_file:
                return 0.0
            raise

    def examine(self, server: str, model: str, fault: str) -> None:
        """Record the result of a model's examination."""
        values = {"made": self._clock(), "server": server, "model": model, "fault": fault}
        with self._database.begin("cannot be written") as connection:
            connection.execute(insert(EXAMINATIONS), values)

    def examined(self, server: str, model: str) -> str | None:
        """The result of the last examination; None if there was none, or a file is unreadable."""
        try:
            with self._database.begin("cannot be read") as connection:
                row = connection.execute(_EXAMINED, {"at": server, "its": model}).first()
        except StoreError:
            if self._is_file:
                return None
            raise
        return str(row[0]) if row else None

    def claims(self) -> KeyLeases:
        """New claims on keys, for one more engine."""
        return KeyLeases(self._database, self._clock)

    def held(self) -> list[StoredReplies]:
        """The stored replies, by model."""
        with self._database.begin("cannot be read") as connection:
            return [_stored(row) for row in connection.execute(_HELD.order_by(_ROWS.model))]

    def shorten(self, most: int) -> int:
        """Forget the oldest replies beyond so many letters; how many replies that were."""
        with self._database.begin("cannot be deleted") as connection:
            count = connection.execute(_SHORTEN, {"most": most}).rowcount
        if count:
            self._database.vacuum()
        return count

    def erase(self) -> int:
        """Delete everything; returns the number of replies deleted."""
        with self._database.begin("cannot be deleted") as connection:
            count = connection.execute(delete(REPLIES)).rowcount
            connection.execute(delete(CLAIMS))
            connection.execute(delete(EXAMINATIONS))
        self._database.vacuum()
        return count

    def close(self) -> None:
        """Close the database."""
        self._database.close()


def open_url(url: str, clock: Clock) -> SqlReplyStore:
    """The store in a database shared by machines; UsageError if the URL cannot be used."""
    try:
        engine = create_engine(url, pool_pre_ping=True)
    except ImportError as error:
        words = f"the store's URL needs the Python package {error.name}, which is not installed"
        raise UsageError(words) from None
    except SQLAlchemyError:
        raise UsageError("the store's URL is not the address of a database") from None

    def fault(_: str, error: Exception) -> StoreError:
        if isinstance(error, NewerVersionError):
            return StoreError(f"the store's database {error}")
        return StoreError(f"the store's database did not answer ({type(error).__name__})")

    database = SqlDatabase(engine, fault)
    database.prepare(TABLES)
    return SqlReplyStore(database, clock, is_file=False)


def open_file(path: Path, clock: Clock) -> SqlReplyStore:
    """The store in a file; one that is not writable can still be read."""

    def fault(what: str, error: Exception) -> StoreError:
        reason = str(cause(error))
        is_broken = "not a database" in reason or "malformed" in reason
        remedy = ". Delete it to start again; its replies are lost" if is_broken else ""
        return StoreError(f"the store {path} {what}: {reason}{remedy}")

    engine = file_engine(path, "synchronous=NORMAL")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        bring_up_to_date(engine, TABLES, is_file=True)
        path.chmod(0o600)
    except NewerVersionError as error:
        raise StoreError(f"the store {path} {error}") from None
    except (OSError, sqlite3.Error, SQLAlchemyError) as error:
        if "readonly" not in str(cause(error)):
            if not path.is_file() or os.access(path.parent, os.W_OK):
                raise fault("cannot be opened", error) from error
            engine = _unshared(path)
    return SqlReplyStore(SqlDatabase(engine, fault, is_single=True), clock, is_file=True)


def _unshared(path: Path) -> Engine:
    """A read-only engine for a file in a read-only folder, where SQLite cannot add lock files."""
    asked = {"mode": "ro", "immutable": "1", "uri": "true"}
    return create_engine(URL.create("sqlite", database=path.resolve().as_uri(), query=asked))


def _row(key: str, stage: str, reply: Reply, now: float) -> dict[str, object]:
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


def _stored(row: Any) -> StoredReplies:
    model, count, *tokens = row
    into, cached, out = map(int, tokens)
    return StoredReplies(str(model), int(count), TokenUsage(input=into, cached=cached, output=out))


def _reply(row: Any) -> Reply | None:
    """The reply in a row; None if it cannot be read."""
    text, model, *counts, made = row
    if not isinstance(text, str) or not all(isinstance(count, int) for count in counts):
        return None
    usage = TokenUsage(input=counts[0], cached=counts[1], output=counts[2])
    when = made if isinstance(made, float) else None
    return Reply(text=text, usage=usage, finish=Finish.STOP, model=str(model), made=when)
