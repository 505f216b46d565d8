"""What every command works with: a report, the parse cache, the model that the user named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pfcore.domain.errors import ConfigError, UsageError

if TYPE_CHECKING:
    import argparse

    from pfcore.llm.model_settings import ModelChoice
    from pfcore.review.review import Report
    from pfcore.review.verification_setup import VerificationSetup


HERE = Path()
"""The path of whoever names none."""


def chosen(arguments: argparse.Namespace) -> ModelChoice | None:
    """The model that the user has named, unless the command is to stay offline."""
    if arguments.offline:
        return None
    from pfcore.llm.model_settings import choose, config_path

    path = config_path(os.environ) or "config.toml"
    return choose(arguments.model, os.environ, own_configuration(), path=str(path))


def own_configuration() -> str:
    """The text of the user's own configuration, outside of all repositories; "" if there is none.

    ConfigError if it cannot be read.
    """
    from pfcore.llm.model_settings import config_path

    path = config_path(os.environ)
    try:
        return path.read_text(encoding="utf-8") if path and path.is_file() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"it cannot be read: {error}", path=str(path)) from error


def cache_folder() -> Path:
    """Where the parse cache lies: PF_CACHE_DIR, else the user's cache folder."""
    named = os.environ.get("PF_CACHE_DIR")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "pf-verify"


def cache_path() -> Path:
    """The file of the parse cache."""
    return cache_folder() / "readings.sqlite"


def simulated_path() -> Path:
    """The file of what simulated readers of benchmarks say; no reply of a model is in it."""
    return cache_folder() / "simulated.sqlite"


@contextmanager
def run_review(
    arguments: argparse.Namespace, desk: VerificationSetup | None = None
) -> Iterator[Report]:
    """The report, with the parse cache open as long as it is looked at."""
    from pfcore.papers.parse_cache import DiskCache
    from pfcore.papers.processes import ProcessPool
    from pfcore.papers.shelf import ParseCache
    from pfcore.repository.revisions import RevisionOptions, compared_revisions
    from pfcore.review.review import Where, guarded, review

    wanted = RevisionOptions(
        path=arguments.path,
        base=arguments.base,
        head=arguments.head,
        staged=arguments.staged,
        whole=arguments.all,
        settings=arguments.config_from,
    )
    if desk is None and is_guarded(arguments):
        from pfcore.review.verification_setup import VerificationSetup

        desk = VerificationSetup(is_ci=True)
    found = compared_revisions(wanted)
    cache = DiskCache(cache_path())
    where = Where(found.folder, is_named=arguments.path is not HERE)
    look = partial(review, only=arguments.paper, where=where, desk=desk)
    try:
        report = look(found.before, found.after, ParseCache(cache, ProcessPool(jobs())))
        yield guarded(report) if arguments.config_from else report
    finally:
        cache.close()


def is_whole(arguments: argparse.Namespace) -> bool:
    """Whether all that is unread is to be read: it is asked for, or there is no history."""
    from pfcore.repository.git import find_repository

    return bool(arguments.all) or find_repository(arguments.path) is None


def is_ci() -> bool:
    """Whether a build server runs this, where a change's own claims do not count."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def is_guarded(arguments: argparse.Namespace) -> bool:
    """Whether only the base's lines of a ledger count; those of a revision that is named do."""
    return is_ci() and arguments.config_from is None


def jobs() -> int:
    """How many processes may read a paper: PF_JOBS, else one for each processor, up to eight."""
    named = os.environ.get("PF_JOBS", "")
    if named and not (named.isascii() and named.isdigit() and int(named)):
        raise UsageError(f"PF_JOBS is {named}; it must be a number from 1")
    return int(named or min(8, os.cpu_count() or 1))
