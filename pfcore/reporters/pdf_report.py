"""The report on a paper that was read from its PDF, for people and as JSON."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pfcore.llm.engine.action import UsageTally
from pfcore.reporters.formats.json_report import SCHEMA, dumps, usage
from pfcore.reporters.objections import QUIET, price
from pfcore.reporters.printing import Style, plural, safe
from pfcore.review.pdf_review import Whole, WholeFinding

_MOST = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfReport:
    """The result, the model, the contract, and the usage of a run, if any."""

    whole: Whole
    model: str
    contract: str
    spent: UsageTally | None = None


def pdf_text(told: PdfReport, style: Style) -> str:
    """The output of `pf check paper.pdf`."""
    return style.finish(_lines(told, style))


def _lines(told: PdfReport, style: Style) -> Iterator[str]:
    found = told.whole
    missing = f"  (not looked at: {_missing(found)})" if _missing(found) else ""
    yield f"{style.paint(safe(found.name), 'bold')}  read as a whole, from its PDF{missing}"
    yield ""
    for finding in found.findings:
        yield from _finding(finding, style)
    for item in found.unreached[:_MOST]:
        yield f"  not read: {safe(item.module)} ({safe(item.reason)})"
    if len(found.unreached) > _MOST:
        yield f"  … and {len(found.unreached) - _MOST} more"
    if found.unreached:
        yield ""
    yield f"{_outcome(found)}."
    known = plural(found.readings, "reading")
    yield f"{price(told.model, told.spent)} {known} of {found.rollouts}."
    yield "Quotes were not compared with the PDF."
    yield QUIET


def _missing(found: Whole) -> str:
    """The wanted readings that are missing."""
    left = found.rollouts - found.readings
    return f"{left} of {plural(found.rollouts, 'reading')}" if left else ""


def _outcome(found: Whole) -> str:
    """The result; if there is no finding, it claims no more than was read."""
    if found.findings:
        return f"{plural(len(found.findings), 'finding')}, {len(found.blocking)} blocking"
    if not found.readings:
        return "Nothing was read"
    return f"No objection was found in {plural(found.readings, 'reading')}"


def _finding(finding: WholeFinding, style: Style) -> Iterator[str]:
    word = style.paint(finding.severity.value, finding.severity.value)
    votes = f"{finding.votes} of {plural(finding.rollouts, 'reading')}"
    yield f"  {word}  {safe(finding.location)}  [{finding.rule} {finding.id}]  {votes}"
    yield f"      {safe(finding.message)}"
    if finding.quote:
        yield style.paint(f"      > {style.cut(safe(finding.quote), style.width - 8)}", "dim")
    yield from (f"      also: {safe(item)}" for item in finding.also)
    yield ""


def pdf_json(told: PdfReport) -> str:
    """`pf check paper.pdf --format json`: the keys of the contract, and `location`.

    A PDF has no lines, modules or revisions, so their keys are null, and their counts 0.
    """
    found = told.whole
    return dumps(
        {
            "schema": SCHEMA,
            "before": None,
            "after": found.name,
            "model": told.model,
            "contract": told.contract,
            "forms": {"pf-pdf/1": 1} if found.readings else {},
            "read": f"{found.readings} readings of {found.rollouts}",
            "measured": [],
            "simulated": [],
            "papers": [_PAPER | {"name": found.name, "root": found.name}],
            "findings": [_as_json(item, found.name) for item in found.findings],
            "reader": None,
            "not_shown": [],
            "not_read": [],
            "unreached": [
                {"module": item.module, "reason": item.reason} for item in found.unreached
            ],
            "statuses": {},
            "at_fault": [],
            "usage": usage(told.spent),
            "not_looked_at": list(_unseen(found)),
            "not_reviewed": [],
        }
    )


def _unseen(found: Whole) -> Iterator[dict[str, Any]]:
    """The wanted readings that are missing."""
    if _missing(found):
        yield {
            "kind": "proof",
            "file": found.name,
            "line": None,
            "what": "reading",
            "reason": "not read",
            "count": found.rollouts - found.readings,
            "is_failure": True,
        }


_PAPER: dict[str, Any] = {
    "modules": 0,
    "affected": [],
    "backlog": 0,
    "bounds": {"length": 0, "depth": 0},
}
_NOWHERE = dict.fromkeys(
    "module start_line start_column end_line end_column introduced dismissed reopened".split()
)


def _as_json(finding: WholeFinding, name: str) -> dict[str, Any]:
    return {
        "id": finding.id,
        "rule": finding.rule,
        "severity": finding.severity.value,
        "message": finding.message,
        "quote": finding.quote,
        "likeness": None,
        "file": name,
        "location": finding.location,
        "votes": finding.votes,
        "rollouts": finding.rollouts,
        "blocking": finding.is_blocking,
        "reason": finding.reason,
        "also": list(finding.also),
        "aliases": [],
        "alike": None,
        "related": [],
        **_NOWHERE,
    }
