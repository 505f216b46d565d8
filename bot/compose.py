"""Builds the App from its settings: its databases, its web side, its worker."""

import fcntl
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from wsgiref.types import WSGIApplication

from waitress.server import TcpWSGIServer

from bot import observability
from bot.app_settings import AppSettings, private_key
from bot.domain.deliveries import Deliveries
from bot.domain.forge import Hub
from bot.domain.run_records import Records
from bot.domain.worker_context import Reviewer, WorkerContext
from bot.github.github_app import GitHubHub, Manner
from bot.jobs.deliver import Intake, handing, soon
from bot.jobs.dispatch import dispatch
from bot.jobs.housekeeping import Household, Round, Rounds, Watchman
from bot.jobs.queue import DbosTasks, Worker, prepare
from bot.reviewing.git_cache import Repositories
from bot.reviewing.repository_data import Rooms
from bot.reviewing.reviewer import PaperReviewer
from bot.reviewing.sandbox import ProcessBounds
from bot.storage.records import open_records
from bot.storage.sql_deliveries import SqlDeliveries
from bot.web import views
from bot.web.app import LIMIT, create_app
from pfcore.cli.environment import own_configuration
from pfcore.domain.errors import UsageError
from pfcore.domain.toml_tables import config_path
from pfcore.llm.model_settings import choose

_SQLITE = "sqlite:///"
_THREADS = 8
_CONNECTIONS = 100
"""The number of connections from which idle ones are closed; waitress's own limit is higher."""
_HOUR = 3600.0
_MOST = 100
_GENTLE = 5
_PATIENCE = 5
"""How many seconds the web side waits for running requests when it stops, and then for clients."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerIntervals:
    """Seconds between periodic tasks, until a worker counts as dead, and to finish at a stop."""

    beat: float = 10.0
    watch: float = 20.0
    hand_on: float = 30.0
    fetch: float = 50.0
    forget: float = _HOUR
    dead_after: float = 60.0
    grace: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class AppStorage:
    """The App's databases, opened."""

    records: Records
    deliveries: Deliveries
    tasks: DbosTasks

    def close(self) -> None:
        """Close all databases."""
        self.tasks.close()
        self.deliveries.close()
        self.records.close()


@contextmanager
def kept(settings: AppSettings, clock: Callable[[], float] = time.time) -> Iterator[AppStorage]:
    """All databases, created if need be."""
    url = work_url(settings)
    with _alone(settings.data):
        prepare(url)
        found = AppStorage(
            records=open_records(settings.database_url, clock),
            deliveries=_deliveries(settings),
            tasks=DbosTasks(url),
        )
    try:
        yield found
    finally:
        found.close()


def work_url(settings: AppSettings) -> str:
    """The address of the queues: in Postgres with the rest, or in a file of their own.

    An SQLite file has one writer at a time, and saving results must not delay the acknowledgement
    of deliveries.
    """
    if settings.database_url.startswith(_SQLITE):
        return f"{_SQLITE}{_beside(settings, 'work')}"
    return settings.database_url.replace("postgresql+psycopg://", "postgresql://", 1)


@contextmanager
def web(
    settings: AppSettings, found: AppStorage, clock: Callable[[], float] = time.time
) -> Iterator[WSGIApplication]:
    """The web application, with a thread that hands deliveries on."""
    with soon(handing(found.tasks, found.deliveries, settings)) as hand_on:
        app = create_app(settings, deliveries=found.deliveries, enqueue=hand_on, clock=clock)
        queued = found.tasks.count
        views.install_pages(
            app, settings=settings, records=found.records, clock=clock, queued=queued
        )
        yield app


class _WebServer(TcpWSGIServer):  # type: ignore[misc]  # waitress has no types
    """Accepts every connection; if there are too many, the oldest idle one is closed.

    Waitress by itself would accept none until clients leave by themselves.
    """

    def handle_accept(self) -> None:
        """Accept a connection, and close an idle one if there are too many."""
        super().handle_accept()
        staying = [item for item in self.active_channels.values() if not item.will_close]
        idle = [item for item in staying if not item.requests]
        if len(staying) > _CONNECTIONS and idle:
            min(idle, key=lambda item: item.creation_time).will_close = True


@contextmanager
def listening(app: WSGIApplication, host: str, port: int) -> Iterator[int]:
    """Run the web side; yields its port."""
    server = _WebServer(
        app,
        host=host,
        port=port,
        threads=_THREADS,
        ident=None,
        max_request_body_size=LIMIT,
        clear_untrusted_proxy_headers=True,
        connection_limit=5 * _CONNECTIONS,
    )
    thread = threading.Thread(target=server.run, name="web", daemon=True)
    thread.start()

    # This runs in the server's thread, because others must not close sockets that it waits on.
    def refuse() -> None:
        server.accepting = False
        server.del_channel()
        server.socket.close()

    def end() -> None:
        server.trigger.del_channel()
        for channel in server.active_channels.values():
            channel.close_when_flushed = True

    try:
        yield int(server.effective_port)
    finally:
        server.trigger.pull_trigger(refuse)
        server.task_dispatcher.shutdown(timeout=_PATIENCE)
        server.trigger.pull_trigger(end)
        thread.join(timeout=_PATIENCE)
        # Running requests use the trigger; once closed, its descriptor may belong to another file.
        if not server.task_dispatcher.threads:
            server.trigger.close()


@contextmanager
def working(
    settings: AppSettings,
    found: AppStorage,
    *,
    hub: Hub,
    reviewer: Reviewer,
    pace: ServerIntervals,
    clock: Callable[[], float] = time.time,
) -> Iterator[str]:
    """Run a worker with its periodic tasks; yields its name."""
    means = WorkerContext(
        settings=settings,
        hub=hub,
        records=found.records,
        deliveries=found.deliveries,
        reviewer=reviewer,
        tasks=found.tasks,
        clock=clock,
    )
    stop = threading.Event()
    with _name(settings.data) as name:
        worker = Worker(
            work_url(settings), lambda job, durable: dispatch(job, durable, means), name=name
        )
        rounds = _rounds(means, found, worker, pace)
        found.records.workers.beat(name)
        worker.start()
        observability.adopt("dbos")
        upkeep = [
            threading.Thread(
                target=some.until, args=(stop, time.monotonic), name="upkeep", daemon=True
            )
            for some in rounds
        ]
        for thread in upkeep:
            thread.start()
        try:
            yield name
        finally:
            stop.set()
            for thread in upkeep:
                thread.join(timeout=2)  # it may wait for GitHub; stopping it loses nothing
            worker.stop(pace.grace)


def give_way() -> None:
    """Lower the priority: GitHub waits for the web side, while nobody waits for a worker."""
    with suppress(OSError):
        os.nice(_GENTLE)


def hub_of(settings: AppSettings) -> GitHubHub:
    """GitHub, as the App's settings describe it."""
    key = private_key(settings.private_key)
    manner = Manner(is_resolving=settings.resolve_threads)
    return GitHubHub(settings.api_url, settings.server_url, settings.app_id, key, manner=manner)


def reviewer_of(settings: AppSettings, environment: Mapping[str, str]) -> PaperReviewer:
    """The reviewer, with the model that the environment or the operator's own file names."""
    path = config_path(environment) or "config.toml"
    choice = choose(None, environment, own_configuration(), path=str(path))
    url = None if settings.database_url.startswith(_SQLITE) else settings.database_url
    rooms = Rooms(settings.data / "rooms", url, time.time)
    repositories = Repositories(settings.data / "repositories")
    return PaperReviewer(repositories, rooms, choice, bounds=ProcessBounds())


def _deliveries(settings: AppSettings) -> Deliveries:
    if settings.database_url.startswith(_SQLITE):
        return SqlDeliveries(f"{_SQLITE}{_beside(settings, 'deliveries')}")
    return SqlDeliveries(settings.database_url)


def _beside(settings: AppSettings, word: str) -> Path:
    """A file beside that of the records."""
    path = Path(settings.database_url.removeprefix(_SQLITE))
    return path.with_name(f"{path.stem}-{word}{path.suffix}")


def _rounds(
    means: WorkerContext, found: AppStorage, worker: Worker, pace: ServerIntervals
) -> tuple[Rounds, Rounds]:
    """The punctual periodic tasks, and the slow ones, which must not delay the sign of life."""
    intake = Intake(
        means.settings,
        hub=means.hub,
        deliveries=means.deliveries,
        tasks=means.tasks,
        clock=means.clock,
    )
    household = Household(means, intake=intake, bench=found.tasks)
    watchman = Watchman(
        worker.name,
        records=means.records,
        bench=found.tasks,
        stopwatch=time.monotonic,
        busy=lambda: worker.busy,
        patience=pace.dead_after,
    )
    in_time = [
        Round(name="beat", every=pace.beat, act=watchman.beat),
        Round(name="hand on", every=pace.hand_on, act=household.hand_on),
        Round(name="watch", every=pace.watch, act=watchman.look),
        Round(name="settle", every=pace.watch, act=household.settle),
    ]
    long = [
        Round(name="fetch", every=pace.fetch, act=household.fetch),
        Round(name="forget", every=pace.forget, act=household.forget),
    ]
    return Rounds(in_time), Rounds(long)


@contextmanager
def _name(data: Path) -> Iterator[str]:
    """A name that no other worker has; after a crash, this machine's next worker gets it again."""
    folder = data / "workers"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for number in range(_MOST):
        file = os.open(folder / f"{number}.lock", os.O_CREAT | os.O_RDWR, 0o600)
        if _is_taken(file):
            os.close(file)
            continue
        try:
            yield f"{socket.gethostname()}-{number}"
        finally:
            os.close(file)
        return
    raise UsageError(f"{_MOST} workers already run on this machine")


@contextmanager
def _alone(data: Path) -> Iterator[None]:
    """Let no other process open the databases meanwhile, so that SQLite creates them once."""
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = os.open(data / "opening.lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


def _is_taken(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    return False
