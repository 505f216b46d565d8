"""What a server sent, as a reply; whatever is not clearly one is an error, never a verdict."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from pfcore.llm import faults
from pfcore.llm.costs import spent
from pfcore.llm.protocol import CallError, Endpoint, Finish, Reply, Request, TokenUsage

_CUT = frozenset(("length", "max_tokens", "max_output_tokens", "model_length"))
_WITHHELD = frozenset(("content_filter", "safety"))
_ENDED = frozenset(("stop", "eos", "eos_token", "stop_sequence", "end_turn"))


class _MessagePart(BaseModel):
    """A piece of a message."""

    type: str = "text"
    text: str | None = None
    refusal: str | None = None


class _Message(BaseModel):
    """What the model says; `content` is a text or pieces."""

    content: str | list[_MessagePart] | None = None
    refusal: str | None = None

    def text(self) -> str:
        """All its words."""
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
    """The reply in a body; CallError if it has none."""
    try:
        sent = json.loads(content)
    except (ValueError, RecursionError):
        raise _malformed("it is not JSON") from None
    if not isinstance(sent, dict):
        raise _malformed("it is no object")
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
        raise _malformed("it has no choices")
    choice = sent.choices[0]
    finish = Finish.REFUSAL if choice.message.is_refusal() else _of_reason(choice.finish_reason)
    usage = _usage(sent.usage, "prompt", "completion")
    return _reply(choice.message.text(), finish, sent.model, usage, request)


def _of_reason(reason: str | None) -> Finish:
    """How a chat ended; an end that we do not know may be a reply cut short."""
    if reason in _ENDED:
        return Finish.STOP
    if reason in _CUT:
        return Finish.LENGTH
    if reason in _WITHHELD:
        return Finish.FILTER
    raise _malformed(f"it ended by {reason!r}")


def _reply(
    text: str, finish: Finish, model: str | None, usage: TokenUsage | None, request: Request
) -> Reply:
    known = usage or spent(request, text)
    return Reply(text=text, usage=known, finish=finish, model=model or request.model)


def _usage(sent: object, into: str, out: str) -> TokenUsage | None:
    """The tokens that a server counted; None if it did not."""
    if not isinstance(sent, Mapping):
        return None
    taken, given = _count(sent.get(f"{into}_tokens")), _count(sent.get(f"{out}_tokens"))
    if not taken or given is None:  # a server that counts nothing may say 0
        return None
    details = sent.get(f"{into}_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, Mapping) else None
    return TokenUsage(input=taken, cached=min(cached or 0, taken), output=given)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None


def _malformed(what: str) -> CallError:
    return CallError(f"the server's reply cannot be read: {what}", retry=True, charged=True)


def _failed(error: object, request: Request, key: str | None) -> CallError:
    """An error in a body that claims success, as gateways and failed responses send it."""
    codes, message = faults.fault_in_body(error)
    status = next((int(code) for code in codes if code.isdigit()), 0)
    if status >= 300:
        return faults.of_status(status, error, model=request.model, key=key)
    known = faults.of_status(400, error, model=request.model, key=key)
    if known.fatal or known.reason.startswith(faults.TOO_LONG) or "invalid_prompt" in codes:
        return known
    words = faults.scrubbed(message, key)
    return CallError(f"the server failed: {words}", retry=True)


def _place(error: ValidationError) -> str:
    fault = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
