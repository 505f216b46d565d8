"""The likely and the highest price of reading some modules, in words.

Also spending limits as users write them: `2`, `$0.50`, `500k tokens`, `20 min`.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from pfcore.domain.errors import UsageError
from pfcore.domain.lazy_regex import regex
from pfcore.domain.paper_settings import PaperSettings
from pfcore.llm.engine.budget import Budget
from pfcore.llm.model_settings import ModelChoice
from pfcore.llm.store.reply_store import ReplyStore
from pfcore.reporters.printing import plural, safe
from pfcore.review.reading_session import ReadJob, run_budget
from pfcore.verification.estimate import (
    CostEstimate,
    is_too_long,
    likely_reading,
    reading_at_most,
    seconds,
)

_SPEED = 20
"""Tokens per second in each call to a local model: a guess; `pf doctor` measures it."""


class Offer(Protocol):
    """A reading, with its price, to which the user has to agree."""

    @property
    def likely_dollars(self) -> float | None:
        """What it would cost with the averages that the paper has published; None: no price."""
        ...

    def sentence(self) -> str:
        """What leaves the machine, and what it costs."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """Some modules to be read, and the price.

    Not included are `answered` modules, for which stored replies give no verdict, and `long` ones,
    whose text does not fit the model's `window`.
    """

    modules: int
    model: str
    host: str
    rollouts: int = 0
    in_flight: int = 1
    most: CostEstimate = field(default_factory=CostEstimate)
    about: CostEstimate = field(default_factory=CostEstimate)
    answered: int = 0
    long: int = 0
    window: int | None = None

    @property
    def likely_dollars(self) -> float | None:
        """What it would cost with the averages that the paper has published; None: no price."""
        return self.about.dollars

    def sentence(self) -> str:
        """What leaves the machine, and what it costs, for the question whether to go on."""
        apart = self._apart()
        if not self.modules:
            return apart or f"Nothing is left to read with {safe(self.model)}."
        times = "once" if self.rollouts == 1 else f"{self.rollouts} times each"
        go = "with its context goes" if self.modules == 1 else "with their contexts go"
        where = f"{safe(self.model)} at {safe(self.host)}"
        words = price_words(self.most, self.about, free=f"free (local model), {self._time()}")
        said = f"{plural(self.modules, 'proof')} {go} to {where}, {times}: {words}"
        return f"{said} {apart}" if apart else said

    def _apart(self) -> str:
        """The proofs that will not be read, and why."""
        said = []
        if self.answered:
            some = plural(self.answered, "proof")
            said.append(f"The stored replies about {some} give no verdict; --retry asks again.")
        if self.long:
            some = plural(self.long, "proof does", "proofs do")
            said.append(f"{some} not fit the model's window of {self.window or 0:,} tokens.")
        return " ".join(said)

    def _time(self) -> str:
        """The likely time, with its assumptions: how many calls a local server answers at once."""
        minutes = seconds(self.about, _SPEED, self.in_flight) / 60
        took = f"{minutes:,.0f} min" if minutes >= 1 else "less than a minute"
        calls = min(self.in_flight, self.about.calls)
        where = f"each of {calls} parallel calls" if calls > 1 else "one call at a time"
        return f"about {took}, assuming {_SPEED} tokens a second in {where}"

    def numbers(self) -> Mapping[str, int | float | None]:
        """The upper bounds, for JSON."""
        return bounds_json(self.most)


def bounds_json(most: CostEstimate) -> Mapping[str, int | float | None]:
    """The upper bounds by their JSON keys."""
    return {
        "calls": most.calls,
        "input_tokens": most.input,
        "output_tokens": most.output,
        "cost_usd": most.dollars,
    }


def price_words(
    most: CostEstimate, about: CostEstimate, *, free: str = "free (local model)"
) -> str:
    """The likely and the highest price; `free` are the words if it costs no money."""
    tokens = f"{most.input:,} tokens in and {most.output:,} out"
    if most.dollars is None or about.dollars is None:
        return f"up to {most.calls:,} calls, {tokens}; price unknown."
    if most.dollars == 0:
        return f"up to {most.calls:,} calls, {tokens}; {free}."
    return (
        f"likely ${about.dollars:.2f}; up to ${most.dollars:,.2f} ({most.calls:,} calls, {tokens})."
    )


def priced(jobs: Sequence[ReadJob], choice: ModelChoice) -> Priced:
    """The price of some jobs, which may belong to several papers."""
    groups: dict[int, list[ReadJob]] = {}
    for job in jobs:
        groups.setdefault(id(job.knowledge), []).append(job)
    most, about, rollouts = CostEstimate(), CostEstimate(), 0
    modules = long = 0
    for group in groups.values():
        knowledge = group[0].knowledge
        if knowledge.asking is None:
            continue
        asking, window = knowledge.asking, choice.connection.window
        open_ones = [job.task for job in group if not job.answered]
        tasks = [task for task in open_ones if not is_too_long(task, asking, window)]
        modules, long = modules + len(tasks), long + len(open_ones) - len(tasks)
        known = (tasks, knowledge.asking, knowledge.judging, choice.price)
        most, about = _sum(most, reading_at_most(*known)), _sum(about, likely_reading(*known))
        rollouts = max(rollouts, knowledge.judging.rollouts)
    return Priced(
        modules=modules,
        model=choice.model,
        host=choice.connection.host,
        rollouts=rollouts,
        in_flight=choice.rates.in_flight,
        most=most,
        about=about,
        answered=sum(1 for job in jobs if job.answered),
        long=long,
        window=choice.connection.window,
    )


def _sum(one: CostEstimate, other: CostEstimate) -> CostEstimate:
    is_known = one.dollars is not None and other.dollars is not None
    return CostEstimate(
        calls=one.calls + other.calls,
        input=one.input + other.input,
        output=one.output + other.output,
        dollars=(one.dollars or 0) + (other.dollars or 0) if is_known else None,
    )


_AMOUNT = regex(r"(?P<dollar>\$)?\s*(?P<number>\d+(?:\.\d+)?|\.\d+)\s*(?P<unit>[A-Za-z]*\s*[a-z]*)")
_TOKENS = {"tokens": 1, "k tokens": 1_000, "ktokens": 1_000, "m tokens": 1_000_000}
_TOKENS |= {"token": 1, "k": 1_000, "m": 1_000_000, "mtokens": 1_000_000}
_SECONDS = {"s": 1, "min": 60, "h": 3600}
_DOLLARS = ("", "usd", "dollars")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cap:
    """The limits of a run; None: no limit of this kind."""

    dollars: float | None = None
    tokens: int | None = None
    seconds: float | None = None


def cap(text: str) -> Cap:
    """The limit that a text states; ArgumentTypeError if invalid."""
    found = _AMOUNT.fullmatch(text.strip())
    if found:
        number, unit = float(found["number"]), " ".join(found["unit"].lower().split())
        if unit in _DOLLARS:
            return Cap(dollars=number)
        if not found["dollar"] and unit in _TOKENS:
            return Cap(tokens=int(number * _TOKENS[unit]))
        if not found["dollar"] and unit in _SECONDS:
            return Cap(seconds=number * _SECONDS[unit])
    message = f"invalid budget '{text}': expected 2 or $2, '500k tokens', '20 min'"
    raise argparse.ArgumentTypeError(message)


def run_cap(wanted: Cap | None, choice: ModelChoice, settings: PaperSettings, paper: str) -> Cap:
    """The limit of a run: the user's, else the one in pf.toml, else the default.

    UsageError if the price is unknown and only money is limited.
    """
    if wanted is not None and wanted.dollars is None:
        return wanted
    if choice.price is None:
        message = (
            f"no price is known for {choice.model}, so a dollar limit cannot be enforced: "
            "use --budget '500k tokens', or add its price to your configuration"
        )
        raise UsageError(message)
    if wanted is not None:
        return wanted
    return Cap(dollars=run_budget(settings, paper))


def budget(
    cap: Cap,
    choice: ModelChoice,
    settings: PaperSettings,
    store: ReplyStore,
    now: float,
    *,
    elsewhere: float = 0.0,
) -> Budget:
    """The budget of one run; a day's spending counts all runs with this store since midnight UTC.

    `elsewhere` is what all runs of the day are known to have spent, in dollars, with any store.
    """
    day = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    unknown = max(0.0, elsewhere - store.spent(day.timestamp())) if elsewhere else 0.0
    budget = Budget(
        dollars=cap.dollars,
        tokens=cap.tokens,
        seconds=cap.seconds,
        day_spent=lambda: store.spent(day.timestamp()) + unknown,
    )
    if choice.price is not None:
        budget.price = choice.price
        budget.dollars_per_day = settings.reading.budget_per_day
    return budget
