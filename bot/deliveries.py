"""Deliveries on disk: each is kept once, whatever GitHub sends again, until it is too old.

A delivery is kept before it is queued and marked after: what a crash leaves between the two is
found by `waiting`. The statements are those that SQLite and Postgres have in common.
"""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, Protocol, TypeVar

from pfcore.errors import IncompleteError

_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS deliveries (
    guid VARCHAR(64) PRIMARY KEY, event VARCHAR(64) NOT NULL, installation BIGINT NOT NULL,
    repository BIGINT, received DOUBLE PRECISION NOT NULL, queued INTEGER NOT NULL,
    body BYTEA NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS deliveries_received ON deliveries (received)",
    "CREATE INDEX IF NOT EXISTS deliveries_waiting ON deliveries (received) WHERE queued = 0",
)
_PUT = (
    "INSERT INTO deliveries (guid, event, installation, repository, received, body, queued) "
    "VALUES (:guid, :event, :installation, :repository, :received, :body, 0) "
    "ON CONFLICT (guid) DO NOTHING"
)
_IS_QUEUED = "SELECT queued FROM deliveries WHERE guid = :guid"
_MARK = "UPDATE deliveries SET queued = 1 WHERE guid = :guid"
_GET = (
    "SELECT guid, event, installation, repository, received, body FROM deliveries "
    "WHERE guid = :guid"
)
_WAITING = (
    "SELECT guid, event, installation, repository, received, body FROM deliveries "
    "WHERE queued = 0 AND received <= :before ORDER BY received, guid LIMIT :most"
)
_SINCE = "SELECT guid FROM deliveries WHERE received >= :moment"
_FORGET = "DELETE FROM deliveries WHERE received < :moment"
_ERASE = "DELETE FROM deliveries WHERE installation = :installation"
_ERASE_ONE = f"{_ERASE} AND repository = :repository"

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
        """Say that a delivery was handed on for good."""
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

    def forget(self, moment: float) -> int:
        """Erase what was received before a moment; how many."""
        ...

    def erase(self, installation: int, repository: int | None = None) -> int:
        """Erase all of an installation, or of one of its repositories; how many."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...


class SqliteDeliveries:
    """One file, for the threads of a process and for other processes."""

    def __init__(self, path: Path) -> None:
        self._lock = Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._connection = sqlite3.connect(
                path, timeout=30, isolation_level=None, check_same_thread=False
            )
            self._prepare(path)
        except (OSError, sqlite3.Error) as error:
            raise DeliveryError(f"the database {path} cannot be opened: {error}") from error

    def _prepare(self, path: Path) -> None:
        self._connection.execute("PRAGMA journal_mode=WAL")
        # What was acknowledged outlives a power cut, too: GitHub does not send it again.
        self._connection.execute("PRAGMA synchronous=FULL")
        for statement in _SCHEMA:
            self._connection.execute(statement)
        path.chmod(0o600)

    def keep(self, delivery: Delivery) -> bool:
        """Keep a delivery, the first one of its id; whether it is still to be queued."""
        if self._run(_PUT, _row(delivery)).rowcount == 1:
            return True
        return self._all(_IS_QUEUED, {"guid": delivery.guid}) == [(0,)]

    def mark_queued(self, guid: str) -> None:
        """Say that a delivery was handed on for good."""
        self._run(_MARK, {"guid": guid})

    def get(self, guid: str) -> Delivery | None:
        """A delivery by its id."""
        rows = self._all(_GET, {"guid": guid})
        return _delivery(rows[0]) if rows else None

    def waiting(self, before: float, most: int = 100) -> list[Delivery]:
        """What was kept up to a moment and never handed on, the oldest first."""
        return [_delivery(row) for row in self._all(_WAITING, {"before": before, "most": most})]

    def since(self, moment: float) -> frozenset[str]:
        """The ids of what was received from a moment on."""
        return frozenset(guid for (guid,) in self._all(_SINCE, {"moment": moment}))

    def forget(self, moment: float) -> int:
        """Erase what was received before a moment; how many."""
        return self._run(_FORGET, {"moment": moment}).rowcount

    def erase(self, installation: int, repository: int | None = None) -> int:
        """Erase all of an installation, or of one of its repositories; how many."""
        statement = _ERASE if repository is None else _ERASE_ONE
        values = {"installation": installation, "repository": repository}
        return self._run(statement, values).rowcount

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _run(self, statement: str, values: dict[str, Any]) -> sqlite3.Cursor:
        return self._answered(lambda: self._connection.execute(statement, values))

    def _all(self, statement: str, values: dict[str, Any]) -> list[Any]:
        return self._answered(lambda: self._connection.execute(statement, values).fetchall())

    def _answered(self, ask: Callable[[], Answer]) -> Answer:
        try:
            with self._lock:
                return ask()
        except sqlite3.Error as error:
            raise DeliveryError(f"the database of deliveries does not answer: {error}") from error


def _row(delivery: Delivery) -> dict[str, Any]:
    return {
        "guid": delivery.guid,
        "event": delivery.event,
        "installation": delivery.installation,
        "repository": delivery.repository,
        "received": delivery.received,
        "body": delivery.body,
    }


def _delivery(row: Any) -> Delivery:
    guid, event, installation, repository, received, body = row
    return Delivery(
        guid=guid,
        event=event,
        installation=installation,
        repository=repository,
        received=received,
        body=bytes(body),
    )
