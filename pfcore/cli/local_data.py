"""Where replies are kept, and the desk at which proofs are read."""

import argparse
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import prompts
from pfcore.cli.environment import is_guarded
from pfcore.domain.digest import text_digest
from pfcore.domain.errors import UsageError
from pfcore.llm.model_settings import ModelChoice
from pfcore.llm.store.opening import open_store
from pfcore.llm.store.reply_store import ReplyStore
from pfcore.review.verification_setup import VerificationSetup
from pfcore.verification.prompt import Prompt


def data_folder() -> Path:
    """Where replies lie, which cost money: PF_DATA_DIR, else the user's data folder."""
    named = os.environ.get("PF_DATA_DIR")
    if named:
        return Path(named)
    base = os.environ.get("XDG_DATA_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".local" / "share") / "pf-verify"


def store_place() -> str:
    """The store's path or URL: PF_STORE, else a file in the data folder."""
    return os.environ.get("PF_STORE") or str(data_folder() / "replies.sqlite")


def is_shared() -> bool:
    """Whether the store is a database by its URL, which other people and machines may use."""
    place = store_place()
    return "://" in place and not place.startswith("sqlite:///")


def store_name() -> str:
    """The store as it is shown: a path, or a URL without what could hold a password."""
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
    arguments: argparse.Namespace, choice: ModelChoice | None, store: ReplyStore | None
) -> VerificationSetup:
    """Who is asked, what is kept, and how replies are judged."""
    asked, versions = asker(arguments, prompts.CURRENT)
    return VerificationSetup(
        choice=choice,
        store=store,
        prompt=asked,
        versions=versions,
        rollouts=arguments.rollouts,
        is_ci=is_guarded(arguments),
    )


def asker(
    arguments: argparse.Namespace, stages: Mapping[str, str]
) -> tuple[Prompt, Mapping[str, str]]:
    """The prompts of some stages, and their versions: ours, or those that the user names."""
    folder: Path | None = arguments.prompts
    return _others(folder, stages) if folder else (prompts.prompt, stages)


def _others(folder: Path, stages: Mapping[str, str]) -> tuple[Prompt, Mapping[str, str]]:
    """Prompts of the user's own, each under a version that its words make."""
    texts: dict[tuple[str, str], str] = {}
    for stage, version in stages.items():
        named = f"the prompt {folder}/{stage}/{version}.md"
        try:
            text = prompts.prompt(stage, version, folder)
        except OSError as error:
            raise UsageError(f"{named} cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise UsageError(f"{named} is no text in UTF-8") from error
        texts[stage, f"{version}+{text_digest(text)[:12]}"] = text
    return lambda stage, version: texts[stage, version], dict(texts.keys())
