"""Calibrate a whole paper: flags and its PDF in, an audit and more defects out, each with a place.

Nobody can tell what a PDF says without a model, so quotes are not held against it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pfcore.verification.calibrate import (
    Entries,
    Judged,
    audit,
    complete,
    entries_of,
    words_of_findings,
)
from pfcore.verification.reply_parsing import Malformed, Tagged, last_json

CALIBRATE_PAPER = "calibrate-paper"
MOST_DEFECTS = 20
"""Defects that a calibrator may add: a longer list is no reading."""

_PLACE = 200
"""Characters of a location that count: more is no place, but a text about one."""
_OWN = re.compile(r"E[1-9][0-9]?")


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperDefect:
    """An objection that stands, and where: words with a label as the paper prints it."""

    location: str
    judged: Judged


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperAudit:
    """What became of the flags of one reading, and what was found beside them."""

    defects: tuple[PaperDefect, ...]
    false_alarms: int = 0


def parse_paper_calibration(text: str, flags: Sequence[str]) -> PaperAudit | Malformed:
    """The audit of a reply: flags judged exactly once, own defects listed and said, all placed."""
    choice = last_json(text)
    if isinstance(choice, Malformed):
        return choice
    entries, said = entries_of(choice, flags), words_of_findings(text)
    if isinstance(entries, Malformed):
        return entries
    own = _own(choice, said)
    if isinstance(own, Malformed):
        return own
    made = audit({**entries, **own}, said)
    found = made if isinstance(made, Malformed) else complete(made, text)
    if isinstance(found, Malformed):
        return found
    defects = tuple(
        PaperDefect(location=said[item.flags[0]].inner("location")[:_PLACE], judged=item)
        for item in found.genuine
    )
    for item in defects:
        if not item.location:
            return Malformed(reason=f"{item.judged.flags[0]} is genuine, and has no location")
    return PaperAudit(defects=defects, false_alarms=len(found.false_alarms))


def _own(choice: Mapping[str, Any], said: Mapping[str, Tagged]) -> Entries | Malformed:
    """The defects that nobody had named; the list and the words have to be about the same."""
    listed = choice.get("own", [])
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        return Malformed(reason='"own" in the JSON block is no list')
    if len(listed) > MOST_DEFECTS:
        return Malformed(
            reason=f"there are {len(listed)} own defects; name the {MOST_DEFECTS} gravest"
        )
    own = {str(entry.get("id")): {**entry, "status": "genuine"} for entry in listed}
    worded = {name for name in said if _OWN.fullmatch(name)}
    if len(own) < len(listed) or set(own) != worded:
        return Malformed(reason="the own defects in the JSON block are not those in the findings")
    return own
