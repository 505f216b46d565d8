"""Turns what a server sent into a reply; anything that is not clearly one is an error.

Errors say in plain words what went wrong, and whether asking again may help.
"""

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

from pydantic import BaseModel, ValidationError

from pfcore.domain.lazy_regex import regex
from pfcore.llm.prices import spent
from pfcore.llm.protocol import (
    TOO_LONG,
    CallError,
    Endpoint,
    Finish,
    Reply,
    Request,
    TokenUsage,
)

_CUT = frozenset(("length", "max_tokens", "max_output_tokens", "model_length"))
_WITHHELD = frozenset(("content_filter", "safety"))
_ENDED = frozenset(("stop", "eos", "eos_token", "stop_sequence", "end_turn"))


class _MessagePart(BaseModel):
    """A piece of a message."""

    type: str = "text"
    text: str | None = None
    refusal: str | None = None


class _Message(BaseModel):
    """The model's message; `content` is a text or a list of parts."""

    content: str | list[_MessagePart] | None = None
    refusal: str | None = None

    def text(self) -> str:
        """The whole text."""
        if isinstance(self.content, str):
            return self.content
        return "".join(part.text or "" for part in self.content or ())

    def is_refusal(self) -> bool:
        """Whether the model declines."""
        parts = self.content if isinstance(self.content, list) else []
        return bool(self.refusal) or any(part.refusal for part in parts)


class _ChatChoice(BaseModel):
    """One of the replies to a chat; we ask for one."""

    message: _Message
    finish_reason: str | None = None


class _Incomplete(BaseModel):
    """Why a response ended early."""

    reason: str | None = None


class _Chat(BaseModel):
    """A chat completion."""

    choices: list[_ChatChoice]
    model: str | None = None
    usage: Any = None


class _Response(BaseModel):
    """A response; its output has reasoning and messages."""

    status: str
    output: list[dict[str, Any]]
    incomplete_details: _Incomplete | None = None
    model: str | None = None
    usage: Any = None


def read_reply(content: bytes, request: Request, *, key: str | None = None) -> Reply:
    """The reply in a response body; CallError if there is none."""
    try:
        sent = json.loads(content)
    except (ValueError, RecursionError):
        raise _malformed("invalid JSON") from None
    if not isinstance(sent, dict):
        raise _malformed("not a JSON object")
    if sent.get("error"):
        raise _failed(sent["error"], request, key)
    try:
        match request.endpoint:
            case Endpoint.RESPONSES:
                return _of_response(_Response.model_validate(sent), request)
            case Endpoint.CHAT:
                return _of_chat(_Chat.model_validate(sent), request)
    except ValidationError as error:
        raise _malformed(_place(error)) from None


def _of_response(sent: _Response, request: Request) -> Reply:
    items = [item for item in sent.output if item.get("type") == "message"]
    messages = [_Message.model_validate(item) for item in items]
    text = "".join(message.text() for message in messages)
    refused = any(message.is_refusal() for message in messages)
    reason = sent.incomplete_details.reason if sent.incomplete_details else None
    finish = Finish.REFUSAL if refused else _of_status(sent.status, reason)
    return _reply(text, finish, sent.model, _usage(sent.usage, "input", "output"), request)


def _of_status(status: str, reason: str | None) -> Finish:
    if status == "completed":
        return Finish.STOP
    if status == "incomplete":
        return Finish.FILTER if reason in _WITHHELD else Finish.LENGTH
    raise _malformed(f"it is '{status}'")


def _of_chat(sent: _Chat, request: Request) -> Reply:
    if not sent.choices:
        raise _malformed("no choices")
    choice = sent.choices[0]
    finish = Finish.REFUSAL if choice.message.is_refusal() else _of_reason(choice.finish_reason)
    usage = _usage(sent.usage, "prompt", "completion")
    return _reply(choice.message.text(), finish, sent.model, usage, request)


def _of_reason(reason: str | None) -> Finish:
    """How a chat ended; an unknown reason is an error, because the reply may be cut off."""
    if reason in _ENDED:
        return Finish.STOP
    if reason in _CUT:
        return Finish.LENGTH
    if reason in _WITHHELD:
        return Finish.FILTER
    raise _malformed(f"it ended with {reason!r}")


def _reply(
    text: str, finish: Finish, model: str | None, usage: TokenUsage | None, request: Request
) -> Reply:
    known = usage or spent(request, text)
    return Reply(text=text, usage=known, finish=finish, model=model or request.model)


def _usage(sent: object, into: str, out: str) -> TokenUsage | None:
    """The tokens that a server reports; None if it does not."""
    if not isinstance(sent, Mapping):
        return None
    taken, given = _count(sent.get(f"{into}_tokens")), _count(sent.get(f"{out}_tokens"))
    if not taken or given is None:  # a server that does not count may report 0
        return None
    details = sent.get(f"{into}_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, Mapping) else None
    return TokenUsage(input=taken, cached=min(cached or 0, taken), output=given)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None


def _malformed(what: str) -> CallError:
    return CallError(f"the server's reply cannot be read: {what}", retry=True, charged=True)


def _failed(error: object, request: Request, key: str | None) -> CallError:
    """An error in the body of a successful response, as gateways and failed responses send it."""
    codes, message = fault_in_body(error)
    status = next((int(code) for code in codes if code.isdigit()), 0)
    if status >= 300:
        return of_status(status, error, model=request.model, key=key)
    known = of_status(400, error, model=request.model, key=key)
    if known.fatal or known.reason.startswith(TOO_LONG) or "invalid_prompt" in codes:
        return known
    words = scrubbed(message, key)
    return CallError(f"the server failed: {words}", retry=True)


def _place(error: ValidationError) -> str:
    fault = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"


_LONGEST = 300
_SPENT = frozenset(
    "insufficient_quota billing_hard_limit_reached billing_not_active account_deactivated".split()
)
_LONG_CODES = frozenset(
    "context_length_exceeded exceed_context_size_error string_above_max_length".split()
)
_LONG = regex(
    r"context (?:length|size|window).{0,40}(?:exceed|only|is )|maximum context length"
    r"|exceeds? (?:the |its )?(?:available |maximum |max_)?(?:context|model_len|model's)"
    r"|prompt is too long|input is too long|too many (?:input )?tokens",
    re.IGNORECASE,
)
_TOO_FAST_EVER = regex(r"request too large", re.IGNORECASE)
_AGAIN = frozenset((408, 409, 425, 429))
_BEHIND_A_GATEWAY = frozenset((504, 524))
"""Statuses of a gateway that gave up on a server which may still be answering."""
_SECRET = regex(
    r"""authorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic)\s+)?[^\s"',}]+"""
    r"|\b(?:bearer|basic)\s+[\w.~+/=*-]{6,}"
    r"|\b(?:sk|pk|gsk|xai)[-_][\w*.-]{6,}",
    re.IGNORECASE,
)


def scrubbed(text: str, key: str | None) -> str:
    """Text from a server as one short line, without keys, their headers or control characters."""
    if key:
        text = text.replace(key, "[key]")
    text = " ".join(_SECRET.sub("[key]", text).split())
    text = "".join(letter for letter in text if letter.isprintable())
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def fault_in_body(body: object) -> tuple[frozenset[str], str]:
    """The codes and the message in an error body of any form."""
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
    """The error for an HTTP status and the body that came with it."""
    codes, message = fault_in_body(body)
    words = scrubbed(message, key)
    said = f": {words}" if words else ""
    if status == 402 or codes & _SPENT:
        return CallError(f"the account has no credit left{said}", fatal=True)
    if status in {401, 403}:
        return CallError(f"the server refuses the key ({status}){said}", fatal=True)
    if 300 <= status < 400:
        sentence = "the server redirects calls to another address; redirects are not followed"
        return CallError(f"{sentence} ({status})", fatal=True)
    if status == 404 or "model_not_found" in codes:
        return _missing(message, model, said)
    if _is_too_long(status, codes, message):
        return CallError(f"{TOO_LONG}{said}")
    if status == 429 and _TOO_FAST_EVER.search(message):
        return CallError(f"one request exceeds this account's limit per minute{said}")
    if status in _AGAIN or status >= 500:
        charged = status in _BEHIND_A_GATEWAY
        words = f"{_name(status)} ({status}){said}"
        return CallError(words, retry=True, wait=wait, charged=charged)
    return CallError(f"the server refuses the request ({status}){said}")


def _missing(message: str, model: str, said: str) -> CallError:
    if "model" in message.lower():
        return CallError(f"unknown model on the server: '{model}'{said}", fatal=True)
    return CallError(f"not found at this base URL (404); does it end in /v1?{said}", fatal=True)


def _is_too_long(status: int, codes: frozenset[str], message: str) -> bool:
    if status == 413 or codes & _LONG_CODES:
        return True
    return status != 429 and _LONG.search(message) is not None


def _name(status: int) -> str:
    if status == 429:
        return "too many requests"
    if status in {408, 504}:
        return "the server took too long"
    return "the server failed" if status >= 500 else "the server requests a retry"


def wait_of(headers: Mapping[str, str], now: float) -> float | None:
    """The seconds that a server asks to wait; `now` is in seconds since 1970."""
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
