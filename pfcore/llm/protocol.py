"""What is asked of a model and what comes back: values, and a protocol with one method."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from pfcore.domain.errors import PfError

LIMIT = 16_000
"""Output tokens of a reply at most where nobody says otherwise: room for thinking, no run-away."""

TOO_LONG = "too long for this model"
"""Begins the reason of a request that is longer than the model takes."""

ATTEMPTS = 5
"""Calls for one reply at most, where nobody says otherwise: a fault may pass."""


class Endpoint(StrEnum):
    """The kind of interface that is spoken; part of every key."""

    RESPONSES = "responses"
    CHAT = "chat"


class Finish(StrEnum):
    """How a reply ended; only `stop` is a reply that counts."""

    STOP = "stop"
    LENGTH = "length"
    REFUSAL = "refusal"
    FILTER = "filter"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A PDF that goes with a request: its bytes, and the digest that stands for them in keys."""

    name: str
    digest: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One call: instructions, then the text; long-lived words first, so that caches hit.

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
    """Tokens: `cached` are among `input`."""

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
    """What a server sent back; `model` is the name that it gave itself.

    `made` is when it was stored, in seconds; None for what comes from no store.
    """

    text: str
    usage: TokenUsage
    finish: Finish
    model: str
    made: float | None = field(default=None, compare=False)


class LlmClient(Protocol):
    """Answers a request: text, usage, finish reason, the served model's name."""

    async def complete(self, request: Request) -> Reply:
        """The reply; a CallError where there is none."""
        ...


class CallError(PfError):
    """A call gave no reply: `retry` says whether asking again may help, `wait` after how long.

    `charged`: it had gone out, and the server may charge what nobody received. `fatal`: no other
    call will do better.
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
