"""Claims in a database: of all processes that share a store, one asks for a key at a time.

A claim lasts a minute unless it is renewed, and ends with its process where that can be detected.
Claims only save money: if none can be written, every process may ask.
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
"""How many seconds a claim lasts."""
_APART = 30.0
"""By how many seconds two clocks may differ; a claim beyond that comes from a clock error."""
_FORGOTTEN = 3600.0

CLAIMS = Table(
    "claims",
    MetaData(),
    Column("key", String(64), primary_key=True),
    Column("owner", String(64), nullable=False),
    Column("until", Double, nullable=False),
    sqlite_with_rowid=False,  # it is only looked up by its key, so it needs no other index
)


_OWN = CLAIMS.c.owner == bindparam("mine")
_FREE = or_(_OWN, CLAIMS.c.until <= bindparam("now"), CLAIMS.c.until > bindparam("leap"))
_OWNER = select(CLAIMS.c.owner).where(CLAIMS.c.key == bindparam("its"))
_RELEASE = delete(CLAIMS).where(CLAIMS.c.key == bindparam("its"), _OWN)
_LET_GO = delete(CLAIMS).where(_OWN)
_FORGET = delete(CLAIMS).where(CLAIMS.c.until < bindparam("before"))


class KeyLeases:
    """The claims of one engine; two in the same process exclude each other as well."""

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
        """Reserve a key; returns whether that succeeded, so that no other process has it."""
        try:
            self._sweep()
            return self._is_taken(key) or (self._is_orphan(key) and self._is_taken(key))
        except IncompleteError:
            return True

    def release(self, key: str) -> None:
        """Release a key; if that cannot be written, the claim expires within a minute."""
        with suppress(IncompleteError), self._writing() as connection:
            connection.execute(_RELEASE, {"its": key, "mine": self._owner})

    def hold(self, keys: Iterable[str]) -> None:
        """Renew those of these keys that nobody has taken over; release the others."""
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
        """Whether a dead process of this machine held a key; the claim is then removed."""
        with self._database.begin("cannot be read") as connection:
            owner = str(connection.execute(_OWNER, {"its": key}).scalar() or "")
        if not _is_dead(owner):
            return False
        with self._writing() as connection:
            connection.execute(_RELEASE, {"its": key, "mine": owner})
        return True

    def _sweep(self) -> None:
        """Once, delete old claims that killed processes have left behind."""
        if not self._has_swept:
            self._has_swept = True
            with self._writing() as connection:
                connection.execute(_FORGET, {"before": self._clock() - _FORGOTTEN})

    def _writing(self) -> AbstractContextManager[Connection]:
        return self._database.begin("cannot be written")


def _place(proc: Path = Path("/proc")) -> str:
    """A digest of the scope of process ids: a machine since its boot, or a container on it.

    Host names do not suffice, as machines may share one, nor does the outermost pid namespace,
    which has the same name everywhere.
    """
    names = [platform.node()]
    with suppress(OSError):
        names.append(str((proc / "self/ns/pid").readlink()))
    with suppress(OSError):
        names.append((proc / "sys/kernel/random/boot_id").read_text("ascii"))
    return text_digest(" ".join(names))[:16]


def _is_dead(owner: str) -> bool:
    """Whether a claim belongs to a process of this machine that no longer exists."""
    found = re.fullmatch(rf"{_place()}/([1-9]\d{{0,8}})/\w+", owner)
    if found is None or os.name != "posix":  # on other systems signal 0 is not harmless
        return False
    try:
        os.kill(int(found[1]), 0)
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False
