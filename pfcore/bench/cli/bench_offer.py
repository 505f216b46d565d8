"""What the readings of a benchmark cost, for whoever decides: about, at most, and where it stops.

The most that every repetition allowed, at full length, could come to is true and hundreds of times
what is likely. So it comes last, behind what decides: the budget, which bounds a run whatever the
replies are like, and the dearest reading that is known, once there is one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pfcore.bench.cli.bench_setup import BenchmarkSetup
from pfcore.bench.runs.benchmark_run import Item
from pfcore.bench.runs.run_prices import Prices, benchmark_at_most, likely_benchmark
from pfcore.bench.runs.running import RowJob
from pfcore.bench.runs.saved_run import Rollout
from pfcore.cli.pricing import price_words
from pfcore.llm.engine.budget import Budget
from pfcore.reporters.printing import plural, safe
from pfcore.verification.estimate import CostEstimate


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkOffer:
    """Readings to be made; `limit` is what the run may use, `known` are readings of this trial."""

    setup: BenchmarkSetup
    listed: Sequence[RowJob]
    limit: Budget
    known: Sequence[Rollout] = ()

    @property
    def likely_dollars(self) -> float | None:
        """What it would cost with the averages that the paper has published; None: no price."""
        return 0.0 if self.setup.is_simulated else self._about.dollars

    def sentence(self) -> str:
        """What leaves the machine, and what it costs."""
        setup, trial = self.setup, self.setup.trial
        readings, rows = (
            plural(len(self.listed), "reading"),
            plural(len(trial.items), "row"),
        )
        what = f"{readings} of {rows} by {trial.method}"
        if setup.is_simulated:
            return f"{what}: simulated, nobody is asked."
        where = f"{safe(setup.choice.model)} at {safe(setup.choice.connection.host)}"
        judge = f", places judged by {safe(setup.judge.model)}" if setup.judge else ""
        return f"{what}, asked of {where}{judge}: {self._price()}"

    def _price(self) -> str:
        most, about = benchmark_at_most(self._items, self._prices), self._about
        stop = _stop(self.limit)
        if not most.dollars or about.dollars is None:
            return f"{price_words(most, about)}{f' It stops {stop}.' if stop else ''}"
        known = costs(self.known)
        parts = [f"about ${about.dollars:,.2f} by the averages of the paper"]
        if known:
            whole, readings = len(self.listed) * max(known), plural(len(known), "reading")
            parts.append(
                f"${whole:,.2f} if none is dearer than the dearest of {readings} known here "
                f"(${max(known):,.3f})"
            )
        if stop:
            parts.append(f"it stops {stop}, whatever the replies are like")
        return (
            f"{'; '.join(parts)}. Were everything repeated as often as is allowed, at full length: "
            f"at most {most.calls:,} calls, {most.input:,} tokens in and {most.output:,} out, "
            f"${most.dollars:,.2f}."
        )

    @property
    def _items(self) -> list[Item]:
        return [job.item for job in self.listed]

    @property
    def _about(self) -> CostEstimate:
        return likely_benchmark(self._items, self._prices)

    @property
    def _prices(self) -> Prices:
        judge = self.setup.judge
        return Prices(reader=self.setup.choice.price, judge=judge.price if judge else None)


def costs(known: Iterable[Rollout]) -> list[float]:
    """What each of some whole readings cost, judges included; those of unknown price left out."""
    listed = [[used.dollars for used in item.used] for item in known if _is_whole(item)]
    return [sum(filter(None, one)) for one in listed if None not in one]


def _is_whole(item: Rollout) -> bool:
    return not (item.unreached or item.unjudged)


def _stop(limit: Budget) -> str:
    """Where a run stops, in words; "" where nothing stops it."""
    dollars = [] if limit.dollars is None else [limit.dollars]
    if limit.dollars_per_day is not None:
        dollars.append(max(0.0, limit.dollars_per_day - limit.day_spent()))
    words = [f"at ${min(dollars):,.2f}"] if dollars else []
    words += [f"at {limit.tokens:,} tokens"] if limit.tokens is not None else []
    words += [f"after {limit.seconds:,.0f} s"] if limit.seconds is not None else []
    return " or ".join(words)
