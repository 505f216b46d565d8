"""What a history says: messages, lines that became others, and who wrote a line."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.repository.git import GitRepository

_FORM = "%H%x00%P%x00%cs%x00%B"
_HUNK = regex(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedCommit:
    """A commit as a log has it: its parents, the day by its committer's clock, its message."""

    commit: str
    parents: tuple[str, ...]
    day: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LineChange:
    """Lines of a file that became others: first and last, from 1, on either side.

    Where one side has no lines, its numbers are those of the line behind which they would stand.
    """

    old: tuple[int, int]
    new: tuple[int, int]
    removed: tuple[str, ...]
    added: tuple[str, ...]


def logged_commits(repository: GitRepository, since: str | None = None) -> list[LoggedCommit]:
    """The commits that led to HEAD, merges left out, the latest first; `since` is excluded."""
    fields = iter(repository.log(_FORM, since))
    return [
        LoggedCommit(commit=commit, parents=tuple(parents.split()), day=day, message=message)
        for commit, parents, day, message in zip(fields, fields, fields, fields, strict=True)
    ]


def line_changes(patch: str) -> Iterator[LineChange]:
    """The hunks of a patch of one file that has no lines around them."""
    lines = patch.split("\n")
    for number, line in enumerate(lines):
        if not (found := _HUNK.match(line)):
            continue
        start, count, begin, size = (1 if item is None else int(item) for item in found.groups())
        # A note that a file has no newline at its end may stand behind either side.
        body = [item for item in lines[number + 1 :][: count + size + 2] if item[:1] != "\\"]
        yield LineChange(
            old=(start, start + max(count, 1) - 1),
            new=(begin, begin + max(size, 1) - 1),
            removed=tuple(item[1:] for item in body[:count]),
            added=tuple(item[1:] for item in body[count : count + size]),
        )


class BlamedLine(NamedTuple):
    """A line, its author's name, and the commit; "" for both where nobody knows."""

    text: str
    author: str
    commit: str


def blamed_lines(repository: GitRepository, commit: str, path: str) -> Iterator[BlamedLine]:
    """The lines of a file at a commit, in order; none where the file is not there.

    A line that is older than a shallow clone goes back has no author here.
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
