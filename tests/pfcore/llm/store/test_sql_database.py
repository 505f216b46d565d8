"""Tables carry a version: older ones are brought up to date, newer ones are left alone."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    create_engine,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.exc import SQLAlchemyError

from pfcore.llm.protocol import Finish, Reply, TokenUsage
from pfcore.llm.store import open_store
from pfcore.llm.store.reply_store import StoreError
from pfcore.llm.store.sql_database import (
    NewerVersionError,
    VersionedTables,
    bring_up_to_date,
    file_engine,
)
from pfcore.llm.store.sql_store import TABLES
from tests.acceptance.postgres import own_schema, postgres  # noqa: F401 - a fixture

REPLY = Reply(text="accept", usage=TokenUsage(input=1), finish=Finish.STOP, model="m")
OLD = Table("poems", MetaData(), Column("line", Text, primary_key=True))
NEW = Table(
    "poems",
    MetaData(),
    Column("line", Text, primary_key=True),
    Column("feet", Integer, nullable=False),
    Column("place", Integer, nullable=False),
    Index("poems_place", "place"),
)
FIRST = VersionedTables(name="poem_schema", tables=(OLD,))


def add_feet(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE poems ADD COLUMN feet INTEGER NOT NULL DEFAULT 5"))


def add_place(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE poems ADD COLUMN place INTEGER NOT NULL DEFAULT 0"))
    connection.execute(text("UPDATE poems SET place = feet + 1"))


THIRD = VersionedTables(name="poem_schema", tables=(NEW,), migrations=(add_feet, add_place))


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.acceptance)])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    if request.param == "sqlite":
        made = file_engine(tmp_path / "poems.sqlite")
    else:
        url = own_schema(request.getfixturevalue("postgres"))
        made = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    yield made
    made.dispose()


def version(engine: Engine) -> object:
    with engine.begin() as connection:
        return connection.execute(text("SELECT version FROM poem_schema")).scalar_one()


def written(engine: Engine) -> list[tuple[object, ...]]:
    with engine.begin() as connection:
        return [tuple(row) for row in connection.execute(select(NEW))]


def keep_a_line(engine: Engine) -> None:
    bring_up_to_date(engine, FIRST)
    with engine.begin() as connection:
        connection.execute(insert(OLD).values(line="Tyger"))


def test_new_tables_are_made_as_they_are_declared(engine: Engine) -> None:
    bring_up_to_date(engine, THIRD)
    assert version(engine) == THIRD.version == 3
    assert written(engine) == []
    assert [item["name"] for item in inspect(engine).get_indexes("poems")] == ["poems_place"]


@pytest.mark.parametrize("is_numbered", [True, False])
def test_older_tables_are_brought_up_to_date_with_what_they_hold(
    engine: Engine, is_numbered: bool
) -> None:
    keep_a_line(engine)
    if not is_numbered:
        with engine.begin() as connection:
            connection.execute(text("DROP TABLE poem_schema"))
    bring_up_to_date(engine, THIRD)
    assert written(engine) == [("Tyger", 5, 6)]
    assert version(engine) == 3


def test_only_the_migrations_that_are_left_are_made(engine: Engine) -> None:
    keep_a_line(engine)
    bring_up_to_date(
        engine, VersionedTables(name="poem_schema", tables=(OLD,), migrations=(add_feet,))
    )
    assert version(engine) == 2
    bring_up_to_date(engine, THIRD)
    bring_up_to_date(engine, THIRD)
    assert written(engine) == [("Tyger", 5, 6)]


def test_a_migration_that_fails_leaves_all_as_it_was(engine: Engine) -> None:
    def fail(connection: Connection) -> None:
        connection.execute(text("UPDATE nowhere SET a = 1"))

    keep_a_line(engine)
    failing = VersionedTables(name="poem_schema", tables=(NEW,), migrations=(add_feet, fail))
    with pytest.raises(SQLAlchemyError):
        bring_up_to_date(engine, failing)
    assert version(engine) == 1
    assert [item["name"] for item in inspect(engine).get_columns("poems")] == ["line"]


def test_newer_tables_are_refused_and_not_written_to(engine: Engine) -> None:
    bring_up_to_date(engine, THIRD)
    with pytest.raises(NewerVersionError, match=r"version 3, this release knows 1.*Update"):
        bring_up_to_date(engine, FIRST)
    assert version(engine) == 3


def test_tables_of_two_purposes_share_a_database(engine: Engine) -> None:
    other = VersionedTables(
        name="other_schema", tables=(Table("songs", MetaData(), Column("line", Text)),)
    )
    bring_up_to_date(engine, THIRD)
    bring_up_to_date(engine, other)
    assert {"poems", "songs", "poem_schema", "other_schema"} <= set(
        inspect(engine).get_table_names()
    )


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """The file of a store that holds a reply."""
    path = tmp_path / "data" / "replies.sqlite"
    opened = open_store(str(path), lambda: 1.0)
    opened.put("k" * 64, "verify", REPLY)
    opened.close()
    return path


def carry_out(path: Path, statement: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as opened, opened:
        return opened.execute(statement).fetchall()


def test_a_store_says_of_which_version_it_is(store: Path) -> None:
    assert carry_out(store, "SELECT version FROM reply_schema") == [(TABLES.version,)]


def test_a_store_of_before_there_were_versions_gets_one_and_loses_nothing(store: Path) -> None:
    carry_out(store, "DROP TABLE reply_schema")
    opened = open_store(str(store), lambda: 1.0)
    assert opened.get("k" * 64) == REPLY
    opened.close()
    assert carry_out(store, "SELECT version FROM reply_schema") == [(1,)]


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
@pytest.mark.parametrize("scheme", ["", "sqlite+pysqlite:///"])
def test_a_store_of_a_newer_release_is_refused_byte_for_byte(
    store: Path, mode: str, scheme: str
) -> None:
    carry_out(store, "UPDATE reply_schema SET version = 99")
    carry_out(store, f"PRAGMA journal_mode={mode}")
    before = store.read_bytes()
    with pytest.raises(StoreError, match=r"newer release of pf-verify .*Update pf-verify"):
        open_store(f"{scheme}{store}", lambda: 1.0)
    assert store.read_bytes() == before
    assert [item.name for item in store.parent.iterdir()] == [store.name]


def test_a_store_that_is_current_is_opened_while_another_process_writes(store: Path) -> None:
    with closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        opened = open_store(str(store), lambda: 1.0)
        assert opened.get("k" * 64) == REPLY
        opened.close()


OPENING = """
import sys
from pfcore.llm.protocol import Finish, Reply, TokenUsage
from pfcore.llm.store import open_store
for path in sys.argv[2:]:
    print(flush=True)
    sys.stdin.readline()
    store = open_store(path, lambda: 1.0)
    reply = Reply(text="t", usage=TokenUsage(), finish=Finish.STOP, model="m")
    store.put(sys.argv[1], "verify", reply)
    store.close()
"""


@pytest.mark.acceptance
def test_several_processes_may_open_a_file_at_once_that_is_new_or_old(store: Path) -> None:
    carry_out(store, "DROP TABLE reply_schema")
    paths = [store.with_name("new.sqlite"), store]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", OPENING, str(number), *map(str, paths)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    for _ in paths:  # each file by all at once: nobody goes on before the last one is there
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [0] * 4
    for path in paths:
        opened = open_store(str(path), lambda: 1.0)
        assert all(opened.get(str(number)) for number in range(4))
        opened.close()
        assert carry_out(path, "SELECT version FROM reply_schema") == [(1,)]
