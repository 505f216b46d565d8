"""What `pf audit` shows: how another reader's verdicts agree with those on record."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pfcore.domain.values import Finding
from pfcore.ledger.ledger import LedgerEntry
from pfcore.reporters.formats.json_report import SCHEMA, dumps
from pfcore.reporters.module_names import module_name
from pfcore.reporters.objections import objection
from pfcore.reporters.printing import plural, safe
from pfcore.reporters.style import Style
from pfcore.review.review import PaperReport
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import Unread


@dataclass(frozen=True, slots=True, kw_only=True)
class Second:
    """A module on record as accepted, and what the other reader makes of it."""

    paper: PaperReport
    task: ContextTask
    found: LedgerEntry | Unread
    findings: tuple[Finding, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether the other reader has read it and reports nothing."""
        return isinstance(self.found, LedgerEntry) and not self.findings


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """A sample of `accepted` modules in all, drawn by a seed and read by a model."""

    model: str
    seed: str
    accepted: int
    sample: tuple[Second, ...]

    @property
    def agreed(self) -> int:
        """How many of the sample both readers accept."""
        return sum(item.agrees for item in self.sample)

    @property
    def unread(self) -> int:
        """How many the other reader did not reach."""
        return sum(isinstance(item.found, Unread) for item in self.sample)

    @property
    def exit_status(self) -> int:
        """1 where the other reader objects, else 3 where it did not reach all, or had none."""
        if any(item.findings for item in self.sample):
            return 1
        return 3 if self.unread or not self.sample else 0


def audit_text(audit: AuditReport, style: Style) -> str:
    """For people."""
    return style.finish(_audit_lines(audit, style))


def _audit_lines(audit: AuditReport, style: Style) -> Iterator[str]:
    if not audit.sample:
        yield "Nothing is on record as accepted, so there is nothing to read again."
        return
    for item in audit.sample:
        yield _line(item, style)
    yield ""
    for item in audit.sample:
        for finding in item.findings:
            yield from objection(finding, item.paper, style)
    read = len(audit.sample) - audit.unread
    yield (
        f"{safe(audit.model)} agrees with the record on {audit.agreed:,} of "
        f"{plural(read, 'proof')} that it has read."
    )
    if audit.unread:
        yield f"{plural(audit.unread, 'proof')} of the sample could not be read."
    of = f"{len(audit.sample):,} of {audit.accepted:,} accepted"
    yield f"The sample: {of}, drawn by the seed {safe(audit.seed)}. The ledger is as it was."


def _line(item: Second, style: Style) -> str:
    module = item.paper.state.document.modules[item.task.module]
    name = f"{safe(item.task.module)}  {module_name(module, item.paper, style)}"
    if isinstance(item.found, Unread):
        return f"  ? {name}  not read: {safe(item.found.reason)}"
    if item.findings:
        return f"  ! {name}  {plural(len(item.findings), 'objection')}"
    return f"  ✓ {name}"


def audit_json(audit: AuditReport) -> str:
    """For programs."""
    return dumps(
        {
            "schema": SCHEMA,
            "model": audit.model,
            "seed": audit.seed,
            "accepted": audit.accepted,
            "agreed": audit.agreed,
            "unread": audit.unread,
            "sample": [_second(item) for item in audit.sample],
        }
    )


def _second(item: Second) -> dict[str, Any]:
    reason = item.found.reason if isinstance(item.found, Unread) else None
    verdict = "unreached" if reason else "flagged" if item.findings else "accepted"
    return {
        "paper": item.paper.state.paper.name,
        "module": item.task.module,
        "context": item.task.context,
        "verdict": verdict,
        "reason": reason,
        "findings": [
            {
                "id": finding.id,
                "rule": finding.rule,
                "severity": finding.severity.value,
                "message": finding.message,
                "quote": finding.quote,
                "file": finding.location.path,
                "start_line": finding.location.line,
                "votes": finding.votes,
                "rollouts": finding.rollouts,
            }
            for finding in item.findings
        ],
    }
