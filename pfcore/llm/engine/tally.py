"""What a run came to: calls, tokens, money, and what had been there before."""

from dataclasses import dataclass

from pfcore.llm.engine.events import Event, Kind
from pfcore.llm.protocol import Usage


@dataclass(slots=True, kw_only=True)
class Tally:
    """Adds events up; `hits` are replies that nobody had to be asked for. Cost in dollars."""

    calls: int = 0
    hits: int = 0
    retries: int = 0
    failures: int = 0
    unkept: int = 0
    usage: Usage = Usage()  # noqa: RUF009 - immutable
    cost: float = 0.0
    seconds: float = 0.0

    def add(self, event: Event) -> None:
        """Count one event."""
        is_paid_for = event.kind is Kind.FAILED and event.usage != Usage()
        self.calls += event.kind is Kind.RAN or is_paid_for
        self.hits += event.kind in (Kind.HIT, Kind.JOINED)
        self.retries += event.kind is Kind.RETRY
        self.failures += event.kind is Kind.FAILED
        self.unkept += event.kind is Kind.UNKEPT
        self.usage = self.usage + event.usage
        self.cost += event.cost
