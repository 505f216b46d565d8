"""What a store promises to whoever keeps replies in it."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from pfcore.domain.errors import IncompleteError
from pfcore.llm.protocol import Reply, TokenUsage
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
        """StoreError where no reply could be kept; none is."""
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

    def claims(self) -> KeyLeases:
        """What one more reader claims of it, before it asks for a reply."""
        ...

    def held(self) -> list[StoredReplies]:
        """What is kept, by models."""
        ...

    def erase(self) -> int:
        """Forget everything; how many replies that were."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...
