"""What a run may use, as people write it: `2`, `$0.50`, `500k tokens`, `20 min`."""

import argparse
import re
from dataclasses import dataclass
from datetime import UTC, datetime

from pfcore.domain.errors import UsageError
from pfcore.domain.paper_settings import PaperSettings
from pfcore.llm.engine.budget import Budget
from pfcore.llm.model_settings import ModelChoice
from pfcore.llm.store.reply_store import ReplyStore

_AMOUNT = re.compile(
    r"(?P<dollar>\$)?\s*(?P<number>\d+(?:\.\d+)?|\.\d+)\s*(?P<unit>[A-Za-z]*\s*[a-z]*)"
)
_TOKENS = {"tokens": 1, "k tokens": 1_000, "ktokens": 1_000, "m tokens": 1_000_000}
_TOKENS |= {"token": 1, "k": 1_000, "m": 1_000_000, "mtokens": 1_000_000}
_SECONDS = {"s": 1, "min": 60, "h": 3600}
_DOLLARS = ("", "usd", "dollars")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cap:
    """Caps of a run; None: none of its kind."""

    dollars: float | None = None
    tokens: int | None = None
    seconds: float | None = None


def cap(text: str) -> Cap:
    """The cap that a text states; ArgumentTypeError for what states none."""
    found = _AMOUNT.fullmatch(text.strip())
    if found:
        number, unit = float(found["number"]), " ".join(found["unit"].lower().split())
        if unit in _DOLLARS:
            return Cap(dollars=number)
        if not found["dollar"] and unit in _TOKENS:
            return Cap(tokens=int(number * _TOKENS[unit]))
        if not found["dollar"] and unit in _SECONDS:
            return Cap(seconds=number * _SECONDS[unit])
    message = f"'{text}' is no budget: write 2 or $2, '500k tokens', '20 min'"
    raise argparse.ArgumentTypeError(message)


def run_cap(wanted: Cap | None, choice: ModelChoice, settings: PaperSettings, paper: str) -> Cap:
    """What a run may use: what the user says, else what the authors do, else the default.

    UsageError where the price is unknown and only money is capped.
    """
    if wanted is not None and wanted.dollars is None:
        return wanted
    if choice.price is None:
        message = (
            f"nobody has told what {choice.model} costs, so a budget in dollars cannot be kept: "
            "say --budget '500k tokens', or give its price in your configuration"
        )
        raise UsageError(message)
    if wanted is not None:
        return wanted
    own = next((item.budget for item in settings.papers if item.name == paper), None)
    return Cap(dollars=settings.reading.budget if own is None else own)


def budget(
    cap: Cap, choice: ModelChoice, settings: PaperSettings, store: ReplyStore, now: float
) -> Budget:
    """The budget of one run; the day's part is what all runs with this store cost since midnight.

    Midnight is that of UTC.
    """
    day = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    budget = Budget(
        dollars=cap.dollars,
        tokens=cap.tokens,
        seconds=cap.seconds,
        day_spent=lambda: store.spent(day.timestamp()),
    )
    if choice.price is not None:
        budget.price = choice.price
        budget.dollars_per_day = settings.reading.budget_per_day
    return budget
