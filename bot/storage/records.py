"""All records of the App in one database: opened, erased, forgotten."""

import json
from typing import Any

from sqlalchemy import (
    ColumnElement,
    RowMapping,
    and_,
    delete,
    exists,
    func,
    insert,
    not_,
    select,
    update,
)

from bot.domain.events import RepositoryPlace
from bot.domain.run_records import (
    DismissalRecord,
    DismissalRecords,
    Pulls,
    RecordError,
    Records,
    Runs,
    WorkerRecords,
)
from bot.storage.app_database import AppDatabase, clean
from bot.storage.run_tables import (
    ANSWERS,
    LOG,
    PLACES,
    PULLS,
    RUNS,
    SCHEMA,
    SPENT,
    TABLES,
    VERSION,
    WORKERS,
)
from bot.storage.runs_sql import Clock, SqlRuns, upsert

_TWO_MONTHS = 62 * 24 * 3600
"""Seconds that sums of money outlive their runs: the caps are by the calendar month."""


def open_records(url: str, clock: Clock) -> Records:
    """The records at `sqlite:///PATH` or `postgresql://…`; RecordError where that fails."""
    database = AppDatabase(url, TABLES)
    try:
        _require_ours(database)
    except RecordError:
        database.close()
        raise
    return SqlRecords(database, clock)


def _require_ours(database: AppDatabase) -> None:
    """RecordError where the tables are those of another release."""
    ours = {"one": 1, "version": VERSION}
    with database.begin() as connection:
        connection.execute(upsert(database, SCHEMA, ours).on_conflict_do_nothing())
        found = connection.execute(select(SCHEMA.c.version)).scalar()
    if found != VERSION:
        raise RecordError(f"the App's database is of another release ({found}, not {VERSION})")


class SqlRecords:
    """All of it, in one database; see `Records`."""

    runs: Runs
    answers: DismissalRecords
    pulls: Pulls
    workers: WorkerRecords

    def __init__(self, database: AppDatabase, clock: Clock) -> None:
        self._database = database
        self.runs = SqlRuns(database, clock)
        self.answers = SqlAnswers(database)
        self.pulls = SqlPulls(database, clock)
        self.workers = SqlWorkers(database, clock)

    def erase(self, installation: int, repository_id: int | None = None) -> int:
        """Erase all of an installation, or of one of its repositories; how many runs."""

        def is_there(table: Any) -> ColumnElement[bool]:
            whole = table.c.installation == installation
            return (
                whole
                if repository_id is None
                else and_(whole, table.c.repository_id == repository_id)
            )

        with self._database.begin() as connection:
            connection.execute(_keep_sums(is_there(RUNS)))
            nowhere = {"installation": None, "repository_id": None}
            connection.execute(update(SPENT).where(is_there(SPENT)).values(nowhere))
            for table in (ANSWERS, PULLS, PLACES):
                connection.execute(delete(table).where(is_there(table)))
            count = connection.execute(delete(RUNS).where(is_there(RUNS))).rowcount
            connection.execute(_orphans())
        self._database.forget_deleted()
        return count

    def forget(self, before: float) -> int:
        """Erase the runs that ended, or were created and never ended, before a moment."""
        is_old = func.coalesce(RUNS.c.ended, RUNS.c.created) < before
        with self._database.begin() as connection:
            connection.execute(_keep_sums(is_old))
            count = connection.execute(delete(RUNS).where(is_old)).rowcount
            connection.execute(_orphans())
            for table in (ANSWERS, PULLS):
                is_its = and_(
                    RUNS.c.repository_id == table.c.repository_id, RUNS.c.number == table.c.number
                )
                is_left = and_(table.c.when < before, not_(exists().where(is_its)))
                connection.execute(delete(table).where(is_left))
            connection.execute(delete(SPENT).where(SPENT.c.at < before - _TWO_MONTHS))
            connection.execute(delete(WORKERS).where(WORKERS.c.at < before))
        self._database.forget_deleted()
        return count

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()


class SqlAnswers:
    """Dismissals in a table; see `DismissalRecords`."""

    def __init__(self, database: AppDatabase) -> None:
        self._database = database

    def add(self, answer: DismissalRecord) -> None:
        """Keep a dismissal; a later one of the same finding replaces it."""
        values = _answer_values(answer)
        keys = ["repository_id", "number", "finding"]
        made = upsert(self._database, ANSWERS, values).on_conflict_do_update(
            index_elements=keys, set_=values
        )
        with self._database.begin() as connection:
            connection.execute(made)

    def of(self, repository_id: int, number: int) -> list[DismissalRecord]:
        """The dismissals of a pull request, the oldest first."""
        its = and_(ANSWERS.c.repository_id == repository_id, ANSWERS.c.number == number)
        query = select(ANSWERS).where(its).order_by(ANSWERS.c.when, ANSWERS.c.finding)
        with self._database.begin() as connection:
            return [_answer(row) for row in connection.execute(query).mappings()]


class SqlPulls:
    """What was said about pull requests, in a table; see `Pulls`."""

    def __init__(self, database: AppDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def is_paused(self, repository_id: int, number: int) -> bool:
        """Whether nothing is to be read."""
        return bool(self._known(repository_id, number, PULLS.c.paused))

    def pause(self, place: RepositoryPlace, number: int, *, is_paused: bool) -> None:
        """Pause or resume."""
        self._set(place, number, {"paused": is_paused})

    def agreed(self, repository_id: int, number: int) -> str | None:
        """The head of a fork that a maintainer agreed to."""
        found = self._known(repository_id, number, PULLS.c.agreed)
        return None if found is None else str(found)

    def agree(self, place: RepositoryPlace, number: int, head: str) -> None:
        """Note the head that a maintainer saw."""
        self._set(place, number, {"agreed": clean(head)})

    def _known(self, repository_id: int, number: int, column: Any) -> Any:
        its = and_(PULLS.c.repository_id == repository_id, PULLS.c.number == number)
        with self._database.begin() as connection:
            return connection.execute(select(column).where(its)).scalar()

    def _set(self, place: RepositoryPlace, number: int, fields: dict[str, Any]) -> None:
        fields = {"when": self._clock(), "installation": place.installation, **fields}
        values = {
            "repository_id": place.repository_id,
            "number": number,
            "paused": False,
            "agreed": None,
            **fields,
        }
        made = upsert(self._database, PULLS, values).on_conflict_do_update(
            index_elements=["repository_id", "number"], set_=fields
        )
        with self._database.begin() as connection:
            connection.execute(made)


class SqlWorkers:
    """Signs of life in a table; see `WorkerRecords`."""

    def __init__(self, database: AppDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def beat(self, worker: str) -> None:
        """Say that a worker lives."""
        values = {"worker": clean(worker), "at": self._clock()}
        made = upsert(self._database, WORKERS, values).on_conflict_do_update(
            index_elements=["worker"], set_={"at": values["at"]}
        )
        with self._database.begin() as connection:
            connection.execute(made)

    def beats(self) -> dict[str, float]:
        """When each worker last said so."""
        with self._database.begin() as connection:
            rows = connection.execute(select(WORKERS.c.worker, WORKERS.c.at))
            return {str(worker): float(at) for worker, at in rows}


def _keep_sums(which: ColumnElement[bool]) -> Any:
    """What runs cost, kept when they go."""
    began = func.coalesce(RUNS.c.started, RUNS.c.created)
    rows = select(RUNS.c.installation, RUNS.c.repository_id, began, RUNS.c.dollars)
    return insert(SPENT).from_select(
        ["installation", "repository_id", "at", "dollars"],
        rows.where(which, RUNS.c.dollars > 0),
    )


def _orphans() -> Any:
    return delete(LOG).where(not_(exists().where(RUNS.c.id == LOG.c.run)))


def _answer_values(answer: DismissalRecord) -> dict[str, Any]:
    return {
        "repository_id": answer.place.repository_id,
        "number": answer.number,
        "finding": clean(answer.finding),
        "installation": answer.place.installation,
        "repository": clean(answer.place.repository),
        "aliases": json.dumps(answer.aliases),
        "lines": clean(answer.lines),
        "reason": clean(answer.reason),
        "who": clean(answer.who),
        "when": answer.when,
    }


def _answer(row: RowMapping) -> DismissalRecord:
    place = RepositoryPlace(
        installation=row["installation"],
        repository=row["repository"],
        repository_id=row["repository_id"],
    )
    return DismissalRecord(
        place=place,
        number=row["number"],
        finding=row["finding"],
        aliases=tuple(json.loads(row["aliases"])),
        lines=row["lines"],
        reason=row["reason"],
        who=row["who"],
        when=row["when"],
    )
