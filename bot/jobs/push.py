"""Reviews of pushes: the default branch is read ahead, other branches are checked if wanted.

Proofs read on the default branch cost nothing again in any pull request. If a commit is the head of
an open pull request, a push reports nothing on it, and its earlier report gives way to the pull
request's checks. So a commit has one check of each name, a pause also holds for pushes, and the
branch that counts is the one that people want to merge into. Pull requests from forks are
different: no push gives way to them, and those that had the names of its checks get names of their
own.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from itertools import filterfalse
from typing import Any

from bot.domain.durable_steps import Durable, EndError, Steps
from bot.domain.forge import STRUCTURE, DefaultBranch, Forge, GoneError
from bot.domain.job import ReviewBranch, ReviewPull, review
from bot.domain.review_result import Reach, outline
from bot.domain.run_records import ReviewRun, RunState
from bot.domain.webhooks import QUEUE
from bot.domain.worker_context import ReviewSubject, WorkerContext
from bot.jobs import review_key
from bot.jobs.check_owner import PUSH, CheckPlace
from bot.jobs.run_lifecycle import Running
from pfcore.reporters.formats.publication import Conclusion
from pfcore.reporters.printing import safe, shortened

KEY = PUSH
AGAIN = "Re-run this check to retry."
_EARLIER = 20
"""How many runs of a commit, or of the default branch, are looked at."""
_RE_RUN = "re-run of "
"""The start of the reason of a run that a person asked for."""
_GIVEN = "This is now the head of #{pull}; see its review, or re-run this check."

_log = logging.getLogger(__name__)


def read_branch(job: ReviewBranch, durable: Durable, means: WorkerContext) -> str:
    """Review the push; the sentence says how that ended."""
    return _BranchRun(job, durable, means).run()


def head_of(forge: Forge, commit: str, branch: str | None = None) -> int | None:
    """The open pull request of this repository with this head, if one is reviewed.

    With `branch`, also one from that branch, since GitHub may be late to report its head.
    """
    for pull in forge.pulls():
        is_its = pull.head == commit or pull.branch == branch
        if is_its and not pull.is_fork and not pull.is_draft:
            return pull.number
    return None


_ENDED = frozenset((RunState.DONE, RunState.SUPERSEDED, RunState.FAILED))
"""The states of an ended run that had to report on its push."""


def _is_complete(run: ReviewRun) -> bool:
    """Whether everything in a run was looked at."""
    halves = run.structure_outline, run.proofs_outline
    is_cut = any(half and half.conclusion is Conclusion.INCOMPLETE for half in halves)
    is_read = run.proofs_outline is None or run.proofs_outline.is_read
    return run.state is RunState.DONE and is_read and not is_cut


def _is_mere_re_run(run: ReviewRun) -> bool:
    """Whether a person had a commit reviewed again, without reading its whole paper."""
    return run.reason.startswith(_RE_RUN) and (bool(run.base) or not _is_complete(run))


class _BranchRun:
    """One run; `is_told`: it reports on its commit."""

    def __init__(self, job: ReviewBranch, durable: Durable, means: WorkerContext) -> None:
        self._job, self._means = job, means
        self._turn = durable.id.partition(":")[0] + ":"
        self._running = Running(means, job.place, id_=durable.id, key=KEY, again=AGAIN)
        self._steps = Steps(
            durable, patience=means.patience, guard=self._guard, log=self._running.log
        )
        self._is_told = self._has_issue = False

    def run(self) -> str:
        try:
            note, state = self._read()
        except EndError as end:
            note, state = end.message, end.state
            if self._is_told:
                self._running.tell_end(self._steps, self._job.after, note, state)
        self._steps.finish("end", lambda: self._end(note, state))
        _log.info("a run ended", extra={"run": self._running.id, "state": state.value})
        return note

    def _end(self, note: str, state: RunState) -> None:
        """Store the end of the run, even of one that never began, if there is none before it.

        The next push is then compared with what this run would have been compared with.
        """
        job, runs = self._job, self._means.records.runs
        is_asked = job.is_default and not job.is_demand and state in _ENDED
        is_served = is_asked and self._means.settings.serves(job.place.account)
        if is_served and not runs.on_default(job.place.repository_id, 1, states=_ENDED):
            self._begin(job.before or "")
        self._running.end(note, state)

    def _read(self) -> tuple[str, RunState]:
        if not self._job.is_demand:
            self._steps.do("pulls", self._ask_for_pulls)
        seen = self._steps.do("look", self._look)
        self._is_told, self._has_issue = seen["is_told"], seen.get("has_issue", False)
        self._running.whose = lambda: CheckPlace(is_only=True)
        subject = self._subject(seen["trusted"], seen["base"])
        is_readable = self._steps.do("structure", lambda: self._structure(subject))
        has_model = self._means.reviewer.has_model
        reach = Reach.DONE if has_model else Reach.NONE
        if not (is_readable and has_model):
            self._tell("tell structure", reach)
            self._ask_strangers()
            self._keep_issue(subject, reach)
            return "", RunState.DONE
        self._tell("tell structure", Reach.PENDING)
        self._ask_strangers()
        self._proofs(subject)
        self._tell("tell proofs", reach)
        self._keep_issue(subject, reach)
        return "", RunState.DONE

    def _guard(self) -> None:
        """End the run if the branch has newer commits, or the same review was asked for again.

        A requested re-run of another commit does not end this run, nor does it end because of one.
        """
        job = self._job
        for item in self._means.tasks.waiting(self._turn):
            if not isinstance(item, ReviewBranch):
                continue
            if item.after == job.after or not (item.is_demand or job.is_demand):
                raise EndError("the branch has newer commits", RunState.SUPERSEDED)

    def _ask_for_pulls(self) -> int:
        """Queue reviews of pull requests whose comparison has changed; how many."""
        job, means = self._job, self._means
        if not means.settings.serves(job.place.account):
            return 0
        forge, reason = self._running.forge(), f"push to {shortened(safe(job.branch), 100)}"
        based = [pull for pull in forge.pulls() if pull.base_ref == job.branch]
        moved = review_key.moved(means, job.place, forge, based)
        for pull in moved:
            again = ReviewPull(
                place=job.place,
                number=pull.number,
                head=pull.head,
                reason=reason,
                author=pull.author,
                is_stranger=pull.is_stranger,
            )
            means.tasks.put(review(again, self._running.id.rpartition(":")[2]))
        return len(moved)

    def _ask_strangers(self) -> None:
        """Have forks' pull requests of this head renamed, as the names belong to the push."""
        if self._is_told:
            reason = f"push to {shortened(safe(self._job.branch), 100)}"
            head = self._job.after
            self._steps.do("strangers", lambda: self._running.ask_strangers(head, reason))

    # Looking up.

    def _look(self) -> dict[str, Any]:
        """The trusted commit, which is the default branch's tip, and the base of the comparison.

        The base is what was last read of the default branch; for other branches the merge base, as
        for a pull request. Whether anybody wants a check is decided before the branch is looked at.
        """
        job, place = self._job, self._job.place
        if not self._means.settings.serves(place.account):
            raise EndError("this account is not enabled", RunState.SKIPPED)
        forge = self._running.forge()
        default: DefaultBranch = forge.default_branch()
        asked = self._means.reviewer.asked_of_app(place, default.tip, forge.origin())
        is_wanted = asked.every_branch
        pull = self._pull() if is_wanted else None
        if job.is_default:
            base = self._since(forge)
        elif not is_wanted:
            raise EndError("checks are not enabled for this branch", RunState.SKIPPED)
        elif pull is not None:
            raise EndError(f"this is the head of #{pull}", RunState.SKIPPED)
        else:
            base = forge.merge_base(default.tip, job.after)
        is_told = is_wanted and pull is None
        return {
            "trusted": default.tip,
            "base": self._widest(forge, base),
            "is_told": is_told,
            "has_issue": job.is_default and asked.issue,
        }

    def _widest(self, forge: Forge, base: str | None) -> str | None:
        """The base of the widest comparison that the commit was reviewed in; None: all of it.

        Checks belong to a commit: a branch made at it, or set back to it, must not make it pass by
        a narrower comparison.
        """
        job, runs = self._job, self._means.records.runs
        others = [
            run
            for run in runs.of_commit(job.place.repository_id, job.after, _EARLIER, number=None)
            if run.id != self._running.id and not (run.branch or "").startswith(QUEUE)
        ]
        for run in others:
            if base is None or not run.base:
                return None
            if self._is_narrower(forge, base, run.base):
                base = run.base
        is_known = bool(others) or job.is_default or job.is_demand
        if base == job.after and not is_known and PUSH in forge.keys(STRUCTURE, job.after):
            raise EndError("this commit was reviewed before", RunState.SKIPPED)
        return base

    def _is_narrower(self, forge: Forge, base: str, other: str) -> bool:
        """Whether a base leaves out a part of the commit's earlier comparison."""
        if other in (base, self._job.after):
            return False
        if base == self._job.after:
            return True
        try:
            return forge.merge_base(other, base) != base
        except GoneError:
            return False

    def _since(self, forge: Forge) -> str | None:
        """The base for the default branch: what was read last, if the branch contains it.

        A newer push ends the reading of an older one, and covers its changes, too, as well as those
        of a run that was not completed: the base is what had been read by then. A person's re-run
        leaves the base of later pushes as it is.
        """
        job, runs = self._job, self._means.records.runs
        ended = runs.on_default(job.place.repository_id, _EARLIER, states=_ENDED)
        last = next(filterfalse(_is_mere_re_run, ended), None)
        if job.is_demand or job.before is None or last is None:
            return job.before
        start = last.head if _is_complete(last) else last.base
        if not start:  # the whole paper was to be read
            return None
        if start in (job.before, job.after):
            return job.before
        try:
            base = forge.merge_base(start, job.after)
        except GoneError:
            return job.before
        return job.before if base == job.after else base

    def _pull(self) -> int | None:
        """The pull request that reports on the commit, if any."""
        job = self._job
        return head_of(self._running.forge(), job.after, None if job.is_demand else job.branch)

    # Reviewing.

    def _structure(self, subject: ReviewSubject) -> bool:
        found = self._means.reviewer.structure(subject, self._running.forge().origin())
        self._begin(subject.base or "")
        self._means.records.runs.change(self._running.id, structure=found.saved)
        return found.is_readable

    def _begin(self, base: str) -> None:
        job = self._job
        name = shortened(safe(job.branch), 100)
        self._running.begin(
            head=job.after,
            base=base,
            branch=job.branch,
            is_default=job.is_default,
            reason=f"{_RE_RUN}{name} by {job.sender}" if job.is_demand else f"push to {name}",
        )

    def _proofs(self, subject: ReviewSubject) -> None:
        def read() -> None:
            saved, _ = self._running.read(subject, self._is_wanted)
            self._guard()
            self._means.records.runs.change(self._running.id, proofs=saved)

        if self._job.is_default:
            self._steps.do("proofs", read)
        else:
            self._do_alone("proofs", read)

    def _is_wanted(self) -> bool:
        try:
            self._guard()
        except EndError:
            return False
        return True

    def _subject(self, trusted: str, base: str | None) -> ReviewSubject:
        job = self._job
        return ReviewSubject(
            place=job.place, number=None, base=base, head=job.after, trusted=trusted
        )

    # Publishing.

    def _tell(self, name: str, reach: Reach) -> None:
        if self._is_told:
            self._running.begin_to_tell(reach)
            self._do_alone(name, lambda: self._running.tell_checks(reach))
            self._running.know(reach)

    def _keep_issue(self, subject: ReviewSubject, reach: Reach) -> None:
        """Keep the issue of the branch up to date, unless the commit is not its tip.

        Earlier verdicts are included even if this push affects no proof. The review is complete
        even if the issue fails, for instance because the repository has none.
        """
        reviewer = self._means.reviewer

        def keep() -> str:
            forge = self._running.forge()
            if forge.default_branch().tip != self._job.after:
                return "the default branch has newer commits"
            told = self._running.told(reach)
            found = outline(told.structure)
            is_bearable = found is not None and not found.failure
            if told.proofs is None and reviewer.has_model and is_bearable:
                told = replace(told, proofs=reviewer.known(subject, forge.origin()))
            try:
                return reviewer.keep_issue(told, forge)
            except GoneError as error:
                return error.message

        if self._has_issue:
            try:
                said = self._steps.finish("issue", keep)
            except EndError as end:
                said = f"the issue was not changed: {end.message}"
            self._running.log(said)

    def _do_alone(self, name: str, act: Callable[[], None]) -> None:
        """Do something unless a pull request has this head, even one that was opened meanwhile."""

        def unless_given() -> int | None:
            pull = self._pull()
            if pull is None:
                act()
            return pull

        pull = self._steps.do(name, unless_given)
        if pull is None:
            return
        self._is_told = False
        self._running.give_way(self._steps, self._job.after, _GIVEN.format(pull=pull))
        if not self._job.is_default:
            raise EndError(f"this is the head of #{pull} now", RunState.SUPERSEDED)
