"""The store of raw replies: a SQLite file by default, or a database URL for SQLAlchemy."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pfcore.llm.store.reply_store import ReplyStore


def open_store(place: str, clock: Callable[[], float]) -> "ReplyStore":
    """The store at a path or a database URL; StoreError or UsageError if it cannot be used."""
    from pfcore.llm.store import sql_store

    if "://" in place and not place.startswith("sqlite:///"):
        return sql_store.open_url(place, clock)
    return sql_store.open_file(Path(place.removeprefix("sqlite:///")), clock)
