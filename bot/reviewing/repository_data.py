"""The data stored for each repository separately: parsed papers, and replies of models.

Repositories share nothing, so that all data of one can be erased.
"""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from pfcore.domain.errors import IncompleteError
from pfcore.llm.store import open_store
from pfcore.llm.store.reply_store import ReplyStore
from pfcore.papers.parse_cache import DiskCache

_NAME = re.compile(r"[0-9]{1,19}")


class Rooms:
    """Folders on this machine; replies are in Postgres for all machines if `url` names it."""

    def __init__(self, folder: Path, url: str | None, clock: Callable[[], float]) -> None:
        self._folder, self._url, self._clock = folder, url, clock

    def cache_path(self, place: int) -> Path:
        """The cache's file."""
        return self._room(place) / "readings.sqlite"

    @contextmanager
    def cache(self, place: int) -> Iterator[DiskCache]:
        """The cache of a repository's parsed papers."""
        cache = DiskCache(self.cache_path(place))
        try:
            yield cache
        finally:
            cache.close()

    @contextmanager
    def replies(self, place: int) -> Iterator[ReplyStore]:
        """The replies of models about a repository."""
        store = open_store(self._replies(place), self._clock)
        try:
            yield store
        finally:
            store.close()

    def places(self) -> set[int]:
        """The ids of the repositories of which this machine stores data."""
        if not self._folder.is_dir():
            return set()
        return {int(item.name) for item in self._folder.iterdir() if _NAME.fullmatch(item.name)}

    def erase(self, place: int) -> None:
        """Erase the data of a repository; IncompleteError if that fails."""
        try:
            shutil.rmtree(self._room(place), ignore_errors=False)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise IncompleteError(f"stored data cannot be deleted ({error.strerror})") from None
        if self._url is not None:
            self._say(f"DROP SCHEMA IF EXISTS {_schema(place)} CASCADE")

    def _replies(self, place: int) -> str:
        if self._url is None:
            return str(self._room(place) / "replies.sqlite")
        self._say(f"CREATE SCHEMA IF NOT EXISTS {_schema(place)}")
        url = make_url(self._url).set(drivername="postgresql+psycopg")
        asked = {"options": f"-csearch_path={_schema(place)}"}
        return url.update_query_dict(asked).render_as_string(hide_password=False)

    def _room(self, place: int) -> Path:
        return self._folder / str(int(place))

    def _say(self, statement: str) -> None:
        try:
            engine = create_engine(make_url(self._url or "").set(drivername="postgresql+psycopg"))
            with engine.begin() as connection:
                connection.execute(text(statement))
            engine.dispose()
        except SQLAlchemyError as error:
            name = type(getattr(error, "orig", None) or error).__name__
            raise IncompleteError(f"the App's database does not answer ({name})") from None


def _schema(place: int) -> str:
    return f"pf_replies_{int(place)}"
