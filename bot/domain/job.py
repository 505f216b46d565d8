"""Jobs that the web side hands to the workers, as values that a queue stores as JSON.

A queue outlives releases, so fields that are added later need a default.

Also maps each event to its job, with an id that makes the job unique, and to its turn.

Tasks with the same turn run one after the other, whichever workers run them.
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
    """Review a pull request as it is when the job runs.

    `head` is the commit that the requester knew, `base_ref` the branch given as another base; None
    if they do not matter. `is_demand`: a person asks, so drafts, pauses and earlier reviews do not
    count. `is_retelling`: a person answered a finding, so the known results are published anew;
    drafts and pauses stay unread, except on demand. `is_closing`: it was closed. `anew` are ids of
    findings whose proofs are to be read once more. `after` is the run that this one retries as the
    model did not answer, or ""; `tries` counts the earlier ones. `is_twin`: another pull request
    with this head opened or closed, so its checks may need to be published elsewhere.
    `author` caused the job, and `is_stranger` says whether they have no part in the repository.
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
    """Read the proofs that a push to a branch affects; `before` is None if the branch is new.

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

    `branch` is the queue's own, `base_ref` the one that the group will be merged into.
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
    """Someone pressed "re-run" beside a check; if `pulls` is empty, the head identifies them.

    `branch` is where the head was pushed to, `before` its earlier tip, zeros if it was new.
    `key` identifies the checks of one subject; None: all checks are meant.
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
    """Carry out the commands of a comment.

    `received` is when it came or was written, whichever is earlier, in seconds since 1970. `head`
    is the commit of the line that it is on, if any. `is_mute`: there is nothing to react to.
    `answer` is the number in the answer's mark; 0 means the comment's id.
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
    """Say beside its commit that a run will not be resumed; `run` is its id."""

    kind: Literal["end"] = "end"
    place: RepositoryPlace
    run: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Erase:
    """Erase an installation's data, or only those of the repositories `removed`, if any."""

    kind: Literal["erase"] = "erase"
    installation: int
    removed: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAgain:
    """Review what was out of reach: an installation was suspended or lacked permissions.

    With `added`, start reviews in these repositories: the App was there before, and is back.
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
    """The job that a queue has stored."""
    return _JOBS.validate_json(text)


_NONE = "0" * 40


class Queue(StrEnum):
    """Where tasks wait; reviews have a queue of their own so that they do not delay replies."""

    REVIEWS = "reviews"
    REPLIES = "replies"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedJob:
    """A job in a queue; task ids are unique. `delay` is in seconds before it may start."""

    id: str
    queue: Queue
    turn: str
    job: Job
    delay: float = 0.0


def task(event: Event, *, guid: str, received: float, app: int) -> QueuedJob | None:
    """The job of an event; None if it needs none."""
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
    """The start of the ids of all reviews of a pull request, by id, because names change."""
    return f"{place.repository_id}#{number}:"


def queue_of(task: str) -> Queue:
    """The queue of a task with this id; only ids of reviews have a turn before a colon."""
    return Queue.REVIEWS if ":" in task else Queue.REPLIES


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """The line in which a task waits, so that nobody waits for all tasks of another person.

    `is_stranger`: the person has no part in the repository and gives way to those who have. `name`
    is "" for tasks stored by an older release.
    """

    name: str
    is_stranger: bool = False


def lane_of(job: Job) -> Lane | None:
    """The lane of a job, one for each person and repository; None if nobody asked for it."""
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
    """A review of a pull request, which waits for the previous one."""
    begin = prefix(job.place, job.number)
    return QueuedJob(id=f"{begin}{guid}", queue=Queue.REVIEWS, turn=begin, job=job)


def branch_job(job: ReviewBranch, guid: str) -> QueuedJob:
    """A review of a branch, which waits for the previous one."""
    # Branch names may hold nearly any characters and have any length.
    short = hashlib.sha256(job.branch.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    begin = f"{job.place.repository_id}@{short}:"
    return QueuedJob(id=f"{begin}{guid}", queue=Queue.REVIEWS, turn=begin, job=job)


def group_prefix(place: RepositoryPlace, head: str) -> str:
    """The start of the ids of all reviews of a merge queue's commit."""
    return f"{place.repository_id}+{head}:"


def group_job(job: ReviewGroup, word: str) -> QueuedJob:
    """A review of a merge queue's commit; each commit has a turn of its own."""
    begin = group_prefix(job.place, job.head)
    return QueuedJob(id=f"{begin}{word}", queue=Queue.REVIEWS, turn=begin, job=job)


def end(run: ReviewRun) -> QueuedJob:
    """A job that reports that a run will not be resumed, before the next review."""
    place = RepositoryPlace(
        installation=run.installation, repository=run.repository, repository_id=run.repository_id
    )
    begin = run.id.partition(":")[0] + ":"
    return QueuedJob(
        id=f"{run.id}/end", queue=Queue.REVIEWS, turn=begin, job=TellEnd(place=place, run=run.id)
    )


Placed = ReviewPull | ReviewBranch | ReviewGroup | Rerun | ReplyJob | TellEnd
"""Jobs within one repository."""


def moved(job: Placed, task: str, place: RepositoryPlace) -> QueuedJob:
    """The same job at the repository's current place; it keeps its turn."""
    word = f"{task}/moved"
    turn = task[: min(task.index(mark) for mark in ":/" if mark in task) + 1]
    new: Placed = replace(job, place=place)
    if isinstance(new, Rerun | ReplyJob):
        new = replace(new, guid=f"{new.guid}/moved")  # starts the ids of the jobs that it makes
    return QueuedJob(id=word, queue=queue_of(task), turn=turn, job=new)


def known_commit(before: str) -> str | None:
    """The earlier tip of a branch; None if the branch is new, which GitHub reports as zeros."""
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
    # A comment that was fetched late counts from when it was written.
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
    """The job of a button beside a pull request's check, as a comment would give it."""
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
    """A number that stands for a delivery in marks, larger than the id of any comment."""
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
"""How many added repositories are reviewed at most; an account may have thousands."""


def _changed(event: RepositoryChanged, guid: str) -> QueuedJob:
    """The job after a change of a repository: erase it if it was deleted, else look at it again."""
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
