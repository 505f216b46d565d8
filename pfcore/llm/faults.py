"""What went wrong with a call, in plain words, and whether asking again may help."""

import math
import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from pfcore.llm.protocol import CallError

TOO_LONG = "too long for this model"

_LONGEST = 300
_SPENT = frozenset(
    "insufficient_quota billing_hard_limit_reached billing_not_active account_deactivated".split()
)
_LONG_CODES = frozenset(
    "context_length_exceeded exceed_context_size_error string_above_max_length".split()
)
_LONG = re.compile(
    r"context (?:length|size|window).{0,40}(?:exceed|only|is )|maximum context length"
    r"|exceeds? (?:the |its )?(?:available |maximum |max_)?(?:context|model_len|model's)"
    r"|prompt is too long|input is too long|too many (?:input )?tokens",
    re.IGNORECASE,
)
_TOO_FAST_EVER = re.compile(r"request too large", re.IGNORECASE)
_AGAIN = frozenset((408, 409, 425, 429))
_BEHIND_A_GATEWAY = frozenset((504, 524))
"""A gateway gave up on a server that may still be answering."""
_SECRET = re.compile(
    r"""authorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic)\s+)?[^\s"',}]+"""
    r"|\b(?:bearer|basic)\s+[\w.~+/=*-]{6,}"
    r"|\b(?:sk|pk|gsk|xai)[-_][\w*.-]{6,}",
    re.IGNORECASE,
)


def scrubbed(text: str, key: str | None) -> str:
    """A foreign text as one short line without keys, headers that hold one, or control codes."""
    if key:
        text = text.replace(key, "[key]")
    text = " ".join(_SECRET.sub("[key]", text).split())
    text = "".join(letter for letter in text if letter.isprintable())
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def fault_in_body(body: object) -> tuple[frozenset[str], str]:
    """The codes and the message in what a server sent instead of a reply, whatever its shape."""
    if isinstance(body, Mapping):
        inner = body.get("error")
        if isinstance(inner, Mapping):
            return fault_in_body(inner)
        codes = {str(body[name]) for name in ("code", "type") if body.get(name) is not None}
        words = (body.get("message"), inner, body.get("detail"))
        return frozenset(codes), next((word for word in words if isinstance(word, str)), "")
    return frozenset(), body if isinstance(body, str) else ""


def of_status(
    status: int, body: object, *, wait: float | None = None, model: str = "", key: str | None = None
) -> CallError:
    """The failure that a status and what came with it stand for."""
    codes, message = fault_in_body(body)
    words = scrubbed(message, key)
    said = f": {words}" if words else ""
    if status == 402 or codes & _SPENT:
        return CallError(f"the account has no credit left{said}", fatal=True)
    if status in {401, 403}:
        return CallError(f"the server refuses the key ({status}){said}", fatal=True)
    if 300 <= status < 400:
        sentence = "the server sends calls to another address, which is not followed"
        return CallError(f"{sentence} ({status})", fatal=True)
    if status == 404 or "model_not_found" in codes:
        return _missing(message, model, said)
    if _is_too_long(status, codes, message):
        return CallError(f"{TOO_LONG}{said}")
    if status == 429 and _TOO_FAST_EVER.search(message):
        return CallError(f"one request is more than this account may send in a minute{said}")
    if status in _AGAIN or status >= 500:
        charged = status in _BEHIND_A_GATEWAY
        words = f"{_name(status)} ({status}){said}"
        return CallError(words, retry=True, wait=wait, charged=charged)
    return CallError(f"the server refuses the request ({status}){said}")


def _missing(message: str, model: str, said: str) -> CallError:
    if "model" in message.lower():
        return CallError(f"the server does not know the model '{model}'{said}", fatal=True)
    return CallError(
        f"nothing answers at this base URL (404); does it end in /v1?{said}", fatal=True
    )


def _is_too_long(status: int, codes: frozenset[str], message: str) -> bool:
    if status == 413 or codes & _LONG_CODES:
        return True
    return status != 429 and _LONG.search(message) is not None


def _name(status: int) -> str:
    if status == 429:
        return "too many requests"
    if status in {408, 504}:
        return "the server took too long"
    return "the server failed" if status >= 500 else "the server asks to try again"


def wait_of(headers: Mapping[str, str], now: float) -> float | None:
    """How long a server asks to wait, in seconds; `now` is in seconds since 1970."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        seconds = _number(headers.get(name, ""))
        if seconds is not None:
            return seconds / unit
    return _until(headers.get("retry-after", ""), now)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return max(0.0, value) if math.isfinite(value) else None


def _until(text: str, now: float) -> float | None:
    """Seconds to an HTTP date (RFC 9110, 10.2.3)."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - now)
