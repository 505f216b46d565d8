"""What the fake keeps: repositories with their pull requests, comments, checks and people."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from tests.bot.fake_github.content import Bare, Content, Spans

numbers: Iterator[int] = count(1_001)
"""Ids, as GitHub gives them: no two things of the fake have the same."""

FULL = {
    "checks": "write",
    "contents": "read",
    "issues": "write",
    "merge_queues": "read",
    "metadata": "read",
    "pull_requests": "write",
}
"""The permissions that an installation grants unless a test says otherwise."""


def moment(second: int) -> str:
    """A moment, as GitHub writes it."""
    return f"2026-01-02T{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}Z"


def written(seconds: float) -> str:
    """A moment by a clock, as GitHub writes it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass
class Comment:
    """A comment on a pull request: on the whole, on a file or on a line."""

    id: int
    number: int
    author: str
    body: str
    reactions: list[tuple[str, str]] = field(default_factory=list)
    path: str | None = None
    line: int | None = None
    start_line: int | None = None
    commit: str = ""
    original_line: int | None = None
    reply_to: int | None = None
    review: int | None = None
    is_resolved: bool = False
    is_minimised: bool = False

    @property
    def subject(self) -> str:
        """What a review comment stands on."""
        return "file" if self.original_line is None else "line"


@dataclass
class Issue:
    """An issue that is no pull request."""

    number: int
    author: str
    title: str
    body: str
    labels: list[str]
    state: str = "open"


@dataclass
class Review:
    """A review: words, and comments that name it."""

    id: int
    number: int
    author: str
    body: str
    commit: str
    event: str


@dataclass
class Run:
    """A check run."""

    id: int
    app: int
    name: str
    head: str
    status: str = "queued"
    conclusion: str | None = None
    external_id: str = ""
    details_url: str | None = None
    output: dict[str, Any] = field(default_factory=dict)
    annotations: list[dict[str, Any]] = field(default_factory=list)
    actions: list[dict[str, str]] = field(default_factory=list)


@dataclass
class Pull:
    """A pull request; `branch` is where its head comes from, `fork` whose fork, if any."""

    number: int
    author: str
    branch: str
    base_ref: str
    base: str
    head: str
    fork: str | None = None
    is_open: bool = True
    is_draft: bool = False
    is_merged: bool = False
    labels: list[str] = field(default_factory=list)
    body: str = ""
    shown: dict[str, Spans] | None = None
    """The lines that its diff shows; None: as git says."""


@dataclass
class Repository:
    """One repository; without content where its commits are only names."""

    id: int
    name: str
    installation: int | None
    git: Bare | None = None
    default_branch: str = "main"
    people: dict[str, str] = field(default_factory=dict)
    tips: dict[str, str] = field(default_factory=dict)
    merge_bases: dict[tuple[str, str], str] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    comments: list[Comment] = field(default_factory=list)
    remarks: list[Comment] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    pushes: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def summaries(self) -> "list[Comment | Review]":
        """What is said of whole pull requests: comments, and the words of reviews."""
        return [*self.comments, *(item for item in self.reviews if item.body)]

    @property
    def owner(self) -> str:
        """The account that it belongs to."""
        return self.name.partition("/")[0]

    def commit(
        self, files: Mapping[str, Content], *, on: str = "main", message: str = "a change"
    ) -> str:
        """Commit changes of files to a branch; a new branch parts from the default one."""
        assert self.git is not None
        before = self.tip(on) or self.tip(self.default_branch)
        made = self.git.commit(files, (before,) if before else (), message)
        self.point(on, made)
        return made

    def point(self, branch: str, commit: str) -> None:
        """Let a branch be at a commit, whatever it was at before."""
        self.tips[branch] = commit
        if self.git is not None:
            self.git.point(f"refs/heads/{branch}", commit)

    def tip(self, branch: str) -> str:
        """The commit that a branch is at; "" if there is no such branch."""
        known = self.git.tip(branch) if self.git is not None else ""
        return known or self.tips.get(branch, "")

    def pushed(self, head: str) -> dict[str, Any]:
        """What the checks of a commit say of the push that brought it; nothing of a fork's."""
        found = [item for item in self.pushes if item[2] == head]
        branch, before, _ = found[0] if found else (None, None, head)
        return {"head_branch": branch, "before": before, "after": head}

    def merge_base(self, base: str, head: str) -> str | None:
        """Where two lines of commits parted."""
        known = self.merge_bases.get((base, head))
        if known is not None or self.git is None:
            return known
        return self.git.merge_base(base, head)

    def shown(self, pull: Pull) -> dict[str, Spans]:
        """The lines that the diff of a pull request shows."""
        if pull.shown is not None:
            return pull.shown
        return self.git.shown(pull.base, pull.head) if self.git is not None else {}

    def is_part_of(self, pull: Pull, commit: str) -> bool:
        """Whether a commit is the head of a pull request, or came before it."""
        if commit == pull.head or self.git is None:
            return commit == pull.head
        return self.git.has(commit) and self.merge_base(commit, pull.head) == commit

    def reply_of(self, comment: int) -> list[Comment]:
        """The answers in the thread that a review comment begins."""
        return [item for item in self.remarks if item.reply_to == comment]


@dataclass
class Installation:
    """The App on an account."""

    id: int
    account: str
    permissions: dict[str, str] = field(default_factory=lambda: dict(FULL))
    is_suspended: bool = False


@dataclass(frozen=True)
class Token:
    """What a token of an installation opens; `repositories` None: all of it."""

    installation: int
    permissions: Mapping[str, str]
    repositories: frozenset[str] | None
    expires: float


@dataclass
class Sent:
    """One attempt at a delivery, with what was answered; 0: nothing was."""

    id: int
    guid: str
    event: str
    payload: dict[str, Any]
    body: bytes
    headers: dict[str, str]
    delivered: float
    status: int = 0
    is_again: bool = False


def new_repository(folder: Path | None, name: str, installation: int | None) -> Repository:
    """A repository, empty; with commits where there is a folder for them."""
    git = Bare(folder / f"{name}.git") if folder is not None else None
    return Repository(next(numbers), name, installation, git)
