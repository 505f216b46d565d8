"""What shows that a delivery comes from GitHub: an HMAC of its raw bytes."""

import hashlib
import hmac

LIMIT = 25 * 1024 * 1024
"""Bytes of a delivery at most; GitHub sends no longer ones."""

_SCHEME = b"sha256="


def sign(body: bytes, secret: bytes) -> str:
    """The header X-Hub-Signature-256 of a body."""
    return (_SCHEME + _digest(body, secret)).decode()


def is_valid(body: bytes, header: str | None, secret: bytes) -> bool:
    """Whether the header signs these very bytes; takes as long whichever sign differs.

    Without a secret nothing is valid, and neither is a body above the limit.
    """
    if header is None or not secret or len(body) > LIMIT:
        return False
    # Of bytes: compare_digest refuses a str that is not ASCII, which a header may be.
    given = header.encode("utf-8", "surrogatepass")
    return hmac.compare_digest(given, _SCHEME + _digest(body, secret))


def _digest(body: bytes, secret: bytes) -> bytes:
    return hmac.new(secret, body, hashlib.sha256).hexdigest().encode()
