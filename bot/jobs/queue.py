"""Tasks in durable queues, and the worker that runs them; only this module uses DBOS.

Each step of a task is stored when it is done. Code that only queues tasks holds a client; a worker
has a name, under which it resumes its tasks after a crash.

Turns go to people, not to tasks: each person in a repository has a lane, and the one served last
waits for the others. Those who have a part in a repository and those who have none take turns, and
the latter leave room for the former. Tasks queued by an older release without lanes form one lane.
"""

import logging
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from dbos import (
    DBOS,
    DBOSClient,
    DBOSConfig,
    DBOSPortableJSONSerializer,
    EnqueueOptions,
    error,
)
from sqlalchemy import func, select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from bot.domain import job as jobs
from bot.domain.deliveries import DeliveryError
from bot.domain.durable_steps import Durable, Json
from bot.domain.job import Job, Lane, Queue, QueuedJob, lane_of, queue_of
from bot.storage.app_database import prepare_file

VERSION = "6"
"""The version of the tasks' steps, to be raised when they change.

A worker resumes tasks of its own version; older ones are restarted, because their steps differ.
"""

_log = logging.getLogger(__name__)
_APPLICATION, _PERFORM = "pf-verify", "perform"
_SQLITE = "sqlite:///"
_POLL = 0.25
_GIVEN_UP = ["ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
_DONE = ["SUCCESS", "CANCELLED", *_GIVEN_UP]
_LIVE = ["ENQUEUED", "PENDING", "DELAYED"]
_TO_RENEW = ["ENQUEUED", "CANCELLED"]
"""The states of tasks that wait, or that a renewal had cancelled when it was interrupted.

Delayed tasks are left alone until their time has come.
"""
_OURS, _STRANGER = 1, 2
_MOST = 500
_COUNTED = 10_000

Perform = Callable[[Job, Durable], str]
"""Does a job to its end; the sentence says how it ended."""


def prepare(url: str, *, at_once: int = 4) -> None:
    """Create the queues, if there are none; DeliveryError if that fails.

    `at_once` is how many tasks of a queue one worker runs at a time; tasks with the same turn run
    one after the other, over all workers.
    """
    with _told("cannot be opened"):
        if url.startswith(_SQLITE):
            prepare_file(Path(url.removeprefix(_SQLITE)))
        DBOS.migrate(url)
        client = _client(url)
        try:
            for queue in Queue:
                client.register_queue(
                    queue.value,
                    partition_concurrency=1,
                    worker_concurrency=at_once,
                    polling_interval_sec=_POLL,
                )
        finally:
            client.destroy()


class TaskLeft(BaseException):
    """Ends the thread of a task whose step could not be kept; the task is taken up again.

    DBOS would record any Exception from a task as its end.
    """


class DbosTasks:
    """The queues, for code that queues tasks or supervises them; see `Tasks`, `Bench`."""

    def __init__(self, url: str, version: str = VERSION) -> None:
        self._url, self._version = url, version
        with _told("cannot be opened"):
            self._client = _client(url)

    def put(self, task: QueuedJob) -> None:
        """Queue a task durably; one that is queued already stays as it is."""
        options: EnqueueOptions = {
            "workflow_name": _PERFORM,
            "queue_name": task.queue.value,
            "workflow_id": task.id,
            "queue_partition_key": task.turn,
            "app_version": self._version,
        }
        lane = lane_of(task.job)
        if lane is not None:
            options["authenticated_user"] = lane.name
            # Even within a turn, a stranger's tasks wait for those of others, who may ask for
            # reviews of the same head.
            options["priority"] = _STRANGER if lane.is_stranger else _OURS
        if task.delay:
            options["delay_seconds"] = task.delay
        with _told("does not answer"):
            self._client.enqueue(options, jobs.job_text(task.job))

    def waiting(self, prefix: str) -> list[Job]:
        """The waiting jobs whose ids start so, the oldest first."""
        with _told("does not answer"):
            found = self._client.list_workflows(
                status="ENQUEUED", workflow_id_prefix=prefix, load_output=False, limit=_MOST
            )
        texts = [item.input["args"][0] for item in found if item.input]
        return [job for job in map(_readable, texts) if job is not None]

    def queued(self) -> int:
        """How many tasks wait, up to a limit."""
        with _told("does not answer"):
            found = self._client.list_workflows(
                status="ENQUEUED", load_input=False, load_output=False, limit=_MOST
            )
        return len(found)

    def count(self) -> int:
        """How many tasks wait, up to the limit of the metrics."""
        with _told("does not answer"):
            found = self._client.list_workflows(
                status="ENQUEUED", load_input=False, load_output=False, limit=_COUNTED
            )
        return len(found)

    def erase(self, prefix: str) -> None:
        """Remove the tasks whose ids start so; a running one ends after its current step."""
        with _told("does not answer"):
            live = self._ids(workflow_id_prefix=prefix, status=_LIVE)
            if live:
                self._client.cancel_workflows(live)
            while done := self._ids(workflow_id_prefix=prefix, status=_DONE):
                self._client.delete_workflows(done)
        if self._url.startswith(_SQLITE):
            _scrub(Path(self._url.removeprefix(_SQLITE)))

    def take_over(self, worker: str) -> int:
        """Queue the tasks of a dead worker again; how many."""
        with _told("does not answer"):
            found = self._client.list_workflows(
                **_at_work(worker), load_input=False, load_output=False
            )
            for item in found:
                self._client.resume_workflow(item.workflow_id, queue_name=item.queue_name)
        return len(found)

    def at_work(self, worker: str) -> frozenset[str]:
        """The ids of the tasks that a worker is running, according to the queues."""
        with _told("does not answer"):
            return frozenset(self._ids(**_at_work(worker)))

    def take_up(self, task: str) -> None:
        """Let a task be resumed from its current step."""
        with _told("does not answer"):
            self._client.resume_workflow(task, queue_name=queue_of(task).value)

    def renew(self, worker: str | None = None) -> int:
        """Restart a worker's tasks of an older version, or with None the waiting ones; how many.

        A task is cancelled and queued again under its id; one that cannot be read any more ends
        when it starts.
        """
        older = [str(number) for number in range(1, int(self._version))]
        if not older:
            return 0
        whose = {"status": _TO_RENEW} if worker is None else _at_work(worker)
        with _told("does not answer"):
            found = self._client.list_workflows(
                **whose, app_version=older, load_input=False, load_output=False, limit=_MOST
            )
            for item in found:
                self._client.cancel_workflow(item.workflow_id)
                self._client.rewind_workflow(
                    item.workflow_id,
                    application_version=self._version,
                    queue_name=queue_of(item.workflow_id).value,
                    queue_partition_key=item.queue_partition_key,
                )
        return len(found)

    def given_up(self, among: list[str]) -> list[str]:
        """Those of some tasks, by id, that ended because they were resumed too often."""
        with _told("does not answer"):
            return self._ids(workflow_ids=among, status=_GIVEN_UP) if among else []

    def forget(self, before: float) -> int:
        """Delete the tasks that ended before a moment; how many."""
        moment, count = datetime.fromtimestamp(before, UTC).isoformat(), 0
        with _told("does not answer"):
            while done := self._ids(completed_before=moment, status=_DONE):
                self._client.delete_workflows(done)
                count += len(done)
        return count

    def close(self) -> None:
        """Close the database."""
        self._client.destroy()

    def _ids(self, **which: Any) -> list[str]:
        found = self._client.list_workflows(
            **which, load_input=False, load_output=False, limit=_MOST
        )
        return [item.workflow_id for item in found]


ATTEMPTS = 20
"""How often a task is resumed after a crash."""


class Worker:
    """Runs tasks until it is stopped; a process has one. `name` must be unique among workers.

    `attempts` limits how often a task is resumed after a crash, since it may be what kills workers.
    """

    def __init__(
        self,
        url: str,
        perform: Perform,
        *,
        name: str,
        version: str = VERSION,
        attempts: int = ATTEMPTS,
    ) -> None:
        self._url, self._perform, self.name = url, perform, name
        self._version, self._attempts = version, attempts
        self._busy = set[str]()

    @property
    def busy(self) -> frozenset[str]:
        """The ids of the tasks that threads are running now."""
        return frozenset(self._busy)

    def start(self) -> None:
        """Resume its tasks and start waiting ones; DeliveryError on failure."""
        config: DBOSConfig = {
            "name": _APPLICATION,
            "system_database_url": self._url,
            "application_version": self._version,
            "executor_id": self.name,
            "serializer": DBOSPortableJSONSerializer(),
            "log_level": "WARNING",
            "run_migrations": False,
        }
        perform = self._perform

        def performed(text: str) -> str:
            job = _readable(text)
            if job is None:
                raise DeliveryError("a task from another release cannot be read")
            steps = _ThreadSteps()
            self._busy.add(steps.id)
            try:
                return perform(job, steps)
            finally:
                self._busy.discard(steps.id)

        with _told("cannot be opened"):
            app = DBOS(config=config)
            DBOS.workflow(name=_PERFORM, max_recovery_attempts=self._attempts)(performed)
            DBOS.launch()
            # DBOS chooses among turns at random, which favours people with many turns, and offers
            # no way to change the order.
            database: Any = app._sys_db  # noqa: SLF001
            database.start_queued_partitioned_workflows = _FairTurns(database).take

    def stop(self, seconds: int) -> None:
        """Start nothing more, and wait this long for running tasks; the rest stays stored."""
        DBOS.destroy(workflow_completion_timeout_sec=seconds, destroy_registry=True)


class _WaitingTurn(NamedTuple):
    """The first task of a turn of which no task is running."""

    created: int
    turn: str


class _FairTurns:
    """Chooses the next tasks, one of each lane after the other; for one worker, queue by queue.

    The order is known to this worker alone, and only for lanes with waiting tasks: a lane that
    comes back is placed after the one that has waited longest.
    """

    def __init__(self, database: Any) -> None:
        self._database, self._tasks = database, database.tables.workflow_status
        self._served = dict[str, dict[Lane, int]]()
        self._classes = Counter[tuple[str, bool]]()
        self._count = 0

    def take(
        self,
        queue: Any,
        executor_id: str,
        app_version: str,
        max_tasks: int,
        *,
        owner_xid: str | None = None,
        is_latest_version: bool | None = None,
    ) -> list[str]:
        """Claim tasks for this worker, at most `max_tasks`; their ids. Replaces DBOS's method."""
        taken = list[str]()
        for turn in self._in_turn(queue, executor_id, app_version, max_tasks):
            try:
                found, _ = self._database.start_queued_workflows(
                    queue,
                    executor_id,
                    app_version,
                    turn,
                    owner_xid=owner_xid,
                    is_latest_version=is_latest_version,
                )
            except DBAPIError:
                if not taken:
                    raise
                break  # the claimed tasks must start; the others are looked at again soon
            taken += found
        return taken

    def _in_turn(self, queue: Any, me: str, version: str, most: int) -> list[str]:
        """The turns from which to take the next tasks, in order."""
        name, chosen = queue.name, list[str]()
        lanes = self._heads(name, version, most)
        served = self._known(name, lanes)
        if not lanes:
            return chosen
        at_work, strangers = self._at_work(name, me)
        classes = Counter[bool]()
        for lane, count in at_work.items():
            classes[lane.is_stranger] += count
        room = max(1, (queue.worker_concurrency or most) - 1) - strangers
        while len(chosen) < most:
            there = {lane.is_stranger for lane in lanes if room > 0 or not lane.is_stranger}
            if not there:
                break
            is_next = min(there, key=lambda it: (classes[it], self._classes[name, it], it))
            lane = min(
                (lane for lane in lanes if lane.is_stranger is is_next),
                key=lambda it: (at_work[it], served[it], lanes[it][0]),
            )
            chosen.append(lanes[lane].pop(0).turn)
            if not lanes[lane]:
                del lanes[lane]
            at_work[lane] += 1
            classes[is_next] += 1
            room -= is_next
            self._count += 1
            served[lane] = self._classes[name, is_next] = self._count
        return chosen

    def _known(self, queue: str, present: Iterable[Lane]) -> dict[Lane, int]:
        """When each lane was served last, in turns; a new one counts as that waiting longest."""
        before = self._served.get(queue, {})
        longest = min((before[lane] for lane in present if lane in before), default=0)
        self._served[queue] = {lane: before.get(lane, longest) for lane in present}
        return self._served[queue]

    def _at_work(self, queue: str, me: str) -> tuple[Counter[Lane], int]:
        """How many tasks all workers run, by lane; and how many of strangers this one runs."""
        its = self._tasks.c
        who = its.authenticated_user, its.priority, its.executor_id
        found = select(*who, func.count()).where(its.queue_name == queue, its.status == "PENDING")
        lanes, mine = Counter[Lane](), 0
        with self._database.engine.begin() as connection:
            for name, priority, worker, count in connection.execute(found.group_by(*who)):
                lane = Lane(name=name or "", is_stranger=priority == _STRANGER)
                lanes[lane] += count
                mine += count if lane.is_stranger and worker == me else 0
        return lanes, mine

    def _heads(self, queue: str, version: str, most: int) -> dict[Lane, list[_WaitingTurn]]:
        """The first tasks of idle turns, of each lane as many as could be taken."""
        its = self._tasks.c
        at_work = select(its.queue_partition_key).where(
            its.queue_name == queue, its.status == "PENDING", its.queue_partition_key.is_not(None)
        )
        place = func.row_number().over(
            partition_by=its.queue_partition_key,
            order_by=(its.priority, its.created_at, its.workflow_uuid),
        )
        lane = its.priority, func.coalesce(its.authenticated_user, "").label("lane")
        waiting = (
            select(*lane, its.created_at, its.queue_partition_key, place.label("place"))
            .where(
                its.queue_name == queue,
                its.status == "ENQUEUED",
                its.application_version == version,
                its.queue_partition_key.not_in(at_work),
            )
            .subquery()
            .c
        )
        head = waiting.created_at, waiting.queue_partition_key
        place = func.row_number().over(partition_by=(waiting.priority, waiting.lane), order_by=head)
        heads = select(waiting.priority, waiting.lane, *head, place.label("in_lane")).where(
            waiting.place == 1
        )
        first = heads.subquery().c
        found = select(*first[:4]).where(first.in_lane <= most).order_by(*first[2:4])
        lanes = dict[Lane, list[_WaitingTurn]]()
        with self._database.engine.begin() as connection:
            for priority, name, *its_head in connection.execute(found):
                whose = Lane(name=name, is_stranger=priority == _STRANGER)
                lanes.setdefault(whose, []).append(_WaitingTurn(*its_head))
        return lanes


class _ThreadSteps:
    """The steps of the task that this thread runs."""

    def __init__(self) -> None:
        self.id = DBOS.workflow_id or ""

    def step(self, name: str, act: Callable[[], Json]) -> Json:
        """The result of an act, stored."""
        with _kept(name):
            return DBOS.run_step({"name": name}, act)

    def sleep(self, seconds: float) -> None:
        """Wait; after a crash, only for the remaining time."""
        with _kept("sleep"):
            DBOS.sleep(seconds)


@contextmanager
def _kept(name: str) -> Iterator[None]:
    """Abandon the task if the database cannot store its step, as on a full disk."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as fault:
        _log.warning("%s: the step could not be stored (%s)", name, type(fault).__name__)
        raise TaskLeft from fault


def _readable(text: str) -> Job | None:
    """A job; None if this release cannot read it."""
    try:
        return jobs.read_job(text)
    except ValueError:
        return None


def _at_work(worker: str) -> dict[str, Any]:
    return {"status": "PENDING", "executor_id": worker}


def _client(url: str) -> DBOSClient:
    return DBOSClient(
        system_database_url=url,
        serializer=DBOSPortableJSONSerializer(),
        application_name=_APPLICATION,
        retry_connection_errors=False,
    )


def _scrub(path: Path) -> None:
    """Remove deleted data from the file, too; if it is in use, a later call will."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(path, timeout=5)) as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Report a failure without the address, which may hold a password."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, OSError, error.DBOSException) as fault:
        name = type(getattr(fault, "orig", None) or fault).__name__
        raise DeliveryError(f"the queue {what} ({name})") from None
