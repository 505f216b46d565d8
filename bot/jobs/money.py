"""What a run uses and what it may use, written down while it goes on: a crash forgets seconds."""

from collections.abc import Callable
from datetime import UTC, datetime

from bot.domain.run_records import ReviewRun
from bot.domain.worker_context import ReaderUsage, SpendingTerms, WorkerContext

_EVERY = 2.0
"""Seconds between two looks: a reader tells of each of its many calls."""
_MUCH = 0.05
"""Dollars that are written down at once: runs side by side see only what is."""


class Money:
    """The money of one run; `is_wanted` is asked now and then whether there is a use in more."""

    def __init__(self, means: WorkerContext, run: ReviewRun, is_wanted: Callable[[], bool]) -> None:
        self._means, self._run, self._is_wanted = means, run, is_wanted
        self._used = self._kept = ReaderUsage()
        self._last, self._is_over = means.clock(), False

    def terms(self) -> SpendingTerms:
        """What a reader has to keep to."""
        return SpendingTerms(
            today=self._today,
            left=self._left,
            spent=self._run.dollars,
            note=self._note,
            is_over=lambda: self._is_over,
        )

    @property
    def used(self) -> ReaderUsage:
        """What was used."""
        return self._used

    def keep(self) -> None:
        """Write down what was used."""
        run, used = self._run, self._used
        self._means.records.runs.change(
            run.id,
            calls=run.calls + used.calls,
            input_tokens=run.input_tokens + used.input_tokens,
            output_tokens=run.output_tokens + used.output_tokens,
            dollars=run.dollars + used.dollars,
        )
        self._kept = used

    def _note(self, used: ReaderUsage) -> None:
        self._used = used
        if abs(self._means.clock() - self._last) >= _EVERY:
            self.keep()
            self._is_over = self._is_over or not self._is_wanted()
            self._last = self._means.clock()
        elif used.dollars - self._kept.dollars >= _MUCH:
            self.keep()

    def _today(self) -> float:
        runs = self._means.records.runs
        return runs.spent(_day(self._means.clock()), self._run.repository_id) - self._own()

    def _left(self) -> float:
        runs, caps = self._means.records.runs, self._means.settings.caps
        since = _month(self._means.clock())
        own = self._own()
        here = caps.repository - (runs.spent(since, self._run.repository_id) - own)
        return max(0.0, min(here, caps.month - (runs.spent(since) - own)))

    def _own(self) -> float:
        """What stands in the records of this run."""
        return self._run.dollars + self._kept.dollars


def _day(now: float) -> float:
    moment = datetime.fromtimestamp(now, UTC)
    return moment.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()


def _month(now: float) -> float:
    return datetime.fromtimestamp(_day(now), UTC).replace(day=1).timestamp()
