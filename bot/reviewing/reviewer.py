"""Combines the parts that fetch, read and report; see `Reviewer`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from bot.domain import review_result
from bot.domain.comment import Diff
from bot.domain.events import RepositoryPlace
from bot.domain.forge import CommitCheck, GitRemote, PublishingForge
from bot.domain.reconcile import Changes, Existing
from bot.domain.review_result import PublishedReview, ReviewFault, ReviewResult
from bot.domain.run_records import DismissalRecord
from bot.domain.worker_context import ReviewSubject, SpendingTerms, StructureResult
from bot.publishing import review_checks
from bot.reviewing import command_replies, pull_review
from bot.reviewing.git_cache import Repositories
from bot.reviewing.pull_review import ReviewTools
from bot.reviewing.repository_data import Rooms
from bot.reviewing.sandbox import ProcessBounds, structure_apart
from pfcore.domain.digest import digest
from pfcore.domain.errors import GitError, PfError, RevisionError, SourceError, UsageError
from pfcore.domain.paper_settings import PRIVATE, AppDefaults
from pfcore.llm.model_settings import ModelChoice
from pfcore.repository.git import GitRepository
from pfcore.repository.revisions import settings_of
from pfcore.repository.snapshot import from_revision
from pfcore.repository.source_files import is_setting
from pfcore.review.reading_session import Opening, server
from pfcore.review.review import Report

_UNBEARABLE = "This pull request could not be reviewed; see its structure check."


class _Gone(Protocol):
    """A store with data of repositories."""

    def erase(self, place: int) -> None:
        """Erase the data of a repository."""


class PaperReviewer:
    """Reviews papers; `choice` is the model, if any; `is_simulated`: it is not a real one.

    With `bounds`, a paper is first parsed in a limited process of its own, both for a review and
    for questions about it in comments.
    """

    def __init__(
        self,
        repositories: Repositories,
        rooms: Rooms,
        choice: ModelChoice | None,
        *,
        who: Opening = server,
        is_simulated: bool = False,
        bounds: ProcessBounds | None = None,
    ) -> None:
        self._repositories, self._rooms, self._choice = repositories, rooms, choice
        self._who, self._is_simulated, self._bounds = who, is_simulated, bounds

    @property
    def has_model(self) -> bool:
        """Whether a model is set up to read proofs."""
        return self._choice is not None

    def asked_of_app(self, place: RepositoryPlace, commit: str, origin: GitRemote) -> AppDefaults:
        """The settings of a commit that concern the App, for any paper; broken ones are ignored."""
        refs = {"push/trusted": commit}
        repository = self._repositories.fetch(place.repository_id, origin, refs)
        try:
            found = list(settings_of(from_revision(repository, commit)))
        except RevisionError as error:  # it was fetched, but is gone from the cache
            raise GitError(error.message) from error
        except (UsageError, SourceError):
            return AppDefaults()
        return AppDefaults(
            required=any(item.app.required for item in found),
            every_branch=any(item.app.every_branch for item in found),
            issue=any(item.app.issue for item in found),
        )

    def settings(self, place: RepositoryPlace, commit: str, origin: GitRemote) -> str:
        """One word for everything but the two commits that determines a review."""
        refs = {"settings/trusted": commit}
        return self._settings(self._repositories.fetch(place.repository_id, origin, refs), commit)

    def _settings(self, repository: GitRepository, commit: str) -> str:
        choice = self._choice
        reader = (
            None
            if choice is None
            else (choice.model, choice.effort or "", choice.temperature or "")
        )
        try:
            trusted = from_revision(repository, commit)
        except RevisionError as error:  # it was fetched, but is gone from the cache
            raise GitError(error.message) from error
        chosen = [(path, item.oid) for path, item in trusted.files.items() if is_setting(path)]
        unread = [item.path for item in trusted.skipped if is_setting(item.path)]
        return digest([reader, sorted(chosen), sorted(unread)])

    def structure(self, subject: ReviewSubject, origin: GitRemote) -> StructureResult:
        """The review without a model."""
        repository, diff = self._fetched(subject, origin)
        settings = self._settings(repository, subject.trusted)
        made = self._structure(subject, repository, diff).model_copy(update={"settings": settings})
        is_readable = made.is_touched and not made.failure
        return StructureResult(saved=made.text(), is_readable=is_readable, is_absent=made.is_absent)

    def _structure(
        self, subject: ReviewSubject, repository: GitRepository, diff: Diff
    ) -> ReviewResult:
        if self._bounds is not None:
            cache = self._rooms.cache_path(subject.place.repository_id)
            return structure_apart(
                self._bounds, cache, repository, subject, diff, has_reader=self.has_model
            )
        with self._kit(subject.place, with_model=False) as kit:
            return pull_review.review_structure(repository, subject, kit, diff)

    def proofs(self, subject: ReviewSubject, origin: GitRemote, terms: SpendingTerms) -> str:
        """The model's review, as JSON."""
        repository, diff = self._fetched(subject, origin)
        with self._kit(subject.place) as kit:
            made = pull_review.review_proofs(repository, subject, kit, diff, terms)
        return made.text()

    def known(self, subject: ReviewSubject, origin: GitRemote) -> str:
        """Earlier verdicts of models, as JSON, without any call."""
        repository, diff = self._fetched(subject, origin)
        with self._kit(subject.place) as kit:
            return pull_review.rebuild_result(repository, subject, kit, diff).text()

    def checks(self, told: PublishedReview[str]) -> tuple[CommitCheck, ...]:
        """The checks of the commit."""
        return review_checks.checks(_told(told))

    def changes(self, told: PublishedReview[str], existing: list[Existing]) -> Changes:
        """The changes that the comments need."""
        found = _told(told)
        return review_checks.comment_changes(
            review_checks.wanted_comments(found), existing, head=found.structure.head
        )

    def keep_issue(self, told: PublishedReview[str], forge: PublishingForge) -> str:
        """Keep the issue of the default branch up to date; a sentence about it."""
        body, is_open = review_checks.issue_words(_told(told), has_reader=self.has_model)
        return review_checks.keep_issue(body, forge, is_open=is_open)

    def explained(self, subject: ReviewSubject, origin: GitRemote, finding: str) -> str:
        """Everything known about a finding, as Markdown."""
        with self._known(subject, origin) as (report, repository):
            is_private = _is_private(repository, subject.trusted)
            return command_replies.explained(report, finding, is_private=is_private)

    def graph(self, subject: ReviewSubject, origin: GitRemote) -> str:
        """A graph of what the change affects, in Markdown, or the reason why there is none."""
        with self._known(subject, origin) as (report, repository):
            return command_replies.graph_reply(
                report, is_private=_is_private(repository, subject.trusted)
            )

    def dismissed(
        self, subject: ReviewSubject, origin: GitRemote, asked: DismissalRecord
    ) -> tuple[DismissalRecord, str]:
        """The answer to a finding, completed for storage, and words that confirm it."""
        with self._known(subject, origin) as (report, repository):
            answer = command_replies.dismissed(report, asked)
            trusted = from_revision(repository, subject.trusted)
            is_private = _is_private(repository, subject.trusted)
            return answer, command_replies.confirmed(answer, report, trusted, is_private=is_private)

    def forget(self, place: RepositoryPlace, number: int) -> None:
        """Drop what was fetched for a pull request."""
        self._repositories.forget(place.repository_id, str(number))

    def erase(self, repository_id: int) -> None:
        """Erase the data of a repository."""
        gone: tuple[_Gone, ...] = (self._repositories, self._rooms)
        for kept in gone:
            kept.erase(repository_id)

    def places(self) -> set[int]:
        """The ids of the repositories of which this machine stores data."""
        return self._rooms.places()

    @contextmanager
    def _known(
        self, subject: ReviewSubject, origin: GitRemote
    ) -> Iterator[tuple[Report, GitRepository]]:
        """The review with all earlier replies, without a model call.

        Anyone may ask about a stranger's paper, so a paper that a review cannot handle is refused
        here, too.
        """
        repository, diff = self._fetched(subject, origin)
        if self._bounds is not None:
            made = self._structure(subject, repository, diff)
            if made.failure and made.fault is ReviewFault.OURS:
                raise UsageError(_UNBEARABLE)
        with self._kit(subject.place) as kit:
            yield pull_review.review_from_replies(repository, subject, kit), repository

    @contextmanager
    def _kit(self, place: RepositoryPlace, *, with_model: bool = True) -> Iterator[ReviewTools]:
        with self._rooms.cache(place.repository_id) as cache:
            if self._choice is None or not with_model:
                yield ReviewTools(cache=cache, has_reader=self.has_model)
                return
            with self._rooms.replies(place.repository_id) as store:
                yield ReviewTools(
                    cache=cache,
                    choice=self._choice,
                    store=store,
                    who=self._who,
                    is_simulated=self._is_simulated,
                )

    def _fetched(self, subject: ReviewSubject, origin: GitRemote) -> tuple[GitRepository, Diff]:
        name = "push" if subject.number is None else str(subject.number)
        refs = {f"{name}/head": subject.head, f"{name}/trusted": subject.trusted}
        if subject.base is not None:
            refs[f"{name}/base"] = subject.base
        place = subject.place.repository_id
        repository = self._repositories.fetch(place, origin, refs)
        if subject.base is None:
            return repository, Diff({})
        return repository, self._repositories.diff(place, subject.base, subject.head)


def _told(told: PublishedReview[str]) -> PublishedReview[ReviewResult]:
    return PublishedReview(
        structure=_load(told.structure),
        proofs=None if told.proofs is None else _load(told.proofs),
        reach=told.reach,
        key=told.key,
        again=told.again,
        aside=told.aside,
        is_rebased=told.is_rebased,
        details=told.details,
    )


def _load(text: str) -> ReviewResult:
    try:
        return review_result.load_result(text)
    except ValueError:
        raise PfError("the results were stored by another release of pf-verify") from None


def _is_private(repository: GitRepository, trusted: str) -> bool:
    found = settings_of(from_revision(repository, trusted))
    return any(item.publish == PRIVATE for item in found)
