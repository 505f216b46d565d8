"""Figures from recorded answers: each with n, an interval if it is a share, judge and set.

The same tables as text and as JSON.
"""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from textwrap import wrap

from pfcore.bench.replay.recorded_answers import BrokenRow, RecordedAnswers, RecordedSet
from pfcore.bench.scoring.scaling import wilson
from pfcore.bench.terminal_table import table_lines
from pfcore.reporters.formats.json_report import dumps
from pfcore.reporters.printing import Style, plural, safe

SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayFigure:
    """One figure out of `n`; `low` and `high` are the ends of a share's interval.

    `part` is the numerator of a share; None for other figures.
    """

    name: str
    n: int
    value: float | None
    part: int | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayTable:
    """Figures that answer one question, on one set, by one judge ("" if there is none)."""

    key: str
    question: str
    source: RecordedSet
    judge: str = ""
    unit: str
    figures: tuple[ReplayFigure, ...]
    note: str = ""


def share(name: str, part: int, n: int) -> ReplayFigure:
    """A share, with Wilson's interval."""
    if not n:
        return ReplayFigure(name=name, n=0, value=None, part=0)
    low, high = wilson(part / n, n)
    return ReplayFigure(name=name, n=n, value=part / n, part=part, low=low, high=high)


def mean_share(name: str, shares: Sequence[float], n: int) -> ReplayFigure:
    """The mean of shares with the same n, with the Wilson interval of one such share."""
    if not shares or not n:
        return ReplayFigure(name=name, n=n, value=None)
    value = min(1.0, statistics.fmean(shares))
    low, high = wilson(value, n)
    return ReplayFigure(name=name, n=n, value=value, low=low, high=high)


def number(name: str, value: float | None, n: int) -> ReplayFigure:
    """A figure that is not a share, and has no interval."""
    return ReplayFigure(name=name, n=n, value=value)


_NOBODY = (
    "Computed from answers that others recorded: no model was used. The readers and the judges "
    "are theirs; parsers, places, quotes, clusters and votes are those of pf. Intervals are "
    "Wilson's, 95 %, as if all of n were independent, which objections to one paper are not."
)
_HEAD = ("", "value", "95 %", "n")
_MOST = 20
"""The most left-out rows that are listed."""


def replay_text(found: RecordedAnswers, tables: Sequence[ReplayTable], style: Style) -> str:
    """The tables for a terminal."""
    return style.finish(_lines(found, tables, style))


def _lines(found: RecordedAnswers, tables: Sequence[ReplayTable], style: Style) -> Iterator[str]:
    yield from wrap(_NOBODY, style.width)
    for name in RecordedSet:
        if name not in found.present:
            yield f"Absent: {name}"
    yield from map(safe, found.lacking)
    for table in tables:
        yield ""
        yield style.paint(table.question, "bold")
        judge = f"judge: {safe(table.judge)}" if table.judge else "no judge"
        yield f"{table.source}; {judge}; n: {table.unit}"
        yield from table_lines(_HEAD, [_cells(figure) for figure in table.figures])
        yield from wrap(table.note, style.width)
    yield from _broken_lines(found.broken)


def _cells(figure: ReplayFigure) -> tuple[str, str, str, str]:
    value = "-" if figure.value is None else f"{figure.value:.3f}"
    ends = "" if figure.low is None else f"{figure.low:.3f}–{figure.high:.3f}"
    part = "" if figure.part is None else f"{figure.part:,} of "
    return safe(figure.name), value, ends, f"{part}{figure.n:,}"


def _broken_lines(broken: Sequence[BrokenRow]) -> Iterator[str]:
    if not broken:
        return
    yield ""
    yield f"Left out: {plural(len(broken), 'row or file', 'rows or files')}"
    for row in broken[:_MOST]:
        index = "" if row.index is None else f", row {row.index}"
        yield f"  {safe(row.file)}{index}: {safe(row.reason)}"
    if len(broken) > _MOST:
        yield f"  and {len(broken) - _MOST:,} more; --format json lists all"


def replay_json(found: RecordedAnswers, tables: Sequence[ReplayTable]) -> str:
    """The report of `pf bench replay --format json`."""
    return dumps(
        {
            "schema": SCHEMA,
            "sets": [{"name": item, "present": item in found.present} for item in RecordedSet],
            "lacking": list(found.lacking),
            "tables": [asdict(table) for table in tables],
            "broken": [asdict(row) for row in found.broken],
        }
    )
