"""Requests to a model and its replies, as values, and a protocol with one method."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from pfcore.domain.errors import PfError

LIMIT = 16_000
"""The default limit of a reply in output tokens: room for thinking, but no runaway replies."""

TOO_LONG = "too long for this model"
"""The start of the reason given for a request that is too long for the model."""

ATTEMPTS = 5
"""The default number of calls for one reply, because a failure may be temporary."""


class Endpoint(StrEnum):
    """The kind of API; part of every key."""

    RESPONSES = "responses"
    CHAT = "chat"


class Finish(StrEnum):
    """How a reply ended; only `stop` counts as a reply."""

    STOP = "stop"
    LENGTH = "length"
    REFUSAL = "refusal"
    FILTER = "filter"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A PDF sent with a request: its bytes, and the digest that represents them in keys."""

    name: str
    digest: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One call: instructions, then the text; the part that changes least comes first, for caching.

    `temperature` None leaves it to the server; `limit` is the most output tokens, thinking
    included.
    """

    endpoint: Endpoint
    model: str
    instructions: str
    text: str
    effort: str | None = None
    temperature: str | None = None  # as text: a float has no canonical form
    limit: int = LIMIT
    document: Document | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenUsage:
    """Numbers of tokens; `cached` are included in `input`."""

    input: int = 0
    cached: int = 0
    output: int = 0

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        return TokenUsage(
            input=self.input + other.input,
            cached=self.cached + other.cached,
            output=self.output + other.output,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a server sent back; `model` is the model's name according to the server.

    `made` is when it was stored, in seconds; None for a reply that is not from a store.
    """

    text: str
    usage: TokenUsage
    finish: Finish
    model: str
    made: float | None = field(default=None, compare=False)


class LlmClient(Protocol):
    """Answers a request: text, usage, finish reason, the served model's name."""

    async def complete(self, request: Request) -> Reply:
        """The reply; raises CallError if there is none."""
        ...


class CallError(PfError):
    """A call gave no reply; `retry` says whether to ask again, `wait` after how many seconds.

    `charged`: the request was sent, and the server may charge for it. `fatal`: no other call will
    succeed either.
    """

    exit_status = 3

    def __init__(
        self,
        reason: str,
        *,
        retry: bool = False,
        wait: float | None = None,
        charged: bool = False,
        fatal: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.charged = charged
        self.retry = retry
        self.wait = wait
        self.fatal = fatal
