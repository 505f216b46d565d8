"""Both stores keep the same promises; SQLite's also survives what files do."""

import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pfcore.domain.errors import UsageError
from pfcore.llm.protocol import Finish, Reply, TokenUsage
from pfcore.llm.store import open_store
from pfcore.llm.store.reply_store import ReplyStore, StoreError
from pfcore.llm.store.sql_store import SqlReplyStore
from pfcore.testing import FakeClock

REPLY = Reply(
    text="<verdict>\\frac{1}{2} \u2713</verdict>",
    usage=TokenUsage(input=10, cached=4, output=3),
    finish=Finish.STOP,
    model="served",
)


def forbid_writing(store: ReplyStore) -> None:
    """Let SQLite refuse what would write, as it does on a file that cannot be written."""
    assert isinstance(store, SqlReplyStore)
    with store._database.begin() as connection:
        connection.exec_driver_sql("PRAGMA query_only=ON")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=["file", "url"])
def store(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Iterator[ReplyStore]:
    place = {
        "file": str(tmp_path / "deep" / "store.sqlite"),
        "url": f"sqlite+pysqlite:///{tmp_path / 'other.sqlite'}",
    }[request.param]
    made = open_store(place, clock)
    yield made
    made.close()


@pytest.mark.parametrize("scheme", ["", "sqlite:///", "sqlite+pysqlite:///"])
def test_a_store_is_named_by_a_path_or_by_a_url(
    tmp_path: Path, clock: FakeClock, scheme: str
) -> None:
    open_store(f"{scheme}{tmp_path / 's'}", clock).put("k", "verify", REPLY)
    assert open_store(str(tmp_path / "s"), clock).get("k") == REPLY


def test_a_reply_comes_back_as_it_was(store: ReplyStore) -> None:
    assert store.get("k") is None
    store.put("k", "verify", REPLY)
    assert store.get("k") == REPLY


def test_the_first_reply_to_an_action_stays(store: ReplyStore) -> None:
    store.put("k", "verify", REPLY)
    store.put("k", "verify", Reply(text="other", usage=TokenUsage(), finish=Finish.STOP, model="m"))
    assert store.get("k") == REPLY


def test_what_was_used_since_a_moment_is_summed(store: ReplyStore, clock: FakeClock) -> None:
    store.put("a", "verify", REPLY)
    clock.now = 100.0
    store.put("b", "verify", REPLY)
    assert store.used(50.0) == REPLY.usage
    assert store.used(0.0) == REPLY.usage + REPLY.usage
    assert store.used(200.0) == TokenUsage()


def test_what_is_kept_is_counted_by_models(store: ReplyStore) -> None:
    assert store.held() == []
    store.put("a", "verify", REPLY)
    store.put("b", "verify", REPLY)
    store.put("c", "verify", Reply(text="x", usage=TokenUsage(), finish=Finish.STOP, model="other"))
    assert store.held() == [("other", 1, TokenUsage()), ("served", 2, REPLY.usage + REPLY.usage)]


def test_everything_can_be_forgotten(store: ReplyStore) -> None:
    store.put("a", "verify", REPLY)
    assert store.erase() == 1
    assert store.get("a") is None


def test_the_oldest_replies_go_where_there_are_more_letters_than_wanted(
    store: ReplyStore, clock: FakeClock
) -> None:
    for number in range(4):
        clock.now = float(number)
        store.put(f"k{number}", "verify", replace(REPLY, text="x" * 100))
    store.charge("m", 1.5)
    assert store.shorten(400) == 0
    assert store.shorten(250) == 2
    assert [store.get(f"k{number}") is None for number in range(4)] == [True, True, False, False]
    assert store.spent(0.0) == 1.5, "what was spent is known all the same"
    assert store.shorten(0) == 2 and store.held() == []


def test_a_file_gets_smaller_where_replies_go(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "s"
    store = open_store(str(path), clock)
    for number in range(50):
        store.put(f"k{number}", "verify", replace(REPLY, text="x" * 10_000))
    store.shorten(20_000)
    store.close()
    assert path.stat().st_size < 120_000


def test_only_the_owner_may_read_the_file(tmp_path: Path, clock: FakeClock) -> None:
    open_store(str(tmp_path / "s"), clock).close()
    assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o600


def test_a_file_that_is_no_database_is_told(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "s"
    path.write_bytes(b"no database at all, but long enough to be looked at" * 50)
    with pytest.raises(StoreError, match="cannot be opened"):
        open_store(str(path), clock)


def test_an_unreadable_entry_is_a_miss(tmp_path: Path, clock: FakeClock) -> None:
    store = open_store(str(tmp_path / "s"), clock)
    store.put("k", "verify", REPLY)
    with sqlite3.connect(tmp_path / "s") as other:
        other.execute("UPDATE replies SET text = x'00ff', input = 'many'")
    assert store.get("k") is None


def test_a_read_only_store_still_reads(tmp_path: Path, clock: FakeClock) -> None:
    open_store(str(tmp_path / "s"), clock).put("k", "verify", REPLY)
    store = open_store(str(tmp_path / "s"), clock)
    forbid_writing(store)
    assert store.get("k") == REPLY
    with pytest.raises(StoreError, match="cannot be written"):
        store.put("l", "verify", REPLY)


def test_a_url_that_cannot_be_used_is_told_without_its_password(clock: FakeClock) -> None:
    with pytest.raises(UsageError) as caught:
        open_store("nonsense://user:secret@host/db", clock)
    assert str(caught.value) == "the store's URL is not the address of a database"


def test_a_package_that_a_url_needs_is_named(
    clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "MySQLdb", None)
    with pytest.raises(
        UsageError, match="needs the Python package MySQLdb, which is not installed"
    ):
        open_store("mysql://user:secret@host/db", clock)


def test_a_database_that_does_not_answer_is_told_without_its_password(
    tmp_path: Path, clock: FakeClock
) -> None:
    with pytest.raises(StoreError) as caught:
        open_store(f"sqlite+pysqlite:///{tmp_path}/no/such/secret.db", clock)
    assert "secret" not in str(caught.value)


KILLED = """
import os, signal, sys
from pfcore.llm.protocol import Finish, Reply, TokenUsage
from pfcore.llm.store import open_store
store = open_store(sys.argv[1], lambda: 0.0)
for number in range(20):
    reply = Reply(text="t", usage=TokenUsage(), finish=Finish.STOP, model="m")
    store.put(str(number), "verify", reply)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_loses_no_reply(tmp_path: Path, clock: FakeClock) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "s")], check=False)
    assert done.returncode != 0
    store = open_store(str(tmp_path / "s"), clock)
    assert all(store.get(str(number)) for number in range(20))


def test_two_processes_may_write(tmp_path: Path, make_store: Callable[[], ReplyStore]) -> None:
    one, other = make_store(), make_store()
    one.put("a", "verify", REPLY)
    other.put("b", "verify", REPLY)
    assert one.get("b") == other.get("a") == REPLY


@pytest.fixture
def make_store(tmp_path: Path, clock: FakeClock) -> Callable[[], ReplyStore]:
    return lambda: open_store(str(tmp_path / "shared"), clock)


def test_a_trial_tells_whether_replies_can_be_kept_and_keeps_none(store: ReplyStore) -> None:
    store.require_writable()
    assert store.get("") is None
    assert store.erase() == 0


def test_a_trial_tells_that_there_is_no_room_for_replies(store: ReplyStore) -> None:
    assert isinstance(store, SqlReplyStore)
    with store._database.begin() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages + 8}")
    store.put("k", "verify", REPLY)
    with pytest.raises(StoreError):
        store.require_writable()


def test_a_trial_tells_that_a_store_is_read_only(tmp_path: Path, clock: FakeClock) -> None:
    store = open_store(str(tmp_path / "s"), clock)
    forbid_writing(store)
    with pytest.raises(StoreError, match="cannot be written"):
        store.require_writable()
    store.close()
