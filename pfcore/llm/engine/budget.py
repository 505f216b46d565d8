"""What may be spent: checked before each call with the most that it can cost, settled after it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pfcore.llm.prices import Price, most
from pfcore.llm.protocol import Request, TokenUsage

SPENT = "the budget is "
"""The start of every reason for which a budget refuses a call."""
_NOISE = 1e-9
"""Rounding error in dollars that is allowed for sums of floats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRefusal:
    """The refusal of a call, with the cap that it would exceed.

    `for_now`: it may fit later, if the calls in flight use less than was reserved.
    """

    reason: str
    for_now: bool = False


@dataclass(slots=True, kw_only=True)
class Budget:
    """Caps of a run in dollars, tokens and seconds, and of a day; None: no cap.

    `today` is the usage of earlier runs of the day; `day_spent` returns the dollars that all runs
    of the day have cost so far, including concurrent ones. `spent` (dollars) and `used` (tokens)
    are of this run. `left` returns the dollars that other runs have left of a shared purse, which
    `purse` describes. `others` are the prices of models that do not cost `price`.
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
        """Reserve the most that a call can use, or refuse; a cap of $0 refuses even free calls."""
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
        """Whether tokens are capped, so that they matter even if they are free."""
        return self.tokens is not None or self.tokens_per_day is not None

    def cost(self, request: Request, usage: TokenUsage) -> float:
        """The cost of a call with this usage, in dollars."""
        return self.others.get(request.model, self.price).of(usage)

    def settle(self, request: Request, held: TokenUsage, usage: TokenUsage) -> float:
        """Replace the reserved usage by the actual one; the cost in dollars."""
        self._in_flight -= 1
        self._held = self._held - self.cost(request, held) if self._in_flight else 0.0
        self._held_tokens -= _count(held)
        cost = self.cost(request, usage)
        self.spent += cost
        self.used += _count(usage)
        return cost

    def is_late(self, elapsed: float) -> bool:
        """Whether it is too late to start a call; `elapsed` is in seconds since the run's start."""
        return self.seconds is not None and elapsed >= self.seconds

    def lateness(self) -> str:
        """The reason why no call is started any more."""
        return f"{SPENT}spent: {self.seconds or 0:g} s for this run"


def _why(used: float, wanted: float, cap: float) -> str:
    """Why a call does not fit a cap of which `used` is used."""
    is_small = not used and cap and wanted > cap + _NOISE
    return f"{SPENT}too small for one call" if is_small else f"{SPENT}spent"


def _count(usage: TokenUsage) -> int:
    return usage.input + usage.output
