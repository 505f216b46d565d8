"""What is found on a pull request: its structure at once, its proofs as far as money goes.

Settings, answers and the ledger are those of the trusted commit. What cannot be reviewed is a
value that says so; GitError and StoreError are raised, for they may be over the next time.
Everything here runs to its end in the thread that calls it, and may not be
called from within an event loop.

Asks a model about what a change affects, as far as several purses allow.
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
    """What reviews work with, opened by the thread that uses it.

    Without `choice` nobody is asked; `who` opens the model. `is_simulated`: it is no real one.
    `has_reader`: somebody reads, here or for another half.
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
    """What needs no model; a review that cannot be had is a value, too."""

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
    """What readers say of the proofs that the change affects, or of what is to be read anew."""

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
    """What readers have said of the proofs before; nobody is asked."""

    def made() -> Report:
        return review_from_replies(repository, subject, kit)

    return _saved(ReviewPart.PROOFS, repository, subject, kit, diff, made)


def review_keyless(repository: GitRepository, subject: ReviewSubject, kit: ReviewTools) -> Report:
    """The review without a model: checks, and what the ledger has; PfError where there is none."""
    return _look(repository, subject, kit, VerificationSetup(answers=_lines(subject)))


def review_from_replies(
    repository: GitRepository, subject: ReviewSubject, kit: ReviewTools
) -> Report:
    """The review with all that has been replied before; nobody is asked."""
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
    except (RevisionError, ShallowError) as error:  # it was fetched, and is gone from the cache
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
    """What is kept where no review can be had."""
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
    """The terms with what the trusted settings say."""
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
    """Who is asked, where replies are kept, what may be spent, and who looks on."""

    choice: ModelChoice
    store: ReplyStore
    terms: SpendingTerms
    who: Opening = server

    def read(self, report: Report, desk: VerificationSetup, anew: Collection[str] = ()) -> Report:
        """The review with what is unread of it, or with the modules of some findings read anew.

        Where there are no such findings any more, it is as if none was named. IncompleteError
        where nothing can be asked: a key is missing, or a price that budgets need.
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
        self.store.require_writable()  # what cannot be kept would be paid again at each retry
        progress = _WatchedProgress(terms=self.terms, budgets=budgets)
        return asked(report, desk, works, self.store, progress, who=self.who)

    def _budget(self, paper: PaperReport, others: list[Budget]) -> Budget:
        """The budget of one paper; those of all papers of the run see each other."""
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
    """IncompleteError where a key is missing: it is for the App's operator to set."""
    try:
        require_key(choice.connection)
    except UsageError as error:
        raise IncompleteError(error.message) from error


def _jobs_anew(paper: PaperReport, anew: Collection[str]) -> list[ReadJob]:
    """The modules of findings, to be read once more; nothing where no such finding is there.

    A reading that was cut short, as by a crash, goes on instead of beginning anew.
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
    """Tells who looks on, and lets no call begin once it is over."""

    terms: SpendingTerms
    budgets: list[Budget]
    lost: int = 0

    def call(self, event: EngineEvent) -> None:
        """Take note of what became of an action."""
        super().call(event)
        self.lost += event.kind is EngineEventKind.FAILED and event.may_pass
        self._tell()

    def module(self, item: Done) -> None:
        """Take note of a module that is done."""
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
