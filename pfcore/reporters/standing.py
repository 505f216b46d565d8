"""How a module stands, as people are shown it: a sign and words, never colour alone."""

from typing import NamedTuple

from pfcore.domain.values import Status
from pfcore.reporters.printing import GLYPHS, status_words
from pfcore.review.review import PaperReport

_FAULT = ", but its structure is at fault"


class ShownStatus(NamedTuple):
    """A status; `is_at_fault`: a check objects to the structure of what a reader accepted."""

    status: Status
    is_at_fault: bool = False

    @property
    def glyph(self) -> str:
        """The sign; that of an objection where the structure is at fault."""
        return GLYPHS[Status.FLAGGED if self.is_at_fault else self.status]

    @property
    def words(self) -> str:
        """The status in words, with what takes away from it."""
        return f"{status_words(self.status)}{_FAULT if self.is_at_fault else ''}"


def standing(paper: PaperReport, name: str) -> ShownStatus:
    """How a module of a paper stands."""
    return ShownStatus(paper.statuses[name], name in paper.at_fault)
