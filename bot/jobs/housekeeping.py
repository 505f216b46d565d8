"""What a worker sees to beside its work: signs of life, what was missed, what is old, the dead.

What is said beside its commit of a run that was given up: nobody else would close its checks.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import Protocol

from bot.domain.durable_steps import Durable, EndError, Steps
from bot.domain.events import RepositoryPlace
from bot.domain.forge import PullRequest
from bot.domain.job import TellEnd, end
from bot.domain.run_records import MUTE, Records, ReviewRun, RunState
from bot.domain.webhooks import QUEUE
from bot.domain.worker_context import WorkerContext
from bot.jobs import merge_group, pull_request, push
from bot.jobs.check_owner import GROUP, CheckPlace, check_place, key
from bot.jobs.deliver import KEPT_BY_GITHUB, Intake
from bot.jobs.run_lifecycle import Running
from pfcore.domain.errors import PfError

_log = logging.getLogger(__name__)
_DAY = 24 * 3600.0
_OVERLAP = 900.0
"""Seconds that two looks at GitHub's list have in common: its clock may be another one."""
_QUEUED_BY_THEN = 30.0
_LIVE = frozenset((RunState.QUEUED, RunState.RUNNING))
_MOST = 1000
"""Runs in a state that are looked at: at work are a few for each worker."""


class Bench(Protocol):
    """The tasks at work, as whoever keeps order among the workers sees them."""

    def renew(self, worker: str | None = None) -> int:
        """Begin anew what a worker was at in an older release, or None: what waits; how much."""

    def take_over(self, worker: str) -> int:
        """Let others do what a dead worker was at; how much it was."""

    def at_work(self, worker: str) -> frozenset[str]:
        """The tasks that a worker is at, as far as the queues know, by their ids."""

    def take_up(self, task: str) -> None:
        """Let a task be taken up again from the step that it is at."""

    def forget(self, before: float) -> int:
        """Forget what was done before a moment; how much."""

    def given_up(self, among: list[str]) -> list[str]:
        """Those of some tasks, by their ids, that were taken up so often that it ended there."""


@dataclass(kw_only=True)
class Round:
    """Something that is to be done now and then; `next` is when, in seconds of the stopwatch."""

    name: str
    every: float
    act: Callable[[], int]
    next: float = 0.0


class Rounds:
    """Does what is due; what fails is done again when it is due again."""

    def __init__(self, rounds: list[Round]) -> None:
        self._rounds = rounds

    def walk(self, now: float) -> None:
        """Do what is due."""
        for item in self._rounds:
            if item.next > now:
                continue
            item.next = now + item.every
            try:
                count = item.act()
            except PfError as error:
                _log.warning(
                    "upkeep failed", extra={"what": item.name, "error": type(error).__name__}
                )
            except Exception:  # noqa: BLE001 - the entry point of the thread: else all rounds end
                _log.exception("unexpected error in upkeep")
            else:
                if count:
                    _log.info("upkeep", extra={"what": item.name, "count": count})

    def until(self, stop: Event, stopwatch: Callable[[], float]) -> None:
        """Go on until told to stop."""
        while not stop.wait(1.0):
            self.walk(stopwatch())


class Watchman:
    """Tells the dead from the living by their signs of life, by no clock but its own.

    A sign is any value that changes. The first of the living, by name, takes over what the dead
    were at: one does it, whatever clocks say. `busy` are the tasks that threads here are at.
    """

    def __init__(
        self,
        me: str,
        *,
        records: Records,
        bench: Bench,
        stopwatch: Callable[[], float],
        busy: Callable[[], frozenset[str]] = frozenset,
        patience: float = 60.0,
    ) -> None:
        self._me, self._records, self._bench, self._busy = me, records, bench, busy
        self._idle = frozenset[str]()
        self._stopwatch, self._patience = stopwatch, patience
        self._seen: dict[str, tuple[float, float]] = {}

    def beat(self) -> int:
        """Say that this worker lives."""
        self._records.workers.beat(self._me)
        return 0

    def look(self) -> int:
        """Take over what the dead were at, if that falls to this worker; how much it was.

        What an older release has left to do is among it: what this worker was at then, and what
        waits.
        """
        now, own = self._stopwatch(), self._bench.renew(self._me) + self._dropped()
        signs = self._records.workers.beats()
        for worker, sign in signs.items():
            if self._seen.get(worker, (None, 0.0))[0] != sign:
                self._seen[worker] = sign, now
        dead = [name for name in signs if now - self._seen[name][1] >= self._patience]
        living = {self._me, *(name for name in signs if name not in dead)}
        if self._me != min(living):
            return own
        taken = sum(self._bench.take_over(name) for name in dead if name != self._me)
        return own + taken + self._bench.renew()

    def _dropped(self) -> int:
        """Take up again what this worker has and no thread of it is at; how much.

        A database that could not keep a step ends a thread. Two looks in a row have to see it: a
        task may be about to begin, or to end.
        """
        idle = self._bench.at_work(self._me) - self._busy()
        dropped, self._idle = idle & self._idle, idle
        for task in sorted(dropped):
            self._bench.take_up(task)
        return len(dropped)


class Household:
    """What is fetched, handed on and forgotten."""

    def __init__(self, means: WorkerContext, *, intake: Intake, bench: Bench) -> None:
        self._means, self._intake, self._bench = means, intake, bench
        self._fetched: float | None = None

    def hand_on(self) -> int:
        """Hand on what a crash left between keeping and handing on."""
        return self._intake.hand_on(self._means.clock() - _QUEUED_BY_THEN)

    def fetch(self) -> int:
        """Take what did not reach us since the last look, or as long as both sides remember."""
        now = self._means.clock()
        longest = min(KEPT_BY_GITHUB, self._means.settings.days_kept * _DAY)
        since = now - longest if self._fetched is None else self._fetched - _OVERLAP
        count = self._intake.fetch(since)
        self._fetched = now
        return count

    def forget(self) -> int:
        """Forget what is older than the days that data are kept."""
        before = self._means.clock() - self._means.settings.days_kept * _DAY
        means = self._means
        runs, deliveries = means.records.forget(before), means.deliveries.forget(before)
        return runs + deliveries + self._bench.forget(before) + self._tidied()

    def settle(self) -> int:
        """Let runs that nobody takes up any more be failed ones; how many.

        It was they, or something that befell all tasks at once, that ended the workers. A task of
        its own says so beside the commit: one that is put again after a crash here is the same.
        """
        runs = self._means.records.runs
        live = [run for state in _LIVE for run in runs.latest(_MOST, state=state)]
        lost = set(self._bench.given_up([run.id for run in live]))
        return sum(self._given_up(run) for run in live if run.id in lost)

    def _given_up(self, run: ReviewRun) -> bool:
        self._means.tasks.put(end(run))
        return self._means.records.runs.change(
            run.id, only=_LIVE, state=RunState.FAILED, note=NOTE, ended=self._means.clock()
        )

    def _tidied(self) -> int:
        """Erase what this machine keeps of repositories of which there is no run any more.

        Another machine may have been told to erase them.
        """
        runs, reviewer = self._means.records.runs, self._means.reviewer
        gone = [it for it in reviewer.places() if not runs.latest(1, repository_id=it)]
        for place in gone:
            reviewer.erase(place)
        return len(gone)


NOTE = "gave up after repeated interruptions"


def tell(job: TellEnd, durable: Durable, means: WorkerContext) -> str:
    """Say it, unless another run has spoken of the commit since; the sentence says which."""
    steps = Steps(durable, patience=means.patience)
    try:
        return str(steps.do("tell", lambda: _told(job, means)))
    except EndError as end:
        return end.message


def _told(job: TellEnd, means: WorkerContext) -> str:
    run = means.records.runs.get(job.run)
    if run is None:
        raise EndError("its data was deleted in the meantime", RunState.SKIPPED)
    running, head = _speaker(run, job.place, means)
    if head is None:
        running.let_go(run.head, f"{NOTE}. {push.AGAIN}")
    if head is None or not is_last(means, run, head):
        return "reviewed elsewhere"
    running.tell_rest(run, head, NOTE)
    return "told"


def is_last(means: WorkerContext, run: ReviewRun, head: str) -> bool:
    """Whether no run has spoken of the commit since."""
    since = means.records.runs.of_commit(
        run.repository_id, head, 1, number=run.number, states=frozenset(RunState) - MUTE
    )
    return all(item.id == run.id or item.created < run.created for item in since)


def _speaker(
    run: ReviewRun, place: RepositoryPlace, means: WorkerContext
) -> tuple[Running, str | None]:
    """Who speaks in place of a run, and of which commit; None where nobody waits for a word."""
    forge = means.hub.forge(place.installation, place.repository, place.repository_id)
    if run.number is not None:
        pull: PullRequest = forge.pull(run.number)
        name, again = key(run.number), pull_request.AGAIN
        running = Running(means, place, id_=run.id, key=name, again=again)
        running.whose = lambda: check_place(forge, pull, place, means)
        return running, run.head or pull.head
    if (run.branch or "").startswith(QUEUE):
        running = Running(means, place, id_=run.id, key=GROUP, again=merge_group.AGAIN)
        running.whose = lambda: CheckPlace(is_only=True)
        return running, run.head
    running = Running(means, place, id_=run.id, key=push.KEY, again=push.AGAIN)
    running.whose = lambda: CheckPlace(is_only=True)
    tip = forge.default_branch().tip
    is_wanted = means.reviewer.asked_of_app(place, tip, forge.origin()).every_branch
    is_told = is_wanted and push.head_of(forge, run.head) is None
    return running, run.head if is_told else None
