"""What workers need: GitHub, the records, the reviewer, the queues; all as protocols."""

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
    """The subject of a review: a pull request, or a branch if `number` is None.

    `base` is the merge base, None if nothing came before: then the whole paper is reviewed.
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
    """The result of a review without a model; `saved` is all that publishing needs, as JSON.

    `is_readable`: there are proofs for a model to read; `is_absent` as in `ReviewResult`.
    """

    saved: str = field(repr=False)
    is_readable: bool
    is_absent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderUsage:
    """The usage of a reader since it began.

    `lost`: calls that the model did not answer but may answer another time.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float = 0.0
    lost: int = 0


_HOUR = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendingTerms:
    """Limits on reading proofs, in addition to the paper's settings; in dollars.

    `today` returns what other runs have spent on the repository since midnight, `left` what all
    others leave of our caps; both are called before each model call. `spent`: what this run had
    spent before a crash. `seconds`: how long calls may be started. `note` receives the usage after
    each call; once `is_over`, no other call is started, and replies are stored in any case.
    """

    today: Callable[[], float] = lambda: 0.0
    left: Callable[[], float] | None = None
    spent: float = 0.0
    seconds: float = _HOUR
    note: Callable[[ReaderUsage], None] = lambda used: None
    is_over: Callable[[], bool] = lambda: False


class Reviewer(Protocol):
    """Reviews, and renders their results; publishing never needs a second review.

    Every method may raise IncompleteError; those of commands raise UsageError if there is no such
    finding.
    """

    @property
    def has_model(self) -> bool:
        """Whether a model is set up to read proofs."""

    def asked_of_app(self, place: RepositoryPlace, commit: str, origin: GitRemote) -> AppDefaults:
        """The settings of a commit that concern the App, for any of its papers."""

    def settings(self, place: RepositoryPlace, commit: str, origin: GitRemote) -> str:
        """One word for everything but the two commits that determines a review.

        That is the settings and ledgers of a trusted commit, and the model that reads here.
        """

    def structure(self, subject: ReviewSubject, origin: GitRemote) -> StructureResult:
        """The review without a model."""

    def proofs(self, subject: ReviewSubject, origin: GitRemote, terms: SpendingTerms) -> str:
        """The model's review, as JSON; proofs that were read before cost nothing."""

    def known(self, subject: ReviewSubject, origin: GitRemote) -> str:
        """Earlier verdicts of models, as JSON, without any call."""

    def checks(self, told: PublishedReview[str]) -> tuple[CommitCheck, ...]:
        """The checks of the commit."""

    def changes(self, told: PublishedReview[str], existing: list[Existing]) -> Changes:
        """The changes that the comments need."""

    def keep_issue(self, told: PublishedReview[str], forge: PublishingForge) -> str:
        """Keep the issue of the default branch up to date; a sentence about it."""

    def explained(self, subject: ReviewSubject, origin: GitRemote, finding: str) -> str:
        """Everything known about a finding, as Markdown."""

    def graph(self, subject: ReviewSubject, origin: GitRemote) -> str:
        """A graph of what the change affects, in Markdown, or the reason why there is none."""

    def dismissed(
        self, subject: ReviewSubject, origin: GitRemote, asked: DismissalRecord
    ) -> tuple[DismissalRecord, str]:
        """The answer to a finding, completed for storage, and words that confirm it."""

    def forget(self, place: RepositoryPlace, number: int) -> None:
        """Drop what was fetched for a pull request."""

    def places(self) -> set[int]:
        """The ids of the repositories of which this machine stores data."""

    def erase(self, repository_id: int) -> None:
        """Erase the data of a repository."""


class Tasks(Protocol):
    """The queues; a task that is queued already is not added again. DeliveryError on failure."""

    def put(self, task: QueuedJob) -> None:
        """Queue a task durably."""

    def waiting(self, prefix: str) -> list[Job]:
        """The waiting jobs whose ids start so, the oldest first."""

    def erase(self, prefix: str) -> None:
        """Remove the tasks whose ids start so, done or not, except those at work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerContext:
    """What a worker has; `lag` is how many seconds GitHub may need to catch up with its own events.

    `again` are the delays in seconds after which a model that did not answer is asked again.
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
