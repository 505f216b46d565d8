"""The events that GitHub sends, as values."""

from dataclasses import dataclass
from enum import StrEnum

from bot.domain.chat_commands import Command, Misread


class PullAction(StrEnum):
    """What happened to a pull request; `edited`: its base or its description changed.

    `labeled` and `unlabeled`: the label that keeps it from being read was added or removed.
    """

    OPENED = "opened"
    EDITED = "edited"
    SYNCHRONIZE = "synchronize"
    REOPENED = "reopened"
    READY = "ready_for_review"
    LABELED = "labeled"
    UNLABELED = "unlabeled"
    CLOSED = "closed"


class InstallationAction(StrEnum):
    """What happened to an installation; `added` and `removed`: some of its repositories.

    `accepted`: its owner granted the permissions that the App now asks for.
    """

    CREATED = "created"
    DELETED = "deleted"
    SUSPEND = "suspend"
    UNSUSPEND = "unsuspend"
    ADDED = "added"
    REMOVED = "removed"
    ACCEPTED = "new_permissions_accepted"


class RepositoryAction(StrEnum):
    """What happened to a repository; `edited`: another branch became the default.

    An archived repository cannot be written to, so nothing happens there until it is unarchived.
    """

    RENAMED = "renamed"
    TRANSFERRED = "transferred"
    EDITED = "edited"
    PRIVATIZED = "privatized"
    PUBLICIZED = "publicized"
    UNARCHIVED = "unarchived"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryPlace:
    """Where something happened; `repository` is `owner/name`, which may change, unlike its id."""

    installation: int
    repository: str
    repository_id: int

    @property
    def account(self) -> str:
        """The login of the repository's owner."""
        return self.repository.partition("/")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class PullChanged:
    """A pull request has something new to review, or no longer needs a review.

    `updated` is a time when it had this head, in seconds of GitHub's clock. `is_stranger`: it is
    from a fork, by an author who has no part in the repository.
    """

    place: RepositoryPlace
    number: int
    action: PullAction
    head: str
    base: str
    base_ref: str
    is_draft: bool
    is_fork: bool
    author: str
    is_stranger: bool
    sender: str
    updated: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequested:
    """Someone pressed "re-run"; `name` None means all checks. `app` is the App that owns them.

    `pulls` is empty for forks; the head then identifies their pull requests. `branch` is where
    the commit was pushed to, and `before` its earlier tip as in `BranchPushed`; None: unknown.
    """

    place: RepositoryPlace
    app: int
    head: str
    name: str | None
    external_id: str | None
    pulls: tuple[int, ...]
    branch: str | None = None
    before: str | None = None
    sender: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionPressed:
    """Someone pressed a button beside a check; `app` owns the check, `head` is its commit."""

    place: RepositoryPlace
    app: int
    head: str
    external_id: str
    identifier: str
    sender: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Commented:
    """A person addressed the App on a pull request; `written` is in seconds of GitHub's clock.

    `head` is the commit commented on, known only if the comment began a thread beside a line or
    is the body of a review. `is_edit`: a comment was edited, and `sender` is the editor.
    `is_mute`: there is nothing that can have a reaction.
    """

    place: RepositoryPlace
    number: int
    comment: int
    is_review: bool
    commands: tuple[Command | Misread, ...]
    sender: str
    association: str
    is_author: bool
    head: str | None
    written: float
    is_edit: bool = False
    is_mute: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchPushed:
    """A branch moved; `before` is all zeros if it is new."""

    place: RepositoryPlace
    branch: str
    before: str
    after: str
    is_default: bool
    sender: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupQueued:
    """A merge queue asks about the commit that it made on top of another one.

    `branch` is the queue's own, `base_ref` the one that the group will be merged into.
    """

    place: RepositoryPlace
    head: str
    branch: str
    base: str
    base_ref: str
    sender: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationChanged:
    """The App was installed or removed, or gained or lost repositories, given by their ids."""

    installation: int
    account: str
    action: InstallationAction
    removed: tuple[int, ...]
    added: tuple[RepositoryPlace, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryChanged:
    """A repository's name, account, default branch or visibility changed, or it came or went."""

    place: RepositoryPlace
    action: RepositoryAction


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """An event that does not concern us."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedDelivery:
    """A delivery that is not in GitHub's format; the reason quotes nothing of it."""

    reason: str


Event = (
    PullChanged
    | CheckRequested
    | ActionPressed
    | Commented
    | BranchPushed
    | GroupQueued
    | InstallationChanged
    | RepositoryChanged
)
Outcome = Event | Ignored | RefusedDelivery
