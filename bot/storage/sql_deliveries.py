"""Deliveries in SQL: in an SQLite file, or in Postgres for several machines."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from threading import Lock
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, bindparam, delete, select, update

from bot.domain.deliveries import Delivery, DeliveryError
from bot.domain.run_records import RecordError
from bot.storage.app_database import DELIVERIES, DELIVERY_TABLES, open_app_database

_ROWS = DELIVERIES.c
_WHOLE = select(
    _ROWS.guid, _ROWS.event, _ROWS.installation, _ROWS.repository, _ROWS.received, _ROWS.body
)
_MARK = update(DELIVERIES).where(_ROWS.guid == bindparam("marked")).values(queued=1)


class SqlDeliveries:
    """Deliveries in a database given by its address, for all threads; see `Deliveries`.

    In a file, a mark is written together with the next delivery, because a second wait for the disk
    would delay each acknowledgement. After a crash, unmarked deliveries are handed on again.
    """

    def __init__(self, url: str) -> None:
        with _told():
            self._database = open_app_database(url, DELIVERY_TABLES)
        self._is_file = not self._database.is_postgres
        self._turn: Any = Lock() if self._is_file else nullcontext()
        self._marks: list[str] = []
        made = self._database.insert(DELIVERIES).on_conflict_do_nothing()
        self._keep = made.execution_options(preserve_rowcount=True)

    def keep(self, delivery: Delivery) -> bool:
        """Store a delivery unless its id is known; whether it still needs to be queued."""
        with self._begin() as connection:
            if connection.execute(self._keep, _values(delivery)).rowcount == 1:
                return True
            found = select(_ROWS.queued).where(_ROWS.guid == delivery.guid)
            return connection.execute(found).scalar() == 0

    def mark_queued(self, guid: str) -> None:
        """Record that a delivery was handed on; in Postgres, other machines see it at once."""
        if self._is_file:
            with self._turn:
                self._marks.append(guid)
            return
        with self._begin() as connection:
            connection.execute(_MARK, {"marked": guid})

    def get(self, guid: str) -> Delivery | None:
        """A delivery by its id."""
        found = self._all(_WHOLE.where(_ROWS.guid == guid, _ROWS.event != ""))
        return _delivery(found[0]) if found else None

    def waiting(self, before: float, most: int = 100) -> list[Delivery]:
        """Deliveries stored up to a moment and never handed on, the oldest first."""
        query = _WHOLE.where(_ROWS.queued == 0, _ROWS.received <= before)
        oldest = query.order_by(_ROWS.received, _ROWS.guid).limit(most)
        return [_delivery(row) for row in self._all(oldest)]

    def since(self, moment: float) -> frozenset[str]:
        """The ids of deliveries received since a moment."""
        rows = self._all(select(_ROWS.guid).where(_ROWS.received >= moment))
        return frozenset(guid for (guid,) in rows)

    def repositories(self, installation: int) -> frozenset[int]:
        """The ids of the repositories of an installation from which a delivery was received."""
        place = and_(_ROWS.installation == installation, _ROWS.repository.is_not(None))
        rows = self._all(select(_ROWS.repository).where(place).distinct())
        return frozenset(number for (number,) in rows)

    def forget(self, moment: float) -> int:
        """Erase the deliveries received before a moment; how many."""
        with self._begin() as connection:
            return connection.execute(delete(DELIVERIES).where(_ROWS.received < moment)).rowcount

    def move(self, installation: int, repository: int) -> None:
        """Assign a repository's deliveries to the installation that has it now."""
        now = update(DELIVERIES).where(_ROWS.repository == repository)
        with self._begin() as connection:
            connection.execute(now.values(installation=installation))

    def erase(self, installation: int, repository: int | None = None) -> int:
        """Erase all but the ids for an installation, or for one of its repositories; how many."""
        place: ColumnElement[bool] = _ROWS.installation == installation
        if repository is not None:
            place = and_(place, _ROWS.repository == repository)
        # The id stays, or it would be fetched again from GitHub, which lists deliveries for days.
        nothing = {"event": "", "installation": 0, "repository": None, "queued": 1, "body": b""}
        with self._begin() as connection:
            count = connection.execute(update(DELIVERIES).where(place).values(nothing)).rowcount
        with _told(), self._turn:
            self._database.forget_deleted()
        return count

    def close(self) -> None:
        """Close all connections."""
        if self._marks:
            with suppress(DeliveryError), self._begin():
                pass
        self._database.close()

    def _all(self, query: Any) -> list[Any]:
        with self._begin() as connection:
            return list(connection.execute(query))

    @contextmanager
    def _begin(self) -> Iterator[Connection]:
        """A transaction that first writes all pending marks."""
        with _told(), self._turn:
            with self._database.begin() as connection:
                if self._marks:
                    connection.execute(_MARK, [{"marked": guid} for guid in self._marks])
                yield connection
            self._marks.clear()


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except RecordError as error:
        raise DeliveryError(error.message) from None


def _values(delivery: Delivery) -> dict[str, Any]:
    return {
        "guid": delivery.guid,
        "event": delivery.event,
        "installation": delivery.installation,
        "repository": delivery.repository,
        "received": delivery.received,
        "body": delivery.body,
        "queued": 0,
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
