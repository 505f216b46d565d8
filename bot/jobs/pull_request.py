"""The review of a pull request: structure, its report, proofs, their report.

Results are stored before they are published, and published only for the head reviewed.

Also the agreement to read a fork's head: it must be one that the maintainer has surely seen.

Clocks differ, and deliveries come late and in any order; in doubt there is no agreement.
"""

import logging
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

from bot.domain import webhooks
from bot.domain.chat_commands import MAY_WRITE, Command
from bot.domain.durable_steps import Durable, EndError, Steps
from bot.domain.events import PullChanged
from bot.domain.forge import STRUCTURE, PullRequest
from bot.domain.job import ReplyJob, ReviewPull, prefix, review
from bot.domain.review_result import Reach
from bot.domain.run_records import MUTE, RunState
from bot.domain.worker_context import ReviewSubject, WorkerContext
from bot.jobs import review_key
from bot.jobs.check_owner import CheckPlace, check_place, key, twins
from bot.jobs.run_lifecycle import SEE, Running
from pfcore.cli.github_actions import DO_NOT_READ
from pfcore.domain.errors import IncompleteError

AGAIN = "Comment `/pf check` to retry."
SAME = "already reviewed: same commit, same base"
WITHHELD = (
    f"Not reviewed: a label or a line of the description is “{DO_NOT_READ}”. Remove it, "
    "or comment `/pf check`."
)
NO_PAPER = "no paper found in this repository"
_ABSENT = (
    "### pf-verify: nothing to review\n\nThis repository has neither a LaTeX file nor a "
    "`pf.toml`, so it gets no checks. They begin with the first pull request that adds one."
)

_log = logging.getLogger(__name__)
_NOTES = {
    Reach.NONE: "structure only: no model is set",
    Reach.FORK: "proofs: waiting for a maintainer",
    Reach.PAUSED: "proofs: paused",
    Reach.DRAFT: "proofs: waiting (draft)",
}
_WAITING = frozenset((Reach.FORK, Reach.PAUSED, Reach.DRAFT))
_HELD = frozenset((Reach.PAUSED, Reach.DRAFT))


def perform(job: ReviewPull, durable: Durable, means: WorkerContext) -> str:
    """Review the pull request; the sentence says how that ended."""
    if job.is_closing:
        return _closed(job, durable, means)
    return _Review(job, durable, means).run()


def _closed(job: ReviewPull, durable: Durable, means: WorkerContext) -> str:
    """Clean up, and pass on the checks; the review before it has ended for this."""
    steps = Steps(durable, patience=means.patience)
    word = durable.id.partition(":")[2]
    try:
        steps.do("forget", lambda: means.reviewer.forget(job.place, job.number))
        steps.do("hand on", lambda: _ask_twins(job, job.head or "", word, means))
    except EndError as end:
        return end.message
    return "closed"


def _ask_twins(job: ReviewPull, head: str, word: str, means: WorkerContext) -> int:
    """Have checks of the other pull requests with this head published at their places; how many.

    Those whose checks are in place already end at once.
    """
    place = job.place
    if not means.settings.serves(place.account):
        return 0
    forge = means.hub.forge(place.installation, place.repository, place.repository_id)
    others = [pull for pull in twins(forge.pulls(), job.number, head) if not pull.is_draft]
    for pull in others:
        again = ReviewPull(
            place=place,
            number=pull.number,
            head=head,
            reason=f"#{job.number} has the same head",
            is_twin=True,
            author=job.author,
            is_stranger=job.is_stranger,
        )
        means.tasks.put(review(again, f"{word}/twin"))
    return len(others)


class _Review:
    """One run."""

    def __init__(self, job: ReviewPull, durable: Durable, means: WorkerContext) -> None:
        self._job, self._means = job, means
        self._running = Running(means, job.place, id_=durable.id, key=key(job.number), again=AGAIN)
        self._steps = Steps(
            durable, patience=means.patience, guard=self._guard, log=self._running.log
        )
        self._head, self._base_ref = job.head, job.base_ref

    def run(self) -> str:
        self._steps.finish("begin", self._begin)
        try:
            note, state = self._reviewed()
        except EndError as end:
            note, state = end.message, end.state
            if self._head is not None:
                self._running.tell_end(self._steps, self._head, note, state)
            if note == SAME and not self._job.is_twin:  # it is open again, and counts for others
                self._ask_others()
        self._steps.finish("end", lambda: self._running.end(note, state))
        _log.info("a run ended", extra={"run": self._running.id, "state": state.value})
        return note

    def _reviewed(self) -> tuple[str, RunState]:
        do = self._steps.do
        pull = self._current()
        self._head, self._base_ref = pull.head, pull.base_ref
        self._running.whose = lambda: self._check_place(pull)
        structure = do("structure", lambda: self._structure(pull))
        if structure.get("is_absent"):
            if self._job.is_demand:
                do("tell absent", lambda: self._running.tell_words(pull.number, pull.head, _ABSENT))
            raise EndError(NO_PAPER, RunState.SKIPPED)
        if structure["is_withheld"] and not self._job.is_demand:
            do("tell withheld", lambda: self._running.tell_withheld(pull.head, WITHHELD))
            return "marked as not to be read", RunState.WAITING
        reach = Reach(do("plan", lambda: self._plan(pull, is_readable=structure["is_readable"])))
        if reach in _HELD and (self._job.is_retelling or self._job.after):
            do("known", lambda: self._known(pull, structure["base"]))
        self._running.begin_to_tell(reach)
        do("tell structure", lambda: self._tell_checks(reach))
        self._running.know(reach)
        more = ""
        if reach is Reach.PENDING:
            lost = do("proofs", lambda: self._proofs(pull, structure["base"]))
            reach, more = Reach.DONE, self._ask_again(pull) if lost else ""
        do("tell comments", lambda: self._tell_comments(reach, structure["base"]))
        do("tell proofs", lambda: self._tell_checks(reach, more))
        if not self._job.is_twin:  # otherwise two of them would trigger one another forever
            do("twins", lambda: self._ask_twins(pull.head))
        state = RunState.WAITING if reach in _WAITING else RunState.DONE
        return more or _NOTES.get(reach, ""), state

    def _ask_twins(self, head: str) -> int:
        return _ask_twins(self._job, head, self._running.id.partition(":")[2], self._means)

    def _ask_others(self) -> None:
        with suppress(EndError):  # they are updated at their next event
            self._steps.finish("twins", lambda: self._ask_twins(self._job.head or ""))

    # Looking up.

    def _begin(self) -> None:
        job = self._job
        self._running.begin(number=job.number, head=job.head or "", reason=job.reason)

    def _current(self) -> PullRequest:
        """The pull request; if GitHub reports another head or base, it is read a second time."""
        pull = PullRequest(**self._steps.do("look", self._look))
        if self._other(pull):
            self._steps.sleep(self._means.lag)
            pull = PullRequest(**self._steps.do("look again", self._look))
        other = self._other(pull)
        if other:
            raise EndError(other, RunState.SUPERSEDED)
        return pull

    def _other(self, pull: PullRequest) -> str | None:
        """Why the pull request is not the one that this run is about; None if it is."""
        if self._head is not None and pull.head != self._head:
            return "superseded by a newer commit"
        if self._base_ref is not None and pull.base_ref != self._base_ref:
            return "superseded: the base changed"
        return None

    def _look(self) -> dict[str, Any]:
        if not self._means.settings.serves(self._job.place.account):
            raise EndError("this account is not enabled", RunState.SKIPPED)
        pull = review_key.current(self._running.forge(), self._job.number)
        reason = self._why_not(pull)
        if reason:
            raise EndError(reason, RunState.SKIPPED)
        return asdict(pull)

    def _why_not(self, pull: PullRequest) -> str | None:
        """Why there is nothing to do; None if there is something."""
        if not pull.is_open:
            return "the pull request is closed"
        if self._job.after:
            return None if self._is_next(pull) else "replaced by a newer review"
        if self._job.is_demand:
            return None
        if pull.is_draft and not self._job.is_retelling:
            return "a draft is not reviewed"
        if self._job.is_retelling or self._other(pull):
            return None  # a second look will show whether GitHub or the delivery is late
        return SAME if self._is_known(pull) else None

    def _is_known(self, pull: PullRequest) -> bool:
        """Whether the last published review was of this comparison, and its checks are in place."""
        place, running = self._job.place, self._running
        forge = running.forge()
        if self._is_withheld(pull):
            return False
        states = review_key.TOLD if self._job.is_twin else frozenset((RunState.DONE,))
        if not review_key.is_made(self._means, place, forge, pull, but=running.id, states=states):
            return False
        where = self._check_place(pull)
        name = where.name(STRUCTURE)
        if self._job.is_twin:
            told = forge.check_said(name, pull.head).title
            if where.twins or told.startswith(SEE):
                return False  # the other check may have changed
        return key(pull.number) in forge.keys(name, pull.head)

    def _check_place(self, pull: PullRequest) -> CheckPlace:
        return check_place(self._running.forge(), pull, self._job.place, self._means)

    def _is_withheld(self, pull: PullRequest) -> bool:
        """Whether it is marked as not to be read, by a label or by a writer's description."""
        if pull.is_labelled:
            return True
        return pull.is_declined and self._running.forge().permission(pull.author) in MAY_WRITE

    def _is_next(self, pull: PullRequest) -> bool:
        """Whether no other run has reported on this head since the run that this one retries."""
        since = self._means.records.runs.of_commit(
            self._job.place.repository_id,
            pull.head,
            2,
            number=pull.number,
            states=frozenset(RunState) - MUTE,
        )
        others = [run.id for run in since if run.id != self._running.id]
        return others[:1] == [self._job.after] or bool(self._other(pull))

    def _guard(self) -> None:
        """End the run if another one will replace it.

        A waiting review may be about an older head, because deliveries come in any order; then we
        ask GitHub.
        """
        waiting = self._means.tasks.waiting(prefix(self._job.place, self._job.number))
        found = [job for job in waiting if isinstance(job, ReviewPull)]
        if any(map(self._is_instead, found)):
            raise EndError("replaced by a newer review", RunState.SUPERSEDED)
        if any(map(self._is_news, found)):
            self._require_current()

    def _is_news(self, other: ReviewPull) -> bool:
        """Whether a waiting review may be of another head or base, or may end everything."""
        has_base = other.base_ref in (None, self._base_ref)
        return other.is_closing or other.head != self._head or not has_base

    def _is_instead(self, other: ReviewPull) -> bool:
        """Whether a waiting review covers all of this one: the same head, and no less of it.

        Proofs to be read anew are covered only by a review that names them, and that reads others.
        """
        if not other.is_demand or other.after or other.head not in (None, self._head):
            return False
        mine = set(self._job.anew)
        return mine.issubset(other.anew) and bool(mine) == bool(other.anew)

    def _require_current(self) -> None:
        pull = self._running.forge().pull(self._job.number)
        other = self._other(pull)
        if other:
            raise EndError(other, RunState.SUPERSEDED)
        if not pull.is_open:
            raise EndError("the pull request was closed", RunState.SUPERSEDED)

    # Reviewing.

    def _structure(self, pull: PullRequest) -> dict[str, Any]:
        forge = self._running.forge()
        base = forge.merge_base(pull.base, pull.head)
        found = self._means.reviewer.structure(self._subject(pull, base), forge.origin())
        runs = self._means.records.runs
        runs.change(self._running.id, structure=found.saved, head=pull.head, base=base)
        return {
            "base": base,
            "is_readable": found.is_readable,
            "is_absent": found.is_absent,
            "is_withheld": self._is_withheld(pull),
        }

    def _plan(self, pull: PullRequest, *, is_readable: bool) -> str:
        """How far the proofs will be read."""
        if not self._means.reviewer.has_model:
            return Reach.NONE.value
        if not is_readable:
            return Reach.DONE.value
        pulls, place = self._means.records.pulls, self._job.place.repository_id
        if pull.is_fork and pulls.agreed(place, pull.number) != pull.head:
            return Reach.FORK.value
        if not self._job.is_demand and pulls.is_paused(place, pull.number):
            return Reach.PAUSED.value
        if not self._job.is_demand and pull.is_draft:
            return Reach.DRAFT.value
        return Reach.PENDING.value

    def _proofs(self, pull: PullRequest, base: str) -> int:
        saved, lost = self._running.read(self._subject(pull, base), self._is_wanted)
        self._guard()
        self._means.records.runs.change(self._running.id, proofs=saved)
        return lost

    def _ask_again(self, pull: PullRequest) -> str:
        """Schedule another try for a model that did not answer, if any is left; text for people."""
        tries, pauses = self._job.tries + 1, self._means.again
        if tries > len(pauses):
            return (
                f"The model did not answer ({tries} of {tries} attempts). No further attempt "
                "is made."
            )
        pause = pauses[tries - 1]
        moment = self._steps.do("ask again", lambda: self._put_again(pull, pause))
        when = f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M} UTC"
        return (
            f"The model did not answer (attempt {tries} of {len(pauses) + 1}). Next attempt: "
            f"{when}, if this is still the newest commit."
        )

    def _put_again(self, pull: PullRequest, pause: float) -> float:
        """Queue the next try; its time in seconds since 1970."""
        job, tries = self._job, self._job.tries + 1
        again = replace(
            job,
            head=pull.head,
            base_ref=None,
            reason=f"attempt {tries + 1}: the model did not answer",
            after=self._running.id,
            tries=tries,
        )
        task = review(again, f"{self._running.id.partition(':')[2]}/again")
        self._means.tasks.put(replace(task, delay=pause))
        return self._means.clock() + pause

    def _known(self, pull: PullRequest, base: str) -> None:
        """Store earlier verdicts, since an answer to one may change the report."""
        known = self._means.reviewer.known
        saved = known(self._subject(pull, base), self._running.forge().origin())
        self._means.records.runs.change(self._running.id, proofs=saved)

    def _is_wanted(self) -> bool:
        try:
            self._guard()
        except EndError:
            return False
        except IncompleteError:  # if GitHub cannot be reached now, the next look decides
            return True
        return True

    def _subject(self, pull: PullRequest, base: str) -> ReviewSubject:
        place = self._job.place
        return ReviewSubject(
            place=place,
            number=pull.number,
            base=base,
            head=pull.head,
            trusted=pull.base,
            answers=tuple(self._means.records.answers.of(place.repository_id, pull.number)),
            anew=self._job.anew,
        )

    # Publishing.

    def _tell_checks(self, reach: Reach, more: str = "") -> None:
        self._require_current()
        self._running.tell_checks(reach, more)

    def _tell_comments(self, reach: Reach, base: str) -> None:
        self._require_current()
        number, place = self._job.number, self._job.place
        before = review_key.told_base(self._means, place, number, but=self._running.id)
        self._running.tell_comments(
            number, self._head or "", reach, is_rebased=before not in (None, base)
        )


_MARGIN = 60.0
"""How long a head must have existed, in seconds, before a comment on it can refer to it."""
_MOST = 500
"""How many runs of a pull request are looked at."""


def is_meant(pull: PullRequest, command: Command) -> bool:
    """Whether a command means this head, or names none."""
    return pull.head.startswith(command.commit or "")


def is_agreed(pull: PullRequest, command: Command, job: ReplyJob, means: WorkerContext) -> bool:
    """Whether the person who asks for a check means this very head.

    The full hash settles it; a short one can be forged. A comment beside a line means the commit
    that was shown there. Otherwise the head must have existed for a while before the comment, and
    no other one since.
    """
    if command.commit == pull.head:
        return True
    if job.head is not None:
        return job.head == pull.head
    return _heads(job, means) == {pull.head}


def _heads(job: ReplyJob, means: WorkerContext) -> set[str]:
    """The heads that may have been visible when a comment was written, and all later ones."""
    told = list(_told(job, means))
    known = [since for since, at_last, _ in told if at_last <= job.received - _MARGIN]
    if not known:
        return set()
    newest = max(known)
    waiting = means.tasks.waiting(prefix(job.place, job.number))
    heads = {item.head for item in waiting if isinstance(item, ReviewPull) and item.head}
    return heads | {head for _, at_last, head in told if at_last >= newest}


def _told(job: ReplyJob, means: WorkerContext) -> Iterator[tuple[float, float, str]]:
    """The heads that GitHub reported, each with two moments between which it surely existed.

    These are GitHub's time and the time of receipt: one of the clocks may be wrong, the news old,
    or GitHub's time that of another change. If there are too many runs, there are none, and so no
    certainty.
    """
    begin = prefix(job.place, job.number)
    runs = means.records.runs.of_pull(job.place.repository_id, job.number, _MOST + 1)
    for run in runs if len(runs) <= _MOST else ():
        kept = means.deliveries.get(run.id.removeprefix(begin))
        event = webhooks.parse_event(kept.event, kept.body) if kept else None
        if kept is not None and isinstance(event, PullChanged):
            first, last = sorted((event.updated, kept.received))
            yield first, last, event.head
