"""What the engine decides, as a stream that progress, log, cost and tests all read."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from pfcore.llm.protocol import TokenUsage


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
