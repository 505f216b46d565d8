"""The outline of a result: the few lines of it that lists and histories show."""

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.domain.review_result import Manuscript, ReviewPart
from pfcore.reporters.formats.publication import Conclusion


class ReviewOutline(BaseModel):
    """How a review ended; `failure` is a sentence where there was none.

    `part`, `trusted`, `is_read`, `is_touched` and `is_required` are as in `Saved`; an older release
    has kept no `trusted`.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    conclusion: Conclusion
    title: str
    failure: str = ""
    part: ReviewPart | None = None
    trusted: str = ""
    is_read: bool = False
    is_touched: bool = True
    is_required: bool = False
    is_simulated: bool = False
    papers: tuple[Manuscript, ...] = ()

    def text(self) -> str:
        """As JSON."""
        return self.model_dump_json()


def outline(result: str | None) -> ReviewOutline | None:
    """The outline of a result, or of its own JSON; None where it is nothing of the kind."""
    if result is None:
        return None
    try:
        return ReviewOutline.model_validate_json(result)
    except ValidationError:
        return None
