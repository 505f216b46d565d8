"""What a run came to: calls, tokens, money, and what had been there before."""

from dataclasses import dataclass

from pfcore.llm.engine.events import EngineEvent, EngineEventKind
from pfcore.llm.protocol import TokenUsage


@dataclass(slots=True, kw_only=True)
class UsageTally:
    """Adds events up; `hits` are replies that nobody had to be asked for. Cost in dollars."""

    calls: int = 0
    hits: int = 0
    retries: int = 0
    failures: int = 0
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
        self.unkept += event.kind is EngineEventKind.UNKEPT
        self.usage = self.usage + event.usage
        self.cost += event.cost
