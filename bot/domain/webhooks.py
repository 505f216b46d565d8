"""From a delivery's bytes to an event, or to the reason for none.

Nothing in a payload can make this raise. Whatever is not in GitHub's format is refused.
"""

import re
from dataclasses import replace
from typing import NamedTuple

from pydantic import ValidationError

from bot.domain import chat_commands
from bot.domain.events import (
    ActionPressed,
    BranchPushed,
    CheckRequested,
    Commented,
    GroupQueued,
    Ignored,
    InstallationAction,
    InstallationChanged,
    Outcome,
    PullAction,
    PullChanged,
    RefusedDelivery,
    RepositoryAction,
    RepositoryChanged,
    RepositoryPlace,
)
from bot.domain.webhook_payloads import (
    AccountPayload,
    CheckPayload,
    CheckRunPayload,
    CheckSuite,
    CommentPayload,
    EditedComment,
    EditedFields,
    InstallationChange,
    IssueComment,
    LabelChange,
    MergeGroup,
    PayloadAction,
    Placed,
    PressedPayload,
    PullRequestEdit,
    PullRequestPayload,
    Push,
    RepositoryChange,
    ReviewComment,
    ReviewPayload,
    is_commit,
)
from pfcore.cli.github_actions import DO_NOT_READ, says_do_not_read

_BRANCH = "refs/heads/"
QUEUE = "gh-readonly-queue/"
"""The start of the names of a merge queue's branches."""
_QUEUED = re.compile(
    rf"{QUEUE}(?P<target>.+)/pr-[0-9]+-(?P<base>[0-9a-f]{{40}}(?:[0-9a-f]{{24}})?)"
)


def parse_event(name: str, body: bytes, me: str = "") -> Outcome:
    """The event of a delivery; `name` is the header X-GitHub-Event.

    `me` is the name by which people mention the App, "" if unknown.
    """
    if not is_of_interest(name):
        return Ignored(reason="event ignored")
    try:
        action = PayloadAction.model_validate_json(body).action
        if name in _TALKS:
            return _TALKS[name](action, body, me)
        return _READERS[name](action, body)
    except ValidationError as error:
        return RefusedDelivery(reason=_said(error))


def is_of_interest(name: str) -> bool:
    """Whether an event of this name can concern us."""
    return name in _READERS or name in _TALKS


def _pull(action: str, body: bytes) -> Outcome:
    if action not in set(PullAction):
        return Ignored(reason="action ignored")
    if action == PullAction.EDITED:
        changes = PullRequestEdit.model_validate_json(body).changes
        if changes.base is None and not _is_about_reading(body, changes):
            return Ignored(reason="edit without a new base")
    is_label = action in (PullAction.LABELED, PullAction.UNLABELED)
    if is_label and LabelChange.model_validate_json(body).label.name != DO_NOT_READ:
        return Ignored(reason="label ignored")
    found = PullRequestPayload.model_validate_json(body)
    pull = found.pull_request
    return PullChanged(
        place=_place(found),
        number=pull.number,
        action=PullAction(action),
        head=pull.head.sha,
        base=pull.base.sha,
        base_ref=pull.base.ref,
        is_draft=pull.draft,
        is_fork=pull.is_fork(found.repository.id),
        is_stranger=pull.is_stranger(found.repository.id),
        author=pull.user.login if pull.user else "",
        sender=found.sender.login,
        updated=pull.updated_at.timestamp(),
    )


def _is_about_reading(body: bytes, changes: EditedFields) -> bool:
    """Whether an edit adds or removes the line that keeps a pull request from being read."""
    if changes.body is None:
        return False
    now = PullRequestPayload.model_validate_json(body).pull_request
    return says_do_not_read(now.body) != says_do_not_read(changes.body.before)


def _run(action: str, body: bytes) -> Outcome:
    if action == "requested_action":
        return _pressed(PressedPayload.model_validate_json(body))
    if action != "rerequested":
        return Ignored(reason="action ignored")
    found = CheckRunPayload.model_validate_json(body)
    return _requested(found, found.check_run, found.check_run.name)


def _suite(action: str, body: bytes) -> Outcome:
    if action != "rerequested":
        return Ignored(reason="action ignored")
    found = CheckSuite.model_validate_json(body)
    return _requested(found, found.check_suite, None)


def _pressed(found: PressedPayload) -> ActionPressed | Ignored:
    if found.sender.type == "Bot":
        return Ignored(reason="a button pressed by a program")
    return ActionPressed(
        place=_place(found),
        app=found.check_run.app.id,
        head=found.check_run.head_sha,
        external_id=found.check_run.external_id or "",
        identifier=found.requested_action.identifier,
        sender=found.sender.login,
    )


def _requested(found: Placed, check: CheckPayload, name: str | None) -> CheckRequested:
    pushed = check.check_suite or check
    return CheckRequested(
        place=_place(found),
        app=check.app.id,
        head=check.head_sha,
        name=name,
        external_id=check.external_id or None,
        pulls=tuple(pull.number for pull in check.pull_requests),
        branch=pushed.head_branch,
        before=pushed.before if is_commit(pushed.before or "") else None,
        sender=found.sender.login,
    )


_SAID = frozenset(("created", "submitted", "edited"))


class _HeardBy(NamedTuple):
    """How to read a comment: the App's name, and the edit that changed it; None: it is new."""

    me: str
    edit: EditedComment | None


def _hearing(action: str, body: bytes, me: str) -> _HeardBy:
    edit = EditedComment.model_validate_json(body) if action == "edited" else None
    return _HeardBy(me, edit)


def _issue_comment(action: str, body: bytes, me: str) -> Outcome:
    if action not in _SAID:
        return Ignored(reason="action ignored")
    found = IssueComment.model_validate_json(body)
    if found.issue.pull_request is None:
        return Ignored(reason="comment on an issue")
    issue = found.issue
    return _commented(found, found.comment, issue.number, issue.user, _hearing(action, body, me))


def _review_comment(action: str, body: bytes, me: str) -> Outcome:
    if action not in _SAID:
        return Ignored(reason="action ignored")
    found = ReviewComment.model_validate_json(body)
    pull, said = found.pull_request, found.comment
    made = _commented(found, said, pull.number, pull.user, _hearing(action, body, me))
    if isinstance(made, Ignored):
        return made
    # The commit that the author looked at is unknown after an edit, which may come much later.
    is_answer = made.is_edit or said.in_reply_to_id is not None
    return replace(made, is_review=True, head=None if is_answer else said.original_commit_id)


def _review(action: str, body: bytes, me: str) -> Outcome:
    """The body of a review, which can be answered only on the pull request as a whole."""
    if action not in _SAID:
        return Ignored(reason="action ignored")
    found = ReviewPayload.model_validate_json(body)
    pull, review = found.pull_request, found.review
    said = CommentPayload(
        id=review.id,
        body=review.body or "",
        user=review.user,
        author_association=review.author_association,
        created_at=review.submitted_at or pull.updated_at,
    )
    made = _commented(found, said, pull.number, pull.user, _hearing(action, body, me))
    if isinstance(made, Ignored):
        return made
    head = None if made.is_edit else review.commit_id
    return replace(made, is_mute=True, head=head)


def _commented(
    found: Placed,
    comment: CommentPayload,
    number: int,
    author: AccountPayload | None,
    heard: _HeardBy,
) -> Commented | Ignored:
    """The new commands in a comment, by its author or by the person who edited it."""
    # Programs quote one another, and our own comments mention the commands.
    if found.sender.type == "Bot" or comment.user is None or comment.user.type == "Bot":
        return Ignored(reason="comment by a bot")
    me, edit = heard
    said = chat_commands.parse_commands(comment.body, me)
    if edit is not None:
        was = edit.changes.body
        before = comment.body if was is None else was.before or ""
        known = chat_commands.parse_commands(before, me)
        said = tuple(item for item in said if item not in known)
    if not said:
        return Ignored(reason="comment without commands")
    speaker = comment.user.login if edit is None else found.sender.login
    moment = comment.created_at if edit is None else comment.updated_at or comment.created_at
    is_own = speaker == comment.user.login
    return Commented(
        place=_place(found),
        number=number,
        comment=comment.id,
        is_review=False,
        commands=said,
        sender=speaker,
        association=comment.author_association if is_own else "NONE",
        is_author=author is not None and author.login == speaker,
        head=None,
        written=moment.timestamp(),
        is_edit=edit is not None,
    )


def _push(_: str, body: bytes) -> Outcome:
    found = Push.model_validate_json(body)
    if found.deleted or not found.ref.startswith(_BRANCH):
        return Ignored(reason="push without a branch")
    branch = found.ref.removeprefix(_BRANCH)
    if branch.startswith(QUEUE):
        return _queued(found, branch)
    return BranchPushed(
        place=_place(found),
        branch=branch,
        before=found.before,
        after=found.after,
        is_default=branch == found.repository.default_branch,
        sender=found.sender.login,
    )


def _queued(found: Push, branch: str) -> Outcome:
    """The request in a push to a merge queue's branch, whose name holds the base commit.

    The queue also sends an event of its own, but not to all Apps.
    """
    named = _QUEUED.fullmatch(branch)
    if named is None:
        return Ignored(reason="push to another branch of a merge queue")
    return GroupQueued(
        place=_place(found),
        head=found.after,
        branch=branch,
        base=named["base"],
        base_ref=named["target"],
        sender=found.sender.login,
    )


def _group(action: str, body: bytes) -> Outcome:
    if action != "checks_requested":
        return Ignored(reason="action ignored")
    found = MergeGroup.model_validate_json(body)
    group = found.merge_group
    return GroupQueued(
        place=_place(found),
        head=group.head_sha,
        branch=group.head_ref.removeprefix(_BRANCH),
        base=group.base_sha,
        base_ref=group.base_ref.removeprefix(_BRANCH),
        sender=found.sender.login,
    )


def _installation(action: str, body: bytes) -> Outcome:
    if action not in set(InstallationAction):
        return Ignored(reason="action ignored")
    found = InstallationChange.model_validate_json(body)
    return InstallationChanged(
        installation=found.installation.id,
        account=found.installation.account.login,
        action=InstallationAction(action),
        removed=tuple(repository.id for repository in found.repositories_removed),
        added=tuple(
            RepositoryPlace(
                installation=found.installation.id,
                repository=repository.full_name,
                repository_id=repository.id,
            )
            for repository in (*found.repositories_added, *found.repositories)
        ),
    )


def _repository(action: str, body: bytes) -> Outcome:
    if action not in set(RepositoryAction):
        return Ignored(reason="action ignored")
    found = RepositoryChange.model_validate_json(body)
    if action == RepositoryAction.EDITED and found.changes.default_branch is None:
        return Ignored(reason="edit of the text only")
    return RepositoryChanged(place=_place(found), action=RepositoryAction(action))


def _place(found: Placed) -> RepositoryPlace:
    return RepositoryPlace(
        installation=found.installation.id,
        repository=found.repository.full_name,
        repository_id=found.repository.id,
    )


def _said(error: ValidationError) -> str:
    """How a payload departs from its form; names only our keys, nothing that was sent."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return "the body is not JSON"
    where = ".".join(str(step) for step in first["loc"])
    return f"{where or 'the body'} is not in GitHub's format"


_READERS = {
    "pull_request": _pull,
    "check_run": _run,
    "check_suite": _suite,
    "push": _push,
    "merge_group": _group,
    "installation": _installation,
    "installation_repositories": _installation,
    "repository": _repository,
}
_TALKS = {
    "issue_comment": _issue_comment,
    "pull_request_review": _review,
    "pull_request_review_comment": _review_comment,
}
