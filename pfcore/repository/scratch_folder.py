"""Temporary folders of a command; if it is killed, the next command removes them.

A killed process cleans nothing up, and its folder may hold somebody's manuscript. Each folder is
held by a lock that the system releases when its process ends, so a folder without a holder is
removed by the next process that makes one.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "pf-scratch-"
"""The prefix of the names of all these folders."""


@contextmanager
def scratch_folder(purpose: str) -> Iterator[Path]:
    """A new empty folder below the system's temporary folder, removed afterwards."""
    _remove_abandoned(Path(tempfile.gettempdir()))
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{purpose}-")).resolve()
        lock = _locked(folder, is_awaited=True)
        if folder.is_dir():
            break
        _release(lock)  # another process removed it before it was locked
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _release(lock)


def _remove_abandoned(top: Path) -> None:
    """Remove the folders of our processes that have ended; links are not followed."""
    with suppress(OSError), os.scandir(top) as items:
        for item in items:
            if item.name.startswith(PREFIX) and _is_ours(Path(item.path)):
                lock = _locked(Path(item.path), is_awaited=False)
                if lock is not None:
                    shutil.rmtree(item.path, ignore_errors=True)
                    _release(lock)


def _is_ours(place: Path) -> bool:
    """Whether it is a folder owned by the current user; False on systems without owners."""
    if os.name != "posix":
        return False
    with suppress(OSError):
        status = place.lstat()
        return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    return False


def _locked(folder: Path, *, is_awaited: bool) -> int | None:
    """A descriptor that locks a folder; None if the folder is gone, held, or cannot be locked."""
    if os.name != "posix":
        return None
    import fcntl  # not available on Windows

    lock = None
    with suppress(OSError):
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        fcntl.flock(lock, fcntl.LOCK_EX | (0 if is_awaited else fcntl.LOCK_NB))
        return lock
    _release(lock)
    return None


def _release(lock: int | None) -> None:
    if lock is not None:
        os.close(lock)
