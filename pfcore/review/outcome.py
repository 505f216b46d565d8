"""What the gate says: the reasons against a paper, each with its place, and the exit status."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Cause(StrEnum):
    """Why a paper does not pass, in the order in which it is told."""

    STRUCTURE = "structure"
    CIRCLE = "circle"
    FLAGGED = "flagged"
    UNPROVED = "unproved"
    CONDITIONAL = "conditional"
    UNREAD = "unread"
    LEDGER = "ledger"
    UNSEEN = "unseen"
    NOTHING = "nothing"


_FINDINGS = frozenset({Cause.STRUCTURE, Cause.CIRCLE, Cause.FLAGGED, Cause.UNPROVED})
_INCOMPLETE = frozenset({Cause.UNREAD, Cause.LEDGER, Cause.UNSEEN, Cause.NOTHING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One thing that stands against a paper; `line` is 0 where a whole file is meant."""

    cause: Cause
    words: str
    path: str
    line: int = 0
    module: str | None = None
    finding: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOutcome:
    """What the gate says of one paper.

    `unread` are the modules whose proof nothing has read, failing or not; `circles` are sets of
    modules that rest on one another by references that are not certain.
    """

    reasons: tuple[Reason, ...] = ()
    unread: tuple[str, ...] = ()
    circles: tuple[tuple[str, ...], ...] = ()

    @property
    def is_passed(self) -> bool:
        """Whether nothing stands against the paper."""
        return not self.reasons

    @property
    def exit_status(self) -> int:
        """0 passed; 1 by findings; 3 where it could not be completed."""
        causes = {reason.cause for reason in self.reasons}
        if not causes:
            return 0
        return 3 if causes & _INCOMPLETE and not causes & _FINDINGS else 1


def exit_status(outcomes: Sequence[GateOutcome]) -> int:
    """Over several papers: findings before what could not be completed."""
    found = {item.exit_status for item in outcomes}
    return next((status for status in (1, 3) if status in found), 0)
