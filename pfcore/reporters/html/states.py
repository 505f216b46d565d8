"""What a result looks like on a page: a sign, a name for its colours, and words for both."""

from enum import Enum
from typing import NamedTuple

from pfcore.domain.values import Status
from pfcore.review.review import PaperReport


class Look(NamedTuple):
    """A class of the style sheet, a sign, and words."""

    name: str
    glyph: str
    words: str


class State(Enum):
    """All looks, in the order of the legend."""

    GAP = Look("gap", "!", "gap: an objection that blocks")
    POSSIBLE = Look("possible", "!", "possible gap: an objection that does not block")
    FAULT = Look("fault", "!", "accepted by readers, but its structure is at fault")
    STALE = Look("stale", "↻", "to be read again: it or a premise changed")
    UNREAD = Look("unread", "?", "not yet read")
    CONDITIONAL = Look("conditional", "~", "checked, conditional on others")
    CHECKED = Look("checked", "✓", "checked, as is all it rests on")
    ANSWERED = Look("answered", "-", "objection answered by the authors")
    FORMAL = Look("formal", "◆", "formal proof in Lean, as its authors claim")
    CITED = Look("cited", "§", "taken from the literature")
    GIVEN = Look("given", "·", "definition, assumption or remark")


_OF = {
    Status.CHECKED: State.CHECKED,
    Status.CONDITIONAL: State.CONDITIONAL,
    Status.UNREACHED: State.UNREAD,
    Status.GIVEN: State.GIVEN,
    Status.CITED: State.CITED,
    Status.FORMAL: State.FORMAL,
    Status.DISMISSED: State.ANSWERED,
}


def states(paper: PaperReport) -> dict[str, State]:
    """The look of every module."""
    blocking = {item.module for item in paper.blocking}
    stale = {item.id for item in paper.plan.affected if item.unread}
    return {
        name: state(
            status,
            is_blocking=name in blocking,
            is_stale=name in stale,
            is_at_fault=name in paper.at_fault,
        )
        for name, status in paper.statuses.items()
    }


def state(status: Status, *, is_blocking: bool, is_stale: bool, is_at_fault: bool = False) -> State:
    """The look of a module with a status; what is at fault was accepted, and is no plain pass."""
    if is_at_fault:
        return State.FAULT
    if status is Status.FLAGGED:
        return State.GAP if is_blocking else State.POSSIBLE
    if status is Status.UNREACHED and is_stale:
        return State.STALE
    return _OF[status]
