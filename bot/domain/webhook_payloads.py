"""The parts of GitHub's webhook payloads that are read, as models that validate their form.

GitHub may add keys; unknown ones are ignored. Everything that later becomes an address, a path, an
argument or a key must match the form given here.
"""

import re
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StrictBool, StrictInt

from pfcore.cli.github_actions import WRITERS


class _PayloadModel(BaseModel):
    """Keys that are not named are ignored; no value is converted."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


Login = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,100}(\[bot\])?\z")]


Word = Annotated[str, Field(max_length=100)]


class AccountPayload(_PayloadModel):
    """A person, an organisation or a program."""

    login: Login
    type: Word = "User"


Id = Annotated[StrictInt, Field(gt=0, lt=1 << 63)]


class Installation(_PayloadModel):
    """An installation as most payloads name it."""

    id: Id


# At least one character other than a dot: "owner/.." would lead elsewhere in an address.
_NAME = r"[A-Za-z0-9._-]{0,100}[A-Za-z0-9_-][A-Za-z0-9._-]{0,100}"


FullName = Annotated[str, Field(max_length=201, pattern=rf"^[A-Za-z0-9_-]{{1,100}}/{_NAME}\z")]


class RepositoryPayload(_PayloadModel):
    """The repository that a delivery is about."""

    id: Id
    full_name: FullName


class Placed(_PayloadModel):
    """The keys of every payload about a repository."""

    installation: Installation
    repository: RepositoryPayload
    sender: AccountPayload


_HEX = r"[0-9a-f]{40}([0-9a-f]{24})?"


Commit = Annotated[str, Field(pattern=rf"^{_HEX}\z")]


class _Numbered(_PayloadModel):
    """A pull request by its number."""

    number: Id


class _CheckOwner(_PayloadModel):
    """The App that made a check."""

    id: Id


# A branch may have nearly any name; it is data, and never part of a command.
Name = Annotated[str, Field(min_length=1, max_length=1000, pattern=r"^[^\x00-\x1f\x7f]*\z")]


class _SuitePush(_PayloadModel):
    """The subject of a check suite: the branch, and its earlier tip, if GitHub says it."""

    head_branch: Name | None = None
    before: Word | None = None


class CheckPayload(_SuitePush):
    """A check run, which names its suite, or a suite; `pull_requests` is empty for forks."""

    id: Id
    head_sha: Commit
    app: _CheckOwner
    name: Annotated[str, Field(max_length=200)] | None = None
    external_id: Annotated[str, Field(max_length=200)] | None = None
    check_suite: _SuitePush | None = None
    pull_requests: Annotated[list[_Numbered], Field(max_length=100)] = []


Body = Annotated[str, Field(max_length=300_000)]


class CommentPayload(_PayloadModel):
    """A comment and its author; `user` is None if the account is gone."""

    id: Id
    body: Body
    user: AccountPayload | None = None
    author_association: Word = "NONE"
    created_at: AwareDatetime
    updated_at: AwareDatetime | None = None


class Branched(RepositoryPayload):
    """A repository with the branch that a push is compared with."""

    default_branch: Name


class _Fork(_PayloadModel):
    """The repository of a head."""

    id: Id


class Tip(_PayloadModel):
    """One side of a pull request; `repo` is None if a fork was deleted."""

    sha: Commit
    ref: Name
    repo: _Fork | None = None


class _PullLabel(_PayloadModel):
    """A label."""

    name: Annotated[str, Field(max_length=1000)] = ""


class LabelChange(_PayloadModel):
    """The key that `pull_request` has in addition if a label was added or removed."""

    label: _PullLabel


class PullPayload(_PayloadModel):
    """A pull request."""

    number: Id
    draft: StrictBool = False
    head: Tip
    base: Tip
    user: AccountPayload | None = None
    author_association: Word = "NONE"
    labels: Annotated[list[_PullLabel], Field(max_length=1000)] = []
    body: Body | None = None

    def is_fork(self, repository: int | None) -> bool:
        """Whether its head is outside of a repository, which is given by its id."""
        return self.head.repo is None or self.head.repo.id != repository

    def is_stranger(self, repository: int | None) -> bool:
        """Whether it is from a fork, by an author who has no part in the repository.

        GitHub reports members who hide their membership as strangers, too.
        """
        return self.is_fork(repository) and self.author_association not in WRITERS


class Changed(PullPayload):
    """A pull request as it was after an event."""

    updated_at: AwareDatetime


class PullRequestPayload(Placed):
    """`pull_request`."""

    pull_request: Changed


class _Before(_PayloadModel):
    """The text before an edit."""

    before: Body | None = Field(default=None, alias="from")


class EditedFields(_PayloadModel):
    """The fields that an edit has changed, with their former values."""

    base: dict[str, object] | None = None
    body: _Before | None = None


class PullRequestEdit(_PayloadModel):
    """The key that `pull_request` has in addition if it was edited."""

    changes: EditedFields


class CheckRunPayload(Placed):
    """`check_run`."""

    check_run: CheckPayload


class _PressedAction(_PayloadModel):
    """A button."""

    identifier: Word


class PressedPayload(CheckRunPayload):
    """`check_run` if a button was pressed."""

    requested_action: _PressedAction


class CheckSuite(Placed):
    """`check_suite`."""

    check_suite: CheckPayload


class ReviewCommentPayload(CommentPayload):
    """A comment beside a line; a reply belongs to the commit of the comment that it answers."""

    original_commit_id: Commit | None = None
    in_reply_to_id: Id | None = None


class _Issue(_Numbered):
    """An issue, or a pull request if it has that key."""

    pull_request: dict[str, object] | None = None
    user: AccountPayload | None = None


class IssueComment(Placed):
    """`issue_comment`."""

    comment: CommentPayload
    issue: _Issue


class EditedComment(_PayloadModel):
    """The key that comments have in addition if they were edited."""

    changes: EditedFields


class _ReviewWords(_PayloadModel):
    """A review as a whole."""

    id: Id
    body: Body | None = None
    user: AccountPayload | None = None
    author_association: Word = "NONE"
    commit_id: Commit | None = None
    submitted_at: AwareDatetime | None = None


class ReviewPayload(Placed):
    """`pull_request_review`."""

    review: _ReviewWords
    pull_request: Changed


class ReviewComment(Placed):
    """`pull_request_review_comment`."""

    comment: ReviewCommentPayload
    pull_request: PullPayload


class Push(Placed):
    """`push`; a deletion has no new commit."""

    repository: Branched
    ref: Name
    before: Commit
    after: Commit
    deleted: StrictBool = False


class _Group(_PayloadModel):
    """The commit that a merge queue has made."""

    head_sha: Commit
    head_ref: Name
    base_sha: Commit
    base_ref: Name


class MergeGroup(Placed):
    """`merge_group`."""

    merge_group: _Group


class _Installed(Installation):
    """An installation with its account."""

    account: AccountPayload


class InstallationChange(_PayloadModel):
    """`installation` and `installation_repositories`."""

    installation: _Installed
    repositories_removed: Annotated[list[RepositoryPayload], Field(max_length=10_000)] = []
    repositories_added: Annotated[list[RepositoryPayload], Field(max_length=10_000)] = []
    repositories: Annotated[list[RepositoryPayload], Field(max_length=10_000)] = []


class _RepositoryEdit(_PayloadModel):
    """The changes of a repository's edit that matter here."""

    default_branch: dict[str, object] | None = None


class RepositoryChange(Placed):
    """`repository`; only some actions have details."""

    changes: _RepositoryEdit = _RepositoryEdit()


class PayloadAction(_PayloadModel):
    """The action of a payload, read first, because the form of the rest depends on it."""

    action: Word = ""


def is_commit(word: str) -> bool:
    """Whether a word can be a commit's hash; checks do not always have one."""
    return re.fullmatch(_HEX, word) is not None
