"""Claims in a database: of all processes that share a store, one asks for a key at a time.

A claim lasts a minute unless it is renewed, and no longer than its process as far as that can be
seen from here. Only money rests on it: where no claim can be written, everybody may ask.
"""

import os
import platform
import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from pfcore.domain.digest import text_digest
from pfcore.domain.errors import IncompleteError

LEASE = 60.0
"""Seconds that a claim lasts."""
_APART = 30.0
"""Seconds that the clocks of two machines may differ; what lasts longer than that was a leap."""
_FORGOTTEN = 3600.0

TABLE = """CREATE TABLE IF NOT EXISTS claims (
    key VARCHAR(64) PRIMARY KEY, owner VARCHAR(64) NOT NULL, until DOUBLE PRECISION NOT NULL)"""
_CLAIM = (
    "INSERT INTO claims VALUES (:key, :owner, :until) ON CONFLICT (key) DO UPDATE "
    "SET owner = excluded.owner, until = excluded.until WHERE claims.owner = excluded.owner "
    "OR claims.until <= :now OR claims.until > :leap"
)
_GO_ON = "INSERT INTO claims VALUES (:key, :owner, :until) ON CONFLICT (key) DO NOTHING"
_OWNER = "SELECT owner FROM claims WHERE key = :key"
_RELEASE = "DELETE FROM claims WHERE key = :key AND owner = :owner"
_LET_GO = "DELETE FROM claims WHERE owner = :owner"
_FORGET = "DELETE FROM claims WHERE until < :until"

Values = Mapping[str, object]
Step = tuple[str, Sequence[Values]]
"""A statement, and what it is carried out with, once for each."""


class LeaseDatabase(Protocol):
    """What claims are written into; each raises IncompleteError where that fails."""

    def change(self, *steps: Step) -> int:
        """Carry out all steps or none; how many rows the last one has changed."""
        ...

    def rows(self, query: str, values: Values) -> list[Any]:
        """The rows that a query finds."""
        ...


class KeyLeases:
    """What one reader claims; two in one process exclude each other, too."""

    def __init__(self, database: LeaseDatabase, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock
        self._owner = f"{_place()}/{os.getpid()}/{secrets.token_hex(8)}"
        self._has_swept = False

    def claim(self, key: str) -> bool:
        """Whether the key is ours from now on; it is nobody else's then."""
        try:
            self._sweep()
            return self._is_taken(key) or (self._is_orphan(key) and self._is_taken(key))
        except IncompleteError:
            return True

    def release(self, key: str) -> None:
        """Let others have a key; if that cannot be written, they have it in a minute."""
        with suppress(IncompleteError):
            self._database.change((_RELEASE, [{"key": key, "owner": self._owner}]))

    def hold(self, keys: Iterable[str]) -> None:
        """Go on with these of our keys that nobody has taken over; let others have the rest."""
        until = self._clock() + LEASE
        kept = [{"key": key, "owner": self._owner, "until": until} for key in keys]
        steps: list[Step] = [(_LET_GO, [{"owner": self._owner}])]
        with suppress(IncompleteError):
            self._database.change(*steps, *([(_GO_ON, kept)] if kept else []))

    def _is_taken(self, key: str) -> bool:
        now = self._clock()
        values = {
            "key": key,
            "owner": self._owner,
            "until": now + LEASE,
            "now": now,
            "leap": now + LEASE + _APART,
        }
        return self._database.change((_CLAIM, [values])) > 0

    def _is_orphan(self, key: str) -> bool:
        """Whether a process of this machine had a key that is no more; then nobody has it now."""
        rows = self._database.rows(_OWNER, {"key": key})
        owner = str(rows[0][0]) if rows else ""
        if not _is_dead(owner):
            return False
        self._database.change((_RELEASE, [{"key": key, "owner": owner}]))
        return True

    def _sweep(self) -> None:
        """Forget, once, what killed processes have left and nobody has asked for since."""
        if not self._has_swept:
            self._has_swept = True
            self._database.change((_FORGET, [{"until": self._clock() - _FORGOTTEN}]))


def _place(proc: Path = Path("/proc")) -> str:
    """Where the number of a process means the same: a machine since it began, or a container on it.

    Machines may have one name, and the outermost numbers of processes are called alike on all.
    """
    names = [platform.node()]
    with suppress(OSError):
        names.append(str((proc / "self/ns/pid").readlink()))
    with suppress(OSError):
        names.append((proc / "sys/kernel/random/boot_id").read_text("ascii"))
    return text_digest(" ".join(names))[:16]


def _is_dead(owner: str) -> bool:
    """Whether a claim's process was on this machine and is no more."""
    found = re.fullmatch(rf"{_place()}/([1-9]\d{{0,8}})/\w+", owner)
    if found is None or os.name != "posix":  # elsewhere, signal 0 is not harmless
        return False
    try:
        os.kill(int(found[1]), 0)
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False
