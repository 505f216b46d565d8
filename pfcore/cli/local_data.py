"""The data that pf stores outside of papers: the parse cache, and the replies of models.

Also makes the setup with which proofs are read.
"""

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import prompts
from pfcore import sqlite_files
from pfcore.cli.environment import (
    ReaderOptions,
    cache_path,
    home_folder,
    own_configuration,
    simulated_path,
)
from pfcore.domain.digest import text_digest
from pfcore.domain.errors import PfError, UsageError
from pfcore.llm.connection import is_openai
from pfcore.llm.model_settings import ModelChoice, choose
from pfcore.llm.prices import is_listed
from pfcore.llm.store import open_store
from pfcore.llm.store.reply_store import ReplyStore, StoredReplies
from pfcore.reporters.setup_report import Holding, Replies
from pfcore.review.verification_setup import VerificationSetup, untested
from pfcore.verification.prompt import Prompt


def data_folder() -> Path:
    """The folder of the replies, which cost money: PF_DATA_DIR, else the user's data folder."""
    named = os.environ.get("PF_DATA_DIR")
    if named:
        return Path(named)
    base = os.environ.get("XDG_DATA_HOME") or os.environ.get("LOCALAPPDATA")
    if base:
        return Path(base) / "pf-verify"
    home = home_folder()
    if home is None:
        raise UsageError("your home folder is unknown: set HOME, or PF_DATA_DIR to a folder")
    return home / ".local" / "share" / "pf-verify"


def store_place() -> str:
    """The store's path or URL: PF_STORE, else a file in the data folder."""
    return os.environ.get("PF_STORE") or str(data_folder() / "replies.sqlite")


def is_shared() -> bool:
    """Whether the store is a database by its URL, which other people and machines may use."""
    place = store_place()
    return "://" in place and not place.startswith("sqlite:///")


def store_name() -> str:
    """The store's name for display: a path, or a URL without parts that may contain a password."""
    place = store_place()
    scheme, mark, rest = place.partition("://")
    if not mark or scheme == "sqlite":
        return place.removeprefix("sqlite:///")
    authority, path = urlsplit(f"//{rest}")[1:3]
    if "@" in rest.removeprefix(authority):  # a slash or a '#' in a password ends it too early
        return f"{scheme}://…"
    return f"{scheme}://{authority.rpartition('@')[2]}{path}"


@contextmanager
def open_replies() -> Iterator[ReplyStore]:
    """The store, open as long as it is used."""
    store = open_store(store_place(), time.time)
    try:
        yield store
    finally:
        store.close()


def desk(
    reader: ReaderOptions, choice: ModelChoice | None, store: ReplyStore | None, *, is_ci: bool
) -> VerificationSetup:
    """The setup of readings: the model, the store, and how replies are judged."""
    asked, versions = asker(reader.prompts, prompts.CURRENT)
    own = versions if reader.prompts else None
    return VerificationSetup(
        choice=choice,
        store=store,
        prompt=asked,
        versions=own,
        rollouts=reader.rollouts,
        is_ci=is_ci,
        note=reader_note(choice, store) if choice and store else "",
    )


def reader_note(choice: ModelChoice, store: ReplyStore) -> str:
    """The result of `pf doctor` for a model; "" if it is fit, or hosted and well known."""
    connection = choice.connection
    found = store.examined(connection.base_url, choice.model)
    if found is not None:
        return f"{found} in pf doctor" if found else ""
    is_known = is_openai(connection.base_url) and is_listed(choice.model)
    return "" if is_known else untested(choice.model)


def asker(folder: Path | None, stages: Mapping[str, str]) -> tuple[Prompt, Mapping[str, str]]:
    """The prompts of some stages, and their versions: ours, or those that the user names."""
    return _others(folder, stages) if folder else (prompts.prompt, stages)


def _others(folder: Path, stages: Mapping[str, str]) -> tuple[Prompt, Mapping[str, str]]:
    """The user's own prompts, each with a version derived from its text."""
    texts: dict[tuple[str, str], str] = {}
    for stage, version in stages.items():
        named = f"the prompt {folder}/{stage}/{version}.md"
        try:
            text = prompts.prompt(stage, version, folder)
        except OSError as error:
            raise UsageError(f"{named} cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise UsageError(f"{named} is not UTF-8") from error
        texts[stage, f"{version}+{text_digest(text)[:12]}"] = text
    return lambda stage, version: texts[stage, version], dict(texts.keys())


_OURS = frozenset({"replies", "charges", "claims", "examinations", "reply_schema", "entries"})
_SHARED = "others may use it; add --replies to delete it"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredData:
    """A holding, and where it is: a file, or else a database by its URL."""

    holding: Holding
    path: Path | None = None

    @property
    def is_to_go(self) -> bool:
        """Whether it will be erased."""
        return not self.holding.spared

    def require_free(self) -> None:
        """IncompleteError if another process uses it, so that nothing is erased by half."""
        if self.path is not None:
            sqlite_files.require_free(self.path)

    def erase(self) -> None:
        """Erase it for good; the whole file, unless it contains tables that are not ours."""
        if self.path is not None and not (sqlite_files.tables(self.path) or set()) - _OURS:
            sqlite_files.unlink(self.path)
            return
        with closing(open_store(store_place(), time.time)) as store:
            store.erase()


def parse_cache() -> list[StoredData]:
    """The parse cache, if there is one."""
    return _cached("parse cache", cache_path(), "entries")


def simulated() -> list[StoredData]:
    """The replies of simulated readers of benchmarks, if any; they cost nothing."""
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
    """The replies, if any; those in a database that others may share, only if `is_meant`."""
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
    """A model's replies with their price at the server that would be asked today."""
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
    """How a model would be asked; None if the configuration is invalid: erasing must still work."""
    try:
        return choose(model, os.environ, own_configuration())
    except PfError:
        return None


def to_go(kept: Iterable[StoredData]) -> list[StoredData]:
    """Those that will be erased."""
    return [item for item in kept if item.is_to_go]
