"""A review as far as it has come, as it is to be told."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

Half = TypeVar("Half")


class Reach(StrEnum):
    """How far the proofs that a change affects are read.

    `none`: no model is configured, and there is no check of proofs. `fork`, `paused` and `draft`
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
    another try.
    """

    structure: Half = field(repr=False)
    proofs: Half | None = field(default=None, repr=False)
    reach: Reach = Reach.DONE
    key: str = ""
    again: str = ""
    details: str | None = None
