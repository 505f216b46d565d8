"""The structure of a review, found in a process of its own that no paper can outlast or outgrow.

It gets commits and the place of a cache, and neither a model nor a key.
"""

from pathlib import Path

from bot.domain.hunks import Diff
from bot.domain.review_result import ReviewPart, ReviewResult, load_result
from bot.reviewing import sandbox
from bot.reviewing.pull_review import ReviewSubject, ReviewTools, review_structure, unfound
from bot.reviewing.sandbox import ProcessBounds
from pfcore.domain.errors import GitError, IncompleteError
from pfcore.papers.parse_cache import DiskCache, MemoryCache
from pfcore.repository.git import GitRepository


def structure_apart(
    bounds: ProcessBounds,
    cache: Path,
    repository: GitRepository,
    subject: ReviewSubject,
    diff: Diff,
) -> ReviewResult:
    """What needs no model; what takes too long or too much is a review that cannot be had.

    GitError as in `review_structure`.
    """
    try:
        return load_result(
            sandbox.run_apart(bounds, structure_text, cache, repository, subject, diff)
        )
    except GitError:
        raise
    except IncompleteError as error:
        kit = ReviewTools(cache=MemoryCache())
        return unfound(error, ReviewPart.STRUCTURE, repository, subject, kit)


def structure_text(
    cache: Path, repository: GitRepository, subject: ReviewSubject, diff: Diff
) -> str:
    """The structure as it is kept, found here."""
    held = DiskCache(cache)
    try:
        return review_structure(repository, subject, ReviewTools(cache=held), diff).text()
    finally:
        held.close()
