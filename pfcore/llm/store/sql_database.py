"""A database of ours by SQLAlchemy: its transactions, and the versions of its tables.

The same for a file of SQLite and for PostgreSQL. Older tables are brought up to date where they are
opened; those of a newer release are left as they are.
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
"""Any number, as long as it is the same for all who make tables: Postgres does that badly twice."""
_NEW, _FIRST = 0, 1

Migration = Callable[[Connection], None]
"""Makes tables of one version into those of the next, in a transaction that others wait for."""
Fault = Callable[[str, Exception], PfError]
"""The error to be raised, of what was attempted ("cannot be read") and of what the driver said."""


class NewerVersionError(Exception):
    """The tables are of a version that only a later release knows."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            f"was written by a newer release of pf-verify (its tables have version {found}, this "
            "release "
            f"knows {known}); nothing was changed. Update pf-verify"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionedTables:
    """The tables of one purpose; `name` is the table that their version is kept in.

    The first migration makes version 2 of version 1. What was written before there were versions
    is of version 1. A release that changes a table adds a migration; a whole new table or index
    needs none, for what is missing is made.
    """

    name: str
    tables: tuple[Table, ...]
    migrations: tuple[Migration, ...] = ()

    @property
    def version(self) -> int:
        """That of the tables as they are declared."""
        return _FIRST + len(self.migrations)

    def is_current(self, connection: Connection) -> bool:
        """Whether nothing is to be done; NewerVersionError where nothing may be."""
        known = inspect(connection)
        is_ours = self._found(connection, known) == self.version and known.has_table(self.name)
        return is_ours and next(self._missing(known), None) is None

    def bring_up(self, connection: Connection) -> None:
        """Make of what is there the tables as they are declared."""
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
        """What is not there. Postgres locks a table to be asked for an index that is there."""
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
    """Transactions, whose failures are told as whoever opened it wants them to be.

    With `is_single` all are on one connection, which is twice as quick, and for one thread.
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
        """A transaction that is committed at its end; `what` is said of the database if it fails.

        In a file of SQLite it begins with the first change, and waits for those of others.
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
        """An insertion that can be told what to do where the row is there already."""
        return (postgresql if self.is_postgres else sqlite).insert(table)

    def vacuum(self) -> None:
        """Give back the place of what was deleted; Postgres does so by itself."""
        with self._told("cannot be deleted"):
            self._pragma("VACUUM")

    def forget_deleted(self) -> None:
        """Let what was deleted be gone from the files of SQLite, too, as far as nobody reads it."""
        with self._told("does not answer"):
            self._pragma("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Let go of all connections."""
        self._is_closed = True
        if self._connection is not None:
            self._connection.close()
        self._engine.dispose()

    def _pragma(self, statement: str) -> None:
        """Carry out what SQLite does outside of transactions only."""
        if not self.is_postgres:
            with self._engine.connect() as connection:
                connection.exec_driver_sql(statement)

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        try:
            yield
        except (NewerVersionError, SQLAlchemyError, sqlite3.Error, ImportError, OSError) as error:
            # The driver's own words may quote the address, which holds a password.
            raise self._fault(what, error) from None


def bring_up_to_date(engine: Engine, tables: VersionedTables, *, is_file: bool = False) -> None:
    """Bring some tables up to date; in a file readers and a writer do not wait for each other.

    NewerVersionError before anything is written where a later release has written.
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
    except BaseException:  # an interrupt, too, and it goes on
        engine.dispose()  # lets go of the file
        raise


def file_engine(path: Path, *pragmas: str) -> Engine:
    """An engine of a file; each connection begins with some settings of SQLite's."""
    address = URL.create("sqlite", database=str(path))
    engine = create_engine(address, connect_args={"timeout": BUSY})

    @event.listens_for(engine, "connect")
    def settle(connection: Any, _: object) -> None:
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")

    return engine


def cause(error: Exception) -> Exception:
    """What the driver itself said."""
    return getattr(error, "orig", None) or error


def _of_driver(connection: Connection) -> sqlite3.Connection:
    found = connection.connection.driver_connection
    assert isinstance(found, sqlite3.Connection)
    return found


def _be_alone(connection: Connection) -> None:
    """Let nobody else make tables until the end of this transaction, which takes them along."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    elif connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
