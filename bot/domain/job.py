"""What is handed from the doors to the workers: jobs, as values that a queue keeps as JSON.

A queue outlives releases: a field that comes later has a default.

From an event to the task for it: a job with an id that makes it one, and its turn.

Tasks that have a turn in common are done one after the other, whoever does them.
"""

import hashlib
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Literal, assert_never

from pydantic import Field, TypeAdapter

from bot.domain.chat_commands import Command, Misread
from bot.domain.check_actions import pressed_command
from bot.domain.events import (
    ActionPressed,
    BranchPushed,
    CheckRequested,
    Commented,
    Event,
    GroupQueued,
    InstallationAction,
    InstallationChanged,
    PullAction,
    PullChanged,
    RepositoryAction,
    RepositoryChanged,
    RepositoryPlace,
)
from bot.domain.run_records import ReviewRun
from pfcore.cli.github_actions import WRITERS


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPull:
    """Review a pull request as it is by then.

    `head` is what the one who asks knew of, None where that does not matter; so is `base_ref`, the
    branch that it was given as another base. `is_demand`: a person
    asks, so drafts, pauses and what was reviewed before do not count. `is_retelling`: a person
    answered a finding, so what is known is told anew, and what a draft or a pause keeps unread
    stays so, save for a demand. `is_closing`: it was closed. `anew` are ids of findings whose
    proofs are to be read once more. `after` is the run that this is another try of, as the model
    did not answer, or ""; `tries` came before. `is_twin`: another pull request of this head came,
    or went, so that its checks may have to be told elsewhere. `author` is whose doing it is, and
    `is_stranger` whether that one has no part in the repository.
    """

    kind: Literal["pull"] = "pull"
    place: RepositoryPlace
    number: int
    head: str | None
    base_ref: str | None = None
    reason: str
    is_demand: bool = False
    is_retelling: bool = False
    is_closing: bool = False
    anew: tuple[str, ...] = ()
    after: str = ""
    tries: int = 0
    is_twin: bool = False
    author: str = ""
    is_stranger: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewBranch:
    """Read what a push to a branch affects; `before` is None where the branch is new.

    `is_demand`: a person asks for it again.
    """

    kind: Literal["branch"] = "branch"
    place: RepositoryPlace
    branch: str
    before: str | None
    after: str
    is_default: bool
    sender: str
    is_demand: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewGroup:
    """Review the commit that a merge queue made, against the one before it.

    `branch` is the queue's own, `base_ref` the one that the group is to be merged into.
    """

    kind: Literal["group"] = "group"
    place: RepositoryPlace
    head: str
    branch: str
    base: str
    base_ref: str
    sender: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """Someone pressed "re-run" beside a check; without `pulls` the head leads to them.

    `branch` is where the head was pushed to, and `before` what that was at, zeros where it was new.
    `key` is what the check has in common with others of the same; None: all checks are meant.
    """

    kind: Literal["rerun"] = "rerun"
    place: RepositoryPlace
    guid: str
    head: str
    pulls: tuple[int, ...]
    sender: str
    branch: str | None = None
    before: str | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyJob:
    """Do what a comment asks for.

    `received` is when it came, in seconds of the clock, or was written, if that was earlier.
    `head` is the commit that it was written beside a line of, if any. `is_mute`: there is nothing
    to react to. `answer` is what the answer is marked with, 0: the comment.
    """

    kind: Literal["reply"] = "reply"
    place: RepositoryPlace
    guid: str
    received: float
    number: int
    comment: int
    is_review: bool
    commands: tuple[Command | Misread, ...]
    sender: str
    association: str
    is_author: bool
    head: str | None
    is_mute: bool = False
    answer: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TellEnd:
    """Say beside its commit that a run is taken up no more; `run` is its id."""

    kind: Literal["end"] = "end"
    place: RepositoryPlace
    run: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Erase:
    """Erase all of an installation, or, where there are any, of the repositories `removed`."""

    kind: Literal["erase"] = "erase"
    installation: int
    removed: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAgain:
    """Review what nobody could see of an installation: it was suspended, or granted too little.

    With `added` what is begun in these repositories: the App was there before, and is back.
    """

    kind: Literal["look"] = "look"
    installation: int
    guid: str
    added: tuple[RepositoryPlace, ...] = ()


_Job = ReviewPull | ReviewBranch | ReviewGroup | Rerun | ReplyJob | TellEnd | Erase | LookAgain
Job = Annotated[_Job, Field(discriminator="kind")]

_JOBS: TypeAdapter[_Job] = TypeAdapter(Job)


def job_text(job: Job) -> str:
    """A job as JSON."""
    return _JOBS.dump_json(job).decode()


def read_job(text: str) -> Job:
    """The job that a queue has kept."""
    return _JOBS.validate_json(text)


_NONE = "0" * 40


class Queue(StrEnum):
    """Where tasks wait: what takes long stands in nobody's way who asks a question."""

    REVIEWS = "reviews"
    REPLIES = "replies"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedJob:
    """A job in a queue; of tasks with one id there is one. `delay`: seconds that it waits first."""

    id: str
    queue: Queue
    turn: str
    job: Job
    delay: float = 0.0


def task(event: Event, *, guid: str, received: float, app: int) -> QueuedJob | None:
    """What an event asks for; None: nothing."""
    match event:
        case PullChanged():
            return review(_asked(event), guid)
        case BranchPushed():
            return _push(event, guid)
        case GroupQueued():
            return group_job(_group(event), "queue")  # of two deliveries the first one counts
        case Commented():
            return _reply(event, guid, received)
        case CheckRequested():
            return _rerun(event, guid) if event.app == app else None
        case ActionPressed():
            return _button(event, guid, received) if event.app == app else None
        case InstallationChanged():
            return _installed(event, guid)
        case RepositoryChanged():
            return _changed(event, guid)
        case _:
            assert_never(event)


def prefix(place: RepositoryPlace, number: int) -> str:
    """How the ids of all reviews of a pull request begin; names of repositories change."""
    return f"{place.repository_id}#{number}:"


def queue_of(task: str) -> Queue:
    """Where a task waits that has this id: those of reviews alone have a turn before a colon."""
    return Queue.REVIEWS if ":" in task else Queue.REPLIES


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """In whose line a task waits: nobody's tasks wait for all of another's, however many.

    `is_stranger`: they have no part in the repository, and leave room for those who have. `name` is
    "" where an older release put what waits.
    """

    name: str
    is_stranger: bool = False


def lane_of(job: Job) -> Lane | None:
    """The lane of a job: of one person in one repository; None: what nobody asked for."""
    match job:
        case ReviewPull():
            who, is_stranger = job.author, job.is_stranger
        case ReplyJob():
            who, is_stranger = job.sender, job.association not in WRITERS
        case ReviewBranch() | ReviewGroup() | Rerun():
            who, is_stranger = job.sender, False
        case TellEnd() | Erase() | LookAgain():
            return None
        case _:
            assert_never(job)
    return Lane(name=f"{job.place.repository_id}/{who}", is_stranger=is_stranger)


def review(job: ReviewPull, guid: str) -> QueuedJob:
    """A review of a pull request, which waits for the one before."""
    begin = prefix(job.place, job.number)
    return QueuedJob(id=f"{begin}{guid}", queue=Queue.REVIEWS, turn=begin, job=job)


def branch_job(job: ReviewBranch, guid: str) -> QueuedJob:
    """A review of a branch, which waits for the one before."""
    # A branch may be called nearly anything, and as long as it likes.
    short = hashlib.sha256(job.branch.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    begin = f"{job.place.repository_id}@{short}:"
    return QueuedJob(id=f"{begin}{guid}", queue=Queue.REVIEWS, turn=begin, job=job)


def group_prefix(place: RepositoryPlace, head: str) -> str:
    """How the ids of all reviews of what a merge queue made begin."""
    return f"{place.repository_id}+{head}:"


def group_job(job: ReviewGroup, word: str) -> QueuedJob:
    """A review of what a merge queue made; each commit of a queue has a turn of its own."""
    begin = group_prefix(job.place, job.head)
    return QueuedJob(id=f"{begin}{word}", queue=Queue.REVIEWS, turn=begin, job=job)


def end(run: ReviewRun) -> QueuedJob:
    """What there is to say of a run that is taken up no more, before the next review."""
    place = RepositoryPlace(
        installation=run.installation, repository=run.repository, repository_id=run.repository_id
    )
    begin = run.id.partition(":")[0] + ":"
    return QueuedJob(
        id=f"{run.id}/end", queue=Queue.REVIEWS, turn=begin, job=TellEnd(place=place, run=run.id)
    )


Placed = ReviewPull | ReviewBranch | ReviewGroup | Rerun | ReplyJob | TellEnd
"""What is done in one repository."""


def moved(job: Placed, task: str, place: RepositoryPlace) -> QueuedJob:
    """A job of a task once more, where its repository is by now; it has the turn that it had."""
    word = f"{task}/moved"
    turn = task[: min(task.index(mark) for mark in ":/" if mark in task) + 1]
    new: Placed = replace(job, place=place)
    if isinstance(new, Rerun | ReplyJob):
        new = replace(new, guid=f"{new.guid}/moved")  # by which the ids begin that it gives others
    return QueuedJob(id=word, queue=queue_of(task), turn=turn, job=new)


def known_commit(before: str) -> str | None:
    """What a branch was at; None where it is new, which GitHub says in zeros."""
    return None if before.startswith(_NONE) else before


def _asked(event: PullChanged) -> ReviewPull:
    return ReviewPull(
        place=event.place,
        number=event.number,
        head=event.head,
        base_ref=event.base_ref if event.action is PullAction.EDITED else None,
        reason=f"pull request {event.action.replace('_', ' ')}",
        is_closing=event.action is PullAction.CLOSED,
        author=event.author,
        is_stranger=event.is_stranger,
    )


def _group(event: GroupQueued) -> ReviewGroup:
    return ReviewGroup(
        place=event.place,
        head=event.head,
        branch=event.branch,
        base=event.base,
        base_ref=event.base_ref,
        sender=event.sender,
    )


def _push(event: BranchPushed, guid: str) -> QueuedJob:
    job = ReviewBranch(
        place=event.place,
        branch=event.branch,
        before=known_commit(event.before),
        after=event.after,
        is_default=event.is_default,
        sender=event.sender,
    )
    return branch_job(job, guid)


def _reply(event: Commented, guid: str, received: float) -> QueuedJob:
    # What is fetched later was written before: nobody speaks of what came in between.
    job = ReplyJob(
        place=event.place,
        guid=guid,
        received=min(received, event.written),
        number=event.number,
        comment=event.comment,
        is_review=event.is_review,
        commands=event.commands,
        sender=event.sender,
        association=event.association,
        is_author=event.is_author,
        head=event.head,
        is_mute=event.is_mute,
        answer=_number(guid) if event.is_edit or event.is_mute else 0,
    )
    return _answering(job)


def _button(event: ActionPressed, guid: str, received: float) -> QueuedJob | None:
    """What a button beside the check of a pull request asks for, as a comment would."""
    command = pressed_command(event.identifier, event.head)
    pull = _PULL.fullmatch(event.external_id)
    if command is None or pull is None:
        return None
    job = ReplyJob(
        place=event.place,
        guid=guid,
        received=received,
        number=int(pull["number"]),
        comment=_number(guid),
        is_review=False,
        commands=(command,),
        sender=event.sender,
        association="NONE",
        is_author=False,
        head=event.head,
        is_mute=True,
        answer=_number(guid),
    )
    return _answering(job)


def _answering(job: ReplyJob) -> QueuedJob:
    begin = f"{job.place.repository_id}#{job.number}/"
    return QueuedJob(id=f"{begin}{job.guid}", queue=Queue.REPLIES, turn=begin, job=job)


def _number(guid: str) -> int:
    """A number for what is said by a delivery, larger than the id of any comment."""
    digest = hashlib.sha256(guid.encode("utf-8", "surrogatepass")).digest()
    return _LARGE + int.from_bytes(digest[:8]) % _LARGE


_LARGE = 10**18
_PULL = re.compile(r"pull/(?P<number>[1-9][0-9]{0,17})")
"""The key of the checks of a pull request."""


def _rerun(event: CheckRequested, guid: str) -> QueuedJob:
    job = Rerun(
        place=event.place,
        guid=guid,
        head=event.head,
        pulls=event.pulls,
        sender=event.sender,
        branch=event.branch,
        before=event.before,
        key=event.external_id,
    )
    begin = f"{event.place.repository_id}/"
    return QueuedJob(id=f"{begin}{guid}", queue=Queue.REPLIES, turn=begin, job=job)


_BACK = frozenset((InstallationAction.UNSUSPEND, InstallationAction.ACCEPTED))
_COMES = frozenset((InstallationAction.CREATED, InstallationAction.ADDED))
_MOST_LOOKED_AT = 50
"""Repositories that are looked at as the App comes to them: an account may have thousands."""


def _changed(event: RepositoryChanged, guid: str) -> QueuedJob:
    """Keep what is known of a repository under its new name, and look for other comparisons."""
    installation = event.place.installation
    begin = f"installation {installation}/"
    job: Job = LookAgain(installation=installation, guid=guid, added=(event.place,))
    if event.action is RepositoryAction.DELETED:
        job = Erase(installation=installation, removed=(event.place.repository_id,))
    return QueuedJob(id=f"{begin}{guid}", queue=Queue.REPLIES, turn=begin, job=job)


def _installed(event: InstallationChanged, guid: str) -> QueuedJob | None:
    is_gone = event.action is InstallationAction.DELETED
    begin = f"installation {event.installation}/"
    job: Job
    if event.action in _BACK:
        job = LookAgain(installation=event.installation, guid=guid)
    elif event.action in _COMES and event.added:
        added = event.added[:_MOST_LOOKED_AT]
        job = LookAgain(installation=event.installation, guid=guid, added=added)
    elif is_gone or event.removed:
        job = Erase(installation=event.installation, removed=() if is_gone else event.removed)
    else:
        return None
    return QueuedJob(id=f"{begin}{guid}", queue=Queue.REPLIES, turn=begin, job=job)
