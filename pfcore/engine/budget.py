"""What may be spent: checked before each call with the most that it can cost, settled after it."""

from dataclasses import dataclass, field

from pfcore.llm.costs import Price, most
from pfcore.llm.protocol import Request, Usage


@dataclass(slots=True, kw_only=True)
class Budget:
    """Caps in dollars and in tokens (None: no cap), and what is spent or in flight."""

    price: Price = field(default_factory=Price)
    dollars: float | None = None
    tokens: int | None = None
    spent: float = 0.0
    used: int = 0
    _held: float = 0.0
    _held_tokens: int = 0

    def hold(self, request: Request) -> Usage | None:
        """Set aside the most that a call can take; None where that is more than is left."""
        usage = most(request)
        cost, count = self.price.of(usage), usage.input + usage.output
        if self.dollars is not None and self.spent + self._held + cost > self.dollars:
            return None
        if self.tokens is not None and self.used + self._held_tokens + count > self.tokens:
            return None
        self._held += cost
        self._held_tokens += count
        return usage

    def settle(self, held: Usage, usage: Usage) -> float:
        """Replace what was set aside by what was used; the cost in dollars."""
        self._held -= self.price.of(held)
        self._held_tokens -= held.input + held.output
        cost = self.price.of(usage)
        self.spent += cost
        self.used += usage.input + usage.output
        return cost
