"""The output of `pf bench errata`: what would be read, or hits and alarms in pairs.

As text for people, and as JSON for programs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from textwrap import wrap
from typing import Any

from pfcore.bench.errata.clones import clone_command
from pfcore.bench.errata.corrections import CorrectionRow
from pfcore.bench.errata.paired_scores import (
    CountedShare,
    DefectOutcome,
    PairedReading,
    PairedScores,
    RaisedObjection,
    grouped_scores,
    paired_scores,
)
from pfcore.bench.errata.rebuilt_corrections import PairedMoment, RebuiltCorrection
from pfcore.bench.terminal_table import Cell, table_lines
from pfcore.reporters.formats.json_report import SCHEMA, dumps
from pfcore.reporters.printing import Style, plural, safe, shortened

FAMOUS = (
    "The shipped rows are corrections of famous public texts. A model may remember their later "
    "versions, and what it finds here says little about a new paper."
)
_BY_LINES = (
    "A hit is an objection to the lines that were corrected. An objection elsewhere may mean the "
    "same defect; only a judge could tell, so it is not a hit: see --judge-model."
)
_BY_JUDGE = (
    "A hit is an objection of which the judge says that it means the defect; the judge sees the "
    "defect in our words, and no correction."
)
_MEANING = (
    "An alarm is any objection to the "
    "corrected result: right after the correction, or in its last version (the control). Told "
    "apart means a hit before and no objection after. One vote is enough for an objection. In "
    "brackets: 95 % intervals by Wilson."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrataOverview:
    """The data shown first: rows, rebuilt results, missing clones, and the price.

    `missing` are the repositories without a clone in `folder`.
    """

    folder: Path
    rows: Sequence[CorrectionRow]
    rebuilt: Sequence[RebuiltCorrection]
    missing: Sequence[str]
    is_shipped: bool
    price: str = ""

    @property
    def found(self) -> list[RebuiltCorrection]:
        """The corrections that can be read."""
        return [item for item in self.rebuilt if item.is_found]

    @property
    def lost(self) -> list[RebuiltCorrection]:
        """The corrections that cannot be read although the clone exists."""
        return [item for item in self.rebuilt if not item.is_found]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrataResult:
    """The readings, with the requested model and the models that answered.

    `judge` is the model that judged which objections mean the defect; "": none.
    """

    readings: Sequence[PairedReading]
    model: str
    judge: str = ""
    served: Sequence[str]
    is_simulated: bool
    rollouts: int
    contract: str
    day: str


def errata_text(shown: ErrataOverview, result: ErrataResult | None, style: Style) -> str:
    """The report for people."""
    return style.finish(_text(shown, result, style))


def _text(shown: ErrataOverview, result: ErrataResult | None, style: Style) -> Iterator[str]:
    rows = plural(len(shown.rows), "correction")
    yield f"{style.paint(rows, 'bold')}, {len(shown.found)} found in the clones of {_place(shown)}"
    yield ""
    if result is None:
        yield from _overview(shown)
    yield from _left_out(shown)
    if result is None:
        yield from wrap(shown.price, style.width)
        yield "No model was used. To have them read: --model NAME"
        return
    yield from _about(result)
    yield ""
    yield from _scores(result)
    yield ""
    yield from _listed(result, style)
    if shown.is_shipped:
        yield from wrap(FAMOUS, style.width)
    yield from wrap(f"{_BY_JUDGE if result.judge else _BY_LINES} {_MEANING}", style.width)


def _place(shown: ErrataOverview) -> str:
    return safe(str(shown.folder))


def _overview(shown: ErrataOverview) -> Iterator[str]:
    heads = ("result", "id", "part", "severity", *(f"{moment}" for moment in PairedMoment))
    lines = [_overview_row(item) for item in shown.found]
    if lines:
        yield from table_lines(heads, lines)
        yield "Sizes are characters of the contexts that would be read."
        yield ""


def _overview_row(item: RebuiltCorrection) -> list[Cell]:
    row = item.row
    sizes: list[Cell] = [
        item.versions[moment].size if moment in item.versions else "not found"
        for moment in PairedMoment
    ]
    severity = row.severity.value if row.severity else "–"
    return [shortened(safe(row.place), 60), safe(row.id), row.part.value, severity, *sizes]


def _left_out(shown: ErrataOverview) -> Iterator[str]:
    for item in shown.lost:
        yield f"Not found: {safe(item.row.id)}  {safe(item.row.place)}"
        yield from (
            f"    {moment}: {safe(item.reasons[moment])}"
            for moment in (PairedMoment.BEFORE, PairedMoment.AFTER)
            if moment in item.reasons
        )
    for item in shown.found:
        if reason := item.reasons.get(PairedMoment.CONTROL):
            yield f"Without a control: {safe(item.row.id)}: {safe(reason)}"
    for repo in shown.missing:
        rows = plural(sum(row.repo == repo for row in shown.rows), "row")
        command = safe(clone_command(shown.folder, repo))
        yield f"No clone of {safe(repo)} ({rows}) in {_place(shown)}{'. Run:' if command else ''}"
        yield from [f"    {command}"] if command else []
    if shown.lost or shown.missing:
        yield ""


def _about(result: ErrataResult) -> Iterator[str]:
    served = ", ".join(map(safe, result.served)) or "unknown: there are no replies"
    if result.is_simulated:
        yield f"Simulated: the reader calls itself {served}. {result.day}."
        yield "Nothing was measured: this says nothing about a model."
    else:
        yield f"Model: {safe(result.model)}; the one that answered calls itself {served}."
        yield f"{result.day}."
    readings = plural(result.rollouts, "reading")
    yield f"{readings} of each version, contract {result.contract[:8]}."
    if result.judge:
        both = [item for item in result.readings if item.outcome and item.outcome_by_lines]
        by_lines = sum(item.outcome_by_lines is DefectOutcome.HIT for item in both)
        same = sum(item.outcome is item.outcome_by_lines for item in both)
        yield f"Judge: {safe(result.judge)}. By lines alone there would be {by_lines} hits;"
        yield f"judge and lines say the same of {same} of {plural(len(both), 'result')}."


def _scores(result: ErrataResult) -> Iterator[str]:
    heads = ("corrections", "hits", "elsewhere", "silent", "alarms after", "alarms control")
    groups = {"all": paired_scores(result.readings), **_groups(result.readings)}
    rows = [[name, *_shares(scores)] for name, scores in groups.items()]
    yield from table_lines((*heads, "told apart"), rows)
    wrong = [item.row.id for item in result.readings if item.row.is_control_wrong]
    if wrong:
        ids = ", ".join(map(safe, wrong))
        words = "whose corrected version is known to have another error"
        yield f"Alarms and told apart leave out {plural(len(wrong), 'row')} {words}: {ids}"


def _groups(readings: Sequence[PairedReading]) -> Mapping[str, PairedScores]:
    by_severity = grouped_scores(readings, attrgetter("severity"))
    by_part = grouped_scores(readings, attrgetter("part"))
    return {
        **{f"severity {name}": scores for name, scores in by_severity.items()},
        **{f"part {name}": scores for name, scores in by_part.items()},
    }


def _shares(scores: PairedScores) -> list[Cell]:
    return [
        _share(scores.hits),
        f"{scores.elsewhere.part} of {scores.elsewhere.of}",
        f"{scores.misses.part} of {scores.misses.of}",
        _share(scores.after),
        _share(scores.control),
        _share(scores.told_apart),
    ]


def _share(share: CountedShare) -> str:
    if share.interval is None:
        return "–"
    low, high = share.interval
    return f"{share.part} of {share.of} ({100 * low:.0f}–{100 * high:.0f} %)"


def _listed(result: ErrataResult, style: Style) -> Iterator[str]:
    kinds = {
        "Missed, nothing is objected to": DefectOutcome.MISS,
        "Objects elsewhere": DefectOutcome.ELSEWHERE,
    }
    for title, outcome in kinds.items():
        found = [item for item in result.readings if item.outcome is outcome]
        for item in found:
            yield f"{title}: {safe(item.row.id)}  {safe(item.row.place)}"
            yield f"    {shortened(safe(item.row.wrong), style.width - 4)}"
    for moment in (PairedMoment.AFTER, PairedMoment.CONTROL):
        for item in (item for item in result.readings if item.is_alarm(moment)):
            yield f"Alarm {moment}: {safe(item.row.id)}  {safe(item.row.place)}"
            yield from (
                f"    {shortened(safe(one.message), style.width - 4)}"
                for one in item.readings[moment].objections
            )
    for item in result.readings:
        for moment, reason in item.lacking.items():
            yield f"Not read: {safe(item.row.id)} {moment}: {safe(reason)}"
        if item.unjudged:
            yield f"Not judged: {safe(item.row.id)}: {safe(item.unjudged)}"


def errata_json(shown: ErrataOverview, result: ErrataResult | None) -> str:
    """The report of `pf bench errata --format json`."""
    return dumps(
        {
            "schema": SCHEMA,
            "rows": [_row_json(item) for item in shown.rebuilt],
            "missing_clones": [
                {"repo": repo, "command": clone_command(shown.folder, repo) or None}
                for repo in shown.missing
            ],
            "famous": shown.is_shipped,
            "price": shown.price or None,
            "result": _result_json(result) if result else None,
        }
    )


def _row_json(item: RebuiltCorrection) -> dict[str, Any]:
    return {
        "id": item.row.id,
        "repo": item.row.repo,
        "file": item.row.file,
        "label": item.row.label,
        "found": item.is_found,
        "characters": {moment.value: one.size for moment, one in item.versions.items()},
        "reasons": {moment.value: reason for moment, reason in item.reasons.items()},
    }


def _result_json(result: ErrataResult) -> dict[str, Any]:
    return {
        "date": result.day,
        "model": result.model,
        "judge": result.judge or None,
        "served": list(result.served),
        "simulated": result.is_simulated,
        "rollouts": result.rollouts,
        "contract": result.contract,
        "scores": {
            name: _scores_json(scores)
            for name, scores in {
                "all": paired_scores(result.readings),
                **_groups(result.readings),
            }.items()
        },
        "left_out_of_alarms": [
            item.row.id for item in result.readings if item.row.is_control_wrong
        ],
        "readings": [_reading_json(item) for item in result.readings],
    }


def _scores_json(scores: PairedScores) -> dict[str, Any]:
    shares = {
        "hits": scores.hits,
        "elsewhere": scores.elsewhere,
        "misses": scores.misses,
        "alarms_after": scores.after,
        "alarms_control": scores.control,
        "told_apart": scores.told_apart,
    }
    return {
        name: {"count": one.part, "of": one.of, "interval": one.interval and list(one.interval)}
        for name, one in shares.items()
    }


def _reading_json(item: PairedReading) -> dict[str, Any]:
    return {
        "id": item.row.id,
        "wrong": item.row.wrong,
        "outcome": item.outcome.value if item.outcome else None,
        "outcome_by_lines": item.outcome_by_lines.value if item.outcome_by_lines else None,
        "meant": None if item.meant is None else sorted(item.meant),
        "unjudged": item.unjudged or None,
        "alarm_after": item.is_alarm(PairedMoment.AFTER),
        "alarm_control": item.is_alarm(PairedMoment.CONTROL),
        "told_apart": item.is_told_apart,
        "objections": {
            moment.value: [_objection_json(one) for one in reading.objections]
            for moment, reading in item.readings.items()
        },
        "lacking": {moment.value: reason for moment, reason in item.lacking.items()},
    }


def _objection_json(one: RaisedObjection) -> dict[str, Any]:
    return {
        "quote": one.quote,
        "message": one.message,
        "votes": one.votes,
        "places": [
            {"file": place.path, "line": place.line, "end_line": place.end_line}
            for place in one.places
        ],
    }
