"""What `pf gate` prints: whether each paper passes, and what stands against it."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from pfcore.reporters import uploads
from pfcore.reporters.formats import json_report as checks
from pfcore.reporters.printing import plural, safe, shortened
from pfcore.reporters.review_outcome import not_looked_at, of_paper
from pfcore.reporters.style import Style
from pfcore.reporters.uploads import Stripped
from pfcore.review.outcome import Cause, GateOutcome, Reason
from pfcore.review.review import Report
from pfcore.review.sources import source_digest

_GROUPS = {
    Cause.STRUCTURE: "The structure has findings that nobody has answered",
    Cause.CIRCLE: "Results are proved from one another",
    Cause.FLAGGED: "Proofs have objections that nobody has answered",
    Cause.UNPROVED: "Results have neither a proof nor a citation",
    Cause.CONDITIONAL: "Results rest on what does not pass",
    Cause.UNREAD: "Proofs are not read",
    Cause.LEDGER: "The ledger has lines that cannot be read",
    Cause.UNSEEN: "Parts could not be looked at",
    Cause.NOTHING: "There is nothing to judge",
}
_MOST_LISTED = 20


def headline(outcomes: Sequence[GateOutcome]) -> str:
    """One line; wherever proofs are unread it says so."""
    is_passed = all(item.is_passed for item in outcomes)
    return f"The gate {'passes' if is_passed else 'does not pass'}{_label(outcomes)}"


def _label(outcomes: Sequence[GateOutcome]) -> str:
    """What is said beside the verdict, of one paper or of all."""
    unread = sum(len(item.unread) for item in outcomes)
    if not unread:
        return ""
    is_wrong = any(r.cause is Cause.UNREAD for item in outcomes for r in item.reasons)
    only = "" if is_wrong else "structure only: "
    return f"; {only}{plural(unread, 'proof was', 'proofs were')} not read"


def of_reason(reason: Reason) -> str:
    """A reason as one sentence: place, module, words."""
    line = f":{reason.line}" if reason.line else ""
    parts = [f"{safe(reason.path)}{line}"]
    parts += [safe(reason.module)] if reason.module else []
    parts += [f"({reason.finding})"] if reason.finding else []
    return f"{' '.join(parts)}: {safe(reason.words)}"


def uncounted_words(number: int) -> str:
    """Lines of the ledger that stand on the commit, and not where they would count."""
    lines = plural(number, "line of pf.lock does", "lines of pf.lock do")
    return f"{lines} not count: only those of the revision that is trusted do"


def of_circle(names: Sequence[str]) -> str:
    """Modules that rest on one another, perhaps."""
    more = f" and {len(names) - _MOST_LISTED:,} more" if len(names) > _MOST_LISTED else ""
    return f"{', '.join(map(safe, names[:_MOST_LISTED]))}{more} rest on one another"


def gate_text(report: Report, outcomes: Sequence[GateOutcome], style: Style) -> str:
    """For people."""
    return style.finish(_text(report, outcomes, style))


def _text(report: Report, outcomes: Sequence[GateOutcome], style: Style) -> Iterator[str]:
    if len(report.papers) > 1:
        said = not_looked_at(report)
        yield f"{plural(len(report.papers), 'paper')}{f'  ({said})' if said else ''}"
        yield ""
    for paper, outcome in zip(report.papers, outcomes, strict=True):
        said = not_looked_at(report) if len(report.papers) == 1 else of_paper(paper)
        verdict = "passes" if outcome.is_passed else "does not pass"
        name = style.paint(safe(paper.state.paper.name), "bold")
        yield f"{name}  {verdict}{_label([outcome])}{f'  ({said})' if said else ''}"
        yield ""
        for cause, words in _GROUPS.items():
            yield from _group(words, [r for r in outcome.reasons if r.cause is cause], style)
        uncounted = paper.sheet.uncounted if paper.sheet else 0
        if uncounted:
            yield f"  {uncounted_words(uncounted)}"
            yield ""
    yield f"{headline(outcomes)}."


def _group(words: str, reasons: Sequence[Reason], style: Style) -> Iterator[str]:
    if not reasons:
        return
    yield f"  {words}: {len(reasons):,}"
    for reason in reasons[:_MOST_LISTED]:
        yield f"    {shortened(of_reason(reason), 2 * style.width)}"
    if len(reasons) > _MOST_LISTED:
        yield f"    … and {len(reasons) - _MOST_LISTED:,} more"
    yield ""


def gate_json(
    report: Report, outcomes: Sequence[GateOutcome], commit: str, stripped: Stripped | None = None
) -> str:
    """What `pf check --format json` says of the whole papers, and the gate's own part."""
    found: dict[str, Any] = json.loads(checks.check_json(report))
    gate = {
        "passed": all(item.is_passed for item in outcomes),
        "structure_only": any(item.unread for item in outcomes),
        "commit": commit,
        "upload": uploads.upload_json(stripped) if stripped else None,
        "papers": [
            {
                "name": paper.state.paper.name,
                "passed": outcome.is_passed,
                "source_digest": source_digest(paper.state.paper),
                "unread": list(outcome.unread),
                "circles": [list(circle) for circle in outcome.circles],
                "reasons": [_reason(reason) for reason in outcome.reasons],
            }
            for paper, outcome in zip(report.papers, outcomes, strict=True)
        ],
    }
    return checks.dumps(found | {"gate": gate})


def _reason(reason: Reason) -> dict[str, Any]:
    return {
        "cause": reason.cause.value,
        "module": reason.module,
        "finding": reason.finding,
        "message": reason.words,
        "file": reason.path,
        "start_line": reason.line or None,
    }
