"""Calibrate: judges flags against the authors' text; yields an audit of each flag and findings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pfcore.domain.values import Severity
from pfcore.verification.reply_parsing import Malformed, Tagged, count_opened, last_json, tagged

STAGE = "calibrate"
CLASSES = frozenset(
    """false-claim gap misuse computation missing-case quantifier circular wrong-target
    ambiguity""".split()
)


Entries = Mapping[str, Mapping[str, Any]]
"""The fields of each flag in the JSON block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A genuine objection: its flags ("F1", with duplicates), class and wording."""

    flags: tuple[str, ...]
    rule: str
    severity: Severity
    quote: str
    objection: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagAudit:
    """What became of the flags of one reading."""

    genuine: tuple[Judged, ...]
    false_alarms: tuple[str, ...]


def parse_calibration(text: str, flags: Sequence[str]) -> FlagAudit | Malformed:
    """The audit in a reply; the JSON block must judge every flag exactly once."""
    choice = last_json(text)
    if isinstance(choice, Malformed):
        return choice
    entries = entries_of(choice, flags)
    if isinstance(entries, Malformed):
        return entries
    found = audit(entries, words_of_findings(text))
    return found if isinstance(found, Malformed) else complete(found, text)


def entries_of(choice: Mapping[str, Any], flags: Sequence[str]) -> Entries | Malformed:
    """The fields of the requested flags in a JSON block, each exactly once."""
    entries = choice.get("flags")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        return Malformed(reason="the JSON block has no list of flags")
    named = [str(entry.get("id")) for entry in entries]
    if sorted(named) != sorted(flags):
        return Malformed(reason="the flags that were judged are not those that were asked about")
    return dict(zip(named, entries, strict=True))


def complete(found: FlagAudit, text: str) -> FlagAudit | Malformed:
    """The audit, if all findings of the reply are in it."""
    listed = [item.id for item in tagged(text, "finding")]
    upheld = {flag for item in found.genuine for flag in item.flags}
    idle = next((flag for flag in listed if flag not in upheld), None)
    if idle is not None:
        name = idle or "without an id"
        return Malformed(reason=f"the finding {name} belongs to no genuine flag")
    if len(listed) < count_opened(text, "finding"):
        return Malformed(reason="a finding has no end")
    return found


def words_of_findings(text: str) -> dict[str, Tagged]:
    """The findings of a reply in words; the last one of each id."""
    return {item.id: item for item in tagged(text, "finding") if item.id}


def audit(entries: Entries, said: Mapping[str, Tagged]) -> FlagAudit | Malformed:
    """The audit that the JSON block's entries and the words of the findings yield."""
    genuine: dict[str, list[str]] = {}
    alarms: list[str] = []
    for flag, entry in entries.items():
        match entry.get("status"):
            case "genuine":
                genuine.setdefault(flag, []).insert(0, flag)
            case "duplicate" if _status(entries, entry.get("of")) == "genuine":
                genuine.setdefault(str(entry["of"]), []).append(flag)
            case "duplicate" if _status(entries, entry.get("of")) == "false_alarm":
                alarms.append(flag)
            case "false_alarm":
                alarms.append(flag)
            case _:
                return Malformed(reason=f"{flag} has no status that counts")
    judged: list[Judged] = []
    for flag, same in genuine.items():
        made = _judged(tuple(same), entries[flag], said.get(flag))
        if isinstance(made, Malformed):
            return made
        judged.append(made)
    return FlagAudit(genuine=tuple(judged), false_alarms=tuple(alarms))


def _status(entries: Entries, flag: object) -> object:
    entry = entries.get(flag) if isinstance(flag, str) else None
    return entry.get("status") if entry else None


def _judged(
    flags: tuple[str, ...], entry: Mapping[str, Any], words: Tagged | None
) -> Judged | Malformed:
    rule, severity = entry.get("class"), entry.get("severity")
    if rule not in CLASSES or severity not in list(Severity):
        return Malformed(reason=f"{flags[0]} has no class or no severity that counts")
    if words is None or not words.inner("objection"):
        return Malformed(reason=f"{flags[0]} is genuine, and nothing says why")
    return Judged(
        flags=flags,
        rule=str(rule),
        severity=Severity(severity),
        quote=words.inner("quote"),
        objection=" ".join(words.inner("objection").split()),
        reason=words.inner("reason"),
    )
