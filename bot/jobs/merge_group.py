"""The review of a merge queue's commit, compared with the one before it.

A queue waits for the required checks, so each group that may touch a paper gets them, always with
a conclusion. There are only checks, no comments: people look at pull requests.
"""

import logging
from typing import Any

from bot.domain.durable_steps import Durable, EndError, Steps
from bot.domain.job import ReviewGroup
from bot.domain.review_result import Reach
from bot.domain.run_records import RunState
from bot.domain.webhooks import QUEUE
from bot.domain.worker_context import ReviewSubject, WorkerContext
from bot.jobs.check_owner import GROUP, CheckPlace
from bot.jobs.pull_request import NO_PAPER
from bot.jobs.run_lifecycle import Running
from pfcore.reporters.printing import safe, shortened

KEY = GROUP
AGAIN = "To retry, re-run this check or add the pull request to the queue again."

_log = logging.getLogger(__name__)


def review_group(job: ReviewGroup, durable: Durable, means: WorkerContext) -> str:
    """Review the group; the sentence says how that ended."""
    return _GroupRun(job, durable, means).run()


def target(branch: str) -> str:
    """The branch that a group will be merged into, taken from the name of the queue's branch."""
    return branch.removeprefix(QUEUE).rpartition("/")[0]


class _GroupRun:
    """One run."""

    def __init__(self, job: ReviewGroup, durable: Durable, means: WorkerContext) -> None:
        self._job, self._means = job, means
        self._running = Running(means, job.place, id_=durable.id, key=KEY, again=AGAIN)
        self._running.whose = lambda: CheckPlace(is_only=True)
        self._steps = Steps(durable, patience=means.patience, log=self._running.log)

    def run(self) -> str:
        self._steps.finish("begin", self._begin)
        try:
            self._reviewed()
            note, state = "", RunState.DONE
        except EndError as end:
            note, state = end.message, end.state
            self._running.tell_end(self._steps, self._job.head, note, state)
        self._steps.finish("end", lambda: self._running.end(note, state))
        _log.info("a run ended", extra={"run": self._running.id, "state": state.value})
        return note

    def _begin(self) -> None:
        job = self._job
        self._running.begin(
            head=job.head,
            base=job.base,
            branch=job.branch,
            reason=f"merge queue of {shortened(safe(job.base_ref), 100)}",
        )

    def _reviewed(self) -> None:
        do, has_model = self._steps.do, self._means.reviewer.has_model
        if not self._means.settings.serves(self._job.place.account):
            raise EndError("this account is not enabled", RunState.SKIPPED)
        trusted = do("look", self._trusted)
        found = do("structure", lambda: self._structure(trusted))
        if found["is_absent"]:
            raise EndError(NO_PAPER, RunState.SKIPPED)
        reads = has_model and found["is_readable"]
        reach = Reach.DONE if has_model else Reach.NONE
        first = Reach.PENDING if reads else reach
        self._running.begin_to_tell(first)
        do("tell structure", lambda: self._running.tell_checks(first))
        self._running.know(first)
        reason, head = "a merge queue has the same commit", self._job.head
        do("strangers", lambda: self._running.ask_strangers(head, reason))
        if reads:
            do("proofs", lambda: self._proofs(trusted))
            do("tell proofs", lambda: self._running.tell_checks(reach))

    def _trusted(self) -> str:
        """The commit whose settings count; the group before this one is not merged yet."""
        return self._running.forge().tip(self._job.base_ref) or self._job.base

    def _structure(self, trusted: str) -> dict[str, Any]:
        found = self._means.reviewer.structure(
            self._subject(trusted), self._running.forge().origin()
        )
        self._means.records.runs.change(self._running.id, structure=found.saved)
        return {"is_readable": found.is_readable, "is_absent": found.is_absent}

    def _proofs(self, trusted: str) -> None:
        saved, _ = self._running.read(self._subject(trusted), lambda: True)
        self._means.records.runs.change(self._running.id, proofs=saved)

    def _subject(self, trusted: str) -> ReviewSubject:
        job = self._job
        return ReviewSubject(
            place=job.place, number=None, base=job.base, head=job.head, trusted=trusted
        )
