"""What the App remembers of its work: runs, answers to findings, pauses, who works; as protocols.

Every method may raise RecordError, whose sentence names no address of a database: it may hold a
password. Papers' text is in the results only, and what is erased takes them along.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol, TypedDict, Unpack

from bot.domain.events import RepositoryPlace
from bot.domain.review_result import ReviewOutline
from pfcore.domain.errors import IncompleteError


class RecordError(IncompleteError):
    """The database cannot be opened, does not answer, or is of another release."""


class RunState(StrEnum):
    """Where a run stands; `waiting` is for a person, who has to agree."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    SUPERSEDED = "superseded"
    SKIPPED = "skipped"
    FAILED = "failed"


MUTE = frozenset((RunState.SUPERSEDED, RunState.SKIPPED))
"""The states of runs that leave it to others to speak of their commit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """A line of a run's log; `at` is in seconds of the clock."""

    at: float
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRun:
    """One piece of work; `number` is None where it is about a commit of a branch.

    `reason` says what it was begun for, `note` what came of it, each on a line for people. The
    results `structure` and `proofs` are JSON; None means that there are none, or in a list, where
    results and log are left out; the outlines follow from them. Moments are in seconds of the
    clock.
    """

    id: str
    installation: int
    repository_id: int
    repository: str
    number: int | None
    branch: str | None = None
    is_default: bool = False
    head: str
    base: str
    reason: str
    state: RunState = RunState.QUEUED
    note: str = ""
    created: float
    started: float | None = None
    ended: float | None = None
    structure: str | None = field(default=None, repr=False)
    proofs: str | None = field(default=None, repr=False)
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float = 0.0
    log: tuple[Logged, ...] = field(default=(), repr=False)
    structure_outline: ReviewOutline | None = None
    proofs_outline: ReviewOutline | None = None


class Fields(TypedDict, total=False):
    """What of a run may change."""

    repository: str
    head: str
    base: str
    state: RunState
    note: str
    started: float | None
    ended: float | None
    structure: str | None
    proofs: str | None
    calls: int
    input_tokens: int
    output_tokens: int
    dollars: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkTally:
    """What was done since a moment; `seconds` are how long each run that ended had taken."""

    states: dict[RunState, int]
    calls: int
    input_tokens: int
    output_tokens: int
    dollars: float
    seconds: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DismissalRecord:
    """A dismissal by command; `lines` are those that it would have in `pf.lock`, "" for a check's.

    As it is asked for, it has an id of the finding alone; `aliases` and `lines` follow from it.
    """

    place: RepositoryPlace
    number: int
    finding: str
    aliases: tuple[str, ...] = ()
    lines: str = field(default="", repr=False)
    reason: str
    who: str
    when: float


class RunCursor(NamedTuple):
    """A place in the order of runs: that of the run with this id."""

    created: float
    id: str


class Runs(Protocol):
    """Runs by their ids; an id is made once, whatever is delivered again."""

    def begin(self, run: ReviewRun) -> bool:
        """Keep a new run; False where one of its id is there, which stays as it is."""

    def get(self, run_id: str) -> ReviewRun | None:
        """A run with results and log."""

    def latest(
        self,
        most: int,
        *,
        repository_id: int | None = None,
        state: RunState | None = None,
        before: RunCursor | None = None,
        after: RunCursor | None = None,
    ) -> list[ReviewRun]:
        """The newest runs, the newest first; without results and logs.

        With `before` the newest of those that are older than that place, with `after` the oldest
        of those that are newer.
        """

    def of_commit(
        self,
        repository_id: int,
        head: str,
        most: int,
        *,
        number: int | None,
        states: frozenset[RunState] = frozenset(RunState),
    ) -> list[ReviewRun]:
        """The newest runs in these states about a pull request with this head, the newest first.

        About a branch where `number` is None; without results and logs.
        """

    def of_pull(self, repository_id: int, number: int, most: int) -> list[ReviewRun]:
        """The newest runs of a pull request, the newest first; without results and logs."""

    def on_default(
        self,
        repository_id: int,
        most: int,
        *,
        states: frozenset[RunState] = frozenset((RunState.DONE,)),
    ) -> list[ReviewRun]:
        """The newest runs in these states on the default branch; without results and logs."""

    def named(self, repository: str) -> int | None:
        """The id of the repository that had this name (in any case) in the newest run so called."""

    def places(self, installation: int) -> list[int]:
        """The repositories of an installation that ever had a run, until they are erased."""

    def change(
        self,
        run_id: str,
        *,
        only: frozenset[RunState] = frozenset(RunState),
        **fields: Unpack[Fields],
    ) -> bool:
        """Change a run where it is in one of these states; whether it was."""

    def log(self, run_id: str, line: str) -> None:
        """Add a line to a run's log, cut to 500 characters; no paper text, no secrets."""

    def spent(self, since: float, repository_id: int | None = None) -> float:
        """The dollars of all runs that began since a moment, forgotten and erased ones included.

        What an erased repository cost counts for all repositories together, and for none alone.
        """

    def tally(self, since: float) -> WorkTally:
        """What the runs that were created since a moment did."""


class DismissalRecords(Protocol):
    """The dismissals of pull requests."""

    def add(self, answer: DismissalRecord) -> None:
        """Keep a dismissal; a later one of the same finding replaces it."""

    def of(self, repository_id: int, number: int) -> list[DismissalRecord]:
        """The dismissals of a pull request, the oldest first."""


class Pulls(Protocol):
    """What people have said about whole pull requests."""

    def is_paused(self, repository_id: int, number: int) -> bool:
        """Whether nothing is to be read until `/pf resume`."""

    def pause(self, place: RepositoryPlace, number: int, *, is_paused: bool) -> None:
        """Pause or resume."""

    def agreed(self, repository_id: int, number: int) -> str | None:
        """The head of a fork that a maintainer agreed to have read."""

    def agree(self, place: RepositoryPlace, number: int, head: str) -> None:
        """Note the head that a maintainer saw; it replaces an earlier one."""


HOUR = 3600.0
"""Seconds within which comments of a person are counted."""


class PeopleRecords(Protocol):
    """How often people have spoken to the App."""

    def count(self, place: RepositoryPlace, guid: str, who: str, most: int) -> int:
        """Which one of a person's comments within an hour this is, in all of an installation.

        What is past the first one beyond `most` is not noted, and is that one's like.
        """


class WorkerRecords(Protocol):
    """Who works: each worker says now and then that it lives."""

    def beat(self, worker: str) -> None:
        """Say that a worker lives."""

    def beats(self) -> dict[str, float]:
        """When each worker last said so."""


class Records(Protocol):
    """All of it, in one database."""

    @property
    def runs(self) -> Runs:
        """What was and is to be done."""

    @property
    def answers(self) -> DismissalRecords:
        """What people said of findings."""

    @property
    def pulls(self) -> Pulls:
        """What people said of pull requests."""

    @property
    def people(self) -> PeopleRecords:
        """Who spoke to the App."""

    @property
    def workers(self) -> WorkerRecords:
        """Who works."""

    def move(self, place: RepositoryPlace) -> None:
        """Let all that is kept of a repository belong to the installation that has it by now."""

    def erase(self, installation: int, repository_id: int | None = None) -> int:
        """Erase all of an installation, or of one of its repositories; how many runs.

        What stays is what was spent and when, with nothing that tells where.
        """

    def forget(self, before: float) -> int:
        """Erase the runs that ended, or were created and never ended, before a moment; how many.

        Answers and pauses go when their pull request has had no run since.
        """

    def close(self) -> None:
        """Let go of the database."""
