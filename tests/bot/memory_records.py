"""The records in memory, for tests that are about something else; they keep the same contract."""

from dataclasses import replace
from typing import Any, Unpack

from bot.domain.events import RepositoryPlace
from bot.domain.review_result import outline
from bot.domain.run_records import (
    HOUR,
    DismissalRecord,
    Fields,
    Logged,
    ReviewRun,
    RunCursor,
    RunState,
    WorkTally,
)


class MemoryRuns:
    """Runs in a dict."""

    def __init__(self, clock) -> None:
        self.kept: dict[str, ReviewRun] = {}
        self.seen: set[tuple[int, int]] = set()
        self.gone: list[tuple[int | None, int | None, float, float]] = []
        self._clock = clock

    def begin(self, run: ReviewRun) -> bool:
        self.seen.add((run.installation, run.repository_id))
        if run.id in self.kept:
            return False
        self.kept[run.id] = _outlined(replace(run, log=()))
        return True

    def get(self, run_id: str) -> ReviewRun | None:
        return self.kept.get(run_id)

    def latest(
        self,
        most: int,
        *,
        repository_id: int | None = None,
        state: RunState | None = None,
        before: RunCursor | None = None,
        after: RunCursor | None = None,
    ) -> list[ReviewRun]:
        found = [
            _brief(run)
            for run in self._newest()
            if repository_id in {None, run.repository_id} and state in {None, run.state}
            if before is None or (run.created, run.id) < before
            if after is None or (run.created, run.id) > after
        ]
        return found[:most] if after is None else found[-most:]

    def of_commit(
        self,
        repository_id: int,
        head: str,
        most: int,
        *,
        number: int | None,
        states: frozenset[RunState] = frozenset(RunState),
    ) -> list[ReviewRun]:
        place = (repository_id, number, head)
        found = [r for r in self._newest() if (r.repository_id, r.number, r.head) == place]
        return [_brief(run) for run in found if run.state in states][:most]

    def of_pull(self, repository_id: int, number: int, most: int) -> list[ReviewRun]:
        place = (repository_id, number)
        found = [run for run in self._newest() if (run.repository_id, run.number) == place]
        return [_brief(run) for run in found][:most]

    def on_default(
        self,
        repository_id: int,
        most: int,
        *,
        states: frozenset[RunState] = frozenset((RunState.DONE,)),
    ) -> list[ReviewRun]:
        place = (repository_id, True)
        found = [run for run in self._newest() if (run.repository_id, run.is_default) == place]
        return [_brief(run) for run in found if run.state in states][:most]

    def named(self, repository: str) -> int | None:
        name = repository.lower()
        found = (run.repository_id for run in self._newest() if run.repository.lower() == name)
        return next(found, None)

    def places(self, installation: int) -> list[int]:
        return sorted(place for owner, place in self.seen if owner == installation)

    def change(
        self,
        run_id: str,
        *,
        only: frozenset[RunState] = frozenset(RunState),
        **fields: Unpack[Fields],
    ) -> bool:
        run = self.kept.get(run_id)
        if run is None or run.state not in only:
            return False
        self.kept[run_id] = _outlined(replace(run, **fields))
        return True

    def log(self, run_id: str, line: str) -> None:
        if run := self.kept.get(run_id):
            logged = Logged(at=self._clock(), line=line[:500])
            self.kept[run_id] = replace(run, log=(*run.log, logged))

    def spent(self, since: float, repository_id: int | None = None) -> float:
        now = [(run.repository_id, _began(run), run.dollars) for run in self.kept.values()]
        gone = [(repository, at, dollars) for _, repository, at, dollars in self.gone]
        return sum(
            dollars
            for repository, at, dollars in now + gone
            if at >= since and repository_id in {None, repository}
        )

    def tally(self, since: float) -> WorkTally:
        runs = [run for run in self._newest() if run.created >= since]
        states = [run.state for run in runs]
        return WorkTally(
            states={state: states.count(state) for state in states},
            calls=sum(run.calls for run in runs),
            input_tokens=sum(run.input_tokens for run in runs),
            output_tokens=sum(run.output_tokens for run in runs),
            dollars=sum(run.dollars for run in runs),
            seconds=tuple(
                run.ended - run.started
                for run in runs
                if run.ended is not None and run.started is not None
            ),
        )

    def take(self, is_gone) -> list[ReviewRun]:
        """Let runs go, and keep what they cost."""
        gone = [run for run in self.kept.values() if is_gone(run)]
        for run in gone:
            del self.kept[run.id]
            self.gone.append((run.installation, run.repository_id, _began(run), run.dollars))
        return gone

    def _newest(self) -> list[ReviewRun]:
        return sorted(self.kept.values(), key=lambda run: (run.created, run.id), reverse=True)


class MemoryAnswers:
    """Dismissals in a dict."""

    def __init__(self) -> None:
        self.kept: dict[tuple[int, int, str], DismissalRecord] = {}

    def add(self, answer: DismissalRecord) -> None:
        self.kept[answer.place.repository_id, answer.number, answer.finding] = answer

    def of(self, repository_id: int, number: int) -> list[DismissalRecord]:
        found = [a for key, a in self.kept.items() if key[:2] == (repository_id, number)]
        return sorted(found, key=lambda answer: (answer.when, answer.finding))


class MemoryPulls:
    """What was said about pull requests, in a dict."""

    def __init__(self, clock) -> None:
        self.kept: dict[tuple[int, int], dict[str, Any]] = {}
        self._clock = clock

    def is_paused(self, repository_id: int, number: int) -> bool:
        return bool(self.kept.get((repository_id, number), {}).get("paused"))

    def pause(self, place: RepositoryPlace, number: int, *, is_paused: bool) -> None:
        self._set(place, number, {"paused": is_paused})

    def agreed(self, repository_id: int, number: int) -> str | None:
        return self.kept.get((repository_id, number), {}).get("agreed")

    def agree(self, place: RepositoryPlace, number: int, head: str) -> None:
        self._set(place, number, {"agreed": head})

    def _set(self, place: RepositoryPlace, number: int, fields: dict[str, Any]) -> None:
        said = self.kept.setdefault((place.repository_id, number), {})
        said |= {"installation": place.installation, "when": self._clock()} | fields


class MemoryPeople:
    """Who spoke, in a dict."""

    def __init__(self, clock) -> None:
        self.kept: dict[str, tuple[int, int, str, float]] = {}
        self._clock = clock

    def count(self, place: RepositoryPlace, guid: str, who: str, most: int) -> int:
        now, person = self._clock(), (place.installation, who)
        mine = self.kept.get(guid)
        moment = mine[3] if mine else now
        others = {key: row for key, row in self.kept.items() if (row[0], row[2]) == person}
        count = len(
            [
                key
                for key, row in others.items()
                if row[3] > moment - HOUR and key != guid
                if mine is None or (row[3], key) < (moment, guid)
            ]
        )
        if mine is None and count <= most:
            self.kept[guid] = place.installation, place.repository_id, who, now
        return count + 1


class MemoryWorkers:
    """Signs of life in a dict."""

    def __init__(self, clock) -> None:
        self.kept: dict[str, float] = {}
        self._clock = clock

    def beat(self, worker: str) -> None:
        self.kept[worker] = self._clock()

    def beats(self) -> dict[str, float]:
        return dict(self.kept)


class MemoryRecords:
    """All of it."""

    def __init__(self, clock) -> None:
        self.runs = MemoryRuns(clock)
        self.answers = MemoryAnswers()
        self.pulls = MemoryPulls(clock)
        self.people = MemoryPeople(clock)
        self.workers = MemoryWorkers(clock)

    def move(self, place: RepositoryPlace) -> None:
        number, now = place.repository_id, place.installation
        runs = self.runs
        runs.kept = {
            key: replace(run, installation=now, repository=place.repository)
            if run.repository_id == number
            else run
            for key, run in runs.kept.items()
        }
        runs.seen = {(now if it == number else owner, it) for owner, it in runs.seen}
        runs.gone = [
            (now if repository == number else owner, repository, first, last)
            for owner, repository, first, last in runs.gone
        ]
        for key, answer in self.answers.kept.items():
            if key[0] == number:
                its = replace(answer.place, installation=now, repository=place.repository)
                self.answers.kept[key] = replace(answer, place=its)
        for pull, said in self.pulls.kept.items():
            if pull[0] == number:
                said["installation"] = now
        for guid, (owner, it, who, at) in self.people.kept.items():
            self.people.kept[guid] = now if it == number else owner, it, who, at

    def erase(self, installation: int, repository_id: int | None = None) -> int:
        def is_there(found: int | None, repository: int | None) -> bool:
            return found == installation and repository_id in {None, repository}

        count = len(self.runs.take(lambda run: is_there(run.installation, run.repository_id)))
        self.runs.gone = [
            (None, None, *row[2:]) if is_there(*row[:2]) else row for row in self.runs.gone
        ]
        self.runs.seen = {place for place in self.runs.seen if not is_there(*place)}
        answers = self.answers.kept
        for key in [k for k, a in answers.items() if is_there(a.place.installation, k[0])]:
            del answers[key]
        pulls = self.pulls.kept
        for pull in [k for k, said in pulls.items() if is_there(said["installation"], k[0])]:
            del pulls[pull]
        spoken = self.people.kept
        for guid in [key for key, row in spoken.items() if is_there(*row[:2])]:
            del spoken[guid]
        return count

    def forget(self, before: float) -> int:
        count = len(self.runs.take(lambda run: _last(run) < before))
        alive = {(run.repository_id, run.number) for run in self.runs.kept.values()}
        answers, pulls = self.answers.kept, self.pulls.kept
        for key in [k for k, a in answers.items() if a.when < before and k[:2] not in alive]:
            del answers[key]
        for pull in [k for k, s in pulls.items() if s["when"] < before and k not in alive]:
            del pulls[pull]
        two_months = 62 * 24 * 3600
        self.runs.gone = [row for row in self.runs.gone if row[2] >= before - two_months]
        self.people.kept = {k: r for k, r in self.people.kept.items() if r[3] >= before}
        self.workers.kept = {n: at for n, at in self.workers.kept.items() if at >= before}
        return count

    def close(self) -> None:
        """Nothing is held."""


def _began(run: ReviewRun) -> float:
    return run.created if run.started is None else run.started


def _last(run: ReviewRun) -> float:
    return run.created if run.ended is None else run.ended


def _outlined(run: ReviewRun) -> ReviewRun:
    return replace(
        run, structure_outline=outline(run.structure), proofs_outline=outline(run.proofs)
    )


def _brief(run: ReviewRun) -> ReviewRun:
    return replace(run, structure=None, proofs=None, log=())
