"""What every command works with: the report, the parse cache, the model that the user named.

Also writes files whole or not at all, among them those of a gate into a folder of their own.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pfcore.domain.errors import ConfigError, IncompleteError, NoPaperError, UsageError
from pfcore.domain.toml_tables import config_path

if TYPE_CHECKING:
    from pfcore.cli.pricing import Cap
    from pfcore.llm.model_settings import ModelChoice
    from pfcore.repository.revisions import RevisionOptions
    from pfcore.review.review import Report
    from pfcore.review.verification_setup import VerificationSetup

HERE = Path()
"""The path if the user names none."""
RULE_GUIDES = Path(__file__).parent / "commands" / "rules.toml"
"""What `pf explain` says of each check."""


def ways_to_fix(rules: Iterable[str]) -> list[str]:
    """How to fix findings of some checks, for places where `pf explain` is not available."""
    import tomllib  # late: few commands need it

    guides = tomllib.loads(RULE_GUIDES.read_text("utf-8"))
    return [f"{rule}: {guides[rule]['mend']}" for rule in rules]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderOptions:
    """Who reads proofs, how often, with which prompts, and at what price; None: not specified.

    `is_agreed`: the user accepts any price. `elsewhere`: dollars that other runs of the day have
    spent and that may be missing from the store. `is_retried`: ask again about proofs whose stored
    replies give no verdict.
    """

    model: str | None = None
    is_offline: bool = False
    rollouts: int | None = None
    prompts: Path | None = None
    budget: Cap | None = None
    is_agreed: bool = False
    elsewhere: float = 0.0
    is_retried: bool = False


def chosen(reader: ReaderOptions, *, is_asked: bool = True) -> ModelChoice | None:
    """The model that the user has named; None if there is none, or if it must not be asked.

    With `is_asked=False`, the model whose stored replies count, even offline.
    """
    if reader.is_offline and is_asked:
        return None
    config = own_configuration()
    if not (reader.model or os.environ.get("PF_MODEL") or config):
        return None
    from pfcore.llm.model_settings import choose  # late: most commands use no model

    path = config_path(os.environ) or "config.toml"
    return choose(reader.model, os.environ, config, path=str(path))


def own_configuration() -> str:
    """The text of the user's own configuration, outside of all repositories; "" if there is none.

    ConfigError if it cannot be read.
    """
    path = config_path(os.environ)
    try:
        return path.read_text(encoding="utf-8") if path and path.is_file() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"it cannot be read: {error}", path=str(path)) from error


def cache_folder() -> Path:
    """The folder of the parse cache: PF_CACHE_DIR, else the user's cache folder."""
    named = os.environ.get("PF_CACHE_DIR")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    home = home_folder() or Path(os.devnull)  # nothing can be stored there
    return (Path(base) if base else home / ".cache") / "pf-verify"


def home_folder() -> Path | None:
    """The user's home folder; None for a user unknown to the system, as in some containers."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def cache_path() -> Path:
    """The file of the parse cache."""
    return cache_folder() / "readings.sqlite"


def simulated_path() -> Path:
    """The file with replies of the simulated readers of benchmarks; none is from a model."""
    return cache_folder() / "simulated.sqlite"


@contextmanager
def run_review(
    revisions: RevisionOptions,
    desk: VerificationSetup | None = None,
    *,
    paper: str | None,
    roots: tuple[str, ...] = (),
    is_displayed: bool = False,
    is_quiet: bool = False,
) -> Iterator[Report]:
    """The report; the parse cache stays open while it is used.

    `paper` restricts the review to one paper; `roots` are main files that count even if another
    one has the same text. `is_displayed`: use the numbers that LaTeX printed on this machine, if
    it was run; never on build servers. `is_quiet`: show no seconds.
    """
    from pfcore.papers.parse_cache import DiskCache, ParseCache
    from pfcore.papers.processes import ProcessPool
    from pfcore.repository.revisions import compared_revisions
    from pfcore.review.review import Where, displayed, guarded, review

    if desk is None and is_guarded(revisions):
        from pfcore.review.verification_setup import VerificationSetup

        desk = VerificationSetup(is_ci=True)
    found = compared_revisions(revisions)
    if found.note and not is_quiet:
        sys.stderr.write(f"pf: {found.note}\n")
    cache = DiskCache(cache_path())
    where = Where(found.folder, is_named=revisions.path is not HERE, roots=roots)
    look = partial(review, only=paper, where=where, desk=desk)
    try:
        is_silent = is_quiet or not sys.stderr.isatty()
        with nullcontext() if is_silent else _sign_of_life():
            report = look(found.before, found.after, ParseCache(cache, ProcessPool(jobs())))
            if is_displayed and not is_ci():
                report = displayed(report)
        yield guarded(report) if revisions.settings else report
    except NoPaperError as error:
        if revisions.path is HERE:
            raise
        raise NoPaperError(f"{revisions.path}: {error.message}") from error
    finally:
        cache.close()


_FIRST_SIGN = 2.0
"""Seconds before the first sign of progress."""


@contextmanager
def _sign_of_life() -> Iterator[None]:
    """Count seconds on a terminal while the files are read.

    Uses a timer instead of a thread, because forking beside a thread is unsafe; without a timer,
    nothing is shown.
    """
    import signal
    import threading

    is_main = threading.current_thread() is threading.main_thread()
    if not (is_main and hasattr(signal, "setitimer")):
        yield
        return
    shown = ""
    started = time.monotonic()

    def write(line: str) -> None:
        with suppress(OSError):  # the terminal was closed
            os.write(sys.stderr.fileno(), f"\r{line}".encode())  # the stream may be in use

    def tick(_number: int, _frame: object) -> None:
        nonlocal shown
        shown = f"  reading the files: {time.monotonic() - started:.0f} s"
        write(shown)

    before = signal.signal(signal.SIGALRM, tick)
    signal.setitimer(signal.ITIMER_REAL, _FIRST_SIGN, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if shown:
            write(f"{' ' * len(shown)}\r")


def is_whole(revisions: RevisionOptions) -> bool:
    """Whether to read all unread proofs: if asked to, or without a history to compare with."""
    from pfcore.repository.git import find_repository

    return revisions.whole or find_repository(revisions.path) is None


def is_ci() -> bool:
    """Whether this runs on a build server, where a change's own claims do not count."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def is_guarded(revisions: RevisionOptions) -> bool:
    """Whether only the base's ledger lines count; False if the user names a revision to trust."""
    return is_ci() and revisions.settings is None


def jobs() -> int:
    """The most processes that parse a paper: PF_JOBS, else one per processor, up to eight."""
    named = os.environ.get("PF_JOBS", "")
    if named and not (named.isascii() and named.isdigit() and int(named)):
        raise UsageError(f"invalid PF_JOBS '{named}': expected a positive integer")
    return int(named or min(8, os.cpu_count() or 1))


_MARK = "result.json"
_UNFINISHED = ".unfinished"
"""A file in the folder while it is being written; it stays if the writer was killed."""


def require_place(place: Path, option: str, kind: str = "file") -> None:
    """UsageError for a place to which no option may write: `-`, or one inside git's folder."""
    if str(place) == "-":
        raise UsageError(f"{option} needs the name of a {kind}, not -")
    require_outside_git(place)


def require_outside_git(place: Path) -> None:
    """UsageError for a place in a git folder, also one reached through links."""
    absolute = place.absolute()
    real = absolute.resolve()
    names = {part.casefold() for one in (absolute, real) for part in one.parts}
    if ".git" in names or any(map(_is_git_folder, (real, *real.parents))):
        raise UsageError(f"{place} belongs to git itself; choose another path")


def _is_git_folder(folder: Path) -> bool:
    """Whether a folder is a git repository's own, such as `.git` or a bare repository."""
    return os.path.lexists(folder / "HEAD") and all(
        (folder / name).is_dir() for name in ("objects", "refs")
    )


def is_tracked(place: Path) -> bool:
    """Whether git tracks a file, in whatever repository it is."""
    from pfcore.repository.git import find_repository

    repository = find_repository(place)
    if repository is None or repository.root is None:
        return False
    name = os.path.relpath(place.resolve(), repository.root).replace(os.sep, "/")
    return any(entry.path == name for entry in repository.index())


def require_ours(folder: Path, names: Iterable[str]) -> None:
    """UsageError if files of the folder that no gate has written would be overwritten."""
    require_place(folder, "--out", "folder")
    names = sorted(names)
    for place in (folder, *(folder / name for name in names)):
        if place.is_symlink():
            raise UsageError(f"{place} is a symbolic link; left unchanged")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; --out expects a folder")
    taken = [name for name in names if (folder / name).exists()]
    if taken and not _is_gates(folder):
        message = (
            f"{folder / taken[0]} exists and was not written by pf gate; --out chooses another"
        )
        raise UsageError(f"{message} folder")


def require_writable(folder: Path) -> None:
    """IncompleteError for a folder that cannot be written to; does not create it."""
    there = folder.absolute()
    while not there.exists() and there != there.parent:
        there = there.parent
    if not there.is_dir():
        raise IncompleteError(f"{folder} cannot be written: {there} is a file")
    if not os.access(there, os.W_OK | os.X_OK):
        raise IncompleteError(f"{folder} cannot be written: no write permission for {there}")


def _is_gates(folder: Path) -> bool:
    if (folder / _UNFINISHED).is_file() and not (folder / _UNFINISHED).is_symlink():
        return True
    try:
        return '"gate": {' in (folder / _MARK).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False


def require_no_source(place: Path, option: str) -> None:
    """UsageError for an existing file whose name is that of a paper's source."""
    from pfcore.repository.source_files import is_of_interest

    if place.exists() and is_of_interest(place.name):
        raise UsageError(f"{place} is a source of a paper; choose another path with {option}")


def write_all(folder: Path, files: Mapping[str, str]) -> None:
    """Write all texts into a folder, which is created if needed; on an error, old files stay.

    The mark, which is read first, exists only if all other files are from the same run. A folder
    that was empty is hidden from git, because the files quote the paper and `git add -A` would add
    them.
    """
    require_ours(folder, files)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        hidden = folder / ".gitignore"
        _remove_drafts(hidden)
        if not any(folder.iterdir()):
            replace(hidden, b"*\n")
        names = sorted(files, key=lambda name: name == _MARK)
        texts = {folder / name: files[name].encode("utf-8", "replace") for name in names}
        with _drafts({**texts, folder / _UNFINISHED: b""}) as drafts:
            drafts.pop(folder / _UNFINISHED).replace(folder / _UNFINISHED)
            (folder / _MARK).unlink(missing_ok=True)
            for place, draft in drafts.items():
                draft.replace(place)
        (folder / _UNFINISHED).unlink(missing_ok=True)
    except OSError as error:
        raise IncompleteError(f"{folder} cannot be written: {error.strerror}") from error


def replace(place: Path, data: bytes) -> None:
    """Write a file atomically; OSError if that fails, and then nothing has changed.

    UsageError inside git's folder. Also removes what killed processes left there.
    """
    require_outside_git(place)
    with _drafts({place: data}) as drafts:
        drafts[place].replace(place)


@contextmanager
def _drafts(files: Mapping[Path, bytes]) -> Iterator[dict[Path, Path]]:
    """Complete drafts, each next to its place; those not moved there are removed at the end."""
    drafts = {place: place.with_name(f".{place.name}.{os.getpid()}") for place in files}
    try:
        for place, draft in drafts.items():
            _remove_drafts(place)
            draft.unlink(missing_ok=True)
            with draft.open("xb") as file:
                file.write(files[place])
                file.flush()
                os.fsync(file.fileno())
        yield dict(drafts)
    finally:
        for draft in drafts.values():
            with suppress(OSError):  # a folder that cannot be written to
                draft.unlink(missing_ok=True)


def _remove_drafts(place: Path) -> None:
    """Remove the drafts of a file whose processes have ended."""
    start = f".{place.name}."
    for item in place.parent.iterdir() if os.name == "posix" else ():
        number = item.name.removeprefix(start)
        if item.name.startswith(start) and number.isascii() and number.isdigit():
            try:
                os.kill(int(number), 0)
            except (ProcessLookupError, OverflowError):
                item.unlink(missing_ok=True)
            except PermissionError:
                pass  # another user's process, still running
