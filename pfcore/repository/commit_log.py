"""What a git history records: messages, changed lines, and the author of each line."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.repository.git import GitRepository

_FORM = "%H%x00%P%x00%cs%x00%B"
_HUNK = regex(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedCommit:
    """A commit in a log: its parents, its date by the committer's clock, its message."""

    commit: str
    parents: tuple[str, ...]
    day: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LineChange:
    """A hunk: the first and last changed line, counted from 1, on either side.

    A side without lines has the number of the line after which they would be.
    """

    old: tuple[int, int]
    new: tuple[int, int]
    removed: tuple[str, ...]
    added: tuple[str, ...]


def logged_commits(repository: GitRepository, since: str | None = None) -> list[LoggedCommit]:
    """The commits that led to HEAD but not to `since`, latest first, without merges."""
    fields = iter(repository.log(_FORM, since))
    return [
        LoggedCommit(commit=commit, parents=tuple(parents.split()), day=day, message=message)
        for commit, parents, day, message in zip(fields, fields, fields, fields, strict=True)
    ]


def line_changes(patch: str) -> Iterator[LineChange]:
    """The hunks of a patch of one file, made without context lines."""
    lines = patch.split("\n")
    for number, line in enumerate(lines):
        if not (found := _HUNK.match(line)):
            continue
        start, count, begin, size = (1 if item is None else int(item) for item in found.groups())
        # "\ No newline at end of file" may follow either side.
        body = [item for item in lines[number + 1 :][: count + size + 2] if item[:1] != "\\"]
        yield LineChange(
            old=(start, start + max(count, 1) - 1),
            new=(begin, begin + max(size, 1) - 1),
            removed=tuple(item[1:] for item in body[:count]),
            added=tuple(item[1:] for item in body[count : count + size]),
        )


class BlamedLine(NamedTuple):
    """A line, its author's name and its commit; both are "" if unknown."""

    text: str
    author: str
    commit: str


def blamed_lines(repository: GitRepository, commit: str, path: str) -> Iterator[BlamedLine]:
    """The lines of a file at a commit, in order; none if the file does not exist.

    A line older than the history of a shallow clone has no author.
    """
    author = origin = ""
    is_boundary = False
    for line in repository.blame(commit, path).split("\n"):
        if line.startswith("\t"):
            known = ("", "") if is_boundary and repository.is_shallow else (author, origin)
            yield BlamedLine(line[1:], *known)
            author, origin, is_boundary = "", "", False
        elif not origin:
            origin = line.partition(" ")[0]
        elif line.startswith("author "):
            author = line.removeprefix("author ")
        elif line == "boundary":
            is_boundary = True
