"""Turns to call: of all processes that share a store, one asks for a key, and the others wait."""

import asyncio
from collections.abc import Iterable
from typing import Protocol

from pfcore.llm.engine.limits import Sleep

RENEWED = 20.0
"""Seconds after which claims are renewed that are still needed."""


class LeaseProtocol(Protocol):
    """The keys that one process has to itself for a while, on a store that others use, too."""

    def claim(self, key: str) -> bool:
        """Whether the key is ours from now on; it is nobody else's then."""
        ...

    def release(self, key: str) -> None:
        """Let others have a key."""
        ...

    def hold(self, keys: Iterable[str]) -> None:
        """Go on with these of our keys, and let others have the rest."""
        ...


class Turns:
    """The claims of one engine, renewed as long as it needs them; None: nobody else is there.

    A claim whose reply is kept is let go later, with others: who looks for the key finds that.
    """

    def __init__(self, claims: LeaseProtocol | None, *, sleep: Sleep) -> None:
        self._claims = claims
        self._sleep = sleep
        self._needed: set[str] = set()
        self._renewing: asyncio.Task[None] | None = None

    def take(self, key: str) -> bool:
        """Whether it is our turn to ask for a key; then nobody else does until it is over."""
        if self._claims is None:
            return True
        if not self._claims.claim(key):
            return False
        self._needed.add(key)
        if self._renewing is None:
            self._renewing = asyncio.ensure_future(self._renew(self._claims))
        return True

    def over(self, key: str, *, is_kept: bool) -> None:
        """Our turn is over, if it was ours, with a reply in the store or without."""
        if self._claims is None or key not in self._needed:
            return
        self._needed.remove(key)
        if not is_kept:
            self._claims.release(key)
        if not self._needed:
            self._claims.hold(())
            self._stop()

    async def _renew(self, claims: LeaseProtocol) -> None:
        while True:
            await self._sleep(RENEWED)
            claims.hold(sorted(self._needed))

    def _stop(self) -> None:
        if self._renewing is not None:
            self._renewing.cancel()
            self._renewing = None
