"""The queues and the worker: each task is done once, in turn, and taken up again after a crash."""

import sqlite3
import stat
import threading
from dataclasses import replace
from typing import Any

import pytest
from dbos import DBOS
from sqlalchemy.exc import OperationalError

from bot.domain.deliveries import DeliveryError
from bot.domain.job import Queue, ReviewPull, review
from bot.jobs.queue import VERSION, DbosTasks, Worker, prepare
from tests.acceptance.postgres import own_database, postgres  # noqa: F401 - a fixture
from tests.bot.fakes import HEAD, PLACE
from tests.bot.processes import until

pytestmark = [pytest.mark.acceptance, pytest.mark.sampled(3)]

JOB = ReviewPull(place=PLACE, number=7, head=HEAD, reason="opened")


class Doing:
    """Does jobs as it is told, and lets tests wait for that."""

    def __init__(self):
        self.done = []
        self.act = lambda job, durable: None
        self._changed = threading.Condition()

    def __call__(self, job, durable):
        self.act(job, durable)
        with self._changed:
            self.done.append(durable.id)
            self._changed.notify_all()
        return "done"

    def wait(self, count):
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.done) >= count, timeout=30)


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path, at_once):
    made = f"sqlite:///{tmp_path / 'data' / 'work.sqlite'}"
    if request.param == "postgres":
        made = own_database(request.getfixturevalue("postgres"))
    prepare(made, at_once=at_once)
    return made


@pytest.fixture
def at_once(request):
    """How much a worker does side by side."""
    return getattr(request, "param", 4)


@pytest.fixture
def tasks(url):
    opened = DbosTasks(url)
    yield opened
    opened.close()


@pytest.fixture
def doing():
    return Doing()


@pytest.fixture
def working(url, doing):
    """Starts a worker, which is stopped at the end."""
    started = []

    def start(name="worker-0", perform=doing):
        worker = Worker(url, perform, name=name)
        worker.start()
        started.append(worker)
        return worker

    yield start
    for worker in started:
        worker.stop(0)


def dump(folder):
    """All that the file of the queues holds."""
    if not (folder / "data").exists():
        pytest.skip("the queues are in no file")
    with sqlite3.connect(folder / "data" / "work.sqlite") as connection:
        return "\n".join(connection.iterdump())


def put(tasks, *guids, number=7, head=HEAD):
    for guid in guids:
        tasks.put(review(replace(JOB, number=number, head=head), guid))


def test_a_task_is_done_once_however_often_it_is_put(tasks, working, doing):
    put(tasks, "guid-1", "guid-1", "guid-2")
    working()
    put(tasks, "guid-1")
    doing.wait(2)
    assert sorted(doing.done) == ["10#7:guid-1", "10#7:guid-2"]


def test_what_waits_is_known_by_the_beginning_of_its_id(tasks):
    put(tasks, "guid-1", head="b" * 40)
    put(tasks, "guid-2")
    put(tasks, "guid-3", number=70)
    assert [job.head[0] for job in tasks.waiting("10#7:")] == ["b", "a"]
    assert tasks.waiting("10#8:") == []
    assert tasks.count() == 3 and tasks.given_up([]) == []
    assert tasks.queued() == len(tasks.waiting(""))
    assert tasks.queued() > 0


def whose(author, *, number, stranger=False, repository=10, guid="guid-1"):
    place = replace(PLACE, repository_id=repository)
    job = replace(JOB, place=place, number=number, author=author, is_stranger=stranger)
    return review(job, guid)


@pytest.fixture
def begun(tasks, working, doing):
    """The order in which what is put is begun by a worker that does one thing at a time.

    It is at something else until all is put.
    """
    release = threading.Event()
    order = []

    def act(job, durable):
        if job.number == 1:
            assert release.wait(30)
        else:
            order.append(f"{job.author} {job.number}")

    def all_of(*put):
        for task in put:
            tasks.put(task)
        release.set()
        doing.wait(len(put) + 1)
        return order

    doing.act = act
    working()
    tasks.put(whose("plug", number=1))
    until(lambda: tasks.at_work("worker-0"))
    yield all_of
    release.set()


FLOOD = [whose("eve", number=100 + turn, stranger=True) for turn in range(12)]


@pytest.mark.parametrize("at_once", [1], indirect=True)
def test_a_flood_lets_everybody_else_go_after_one_of_it(begun):
    others = [
        whose("alice", number=2),
        whose("bob", number=3, stranger=True),
        whose("carol", number=4, repository=11),
        whose("eve", number=5, stranger=True, repository=11),
        whose("alice", number=6),
    ]
    order = begun(*FLOOD, *others)
    assert order.index("alice 2") <= 1, "after one stranger at most"
    assert order.index("carol 4") <= 3
    assert order.index("bob 3") <= 3 and order.index("eve 5") <= 7
    assert order.index("alice 6") <= 5
    mine = [item for item in order if item.startswith("eve 1")]
    assert mine == [f"eve {100 + turn}" for turn in range(12)], "each in their own order"


@pytest.mark.parametrize("at_once", [1], indirect=True)
def test_those_who_may_write_keep_no_stranger_out(begun):
    order = begun(*(whose("alice", number=2 + turn) for turn in range(8)), FLOOD[0])
    assert order.index("eve 100") <= 2


@pytest.mark.parametrize("at_once", [1], indirect=True)
def test_whoever_comes_again_and_again_overtakes_nobody(begun):
    """Three people with some each take turns, however old what they wait with is."""
    people = ("ann", "ben", "cid")
    put = [
        whose(who, number=10 * (n + 1) + turn) for n, who in enumerate(people) for turn in (1, 2, 3)
    ]
    order = begun(*put)
    for turn in range(3):
        assert {item.split()[0] for item in order[3 * turn : 3 * turn + 3]} == set(people)


@pytest.mark.parametrize("at_once", [3], indirect=True)
def test_strangers_leave_room_for_somebody_who_may_write(tasks, working, doing):
    release, inside = threading.Event(), []

    def act(job, durable):
        inside.append(job.author)
        assert job.author == "alice" or release.wait(30)

    doing.act = act
    for task in FLOOD:
        tasks.put(task)
    working()
    until(lambda: len(inside) == 2)
    tasks.put(whose("alice", number=2))
    doing.wait(1)
    assert inside == ["eve", "eve", "alice"], "none of them had ended"
    release.set()
    doing.wait(len(FLOOD) + 1)


@pytest.mark.parametrize("at_once", [1], indirect=True)
def test_whoever_may_write_asks_of_a_stranger_s_in_no_stranger_s_turn(begun):
    asked = whose("alice", number=111, guid="guid-2")
    assert begun(*FLOOD, asked).index("alice 111") <= 1


@pytest.mark.parametrize("at_once", [1], indirect=True)
def test_what_was_put_by_an_older_release_has_a_turn_with_the_others(begun, monkeypatch, tasks):
    old = [whose("", number=200 + turn) for turn in range(5)]
    with monkeypatch.context() as before:
        before.setattr("bot.jobs.queue.lane_of", lambda job: None)
        for task in old:
            tasks.put(task)
    order = begun(whose("alice", number=2), *old)
    assert order.index("alice 2") <= 1 and len(order) == 6


def test_tasks_of_a_turn_are_done_one_after_the_other(tasks, working, doing):
    inside, most = [], []

    def act(job, durable):
        inside.append(job.number)
        most.append(inside.count(7))
        durable.sleep(0.05)
        inside.remove(job.number)

    doing.act = act
    put(tasks, "guid-1", "guid-2", "guid-3")
    put(tasks, "guid-4", number=8)
    working()
    doing.wait(4)
    assert max(most) == 1
    assert doing.done.index("10#7:guid-1") < doing.done.index("10#7:guid-3")


def test_a_task_may_wait_for_its_time(tasks, working, doing):
    later = review(JOB, "guid-2")
    tasks.put(replace(later, delay=3600.0))
    tasks.put(replace(review(JOB, "guid-3"), delay=0.2))
    assert tasks.waiting("10#7:") == [] and tasks.count() == 0
    working()
    doing.wait(1)
    assert doing.done == ["10#7:guid-3"]
    tasks.erase("10#7:")
    put(tasks, "guid-2")
    doing.wait(2)


def test_a_step_is_remembered_over_the_end_of_the_process(tasks, working, doing, url):
    steps, release, begun = [], threading.Event(), threading.Event()

    def first():
        steps.append("first")
        return {"a": [1]}

    def second():
        steps.append("second")
        return release.wait(20)

    def act(job, durable):
        assert durable.step("first", first) == {"a": [1]}
        begun.set()
        durable.step("second", second)

    doing.act = act
    put(tasks, "guid-1")
    worker = working()
    assert begun.wait(30)
    worker.stop(0)
    release.set()
    working()
    doing.wait(1)
    assert steps.count("first") == 1
    assert 1 <= steps.count("second") <= 2


def test_what_a_dead_worker_was_at_is_taken_over(tasks, working, doing, url):
    begun, release = threading.Event(), threading.Event()

    def act(job, durable):
        begun.set()
        durable.step("wait", lambda: release.wait(20))

    doing.act = act
    put(tasks, "guid-1")
    dead = working("dead")
    assert begun.wait(30)
    dead.stop(0)
    release.set()
    doing.act = lambda job, durable: None
    doing.done.clear()
    working("living")
    assert tasks.take_over("nobody") == 0
    assert tasks.take_over("dead") == 1
    doing.wait(1)
    assert doing.done == ["10#7:guid-1"]


def test_a_step_that_cannot_be_kept_leaves_its_task_to_be_taken_up(
    tasks, working, doing, monkeypatch
):
    acts, keep = list[str](), DBOS.run_step

    def full(options: Any, act: Any) -> Any:
        if options["name"] == "second" and len(acts) == 1:
            acts.append("lost")
            raise OperationalError("INSERT", {}, sqlite3.OperationalError("disk is full"))
        return keep(options, act)

    def act(job, durable):
        for name in ("first", "second"):
            durable.step(name, lambda name=name: acts.append(name))

    monkeypatch.setattr(DBOS, "run_step", full)
    doing.act = act
    put(tasks, "guid-1")
    worker = working("worker")
    until(lambda: "lost" in acts and not worker.busy)
    assert tasks.at_work("worker") == {"10#7:guid-1"}, "not ended, by an error or otherwise"
    tasks.take_up("10#7:guid-1")
    doing.wait(1)
    assert acts == ["first", "lost", "second"], "what was kept is not done again"
    until(lambda: tasks.at_work("worker") == frozenset())


@pytest.fixture
def older(url):
    """The queues, as an older release hands tasks on."""
    opened = DbosTasks(url, "1")
    yield opened
    opened.close()


def test_what_an_older_release_left_waiting_is_done_under_its_id(older, tasks, working, doing):
    put(older, "guid-1")
    reply = replace(review(JOB, ""), id="10#7/guid-2", queue=Queue.REPLIES, turn="10#7/")
    older.put(reply)
    working()
    put(tasks, "guid-4")
    doing.wait(1)
    assert (doing.done, tasks.renew("worker-0")) == (["10#7:guid-4"], 0)
    assert tasks.renew() == 2
    doing.wait(3)
    assert sorted(doing.done) == ["10#7/guid-2", "10#7:guid-1", "10#7:guid-4"]
    assert tasks.renew() == 0


def test_what_waits_for_its_time_keeps_it_over_a_release(older, tasks, working, doing):
    older.put(replace(review(JOB, "guid-1"), delay=3600.0))
    put(older, "guid-2")
    working()
    assert tasks.renew() == 1
    doing.wait(1)
    assert (doing.done, tasks.renew()) == (["10#7:guid-2"], 0)
    older._client.set_workflow_delay("10#7:guid-1", delay_seconds=0.0)
    until(lambda: tasks.renew() == 1)
    doing.wait(2)
    assert doing.done == ["10#7:guid-2", "10#7:guid-1"]


def test_what_a_worker_was_at_in_an_older_release_is_begun_anew(older, tasks, url, doing, working):
    steps, begun, release = [], threading.Event(), threading.Event()

    def act(job, durable):
        durable.step("first", lambda: steps.append("first"))
        begun.set()
        durable.step("second", lambda: release.wait(20))

    doing.act = act
    put(older, "guid-1")
    old = Worker(url, doing, name="worker-0", version="1")
    old.start()
    assert begun.wait(30)
    old.stop(0)
    release.set()
    doing.done.clear()
    working()
    assert (tasks.renew("worker-1"), tasks.renew()) == (0, 0)
    assert tasks.renew("worker-0") == 1
    doing.wait(1)
    assert steps == ["first", "first"]


def test_a_renewal_that_was_ended_itself_is_made_up_for(older, tasks, working, doing):
    put(older, "guid-1")
    older._client.cancel_workflow("10#7:guid-1")
    working()
    assert tasks.renew() == 1
    doing.wait(1)


def test_what_a_newer_release_has_put_is_left_to_it(url, tasks):
    newer = DbosTasks(url, str(int(VERSION) + 1))
    put(newer, "guid-1")
    newer.close()
    assert tasks.renew() == 0
    assert len(tasks.waiting("10#7:")) == 1


class Strange(DbosTasks):
    """Queues into which another release puts what is no job here."""

    def put_strange(self, ident):
        options: Any = {
            "workflow_name": "perform",
            "queue_name": "reviews",
            "workflow_id": ident,
            "queue_partition_key": "10#7:",
            "app_version": self._version,
        }
        self._client.enqueue(options, '{"kind": "unheard of"}')


def test_what_cannot_be_read_any_more_ends_and_stands_in_nobodys_way(url, working, doing):
    tasks = Strange(url)
    tasks.put_strange("10#7:guid-1")
    put(tasks, "guid-2")
    assert tasks.waiting("10#7:") == [replace(JOB, head=HEAD)]
    working()
    doing.wait(1)
    assert doing.done == ["10#7:guid-2"]
    assert tasks.given_up(["10#7:guid-1", "10#7:guid-2"]) == ["10#7:guid-1"]
    tasks.close()


def test_what_ends_its_workers_again_and_again_is_given_up(tasks, doing, url, working):
    begun, release = threading.Event(), threading.Event()

    def act(job, durable):
        begun.set()
        durable.step("wait", lambda: release.wait(20))

    doing.act = act
    put(tasks, "guid-1")
    for _ in range(3):
        worker = Worker(url, doing, name="worker-0", attempts=2)
        worker.start()
        assert begun.wait(30)
        worker.stop(0)
        begun.clear()
    assert tasks.given_up(["10#7:guid-1"]) == []
    doing.act = lambda job, durable: None
    put(tasks, "guid-2")
    last = Worker(url, doing, name="worker-0", attempts=2)
    last.start()
    doing.wait(1)
    release.set()
    assert tasks.given_up(["10#7:guid-1", "10#7:guid-2"]) == ["10#7:guid-1"]
    last.stop(0)


def test_tasks_are_erased_by_the_beginning_of_their_ids(tasks, tmp_path):
    put(tasks, "guid-1", "guid-2")
    put(tasks, "guid-3", number=8)
    tasks.erase("10#7:")
    assert tasks.waiting("10#7:") == []
    assert len(tasks.waiting("10#8:")) == 1
    assert "guid-3" in dump(tmp_path)
    kept = b"".join(item.read_bytes() for item in (tmp_path / "data").iterdir())
    assert b"guid-3" in kept and b"guid-1" not in kept


def test_what_is_done_is_forgotten_by_its_age(tasks, working, doing):
    put(tasks, "guid-1")
    working()
    doing.wait(1)
    assert tasks.forget(0.0) == 0
    while tasks.forget(4_000_000_000.0) == 0:  # the end of the task is written a moment later
        pass
    put(tasks, "guid-1")
    doing.wait(2)


def test_the_file_is_its_owners_and_readers_do_not_wait(tmp_path):
    path = tmp_path / "data" / "work.sqlite"
    prepare(f"sqlite:///{path}")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_what_is_kept_is_json(tasks, tmp_path):
    put(tasks, "guid-1")
    kept = dump(tmp_path)
    assert '"positionalArgs":["{\\"kind\\":\\"pull\\"' in kept
    assert "pickle" not in kept


def test_preparing_twice_changes_nothing(tasks, url):
    put(tasks, "guid-1")
    prepare(url)
    assert len(tasks.waiting("10#7:")) == 1


def test_a_database_that_does_not_open_or_answer_is_named_without_its_address(tmp_path):
    with pytest.raises(DeliveryError, match="cannot be opened") as caught:
        prepare("postgresql://pf:secret123@127.0.0.1:9/none")
    assert "secret123" not in str(caught.value)
    broken = tmp_path / "broken.sqlite"
    broken.write_text("no database" * 500)
    with pytest.raises(DeliveryError, match="cannot be opened"):
        prepare(f"sqlite:///{broken}")
