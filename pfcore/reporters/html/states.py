"""What a result looks like on a page: a sign, a name for its colours, and words for both."""

from enum import Enum
from typing import NamedTuple

from pfcore.domain.values import Status
from pfcore.review.review import PaperReport


class PageLook(NamedTuple):
    """A class of the style sheet, a sign, and words."""

    name: str
    glyph: str
    words: str


class StatusLook(Enum):
    """All looks, in the order of the legend."""

    GAP = PageLook("gap", "!", "gap: an objection that blocks")
    POSSIBLE = PageLook("possible", "!", "possible gap: an objection that does not block")
    FAULT = PageLook("fault", "!", "accepted by readers, but its structure is at fault")
    STALE = PageLook("stale", "↻", "to be read again: it or a premise changed")
    UNREAD = PageLook("unread", "?", "not yet read")
    CONDITIONAL = PageLook("conditional", "~", "checked, conditional on others")
    CHECKED = PageLook("checked", "✓", "checked, as is all it rests on")
    ANSWERED = PageLook("answered", "-", "objection answered by the authors")
    FORMAL = PageLook("formal", "◆", "formal proof in Lean, as its authors claim")
    CITED = PageLook("cited", "§", "taken from the literature")
    GIVEN = PageLook("given", "·", "definition, assumption or remark")


_OF = {
    Status.CHECKED: StatusLook.CHECKED,
    Status.CONDITIONAL: StatusLook.CONDITIONAL,
    Status.UNREACHED: StatusLook.UNREAD,
    Status.GIVEN: StatusLook.GIVEN,
    Status.CITED: StatusLook.CITED,
    Status.FORMAL: StatusLook.FORMAL,
    Status.DISMISSED: StatusLook.ANSWERED,
}


def states(paper: PaperReport) -> dict[str, StatusLook]:
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


def state(
    status: Status, *, is_blocking: bool, is_stale: bool, is_at_fault: bool = False
) -> StatusLook:
    """The look of a module with a status; what is at fault was accepted, and is no plain pass."""
    if is_at_fault:
        return StatusLook.FAULT
    if status is Status.FLAGGED:
        return StatusLook.GAP if is_blocking else StatusLook.POSSIBLE
    if status is Status.UNREACHED and is_stale:
        return StatusLook.STALE
    return _OF[status]
