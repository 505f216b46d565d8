"""The tables behind the records, as SQLite and Postgres both have them."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

TABLES = MetaData()

VERSION = 1
"""Of the shape of the tables: raised with it, by a release that brings older ones up to it."""

_Count = BigInteger().with_variant(Integer, "sqlite")
"""SQLite numbers rows by itself only where the type is INTEGER."""

RUNS = Table(
    "runs",
    TABLES,
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

PLACES = Table(  # outlives the runs: what is kept elsewhere of a repository is found by it
    "run_places",
    TABLES,
    Column("installation", BigInteger, primary_key=True, autoincrement=False),
    Column("repository_id", BigInteger, primary_key=True, autoincrement=False),
)

LOG = Table(
    "run_log",
    TABLES,
    Column("count", _Count, primary_key=True, autoincrement=True),
    Column("run", String(400), nullable=False),
    Column("at", Double, nullable=False),
    Column("line", Text, nullable=False),
    Index("run_log_run", "run"),
)

SPENT = Table(  # by runs that are there no more; without a place where it was erased
    "run_spent",
    TABLES,
    Column("count", _Count, primary_key=True, autoincrement=True),
    Column("installation", BigInteger),
    Column("repository_id", BigInteger),
    Column("at", Double, nullable=False),
    Column("dollars", Double, nullable=False),
)

ANSWERS = Table(
    "run_answers",
    TABLES,
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
    TABLES,
    Column("repository_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("installation", BigInteger, nullable=False),
    Column("paused", Boolean, nullable=False),
    Column("agreed", String(64)),
    Column("when", Double, nullable=False),
)

WORKERS = Table(
    "run_workers",
    TABLES,
    Column("worker", String(200), primary_key=True),
    Column("at", Double, nullable=False),
)

SCHEMA = Table(
    "run_schema",
    TABLES,
    Column("one", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, nullable=False),
)
