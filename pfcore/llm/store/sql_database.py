"""A database accessed through SQLAlchemy: its transactions, and the versions of its tables.

The same for a SQLite file and for PostgreSQL. Older tables are migrated when they are opened; those
of a newer release are left alone.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import (
    URL,
    Column,
    Connection,
    Engine,
    Index,
    Inspector,
    Integer,
    MetaData,
    Table,
    create_engine,
    event,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ResourceClosedError, SQLAlchemyError
from sqlalchemy.schema import CreateIndex, CreateTable

from pfcore.domain.errors import PfError
from pfcore.sqlite_files import write_ahead

BUSY = 30.0
"""Seconds that a writer to a file waits for another one."""
_LOCK = 0x70665F766572
"""An arbitrary lock number shared by all processes: Postgres must not create tables in parallel."""
_NEW, _FIRST = 0, 1

Migration = Callable[[Connection], None]
"""Migrates tables of one version to the next, in a transaction that others wait for."""
Fault = Callable[[str, Exception], PfError]
"""Makes the error to raise, from what failed ("cannot be read") and the driver's exception."""


class NewerVersionError(Exception):
    """The tables have a version that only a later release knows."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            f"was written by a newer release of pf-verify (its tables have version {found}, this "
            "release "
            f"knows {known}); nothing was changed. Update pf-verify"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionedTables:
    """The tables of one purpose; `name` is the table that holds their version.

    The first migration leads from version 1 to version 2. Tables from before there were versions
    have version 1. A release that changes a table adds a migration; a new table or index needs
    none, because missing ones are created.
    """

    name: str
    tables: tuple[Table, ...]
    migrations: tuple[Migration, ...] = ()

    @property
    def version(self) -> int:
        """The version of the tables as declared."""
        return _FIRST + len(self.migrations)

    def is_current(self, connection: Connection) -> bool:
        """Whether there is nothing to do; NewerVersionError if a later release made the tables."""
        known = inspect(connection)
        is_ours = self._found(connection, known) == self.version and known.has_table(self.name)
        return is_ours and next(self._missing(known), None) is None

    def bring_up(self, connection: Connection) -> None:
        """Migrate the existing tables and create the missing ones."""
        found = self._found(connection, inspect(connection))
        if found != _NEW:
            for migrate in self.migrations[found - _FIRST :]:
                migrate(connection)
        for item in self._missing(inspect(connection)):
            made = CreateTable(item) if isinstance(item, Table) else CreateIndex(item)
            connection.execute(made)
        self._stamp(connection)

    def _found(self, connection: Connection, known: Inspector) -> int:
        if known.has_table(self.name):
            kept = connection.execute(select(self._versions().c.version)).scalar()
            found = _FIRST if kept is None else int(kept)
        else:
            is_old = any(known.has_table(table.name) for table in self.tables)
            found = _FIRST if is_old else _NEW
        if found > self.version:
            raise NewerVersionError(found, self.version)
        return found

    def _missing(self, known: Inspector) -> Iterator[Table | Index]:
        """The missing tables and indexes; CREATE INDEX IF NOT EXISTS would lock Postgres tables."""
        for table in self.tables:
            is_there = known.has_table(table.name)
            if not is_there:
                yield table
            if table.indexes:
                found = known.get_indexes(table.name) if is_there else []
                names = {item["name"] for item in found}
                yield from (index for index in table.indexes if index.name not in names)

    def _stamp(self, connection: Connection) -> None:
        versions = self._versions()
        connection.execute(CreateTable(versions, if_not_exists=True))
        found = connection.execute(update(versions).values(version=self.version))
        if found.rowcount == 0:
            connection.execute(versions.insert().values(one=1, version=self.version))

    def _versions(self) -> Table:
        return Table(
            self.name,
            MetaData(),
            Column("one", Integer, primary_key=True, autoincrement=False),
            Column("version", Integer, nullable=False),
        )


class SqlDatabase:
    """Transactions whose failures are raised as the errors that `fault` makes.

    With `is_single` all use one connection, which is twice as fast, and limited to one thread.
    """

    def __init__(self, engine: Engine, fault: Fault, *, is_single: bool = False) -> None:
        self._engine = engine
        self._fault = fault
        self._is_single = is_single
        self._connection: Connection | None = None
        self._is_closed = False

    @property
    def is_postgres(self) -> bool:
        """Whether it is Postgres rather than SQLite."""
        return self._engine.dialect.name == "postgresql"

    def prepare(self, tables: VersionedTables, *, is_file: bool = False) -> None:
        """Bring some tables up to date; see `bring_up_to_date`."""
        with self._told("cannot be opened"):
            bring_up_to_date(self._engine, tables, is_file=is_file)

    @contextmanager
    def begin(self, what: str = "does not answer") -> Iterator[Connection]:
        """A transaction, committed at its end; `what` describes the failure if it fails.

        In a SQLite file it begins with the first change, and waits for those of other processes.
        """
        with self._told(what):
            if self._is_closed:
                raise ResourceClosedError("it is closed")
            if not self._is_single:
                with self._engine.begin() as connection:
                    yield connection
                return
            self._connection = self._connection or self._engine.connect()
            with self._connection.begin():
                yield self._connection

    def insert(self, table: Table) -> Any:
        """An insert statement that can say what to do if the row exists."""
        return (postgresql if self.is_postgres else sqlite).insert(table)

    def vacuum(self) -> None:
        """Free the space of deleted rows; Postgres does so by itself."""
        with self._told("cannot be deleted"):
            self._pragma("VACUUM")

    def forget_deleted(self) -> None:
        """Remove deleted rows from SQLite's log file too, as far as no reader needs it."""
        with self._told("does not answer"):
            self._pragma("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close all connections."""
        self._is_closed = True
        if self._connection is not None:
            self._connection.close()
        self._engine.dispose()

    def _pragma(self, statement: str) -> None:
        """Execute a statement that SQLite only allows outside transactions."""
        if not self.is_postgres:
            with self._engine.connect() as connection:
                connection.exec_driver_sql(statement)

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        try:
            yield
        except (NewerVersionError, SQLAlchemyError, sqlite3.Error, ImportError, OSError) as error:
            # The driver's own message may quote the address, which holds a password.
            raise self._fault(what, error) from None


def bring_up_to_date(engine: Engine, tables: VersionedTables, *, is_file: bool = False) -> None:
    """Bring some tables up to date; in a file, readers and a writer do not block each other.

    NewerVersionError, before anything is written, if a later release made the tables.
    """
    try:
        with engine.begin() as connection:
            is_current = tables.is_current(connection)
        if is_file:
            with engine.connect() as connection:
                write_ahead(_of_driver(connection), BUSY)
        if not is_current:
            with engine.begin() as connection:
                _be_alone(connection)
                tables.bring_up(connection)
    except BaseException:  # also on an interrupt; raised again below
        engine.dispose()  # closes the file
        raise


def file_engine(path: Path, *pragmas: str) -> Engine:
    """An engine for a file; the pragmas are set on each connection."""
    address = URL.create("sqlite", database=str(path))
    engine = create_engine(address, connect_args={"timeout": BUSY})

    @event.listens_for(engine, "connect")
    def settle(connection: Any, _: object) -> None:
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")

    return engine


def cause(error: Exception) -> Exception:
    """The driver's own exception."""
    return getattr(error, "orig", None) or error


def _of_driver(connection: Connection) -> sqlite3.Connection:
    found = connection.connection.driver_connection
    assert isinstance(found, sqlite3.Connection)
    return found


def _be_alone(connection: Connection) -> None:
    """Prevent others from creating tables until the end of this transaction."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    elif connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
