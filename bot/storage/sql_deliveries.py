"""Deliveries in Postgres, for several machines; the same statements as in a file of SQLite."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    text,
)

from bot.domain import deliveries
from bot.domain.deliveries import Delivery, DeliveryError, delivery_of_row, values
from bot.domain.run_records import RecordError
from bot.storage.app_database import AppDatabase

_TABLES = MetaData()
_DELIVERIES = Table(
    "deliveries",
    _TABLES,
    Column("guid", String(64), primary_key=True),
    Column("event", String(64), nullable=False),
    Column("installation", BigInteger, nullable=False),
    Column("repository", BigInteger),
    Column("received", Double, nullable=False),
    Column("queued", Integer, nullable=False),
    Column("body", LargeBinary, nullable=False),
)
Index("deliveries_received", _DELIVERIES.c.received)
Index("deliveries_waiting", _DELIVERIES.c.received, postgresql_where=text("queued = 0"))


class SqlDeliveries:
    """Deliveries in a database by its address; see `Deliveries`."""

    def __init__(self, url: str) -> None:
        try:
            self._database = AppDatabase(url, _TABLES)
        except RecordError as error:
            raise DeliveryError(error.message) from None

    def keep(self, delivery: Delivery) -> bool:
        """Keep a delivery, the first one of its id; whether it is still to be queued."""
        with self._begin() as connection:
            if connection.execute(text(deliveries.PUT), values(delivery)).rowcount == 1:
                return True
            found = connection.execute(text(deliveries.IS_QUEUED), {"guid": delivery.guid})
            return found.scalar() == 0

    def mark_queued(self, guid: str) -> None:
        """Say that a delivery was handed on for good."""
        self._run(deliveries.MARK, guid=guid)

    def get(self, guid: str) -> Delivery | None:
        """A delivery by its id."""
        rows = self._all(deliveries.GET, guid=guid)
        return delivery_of_row(rows[0]) if rows else None

    def waiting(self, before: float, most: int = 100) -> list[Delivery]:
        """What was kept up to a moment and never handed on, the oldest first."""
        return [
            delivery_of_row(item)
            for item in self._all(deliveries.WAITING, before=before, most=most)
        ]

    def since(self, moment: float) -> frozenset[str]:
        """The ids of what was received from a moment on."""
        return frozenset(guid for (guid,) in self._all(deliveries.SINCE, moment=moment))

    def repositories(self, installation: int) -> frozenset[int]:
        """The ids of the repositories of an installation that something was received of."""
        rows = self._all(deliveries.REPOSITORIES, installation=installation)
        return frozenset(number for (number,) in rows)

    def forget(self, moment: float) -> int:
        """Erase what was received before a moment; how many."""
        return self._run(deliveries.FORGET, moment=moment)

    def erase(self, installation: int, repository: int | None = None) -> int:
        """Erase all of an installation, or of one of its repositories; how many."""
        given = {"installation": installation, "nothing": b""}
        if repository is None:
            return self._run(deliveries.ERASE, **given)
        return self._run(deliveries.ERASE_ONE, **given, repository=repository)

    def close(self) -> None:
        """Let go of all connections."""
        self._database.close()

    def _run(self, statement: str, **given: Any) -> int:
        with self._begin() as connection:
            return connection.execute(text(statement), given).rowcount

    def _all(self, statement: str, **given: Any) -> list[Any]:
        with self._begin() as connection:
            return list(connection.execute(text(statement), given))

    @contextmanager
    def _begin(self) -> Iterator[Connection]:
        try:
            with self._database.begin() as connection:
                yield connection
        except RecordError as error:
            raise DeliveryError(error.message) from None
