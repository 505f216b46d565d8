"""Commands in comments: carried out if permitted, acknowledged, answered once.

People without permission get a reaction and no answer, so that strangers cannot make the App talk.
Answers to a person are limited per hour by the settings; permitted commands are always carried out.
"""

import logging
from typing import Any

from bot.domain import chat_commands, comment
from bot.domain.chat_commands import FREE, Command, CommandAuthor, Misread, Verb
from bot.domain.durable_steps import Durable, EndError, Steps
from bot.domain.forge import Forge, GitRemote
from bot.domain.job import ReplyJob, ReviewPull, review
from bot.domain.run_records import DismissalRecord, RunState
from bot.domain.worker_context import ReviewSubject, WorkerContext
from bot.jobs import review_key
from bot.jobs.pull_request import is_agreed, is_meant
from bot.reviewing.command_replies import HELP, refused, sentence
from pfcore.domain.errors import UsageError
from pfcore.reporters.formats.publication import fitting
from pfcore.reporters.printing import prose

_MOVED = (
    "The newest commit may not be the one that you saw. To have {head} read, review it and "
    "comment `/pf check {head}`."
)
_ENOUGH = (
    "I have answered {most} of your comments within an hour, and will answer no more for now. "
    "Commands that require write access still work."
)
_DEMANDS = frozenset((Verb.CHECK, Verb.RECHECK))
"""Commands that have proofs read even if a pull request is paused."""

_log = logging.getLogger(__name__)


def reply(job: ReplyJob, durable: Durable, means: WorkerContext) -> str:
    """Carry out the commands of a comment; the sentence says how that ended."""
    return _Replying(job, durable, means).run()


class _Replying:
    """The reply to one comment."""

    def __init__(self, job: ReplyJob, durable: Durable, means: WorkerContext) -> None:
        self._job, self._means = job, means
        self._steps = Steps(durable, patience=means.patience)

    def run(self) -> str:
        job = self._job
        if not self._means.settings.serves(job.place.account):
            return "this account is not enabled"
        try:
            asker = self._steps.do("who", self._who)
            allowed, is_outside = set(asker["allowed"]), asker["is_outside"]
            turn = self._steps.do("turn", self._turn)
            is_over = turn > self._means.settings.answers_per_hour
            if not allowed and (not asker["is_known"] or (is_outside and not self._is_misread())):
                if not is_over and not job.is_mute:
                    self._steps.do("refuse", lambda: self._react("-1"))
                return "refused"
            if not is_over and not job.is_mute:
                self._steps.do("acknowledge", lambda: self._react("eyes"))
            said = filter(None, self._all(allowed, is_over=is_over, is_outside=is_outside))
            body = self._enough(turn) if is_over else "\n\n".join(said)
            if body:
                self._steps.do("answer", lambda: self._answer(body))
        except EndError as end:
            _log.warning("a comment was not answered", extra={"state": end.state.value})
            return end.message
        return "answered" if body else "done"

    # Permissions.

    def _who(self) -> dict[str, Any]:
        """The permitted verbs among the commands.

        `is_known`: the person may ask for help, at least; `is_outside`: refusals are not answered.
        """
        standing = self._standing()
        verbs = {item.verb for item in self._job.commands if isinstance(item, Command)}
        return {
            "allowed": sorted(verb.value for verb in verbs if chat_commands.may(verb, standing)),
            "is_known": chat_commands.may(Verb.HELP, standing),
            "is_outside": chat_commands.is_outside(standing),
        }

    def _is_misread(self) -> bool:
        return any(isinstance(item, Misread) for item in self._job.commands)

    def _standing(self) -> CommandAuthor:
        return CommandAuthor(
            permission=self._forge().permission(self._job.sender),
            association=self._job.association,
            is_author=self._job.is_author or self._is_author(),
        )

    def _is_author(self) -> bool:
        """Whether the author pressed a button, whose event does not say so."""
        job = self._job
        return job.is_mute and self._forge().pull(job.number).author == job.sender

    def _turn(self) -> int:
        """The rank of this comment among the person's comments within an hour."""
        job, most = self._job, self._means.settings.answers_per_hour
        return self._means.records.people.count(job.place, job.guid, job.sender, most)

    def _enough(self, turn: int) -> str:
        """The notice that is given once when the limit is exceeded."""
        most = self._means.settings.answers_per_hour
        return _ENOUGH.format(most=most) if turn == most + 1 else ""

    # Carrying out.

    def _all(self, allowed: set[str], *, is_over: bool, is_outside: bool) -> list[str]:
        """Carry out the commands in order, and queue one review at the end; the answers.

        `is_over`: nobody is answered, so that commands which only produce text are left out.
        """
        said, wishes = list[str](), list[Command]()
        try:
            for number, item in enumerate(self._job.commands):
                if is_over and not _changes_something(item, allowed):
                    continue
                if is_outside and isinstance(item, Command) and item.verb not in allowed:
                    continue
                said.append(self._tried(number, item, allowed, wishes))
        except EndError:
            self._review(wishes)
            raise
        self._review(wishes)
        return said

    def _tried(
        self, number: int, item: Command | Misread, allowed: set[str], wishes: list[Command]
    ) -> str:
        """Carry out a command, or say why it failed; the next ones may still succeed."""
        try:
            return self._said(number, item, allowed, wishes)
        except EndError as end:
            if end.state is not RunState.FAILED or end.is_down or isinstance(item, Misread):
                raise
            return f"`/pf {item.verb}` failed: {refused(end.message)}"

    def _said(
        self, number: int, item: Command | Misread, allowed: set[str], wishes: list[Command]
    ) -> str:
        """Carry out a command; the text of the answer, "" if a reaction is enough."""
        if isinstance(item, Misread):
            return f"{prose(sentence(item.sentence))} See `/pf help`."
        if item.verb not in allowed:
            return f"`/pf {item.verb}` requires write access."
        words, is_wish = self._steps.do(f"{number} {item.verb}", lambda: list(self._done(item)))
        if is_wish:
            wishes.append(item)
        return str(words)

    def _done(self, item: Command) -> tuple[str, bool]:
        """The text of the answer, and whether a review must follow."""
        try:
            return self._followed(item)
        except UsageError as error:
            return refused(error.message), False

    def _followed(self, item: Command) -> tuple[str, bool]:
        finding, reviewer = item.finding or "", self._means.reviewer
        match item.verb:
            case Verb.CHECK:
                said = self._check(item)
                return said, not said
            case Verb.RECHECK:
                reviewer.explained(*self._subject(), finding)  # raises if there is no such finding
                return "", True
            case Verb.EXPLAIN:
                return reviewer.explained(*self._subject(), finding), False
            case Verb.DISMISS:
                return self._dismiss(finding, item.reason), True
            case Verb.GRAPH:
                return reviewer.graph(*self._subject()), False
            case Verb.PAUSE | Verb.RESUME:
                is_paused = item.verb is Verb.PAUSE
                self._means.records.pulls.pause(
                    self._job.place, self._job.number, is_paused=is_paused
                )
                return "", not is_paused
            case Verb.HELP:
                return HELP, False

    def _check(self, item: Command) -> str:
        """Why there will be no check, or ""."""
        job, pull = self._job, self._forge().pull(self._job.number)
        if not pull.is_open:
            return "This pull request is closed."
        if not is_meant(pull, item):
            return _MOVED.format(head=pull.head)
        if pull.is_fork:
            if not is_agreed(pull, item, job, self._means):
                return _MOVED.format(head=pull.head)
            self._means.records.pulls.agree(job.place, pull.number, pull.head)
        return ""

    def _dismiss(self, finding: str, reason: str) -> str:
        asked = DismissalRecord(
            place=self._job.place,
            number=self._job.number,
            finding=finding,
            reason=reason,
            who=self._job.sender,
            when=self._job.received,
        )
        answer, words = self._means.reviewer.dismissed(*self._subject(), asked)
        self._means.records.answers.add(answer)
        return words

    # Reviews.

    def _review(self, wishes: list[Command]) -> None:
        """Queue a review if a command needs one; its checks are the answer."""
        if wishes:
            self._steps.do("review", lambda: self._put(wishes))

    def _put(self, wishes: list[Command]) -> None:
        """Queue one review.

        After a pause, only what was pushed meanwhile is reviewed.
        """
        job, verbs = self._job, dict.fromkeys(item.verb for item in wishes)
        order = ReviewPull(
            place=job.place,
            number=job.number,
            head=None,
            reason=f"{', '.join(f'/pf {verb}' for verb in verbs)} by {job.sender}",
            is_demand=not _DEMANDS.isdisjoint(verbs),
            is_retelling=Verb.DISMISS in verbs,
            anew=tuple(item.finding or "" for item in wishes if item.verb is Verb.RECHECK),
            author=job.sender,
        )
        self._means.tasks.put(review(order, f"{job.guid}/review"))

    def _subject(self) -> tuple[ReviewSubject, GitRemote]:
        """The pull request as it is now."""
        place, forge = self._job.place, self._forge()
        pull = review_key.current(forge, self._job.number)
        subject = ReviewSubject(
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
        body = comment.answering(fitting(words), job.answer or job.comment)
        forge, is_review = self._forge(), job.is_review
        forge.answer(job.number, job.comment, body, is_review=is_review, mark=job.answer)

    def _forge(self) -> Forge:
        place = self._job.place
        return self._means.hub.forge(place.installation, place.repository, place.repository_id)


def _changes_something(item: Command | Misread, allowed: set[str]) -> bool:
    """Whether a permitted command does more than produce text."""
    return isinstance(item, Command) and item.verb in allowed and item.verb not in FREE
