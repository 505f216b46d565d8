"""What is handed from the doors to the workers: jobs, as values that a queue keeps as JSON.

A queue outlives releases: a field that comes later has a default.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from bot.domain.chat_commands import Command, Misread
from bot.domain.events import RepositoryPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPull:
    """Review a pull request as it is by then.

    `head` is what the one who asks knew of, None where that does not matter; so is `base_ref`, the
    branch that it was given as another base. `is_demand`: a person
    asks, so drafts, pauses and what was reviewed before do not count. `is_retelling`: a person
    answered a finding, so what is known is told anew, and what a draft or a pause keeps unread
    stays so, save for a demand. `is_closing`: it was closed. `anew` are ids of findings whose
    proofs are to be read once more. `after` is the run that this is another try of, as the model
    did not answer, or ""; `tries` came before.
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
    `head` is the commit that it was written beside a line of, if any.
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


_Job = ReviewPull | ReviewBranch | Rerun | ReplyJob | TellEnd | Erase
Job = Annotated[_Job, Field(discriminator="kind")]

_JOBS: TypeAdapter[_Job] = TypeAdapter(Job)


def job_text(job: Job) -> str:
    """A job as JSON."""
    return _JOBS.dump_json(job).decode()


def read_job(text: str) -> Job:
    """The job that a queue has kept."""
    return _JOBS.validate_json(text)
