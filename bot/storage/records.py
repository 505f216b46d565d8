"""All records of the App in one database: opened, erased, deleted when old.

The statements are the same for SQLite and Postgres.
"""

import json
from collections.abc import Callable
from typing import Any, Unpack

from sqlalchemy import (
    ColumnElement,
    RowMapping,
    Select,
    and_,
    delete,
    exists,
    func,
    insert,
    literal,
    not_,
    select,
    tuple_,
    update,
)

from bot.domain.events import RepositoryPlace
from bot.domain.review_result import outline
from bot.domain.run_records import (
    HOUR,
    DismissalRecord,
    DismissalRecords,
    Fields,
    Logged,
    PeopleRecords,
    Pulls,
    Records,
    ReviewRun,
    RunCursor,
    Runs,
    RunState,
    WorkerRecords,
    WorkTally,
)
from bot.storage.app_database import (
    ANSWERS,
    LOG,
    PLACES,
    PULLS,
    RECORD_TABLES,
    RUNS,
    SPENT,
    SPOKEN,
    WORKERS,
    clean,
    open_app_database,
)
from pfcore.llm.store.sql_database import SqlDatabase

_TWO_MONTHS = 62 * 24 * 3600
"""How long sums of money outlive their runs, in seconds, since caps are per calendar month."""

Clock = Callable[[], float]


def open_records(url: str, clock: Clock) -> Records:
    """The records at `sqlite:///PATH` or `postgresql://…`; RecordError if that fails."""
    return SqlRecords(open_app_database(url, RECORD_TABLES), clock)


class SqlRecords:
    """All records in one database; see `Records`."""

    runs: Runs
    answers: DismissalRecords
    pulls: Pulls
    people: PeopleRecords
    workers: WorkerRecords

    def __init__(self, database: SqlDatabase, clock: Clock) -> None:
        self._database = database
        self.runs = SqlRuns(database, clock)
        self.answers = SqlAnswers(database)
        self.pulls = SqlPulls(database, clock)
        self.people = SqlPeople(database, clock)
        self.workers = SqlWorkers(database, clock)

    def move(self, place: RepositoryPlace) -> None:
        """Assign a repository's records to the installation that has it, under its current name.

        Otherwise links and pages would lead to whichever repository has the earlier name by then.
        """
        number, now = place.repository_id, {"installation": place.installation}
        known = exists().where(PLACES.c.repository_id == number)
        with self._database.begin() as connection:
            if connection.execute(select(literal(1)).where(known)).first() is not None:
                connection.execute(delete(PLACES).where(PLACES.c.repository_id == number))
                connection.execute(insert(PLACES).values(repository_id=number, **now))
            for table in (RUNS, ANSWERS, PULLS, SPOKEN, SPENT):
                its = table.c.repository_id == number
                connection.execute(update(table).where(its).values(now))
            if place.repository:
                for table in (RUNS, ANSWERS):
                    its = table.c.repository_id == number
                    named = update(table).where(its).values(repository=clean(place.repository))
                    connection.execute(named)

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
            for table in (ANSWERS, PULLS, PLACES, SPOKEN):
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
            for table in (WORKERS, SPOKEN):
                connection.execute(delete(table).where(table.c.at < before))
        self._database.forget_deleted()
        return count

    def close(self) -> None:
        """Close the database."""
        self._database.close()


class SqlAnswers:
    """Dismissals in a table; see `DismissalRecords`."""

    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    def add(self, answer: DismissalRecord) -> None:
        """Store a dismissal; a later one of the same finding replaces it."""
        values = _answer_values(answer)
        keys = ["repository_id", "number", "finding"]
        made = (
            self._database.insert(ANSWERS)
            .values(values)
            .on_conflict_do_update(index_elements=keys, set_=values)
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
    """Decisions on pull requests, in a table; see `Pulls`."""

    def __init__(self, database: SqlDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def is_paused(self, repository_id: int, number: int) -> bool:
        """Whether reading is paused."""
        return bool(self._known(repository_id, number, PULLS.c.paused))

    def pause(self, place: RepositoryPlace, number: int, *, is_paused: bool) -> None:
        """Pause or resume."""
        self._set(place, number, {"paused": is_paused})

    def agreed(self, repository_id: int, number: int) -> str | None:
        """The head of a fork that a maintainer allowed to be read."""
        found = self._known(repository_id, number, PULLS.c.agreed)
        return None if found is None else str(found)

    def agree(self, place: RepositoryPlace, number: int, head: str) -> None:
        """Record the head that a maintainer saw."""
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
        made = (
            self._database.insert(PULLS)
            .values(values)
            .on_conflict_do_update(index_elements=["repository_id", "number"], set_=fields)
        )
        with self._database.begin() as connection:
            connection.execute(made)


class SqlPeople:
    """Comments of people, in a table; see `PeopleRecords`."""

    def __init__(self, database: SqlDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def count(self, place: RepositoryPlace, guid: str, who: str, most: int) -> int:
        """The rank of a person's comment within an hour."""
        now, name, person = self._clock(), clean(guid), clean(who)
        its = and_(SPOKEN.c.installation == place.installation, SPOKEN.c.who == person)
        known = select(SPOKEN.c.at).where(SPOKEN.c.guid == name)
        with self._database.begin() as connection:
            at = connection.execute(known).scalar()
            moment = now if at is None else at
            within = and_(its, SPOKEN.c.at > moment - HOUR, SPOKEN.c.guid != name)
            turns = tuple_(SPOKEN.c.at, SPOKEN.c.guid)
            mine = tuple_(literal(moment), literal(name))
            is_before = within if at is None else and_(within, turns < mine)
            count = connection.execute(select(func.count()).where(is_before)).scalar() or 0
            if at is None and count <= most:
                made = self._database.insert(SPOKEN).values(
                    guid=name,
                    installation=place.installation,
                    repository_id=place.repository_id,
                    who=person,
                    at=now,
                )
                connection.execute(made.on_conflict_do_nothing())
        return count + 1


class SqlWorkers:
    """Signs of life in a table; see `WorkerRecords`."""

    def __init__(self, database: SqlDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def beat(self, worker: str) -> None:
        """Record that a worker is alive."""
        values = {"worker": clean(worker), "at": self._clock()}
        made = (
            self._database.insert(WORKERS)
            .values(values)
            .on_conflict_do_update(index_elements=["worker"], set_={"at": values["at"]})
        )
        with self._database.begin() as connection:
            connection.execute(made)

    def beats(self) -> dict[str, float]:
        """The time of each worker's last sign of life, in seconds since 1970."""
        with self._database.begin() as connection:
            rows = connection.execute(select(WORKERS.c.worker, WORKERS.c.at))
            return {str(worker): float(at) for worker, at in rows}


def _keep_sums(which: ColumnElement[bool]) -> Any:
    """A statement that saves the costs of runs before they are deleted."""
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


_LINE = 500
_MOST = 10_000
"""How many durations are read; more would not change the quantiles noticeably."""

_PLACE = tuple_(RUNS.c.created, RUNS.c.id)
_began = func.coalesce(RUNS.c.started, RUNS.c.created)
_OUTLINES = {"structure": "structure_outline", "proofs": "proofs_outline"}
_COLUMNS = [column.name for column in RUNS.c]
_BRIEF = [column for column in RUNS.c if column.name not in {"structure", "proofs"}]


class SqlRuns:
    """Runs in tables; see `Runs`."""

    def __init__(self, database: SqlDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def begin(self, run: ReviewRun) -> bool:
        """Store a new run; False if its id exists."""
        made = self._database.insert(RUNS).values(_values(run)).on_conflict_do_nothing()
        place = {"installation": run.installation, "repository_id": run.repository_id}
        with self._database.begin() as connection:
            connection.execute(self._database.insert(PLACES).values(place).on_conflict_do_nothing())
            return connection.execute(made.returning(RUNS.c.id)).first() is not None

    def get(self, run_id: str) -> ReviewRun | None:
        """A run with results and log."""
        name = clean(run_id)
        lines = select(LOG.c.at, LOG.c.line).where(LOG.c.run == name).order_by(LOG.c.count)
        with self._database.begin() as connection:
            row = connection.execute(select(RUNS).where(RUNS.c.id == name)).mappings().first()
            log = connection.execute(lines).all() if row else []
        return _run(row, tuple(Logged(at=at, line=line) for at, line in log)) if row else None

    def latest(
        self,
        most: int,
        *,
        repository_id: int | None = None,
        state: RunState | None = None,
        before: RunCursor | None = None,
        after: RunCursor | None = None,
    ) -> list[ReviewRun]:
        """The newest runs, the newest first; without results and logs."""
        query = select(*_BRIEF)
        if repository_id is not None:
            query = query.where(RUNS.c.repository_id == repository_id)
        if state is not None:
            query = query.where(RUNS.c.state == state)
        if before is not None:
            query = query.where(_edge(before) > _PLACE)
        if after is not None:
            nearest = query.where(_edge(after) < _PLACE).order_by(RUNS.c.created, RUNS.c.id)
            return self._rows(nearest.limit(most))[::-1]
        return self._found(query.limit(most))

    def of_commit(
        self,
        repository_id: int,
        head: str,
        most: int,
        *,
        number: int | None,
        states: frozenset[RunState] = frozenset(RunState),
    ) -> list[ReviewRun]:
        """The newest runs in these states about a pull request with this head, or a branch."""
        place = and_(
            RUNS.c.repository_id == repository_id, RUNS.c.number.is_not_distinct_from(number)
        )
        is_it = and_(place, RUNS.c.head == clean(head), RUNS.c.state.in_(sorted(states)))
        return self._found(select(*_BRIEF).where(is_it).limit(most))

    def of_pull(self, repository_id: int, number: int, most: int) -> list[ReviewRun]:
        """The newest runs of a pull request, the newest first."""
        place = and_(RUNS.c.repository_id == repository_id, RUNS.c.number == number)
        return self._found(select(*_BRIEF).where(place).limit(most))

    def on_default(
        self,
        repository_id: int,
        most: int,
        *,
        states: frozenset[RunState] = frozenset((RunState.DONE,)),
    ) -> list[ReviewRun]:
        """The newest runs in these states on the default branch; without results and logs."""
        place = and_(RUNS.c.repository_id == repository_id, RUNS.c.is_default)
        is_it = RUNS.c.state.in_(sorted(states))
        return self._found(select(*_BRIEF).where(place, is_it).limit(most))

    def named(self, repository: str) -> int | None:
        """The id of the repository that last had this name, by its newest run."""
        is_it = func.lower(RUNS.c.repository) == clean(repository).lower()
        query = select(RUNS.c.repository_id).where(is_it).order_by(RUNS.c.created.desc()).limit(1)
        with self._database.begin() as connection:
            return connection.execute(query).scalar()

    def places(self, installation: int) -> list[int]:
        """The repositories of an installation that ever had a run and were not erased."""
        query = select(PLACES.c.repository_id).where(PLACES.c.installation == installation)
        with self._database.begin() as connection:
            return sorted(connection.execute(query).scalars())

    def change(
        self,
        run_id: str,
        *,
        only: frozenset[RunState] = frozenset(RunState),
        **fields: Unpack[Fields],
    ) -> bool:
        """Change a run if it is in one of these states; whether it was."""
        is_it = and_(RUNS.c.id == clean(run_id), RUNS.c.state.in_(sorted(only)))
        with self._database.begin() as connection:
            done = connection.execute(update(RUNS).where(is_it).values(_cleaned(fields)))
            return done.rowcount == 1

    def log(self, run_id: str, line: str) -> None:
        """Add a line to a run's log; the log goes when the run is erased."""
        name = clean(run_id)
        values = select(literal(name), literal(self._clock()), literal(clean(line)[:_LINE])).where(
            exists().where(RUNS.c.id == name)
        )
        with self._database.begin() as connection:
            connection.execute(insert(LOG).from_select(["run", "at", "line"], values))

    def spent(self, since: float, repository_id: int | None = None) -> float:
        """The dollars of all runs that began since a moment."""
        now = select(func.sum(RUNS.c.dollars)).where(_began >= since)
        before = select(func.sum(SPENT.c.dollars)).where(SPENT.c.at >= since)
        if repository_id is not None:
            now = now.where(RUNS.c.repository_id == repository_id)
            before = before.where(SPENT.c.repository_id == repository_id)
        with self._database.begin() as connection:
            return sum(float(connection.execute(query).scalar() or 0) for query in (now, before))

    def tally(self, since: float) -> WorkTally:
        """The work of the runs that were created since a moment."""
        is_new = RUNS.c.created >= since
        sums = [RUNS.c.calls, RUNS.c.input_tokens, RUNS.c.output_tokens, RUNS.c.dollars]
        totals = select(RUNS.c.state, func.count(), *map(func.sum, sums)).where(is_new)
        taken = select(RUNS.c.ended - RUNS.c.started).where(is_new, RUNS.c.ended.is_not(None))
        taken = taken.where(RUNS.c.started.is_not(None)).order_by(RUNS.c.created.desc())
        with self._database.begin() as connection:
            rows = connection.execute(totals.group_by(RUNS.c.state)).all()
            seconds = connection.execute(taken.limit(_MOST)).scalars().all()
        return WorkTally(
            states={RunState(row[0]): int(row[1]) for row in rows},
            calls=sum(int(row[2]) for row in rows),
            input_tokens=sum(int(row[3]) for row in rows),
            output_tokens=sum(int(row[4]) for row in rows),
            dollars=sum(float(row[5]) for row in rows),
            seconds=tuple(float(value) for value in seconds),
        )

    def _found(self, query: Select[Any]) -> list[ReviewRun]:
        return self._rows(query.order_by(RUNS.c.created.desc(), RUNS.c.id.desc()))

    def _rows(self, query: Select[Any]) -> list[ReviewRun]:
        with self._database.begin() as connection:
            return [_run(row) for row in connection.execute(query).mappings()]


def _edge(place: RunCursor) -> Any:
    return tuple_(literal(place.created), literal(clean(place.id)))


def _values(run: ReviewRun) -> dict[str, Any]:
    fields = {name: getattr(run, name) for name in _COLUMNS if name not in _OUTLINES.values()}
    return dict.fromkeys(_OUTLINES.values()) | _cleaned(fields)


def _cleaned(fields: Any) -> dict[str, Any]:
    """The column values for some fields; a result also gives its outline."""
    values = {
        name: clean(value) if isinstance(value, str) else value for name, value in fields.items()
    }
    for name in _OUTLINES.keys() & fields.keys():
        found = outline(fields[name])
        values[_OUTLINES[name]] = found.text() if found else None
    return values


def _run(row: RowMapping, log: tuple[Logged, ...] = ()) -> ReviewRun:
    values = dict(row) | {"state": RunState(row["state"])}
    values |= {name: outline(row[name]) for name in _OUTLINES.values()}
    return ReviewRun(**values, log=log)
