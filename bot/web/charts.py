"""Statuses over time: a bar for each run, of the counts that its outline has."""

from dataclasses import dataclass
from typing import NamedTuple

from bot.domain import addresses
from bot.domain.run_records import ReviewRun
from bot.web.viewmodels import FAULT, ShownTime, moment, status_look, tallied
from pfcore.domain.values import Status
from pfcore.reporters.html.states import PageLook

_HIGH, _WIDE, _GAP = 120, 16, 5
_ORDER = (
    status_look(Status.FLAGGED),
    FAULT,
    status_look(Status.UNREACHED),
    status_look(Status.CONDITIONAL),
    status_look(Status.CHECKED),
    status_look(Status.DISMISSED),
    status_look(Status.FORMAL),
    status_look(Status.CITED),
    status_look(Status.GIVEN),
)
"""From the top down: what needs somebody first."""


class BarSegment(NamedTuple):
    """A part of a bar, in pixels from the top left."""

    look: str
    x: int
    y: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPoint:
    """A run in a history: its moment, its commit, and how many modules have which look."""

    path: str
    when: ShownTime
    commit: str
    counts: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A history, the oldest first, with the looks that occur in it."""

    points: tuple[HistoryPoint, ...]
    looks: tuple[PageLook, ...]
    blocks: tuple[BarSegment, ...]
    width: int
    height: int = _HIGH


def chart(runs: list[ReviewRun]) -> Chart:
    """The chart of runs that come the newest first; those without results are left out."""
    points = tuple(_points(runs))
    used = {name for point in points for name, number in point.counts.items() if number}
    return Chart(
        points=points,
        looks=tuple(look for look in _ORDER if look.name in used),
        blocks=tuple(_blocks(points)),
        width=max(1, len(points) * (_WIDE + _GAP) - _GAP),
    )


def _points(runs: list[ReviewRun]) -> list[HistoryPoint]:
    found = []
    for run in reversed(runs):
        outline = run.proofs_outline or run.structure_outline
        if outline is not None and outline.papers:
            found.append(
                HistoryPoint(
                    path=addresses.run_path(run.id),
                    when=moment(run.ended or run.created),
                    commit=run.head[:10],
                    counts=tallied(outline),
                )
            )
    return found


def _blocks(points: tuple[HistoryPoint, ...]) -> list[BarSegment]:
    most = max((sum(point.counts.values()) for point in points), default=0)
    blocks = []
    for number, point in enumerate(points):
        floor = float(_HIGH)
        for look in reversed(_ORDER):
            height = round(point.counts.get(look.name, 0) * _HIGH / max(1, most), 1)
            if height:
                floor = round(floor - height, 1)
                blocks.append(BarSegment(look.name, number * (_WIDE + _GAP), floor, height))
    return blocks
