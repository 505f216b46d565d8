"""What pf keeps outside of papers: the parse cache, and the replies of models."""

import os
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from pfcore import sqlite_files
from pfcore.cli.environment import cache_path, own_configuration, simulated_path
from pfcore.cli.local_data import is_shared, store_name, store_place
from pfcore.domain.errors import PfError
from pfcore.llm.model_settings import ModelChoice, choose
from pfcore.llm.store.opening import open_store
from pfcore.llm.store.reply_store import StoredReplies
from pfcore.reporters.holdings import Holding, Replies

_OURS = frozenset({"replies", "charges", "claims", "entries"})
_SHARED = "others may share it, so it is erased only with --replies"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredData:
    """A holding, and where it is: a file, or else a database by its URL."""

    holding: Holding
    path: Path | None = None

    @property
    def is_to_go(self) -> bool:
        """Whether it would be erased."""
        return not self.holding.spared

    def require_free(self) -> None:
        """IncompleteError where another process uses it, so that nothing is erased by half."""
        if self.path is not None:
            sqlite_files.require_free(self.path)

    def erase(self) -> None:
        """Erase it for good; a file goes as a whole unless it holds more than ours."""
        if self.path is not None and not (sqlite_files.tables(self.path) or set()) - _OURS:
            sqlite_files.unlink(self.path)
            return
        with closing(open_store(store_place(), time.time)) as store:
            store.erase()


def parse_cache() -> list[StoredData]:
    """The parse cache, if there is one."""
    return _cached("parse cache", cache_path(), "entries")


def simulated() -> list[StoredData]:
    """What simulated readers of benchmarks have said, if anything: nothing was paid for it."""
    return _cached("simulated replies", simulated_path(), "replies")


def _cached(name: str, path: Path, table: str) -> list[StoredData]:
    if not sqlite_files.files(path):
        return []
    spared = sqlite_files.foreign(path, table, is_own_folder=True)
    holding = Holding(
        name=name,
        place=str(path),
        size=sqlite_files.size(path),
        spared=spared,
        is_trouble=bool(spared),
    )
    return [StoredData(holding=holding, path=path)]


def stored_replies(*, is_meant: bool) -> list[StoredData]:
    """The replies, if there are any; a database that others may share only if it is meant."""
    name = store_name()
    if is_shared():
        if not is_meant:
            return [StoredData(holding=Holding(name="replies", place=name, spared=_SHARED))]
        listed = _listed()
        return (
            [StoredData(holding=Holding(name="replies", place=name, replies=listed))]
            if listed
            else []
        )
    path = Path(name)
    if not sqlite_files.files(path):
        return []
    is_own_folder = not os.environ.get("PF_STORE")
    spared = sqlite_files.foreign(path, "replies", is_own_folder=is_own_folder)
    holding = Holding(
        name="replies",
        place=name,
        size=sqlite_files.size(path),
        replies=() if spared else _listed(),
        spared=spared,
        is_trouble=bool(spared),
    )
    return [StoredData(holding=holding, path=path)]


def _listed() -> tuple[Replies, ...]:
    with closing(open_store(store_place(), time.time)) as store:
        return tuple(map(_priced, store.held()))


def _priced(held: StoredReplies) -> Replies:
    """What a model's replies would cost where it would be asked today."""
    choice = _choice(held.model)
    price = choice.price if choice else None
    return Replies(
        model=held.model,
        count=held.replies,
        usage=held.usage,
        dollars=None if price is None else price.of(held.usage),
        host=choice.connection.host if choice else "",
    )


def _choice(model: str) -> ModelChoice | None:
    """How a model would be asked; a faulty configuration must not keep anybody from erasing."""
    try:
        return choose(model, os.environ, own_configuration())
    except PfError:
        return None


def to_go(kept: Iterable[StoredData]) -> list[StoredData]:
    """Those that would be erased."""
    return [item for item in kept if item.is_to_go]
