"""The App's records in SQLite or Postgres: the same statements for both."""

from collections.abc import Callable
from typing import Any, Unpack

from sqlalchemy import (
    RowMapping,
    Select,
    and_,
    exists,
    func,
    insert,
    literal,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from bot.domain.outlines import outline
from bot.domain.run_records import Fields, Logged, ReviewRun, RunCursor, RunState, WorkTally
from bot.storage.app_database import AppDatabase, clean
from bot.storage.run_tables import LOG, PLACES, RUNS, SPENT

Clock = Callable[[], float]

_LINE = 500
_MOST = 10_000
"""Runs whose durations are looked at; more change no quantile that anybody reads."""

_PLACE = tuple_(RUNS.c.created, RUNS.c.id)
_began = func.coalesce(RUNS.c.started, RUNS.c.created)
_OUTLINES = {"structure": "structure_outline", "proofs": "proofs_outline"}
_COLUMNS = [column.name for column in RUNS.c]
_BRIEF = [column for column in RUNS.c if column.name not in {"structure", "proofs"}]


class SqlRuns:
    """Runs in tables; see `Runs`."""

    def __init__(self, database: AppDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def begin(self, run: ReviewRun) -> bool:
        """Keep a new run; False where one of its id is there."""
        made = upsert(self._database, RUNS, _values(run)).on_conflict_do_nothing()
        place = {"installation": run.installation, "repository_id": run.repository_id}
        with self._database.begin() as connection:
            connection.execute(upsert(self._database, PLACES, place).on_conflict_do_nothing())
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

    def on_default(self, repository_id: int, most: int) -> list[ReviewRun]:
        """The newest finished runs on the default branch; without results and logs."""
        place = and_(RUNS.c.repository_id == repository_id, RUNS.c.is_default)
        return self._found(select(*_BRIEF).where(place, RUNS.c.state == RunState.DONE).limit(most))

    def named(self, repository: str) -> int | None:
        """The id of the repository that had this name in the newest run so called."""
        is_it = func.lower(RUNS.c.repository) == clean(repository).lower()
        query = select(RUNS.c.repository_id).where(is_it).order_by(RUNS.c.created.desc()).limit(1)
        with self._database.begin() as connection:
            return connection.execute(query).scalar()

    def places(self, installation: int) -> list[int]:
        """The repositories of an installation that ever had a run, until they are erased."""
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
        """Change a run where it is in one of these states; whether it was."""
        is_it = and_(RUNS.c.id == clean(run_id), RUNS.c.state.in_(sorted(only)))
        with self._database.begin() as connection:
            done = connection.execute(update(RUNS).where(is_it).values(_cleaned(fields)))
            return done.rowcount == 1

    def log(self, run_id: str, line: str) -> None:
        """Add a line to a run's log; a run that was erased has none."""
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
        """What the runs that were created since a moment did."""
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


def upsert(database: AppDatabase, table: Any, values: dict[str, Any]) -> Any:
    """An insertion that can be told what to do where the row is there already."""
    dialect = postgresql if database.is_postgres else sqlite
    return dialect.insert(table).values(values)


def _edge(place: RunCursor) -> Any:
    return tuple_(literal(place.created), literal(clean(place.id)))


def _values(run: ReviewRun) -> dict[str, Any]:
    fields = {name: getattr(run, name) for name in _COLUMNS if name not in _OUTLINES.values()}
    return dict.fromkeys(_OUTLINES.values()) | _cleaned(fields)


def _cleaned(fields: Any) -> dict[str, Any]:
    """What is written for some fields; with a result, its outline."""
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
