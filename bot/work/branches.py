"""What a push to a branch affects: read ahead on the default branch, checked where it is wanted.

What is read on the default branch costs nothing again in any pull request.
"""

import logging
from typing import Any

from bot.forge import Branch
from bot.runs import State
from bot.told import Reach
from bot.work.job import ReviewBranch
from bot.work.means import Means, Subject
from bot.work.running import Running
from bot.work.steps import Durable, EndError, Steps
from pfcore.report.plain import safe, shortened

_log = logging.getLogger(__name__)


def read(job: ReviewBranch, durable: Durable, means: Means) -> str:
    """Do all of it; the sentence says what came of it."""
    return _Reading(job, durable, means).run()


class _Reading:
    """One run."""

    def __init__(self, job: ReviewBranch, durable: Durable, means: Means) -> None:
        self._job, self._means = job, means
        self._turn = durable.id.partition(":")[0] + ":"
        self._running = Running(means, job.place, id_=durable.id, key="push")
        self._steps = Steps(
            durable, patience=means.patience, guard=self._guard, log=self._running.log
        )

    def run(self) -> str:
        try:
            note, state = self._read()
        except EndError as end:
            note, state = end.message, end.state
        self._steps.finish("end", lambda: self._running.end(note, state))
        _log.info("a run ended", extra={"run": self._running.id, "state": state.value})
        return note

    def _read(self) -> tuple[str, State]:
        do, job = self._steps.do, self._job
        seen = do("look", self._look)
        subject = self._subject(seen["trusted"], seen["base"])
        structure = do("structure", lambda: self._structure(subject))
        is_told = structure["is_wanted"]
        if not is_told and not job.is_default:
            return "no check of this branch is wanted", State.SKIPPED
        has_model = self._means.reviewer.has_model
        is_read = structure["is_readable"] and has_model
        reach = Reach.DONE if has_model else Reach.NONE
        if is_told:
            first = Reach.PENDING if is_read else reach
            do("tell structure", lambda: self._running.tell_checks(first))
        if is_read:
            do("proofs", lambda: self._proofs(subject))
        if is_told:
            do("tell proofs", lambda: self._running.tell_checks(reach))
        return "", State.DONE

    def _guard(self) -> None:
        """End the run where the branch has moved on."""
        if self._means.tasks.waiting(self._turn):
            raise EndError("the branch has moved on", State.SUPERSEDED)

    def _look(self) -> dict[str, Any]:
        """The commit whose settings count, the tip of the default branch; and what to compare with.

        That is what the default branch was before, and of others where they parted from it: two
        checks of a commit, of its push and of its pull request, are to say the same.
        """
        job, place = self._job, self._job.place
        if not self._means.settings.serves(place.account):
            raise EndError("the account is not among those that are served", State.SKIPPED)
        forge = self._running.forge()
        default: Branch = forge.default_branch()
        base = job.before if job.is_default else forge.merge_base(default.tip, job.after)
        return {"trusted": default.tip, "base": base}

    def _structure(self, subject: Subject) -> dict[str, Any]:
        found = self._means.reviewer.structure(subject, self._running.forge().origin())
        if found.is_wanted or self._job.is_default:
            self._begin(subject.base or "")
            self._means.records.runs.change(self._running.id, structure=found.saved)
        return {"is_readable": found.is_readable, "is_wanted": found.is_wanted}

    def _begin(self, base: str) -> None:
        job = self._job
        self._running.begin(
            head=job.after,
            base=base,
            branch=job.branch,
            is_default=job.is_default,
            reason=f"push to {shortened(safe(job.branch), 100)}",
        )

    def _proofs(self, subject: Subject) -> None:
        saved = self._running.read(subject, self._is_wanted)
        self._guard()
        self._means.records.runs.change(self._running.id, proofs=saved)

    def _is_wanted(self) -> bool:
        return not self._means.tasks.waiting(self._turn)

    def _subject(self, trusted: str, base: str | None) -> Subject:
        job = self._job
        return Subject(place=job.place, number=None, base=base, head=job.after, trusted=trusted)
