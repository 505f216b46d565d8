"""Claims exclude each other, end with their minute or their process, and never stop anybody."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pfcore.llm.protocol import Finish, Reply, TokenUsage
from pfcore.llm.store import open_store
from pfcore.llm.store.leases import LEASE, KeyLeases, _place
from pfcore.llm.store.reply_store import ReplyStore
from pfcore.testing import FakeClock

KEY, OTHER = "k" * 64, "l" * 64
Opened = Callable[[], ReplyStore]


@pytest.fixture
def clock() -> FakeClock:
    clock = FakeClock()
    clock.now = 1e6
    return clock


@pytest.fixture(params=["sqlite", "sqlite+pysqlite"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"{request.param}:///{tmp_path / 'replies.sqlite'}"


@pytest.fixture
def opened(place: str, clock: FakeClock) -> Iterator[Opened]:
    made: list[ReplyStore] = []

    def make() -> ReplyStore:
        made.append(open_store(place, clock))
        return made[-1]

    yield make
    for store in made:
        store.close()


@pytest.fixture
def two(opened: Opened) -> tuple[KeyLeases, KeyLeases]:
    return opened().claims(), opened().claims()


def change(place: str, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(place.partition("///")[2])) as file, file:
        file.execute(statement, values)


def count(place: str) -> int:
    with closing(sqlite3.connect(place.partition("///")[2])) as file:
        return int(file.execute("SELECT COUNT(*) FROM claims").fetchone()[0])


def test_a_key_is_one_readers_at_a_time(two: tuple[KeyLeases, KeyLeases]) -> None:
    one, other = two
    assert one.claim(KEY)
    assert not other.claim(KEY)
    assert one.claim(KEY)
    assert other.claim(OTHER)
    one.release(KEY)
    assert other.claim(KEY)


def test_two_readers_of_one_process_exclude_each_other(opened: Opened) -> None:
    store = opened()
    one, other = store.claims(), store.claims()
    assert one.claim(KEY)
    assert not other.claim(KEY)


def test_nobody_releases_what_is_another_readers(two: tuple[KeyLeases, KeyLeases]) -> None:
    one, other = two
    one.claim(KEY)
    other.release(KEY)
    other.hold(())
    assert not other.claim(KEY)


def test_a_claim_ends_after_a_minute(two: tuple[KeyLeases, KeyLeases], clock: FakeClock) -> None:
    one, other = two
    one.claim(KEY)
    clock.now += LEASE - 1
    assert not other.claim(KEY)
    clock.now += 1
    assert other.claim(KEY)
    assert not one.claim(KEY)


def test_what_is_held_goes_on_and_the_rest_is_let_go(
    two: tuple[KeyLeases, KeyLeases], clock: FakeClock
) -> None:
    one, other = two
    one.claim(KEY)
    one.claim(OTHER)
    clock.now += LEASE - 1
    one.hold([KEY])
    assert other.claim(OTHER)
    clock.now += LEASE - 1
    assert not other.claim(KEY)
    clock.now += 1
    assert other.claim(KEY)
    one.hold([KEY])
    assert not one.claim(KEY)


def test_a_claim_that_a_clock_has_put_far_ahead_is_none(
    two: tuple[KeyLeases, KeyLeases], clock: FakeClock
) -> None:
    one, other = two
    clock.now += 3600
    one.claim(KEY)
    clock.now -= 3600
    assert other.claim(KEY)


@pytest.mark.parametrize("apart", [-25, 25])
def test_clocks_that_differ_by_some_seconds_do_no_harm(
    two: tuple[KeyLeases, KeyLeases], clock: FakeClock, apart: int
) -> None:
    one, other = two
    one.claim(KEY)
    clock.now += apart
    assert not other.claim(KEY)


CLAIMING = """
import os, signal, sys
from pfcore.llm.store import open_store
assert open_store(sys.argv[1], lambda: 1e6).claims().claim(sys.argv[2])
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_of_this_machine_has_claimed_is_free_at_once(
    opened: Opened, place: str
) -> None:
    done = subprocess.run([sys.executable, "-c", CLAIMING, place, KEY], check=False)
    assert done.returncode == -signal.SIGKILL
    store = opened()
    assert count(place) == 1
    assert store.claims().claim(KEY)


def killed() -> int:
    """The number of a process that is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.mark.parametrize(
    "owner",
    ["0123456789abcdef/{dead}/x", "{here}/-1/x", "{here}/0/x", "{here}/9999999999999/x", "'; --"],
)
def test_an_owner_that_is_not_known_to_be_dead_is_waited_for(
    two: tuple[KeyLeases, KeyLeases], place: str, owner: str
) -> None:
    one, other = two
    one.claim(KEY)
    name = owner.format(dead=killed(), here=one._owner.partition("/")[0])
    change(place, "UPDATE claims SET owner = ?", name)
    assert not other.claim(KEY)


def test_a_process_that_may_not_be_looked_at_is_alive(
    two: tuple[KeyLeases, KeyLeases], place: str
) -> None:
    one, other = two
    one.claim(KEY)
    name = f"{one._owner.partition('/')[0]}/1/x"  # the first process belongs to somebody else
    change(place, "UPDATE claims SET owner = ?", name)
    assert not other.claim(KEY)


def test_what_was_left_behind_is_forgotten_after_an_hour(
    opened: Opened, place: str, clock: FakeClock
) -> None:
    left, store = opened().claims(), opened()
    left.claim(KEY)
    clock.now += LEASE + 3601
    assert store.claims().claim(OTHER)
    assert count(place) == 1


def test_who_erases_replies_erases_claims(opened: Opened, place: str) -> None:
    store = opened()
    store.claims().claim(KEY)
    store.erase()
    assert count(place) == 0


def test_a_store_of_an_earlier_version_is_one_with_claims(opened: Opened, place: str) -> None:
    reply = Reply(text="t", usage=TokenUsage(), finish=Finish.STOP, model="m")
    opened().put(KEY, "verify", reply)
    change(place, "DROP TABLE claims")
    store = opened()
    assert store.get(KEY) == reply
    one, other = store.claims(), store.claims()
    assert one.claim(OTHER)
    assert not other.claim(OTHER)


def test_where_no_claim_can_be_written_everybody_may_ask(opened: Opened, place: str) -> None:
    store = opened()
    one, other = store.claims(), store.claims()
    change(place, "DROP TABLE claims")
    assert one.claim(KEY)
    assert other.claim(KEY)
    one.hold([KEY])
    one.release(KEY)


def test_what_is_held_is_written_whole_or_not_at_all(
    opened: Opened, place: str, two: tuple[KeyLeases, KeyLeases]
) -> None:
    one, other = two
    one.claim(KEY)
    change(
        place,
        "CREATE TRIGGER full BEFORE INSERT ON claims "
        "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
    )
    one.hold([KEY])
    change(place, "DROP TRIGGER full")
    assert count(place) == 1
    assert not other.claim(KEY)


def test_a_claim_does_not_say_whose_machine_it_was(two: tuple[KeyLeases, KeyLeases]) -> None:
    assert os.uname().nodename not in two[0]._owner


def test_machines_of_one_name_are_told_apart(tmp_path: Path) -> None:
    places = []
    for name in ("one", "other"):
        proc = tmp_path / name
        (proc / "self/ns").mkdir(parents=True)
        (proc / "self/ns/pid").symlink_to("pid:[4026531836]")  # so it is called on every machine
        (proc / "sys/kernel/random").mkdir(parents=True)
        (proc / "sys/kernel/random/boot_id").write_text(f"{name}\n", encoding="ascii")
        places += [_place(proc), _place(proc)]
    assert places[0] == places[1] != places[2] == places[3]


def test_where_nothing_tells_machines_apart_their_names_do(tmp_path: Path) -> None:
    assert len(_place(tmp_path)) == 16
