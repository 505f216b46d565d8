"""An action is one pure call of a stage, with a key computed from all of its inputs.

The events of the engine are here as well, which progress, logs, costs and tests read, and the
totals of a run: calls, tokens, money, and replies found in the store.
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
    """What happened to an action.

    `joined`: its reply had already been requested, here or by another process. `unkept`: its reply
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
    """One decision of the engine; `usage` and `cost` (dollars) are those of the call, if any.

    `may_pass`: the failure was the server's, so that another attempt may succeed.
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
    """An observer that ignores all events."""


@dataclass(slots=True, kw_only=True)
class UsageTally:
    """Totals of events; `hits` are replies without a call of ours. Cost in dollars.

    `unanswered` are requests that the server received, or may have, and that are not in `calls`.
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
