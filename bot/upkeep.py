"""What a worker sees to beside its work: signs of life, what was missed, what is old, the dead."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import Protocol

from bot.deliveries import Deliveries
from bot.intake import Intake
from bot.runs import Records
from pfcore.errors import PfError

_log = logging.getLogger(__name__)
_DAY = 24 * 3600.0
_KEPT_BY_GITHUB = 3 * _DAY
"""How long GitHub remembers what it has delivered."""
_OVERLAP = 900.0
"""Seconds that two looks at GitHub's list have in common: its clock may be another one."""
_QUEUED_BY_THEN = 30.0


class Bench(Protocol):
    """The tasks at work, as whoever keeps order among the workers sees them."""

    def take_over(self, worker: str) -> int:
        """Let others do what a dead worker was at; how much it was."""

    def forget(self, before: float) -> int:
        """Forget what was done before a moment; how much."""


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
    were at: one does it, whatever clocks say.
    """

    def __init__(
        self,
        me: str,
        *,
        records: Records,
        bench: Bench,
        stopwatch: Callable[[], float],
        patience: float = 60.0,
    ) -> None:
        self._me, self._records, self._bench = me, records, bench
        self._stopwatch, self._patience = stopwatch, patience
        self._seen: dict[str, tuple[float, float]] = {}

    def beat(self) -> int:
        """Say that this worker lives."""
        self._records.workers.beat(self._me)
        return 0

    def look(self) -> int:
        """Take over what the dead were at, if that falls to this worker; how much it was."""
        now = self._stopwatch()
        signs = self._records.workers.beats()
        for worker, sign in signs.items():
            if self._seen.get(worker, (None, 0.0))[0] != sign:
                self._seen[worker] = sign, now
        dead = [name for name in signs if now - self._seen[name][1] >= self._patience]
        living = {self._me, *(name for name in signs if name not in dead)}
        if self._me != min(living):
            return 0
        return sum(self._bench.take_over(name) for name in dead if name != self._me)


class Household:
    """What is fetched, handed on and forgotten."""

    def __init__(
        self,
        *,
        intake: Intake,
        records: Records,
        deliveries: Deliveries,
        bench: Bench,
        clock: Callable[[], float],
        days_kept: int,
    ) -> None:
        self._intake, self._records, self._deliveries = intake, records, deliveries
        self._bench, self._clock, self._days = bench, clock, days_kept
        self._fetched: float | None = None

    def hand_on(self) -> int:
        """Hand on what a crash left between keeping and handing on."""
        return self._intake.hand_on(self._clock() - _QUEUED_BY_THEN)

    def fetch(self) -> int:
        """Take what did not reach us since the last look, or as long as GitHub remembers."""
        now = self._clock()
        since = now - _KEPT_BY_GITHUB if self._fetched is None else self._fetched - _OVERLAP
        count = self._intake.fetch(since)
        self._fetched = now
        return count

    def forget(self) -> int:
        """Forget what is older than the days that data are kept."""
        before = self._clock() - self._days * _DAY
        runs, deliveries = self._records.forget(before), self._deliveries.forget(before)
        return runs + deliveries + self._bench.forget(before)
