"""What a review found, as a value that can be kept: all that posting and pages need afterwards.

Where findings are private, `title`, `summary` and `words` have counts only; the rest is for the
pages, which the App's operator alone sees.

A review as far as it has come, as it is to be told. The outline of a result: the few lines of it
that lists and histories show.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.domain.comment import ObjectionSource, ReviewComments
from pfcore.domain.values import Severity, Status
from pfcore.reporters.formats.publication import LONGEST, Conclusion

SCHEMA = 1

Commit = Annotated[str, Field(pattern="^(?:[0-9a-f]{40}|[0-9a-f]{64})$")]


class ReviewPart(StrEnum):
    """Which half of a review: what needs no model, or what readers said of proofs."""

    STRUCTURE = "structure"
    PROOFS = "proofs"


class ReviewFault(StrEnum):
    """Why there is no review: people here can mend it, or it failed."""

    NONE = ""
    THEIRS = "theirs"
    OURS = "ours"


class _ResultValue(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ListedFinding(_ResultValue):
    """A finding, as pages list it; `name` is how people call the module."""

    id: str
    aliases: tuple[str, ...]
    source: ObjectionSource
    rule: str
    severity: Severity
    paper: str
    module: str | None
    name: str
    message: str
    reason: str
    quote: str
    path: str
    line: int
    end_line: int
    votes: int
    rollouts: int
    introduced: bool | None
    is_blocking: bool
    dismissed: str | None
    reopened: str | None


class ReachCounts(_ResultValue):
    """A module that the change affects, and why; `unread` says why it has no verdict, or "".

    `is_at_fault`: a check objects to the structure of what readers accepted.
    """

    paper: str
    module: str
    name: str
    path: str
    line: int
    status: Status
    is_at_fault: bool = False
    reasons: tuple[str, ...]
    unread: str


class PaperScreen(_ResultValue):
    """What the first screen says of a paper, as text: its title, its place, its paragraphs.

    `change` is what a change did to it, "" where that is not said.
    """

    title: str
    place: str
    paragraphs: tuple[str, ...]
    change: str = ""


class Manuscript(_ResultValue):
    """One paper: how many modules it has, and how many have which status.

    `at_fault` are those among them whose structure a check objects to. `results` is as every screen
    counts them, None in what an older release has kept.
    """

    name: str
    root: str
    modules: int
    results: int | None = None
    affected: int
    backlog: int
    statuses: dict[Status, int]
    at_fault: dict[Status, int] = Field(default_factory=dict)


class ReviewCost(_ResultValue):
    """What the reading used; `known` counts the replies that were there before."""

    calls: int = 0
    known: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float = 0.0
    seconds: float = 0.0


class ReviewResult(_ResultValue):
    """One half of a review of a commit.

    `settings` is what decided it beside its commits, as one word, "" where that is not known.
    `failure` is a sentence where there is no review, with `fault`; nothing else is known then.
    `is_read`: every proof that was to be read has a verdict; `is_touched`: there is any to be
    read, or a file that could not be; `is_quiet`: nobody has to be told. `is_required`: objections
    are to fail the check. `is_absent`: there is no paper, neither now nor before, nor a `pf.toml`
    of somebody who expects one.
    `contract` is the asking contract's digest; `is_simulated`: no model was really asked.
    `unreached` has the modules that were meant and have no verdict, with the reasons.
    `screens` are what is said of its papers, `unlooked` what was not looked at and `next_step` the
    sentence of what to do next, as the summary has them; an older release has kept none.
    `check` and `graph` are the JSON that `pf check` and `pf graph` print, "" where that is too
    long; `cone` is Mermaid for what is affected, "" where that is nothing or too much.
    `is_open`: something is left to be answered, new or old; `whole` is all that is found, for an
    issue, "" where none could have it.
    """

    schema_: int = Field(default=SCHEMA, ge=SCHEMA, le=SCHEMA, alias="schema")
    part: ReviewPart
    head: Commit
    base: Commit | None
    trusted: Commit
    settings: str = Field(default="", max_length=100)
    conclusion: Conclusion
    title: str = Field(max_length=200)
    summary: str = Field(max_length=LONGEST)
    words: ReviewComments
    failure: str = ""
    fault: ReviewFault = ReviewFault.NONE
    is_private: bool = False
    is_quiet: bool = False
    is_open: bool = False
    is_read: bool = False
    is_touched: bool = True
    is_required: bool = False
    is_absent: bool = False
    whole: str = Field(default="", max_length=LONGEST)
    model: str | None = None
    contract: str | None = None
    is_simulated: bool = False
    cost: ReviewCost = ReviewCost()
    papers: tuple[Manuscript, ...] = ()
    screens: tuple[PaperScreen, ...] = ()
    unlooked: str = ""
    next_step: str = ""
    reached: tuple[ReachCounts, ...] = ()
    objections: tuple[ListedFinding, ...] = ()
    unreached: dict[str, str] = Field(default_factory=dict)
    statuses: dict[str, Status] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
    cone: str = ""
    check: str = ""
    graph: str = ""

    def text(self) -> str:
        """As JSON."""
        return self.model_dump_json(by_alias=True)


def load_result(text: str) -> ReviewResult:
    """What was kept; ValueError where it is nothing of the kind, or another version's."""
    return ReviewResult.model_validate_json(text)


Half = TypeVar("Half")


class Reach(StrEnum):
    """How far the proofs that a change affects are read.

    `none`: no model is set, and there is no check of proofs. `fork`, `paused` and `draft`
    wait for somebody who may write here.
    """

    DONE = "done"
    PENDING = "pending"
    FORK = "fork"
    PAUSED = "paused"
    DRAFT = "draft"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedReview(Generic[Half]):
    """What is known of a commit, its halves as JSON or read from it.

    `key` and `details`, the address of a page, are of its checks. `again` tells people how to get
    another try; `aside` why its checks have other names than those that are required, or "".
    `is_rebased`: what was told before is of a change from another commit, so that what is missing
    now may stand there all the same.
    """

    structure: Half = field(repr=False)
    proofs: Half | None = field(default=None, repr=False)
    reach: Reach = Reach.DONE
    key: str = ""
    again: str = ""
    aside: str = ""
    is_rebased: bool = False
    details: str | None = None


class ReviewOutline(BaseModel):
    """How a review ended; `failure` is a sentence where there was none.

    `part`, `trusted`, `settings`, `is_read`, `is_touched` and `is_required` are as in
    `ReviewResult`; an older release has kept no `trusted` and no `settings`.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    conclusion: Conclusion
    title: str
    failure: str = ""
    part: ReviewPart | None = None
    trusted: str = ""
    settings: str = ""
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
