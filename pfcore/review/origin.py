"""Whether a change brought an objection in: false, true, or unknown."""

from collections.abc import Mapping
from dataclasses import dataclass

from pfcore.impact.plan import Plan
from pfcore.ledger.dismissals import is_overlapping
from pfcore.ledger.ledger import LedgerEntry, Recorded
from pfcore.verification.quotes import find_quote
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import Unread


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """A module at the base: its text, and what is known of it."""

    task: ContextTask
    found: LedgerEntry | Unread


@dataclass(frozen=True, kw_only=True)
class IntroducedBy:
    """Tells for one change; `earlier` are counterparts of affected modules, by their ids now."""

    plan: Plan
    earlier: Mapping[str, Earlier]

    def is_introduced(
        self, task: ContextTask, item: Recorded, named: frozenset[str]
    ) -> bool | None:
        """False: the base has it, or the same context; true: the change touches what it is about.

        That is the quoted passage, or a statement that the objection names.
        """
        if not any(affected.id == task.module for affected in self.plan.affected):
            return False
        then = self.earlier.get(task.module)
        if then is None:
            return True
        if _has(then, item):
            return False
        is_quoted_there = bool(item.quote) and find_quote(item.quote, then.task.text) is not None
        if item.quote and not is_quoted_there:
            return True
        changed = {*self.plan.restated, *(name for name in named if name not in self.plan.pairs)}
        return True if named & changed else None


def _is_at(one: str, other: str, text: str) -> bool:
    """Whether both quotes stand in a text, and overlap."""
    return bool(find_quote(one, text) and find_quote(other, text)) and is_overlapping(
        one, other, text
    )


def _has(then: Earlier, item: Recorded) -> bool:
    """Whether an objection of its class stood at the same passage."""
    if isinstance(then.found, Unread):
        return False
    return any(
        other.ids & item.ids
        or (other.rule == item.rule and _is_at(other.quote, item.quote, then.task.text))
        for other in then.found.findings
    )
