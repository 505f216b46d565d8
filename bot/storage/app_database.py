"""The database that the App is given: one SQLite file, or Postgres by its address."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    MetaData,
    create_engine,
    event,
    inspect,
    make_url,
    text,
)
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.schema import CreateIndex, CreateTable

from bot.domain.run_records import RecordError
from pfcore.domain.errors import PfError
from pfcore.sqlite_files import write_ahead

_BUSY = 30
"""Seconds that a writer waits for another one."""
_LOCK = 0x70665F766572
"""Any number, as long as it is the same for all who make tables: Postgres does that badly twice."""
_FILE = "sqlite:///"


class AppDatabase:
    """Transactions whose failures are sentences without the address, which may hold a password."""

    def __init__(self, url: str, tables: MetaData) -> None:
        with _told("cannot be opened"):
            self._engine = _engine(url)
            with self._engine.begin() as connection:
                _prepare(connection, tables)

    @property
    def is_postgres(self) -> bool:
        """Whether it is Postgres rather than SQLite."""
        return self._engine.dialect.name == "postgresql"

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """A transaction that is committed at its end; RecordError where the database fails."""
        with _told("does not answer"), self._engine.begin() as connection:
            yield connection

    def forget_deleted(self) -> None:
        """Let what was deleted be gone from the files of SQLite, too, as far as nobody reads it."""
        if self.is_postgres:
            return
        with _told("does not answer"), self._engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()


def clean(value: str) -> str:
    """A text as both databases take it: no NUL, no half of a surrogate pair."""
    return value.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")


@contextmanager
def _told(what: str) -> Iterator[None]:
    try:
        yield
    except PfError:
        raise
    except (SQLAlchemyError, sqlite3.Error, ImportError, OSError) as error:
        # The driver's own words may quote the address; the name of its error tells enough.
        name = type(getattr(error, "orig", None) or error).__name__
        raise RecordError(f"the App's database {what} ({name})") from None


def _engine(url: str) -> Engine:
    if url.startswith(_FILE):
        return _file(Path(url.removeprefix(_FILE)))
    # Without a driver's name, one release of SQLAlchemy takes psycopg2 and another psycopg.
    _, _, rest = url.partition("://")
    try:
        address = make_url(f"postgresql+psycopg://{rest}")
    except ValueError:  # of a port that is no number
        raise RecordError("the App's database has an address that cannot be used") from None
    return create_engine(address, pool_pre_ping=True)


def prepare_file(path: Path) -> None:
    """A file of its owner's in which readers and a writer do not wait for each other.

    So are the files that SQLite puts beside it.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    path.chmod(0o600)
    with closing(sqlite3.connect(path, timeout=_BUSY)) as connection:
        write_ahead(connection, _BUSY)


def _file(path: Path) -> Engine:
    prepare_file(path)
    address = URL.create("sqlite", database=str(path))
    engine = create_engine(address, connect_args={"timeout": _BUSY})

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        # A result is saved before it is posted: it outlives a power cut, too.
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA secure_delete=ON")

    return engine


def _prepare(connection: Connection, tables: MetaData) -> None:
    """Make what is missing. Postgres locks a table to be asked for an index that is there."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    known = inspect(connection)
    for table in tables.sorted_tables:
        made = known.has_table(table.name)
        if not made:
            connection.execute(CreateTable(table, if_not_exists=True))
        there = {item["name"] for item in known.get_indexes(table.name)} if made else set()
        for index in table.indexes:
            if index.name not in there:
                connection.execute(CreateIndex(index, if_not_exists=True))
