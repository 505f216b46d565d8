"""Opens what reviews work with, from places that any thread or process can be told."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from bot.comments import Caps
from bot.hunks import Diff
from bot.reviewing import Kit, Subject, structure
from pfcore.cache import DiskCache
from pfcore.candidates import Limits
from pfcore.commands.asking import Opening, server
from pfcore.git import Repository
from pfcore.llm.settings import Choice
from pfcore.store import open_store
from pfcore.workers import Workers


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where things lie: the parse cache's file, the path or URL of the replies.

    `jobs`: how many processes may read one paper. Without `choice` there is no model.
    """

    cache: Path
    replies: str = field(repr=False)
    choice: Choice | None = None
    limits: Limits = field(default_factory=Limits)
    caps: Caps = field(default_factory=Caps)
    jobs: int = 1
    is_simulated: bool = False

    def without_key(self) -> "Places":
        """The same places for whoever asks nobody."""
        if self.choice is None:
            return self
        bare = replace(self.choice.connection, key=None)
        return replace(self, choice=replace(self.choice, connection=bare))


@contextmanager
def opened(places: Places, who: Opening = server) -> Iterator[Kit]:
    """The kit, for the thread that opens it."""
    store = open_store(places.replies, time.time) if places.choice else None
    cache = DiskCache(places.cache)
    try:
        yield Kit(
            cache=cache,
            workers=Workers(places.jobs),
            choice=places.choice,
            store=store,
            who=who,
            limits=places.limits,
            caps=places.caps,
            is_simulated=places.is_simulated,
        )
    finally:
        cache.close()
        if store is not None:
            store.close()


def structure_text(places: Places, repository: Repository, subject: Subject, diff: Diff) -> str:
    """The structure of a review as it is kept; for a process of its own."""
    with opened(places) as kit:
        return structure(repository, subject, kit, diff).text()
