"""Claims in a database: of all processes that share a store, one asks for a key at a time.

A claim lasts a minute unless it is renewed, and no longer than its process as far as that can be
seen from here. Only money rests on it: where no claim can be written, everybody may ask.
"""

import os
import platform
import re
import secrets
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from sqlalchemy import (
    Column,
    Connection,
    Double,
    MetaData,
    String,
    Table,
    bindparam,
    delete,
    or_,
    select,
)

from pfcore.domain.digest import text_digest
from pfcore.domain.errors import IncompleteError
from pfcore.llm.store.sql_database import SqlDatabase

LEASE = 60.0
"""Seconds that a claim lasts."""
_APART = 30.0
"""Seconds that the clocks of two machines may differ; what lasts longer than that was a leap."""
_FORGOTTEN = 3600.0

CLAIMS = Table(
    "claims",
    MetaData(),
    Column("key", String(64), primary_key=True),
    Column("owner", String(64), nullable=False),
    Column("until", Double, nullable=False),
    sqlite_with_rowid=False,  # found by its key alone, it needs no index beside it
)


_OWN = CLAIMS.c.owner == bindparam("mine")
_FREE = or_(_OWN, CLAIMS.c.until <= bindparam("now"), CLAIMS.c.until > bindparam("leap"))
_OWNER = select(CLAIMS.c.owner).where(CLAIMS.c.key == bindparam("its"))
_RELEASE = delete(CLAIMS).where(CLAIMS.c.key == bindparam("its"), _OWN)
_LET_GO = delete(CLAIMS).where(_OWN)
_FORGET = delete(CLAIMS).where(CLAIMS.c.until < bindparam("before"))


class KeyLeases:
    """What one reader claims; two in one process exclude each other, too."""

    def __init__(self, database: SqlDatabase, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock
        self._owner = f"{_place()}/{os.getpid()}/{secrets.token_hex(8)}"
        self._has_swept = False
        claim = database.insert(CLAIMS)
        taken = {"owner": claim.excluded.owner, "until": claim.excluded.until}
        made = claim.on_conflict_do_update(index_elements=["key"], set_=taken, where=_FREE)
        self._take = made.execution_options(preserve_rowcount=True)
        self._go_on = claim.on_conflict_do_nothing()

    def claim(self, key: str) -> bool:
        """Whether the key is ours from now on; it is nobody else's then."""
        try:
            self._sweep()
            return self._is_taken(key) or (self._is_orphan(key) and self._is_taken(key))
        except IncompleteError:
            return True

    def release(self, key: str) -> None:
        """Let others have a key; if that cannot be written, they have it in a minute."""
        with suppress(IncompleteError), self._writing() as connection:
            connection.execute(_RELEASE, {"its": key, "mine": self._owner})

    def hold(self, keys: Iterable[str]) -> None:
        """Go on with these of our keys that nobody has taken over; let others have the rest."""
        until = self._clock() + LEASE
        kept = [{"key": key, "owner": self._owner, "until": until} for key in keys]
        with suppress(IncompleteError), self._writing() as connection:
            connection.execute(_LET_GO, {"mine": self._owner})
            if kept:
                connection.execute(self._go_on, kept)

    def _is_taken(self, key: str) -> bool:
        now = self._clock()
        row = {"key": key, "owner": self._owner, "until": now + LEASE}
        asked = {"mine": self._owner, "now": now, "leap": now + LEASE + _APART}
        with self._writing() as connection:
            return connection.execute(self._take, row | asked).rowcount > 0

    def _is_orphan(self, key: str) -> bool:
        """Whether a process of this machine had a key that is no more; then nobody has it now."""
        with self._database.begin("cannot be read") as connection:
            owner = str(connection.execute(_OWNER, {"its": key}).scalar() or "")
        if not _is_dead(owner):
            return False
        with self._writing() as connection:
            connection.execute(_RELEASE, {"its": key, "mine": owner})
        return True

    def _sweep(self) -> None:
        """Forget, once, what killed processes have left and nobody has asked for since."""
        if not self._has_swept:
            self._has_swept = True
            with self._writing() as connection:
                connection.execute(_FORGET, {"before": self._clock() - _FORGOTTEN})

    def _writing(self) -> AbstractContextManager[Connection]:
        return self._database.begin("cannot be written")


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
