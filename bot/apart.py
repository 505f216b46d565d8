"""The structure of a review, found in a process of its own that no paper can outlast or outgrow.

It gets commits and the place of a cache, and neither a model nor a key.
"""

from pathlib import Path

from bot import confined
from bot.confined import Bounds
from bot.hunks import Diff
from bot.reviewing import Kit, Subject, structure, unfound
from bot.saved import Part, Saved, load
from pfcore.cache import DiskCache, MemoryCache
from pfcore.errors import GitError, IncompleteError
from pfcore.git import Repository


def structure_apart(
    bounds: Bounds, cache: Path, repository: Repository, subject: Subject, diff: Diff
) -> Saved:
    """What needs no model; what takes too long or too much is a review that cannot be had.

    GitError as in `structure`.
    """
    try:
        return load(confined.run(bounds, structure_text, cache, repository, subject, diff))
    except GitError:
        raise
    except IncompleteError as error:
        kit = Kit(cache=MemoryCache())
        return unfound(error, Part.STRUCTURE, repository, subject, kit)


def structure_text(cache: Path, repository: Repository, subject: Subject, diff: Diff) -> str:
    """The structure as it is kept, found here."""
    held = DiskCache(cache)
    try:
        return structure(repository, subject, Kit(cache=held), diff).text()
    finally:
        held.close()
