"""What people ask for in comments: done if they may ask, acknowledged, answered once.

Who may not ask gets a reaction and no answer: what strangers say makes us say nothing.
"""

import logging
from typing import Any

from bot import commands, marks
from bot.commands import Command, Misread, Standing, Verb
from bot.forge import Forge
from bot.runs import Answer, Run
from bot.work.job import Reply, ReviewPull
from bot.work.means import Lines, Means
from bot.work.steps import Durable, EndError, Steps
from bot.work.task import review
from pfcore.report.github import prose
from pfcore.report.publication import fitting

HELP = """\
| say | and |
|---|---|
| `/pf check` | this pull request is reviewed again; for a fork: its proofs are read, too |
| `/pf recheck ID` | the proof that a finding objects to is read once more |
| `/pf explain ID` | you are told all that is known of a finding |
| `/pf dismiss ID reason` | a finding is answered, with your reason, for this pull request |
| `/pf graph` | you are shown what this pull request affects |
| `/pf pause`, `/pf resume` | new pushes are not reviewed, or are again |
| `/pf help` | you are told this |
"""
_UNKNOWN = "There is no finding `{}` in what was last read of this pull request."
_MOVED = (
    "This pull request has another head than the one that you may have seen: look at it, and say "
    "`/pf check` again."
)
_NO_GRAPH = "There is no graph to show: this change affects no proof, or too many for one picture."
_NONE_YET = "This pull request was not reviewed yet."
_PATCH = """\
Noted for this pull request. To keep it for good, add to `pf.lock`:

```diff
{}
```
"""
_NOTED = "Noted for this pull request."

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
        finding = item.finding or ""
        match item.verb:
            case Verb.CHECK:
                return self._check(number)
            case Verb.RECHECK:
                return self._recheck(number, finding)
            case Verb.EXPLAIN:
                results = self._results()
                said = self._means.reading.explained(results, finding)
                return said or _UNKNOWN.format(finding)
            case Verb.DISMISS:
                return self._dismiss(number, finding, item.reason)
            case Verb.GRAPH:
                results = self._results()
                return (self._means.reading.graph(results) or _NO_GRAPH) if results else _NONE_YET
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
        self._review(number, Verb.CHECK)
        return ""

    def _seen(self) -> str | None:
        """The head that whoever asks may have seen: what came after the comment does not count."""
        if self._job.head is not None:
            return self._job.head
        before = [run for run in self._runs() if run.created <= self._job.received and run.head]
        return before[0].head if before else None

    def _recheck(self, number: int, finding: str) -> str:
        results = self._results()
        if self._means.reading.explained(results, finding) is None:
            return _UNKNOWN.format(finding)
        self._review(number, Verb.RECHECK, again=finding)
        return ""

    def _dismiss(self, number: int, finding: str, reason: str) -> str:
        job = self._job
        lines = self._means.reading.answer(self._results(), finding, reason=reason, who=job.sender)
        if lines is None:
            return _UNKNOWN.format(finding)
        self._means.records.answers.add(self._answered(lines, reason))
        self._review(number, Verb.DISMISS)
        return _PATCH.format(_added(lines.text)) if lines.text else _NOTED

    def _answered(self, lines: Lines, reason: str) -> Answer:
        return Answer(
            place=self._job.place,
            number=self._job.number,
            finding=lines.finding,
            aliases=lines.aliases,
            lines=lines.text,
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

    def _review(self, number: int, verb: Verb, again: str = "") -> None:
        self._put(number, self._order(verb, is_demand=True, again=again))

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

    def _results(self) -> tuple[str, ...]:
        """What was last found, of the proofs first."""
        for run in self._runs():
            full = self._means.records.runs.get(run.id)
            if full is not None and full.structure is not None:
                return tuple(item for item in (full.proofs, full.structure) if item is not None)
        return ()

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


def _added(lines: str) -> str:
    """Lines as those that a patch adds; a fence in them ends nothing."""
    added: list[Any] = [f"+{line}" for line in lines.splitlines()]
    return "\n".join(added).replace("```", "` ` `")
