"""The result of a review, as a value that can be stored: all that posting and pages need later.

If findings are private, `title`, `summary` and `words` have counts only; the rest is for the pages,
which only the App's operator sees.

Also a review in progress, as it is published, and the outline of a result, which lists and
histories show.
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
    """Why there is no review: something that people here can fix, or a failure."""

    NONE = ""
    THEIRS = "theirs"
    OURS = "ours"


class _ResultValue(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ListedFinding(_ResultValue):
    """A finding, as pages list it; `name` is the module's name for people."""

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
    """The first screen of a paper, as text: its title, its place, its paragraphs.

    `change` is the effect of a change on it, "" if unknown.
    """

    title: str
    place: str
    paragraphs: tuple[str, ...]
    change: str = ""


class Manuscript(_ResultValue):
    """One paper: how many modules it has, and how many have which status.

    `at_fault` are those among them whose structure a check objects to. `results` is counted as on
    every screen, None in results of an older release.
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
    """The usage of the reading; `known` counts the replies that were already stored."""

    calls: int = 0
    known: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float = 0.0
    seconds: float = 0.0


class ReviewResult(_ResultValue):
    """One half of a review of a commit.

    `settings` is one word for everything else that determined it, "" if unknown. `failure` is a
    sentence if there is no review, with `fault`; all else is unknown then. `is_read`: every proof
    to be read has a verdict; `is_touched`: there are proofs to read, or unreadable files;
    `is_quiet`: nobody needs to be notified. `is_required`: objections are to fail the check.
    `is_absent`: there is no paper, neither now nor before, and no `pf.toml` that would expect one.
    `contract` is the asking contract's digest; `is_simulated`: no real model was asked.
    `unreached` has the modules that should have a verdict and do not, with the reasons.
    `screens` describe its papers, `unlooked` lists what was not looked at, and `next_step` is a
    sentence on what to do next, as in the summary; results of an older release have none.
    `check` and `graph` are the JSON of `pf check` and `pf graph`, "" if that is too long; `cone` is
    Mermaid for the affected modules, "" if there are none or too many.
    `is_open`: a finding, new or old, has no answer yet; `whole` lists all findings for an issue, ""
    if there can be no issue.
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
    """The stored result; ValueError if it is not one, or has another version."""
    return ReviewResult.model_validate_json(text)


Half = TypeVar("Half")


class Reach(StrEnum):
    """How far the proofs that a change affects are read.

    `none`: no model is set, and there is no check of proofs. `fork`, `paused` and `draft` wait
    for somebody with write access.
    """

    DONE = "done"
    PENDING = "pending"
    FORK = "fork"
    PAUSED = "paused"
    DRAFT = "draft"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedReview(Generic[Half]):
    """The results for a commit so far, its halves as JSON or read from it.

    `key` and `details`, the address of a page, are those of its checks. `again` tells people how to
    have it tried again; `aside` why its checks have other names than the required ones, or "".
    `is_rebased`: the earlier comments are about a change from another commit, so that a finding
    that is missing now may still hold.
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
    """How a review ended; `failure` is a sentence if there was none.

    `part`, `trusted`, `settings`, `is_read`, `is_touched` and `is_required` are as in
    `ReviewResult`; outlines of an older release have no `trusted` and no `settings`.
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
    """The outline of a result, or of an outline's own JSON; None if it is neither."""
    if result is None:
        return None
    try:
        return ReviewOutline.model_validate_json(result)
    except ValidationError:
        return None
