"""Passages that speak to a language model, as they are found and kept."""

from enum import StrEnum
from typing import NamedTuple


class How(StrEnum):
    """How a passage keeps out of a reader's sight; PLAIN if it does not, CODE as it is printed."""

    COMMENT = "in a comment"
    SKIPPED = "in a part that LaTeX skips"
    UNSEEN = "where no reader sees them"
    LETTERS = "in letters that are invisible, or others than they seem"
    MACRO = "in the body of a macro"
    MADE = "put together by macros"
    CODE = "in code"
    PLAIN = "in plain sight"


class Aimed(NamedTuple):
    """A passage; `is_loud` says that it both gives an order and demands a verdict."""

    start: int
    end: int
    how: How
    is_loud: bool
