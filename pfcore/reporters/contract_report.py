"""The output of `pf upgrade`: the current contract, those on record, and the two choices.

Also the output of `pf audit`: how far a second reader agrees with the verdicts on record.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pfcore.domain.values import Finding
from pfcore.ledger.ledger import LedgerEntry
from pfcore.reporters.formats.json_report import SCHEMA, dumps
from pfcore.reporters.module_names import module_name
from pfcore.reporters.objections import objection
from pfcore.reporters.printing import Style, plural, safe, shortened
from pfcore.review.contract_comparison import RecordedContract, Upgrade, differences, flat
from pfcore.review.review import PaperReport
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import Unread

_WORDS = {
    "endpoint": "interface",
    "limit": "maximum tokens per reply",
    "bound": "length above which a proof is split",
    "attempts": "max. rewrites per piece",
    "pieces": "max. pieces per proof",
    "form": "format of the texts",
}
_LONGEST = 72
_DIGITS = 12


class PaperUpgrade(NamedTuple):
    """A paper's name, the paths of its ledger and pf.toml, and what its contract means for it."""

    paper: str
    lock: str
    settings: str
    upgrade: Upgrade


def upgrade_text(rows: Sequence[PaperUpgrade], price: str, command: str, style: Style) -> str:
    """The text for people; `command` is the command that reads everything again."""
    return style.finish(_upgrade_lines(rows, price, command, style))


def _upgrade_lines(
    rows: Sequence[PaperUpgrade], price: str, command: str, style: Style
) -> Iterator[str]:
    for row in rows:
        yield from _paper(row, style)
    if not any(row.upgrade.unread for row in rows):
        return
    yield safe(price)
    for settings in dict.fromkeys(row.settings for row in rows):
        yield from _kept([row for row in rows if row.settings == settings])
    yield "To read them again and record the verdicts:"
    yield f"    {command}"


def _paper(row: PaperUpgrade, style: Style) -> Iterator[str]:
    upgrade = row.upgrade
    fields = flat(upgrade.contract.fields())
    width = max(len(field_name(field)) for field in fields)
    proofs = plural(upgrade.proofs, "proof")
    yield f"{style.paint(safe(row.paper), 'bold')}  {proofs}"
    yield ""
    yield f"  Current contract: {upgrade.contract.digest()[:_DIGITS]}"
    for field, value in fields.items():
        yield f"      {field_name(field).ljust(width)}  {field_value(value)}"
    yield ""
    if upgrade.known:
        yield f"  Contracts in {safe(row.lock)}:"
        for known in upgrade.known:
            yield from _known(known, row)
    else:
        yield f"  {safe(row.lock)} has no verdicts."
    yield ""
    unread = len(upgrade.unread)
    verb = "is" if unread == 1 else "are"
    proofs = f"{plural(unread, 'proof')} {verb}" if unread else "Nothing is"
    yield f"  {proofs} unread under this contract."
    yield ""


def _known(known: RecordedContract, row: PaperUpgrade) -> Iterator[str]:
    upgrade = row.upgrade
    parts = [f"covers {known.covers:,} of {plural(upgrade.proofs, 'proof')} as they are now"]
    if known.short:
        verb = "has" if known.short == 1 else "have"
        parts.append(f"{known.short:,} {verb} fewer readings than the required {upgrade.rollouts}")
    is_now = known.contract == upgrade.contract.digest()
    if is_now:
        parts.append("the current contract")
    if known.is_accepted:
        parts.append(f"accepted by {safe(row.settings)}")
    yield f"    {safe(known.contract[:_DIGITS])}  {'; '.join(parts)}"
    if is_now:
        return
    if known.fields is None:
        yield f"        {safe(row.lock)} has no record of its settings"
        return
    for item in differences(known.fields, upgrade.contract.fields()):
        then, now = field_value(item.then), field_value(item.now)
        yield f"        {field_name(item.field)}: {then}, now {now}"


def _kept(rows: Sequence[PaperUpgrade]) -> Iterator[str]:
    """The line for one pf.toml, if it would keep any verdict."""
    if not any(row.upgrade.is_helped for row in rows):
        return
    accept = dict.fromkeys(name for row in rows for name in row.upgrade.accept)
    left = sum(row.upgrade.left for row in rows)
    leaves = f"{plural(left, 'proof')} unread" if left else "nothing unread"
    place = " instead of the existing line" if any(r.upgrade.accepted for r in rows) else ""
    settings = safe(rows[0].settings)
    yield f"To keep the old verdicts, write this into {settings}{place} (leaves {leaves}):"
    yield "    [reading]"
    yield f"    accept = {json.dumps(list(accept))}"


def field_name(field: str) -> str:
    """A field of a contract in words."""
    stage = field.removeprefix("prompts.")
    name = _WORDS.get(field, field) if stage == field else f"prompt of {stage}"
    return shortened(safe(name), _LONGEST)


def field_value(value: object) -> str:
    """A field's value in words; values from a ledger may be anything."""
    if value is None:
        return "not recorded"
    shown = value if isinstance(value, str) else json.dumps(value)
    return shortened(safe(shown), _LONGEST) or "none"


def upgrade_json(
    rows: Sequence[PaperUpgrade], model: str, most: Mapping[str, int | float | None]
) -> str:
    """The JSON for programs; `most` bounds the cost of reading everything unread."""
    papers = [
        {
            "name": row.paper,
            "contract": row.upgrade.contract.digest(),
            "fields": row.upgrade.contract.fields(),
            "proofs": row.upgrade.proofs,
            "known": [_known_json(known, row.upgrade) for known in row.upgrade.known],
            "unread": list(row.upgrade.unread),
            "settings": row.settings,
            "accept": list(row.upgrade.accept),
            "unread_with_accept": row.upgrade.left,
        }
        for row in rows
    ]
    return dumps({"schema": SCHEMA, "model": model, "papers": papers, **most})


def _known_json(known: RecordedContract, upgrade: Upgrade) -> dict[str, object]:
    fields = known.fields
    found = differences(fields, upgrade.contract.fields()) if fields is not None else None
    return {
        "contract": known.contract,
        "fields": None if fields is None else dict(fields),
        "covers": known.covers,
        "short": known.short,
        "accepted": known.is_accepted,
        "differs": None if found is None else [item._asdict() for item in found],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Second:
    """A module that is accepted on record, with the second reader's result."""

    paper: PaperReport
    task: ContextTask
    found: LedgerEntry | Unread
    findings: tuple[Finding, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether the second reader has read it and reports nothing."""
        return isinstance(self.found, LedgerEntry) and not self.findings


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """A sample of `accepted` modules, drawn by a seed and read by a model."""

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
        """How many modules the second reader did not reach."""
        return sum(isinstance(item.found, Unread) for item in self.sample)

    @property
    def exit_status(self) -> int:
        """1 if the second reader objects, else 3 if it missed some or had none to read, else 0."""
        if any(item.findings for item in self.sample):
            return 1
        return 3 if self.unread or not self.sample else 0


def audit_text(audit: AuditReport, style: Style) -> str:
    """For people."""
    return style.finish(_audit_lines(audit, style))


def _audit_lines(audit: AuditReport, style: Style) -> Iterator[str]:
    if not audit.sample:
        yield "No proof is recorded as accepted, so none was sampled."
        return
    for item in audit.sample:
        yield _line(item, style)
    yield ""
    for item in audit.sample:
        for finding in item.findings:
            yield from objection(finding, item.paper, style)
    read = len(audit.sample) - audit.unread
    yield (
        f"{safe(audit.model)} agrees with pf.lock on {audit.agreed:,} of "
        f"{plural(read, 'proof')} that it read."
    )
    if audit.unread:
        yield f"{plural(audit.unread, 'proof')} of the sample could not be read."
    of = f"{len(audit.sample):,} of {audit.accepted:,} accepted proofs"
    yield f"Sample: {of}, drawn with seed {safe(audit.seed)}. pf.lock was not changed."


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
