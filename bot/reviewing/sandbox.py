"""Processes a stranger's paper in a process of its own, with limits of time and memory.

Only text comes back, so that whatever a paper does there can only change a text here.

The structure of a review is found in such a process, which no paper can outlast or outgrow.

It gets commits and the path of a cache, and neither a model nor a key.
"""

import json
import os
import resource
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import ParamSpec

from bot.domain.comment import Diff
from bot.domain.review_result import ReviewPart, ReviewResult, load_result
from bot.domain.worker_context import ReviewSubject
from bot.reviewing.pull_review import ReviewTools, review_structure, unfound
from pfcore.domain.errors import GitError, IncompleteError, PfError, UsageError
from pfcore.papers.parse_cache import DiskCache, MemoryCache
from pfcore.repository.git import GitRepository

Given = ParamSpec("Given")

_LONGEST = 64_000_000
"""The most bytes that may come back."""
_KINDS: tuple[type[PfError], ...] = (UsageError, GitError, IncompleteError)
"""The errors that keep their class; all others become IncompleteError."""
_BROKEN = "RuntimeError"
_ENDING = 5.0
"""The seconds that a process may take to end once it has nothing more to send."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessBounds:
    """Limits for each process: wall-clock seconds, bytes of memory."""

    seconds: float = 600
    memory: int = 4_000_000_000


def run_apart(
    bounds: ProcessBounds, work: Callable[Given, str], *args: Given.args, **kwargs: Given.kwargs
) -> str:
    """The result of a module's function, called in another process with picklable values.

    UsageError, GitError and IncompleteError are passed on; IncompleteError if a limit is exceeded.
    An unforeseen exception becomes a RuntimeError with the original traceback.
    """
    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(theirs, bounds, work, args, kwargs))
    process.start()
    theirs.close()
    try:
        sent = _awaited(ours, bounds)
        if sent is None:
            process.join(_ENDING)
            raise _speechless(process.exitcode, bounds)
        return _understood(sent)
    finally:
        ours.close()
        _end(process)


def _awaited(ours: Connection, bounds: ProcessBounds) -> bytes | None:
    """The bytes sent; None if the process ended without sending anything."""
    if not ours.poll(bounds.seconds):
        raise IncompleteError(f"this paper takes longer than {bounds.seconds:g} seconds")
    try:
        return ours.recv_bytes(_LONGEST)
    except EOFError:
        return None
    except OSError as error:
        raise IncompleteError("the results of this paper are too long") from error


def _speechless(status: int | None, bounds: ProcessBounds) -> IncompleteError:
    """The error if nothing was sent; running out of memory mostly ends in a signal."""
    if status is not None and status >= 0:
        return IncompleteError(f"the parser stopped without output, with status {status}")
    by = f"signal {-status}" if status else "somebody"
    return IncompleteError(
        f"the parser was stopped by {by}, possibly for using more than "
        f"{bounds.memory:,} bytes of memory"
    )


def _understood(sent: bytes) -> str:
    kind, text = json.loads(sent)
    for error in _KINDS:
        if kind == error.__name__:
            raise error(text)
    if kind == _BROKEN:
        raise RuntimeError(text)
    return str(text)


def _end(process: SpawnProcess) -> None:
    """Kill the process and those that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid or 0, signal.SIGKILL)
    process.kill()
    process.join()
    process.close()


def _child(
    theirs: Connection,
    bounds: ProcessBounds,
    work: Callable[..., str],
    args: tuple[object, ...],
    kwargs: dict[str, object],
) -> None:  # pragma: no cover - runs in another process, where nobody counts
    os.setsid()
    # Our parent may have been killed; then this process ends by itself.
    seconds = int(bounds.seconds) + 60
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (bounds.memory, bounds.memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    told = carried_out(work, args, kwargs)
    with suppress(BrokenPipeError):  # the parent has gone
        theirs.send_bytes(told)
    theirs.close()


def carried_out(
    work: Callable[..., str], args: tuple[object, ...], kwargs: dict[str, object]
) -> bytes:
    """The outcome of a function: its text, or the exception as text."""
    import traceback

    try:
        kind, text = "", work(*args, **kwargs)
    except MemoryError:
        kind, text = IncompleteError.__name__, "this paper exceeds the memory limit"
    except PfError as error:
        known = (one for one in _KINDS if isinstance(error, one))
        kind, text = next(known, IncompleteError).__name__, error.message
    except Exception:  # noqa: BLE001 - it is raised again, where it can be logged
        kind, text = _BROKEN, traceback.format_exc()
    return json.dumps([kind, text]).encode()


def structure_apart(
    bounds: ProcessBounds,
    cache: Path,
    repository: GitRepository,
    subject: ReviewSubject,
    diff: Diff,
    *,
    has_reader: bool = False,
) -> ReviewResult:
    """The review without a model; if it exceeds a limit, the result is a failed review.

    GitError as in `review_structure`.
    """
    given = (cache, repository, subject, diff)
    try:
        return load_result(run_apart(bounds, structure_text, *given, has_reader=has_reader))
    except GitError:
        raise
    except IncompleteError as error:
        kit = ReviewTools(cache=MemoryCache(), has_reader=has_reader)
        return unfound(error, ReviewPart.STRUCTURE, repository, subject, kit)


def structure_text(
    cache: Path,
    repository: GitRepository,
    subject: ReviewSubject,
    diff: Diff,
    *,
    has_reader: bool = False,
) -> str:
    """The structure's result as JSON, found in this process."""
    held = DiskCache(cache)
    try:
        kit = ReviewTools(cache=held, has_reader=has_reader)
        return review_structure(repository, subject, kit, diff).text()
    finally:
        held.close()
