"""Folders for what a command writes; what a gate leaves behind, into a folder of its own."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from pfcore.domain.errors import IncompleteError, UsageError

_MARK = "result.json"


def require_ours(folder: Path, names: Iterable[str]) -> None:
    """UsageError where files of a folder would be overwritten that no gate has written."""
    names = sorted(names)
    for place in (folder, *(folder / name for name in names)):
        if place.is_symlink():
            raise UsageError(f"{place} is a symbolic link; it is left alone")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; --out names a folder")
    taken = [name for name in names if (folder / name).exists()]
    if taken and not _is_gates(folder):
        message = f"{folder / taken[0]} is there, and no gate has written it; --out names another"
        raise UsageError(f"{message} folder")


def require_writable(folder: Path) -> None:
    """IncompleteError for a folder that nothing can be written to; it is not made yet."""
    there = folder.absolute()
    while not there.exists() and there != there.parent:
        there = there.parent
    if not there.is_dir():
        raise IncompleteError(f"{folder} cannot be written: {there} is a file")
    if not os.access(there, os.W_OK | os.X_OK):
        raise IncompleteError(f"{folder} cannot be written: {there} is not yours to write to")


def _is_gates(folder: Path) -> bool:
    try:
        return '"gate": {' in (folder / _MARK).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False


def write_all(folder: Path, files: Mapping[str, str]) -> None:
    """Write texts into a folder, which is made if need be, each whole or not at all."""
    require_ours(folder, files)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            replace(folder / name, text.encode("utf-8", "replace"))
    except OSError as error:
        raise IncompleteError(f"{folder} cannot be written: {error.strerror}") from error


def replace(place: Path, data: bytes) -> None:
    """Put a file in its place at once; OSError where that fails, and nothing has changed."""
    draft = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        draft.write_bytes(data)
        draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)
