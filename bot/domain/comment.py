"""What is to be said on a pull request, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bot.domain.marks import ObjectionSource

_MOST_INLINE = 30


class CommentKind(StrEnum):
    """Where a comment stands."""

    INLINE = "inline"
    FILE = "file"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentCaps:
    """How much is said at most, of each kind."""

    inline: int = 10
    files: int = 10
    annotations: int = 50

    def __post_init__(self) -> None:
        if not 0 <= self.inline <= _MOST_INLINE:
            raise ValueError(f"a review has {_MOST_INLINE} comments on lines at most")


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedComment:
    """A comment that is to stand; `start_line` is there only where it spans several lines.

    `key` is a finding's id or marks.SUMMARY, `aliases` its earlier ids. One that is optional
    changes what stands and is not said anew.
    """

    kind: CommentKind
    key: str
    body: str
    path: str | None = None
    line: int | None = None
    start_line: int | None = None
    aliases: frozenset[str] = frozenset()
    is_optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """A remark of a check run; GitHub takes 50 in a request."""

    path: str
    start_line: int
    end_line: int
    level: str
    title: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewComments:
    """All that is to be said, and what may be said of matters that are not told any more.

    `open` are ids of findings that still stand, told or not; `answered` the authors' reasons by
    id; `settled` says whose silence means that a finding is gone.
    """

    comments: tuple[WantedComment, ...]
    annotations: tuple[Annotation, ...] = ()
    open: frozenset[str] = frozenset()
    answered: Mapping[str, str] = field(default_factory=dict)
    settled: frozenset[ObjectionSource] = frozenset()
