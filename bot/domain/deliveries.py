"""Deliveries on disk: each is kept once, whatever GitHub sends again, until it is too old.

A delivery is kept before it is queued and marked after: what a crash leaves between the two is
found by `waiting`.

What is asked of the deliveries, in words that SQLite and Postgres have in common.
"""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, Protocol, TypeVar

from pfcore.domain.errors import IncompleteError
from pfcore.sqlite_files import write_ahead

_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS deliveries (
    guid VARCHAR(64) PRIMARY KEY, event VARCHAR(64) NOT NULL, installation BIGINT NOT NULL,
    repository BIGINT, received DOUBLE PRECISION NOT NULL, queued INTEGER NOT NULL,
    body BYTEA NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS deliveries_received ON deliveries (received)",
    "CREATE INDEX IF NOT EXISTS deliveries_waiting ON deliveries (received) WHERE queued = 0",
)
_BUSY = 30.0
Answer = TypeVar("Answer")


class DeliveryError(IncompleteError):
    """A delivery cannot be kept, or cannot be handed on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One delivery; `received` is in seconds of the clock, `body` the raw bytes that were signed.

    `repository` is an id, None where the delivery is about an installation.
    """

    guid: str
    event: str
    installation: int
    repository: int | None
    received: float
    body: bytes = field(repr=False)


class Deliveries(Protocol):
    """Deliveries by their ids; every method may raise DeliveryError."""

    def keep(self, delivery: Delivery) -> bool:
        """Keep a delivery, the first one of its id; whether it is still to be queued."""
        ...

    def mark_queued(self, guid: str) -> None:
        """Say that a delivery was handed on for good; others may hear of it a little later."""
        ...

    def get(self, guid: str) -> Delivery | None:
        """A delivery by its id."""
        ...

    def waiting(self, before: float, most: int = 100) -> list[Delivery]:
        """What was kept up to a moment and never handed on, the oldest first."""
        ...

    def since(self, moment: float) -> frozenset[str]:
        """The ids of what was received from a moment on: what GitHub lists beside was missed."""
        ...

    def repositories(self, installation: int) -> frozenset[int]:
        """The ids of the repositories of an installation that something was received of."""
        ...

    def forget(self, moment: float) -> int:
        """Erase what was received before a moment; how many."""
        ...

    def erase(self, installation: int, repository: int | None = None) -> int:
        """Erase all of an installation, or of one of its repositories, but the ids; how many."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...


class SqliteDeliveries:
    """One file, for the threads of a process and for other processes.

    A mark is written together with the next delivery that is kept: to wait for the disk twice
    would make each acknowledgement wait. After a crash, what was not marked is handed on again.
    """

    def __init__(self, path: Path) -> None:
        self._lock = Lock()
        self._marks: list[str] = []
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._connection = sqlite3.connect(
                path, timeout=_BUSY, isolation_level=None, check_same_thread=False
            )
            self._prepare(path)
        except (OSError, sqlite3.Error) as error:
            raise DeliveryError(f"the database {path} cannot be opened: {error}") from error

    def _prepare(self, path: Path) -> None:
        write_ahead(self._connection, _BUSY)
        # What was acknowledged outlives a power cut, too: GitHub does not send it again.
        self._connection.execute("PRAGMA synchronous=FULL")
        self._connection.execute("PRAGMA secure_delete=ON")
        for statement in _SCHEMA:
            self._connection.execute(statement)
        path.chmod(0o600)

    def keep(self, delivery: Delivery) -> bool:
        """Keep a delivery, the first one of its id; whether it is still to be queued."""
        if self._run(PUT, values(delivery)).rowcount == 1:
            return True
        return self._all(IS_QUEUED, {"guid": delivery.guid}) == [(0,)]

    def mark_queued(self, guid: str) -> None:
        """Say that a delivery was handed on for good."""
        with self._lock:
            self._marks.append(guid)

    def get(self, guid: str) -> Delivery | None:
        """A delivery by its id."""
        rows = self._all(GET, {"guid": guid})
        return delivery_of_row(rows[0]) if rows else None

    def waiting(self, before: float, most: int = 100) -> list[Delivery]:
        """What was kept up to a moment and never handed on, the oldest first."""
        return [
            delivery_of_row(row) for row in self._all(WAITING, {"before": before, "most": most})
        ]

    def since(self, moment: float) -> frozenset[str]:
        """The ids of what was received from a moment on."""
        return frozenset(guid for (guid,) in self._all(SINCE, {"moment": moment}))

    def repositories(self, installation: int) -> frozenset[int]:
        """The ids of the repositories of an installation that something was received of."""
        rows = self._all(REPOSITORIES, {"installation": installation})
        return frozenset(number for (number,) in rows)

    def forget(self, moment: float) -> int:
        """Erase what was received before a moment; how many."""
        return self._run(FORGET, {"moment": moment}).rowcount

    def erase(self, installation: int, repository: int | None = None) -> int:
        """Erase all of an installation, or of one of its repositories; how many."""
        statement = ERASE if repository is None else ERASE_ONE
        given = {"installation": installation, "repository": repository, "nothing": b""}
        count = self._run(statement, given).rowcount
        self._all("PRAGMA wal_checkpoint(TRUNCATE)", {})
        return count

    def close(self) -> None:
        """Let go of the file."""
        with suppress(DeliveryError):
            self._answered(lambda: None)
        self._connection.close()

    def _run(self, statement: str, given: dict[str, Any]) -> sqlite3.Cursor:
        return self._answered(lambda: self._connection.execute(statement, given))

    def _all(self, statement: str, given: dict[str, Any]) -> list[Any]:
        return self._answered(lambda: self._connection.execute(statement, given).fetchall())

    def _answered(self, ask: Callable[[], Answer]) -> Answer:
        """What the database answers, which knows of all marks by then."""
        try:
            with self._lock:
                if not self._marks:
                    return ask()
                self._connection.execute("BEGIN IMMEDIATE")
                try:
                    self._connection.executemany(MARK, self._marked())
                    answer = ask()
                    self._connection.execute("COMMIT")
                except sqlite3.Error:
                    self._connection.execute("ROLLBACK")
                    raise
                self._marks.clear()
                return answer
        except sqlite3.Error as error:
            raise DeliveryError(f"the database of deliveries does not answer: {error}") from error

    def _marked(self) -> list[dict[str, str]]:
        return [{"guid": guid} for guid in self._marks]


def values(delivery: Delivery) -> dict[str, Any]:
    """A delivery as the values of a statement."""
    return {
        "guid": delivery.guid,
        "event": delivery.event,
        "installation": delivery.installation,
        "repository": delivery.repository,
        "received": delivery.received,
        "body": delivery.body,
    }


def delivery_of_row(found: Any) -> Delivery:
    """The delivery that a row holds."""
    guid, event, installation, repository, received, body = found
    return Delivery(
        guid=guid,
        event=event,
        installation=installation,
        repository=repository,
        received=received,
        body=bytes(body),
    )


PUT = (
    "INSERT INTO deliveries (guid, event, installation, repository, received, body, queued) "
    "VALUES (:guid, :event, :installation, :repository, :received, :body, 0) "
    "ON CONFLICT (guid) DO NOTHING"
)
IS_QUEUED = "SELECT queued FROM deliveries WHERE guid = :guid"
MARK = "UPDATE deliveries SET queued = 1 WHERE guid = :guid"
GET = (
    "SELECT guid, event, installation, repository, received, body FROM deliveries "
    "WHERE guid = :guid AND event <> ''"
)
WAITING = (
    "SELECT guid, event, installation, repository, received, body FROM deliveries "
    "WHERE queued = 0 AND received <= :before ORDER BY received, guid LIMIT :most"
)
SINCE = "SELECT guid FROM deliveries WHERE received >= :moment"
REPOSITORIES = (
    "SELECT DISTINCT repository FROM deliveries "
    "WHERE installation = :installation AND repository IS NOT NULL"
)
FORGET = "DELETE FROM deliveries WHERE received < :moment"
# The id stays, or GitHub, which lists what it told for days, would be asked for it again.
ERASE = (
    "UPDATE deliveries SET event = '', installation = 0, repository = NULL, queued = 1, "
    "body = :nothing WHERE installation = :installation"
)
ERASE_ONE = f"{ERASE} AND repository = :repository"
