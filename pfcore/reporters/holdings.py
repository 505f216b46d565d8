"""What `pf remove` shows: what is kept on this machine, and what it would cost to have it again."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pfcore.llm.protocol import TokenUsage
from pfcore.reporters.printing import plural, safe
from pfcore.reporters.style import Style

_UNITS = ("bytes", "kB", "MB", "GB", "TB")


@dataclass(frozen=True, slots=True, kw_only=True)
class Replies:
    """The replies of one model: `dollars` is what asking again would cost; None: not known."""

    model: str
    count: int
    usage: TokenUsage
    dollars: float | None
    host: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """Something that is kept, by the name of its place; `size` in bytes, None where it has none.

    `spared` says why it is left alone: "" for what would be erased. `is_trouble`: it was meant.
    """

    name: str
    place: str
    size: int | None = None
    replies: tuple[Replies, ...] = ()
    spared: str = ""
    is_trouble: bool = False

    @property
    def total(self) -> int:
        """How many replies there are."""
        return sum(item.count for item in self.replies)


def listed(holdings: Iterable[Holding], style: Style) -> str:
    """Everything that there is, with what would be lost."""
    return style.finish(line for item in holdings for line in _listed(item))


def _listed(item: Holding) -> Iterator[str]:
    size = f", {_size(item.size)}" if item.size is not None else ""
    spared = f": {safe(item.spared)}" if item.spared else ""
    yield f"  {item.name:<11}  {safe(item.place)}{size}{spared}"
    for replies in item.replies:
        yield f"      {_replies(replies)}"


def _replies(item: Replies) -> str:
    usage = item.usage
    words = f"{plural(item.count, 'reply', 'replies')} of {safe(item.model)}"
    tokens = f"{usage.input:,} tokens in and {usage.output:,} out"
    if item.dollars is None:
        return f"{words}, {tokens}: its price is not known"
    if item.dollars == 0:
        return f"{words}, {tokens}: to ask again costs nothing but time at {safe(item.host)}"
    if item.dollars < 0.01:
        return f"{words}, {tokens}: less than a cent to ask {safe(item.host)} again"
    return f"{words}, {tokens}: about ${item.dollars:,.2f} to ask {safe(item.host)} again"


def erased(holdings: Iterable[Holding], style: Style) -> str:
    """What is gone."""
    names = [
        f"{item.name} ({plural(item.total, 'reply', 'replies')})" if item.total else item.name
        for item in holdings
    ]
    return style.finish([f"Erased: {', '.join(names)}."])


def _size(size: int) -> str:
    amount, unit = float(size), 0
    while amount >= 1000 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{amount:.1f} {_UNITS[unit]}" if unit else f"{size} {_UNITS[0]}"
