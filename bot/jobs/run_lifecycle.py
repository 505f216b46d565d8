"""A run in progress: its records, and its reports.

Usage and limits are stored as the run goes on, so that a crash loses only seconds.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from bot.domain import comment
from bot.domain.check_actions import READ
from bot.domain.comment import CommentKind, ObjectionSource, ReviewComments, WantedComment
from bot.domain.durable_steps import EndError, Steps
from bot.domain.events import RepositoryPlace
from bot.domain.forge import PROOFS, STRUCTURE, CommitCheck, Forge, bring, run_path
from bot.domain.job import ReviewPull, review
from bot.domain.reconcile import reconcile
from bot.domain.review_result import PublishedReview, Reach
from bot.domain.run_records import ReviewRun, RunState
from bot.domain.worker_context import ReaderUsage, ReviewSubject, SpendingTerms, WorkerContext
from bot.jobs.check_owner import CheckPlace
from pfcore.domain.errors import PfError
from pfcore.reporters.formats.publication import fitting

_log = logging.getLogger(__name__)


class Running:
    """One run; `key` identifies its checks together with those of other runs of the same subject.

    `again` tells people how to have it retried; `whose` returns the current place of its checks.
    """

    def __init__(
        self, means: WorkerContext, place: RepositoryPlace, *, id_: str, key: str, again: str
    ) -> None:
        self.id = id_
        self.whose: Callable[[], CheckPlace] = CheckPlace
        self._means, self._place, self._key, self._again = means, place, key, again
        self._is_known: dict[str, bool] = {}
        self._is_begun = False
        public = means.settings.public_url
        self._details = public and f"{public}{run_path(id_)}"

    def ask_strangers(self, head: str, reason: str) -> int:
        """Have forks' pull requests of this head renamed, as its names are ours now; how many."""
        found = [pull for pull in self.forge().pulls() if pull.head == head]
        strangers = [pull for pull in found if pull.is_fork and not pull.is_draft]
        for pull in strangers:
            again = ReviewPull(
                place=self._place,
                number=pull.number,
                head=head,
                reason=reason,
                is_twin=True,
                author=pull.author,
                is_stranger=pull.is_stranger,
            )
            self._means.tasks.put(review(again, f"{self.id.rpartition(':')[2]}/twin"))
        return len(strangers)

    def begin(
        self,
        *,
        head: str,
        reason: str,
        base: str = "",
        number: int | None = None,
        branch: str | None = None,
        is_default: bool = False,
    ) -> None:
        """Store the run, if it is new."""
        place, now = self._place, self._means.clock()
        run = ReviewRun(
            id=self.id,
            installation=place.installation,
            repository_id=place.repository_id,
            repository=place.repository,
            number=number,
            branch=branch,
            is_default=is_default,
            head=head,
            base=base,
            reason=reason,
            state=RunState.RUNNING,
            created=now,
            started=now,
        )
        self._means.records.runs.begin(run)

    def log(self, line: str) -> None:
        """Add a line to the run's log."""
        self._means.records.runs.log(self.id, line)

    def known(self) -> ReviewRun:
        """The run's record; EndError if it was erased."""
        run = self._means.records.runs.get(self.id)
        if run is None:
            raise EndError("the results were deleted in the meantime", RunState.SKIPPED)
        return run

    def told(self, reach: Reach) -> PublishedReview[str]:
        """The results so far, for publishing."""
        run = self.known()
        if run.structure is None:
            raise EndError("the results are gone", RunState.FAILED)
        return PublishedReview(
            structure=run.structure,
            proofs=run.proofs,
            reach=reach,
            key=self._key,
            again=self._again,
            details=self._details,
        )

    def read(self, subject: ReviewSubject, is_wanted: Callable[[], bool]) -> tuple[str, int]:
        """The model's review, and how many calls were lost; usage is stored in any case."""
        money = Money(self._means, self.known(), is_wanted)
        try:
            saved = self._means.reviewer.proofs(subject, self.forge().origin(), money.terms())
        finally:
            money.keep()
        return saved, money.used.lost

    def tell_checks(self, reach: Reach, more: str = "") -> None:
        """Publish the checks, that of the proofs with one more paragraph.

        Each commit and key has one check of a name, whichever run publishes it.
        """
        for check in self._means.reviewer.checks(self.told(reach)):
            text = check.summary
            if more and check.name == PROOFS:
                text = fitting(f"{text.rstrip()}\n\n{more}\n")
            self._conclude(replace(check, summary=text))

    def tell_withheld(self, head: str, note: str) -> None:
        """Publish that nothing is read, which is not a pass, because nobody looked."""
        for name in (STRUCTURE, *([PROOFS] if self._means.reviewer.has_model else [])):
            end = self._none(name, head, note, RunState.SUPERSEDED)
            asked = (READ,) if name == PROOFS else ()
            self._conclude(
                replace(end, title="Not read", conclusion="action_required", actions=asked)
            )

    def begin_to_tell(self, reach: Reach) -> None:
        """Note that checks may be in progress, because a crash may come before `know`."""
        self._is_begun = reach is Reach.PENDING

    def know(self, reach: Reach) -> None:
        """Note that checks were published; those that are not in progress are final."""
        self._is_known = {STRUCTURE: True, PROOFS: reach is not Reach.PENDING}

    def tell_comments(
        self, number: int, head: str, reach: Reach, *, is_rebased: bool = False
    ) -> None:
        """Post the comments on a pull request, and update earlier ones."""
        told = replace(self.told(reach), aside=self.whose().aside, is_rebased=is_rebased)
        bring(self.forge(), number, head, partial(self._means.reviewer.changes, told))

    def tell_words(self, number: int, head: str, text: str) -> None:
        """Post one text on the whole pull request, in the place of a summary."""
        forge = self.forge()
        body = comment.marked(text, key=comment.SUMMARY, source=ObjectionSource.CHECK)
        said = WantedComment(kind=CommentKind.SUMMARY, key=comment.SUMMARY, body=body)
        words = ReviewComments(comments=(said,))
        forge.change(number, head, reconcile(forge.comments(number), words, head=head))

    def tell_end(self, steps: Steps, head: str, note: str, state: RunState) -> None:
        """Report beside the commit that there was no review, if people may wait for one."""
        if state is RunState.FAILED:
            names = [STRUCTURE, *([PROOFS] if self._means.reviewer.has_model else [])]
            names = [name for name in names if not self._is_known.get(name)]
        else:
            names = [name for name, is_known in self._is_known.items() if not is_known]
        ends = [self._none(name, head, note, state) for name in names]
        self._tell_all(steps, [*ends, *self._left(head, note)])

    def give_way(self, steps: Steps, head: str, note: str) -> None:
        """Close the checks that are still in progress, unless others have replaced them."""
        names = [name for name, is_known in self._is_known.items() if not is_known]
        ends = [self._closing(name, head, note) for name in names]
        self._tell_all(steps, [*ends, *self._left(head, note)])

    def _left(self, head: str, note: str) -> list[CommitCheck]:
        """A check that closes the one that may be in progress since before a crash."""
        is_left = self._is_begun and not self._is_known
        return [self._closing(PROOFS, head, note)] if is_left else []

    def let_go(self, head: str, note: str) -> None:
        """Close the checks that another process's run has left in progress."""
        for name in (STRUCTURE, PROOFS):
            self._conclude(self._closing(name, head, note))

    def _closing(self, name: str, head: str, note: str) -> CommitCheck:
        end = self._none(name, head, note, RunState.SUPERSEDED)
        return replace(end, is_there=True)

    def _conclude(self, check: CommitCheck) -> None:
        place, forge = self.whose(), self.forge()
        forge.conclude(place.put(_with_twins(check, place, forge)))

    def _tell_all(self, steps: Steps, ends: list[CommitCheck]) -> None:
        try:
            for end in ends:
                steps.finish(f"tell the end of {end.name}", partial(self._conclude, end))
        except EndError:
            _log.error("the end of a run could not be reported", extra={"run": self.id})

    def tell_rest(self, run: ReviewRun, head: str, note: str) -> None:
        """Publish all checks of a run that another process has left: its results, or the note."""
        reviewer, found = self._means.reviewer, dict[str, CommitCheck]()
        names = [STRUCTURE, *([PROOFS] if reviewer.has_model else [])]
        if run.structure is not None:
            told = self.told(Reach.DONE if reviewer.has_model else Reach.NONE)
            with suppress(PfError):  # the results may be from another release
                found = {check.name: check for check in reviewer.checks(told)}
        if run.proofs is None and PROOFS in found and found[PROOFS].conclusion != "success":
            del found[PROOFS]
        for name in names:
            if name in found:
                self._conclude(found[name])
            else:
                self._conclude(self._none(name, head, note, RunState.FAILED))

    def _none(self, name: str, head: str, note: str, state: RunState) -> CommitCheck:
        """A check that says that there was no review."""
        is_failed = state is RunState.FAILED
        return CommitCheck(
            name=name,
            head=head,
            key=self._key,
            title="Could not be reviewed" if is_failed else "Superseded",
            summary=f"{note}\n\n{self._again}" if is_failed else note,
            conclusion="failure" if is_failed else "cancelled",
            details=self._details,
            actions=(),
        )

    def end(self, note: str, state: RunState) -> None:
        """Store how the run ended."""
        self._means.records.runs.change(self.id, state=state, note=note, ended=self._means.clock())

    def forge(self) -> Forge:
        """The repository."""
        return self._means.hub.forge(
            self._place.installation, self._place.repository, self._place.repository_id
        )


_EVERY = 2.0
"""The seconds between two updates, because a reader reports each of its many calls."""
_MUCH = 0.05
"""The dollars that are stored at once, since parallel runs see only what is stored."""


class Money:
    """The spending of one run; `is_wanted` says from time to time whether to go on."""

    def __init__(self, means: WorkerContext, run: ReviewRun, is_wanted: Callable[[], bool]) -> None:
        self._means, self._run, self._is_wanted = means, run, is_wanted
        self._used = self._kept = ReaderUsage()
        self._last, self._is_over = means.clock(), False

    def terms(self) -> SpendingTerms:
        """The limits for a reader."""
        return SpendingTerms(
            today=self._today,
            left=self._left,
            spent=self._run.dollars,
            note=self._note,
            is_over=lambda: self._is_over,
        )

    @property
    def used(self) -> ReaderUsage:
        """The usage so far."""
        return self._used

    def keep(self) -> None:
        """Store the usage."""
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
        """The dollars in this run's record."""
        return self._run.dollars + self._kept.dollars


def _day(now: float) -> float:
    moment = datetime.fromtimestamp(now, UTC)
    return moment.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()


def _month(now: float) -> float:
    return datetime.fromtimestamp(_day(now), UTC).replace(day=1).timestamp()


SEE = "See the check “"
"""The start of the title of a check that fails only because another one does."""
_BAD = frozenset(("failure", "action_required", "cancelled", "timed_out"))


def _with_twins(check: CommitCheck, place: CheckPlace, forge: Forge) -> CommitCheck:
    """A check that passes only if the checks that it is also shown beside do."""
    if check.conclusion is None or check.conclusion in _BAD:
        return check
    for suffix in place.twins:
        name = f"{check.name}{suffix}"
        said = forge.check_said(name, check.head)
        if said.conclusion in _BAD:
            words = (
                f"Another pull request with the same head, but a different base, does not pass "
                f"its check `{name}`. GitHub shows the same checks on both, so this one does not "
                f"pass either. Its own result: {check.title}."
            )
            return replace(
                check,
                conclusion=said.conclusion,
                title=f"{SEE}{name}”",
                summary=fitting(f"{words}\n\n{check.summary}"),
            )
    return check
