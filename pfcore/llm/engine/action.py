"""An action: one pure call of a stage, and the key that everything in it makes.

What the engine decides, as a stream that progress, log, cost and tests all read. What a run came
to: calls, tokens, money, and what had been there before.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from pfcore.domain.digest import digest
from pfcore.llm.protocol import Request, TokenUsage

_FORM = "action/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A request of one stage for one rollout.

    `prompt` names the prompt's version ("verify/v1"); `generation` counts explicit rechecks.
    """

    stage: str
    prompt: str
    request: Request
    rollout: int = 1
    generation: int = 0

    def key(self) -> str:
        """The digest of all that can change the result, and of nothing else."""
        request = self.request
        return digest(
            {
                "form": _FORM,
                "stage": self.stage,
                "prompt": self.prompt,
                "rollout": self.rollout,
                "generation": self.generation,
                "endpoint": request.endpoint.value,
                "model": request.model,
                "instructions": request.instructions,
                "text": request.text,
                "effort": request.effort,
                "temperature": request.temperature,
                "limit": request.limit,
                "document": request.document.digest if request.document else None,
            }
        )


class EngineEventKind(StrEnum):
    """What became of an action.

    `joined`: its reply had been asked for already, here or by another process. `unkept`: its reply
    counts, but could not be stored.
    """

    HIT = "hit"
    RAN = "ran"
    JOINED = "joined"
    RETRY = "retry"
    FAILED = "failed"
    UNKEPT = "unkept"


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineEvent:
    """One decision; `usage` and `cost` (dollars) are those of a call that was made.

    `may_pass`: what failed may succeed another time, for it was the server that failed.
    """

    kind: EngineEventKind
    stage: str
    key: str
    usage: TokenUsage = TokenUsage()  # noqa: RUF009 - immutable
    cost: float = 0.0
    reason: str = ""
    may_pass: bool = False


Observe = Callable[[EngineEvent], None]


def unobserved(event: EngineEvent) -> None:
    """For whoever needs no events."""


@dataclass(slots=True, kw_only=True)
class UsageTally:
    """Adds events up; `hits` are replies that nobody had to be asked for. Cost in dollars.

    `unanswered` are requests that the server had, or may have had, and that no call counts.
    """

    calls: int = 0
    hits: int = 0
    retries: int = 0
    failures: int = 0
    unanswered: int = 0
    unkept: int = 0
    usage: TokenUsage = TokenUsage()  # noqa: RUF009 - immutable
    cost: float = 0.0
    seconds: float = 0.0

    def add(self, event: EngineEvent) -> None:
        """Count one event."""
        is_paid_for = event.kind is EngineEventKind.FAILED and event.usage != TokenUsage()
        self.calls += event.kind is EngineEventKind.RAN or is_paid_for
        self.hits += event.kind in (EngineEventKind.HIT, EngineEventKind.JOINED)
        self.retries += event.kind is EngineEventKind.RETRY
        self.failures += event.kind is EngineEventKind.FAILED
        self.unanswered += event.kind is EngineEventKind.RETRY
        if event.kind is EngineEventKind.FAILED and event.may_pass and not is_paid_for:
            self.unanswered += 1
        self.unkept += event.kind is EngineEventKind.UNKEPT
        self.usage = self.usage + event.usage
        self.cost += event.cost
