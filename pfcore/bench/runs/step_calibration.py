"""Calibrate a solution: flags and its steps in, an audit of each flag and a grade per step out."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pfcore.bench.runs.grading import Grades, grades
from pfcore.verification.calibrate import entries_of
from pfcore.verification.reply_parsing import Malformed, last_json, tagged

STAGE = "calibrate-steps"
MOST = 20
"""Defects that a calibrator may add: a longer list is no reading."""

_OWN = re.compile(r"E[1-9][0-9]?")


@dataclass(frozen=True, slots=True, kw_only=True)
class StepDefect:
    """What is wrong, in words, and in which step; None: in no single one."""

    id: str
    step: int | None
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepAudit:
    """What became of the flags, what was found beside them, and the grade of each step."""

    genuine: tuple[StepDefect, ...]
    own: tuple[StepDefect, ...]
    false_alarms: int
    grades: Grades


def parse_step_audit(text: str, flags: Sequence[str], count: int) -> StepAudit | Malformed:
    """The audit of a reply: flags judged exactly once, and grades that agree with it.

    A step that has a defect is wrong, and where steps are wrong some defect says why.
    """
    choice = last_json(text)
    if isinstance(choice, Malformed):
        return choice
    entries, graded = entries_of(choice, flags), grades(choice, count)
    if isinstance(entries, Malformed):
        return entries
    if isinstance(graded, Malformed):
        return graded
    own = choice.get("own", [])
    if not isinstance(own, list) or not all(isinstance(entry, dict) for entry in own):
        return Malformed(reason='"own" in the JSON block is no list')
    names = [str(entry.get("id")) for entry in own]
    if len(own) > MOST or len(set(names)) < len(names) or not all(map(_OWN.fullmatch, names)):
        return Malformed(reason=f"the own defects are not E1, E2, …, each once, {MOST} at most")
    for flag, entry in entries.items():
        if fault := _status_fault(flag, entry, entries):
            return Malformed(reason=fault)
    upheld = {flag: entry for flag, entry in entries.items() if entry["status"] == "genuine"}
    return _agreeing(text, upheld, dict(zip(names, own, strict=True)), _alarms(entries), graded)


def _status_fault(
    flag: str, entry: Mapping[str, Any], entries: Mapping[str, Mapping[str, Any]]
) -> str:
    """Why what is said of a flag does not count, or nothing."""
    status = entry.get("status")
    if status in ("genuine", "false_alarm"):
        return ""
    of = entries.get(str(entry.get("of"))) if status == "duplicate" else None
    is_known = of is not None and of.get("status") in ("genuine", "false_alarm")
    return "" if is_known else f"{flag} has no status that counts"


def _alarms(entries: Mapping[str, Mapping[str, Any]]) -> int:
    """How many flags are false alarms, their duplicates included."""
    meant = (
        entries[str(entry["of"])] if entry["status"] == "duplicate" else entry
        for entry in entries.values()
    )
    return sum(entry["status"] == "false_alarm" for entry in meant)


def _agreeing(
    text: str,
    upheld: Mapping[str, Mapping[str, Any]],
    own: Mapping[str, Mapping[str, Any]],
    alarms: int,
    graded: Grades,
) -> StepAudit | Malformed:
    said = {item.id: item.body for item in tagged(text, "defect")}
    found: dict[str, StepDefect] = {}
    for name, entry in {**upheld, **own}.items():
        step = entry.get("step")
        if step is not None and (isinstance(step, bool) or step not in graded.wrong):
            return Malformed(reason=f"{name} is a defect of step {step}, which is not wrong")
        if not said.get(name):
            return Malformed(reason=f"{name} is a defect, and nothing says why")
        found[name] = StepDefect(id=name, step=step, words=" ".join(said[name].split()))
    if graded.wrong and not found:
        return Malformed(reason="steps are wrong, and no defect says why")
    if found and not graded.wrong:
        return Malformed(reason="there is a defect, and no step is wrong")
    return StepAudit(
        genuine=tuple(found[name] for name in upheld),
        own=tuple(found[name] for name in own),
        false_alarms=alarms,
        grades=graded,
    )
