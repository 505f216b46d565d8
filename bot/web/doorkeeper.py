"""Who may see the pages: whoever knows their token, or was let in with it before.

A ticket, which a cookie holds, is a moment and its HMAC: it tells nothing of the token, ends by
itself, and is worth nothing once the token is another.
"""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass, field

LASTS = 12 * 3600
"""Seconds that a ticket is good for."""

_PURPOSE = b"pf-verify pages ticket 1"
_LONGEST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Doorkeeper:
    """Compares in constant time; `clock` counts seconds."""

    token: bytes = field(repr=False)
    clock: Callable[[], float]

    def knows(self, given: str) -> bool:
        """Whether this is the token."""
        if len(given) > _LONGEST:
            return False
        # Of digests: compare_digest tells the length of what it compares.
        return hmac.compare_digest(_hash(given.encode("utf-8", "surrogatepass")), _hash(self.token))

    def ticket(self) -> str:
        """A ticket that is good from now on."""
        ends = str(int(self.clock()) + LASTS)
        return f"{ends}.{self._seal(ends)}"

    def admits(self, ticket: str) -> bool:
        """Whether a ticket is one of ours and still good."""
        ends, _, seal = ticket[:_LONGEST].partition(".")
        sealed = self._seal(ends).encode()
        if not hmac.compare_digest(seal.encode("utf-8", "surrogatepass"), sealed):
            return False
        return int(ends) > self.clock()

    def _seal(self, ends: str) -> str:
        key = hmac.new(self.token, _PURPOSE, hashlib.sha256).digest()
        return hmac.new(key, ends.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def _hash(secret: bytes) -> bytes:
    return hashlib.sha256(secret).digest()
