"""What is found on a pull request: its structure at once, its proofs as far as money goes.

Settings, answers and the ledger are those of the trusted commit. What cannot be reviewed is a
value that says so; GitError and StoreError are raised, for they may be over the next time.
Everything here runs to its end in the thread that calls it, and may not be
called from within an event loop.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from bot.domain.comment import CommentCaps
from bot.domain.hunks import Diff
from bot.domain.review_result import ReviewPart, ReviewResult
from bot.reviewing import build_result
from bot.reviewing.asking import ModelReader, SpendingAllowance, Watch
from bot.reviewing.build_result import ResultTerms
from pfcore.cli.ask_model import Opening, server
from pfcore.domain.errors import GitError, IncompleteError, PfError, RevisionError, ShallowError
from pfcore.domain.paper_settings import PRIVATE
from pfcore.ledger.ledger import Ledger, merged
from pfcore.ledger.lock_lines import read_ledger as parsed
from pfcore.llm.model_settings import ModelChoice
from pfcore.llm.store.reply_store import ReplyStore, StoreError
from pfcore.papers.parse_cache import CacheBackend
from pfcore.papers.processes import ProcessPool
from pfcore.papers.shelf import ParseCache
from pfcore.repository.git import GitRepository
from pfcore.repository.revisions import between, settings_of
from pfcore.repository.snapshot import from_revision
from pfcore.repository.source_files import FolderLimits
from pfcore.review.review import Report, guarded, review, with_answers
from pfcore.review.verification_setup import VerificationSetup


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandDismissal:
    """A dismissal by command; `lines` are of a ledger, "" for a finding of a check."""

    finding: str
    reason: str
    who: str
    lines: str = ""
    aliases: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewSubject:
    """What is reviewed, as commits; `base` None: the whole paper.

    `trusted` is the one whose settings, answers and ledger count: the tip of the base branch.
    """

    head: str
    trusted: str
    base: str | None
    answers: tuple[CommandDismissal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewTools:
    """What reviews work with, opened by the thread that uses it.

    Without `choice` nobody is asked; `who` opens the model. `is_simulated`: it is no real one.
    """

    cache: CacheBackend
    workers: ProcessPool = field(default_factory=ProcessPool)
    choice: ModelChoice | None = None
    store: ReplyStore | None = None
    who: Opening = server
    limits: FolderLimits = field(default_factory=FolderLimits)
    caps: CommentCaps = field(default_factory=CommentCaps)
    is_simulated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofErrand:
    """What a reading may use and who looks on; `anew`: findings whose modules are read anew."""

    purse: SpendingAllowance = field(default_factory=SpendingAllowance)
    watch: Watch = field(default_factory=Watch)
    anew: tuple[str, ...] = ()


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
    errand: ProofErrand | None = None,
) -> ReviewResult:
    """What readers say of the proofs that the change affects, or of what the errand names."""
    errand = errand or ProofErrand()

    def made() -> Report:
        if kit.choice is None or kit.store is None:
            raise IncompleteError("no model is configured, so no proof can be read")
        reader = ModelReader(
            choice=kit.choice,
            store=kit.store,
            purse=errand.purse,
            watch=errand.watch,
            who=kit.who,
        )
        return reader.read(
            review_from_replies(repository, subject, kit), _desk(subject, kit), errand.anew
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
        terms = _settled(_terms(part, subject, kit), repository, subject)
        return build_result.result_of_review(make(), diff, terms)
    except (GitError, StoreError):
        raise
    except (RevisionError, ShallowError) as error:  # it was fetched, and is gone from the cache
        raise GitError(error.message) from error
    except PfError as error:
        return unfound(error, part, repository, subject, kit)


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
        terms = _settled(terms, repository, subject)
    return build_result.result_of_failure(error, terms)


def _terms(part: ReviewPart, subject: ReviewSubject, kit: ReviewTools) -> ResultTerms:
    return ResultTerms(
        part=part,
        head=subject.head,
        base=subject.base,
        trusted=subject.trusted,
        caps=kit.caps,
        has_reader=kit.choice is not None,
        is_simulated=kit.is_simulated,
    )


def _settled(terms: ResultTerms, repository: GitRepository, subject: ReviewSubject) -> ResultTerms:
    """The terms with what the trusted settings say."""
    found = list(settings_of(from_revision(repository, subject.trusted)))
    return replace(
        terms,
        is_private=any(item.publish == PRIVATE for item in found),
        is_required=any(item.app.required for item in found),
    )
