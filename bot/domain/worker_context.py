"""What work is done with: GitHub, the records, the reader, the queues; all as protocols."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from bot.app_settings import AppSettings
from bot.domain.deliveries import Deliveries
from bot.domain.durable_steps import PATIENCE
from bot.domain.events import RepositoryPlace
from bot.domain.forge import CommitCheck, GitRemote, Hub, PublishingForge
from bot.domain.job import Job, QueuedJob
from bot.domain.reconcile import Changes, Existing
from bot.domain.review_result import PublishedReview
from bot.domain.run_records import DismissalRecord, Records
from pfcore.domain.paper_settings import AppDefaults

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewSubject:
    """What is to be reviewed, a branch where `number` is None.

    `base` is where the head parted, None where nothing came before: the whole paper is meant.
    `trusted` is the commit whose settings, answers and ledger count: the tip of the base branch.
    `answers` were given by command; `anew` are ids of findings whose proofs are to be read once
    more.
    """

    place: RepositoryPlace
    number: int | None
    base: str | None
    head: str
    trusted: str
    answers: tuple[DismissalRecord, ...] = ()
    anew: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StructureResult:
    """What a review without a model came to; `saved` is all that is needed to tell it, as JSON.

    `is_readable`: there are proofs for a reader to look at; `is_absent` as in `ReviewResult`.
    """

    saved: str = field(repr=False)
    is_readable: bool
    is_absent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderUsage:
    """What a reader has used since it began.

    `lost`: calls that the model did not answer, and may answer another time.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float = 0.0
    lost: int = 0


_HOUR = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendingTerms:
    """What holds while proofs are read, beside what the paper's settings say; in dollars.

    `today`: what other runs have spent on the repository since midnight; `left`: what all others
    leave of our caps; both are asked before each call. `spent`: what this run had spent before a
    crash. `seconds`: how long calls may begin. `note` hears of each call how much was used; once
    `is_over` no other call begins, and what was replied is kept in any case.
    """

    today: Callable[[], float] = lambda: 0.0
    left: Callable[[], float] | None = None
    spent: float = 0.0
    seconds: float = _HOUR
    note: Callable[[ReaderUsage], None] = lambda used: None
    is_over: Callable[[], bool] = lambda: False


class Reviewer(Protocol):
    """Reviews, and the words for them; nothing that is told needs a second review.

    Every method may raise IncompleteError; those of commands raise UsageError where there is no
    such finding.
    """

    @property
    def has_model(self) -> bool:
        """Whether anybody is there to read proofs."""

    def asked_of_app(self, place: RepositoryPlace, commit: str, origin: GitRemote) -> AppDefaults:
        """What the settings of a commit ask of the App, for any of its papers."""

    def settings(self, place: RepositoryPlace, commit: str, origin: GitRemote) -> str:
        """What decides a review beside its two commits, as one word.

        Those are the settings and ledgers of a trusted commit, and who reads here.
        """

    def structure(self, subject: ReviewSubject, origin: GitRemote) -> StructureResult:
        """What can be said without a model."""

    def proofs(self, subject: ReviewSubject, origin: GitRemote, terms: SpendingTerms) -> str:
        """What a reader says, as JSON; what was read before is there without any money."""

    def known(self, subject: ReviewSubject, origin: GitRemote) -> str:
        """What readers have said before, as JSON; nobody is asked."""

    def checks(self, told: PublishedReview[str]) -> tuple[CommitCheck, ...]:
        """The checks of the commit."""

    def changes(self, told: PublishedReview[str], existing: list[Existing]) -> Changes:
        """What is to be done about comments."""

    def keep_issue(self, told: PublishedReview[str], forge: PublishingForge) -> str:
        """Keep the issue of the default branch up to date; a sentence about it."""

    def explained(self, subject: ReviewSubject, origin: GitRemote, finding: str) -> str:
        """All that is known of a finding, as Markdown."""

    def graph(self, subject: ReviewSubject, origin: GitRemote) -> str:
        """What the change affects, as a graph in Markdown, or why there is none."""

    def dismissed(
        self, subject: ReviewSubject, origin: GitRemote, asked: DismissalRecord
    ) -> tuple[DismissalRecord, str]:
        """An answer to a finding, with all that is to be kept of it; and words that confirm it."""

    def forget(self, place: RepositoryPlace, number: int) -> None:
        """Keep no more what was fetched for a pull request."""

    def places(self) -> set[int]:
        """The repositories that something is kept of on this machine."""

    def erase(self, repository_id: int) -> None:
        """Erase all that is kept of a repository."""


class Tasks(Protocol):
    """The queues; a task that is there already is not put again. DeliveryError where they fail."""

    def put(self, task: QueuedJob) -> None:
        """Hand a task on for good."""

    def waiting(self, prefix: str) -> list[Job]:
        """The jobs that wait under ids with this beginning, the oldest first."""

    def erase(self, prefix: str) -> None:
        """Forget the tasks with such ids, done or not, save for those that are at work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerContext:
    """All that a worker has; `lag` is how many seconds GitHub may need to know what it told us.

    `again` are the seconds after which a model that did not answer is asked again.
    """

    settings: AppSettings
    hub: Hub
    records: Records
    deliveries: Deliveries
    reviewer: Reviewer
    tasks: Tasks
    clock: Clock
    patience: tuple[float, ...] = PATIENCE
    lag: float = 15.0
    again: tuple[float, ...] = (600.0, 3600.0, 6 * 3600.0)
