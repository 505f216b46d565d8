"""What people ask for in comments: done if they may ask, acknowledged, answered once.

Who may not ask gets a reaction and no answer: what strangers say makes us say nothing.
"""

import logging

from bot import commands, marks
from bot.answering import HELP, refused
from bot.commands import Command, Misread, Standing, Verb
from bot.forge import Forge, Origin
from bot.runs import Answer, Run
from bot.work.job import Reply, ReviewPull
from bot.work.means import Dismissal, Means, Subject
from bot.work.steps import Durable, EndError, Steps
from bot.work.task import review
from pfcore.errors import UsageError
from pfcore.report.github import prose
from pfcore.report.publication import fitting

_MOVED = (
    "This pull request has another head than the one that you may have seen: look at it, and say "
    "`/pf check` again."
)

_log = logging.getLogger(__name__)


def reply(job: Reply, durable: Durable, means: Means) -> str:
    """Do what a comment asks for; the sentence says what came of it."""
    return _Replying(job, durable, means).run()


class _Replying:
    """One comment."""

    def __init__(self, job: Reply, durable: Durable, means: Means) -> None:
        self._job, self._means = job, means
        self._steps = Steps(durable, patience=means.patience)

    def run(self) -> str:
        job = self._job
        if not self._means.settings.serves(job.place.account):
            return "the account is not among those that are served"
        try:
            allowed = set(self._steps.do("who", self._allowed))
            if not allowed and not self._steps.do("known", self._is_known):
                self._steps.do("refuse", lambda: self._react("-1"))
                return "refused"
            self._steps.do("acknowledge", lambda: self._react("eyes"))
            said = [self._said(number, item, allowed) for number, item in enumerate(job.commands)]
            body = "\n\n".join(sentence for sentence in said if sentence)
            if body:
                self._steps.do("answer", lambda: self._answer(body))
        except EndError as end:
            _log.warning("a comment was not answered", extra={"state": end.state.value})
            return end.message
        return "answered" if body else "done"

    # Who asks.

    def _allowed(self) -> list[str]:
        """What of it may be asked by whoever asks, as the verbs."""
        standing = self._standing()
        verbs = {item.verb for item in self._job.commands if isinstance(item, Command)}
        return sorted(verb.value for verb in verbs if commands.may(verb, standing))

    def _is_known(self) -> bool:
        """Whether somebody may ask for help, at least."""
        return commands.may(Verb.HELP, self._standing())

    def _standing(self) -> Standing:
        return Standing(
            permission=self._forge().permission(self._job.sender),
            association=self._job.association,
            is_author=self._job.is_author,
        )

    # What is done.

    def _said(self, number: int, item: Command | Misread, allowed: set[str]) -> str:
        """Do one thing; the words of the answer, "" where a reaction is enough."""
        if isinstance(item, Misread):
            return f"{prose(item.sentence)}. `/pf help` tells what can be said."
        if item.verb not in allowed:
            return f"`/pf {item.verb}` is for those who may write to this repository."
        said = self._steps.do(f"{number} {item.verb}", lambda: self._done(number, item))
        return str(said)

    def _done(self, number: int, item: Command) -> str:
        try:
            return self._followed(number, item)
        except UsageError as error:
            return refused(error.message)

    def _followed(self, number: int, item: Command) -> str:
        finding, reviewer = item.finding or "", self._means.reviewer
        match item.verb:
            case Verb.CHECK:
                return self._check(number)
            case Verb.RECHECK:
                reviewer.explained(*self._subject(), finding)  # there has to be such a finding
                return self._review(number, Verb.RECHECK, again=finding)
            case Verb.EXPLAIN:
                return reviewer.explained(*self._subject(), finding)
            case Verb.DISMISS:
                return self._dismiss(number, finding, item.reason)
            case Verb.GRAPH:
                return reviewer.graph(*self._subject())
            case Verb.PAUSE | Verb.RESUME:
                return self._pause(number, is_paused=item.verb is Verb.PAUSE)
            case Verb.HELP:
                return HELP

    def _check(self, number: int) -> str:
        pull = self._forge().pull(self._job.number)
        if not pull.is_open:
            return "This pull request is closed."
        if pull.is_fork:
            if pull.head != self._seen():
                return _MOVED
            self._means.records.pulls.agree(self._job.place, pull.number, pull.head)
        return self._review(number, Verb.CHECK)

    def _seen(self) -> str | None:
        """The head that whoever asks may have seen: what came after the comment does not count."""
        if self._job.head is not None:
            return self._job.head
        before = [run for run in self._runs() if run.created <= self._job.received and run.head]
        return before[0].head if before else None

    def _dismiss(self, number: int, finding: str, reason: str) -> str:
        subject, origin = self._subject()
        said = self._means.reviewer.dismissed(
            subject, origin, finding, reason=reason, who=self._job.sender
        )
        self._means.records.answers.add(self._answered(said, reason))
        self._review(number, Verb.DISMISS)
        return said.words

    def _answered(self, said: Dismissal, reason: str) -> Answer:
        return Answer(
            place=self._job.place,
            number=self._job.number,
            finding=said.finding,
            aliases=said.aliases,
            lines=said.lines,
            reason=reason,
            who=self._job.sender,
            when=self._job.received,
        )

    def _pause(self, number: int, *, is_paused: bool) -> str:
        job = self._job
        self._means.records.pulls.pause(job.place, job.number, is_paused=is_paused)
        if not is_paused:
            # What was pushed meanwhile is reviewed; a head that was reviewed before is not.
            self._put(number, self._order(Verb.RESUME, is_demand=False))
        return ""

    # With what.

    def _review(self, number: int, verb: Verb, again: str = "") -> str:
        """Ask for a review; its checks answer."""
        self._put(number, self._order(verb, is_demand=True, again=again))
        return ""

    def _order(self, verb: Verb, *, is_demand: bool, again: str = "") -> ReviewPull:
        return ReviewPull(
            place=self._job.place,
            number=self._job.number,
            head=None,
            reason=f"/pf {verb} by {self._job.sender}",
            is_demand=is_demand,
            again=again,
        )

    def _put(self, number: int, job: ReviewPull) -> None:
        self._means.tasks.put(review(job, f"{self._job.guid}/{number}"))

    def _runs(self) -> list[Run]:
        """The runs of the pull request, the newest first."""
        return self._means.records.runs.of_pull(self._job.place.repository_id, self._job.number)

    def _subject(self) -> tuple[Subject, Origin]:
        """The pull request as it is now."""
        place, forge = self._job.place, self._forge()
        pull = forge.pull(self._job.number)
        subject = Subject(
            place=place,
            number=pull.number,
            base=forge.merge_base(pull.base, pull.head),
            head=pull.head,
            trusted=pull.base,
            answers=tuple(self._means.records.answers.of(place.repository_id, pull.number)),
        )
        return subject, forge.origin()

    def _react(self, content: str) -> None:
        job = self._job
        self._forge().react(job.comment, content, is_review=job.is_review)

    def _answer(self, words: str) -> None:
        job = self._job
        body = marks.answering(fitting(words), job.comment)
        self._forge().answer(job.number, job.comment, body, is_review=job.is_review)

    def _forge(self) -> Forge:
        place = self._job.place
        return self._means.hub.forge(place.installation, place.repository)
