"""The interface of a reply store, and a store that falls back on memory.

In the latter the replies of this process count even if they could not be stored.
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
    """The store cannot be opened or written; its content is not lost."""


class StoredReplies(NamedTuple):
    """Totals of one model's replies, by the name under which it was served."""

    model: str
    replies: int
    usage: TokenUsage


class ReplyStore(Protocol):
    """Replies by key, and their usage since a given time."""

    def get(self, key: str) -> Reply | None:
        """The stored reply to an action; None if there is none or it is unreadable."""
        ...

    def put(self, key: str, stage: str, reply: Reply) -> None:
        """Store a reply permanently; the first one for a key stays. StoreError if that fails."""
        ...

    def require_writable(self) -> None:
        """StoreError if replies cannot be stored, for example on a full disk; stores nothing."""
        ...

    def used(self, since: float) -> TokenUsage:
        """The tokens of all replies stored since a time in seconds of the clock."""
        ...

    def charge(self, model: str, cost: float) -> None:
        """Record the cost of a call in dollars, with or without a reply; StoreError as in `put`."""
        ...

    def spent(self, since: float) -> float:
        """The cost in dollars of all calls since a time, in all runs that use this store."""
        ...

    def examine(self, server: str, model: str, fault: str) -> None:
        """Record the result of a model's examination, "" for no fault; StoreError as in `put`."""
        ...

    def examined(self, server: str, model: str) -> str | None:
        """The result of a model's last examination at a server; None if there was none."""
        ...

    def claims(self) -> "KeyLeases":
        """New claims on keys, for one more engine."""
        ...

    def held(self) -> list[StoredReplies]:
        """The stored replies, by model."""
        ...

    def shorten(self, most: int) -> int:
        """Forget the oldest replies beyond so many letters; how many replies that were."""
        ...

    def erase(self) -> int:
        """Delete everything; returns the number of replies deleted."""
        ...

    def close(self) -> None:
        """Close the database."""
        ...


class FallbackReplyStore:
    """A store in which the replies of this process count even if they could not be stored."""

    def __init__(self, store: ReplyStore) -> None:
        self._store = store
        self._fresh: dict[str, Reply] = {}

    def get(self, key: str) -> Reply | None:
        """The reply to an action, if known."""
        return self._fresh.get(key) or self._store.get(key)

    def put(self, key: str, stage: str, reply: Reply) -> None:
        """Store a reply permanently; StoreError if only this process has it.

        From then on the stored reply counts: another process may have been first.
        """
        self._fresh.setdefault(key, reply)
        self._store.put(key, stage, reply)
        del self._fresh[key]

    def charge(self, model: str, cost: float) -> None:
        """Record the cost of a call, if that can be written."""
        with suppress(StoreError):
            self._store.charge(model, cost)

    def claims(self) -> "KeyLeases":
        """New claims on keys, for one more engine."""
        return self._store.claims()
