"""What may be spent: checked before each call with the most that it can cost, settled after it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pfcore.llm.prices import Price, most
from pfcore.llm.protocol import Request, TokenUsage

SPENT = "the budget is "
"""Begins all reasons for which a budget forbids a call."""
_NOISE = 1e-9
"""Dollars that sums of floats may be off by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRefusal:
    """A call that does not fit, and which cap says so.

    `for_now`: it fits once what is in flight has turned out to use less than was set aside.
    """

    reason: str
    for_now: bool = False


@dataclass(slots=True, kw_only=True)
class Budget:
    """Caps of a run in dollars, tokens and seconds, and of a day; None: no cap.

    `today` is what earlier runs of the day have used; `day_spent` asks what all runs of the day
    have cost by now, in dollars, others at the same time included. `spent` (dollars) and `used`
    (tokens) are of this run. `left` asks what others have left of a purse that is shared, in
    dollars; `purse` says which that is. `others` are the prices of models that do not cost `price`.
    """

    price: Price = field(default_factory=Price)
    others: Mapping[str, Price] = field(default_factory=dict)
    dollars: float | None = None
    tokens: int | None = None
    seconds: float | None = None
    dollars_per_day: float | None = None
    tokens_per_day: int | None = None
    today: TokenUsage = TokenUsage()  # noqa: RUF009 - immutable
    day_spent: Callable[[], float] = lambda: 0.0
    left: Callable[[], float] | None = None
    purse: str = "this month"
    spent: float = 0.0
    used: int = 0
    _in_flight: int = 0
    _held: float = 0.0
    _held_tokens: int = 0

    def hold(self, request: Request) -> TokenUsage | BudgetRefusal:
        """Set aside the most that a call can take; none if a run may use nothing, free or not."""
        if self.dollars == 0:
            return BudgetRefusal(reason=f"{SPENT}spent: $0.00 for this run")
        usage = most(request)
        cost, count = self.cost(request, usage), _count(usage)
        before, tokens = self.price.of(self.today), _count(self.today)
        day = max(before + self.spent, self.day_spent())
        left = None if self.left is None else self.left()
        caps = (
            (self.dollars, self.spent, cost, self._held, "${:.2f} for this run"),
            (self.tokens, self.used, count, self._held_tokens, "{:,} tokens for this run"),
            (self.dollars_per_day, day, cost, self._held, "${:.2f} for this day"),
            (self.tokens_per_day, tokens + self.used, count, self._held_tokens,
             "{:,} tokens for this day"),
            (left, self.spent, cost, self._held, f"${{:.2f}} left for {self.purse}"),
        )  # fmt: skip
        refused = [
            BudgetRefusal(
                reason=f"{_why(used, wanted, cap)}: {words.format(cap)}",
                for_now=used + wanted <= cap + _NOISE,
            )
            for cap, used, wanted, held, words in caps
            if cap is not None and used + held + wanted > cap + _NOISE
        ]
        if refused:
            return min(refused, key=lambda item: item.for_now)
        self._in_flight += 1
        self._held += cost
        self._held_tokens += count
        return usage

    @property
    def counts_tokens(self) -> bool:
        """Whether tokens are capped, so that they count where they cost nothing."""
        return self.tokens is not None or self.tokens_per_day is not None

    def cost(self, request: Request, usage: TokenUsage) -> float:
        """What a call costs that uses so much, in dollars."""
        return self.others.get(request.model, self.price).of(usage)

    def settle(self, request: Request, held: TokenUsage, usage: TokenUsage) -> float:
        """Replace what was set aside by what was used; the cost in dollars."""
        self._in_flight -= 1
        self._held = self._held - self.cost(request, held) if self._in_flight else 0.0
        self._held_tokens -= _count(held)
        cost = self.cost(request, usage)
        self.spent += cost
        self.used += _count(usage)
        return cost

    def is_late(self, elapsed: float) -> bool:
        """Whether no call may begin so many seconds after the run's start."""
        return self.seconds is not None and elapsed >= self.seconds

    def lateness(self) -> str:
        """Why no call begins any more."""
        return f"{SPENT}spent: {self.seconds or 0:g} s for this run"


def _why(used: float, wanted: float, cap: float) -> str:
    """Why a call does not fit a cap of which so much is used."""
    is_small = not used and cap and wanted > cap + _NOISE
    return f"{SPENT}too small for one call" if is_small else f"{SPENT}spent"


def _count(usage: TokenUsage) -> int:
    return usage.input + usage.output
