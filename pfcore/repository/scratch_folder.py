"""Folders for what lasts no longer than a command: emptied by the next one if it was killed.

A process that is killed cleans nothing up, and what it leaves may be somebody's manuscript. Each
folder is held by a lock that ends with its process, however that ends; so a folder without a
holder is removed by whoever makes the next one.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "pf-scratch-"
"""How the names of all such folders begin."""


@contextmanager
def scratch_folder(purpose: str) -> Iterator[Path]:
    """An empty folder of this process in the system's folder for such, gone afterwards."""
    _remove_abandoned(Path(tempfile.gettempdir()))
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{purpose}-")).resolve()
        lock = _locked(folder, is_awaited=True)
        if folder.is_dir():
            break
        _release(lock)  # another process took it for abandoned before it was held
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _release(lock)


def _remove_abandoned(top: Path) -> None:
    """Remove the folders of processes of ours that are over; a link is not followed."""
    with suppress(OSError), os.scandir(top) as items:
        for item in items:
            if item.name.startswith(PREFIX) and _is_ours(Path(item.path)):
                lock = _locked(Path(item.path), is_awaited=False)
                if lock is not None:
                    shutil.rmtree(item.path, ignore_errors=True)
                    _release(lock)


def _is_ours(place: Path) -> bool:
    """Whether it is a folder of the user who runs this; never so where there is no such thing."""
    if os.name != "posix":
        return False
    with suppress(OSError):
        status = place.lstat()
        return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    return False


def _locked(folder: Path, *, is_awaited: bool) -> int | None:
    """A descriptor that holds a folder; None where it is gone, held, or cannot be held."""
    if os.name != "posix":
        return None
    import fcntl  # no such module under Windows

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
