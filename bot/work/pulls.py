"""The review of a pull request: looked up, read without a model, told, read, told.

Results are kept before they are told, and whatever is told is told to the head that was reviewed.
"""

import logging
from dataclasses import asdict
from functools import partial
from typing import Any

from bot.forge import PROOFS, STRUCTURE, Check, Pull
from bot.runs import State
from bot.work.job import ReviewPull
from bot.work.means import Means, Subject
from bot.work.running import NO_MODEL, Running
from bot.work.steps import Durable, EndError, Steps
from bot.work.task import prefix
from pfcore.errors import IncompleteError

FORK = (
    "This pull request comes from a fork. Its proofs are read when a maintainer has looked at it "
    "and says `/pf check`."
)
_log = logging.getLogger(__name__)


def review(job: ReviewPull, durable: Durable, means: Means) -> str:
    """Do all of it; the sentence says what came of it."""
    if job.is_closing:
        return "closed"  # it had its effect when it waited: the review before it ended
    return _Review(job, durable, means).run()


class _Review:
    """One run; `told` are the checks that say something, which is not always the last word."""

    def __init__(self, job: ReviewPull, durable: Durable, means: Means) -> None:
        self._job, self._means = job, means
        self._running = Running(means, job.place, id_=durable.id, key=f"pull/{job.number}")
        self._steps = Steps(
            durable, patience=means.patience, guard=self._guard, log=self._running.log
        )
        self._head = job.head
        self._is_known: dict[str, bool] = {}

    def run(self) -> str:
        self._steps.finish("begin", self._begin)
        try:
            note, state = self._reviewed()
        except EndError as end:
            note, state = end.message, end.state
            self._tell_end(note, state)
        self._steps.finish("end", lambda: self._running.end(note, state))
        _log.info("a run ended", extra={"run": self._running.id, "state": state.value})
        return note

    def _reviewed(self) -> tuple[str, State]:
        do = self._steps.do
        pull = self._current()
        self._head = pull.head
        structure = do("structure", lambda: self._structure(pull))
        do("tell structure", self._tell_structure)
        self._is_known[STRUCTURE] = True
        plan = do("plan", lambda: self._plan(pull, is_readable=structure["is_readable"]))
        if plan["is_read"]:
            self._is_known[PROOFS] = False
            do("announce", self._tell_waiting)
            do("proofs", lambda: self._proofs(pull, structure["base"]))
        do("tell comments", lambda: self._tell_comments(plan["why"]))
        do("tell proofs", lambda: self._tell_proofs(plan["why"]))
        return (plan["why"], State.WAITING) if plan["why"] == FORK else (plan["why"], State.DONE)

    # What is there.

    def _begin(self) -> None:
        job = self._job
        self._running.begin(number=job.number, head=job.head or "", reason=job.reason)

    def _current(self) -> Pull:
        """The pull request; where GitHub tells of another head, it is asked once more."""
        pull = Pull(**self._steps.do("look", self._look))
        if self._is_other(pull):
            self._steps.sleep(self._means.lag)
            pull = Pull(**self._steps.do("look again", self._look))
        if self._is_other(pull):
            raise EndError("another head is there now", State.SUPERSEDED)
        return pull

    def _is_other(self, pull: Pull) -> bool:
        return self._job.head is not None and pull.head != self._job.head

    def _look(self) -> dict[str, Any]:
        pull = self._running.forge().pull(self._job.number)
        reason = self._why_not(pull)
        if reason:
            raise EndError(reason, State.SKIPPED)
        return asdict(pull)

    def _why_not(self, pull: Pull) -> str | None:
        """Why there is nothing to do."""
        place, records = self._job.place, self._means.records
        if not self._means.settings.serves(place.account):
            return "the account is not among those that are served"
        if not pull.is_open:
            return "the pull request is closed"
        if self._job.is_demand:
            return None
        if pull.is_draft:
            return "a draft is not reviewed"
        if records.pulls.is_paused(place.repository_id, pull.number):
            return "the reviews of this pull request are paused"
        if self._is_other(pull):
            return None  # whether GitHub or the delivery is late is seen in a moment
        runs = records.runs.of_pull(place.repository_id, pull.number)
        others = [run for run in runs if run.id != self._running.id and run.head == pull.head]
        if any(run.state in (State.DONE, State.WAITING) for run in others):
            return "this head was reviewed before"
        return None

    def _guard(self) -> None:
        """End the run where another one is to take its place.

        What waits may be about an older head, as deliveries come in any order: GitHub knows.
        """
        waiting = self._means.tasks.waiting(prefix(self._job.place, self._job.number))
        found = [job for job in waiting if isinstance(job, ReviewPull)]
        if any(job.is_demand for job in found):
            raise EndError("somebody asked for another review", State.SUPERSEDED)
        if any(job.is_closing or job.head != self._head for job in found):
            self._require_current()

    def _require_current(self) -> None:
        pull = self._running.forge().pull(self._job.number)
        if self._head is not None and pull.head != self._head:
            raise EndError("another head is there now", State.SUPERSEDED)
        if not pull.is_open:
            raise EndError("the pull request was closed", State.SUPERSEDED)

    # What is found.

    def _structure(self, pull: Pull) -> dict[str, Any]:
        forge = self._running.forge()
        base = forge.merge_base(pull.base, pull.head)
        found = self._means.reading.structure(self._subject(pull, base), forge.origin())
        runs = self._means.records.runs
        runs.change(self._running.id, structure=found.saved, head=pull.head, base=base)
        return {"base": base, "is_readable": found.is_readable}

    def _plan(self, pull: Pull, *, is_readable: bool) -> dict[str, Any]:
        """Whether proofs are read, and if not, why."""
        place, means = self._job.place, self._means
        agreed = means.records.pulls.agreed(place.repository_id, pull.number)
        if not is_readable:
            return {"is_read": False, "why": ""}
        if not means.reading.has_model:
            return {"is_read": False, "why": NO_MODEL}
        if pull.is_fork and agreed != pull.head:
            return {"is_read": False, "why": FORK}
        return {"is_read": True, "why": ""}

    def _proofs(self, pull: Pull, base: str) -> None:
        saved = self._running.read(self._subject(pull, base), self._is_wanted)
        self._guard()
        self._means.records.runs.change(self._running.id, proofs=saved)

    def _is_wanted(self) -> bool:
        try:
            self._guard()
        except EndError:
            return False
        except IncompleteError:  # who cannot be asked now is asked again in a moment
            return True
        return True

    def _subject(self, pull: Pull, base: str) -> Subject:
        place = self._job.place
        return Subject(
            place=place,
            base=base,
            head=pull.head,
            trusted=pull.base,
            answers=tuple(self._means.records.answers.of(place.repository_id, pull.number)),
            again=self._job.again,
        )

    # What is told.

    def _tell_structure(self) -> None:
        self._require_current()
        structure, _ = self._running.results()
        self._running.conclude(self._means.reading.structure_check(structure))

    def _tell_waiting(self) -> None:
        self._require_current()
        self._running.conclude(self._means.reading.waiting_check(self._running.results()[0]))

    def _tell_proofs(self, unread: str) -> None:
        self._require_current()
        structure, proofs = self._running.results()
        self._running.conclude(self._means.reading.proofs_check(structure, proofs, unread=unread))

    def _tell_comments(self, unread: str) -> None:
        self._require_current()
        structure, proofs = self._running.results()
        forge, number = self._running.forge(), self._job.number
        existing = forge.comments(number)
        changes = self._means.reading.changes(structure, proofs, existing, unread=unread)
        forge.change(number, self._head or "", changes)

    def _tell_end(self, note: str, state: State) -> None:
        """Say beside the commit that there was no review, if people may wait for one."""
        if self._head is None:
            return
        if state is State.FAILED:
            names = [name for name in (STRUCTURE, PROOFS) if not self._is_known.get(name)]
        else:
            names = [name for name, is_known in self._is_known.items() if not is_known]
        try:
            for name in names:
                tell = partial(self._tell_none, name, note, state)
                self._steps.finish(f"tell the end of {name}", tell)
        except EndError:
            _log.error("the end of a run could not be told", extra={"run": self._running.id})

    def _tell_none(self, name: str, note: str, state: State) -> None:
        is_failed = state is State.FAILED
        check = Check(
            name=name,
            head=self._head or "",
            key="",
            title="could not be reviewed" if is_failed else "superseded",
            summary=f"{note}\n\nSay `/pf check` for another try." if is_failed else note,
            conclusion="failure" if is_failed else "cancelled",
        )
        self._running.conclude(check)
