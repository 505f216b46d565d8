"""Opens a store by its path or its URL."""

from pathlib import Path

from pfcore.llm.store.database import SqlStore
from pfcore.llm.store.reply_store import Clock, ReplyStore
from pfcore.llm.store.sql_store import SqliteStore


def open_store(place: str, clock: Clock) -> ReplyStore:
    """The store at a path or a database URL; StoreError or UsageError if it cannot be used."""
    if "://" in place and not place.startswith("sqlite:///"):
        return SqlStore(place, clock)
    return SqliteStore(Path(place.removeprefix("sqlite:///")), clock)
