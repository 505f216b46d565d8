"""Runs as pages show them: symbols and words for states, times, places, money.

Also statuses over time: a bar for each run, from the counts in its outline.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from bot.domain import forge
from bot.domain.comment import ObjectionSource
from bot.domain.review_result import (
    ListedFinding,
    ReachCounts,
    ReviewOutline,
    ReviewPart,
    ReviewResult,
)
from bot.domain.run_records import ReviewRun, RunState
from pfcore.domain.values import Status
from pfcore.reporters.formats.publication import Conclusion
from pfcore.reporters.html.page_entries import PageLook, StatusLook, state
from pfcore.reporters.printing import safe, shortened

_STATES = {
    RunState.QUEUED: PageLook("stale", "…", "queued"),
    RunState.RUNNING: PageLook("stale", "↻", "running"),
    RunState.WAITING: PageLook("unread", "?", "waits for a maintainer"),
    RunState.DONE: PageLook("given", "·", "done"),
    RunState.SUPERSEDED: PageLook("given", "-", "replaced by a newer review"),
    RunState.SKIPPED: PageLook("given", "-", "skipped"),
    RunState.FAILED: PageLook("gap", "!", "failed"),
}
_ENDS = {
    Conclusion.CLEAN: PageLook("checked", "✓", "no objection found"),
    Conclusion.STRUCTURE: PageLook("conditional", "~", "structure only: proofs not read"),
    Conclusion.FINDINGS: PageLook("possible", "!", "findings"),
    Conclusion.BLOCKING: PageLook("gap", "!", "blocking findings"),
    Conclusion.INCOMPLETE: PageLook("unread", "?", "could not be completed"),
}
_ADVISORY = PageLook("possible", "!", "findings, advisory")
_NOTHING = PageLook("given", "·", "nothing found")
_UNTOUCHED = PageLook("given", "·", "no proof is affected")
_WELL = (Conclusion.CLEAN, Conclusion.STRUCTURE)
FAULT: PageLook = StatusLook.FAULT.value
_OBJECTED = PageLook("possible", "!", "objected to")
_GRAVEST = (
    _ENDS[Conclusion.BLOCKING],
    _ENDS[Conclusion.INCOMPLETE],
    _ADVISORY,
    _ENDS[Conclusion.FINDINGS],
    _ENDS[Conclusion.STRUCTURE],
    _ENDS[Conclusion.CLEAN],
    _UNTOUCHED,
)


class ShownTime(NamedTuple):
    """A time for machines and for people, in UTC."""

    iso: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A run in a list; `subject` is a pull request or a branch, `result` the outcome."""

    path: str
    repository: str
    repository_path: str
    subject: str
    subject_url: str
    reason: str
    look: PageLook
    result: str
    created: ShownTime
    taken: str
    cost: str


def run_rows(runs: Iterable[ReviewRun], server: str) -> list[RunRow]:
    """Runs as lists show them."""
    return [row(run, server) for run in runs]


def row(run: ReviewRun, server: str) -> RunRow:
    """A run as lists show it."""
    return RunRow(
        path=forge.run_path(run.id),
        repository=safe(run.repository),
        repository_path=forge.repository_path(run.repository),
        subject=_subject(run),
        subject_url=_subject_url(run, server),
        reason=safe(run.reason),
        look=look_of_run(run),
        result=_result(run),
        created=moment(run.created),
        taken=taken(run),
        cost=dollars(run.dollars) if run.calls else "",
    )


def look_of_run(run: ReviewRun) -> PageLook:
    """The state or the end of a run; of two halves the graver one counts."""
    if run.state is not RunState.DONE:
        return _STATES[run.state]
    halves = [item for item in (run.structure_outline, run.proofs_outline) if item]
    ends = {ending(item, is_alone=True) for item in halves}
    if any(item.is_read for item in halves) and _ENDS[Conclusion.STRUCTURE] in ends:
        # A clean structure says nothing about proofs, but a clean reading is about both.
        ends = ends - {_ENDS[Conclusion.STRUCTURE]} | {_ENDS[Conclusion.CLEAN]}
    return next((item for item in _GRAVEST if item in ends), _STATES[RunState.DONE])


def ending(half: ReviewOutline | ReviewResult, *, is_alone: bool) -> PageLook:
    """The end of one half; `is_alone`: nothing else shows what happened to the proofs."""
    if half.conclusion is Conclusion.BLOCKING and _is_advisory(half):
        return _ADVISORY
    if half.conclusion in _WELL and not half.is_touched:
        return _UNTOUCHED
    if half.conclusion is Conclusion.STRUCTURE and not is_alone:
        return _NOTHING
    return _ENDS[half.conclusion]


def is_blocking(objection: ListedFinding, saved: ReviewResult) -> bool:
    """Whether an objection makes a check fail in this repository's settings."""
    is_advice = objection.source is ObjectionSource.READING and not saved.is_required
    return objection.is_blocking and not is_advice


def _is_advisory(half: ReviewOutline | ReviewResult) -> bool:
    """Whether objections of readers cannot make the check fail."""
    return half.part is ReviewPart.PROOFS and not half.is_required


def moment(seconds: float) -> ShownTime:
    """A time from seconds since 1970."""
    when = datetime.fromtimestamp(seconds, UTC)
    return ShownTime(when.strftime("%Y-%m-%dT%H:%M:%SZ"), when.strftime("%Y-%m-%d %H:%M"))


def second(seconds: float) -> ShownTime:
    """A time to the second."""
    when = datetime.fromtimestamp(seconds, UTC)
    return ShownTime(moment(seconds).iso, when.strftime("%Y-%m-%d %H:%M:%S"))


def taken(run: ReviewRun) -> str:
    """The duration of a run; "" if unknown."""
    if run.started is None or run.ended is None:
        return ""
    return lasting(run.ended - run.started)


def lasting(seconds: float) -> str:
    """`3 s`, `1 min 52 s`, `2 h 5 min`."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def dollars(amount: float) -> str:
    """`$0.31`; an amount below half a cent is shown as `< $0.01`."""
    if 0 < amount < 0.005:
        return "< $0.01"
    return f"${amount:,.2f}"


def tallied(outline: ReviewOutline) -> dict[str, int]:
    """How many modules have each look, by the looks' names."""
    counts: dict[str, int] = {}
    for manuscript in outline.papers:
        for status, number in manuscript.statuses.items():
            wrong = min(number, manuscript.at_fault.get(status, 0))
            for look, many in ((status_look(status), number - wrong), (FAULT, wrong)):
                counts[look.name] = counts.get(look.name, 0) + many
    return counts


def status_look(status: Status) -> PageLook:
    """The look of a status if it is unknown whether anything blocks."""
    if status is Status.FLAGGED:
        return _OBJECTED
    found: PageLook = state(status, is_blocking=False, is_stale=False).value
    return found


def reached_look(reached: ReachCounts, saved: ReviewResult) -> PageLook:
    """The look of a module that a change affects."""
    found: PageLook = state(
        reached.status,
        is_blocking=any(
            is_blocking(o, saved) and o.module == reached.module for o in saved.objections
        ),
        is_stale=bool(reached.unread),
        is_at_fault=reached.is_at_fault,
    ).value
    return found


def _subject(run: ReviewRun) -> str:
    if run.number is not None:
        return f"#{run.number}"
    return shortened(safe(run.branch or run.head[:10]), 60)


def _subject_url(run: ReviewRun, server: str) -> str:
    if run.number is not None:
        return forge.pull_url(server, run.repository, run.number)
    return forge.commit_url(server, run.repository, run.head)


def _result(run: ReviewRun) -> str:
    """A line on the outcome of a run; its note if there are no results."""
    outline = run.proofs_outline or run.structure_outline
    if run.state is not RunState.DONE or outline is None:
        return safe(run.note) or look_of_run(run).words
    simulated = " (simulated)" if outline.is_simulated else ""
    said = f"{safe(outline.failure or outline.title)}{simulated}"
    is_whole = run.proofs_outline is not None or outline.is_read
    return said if is_whole or not run.note else f"{said}. {safe(run.note)}"


_HIGH, _WIDE, _GAP = 120, 16, 5
_ORDER = (
    status_look(Status.FLAGGED),
    FAULT,
    status_look(Status.UNREACHED),
    status_look(Status.OMITTED),
    status_look(Status.CONDITIONAL),
    status_look(Status.CHECKED),
    status_look(Status.DISMISSED),
    status_look(Status.FORMAL),
    status_look(Status.CITED),
    status_look(Status.GIVEN),
)
"""The order of the looks, from the top down: the most urgent first."""


class BarSegment(NamedTuple):
    """A part of a bar, in pixels from the top left."""

    look: str
    x: int
    y: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPoint:
    """A run in a history: its time, its commit, and how many modules have each look."""

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
    """The chart of runs given newest first; runs without results are left out."""
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
                    path=forge.run_path(run.id),
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
