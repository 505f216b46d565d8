"""A store whose replies of this process count even where they could not be kept."""

from contextlib import suppress

from pfcore.llm.protocol import Reply
from pfcore.llm.store.leases import KeyLeases
from pfcore.llm.store.reply_store import ReplyStore, StoreError


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

    def claims(self) -> KeyLeases:
        """What one more reader claims, before it asks for a reply."""
        return self._store.claims()
