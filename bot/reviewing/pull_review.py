"""The review of a pull request: its structure at once, its proofs within the spending limits.

Settings, answers and the ledger are those of the trusted commit. A failed review is a value that
says so; but GitError and StoreError are raised, because another try may succeed. Everything runs in
the calling thread, and must not be called within an event loop.

Models are asked about what a change affects, within several budgets.
"""

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field, replace

from bot.domain.comment import CommentCaps, Diff
from bot.domain.review_result import ReviewPart, ReviewResult
from bot.domain.worker_context import ReaderUsage, ReviewSubject, SpendingTerms
from bot.reviewing import build_result
from bot.reviewing.build_result import ResultTerms
from pfcore.domain.errors import (
    GitError,
    IncompleteError,
    NoPaperError,
    PfError,
    RevisionError,
    ShallowError,
    UsageError,
)
from pfcore.domain.paper_settings import PRIVATE
from pfcore.ledger.ledger import Ledger, merged
from pfcore.ledger.lock_lines import read_ledger as parsed
from pfcore.llm.engine.action import EngineEvent, EngineEventKind
from pfcore.llm.engine.budget import Budget
from pfcore.llm.model_settings import ModelChoice, require_key
from pfcore.llm.store.reply_store import ReplyStore, StoreError
from pfcore.papers.parse_cache import CacheBackend, ParseCache
from pfcore.papers.processes import ProcessPool
from pfcore.repository.git import GitRepository
from pfcore.repository.revisions import between, has_paper, settings_of, touches_no_paper
from pfcore.repository.snapshot import from_revision
from pfcore.repository.source_files import FolderLimits
from pfcore.review.reading_session import (
    AskingObserver,
    Done,
    Opening,
    ReadJob,
    Work,
    asked,
    run_budget,
    server,
    unread_jobs,
)
from pfcore.review.review import PaperReport, Report, guarded, review, with_answers
from pfcore.review.verification_setup import VerificationSetup


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewTools:
    """The tools of reviews, opened by the thread that uses them.

    Without `choice` no model is asked; `who` opens the model. `is_simulated`: it is not a real one.
    `has_reader`: a model reads, here or for the other half.
    """

    cache: CacheBackend
    workers: ProcessPool = field(default_factory=ProcessPool)
    choice: ModelChoice | None = None
    store: ReplyStore | None = None
    who: Opening = server
    limits: FolderLimits = field(default_factory=FolderLimits)
    caps: CommentCaps = field(default_factory=CommentCaps)
    is_simulated: bool = False
    has_reader: bool = False


def review_structure(
    repository: GitRepository, subject: ReviewSubject, kit: ReviewTools, diff: Diff
) -> ReviewResult:
    """The review without a model; a failed review is a value, too."""

    def made() -> Report:
        return review_keyless(repository, subject, kit)

    return _saved(ReviewPart.STRUCTURE, repository, subject, kit, diff, made)


def review_proofs(
    repository: GitRepository,
    subject: ReviewSubject,
    kit: ReviewTools,
    diff: Diff,
    terms: SpendingTerms | None = None,
) -> ReviewResult:
    """The model's review of the affected proofs, or of those to be read anew."""

    def made() -> Report:
        if kit.choice is None or kit.store is None:
            raise IncompleteError("no model is set, so no proof can be read")
        reader = ModelReader(
            choice=kit.choice,
            store=kit.store,
            terms=terms or SpendingTerms(),
            who=kit.who,
        )
        return reader.read(
            review_from_replies(repository, subject, kit), _desk(subject, kit), subject.anew
        )

    return _saved(ReviewPart.PROOFS, repository, subject, kit, diff, made)


def rebuild_result(
    repository: GitRepository, subject: ReviewSubject, kit: ReviewTools, diff: Diff
) -> ReviewResult:
    """The review from earlier replies, without a model call."""

    def made() -> Report:
        return review_from_replies(repository, subject, kit)

    return _saved(ReviewPart.PROOFS, repository, subject, kit, diff, made)


def review_keyless(repository: GitRepository, subject: ReviewSubject, kit: ReviewTools) -> Report:
    """The review without a model: checks and the ledger; PfError if there can be none."""
    return _look(repository, subject, kit, VerificationSetup(answers=_lines(subject)))


def review_from_replies(
    repository: GitRepository, subject: ReviewSubject, kit: ReviewTools
) -> Report:
    """The review with all earlier replies, without a model call."""
    return _look(repository, subject, kit, _desk(subject, kit))


def _look(
    repository: GitRepository, subject: ReviewSubject, kit: ReviewTools, desk: VerificationSetup
) -> Report:
    found = between(
        repository, subject.base, subject.head, trusted=subject.trusted, limits=kit.limits
    )
    made = review(found.before, found.after, ParseCache(kit.cache, kit.workers), desk=desk)
    answers = {
        name: f"{item.reason} ({item.who})"
        for item in subject.answers
        for name in (item.finding, *item.aliases)
    }
    return with_answers(guarded(made), answers)


def _desk(subject: ReviewSubject, kit: ReviewTools) -> VerificationSetup:
    return VerificationSetup(choice=kit.choice, store=kit.store, answers=_lines(subject))


def _lines(subject: ReviewSubject) -> Ledger:
    return merged(*(parsed(item.lines).ledger for item in subject.answers))


def _saved(
    part: ReviewPart,
    repository: GitRepository,
    subject: ReviewSubject,
    kit: ReviewTools,
    diff: Diff,
    make: Callable[[], Report],
) -> ReviewResult:
    try:
        terms = _settled(_terms(part, subject, kit), repository)
        return build_result.result_of_review(make(), diff, terms)
    except (GitError, StoreError):
        raise
    except (RevisionError, ShallowError) as error:  # it was fetched, but is gone from the cache
        raise GitError(error.message) from error
    except PfError as error:
        made = unfound(error, part, repository, subject, kit)
        sides = subject.base, subject.trusted, subject.head
        is_absent = isinstance(error, NoPaperError) and not has_paper(repository, *sides)
        is_pull = subject.number is not None and part is ReviewPart.STRUCTURE
        if is_pull and not is_absent and touches_no_paper(repository, subject.base, subject.head):
            return build_result.result_apart(made)
        return made.model_copy(update={"is_absent": is_absent})


def unfound(
    error: PfError,
    part: ReviewPart,
    repository: GitRepository,
    subject: ReviewSubject,
    kit: ReviewTools,
) -> ReviewResult:
    """The result to store if there can be no review."""
    terms = _terms(part, subject, kit)
    with suppress(PfError):
        terms = _settled(terms, repository)
    return build_result.result_of_failure(error, terms)


def _terms(part: ReviewPart, subject: ReviewSubject, kit: ReviewTools) -> ResultTerms:
    return ResultTerms(
        part=part,
        subject=subject,
        caps=kit.caps,
        has_reader=kit.has_reader or kit.choice is not None,
        is_simulated=kit.is_simulated,
    )


def _settled(terms: ResultTerms, repository: GitRepository) -> ResultTerms:
    """The terms, completed by the trusted settings."""
    found = list(settings_of(from_revision(repository, terms.subject.trusted)))
    return replace(
        terms,
        is_private=any(item.publish == PRIVATE for item in found),
        is_required=any(item.app.required for item in found),
    )


_NO_PRICE = (
    "no price is known for {model}, so no budget can be enforced: the App's operator "
    "must set its price"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReader:
    """The model, the store of replies, the spending limits and the observer of a reading."""

    choice: ModelChoice
    store: ReplyStore
    terms: SpendingTerms
    who: Opening = server

    def read(self, report: Report, desk: VerificationSetup, anew: Collection[str] = ()) -> Report:
        """The review after reading what is unread, or the modules of the given findings anew.

        If none of these findings exists any more, `anew` is ignored. IncompleteError if no model
        can be asked: a key is missing, or a price that budgets need.
        """
        wanted = [(paper, _jobs_anew(paper, anew)) for paper in report.papers]
        if not any(jobs for _, jobs in wanted):
            is_whole = report.before is None
            wanted = [(paper, unread_jobs(paper, whole=is_whole)) for paper in report.papers]
        budgets: list[Budget] = []
        works = [
            Work(jobs=jobs, budget=self._budget(paper, budgets)) for paper, jobs in wanted if jobs
        ]
        if not works:
            return report
        if self.who is server:
            _require_key(self.choice)
        self.store.require_writable()  # replies that cannot be stored would be paid for again
        progress = _WatchedProgress(terms=self.terms, budgets=budgets)
        return asked(report, desk, works, self.store, progress, who=self.who)

    def _budget(self, paper: PaperReport, others: list[Budget]) -> Budget:
        """The budget of a paper, which takes account of the run's other papers."""
        settings, terms = paper.state.paper.settings, self.terms
        if self.choice.price is None:
            raise IncompleteError(_NO_PRICE.format(model=self.choice.model))

        def spent() -> float:
            return terms.spent + sum(item.spent - terms.spent for item in others)

        made = Budget(
            price=self.choice.price,
            dollars=run_budget(settings, paper.state.paper.name),
            seconds=terms.seconds,
            dollars_per_day=settings.reading.budget_per_day,
            day_spent=lambda: terms.today() + spent(),
            spent=terms.spent,
        )
        if terms.left is not None:
            left = terms.left
            made.left = lambda: left() - (spent() - made.spent)
        others.append(made)
        return made


def _require_key(choice: ModelChoice) -> None:
    """Raise IncompleteError if a key is missing, because the App's operator has to set it."""
    try:
        require_key(choice.connection)
    except UsageError as error:
        raise IncompleteError(error.message) from error


def _jobs_anew(paper: PaperReport, anew: Collection[str]) -> list[ReadJob]:
    """Jobs that read the modules of the given findings once more.

    A reading that was cut short, as by a crash, is continued, not restarted.
    """
    sheet = paper.sheet
    if sheet is None or not anew:
        return []
    meant = {
        item.module
        for item in paper.objections
        if not item.aliases.isdisjoint(anew) or item.id in anew
    }
    unread = sheet.unread()
    return [
        ReadJob(task=task, knowledge=sheet.knowledge, is_recheck=name not in unread)
        for name, task in sheet.tasks.items()
        if name in meant
    ]


@dataclass(kw_only=True)
class _WatchedProgress(AskingObserver):
    """Reports usage to the observer, and lets no call start once the run is over."""

    terms: SpendingTerms
    budgets: list[Budget]
    lost: int = 0

    def call(self, event: EngineEvent) -> None:
        """Record the outcome of an action."""
        super().call(event)
        self.lost += event.kind is EngineEventKind.FAILED and event.may_pass
        self._tell()

    def module(self, item: Done) -> None:
        """Record a finished module."""
        super().module(item)
        self._tell()

    def _tell(self) -> None:
        tally = self.tally
        self.terms.note(
            ReaderUsage(
                calls=tally.calls,
                input_tokens=tally.usage.input,
                output_tokens=tally.usage.output,
                dollars=tally.cost,
                lost=self.lost,
            )
        )
        if self.terms.is_over():
            for budget in self.budgets:
                budget.seconds = 0.0
