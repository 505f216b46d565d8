"""Runs as a page shows them: signs and words for states, times, places, money."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from bot.domain import addresses
from bot.domain.marks import Source
from bot.domain.outlines import Outline
from bot.domain.review_result import Objection, Part, Reached, Saved
from bot.domain.run_records import Run, State
from pfcore.domain.values import Status
from pfcore.reporters.formats.publication import Conclusion
from pfcore.reporters.html.states import Look, state
from pfcore.reporters.html.states import State as LookState
from pfcore.reporters.printing import safe, shortened

_STATES = {
    State.QUEUED: Look("stale", "…", "waits for its turn"),
    State.RUNNING: Look("stale", "↻", "at work"),
    State.WAITING: Look("unread", "?", "waits for a maintainer"),
    State.DONE: Look("given", "·", "done"),
    State.SUPERSEDED: Look("given", "-", "superseded by a newer one"),
    State.SKIPPED: Look("given", "-", "skipped"),
    State.FAILED: Look("gap", "!", "failed"),
}
_ENDS = {
    Conclusion.CLEAN: Look("checked", "✓", "no objection found"),
    Conclusion.STRUCTURE: Look("conditional", "~", "structure only: proofs not read"),
    Conclusion.FINDINGS: Look("possible", "!", "findings"),
    Conclusion.BLOCKING: Look("gap", "!", "findings that block"),
    Conclusion.INCOMPLETE: Look("unread", "?", "could not be completed"),
}
_ADVISORY = Look("possible", "!", "findings, advisory")
_NOTHING = Look("given", "·", "nothing found")
_UNTOUCHED = Look("given", "·", "no proof is affected")
_WELL = (Conclusion.CLEAN, Conclusion.STRUCTURE)
FAULT: Look = LookState.FAULT.value
_OBJECTED = Look("possible", "!", "objected to")
_GRAVEST = (
    _ENDS[Conclusion.BLOCKING],
    _ENDS[Conclusion.INCOMPLETE],
    _ADVISORY,
    _ENDS[Conclusion.FINDINGS],
    _ENDS[Conclusion.STRUCTURE],
    _ENDS[Conclusion.CLEAN],
    _UNTOUCHED,
)


class Moment(NamedTuple):
    """A moment for machines and for people, in UTC."""

    iso: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A run in a list; `subject` is a pull request or a branch, `result` what came of it."""

    path: str
    repository: str
    repository_path: str
    subject: str
    subject_url: str
    reason: str
    look: Look
    result: str
    created: Moment
    taken: str
    cost: str


def rows(runs: Iterable[Run], server: str) -> list[Row]:
    """Runs as lists show them."""
    return [row(run, server) for run in runs]


def row(run: Run, server: str) -> Row:
    """A run as lists show it."""
    return Row(
        path=addresses.run_path(run.id),
        repository=safe(run.repository),
        repository_path=addresses.repository_path(run.repository),
        subject=_subject(run),
        subject_url=_subject_url(run, server),
        reason=safe(run.reason),
        look=look(run),
        result=_result(run),
        created=moment(run.created),
        taken=taken(run),
        cost=dollars(run.dollars) if run.calls else "",
    )


def look(run: Run) -> Look:
    """How a run ended, or where it stands; of two halves the graver counts."""
    if run.state is not State.DONE:
        return _STATES[run.state]
    halves = [item for item in (run.structure_outline, run.proofs_outline) if item]
    ends = {ending(item, is_alone=True) for item in halves}
    if any(item.is_read for item in halves) and _ENDS[Conclusion.STRUCTURE] in ends:
        # That the structure is clean says nothing of proofs; what is read says it of them, too.
        ends = ends - {_ENDS[Conclusion.STRUCTURE]} | {_ENDS[Conclusion.CLEAN]}
    return next((item for item in _GRAVEST if item in ends), _STATES[State.DONE])


def ending(half: Outline | Saved, *, is_alone: bool) -> Look:
    """How one half of a review ended; `is_alone`: nothing else tells what became of the proofs."""
    if half.conclusion is Conclusion.BLOCKING and _is_advisory(half):
        return _ADVISORY
    if half.conclusion in _WELL and not half.is_touched:
        return _UNTOUCHED
    if half.conclusion is Conclusion.STRUCTURE and not is_alone:
        return _NOTHING
    return _ENDS[half.conclusion]


def is_blocking(objection: Objection, saved: Saved) -> bool:
    """Whether an objection makes a check fail, rather than would, if its repository wished so."""
    is_advice = objection.source is Source.READING and not saved.is_required
    return objection.is_blocking and not is_advice


def _is_advisory(half: Outline | Saved) -> bool:
    """Whether nothing that readers say makes the check fail."""
    return half.part is Part.PROOFS and not half.is_required


def moment(seconds: float) -> Moment:
    """A moment of the clock."""
    when = datetime.fromtimestamp(seconds, UTC)
    return Moment(when.strftime("%Y-%m-%dT%H:%M:%SZ"), when.strftime("%Y-%m-%d %H:%M"))


def second(seconds: float) -> Moment:
    """A moment to the second."""
    when = datetime.fromtimestamp(seconds, UTC)
    return Moment(moment(seconds).iso, when.strftime("%Y-%m-%d %H:%M:%S"))


def taken(run: Run) -> str:
    """How long a run was at work; "" while nobody knows."""
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
    """`$0.31`; what is less than a cent is not nothing."""
    if 0 < amount < 0.005:
        return "< $0.01"
    return f"${amount:,.2f}"


def tallied(outline: Outline) -> dict[str, int]:
    """How many modules have which look, by the names of the looks."""
    counts: dict[str, int] = {}
    for manuscript in outline.papers:
        for status, number in manuscript.statuses.items():
            wrong = min(number, manuscript.at_fault.get(status, 0))
            for look, many in ((status_look(status), number - wrong), (FAULT, wrong)):
                counts[look.name] = counts.get(look.name, 0) + many
    return counts


def status_look(status: Status) -> Look:
    """The look of a status, where it is not known what blocks."""
    if status is Status.FLAGGED:
        return _OBJECTED
    found: Look = state(status, is_blocking=False, is_stale=False).value
    return found


def reached_look(reached: Reached, saved: Saved) -> Look:
    """The look of a module that a change affects."""
    found: Look = state(
        reached.status,
        is_blocking=any(
            is_blocking(o, saved) and o.module == reached.module for o in saved.objections
        ),
        is_stale=bool(reached.unread),
        is_at_fault=reached.is_at_fault,
    ).value
    return found


def _subject(run: Run) -> str:
    if run.number is not None:
        return f"#{run.number}"
    return shortened(safe(run.branch or run.head[:10]), 60)


def _subject_url(run: Run, server: str) -> str:
    if run.number is not None:
        return addresses.pull_url(server, run.repository, run.number)
    return addresses.commit_url(server, run.repository, run.head)


def _result(run: Run) -> str:
    """What came of a run, in a line; its own words where there are no others."""
    outline = run.proofs_outline or run.structure_outline
    if run.state is not State.DONE or outline is None:
        return safe(run.note) or look(run).words
    simulated = " (simulated)" if outline.is_simulated else ""
    said = f"{safe(outline.failure or outline.title)}{simulated}"
    is_whole = run.proofs_outline is not None or outline.is_read
    return said if is_whole or not run.note else f"{said}. {safe(run.note)}"
