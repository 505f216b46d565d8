"""The output of `pf doctor`: a line for each check of the set-up, and what to do about it.

Also the output of `pf remove`: the stored data, and the cost of getting it again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pfcore.llm.protocol import TokenUsage
from pfcore.reporters.printing import Style, plural, safe

_COLOURS = {"ok": "bold", "warning": "warning", "wrong": "error", "unknown": "dim"}


class Word(StrEnum):
    """The result of a check; a warning does not make the set-up wrong."""

    OK = "ok"
    WARNING = "warning"
    WRONG = "wrong"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One check of the set-up; `advice` says what to do, "" if nothing.

    `by_model`: the fault is in the model or its server, not in the set-up. `unfit` says why the
    model's verdicts are worthless although it answers.
    """

    name: str
    word: Word
    says: str
    advice: str = ""
    by_model: bool = False
    unfit: str = ""


def ok(name: str, says: str) -> Probe:
    """A check that passed."""
    return Probe(name=name, word=Word.OK, says=says)


def warning(name: str, says: str, advice: str = "") -> Probe:
    """A check with a warning."""
    return Probe(name=name, word=Word.WARNING, says=says, advice=advice)


def wrong(name: str, says: str, advice: str = "", *, by_model: bool = False) -> Probe:
    """A check that failed."""
    return Probe(name=name, word=Word.WRONG, says=says, advice=advice, by_model=by_model)


def unknown(name: str, says: str, advice: str = "") -> Probe:
    """A check without a result."""
    return Probe(name=name, word=Word.UNKNOWN, says=says, advice=advice)


def status(probes: Iterable[Probe]) -> int:
    """2 if the set-up is wrong, else 3 if the model cannot be used, 1 if it is unfit, else 0."""
    faults = [item for item in probes if item.word is Word.WRONG]
    if not faults:
        return 0
    if all(item.unfit for item in faults):
        return 1
    return 3 if all(item.by_model for item in faults) else 2


def probes_text(probes: Iterable[Probe], style: Style) -> str:
    """A line for each check."""
    return style.finish(_line(item, style) for item in probes)


def _line(item: Probe, style: Style) -> str:
    word = style.paint(f"{item.word.value:<7}", _COLOURS[item.word])
    advice = f"; {safe(item.advice)}" if item.advice else ""
    return f"  {word}  {item.name:<13}  {safe(item.says)}{advice}"


def summary(probes: Sequence[Probe], style: Style, model: str = "") -> str:
    """How many checks have each result, and whether the model is fit."""
    faults = sum(1 for item in probes if item.word is Word.WRONG)
    warnings = sum(1 for item in probes if item.word is Word.WARNING)
    if not faults and not warnings:
        return style.finish(["All tests passed."])
    parts = [f"{plural(faults, 'fault')}"] if faults else ["No faults found"]
    parts += [plural(warnings, "warning")] if warnings else []
    unfit = "".join(
        f" {safe(model)} is not fit to check proofs: it {item.unfit}."
        for item in probes
        if item.unfit
    )
    return style.finish([f"{', '.join(parts)}.{unfit}"])


_UNITS = ("bytes", "kB", "MB", "GB", "TB")


@dataclass(frozen=True, slots=True, kw_only=True)
class Replies:
    """The stored replies of a model; `dollars` is the cost of asking again; None: unknown."""

    model: str
    count: int
    usage: TokenUsage
    dollars: float | None
    host: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """Stored data, by the name of its place; `size` in bytes, None if it has none.

    `spared` says why it is kept, "" for what would be erased. `is_trouble`: it should be erased.
    """

    name: str
    place: str
    size: int | None = None
    replies: tuple[Replies, ...] = ()
    spared: str = ""
    is_trouble: bool = False

    @property
    def total(self) -> int:
        """The number of replies."""
        return sum(item.count for item in self.replies)


def listed(holdings: Iterable[Holding], style: Style) -> str:
    """All stored data, with what would be lost."""
    return style.finish(line for item in holdings for line in _listed(item))


def _listed(item: Holding) -> Iterator[str]:
    size = f", {_size(item.size)}" if item.size is not None else ""
    spared = f": {safe(item.spared)}" if item.spared else ""
    yield f"  {item.name:<11}  {safe(item.place)}{size}{spared}"
    for replies in item.replies:
        yield f"      {_replies(replies)}"


def _replies(item: Replies) -> str:
    usage = item.usage
    words = f"{plural(item.count, 'reply', 'replies')} from {safe(item.model)}"
    tokens = f"{usage.input:,} tokens in and {usage.output:,} out"
    if item.dollars is None:
        at = f" at {safe(item.host)}; free on your own server" if item.host else ""
        return f"{words}, {tokens}: price unknown{at}"
    if item.dollars == 0:
        return f"{words}, {tokens}: free to ask again at {safe(item.host)}"
    if item.dollars < 0.01:
        return f"{words}, {tokens}: less than a cent to ask {safe(item.host)} again"
    return f"{words}, {tokens}: about ${item.dollars:,.2f} to ask {safe(item.host)} again"


def erased(holdings: Iterable[Holding], style: Style) -> str:
    """What was erased."""
    names = [
        f"{item.name} ({plural(item.total, 'reply', 'replies')})" if item.total else item.name
        for item in holdings
    ]
    left = "pf.lock and pf-gate/ in your papers' folders are kept."
    return style.finish([f"Deleted: {', '.join(names)}. {left}"])


def _size(size: int) -> str:
    amount, unit = float(size), 0
    while amount >= 1000 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{amount:.1f} {_UNITS[unit]}" if unit else f"{size} {_UNITS[0]}"
