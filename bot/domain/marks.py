"""Hidden marks that tell which comment says what; they count only in the App's own comments."""

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum

SUMMARY = "summary"
"""The key of the one comment that is about the whole pull request."""

_KEY = re.compile(r"[a-z2-7]{8}")
_MARK = re.compile(
    r"<!-- pf-verify:finding id=(?P<key>[a-z2-7]{8}|summary) by=(?P<source>reading|check)"
    r" h=(?P<digest>[0-9a-f]{12}) state=(?P<state>open|answered|resolved) -->"
)

_ANSWER = re.compile(r"<!-- pf-verify:answer to=(?P<comment>[0-9]{1,19}) -->")


class ObjectionSource(StrEnum):
    """Who objects: a reader of proofs, or a check without a model."""

    READING = "reading"
    CHECK = "check"


class CommentState(StrEnum):
    """What a comment says of its finding."""

    OPEN = "open"
    ANSWERED = "answered"
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What a comment is about; `digest` is of its words, `key` a finding's id or SUMMARY."""

    key: str
    source: ObjectionSource
    digest: str
    state: CommentState = CommentState.OPEN


def is_key(text: str) -> bool:
    """Whether this is the form of a finding's id, which a mark can hold."""
    return bool(_KEY.fullmatch(text))


def marked(
    words: str, *, key: str, source: ObjectionSource, state: CommentState = CommentState.OPEN
) -> str:
    """A comment's body: words in which nothing can pass for a mark, and the mark as last line."""
    shown = words.replace("<!--", "&lt;!--").strip()
    tail = f"id={key} by={source} h={_digest(shown)} state={state}"
    return f"{shown}\n\n<!-- pf-verify:finding {tail} -->"


def read_mark(body: str) -> Mark | None:
    """The mark of a comment; None where it has none at its end."""
    found = _MARK.fullmatch(body.rstrip().rpartition("\n")[2].strip())
    if found is None:
        return None
    return Mark(
        key=found["key"],
        source=ObjectionSource(found["source"]),
        digest=found["digest"],
        state=CommentState(found["state"]),
    )


def answering(words: str, comment: int) -> str:
    """The body of an answer to a comment: words that forge no mark, and whom they answer."""
    shown = words.replace("<!--", "&lt;!--").strip()
    return f"{shown}\n\n<!-- pf-verify:answer to={comment} -->"


def answered_comment(body: str) -> int | None:
    """The comment that a body answers; None where it has no such mark at its end."""
    found = _ANSWER.fullmatch(body.rstrip().rpartition("\n")[2].strip())
    return int(found["comment"]) if found else None


def without_mark(body: str) -> str:
    """A body without its mark."""
    return body.rstrip().rpartition("\n")[0].strip() if read_mark(body) else body.strip()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
