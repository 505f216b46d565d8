"""A worker's upkeep: signs of life, missed deliveries, old data, dead workers.

Also closes the checks of a run that was given up, since nobody else would.
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
"""The overlap in seconds of two looks at GitHub's list, because its clock may differ."""
_QUEUED_BY_THEN = 30.0
_LIVE = frozenset((RunState.QUEUED, RunState.RUNNING))
_MOST = 1000
"""How many runs of a state are looked at; each worker has only a few."""


class Bench(Protocol):
    """The queues, for the upkeep of workers and their tasks."""

    def renew(self, worker: str | None = None) -> int:
        """Restart a worker's tasks of an older release, or with None the waiting ones; how many."""

    def take_over(self, worker: str) -> int:
        """Queue the tasks of a dead worker again; how many."""

    def at_work(self, worker: str) -> frozenset[str]:
        """The ids of the tasks that a worker is running, according to the queues."""

    def take_up(self, task: str) -> None:
        """Let a task be resumed from its current step."""

    def forget(self, before: float) -> int:
        """Delete the tasks that ended before a moment; how many."""

    def given_up(self, among: list[str]) -> list[str]:
        """Those of some tasks, by id, that ended because they were resumed too often."""


@dataclass(kw_only=True)
class Round:
    """A periodic action; `next` is its next time, in seconds of the stopwatch."""

    name: str
    every: float
    act: Callable[[], int]
    next: float = 0.0


class Rounds:
    """Runs periodic actions; one that fails is tried again at its next time."""

    def __init__(self, rounds: list[Round]) -> None:
        self._rounds = rounds

    def walk(self, now: float) -> None:
        """Run the actions that are due."""
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
        """Run until told to stop."""
        while not stop.wait(1.0):
            self.walk(stopwatch())


class Watchman:
    """Recognises dead workers by the lack of signs of life, using only its own clock.

    A sign is any value that changes. The first living worker, by name, takes over the tasks of the
    dead, so that only one does. `busy` returns the tasks of this process's threads.
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
        """Give this worker's sign of life."""
        self._records.workers.beat(self._me)
        return 0

    def look(self) -> int:
        """Take over the tasks of dead workers, if this worker is the first; how many.

        This includes tasks of an older release: those that this worker had then, and waiting ones.
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
        """Resume the tasks that belong to this worker but run in no thread; how many.

        A thread ends if the database cannot store a step. A task counts only if two looks in a row
        find it so, because it may be about to begin or to end.
        """
        idle = self._bench.at_work(self._me) - self._busy()
        dropped, self._idle = idle & self._idle, idle
        for task in sorted(dropped):
            self._bench.take_up(task)
        return len(dropped)


class Household:
    """Fetches, hands on and forgets."""

    def __init__(self, means: WorkerContext, *, intake: Intake, bench: Bench) -> None:
        self._means, self._intake, self._bench = means, intake, bench
        self._fetched: float | None = None

    def hand_on(self) -> int:
        """Hand on the deliveries that a crash left stored but not handed on."""
        return self._intake.hand_on(self._means.clock() - _QUEUED_BY_THEN)

    def fetch(self) -> int:
        """Fetch deliveries missed since the last look, or at first since both sides store them."""
        now = self._means.clock()
        longest = min(KEPT_BY_GITHUB, self._means.settings.days_kept * _DAY)
        since = now - longest if self._fetched is None else self._fetched - _OVERLAP
        count = self._intake.fetch(since)
        self._fetched = now
        return count

    def forget(self) -> int:
        """Delete data older than the retention time."""
        before = self._means.clock() - self._means.settings.days_kept * _DAY
        means = self._means
        runs, deliveries = means.records.forget(before), means.deliveries.forget(before)
        return runs + deliveries + self._bench.forget(before) + self._tidied()

    def settle(self) -> int:
        """Mark runs that are not resumed any more as failed; how many.

        Either they or a common cause ended the workers. A task of its own reports that beside the
        commit; its id is fixed, so queueing it again after a crash here is harmless.
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
        """Erase this machine's data of repositories that have no runs any more.

        Another machine may have received the order to erase them.
        """
        runs, reviewer = self._means.records.runs, self._means.reviewer
        gone = [it for it in reviewer.places() if not runs.latest(1, repository_id=it)]
        for place in gone:
            reviewer.erase(place)
        return len(gone)


NOTE = "gave up after repeated interruptions"


def tell(job: TellEnd, durable: Durable, means: WorkerContext) -> str:
    """Report a run that was given up, unless a later run has reported on the commit."""
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
    """Whether no later run has reported on the commit."""
    since = means.records.runs.of_commit(
        run.repository_id, head, 1, number=run.number, states=frozenset(RunState) - MUTE
    )
    return all(item.id == run.id or item.created < run.created for item in since)


def _speaker(
    run: ReviewRun, place: RepositoryPlace, means: WorkerContext
) -> tuple[Running, str | None]:
    """What reports in place of a run, and the commit; None if nobody waits for a report."""
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
