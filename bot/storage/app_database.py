"""The database that the App is given, an SQLite file or Postgres by its address, and its tables.

Deliveries are in a file beside that of the records, or in the same Postgres database.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    make_url,
    text,
)
from sqlalchemy.exc import SQLAlchemyError

from bot.domain.run_records import RecordError
from pfcore.llm.store.sql_database import (
    BUSY,
    NewerVersionError,
    SqlDatabase,
    VersionedTables,
    cause,
    file_engine,
)
from pfcore.sqlite_files import create_private, write_ahead

_FILE = "sqlite:///"

_ALL = MetaData()

_Count = BigInteger().with_variant(Integer, "sqlite")
"""SQLite generates row numbers only if the type is INTEGER."""

RUNS = Table(
    "runs",
    _ALL,
    Column("id", String(400), primary_key=True),
    Column("installation", BigInteger, nullable=False),
    Column("repository_id", BigInteger, nullable=False),
    Column("repository", String(210), nullable=False),
    Column("number", BigInteger),
    Column("branch", Text),
    Column("is_default", Boolean, nullable=False),
    Column("head", String(64), nullable=False),
    Column("base", String(64), nullable=False),
    Column("reason", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("note", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("started", Double),
    Column("ended", Double),
    Column("structure", Text),
    Column("proofs", Text),
    Column("structure_outline", Text),
    Column("proofs_outline", Text),
    Column("calls", BigInteger, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("dollars", Double, nullable=False),
    Index("runs_created", "created"),
    Index("runs_place", "repository_id", "number", "created"),
)

PLACES = Table(  # outlives the runs: leads to other data that is stored about a repository
    "run_places",
    _ALL,
    Column("installation", BigInteger, primary_key=True, autoincrement=False),
    Column("repository_id", BigInteger, primary_key=True, autoincrement=False),
)

LOG = Table(
    "run_log",
    _ALL,
    Column("count", _Count, primary_key=True, autoincrement=True),
    Column("run", String(400), nullable=False),
    Column("at", Double, nullable=False),
    Column("line", Text, nullable=False),
    Index("run_log_run", "run"),
)

SPENT = Table(  # costs of deleted runs; without a place if the repository was erased
    "run_spent",
    _ALL,
    Column("count", _Count, primary_key=True, autoincrement=True),
    Column("installation", BigInteger),
    Column("repository_id", BigInteger),
    Column("at", Double, nullable=False),
    Column("dollars", Double, nullable=False),
)

ANSWERS = Table(
    "run_answers",
    _ALL,
    Column("repository_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("finding", String(16), primary_key=True),
    Column("installation", BigInteger, nullable=False),
    Column("repository", String(210), nullable=False),
    Column("aliases", Text, nullable=False),
    Column("lines", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("who", String(120), nullable=False),
    Column("when", Double, nullable=False),
)

PULLS = Table(
    "run_pulls",
    _ALL,
    Column("repository_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("installation", BigInteger, nullable=False),
    Column("paused", Boolean, nullable=False),
    Column("agreed", String(64)),
    Column("when", Double, nullable=False),
)

SPOKEN = Table(  # kept for an hour: how often people have addressed the App
    "run_spoken",
    _ALL,
    Column("guid", String(400), primary_key=True),
    Column("installation", BigInteger, nullable=False),
    Column("repository_id", BigInteger, nullable=False),
    Column("who", String(120), nullable=False),
    Column("at", Double, nullable=False),
    Index("run_spoken_who", "installation", "who", "at"),
)

WORKERS = Table(
    "run_workers",
    _ALL,
    Column("worker", String(200), primary_key=True),
    Column("at", Double, nullable=False),
)

DELIVERIES = Table(
    "deliveries",
    _ALL,
    Column("guid", String(64), primary_key=True),
    Column("event", String(64), nullable=False),
    Column("installation", BigInteger, nullable=False),
    Column("repository", BigInteger),
    Column("received", Double, nullable=False),
    Column("queued", Integer, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index("deliveries_received", "received"),
)
_IS_WAITING = text("queued = 0")
Index(
    "deliveries_waiting",
    DELIVERIES.c.received,
    postgresql_where=_IS_WAITING,
    sqlite_where=_IS_WAITING,
)

RECORD_TABLES = VersionedTables(
    name="run_schema", tables=(RUNS, PLACES, LOG, SPENT, ANSWERS, PULLS, SPOKEN, WORKERS)
)
DELIVERY_TABLES = VersionedTables(name="delivery_schema", tables=(DELIVERIES,))


def open_app_database(url: str, tables: VersionedTables) -> SqlDatabase:
    """The database at `sqlite:///PATH` or `postgresql://…`; RecordError if that fails.

    Its transactions raise RecordError, too. The sentences omit the address, which may hold a
    password.
    """
    if url.startswith(_FILE):
        path = Path(url.removeprefix(_FILE))
        try:
            create_private(path)
        except OSError as error:
            raise _fault("cannot be opened", error) from None
        # A result is saved before it is posted, and GitHub does not repeat an acknowledged
        # delivery, so both must survive a power failure.
        engine = file_engine(path, "synchronous=FULL", "secure_delete=ON")
    else:
        # Without a driver's name, some releases of SQLAlchemy take psycopg2 and others psycopg.
        _, _, rest = url.partition("://")
        try:
            engine = create_engine(make_url(f"postgresql+psycopg://{rest}"), pool_pre_ping=True)
        except ValueError:  # the port is not a number
            raise RecordError("the App's database has an invalid address") from None
        except (SQLAlchemyError, ImportError) as error:
            raise _fault("cannot be opened", error) from None
    database = SqlDatabase(engine, _fault)
    database.prepare(tables, is_file=url.startswith(_FILE))
    return database


def prepare_file(path: Path) -> None:
    """Create a file that only its owner may read; readers and a writer do not block each other."""
    create_private(path)
    with closing(sqlite3.connect(path, timeout=BUSY)) as connection:
        write_ahead(connection, BUSY)


def clean(value: str) -> str:
    """A text that both databases accept: without NUL and lone surrogates."""
    return value.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def _fault(what: str, error: Exception) -> RecordError:
    if isinstance(error, NewerVersionError):
        return RecordError(f"the App's database {error}")
    return RecordError(f"the App's database {what} ({type(cause(error)).__name__})")
