"""The App's records of its work: runs, answers to findings, pauses, workers; as protocols.

Every method may raise RecordError, whose sentence omits the database's address, which may hold a
password. Text of papers is in the results only, and is erased with them.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol, TypedDict, Unpack

from bot.domain.events import RepositoryPlace
from bot.domain.review_result import ReviewOutline
from pfcore.domain.errors import IncompleteError


class RecordError(IncompleteError):
    """The database cannot be opened, does not answer, or belongs to another release."""


class RunState(StrEnum):
    """The state of a run; `waiting` means that a person has to agree."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    SUPERSEDED = "superseded"
    SKIPPED = "skipped"
    FAILED = "failed"


MUTE = frozenset((RunState.SUPERSEDED, RunState.SKIPPED))
"""The states in which a run leaves the report on its commit to others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """A line of a run's log; `at` is in seconds since 1970."""

    at: float
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRun:
    """One piece of work; `number` is None if it is about a commit of a branch.

    `reason` says why it was started, `note` how it ended, each on a line for people. The results
    `structure` and `proofs` are JSON; None means that there are none, or that the run is from a
    list, where results and log are left out; the outlines follow from them. Moments are in seconds
    since 1970.
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
    """The fields of a run that may change."""

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
    """The work done since a moment; `seconds` are the durations of the runs that ended."""

    states: dict[RunState, int]
    calls: int
    input_tokens: int
    output_tokens: int
    dollars: float
    seconds: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DismissalRecord:
    """A dismissal by command; `lines` are its lines for `pf.lock`, "" for a check's finding.

    A request has the finding's id alone; `aliases` and `lines` are filled in later.
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
    """A place in the order of runs, given by a run's id."""

    created: float
    id: str


class Runs(Protocol):
    """Runs by id; an id is created only once, even if a delivery is repeated."""

    def begin(self, run: ReviewRun) -> bool:
        """Store a new run; False if its id exists, and that run is left as it is."""

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

        They are about a branch if `number` is None; results and logs are left out.
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
        """The id of the repository that last had this name, in any case; by its newest run."""

    def places(self, installation: int) -> list[int]:
        """The repositories of an installation that ever had a run and were not erased."""

    def change(
        self,
        run_id: str,
        *,
        only: frozenset[RunState] = frozenset(RunState),
        **fields: Unpack[Fields],
    ) -> bool:
        """Change a run if it is in one of these states; whether it was."""

    def log(self, run_id: str, line: str) -> None:
        """Add a line to a run's log, cut to 500 characters; no paper text, no secrets."""

    def spent(self, since: float, repository_id: int | None = None) -> float:
        """The dollars of all runs that began since a moment, including forgotten and erased ones.

        The cost of an erased repository counts in the total, but for no single repository.
        """

    def tally(self, since: float) -> WorkTally:
        """The work of the runs that were created since a moment."""


class DismissalRecords(Protocol):
    """The dismissals of pull requests."""

    def add(self, answer: DismissalRecord) -> None:
        """Store a dismissal; a later one of the same finding replaces it."""

    def of(self, repository_id: int, number: int) -> list[DismissalRecord]:
        """The dismissals of a pull request, the oldest first."""


class Pulls(Protocol):
    """Decisions of people on whole pull requests."""

    def is_paused(self, repository_id: int, number: int) -> bool:
        """Whether reading is paused until `/pf resume`."""

    def pause(self, place: RepositoryPlace, number: int, *, is_paused: bool) -> None:
        """Pause or resume."""

    def agreed(self, repository_id: int, number: int) -> str | None:
        """The head of a fork that a maintainer allowed to be read."""

    def agree(self, place: RepositoryPlace, number: int, head: str) -> None:
        """Record the head that a maintainer saw; it replaces an earlier one."""


HOUR = 3600.0
"""The length of the window in seconds in which a person's comments are counted."""


class PeopleRecords(Protocol):
    """How often people have addressed the App."""

    def count(self, place: RepositoryPlace, guid: str, who: str, most: int) -> int:
        """The rank of a person's comment within an hour, over all of an installation.

        Comments past the first one beyond `most` are not recorded and get that one's rank.
        """


class WorkerRecords(Protocol):
    """The workers that are alive: each reports now and then."""

    def beat(self, worker: str) -> None:
        """Record that a worker is alive."""

    def beats(self) -> dict[str, float]:
        """The time of each worker's last sign of life, in seconds since 1970."""


class Records(Protocol):
    """All of it, in one database."""

    @property
    def runs(self) -> Runs:
        """The runs."""

    @property
    def answers(self) -> DismissalRecords:
        """The dismissals of findings."""

    @property
    def pulls(self) -> Pulls:
        """The decisions on pull requests."""

    @property
    def people(self) -> PeopleRecords:
        """The comments of people."""

    @property
    def workers(self) -> WorkerRecords:
        """The workers."""

    def move(self, place: RepositoryPlace) -> None:
        """Assign a repository's records to the installation that has it now."""

    def erase(self, installation: int, repository_id: int | None = None) -> int:
        """Erase the records of an installation, or of one of its repositories; how many runs.

        The sums spent and their times stay, with nothing that tells where.
        """

    def forget(self, before: float) -> int:
        """Erase the runs that ended, or were created and never ended, before a moment; how many.

        Answers and pauses are erased once their pull request has no run left.
        """

    def close(self) -> None:
        """Close the database."""
