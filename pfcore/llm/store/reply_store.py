"""What a store promises to whoever keeps replies in it.

A store whose replies of this process count even where they could not be kept.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pfcore.domain.errors import IncompleteError
from pfcore.llm.protocol import Reply, TokenUsage

if TYPE_CHECKING:
    from pfcore.llm.store.leases import KeyLeases

Clock = Callable[[], float]


class StoreError(IncompleteError):
    """The store cannot be opened or written; what it holds is not lost."""


class StoredReplies(NamedTuple):
    """The replies of one model, by the name that it was served under."""

    model: str
    replies: int
    usage: TokenUsage


class ReplyStore(Protocol):
    """Replies by key, and what they used since some moment."""

    def get(self, key: str) -> Reply | None:
        """The reply to an action, if it is known; an unreadable one is not."""
        ...

    def put(self, key: str, stage: str, reply: Reply) -> None:
        """Keep a reply for good; the first one for a key stays. StoreError if it cannot be kept."""
        ...

    def require_writable(self) -> None:
        """StoreError where replies could not be kept, for a full disk, too; none is."""
        ...

    def used(self, since: float) -> TokenUsage:
        """The tokens of all replies kept since a moment, in seconds of the clock."""
        ...

    def charge(self, model: str, cost: float) -> None:
        """Note what a call cost, in dollars, whatever became of its reply; StoreError as `put`."""
        ...

    def spent(self, since: float) -> float:
        """The dollars of all calls since a moment, by all runs that use this store."""
        ...

    def examine(self, server: str, model: str, fault: str) -> None:
        """Note what an examination of a model has found, "" for nothing; StoreError as `put`."""
        ...

    def examined(self, server: str, model: str) -> str | None:
        """What the last examination of a model at a server has found; None where none was."""
        ...

    def claims(self) -> "KeyLeases":
        """What one more reader claims of it, before it asks for a reply."""
        ...

    def held(self) -> list[StoredReplies]:
        """What is kept, by models."""
        ...

    def shorten(self, most: int) -> int:
        """Forget the oldest replies beyond so many letters; how many replies that were."""
        ...

    def erase(self) -> int:
        """Forget everything; how many replies that were."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...


class FallbackReplyStore:
    """A store whose replies of this process count even where they could not be kept."""

    def __init__(self, store: ReplyStore) -> None:
        self._store = store
        self._fresh: dict[str, Reply] = {}

    def get(self, key: str) -> Reply | None:
        """The reply to an action, if it is known."""
        return self._fresh.get(key) or self._store.get(key)

    def put(self, key: str, stage: str, reply: Reply) -> None:
        """Keep a reply for good; StoreError if only this process has it.

        What the store has from then on counts: another process may have been first.
        """
        self._fresh.setdefault(key, reply)
        self._store.put(key, stage, reply)
        del self._fresh[key]

    def charge(self, model: str, cost: float) -> None:
        """Note what a call cost, where that can be written down."""
        with suppress(StoreError):
            self._store.charge(model, cost)

    def claims(self) -> "KeyLeases":
        """What one more reader claims, before it asks for a reply."""
        return self._store.claims()
