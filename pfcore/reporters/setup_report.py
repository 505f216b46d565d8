"""What `pf doctor` shows: a line for each thing that it looked at, and what to do about it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pfcore.reporters.printing import plural, safe
from pfcore.reporters.style import Style

_COLOURS = {"ok": "bold", "warning": "warning", "wrong": "error", "unknown": "dim"}


class Word(StrEnum):
    """How it is; a warning is no fault of the set-up."""

    OK = "ok"
    WARNING = "warning"
    WRONG = "wrong"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One thing that was looked at; `advice` says what to do, "" where nothing is to be done.

    `by_model`: what is wrong lies with the model or its server, not with the set-up.
    """

    name: str
    word: Word
    says: str
    advice: str = ""
    by_model: bool = False


def ok(name: str, says: str) -> Probe:
    """A thing as it should be."""
    return Probe(name=name, word=Word.OK, says=says)


def warning(name: str, says: str, advice: str = "") -> Probe:
    """A thing to know of."""
    return Probe(name=name, word=Word.WARNING, says=says, advice=advice)


def wrong(name: str, says: str, advice: str = "", *, by_model: bool = False) -> Probe:
    """A thing in the way."""
    return Probe(name=name, word=Word.WRONG, says=says, advice=advice, by_model=by_model)


def unknown(name: str, says: str, advice: str = "") -> Probe:
    """A thing that nobody can tell."""
    return Probe(name=name, word=Word.UNKNOWN, says=says, advice=advice)


def status(probes: Iterable[Probe]) -> int:
    """2 where the set-up is wrong, else 3 where the model cannot be used, else 0."""
    faults = [item for item in probes if item.word is Word.WRONG]
    if not faults:
        return 0
    return 3 if all(item.by_model for item in faults) else 2


def probes_text(probes: Iterable[Probe], style: Style) -> str:
    """A line for each."""
    return style.finish(_line(item, style) for item in probes)


def _line(item: Probe, style: Style) -> str:
    word = style.paint(f"{item.word.value:<7}", _COLOURS[item.word])
    advice = f"; {safe(item.advice)}" if item.advice else ""
    return f"  {word}  {item.name:<13}  {safe(item.says)}{advice}"


def summary(probes: Sequence[Probe], style: Style) -> str:
    """How many are how."""
    faults = sum(1 for item in probes if item.word is Word.WRONG)
    warnings = sum(1 for item in probes if item.word is Word.WARNING)
    if not faults and not warnings:
        return style.finish(["All is well."])
    parts = [f"{plural(faults, 'thing')} wrong"] if faults else ["Nothing is wrong"]
    parts += [plural(warnings, "warning")] if warnings else []
    return style.finish([f"{', '.join(parts)}."])
