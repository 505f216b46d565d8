"""Tasks in durable queues, and the worker that does them; the one place that knows DBOS.

A task's steps are kept as they are done. Whoever only hands tasks on holds a client; a worker has
a name of its own, under which it takes up again what it was at.
"""

import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dbos import (
    DBOS,
    DBOSClient,
    DBOSConfig,
    DBOSPortableJSONSerializer,
    EnqueueOptions,
    error,
)
from sqlalchemy.exc import SQLAlchemyError

from bot.domain import job as jobs
from bot.domain.deliveries import DeliveryError
from bot.domain.durable_steps import Durable, Json
from bot.domain.job import Job, Queue, QueuedJob, queue_of
from bot.storage.app_database import prepare_file

VERSION = "6"
"""The shape of the work, a number to be raised with it.

A worker takes up what is of its own. What is of an older one is begun anew: its steps are others.
"""

_log = logging.getLogger(__name__)
_APPLICATION, _PERFORM = "pf-verify", "perform"
_SQLITE = "sqlite:///"
_POLL = 0.25
_GIVEN_UP = ["ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
_DONE = ["SUCCESS", "CANCELLED", *_GIVEN_UP]
_LIVE = ["ENQUEUED", "PENDING", "DELAYED"]
_TO_RENEW = ["ENQUEUED", "CANCELLED"]
"""What waits, and what a renewal had stopped when it was ended itself.

What is to wait for its time is left alone until then, when it waits as the others do.
"""
_MOST = 500
_COUNTED = 10_000

Perform = Callable[[Job, Durable], str]
"""Does a job to its end; the sentence says what came of it."""


def prepare(url: str, *, at_once: int = 4) -> None:
    """Make the queues, if there are none; DeliveryError where that fails.

    `at_once` is how many tasks of a queue one worker does side by side; those that have a turn in
    common are done one after the other by all workers together.
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

    DBOS records any Exception that comes out of a task as the end of it.
    """


class DbosTasks:
    """The queues, for whoever hands tasks on or keeps order among them; see `Tasks`, `Bench`."""

    def __init__(self, url: str, version: str = VERSION) -> None:
        self._url, self._version = url, version
        with _told("cannot be opened"):
            self._client = _client(url)

    def put(self, task: QueuedJob) -> None:
        """Hand a task on for good; one that is there already stays as it is."""
        options: EnqueueOptions = {
            "workflow_name": _PERFORM,
            "queue_name": task.queue.value,
            "workflow_id": task.id,
            "queue_partition_key": task.turn,
            "app_version": self._version,
        }
        if task.delay:
            options["delay_seconds"] = task.delay
        with _told("does not answer"):
            self._client.enqueue(options, jobs.job_text(task.job))

    def waiting(self, prefix: str) -> list[Job]:
        """The jobs that wait under ids with this beginning, the oldest first."""
        with _told("does not answer"):
            found = self._client.list_workflows(
                status="ENQUEUED", workflow_id_prefix=prefix, load_output=False, limit=_MOST
            )
        texts = [item.input["args"][0] for item in found if item.input]
        return [job for job in map(_readable, texts) if job is not None]

    def queued(self) -> int:
        """How many tasks wait; many are as many as we count."""
        with _told("does not answer"):
            found = self._client.list_workflows(
                status="ENQUEUED", load_input=False, load_output=False, limit=_MOST
            )
        return len(found)

    def count(self) -> int:
        """How many tasks wait, as far as that is counted."""
        with _told("does not answer"):
            found = self._client.list_workflows(
                status="ENQUEUED", load_input=False, load_output=False, limit=_COUNTED
            )
        return len(found)

    def erase(self, prefix: str) -> None:
        """Forget the tasks with such ids; what is at work ends with the step that it is at."""
        with _told("does not answer"):
            live = self._ids(workflow_id_prefix=prefix, status=_LIVE)
            if live:
                self._client.cancel_workflows(live)
            while done := self._ids(workflow_id_prefix=prefix, status=_DONE):
                self._client.delete_workflows(done)
        if self._url.startswith(_SQLITE):
            _scrub(Path(self._url.removeprefix(_SQLITE)))

    def take_over(self, worker: str) -> int:
        """Let others do what a dead worker was at; how much it was."""
        with _told("does not answer"):
            found = self._client.list_workflows(
                **_at_work(worker), load_input=False, load_output=False
            )
            for item in found:
                self._client.resume_workflow(item.workflow_id, queue_name=item.queue_name)
        return len(found)

    def at_work(self, worker: str) -> frozenset[str]:
        """The tasks that a worker is at, as far as the queues know, by their ids."""
        with _told("does not answer"):
            return frozenset(self._ids(**_at_work(worker)))

    def take_up(self, task: str) -> None:
        """Let a task be taken up again from the step that it is at."""
        with _told("does not answer"):
            self._client.resume_workflow(task, queue_name=queue_of(task).value)

    def renew(self, worker: str | None = None) -> int:
        """Begin anew what a worker was at under an older version, or None: what waits; how much.

        A task is stopped and put back under its own id; one that cannot be read any more ends when
        it is taken up.
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
        """Those of some tasks, by their ids, that were taken up so often that it ended there."""
        with _told("does not answer"):
            return self._ids(workflow_ids=among, status=_GIVEN_UP) if among else []

    def forget(self, before: float) -> int:
        """Forget what was done before a moment; how much."""
        moment, count = datetime.fromtimestamp(before, UTC).isoformat(), 0
        with _told("does not answer"):
            while done := self._ids(completed_before=moment, status=_DONE):
                self._client.delete_workflows(done)
                count += len(done)
        return count

    def close(self) -> None:
        """Let go of the database."""
        self._client.destroy()

    def _ids(self, **which: Any) -> list[str]:
        found = self._client.list_workflows(
            **which, load_input=False, load_output=False, limit=_MOST
        )
        return [item.workflow_id for item in found]


class Worker:
    """Does tasks until it is stopped; there is one in a process. `name` is no other worker's.

    `attempts` are how often a task is taken up again after a crash: it may be what kills workers.
    """

    def __init__(
        self,
        url: str,
        perform: Perform,
        *,
        name: str,
        version: str = VERSION,
        attempts: int = 20,
    ) -> None:
        self._url, self._perform, self.name = url, perform, name
        self._version, self._attempts = version, attempts
        self._busy = set[str]()

    @property
    def busy(self) -> frozenset[str]:
        """The tasks that a thread is at now, by their ids."""
        return frozenset(self._busy)

    def start(self) -> None:
        """Take up what it was at, and whatever waits; DeliveryError where that fails."""
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
            DBOS(config=config)
            DBOS.workflow(name=_PERFORM, max_recovery_attempts=self._attempts)(performed)
            DBOS.launch()

    def stop(self, seconds: int) -> None:
        """Take up nothing more, and wait so long for what is at work; the rest is kept."""
        DBOS.destroy(workflow_completion_timeout_sec=seconds, destroy_registry=True)


class _ThreadSteps:
    """The steps of the task that this thread is at."""

    def __init__(self) -> None:
        self.id = DBOS.workflow_id or ""

    def step(self, name: str, act: Callable[[], Json]) -> Json:
        """What an act gives, kept."""
        with _kept(name):
            return DBOS.run_step({"name": name}, act)

    def sleep(self, seconds: float) -> None:
        """Wait; after a crash, for the rest."""
        with _kept("sleep"):
            DBOS.sleep(seconds)


@contextmanager
def _kept(name: str) -> Iterator[None]:
    """Leaves the task where the database does not keep a step of it, as on a full disk."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as fault:
        _log.warning("%s: the step could not be stored (%s)", name, type(fault).__name__)
        raise TaskLeft from fault


def _readable(text: str) -> Job | None:
    """A job; None where this release cannot read it."""
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
    """Let what was deleted be gone from the file, too; what others hold now goes another time."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(path, timeout=5)) as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Says what failed without the address, which may hold a password."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, OSError, error.DBOSException) as fault:
        name = type(getattr(fault, "orig", None) or fault).__name__
        raise DeliveryError(f"the queue {what} ({name})") from None
