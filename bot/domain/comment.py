"""The comments wanted on a pull request, as values.

Hidden marks in the App's own comments say what each is about. Comments are possible on the lines
of the new files that the diff shows.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

_MOST_INLINE = 30


class CommentKind(StrEnum):
    """Where a comment is; `review`: it is the body of a review, which is the summary."""

    INLINE = "inline"
    FILE = "file"
    SUMMARY = "summary"
    REVIEW = "review"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentCaps:
    """The maximal numbers of comments of each kind."""

    inline: int = 10
    annotations: int = 50

    def __post_init__(self) -> None:
        if not 0 <= self.inline <= _MOST_INLINE:
            raise ValueError(f"a review has at most {_MOST_INLINE} comments on lines")


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedComment:
    """A comment that should exist; `start_line` is set only if it spans several lines.

    `key` is a finding's id or marks.SUMMARY, `aliases` its earlier ids. An optional one updates an
    existing comment but is not posted anew.
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


class ObjectionSource(StrEnum):
    """Who objects: a reader of proofs, or a check without a model."""

    READING = "reading"
    CHECK = "check"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewComments:
    """All comments wanted, and the state of findings that need no comment any more.

    `open` are ids of findings that still hold, with or without a comment; `answered` the authors'
    reasons by id; `kins` maps the open objections of readers to what they share with the same
    objection in other words; `settled` are the sources whose silence means that a finding is gone.
    """

    comments: tuple[WantedComment, ...]
    annotations: tuple[Annotation, ...] = ()
    open: frozenset[str] = frozenset()
    answered: Mapping[str, str] = field(default_factory=dict)
    kins: Mapping[str, str] = field(default_factory=dict)
    settled: frozenset[ObjectionSource] = frozenset()


SUMMARY = "summary"
"""The key of the one comment that is about the whole pull request."""

_KEY = re.compile(r"[a-z2-7]{8}")
_HIDDEN = re.compile(r"<!-- pf-verify:(?P<mark>.+) -->")
_FINDING = re.compile(
    r"finding id=(?P<key>[a-z2-7]{8}|summary) by=(?P<source>reading|check)"
    r" h=(?P<digest>[0-9a-f]{12}) state=(?P<state>open|answered|resolved|moved)"
    r"(?: kin=(?P<kin>[a-z2-7]{8}))?(?: was=(?P<was>[a-z2-7]{8}))?(?: of=(?P<of>[0-9a-f]{12}))?"
)
_REPORT = re.compile(r"(?:review|branch)(?: \([^()]+\))?")
_ANSWER = re.compile(r"answer to=(?P<comment>[0-9]{1,19})")


class CommentState(StrEnum):
    """The state of a comment's finding; `moved`: a newer comment has replaced this one."""

    OPEN = "open"
    ANSWERED = "answered"
    RESOLVED = "resolved"
    MOVED = "moved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What a comment is about; `digest` is of its text.

    `key` is a finding's id, SUMMARY, or what a whole report is about. Objections of one class to
    one result have one `kin`; `was` is the id of an earlier one that this one rewords.
    `of` is the word of the paper that a job of the Action is about, "" for the App.
    """

    key: str
    source: ObjectionSource
    digest: str
    state: CommentState = CommentState.OPEN
    kin: str = ""
    was: str = ""
    of: str = ""


def paper_word(paper: str) -> str:
    """A word, made from its folder, that tells a paper's comments from those of other papers."""
    return _digest(paper or ".")


def is_key(text: str) -> bool:
    """Whether a text has the form of a finding's id, as marks hold it."""
    return bool(_KEY.fullmatch(text))


def marked(  # noqa: PLR0913 - what a mark holds, each by its name
    words: str,
    *,
    key: str,
    source: ObjectionSource,
    state: CommentState = CommentState.OPEN,
    kin: str = "",
    was: str = "",
    of: str = "",
) -> str:
    """A comment's body: words that contain nothing like a mark, and the mark as the last line."""
    tail = f"id={key} by={source} h={_digest(shown_words(words))} state={state}"
    tail += (f" kin={kin}" if kin else "") + (f" was={was}" if was else "")
    tail += f" of={of}" if of else ""
    return _signed(words, f"finding {tail}")


def report_body(words: str, key: str) -> str:
    """The body of a report that stands alone; its mark holds no digest and no state."""
    return _signed(words, key)


def shown_words(words: str) -> str:
    """The words without hidden parts, so that nothing in them can pass for a mark."""
    return words.replace("<!--", "&lt;!--").strip()


def _signed(words: str, mark: str) -> str:
    return f"{shown_words(words)}\n\n<!-- pf-verify:{mark} -->"


def _hidden(body: str) -> str:
    """The mark at the end of a body; "" if there is none."""
    found = _HIDDEN.fullmatch(body.rstrip().rpartition("\n")[2].strip())
    return found["mark"] if found else ""


def read_mark(body: str) -> Mark | None:
    """The mark of a comment; None if it has none at its end, or if that marks an answer."""
    mark = _hidden(body)
    if _REPORT.fullmatch(mark):
        return Mark(key=mark, source=ObjectionSource.CHECK, digest=_digest(body.strip()))
    found = _FINDING.fullmatch(mark)
    if found is None:
        return None
    return Mark(
        key=found["key"],
        source=ObjectionSource(found["source"]),
        digest=found["digest"],
        state=CommentState(found["state"]),
        kin=found["kin"] or "",
        was=found["was"] or "",
        of=found["of"] or "",
    )


def answering(words: str, comment: int) -> str:
    """The body of an answer to a comment: words that forge no mark, and a mark with its id."""
    return _signed(words, f"answer to={comment}")


def answered_comment(body: str) -> int | None:
    """The id of the comment that a body answers; None if it has no such mark at its end."""
    found = _ANSWER.fullmatch(_hidden(body))
    return int(found["comment"]) if found else None


def without_mark(body: str) -> str:
    """A body without its mark."""
    return body.rstrip().rpartition("\n")[0].strip() if read_mark(body) else body.strip()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


_HUNK = re.compile(r"@@ -\d+(?:,(?P<old>\d+))? \+(?P<start>\d+)(?:,(?P<new>\d+))? @@")
_QUOTED = re.compile(r'\\([0-7]{3}|[abtnvfr"\\])')
_SIGNS = dict(zip('abtnvfr"\\', (7, 8, 9, 10, 11, 12, 13, 34, 92), strict=True))
_ABSENT = "/dev/null"
_BINARY, _AND, _DIFFER = "Binary files ", " and ", " differ"


@dataclass(frozen=True, slots=True)
class Diff:
    """Files that exist after a change, each with the spans of lines that the diff shows.

    A span is a first and a last line; files that are binary or only renamed have none.
    """

    files: Mapping[str, tuple[tuple[int, int], ...]]

    def anchor(self, path: str, first: int, last: int) -> tuple[int, int] | None:
        """The part of some lines that a comment can be attached to; None if there is none."""
        for start, end in self.files.get(path, ()):
            if first <= end and last >= start:
                return max(first, start), min(last, end)
        return None


def parse_hunks(text: str) -> Diff:
    """Parse the output of `git diff` with its usual three lines of context.

    Lines are counted as the hunks announce, so that no line of a paper is taken for a header.
    """
    files: dict[str, list[tuple[int, int]]] = {}
    path, old, new = None, 0, 0
    for line in text.split("\n"):
        if old > 0 or new > 0:
            old -= line[:1] in ("-", " ", "")
            new -= line[:1] in ("+", " ", "")
            continue
        if line.startswith("diff --git "):
            path = None
        elif named := _named(line):
            path = named
            files.setdefault(path, [])
        elif (hunk := _HUNK.match(line)) and path is not None:
            old, new = int(hunk["old"] or 1), int(hunk["new"] or 1)
            if new:
                files[path].append((int(hunk["start"]), int(hunk["start"]) + new - 1))
    return Diff({name: tuple(spans) for name, spans in files.items()})


def _named(line: str) -> str | None:
    """The new file that a header names, or None."""
    if line.startswith("rename to "):
        return _path(line.removeprefix("rename to "))
    if line.startswith(_BINARY) and line.endswith(_DIFFER):
        return _binary(line.removeprefix(_BINARY).removesuffix(_DIFFER))
    if not line.startswith("+++ "):
        return None
    path = _path(line.removeprefix("+++ ").removesuffix("\t"))
    return None if path == _ABSENT else path.removeprefix("b/")


def _binary(sides: str) -> str | None:
    """The new file; its name may contain " and ", but both sides have the same length.

    Not so if it was renamed as well, but then another header names it.
    """
    new = sides[(len(sides) + len(_AND)) // 2 :]
    if sides.startswith(f"{_ABSENT}{_AND}"):
        new = sides.removeprefix(f"{_ABSENT}{_AND}")
    path = _path(new)
    return path.removeprefix("b/") if path.startswith("b/") else None


def _path(written: str) -> str:
    """A path, unquoted: git quotes paths with unusual characters as C does."""
    if not (written.startswith('"') and written.endswith('"')):
        return written
    raw = written[1:-1].encode("utf-8", "surrogateescape").decode("latin-1")
    plain = _QUOTED.sub(lambda found: chr(_sign(found[1])), raw)
    return plain.encode("latin-1").decode("utf-8", "surrogateescape")


def _sign(code: str) -> int:
    return _SIGNS[code] if code in _SIGNS else int(code, 8) & 0xFF
