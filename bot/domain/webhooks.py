"""From a delivery's bytes to an event, or to the reason for none.

Nothing that a payload says raises. Whatever has not the form that GitHub gives it is refused.
"""

from dataclasses import replace

from pydantic import ValidationError

from bot.domain import chat_commands, payloads
from bot.domain.events import (
    BranchPushed,
    CheckRequested,
    Commented,
    Ignored,
    InstallationAction,
    InstallationChanged,
    Outcome,
    PullAction,
    PullChanged,
    RefusedDelivery,
    RepositoryPlace,
)

_BRANCH = "refs/heads/"


def parse_event(name: str, body: bytes) -> Outcome:
    """The event of a delivery; `name` is what the header X-GitHub-Event says."""
    reader = _READERS.get(name)
    if reader is None:
        return Ignored(reason="an event of no interest")
    try:
        action = payloads.PayloadAction.model_validate_json(body).action
        return reader(action, body)
    except ValidationError as error:
        return RefusedDelivery(reason=_said(error))


def is_of_interest(name: str) -> bool:
    """Whether anything in an event of this name may concern us."""
    return name in _READERS


def _pull(action: str, body: bytes) -> Outcome:
    if action not in set(PullAction):
        return Ignored(reason="an action of no interest")
    if action == PullAction.EDITED:
        changes = payloads.PullRequestEdit.model_validate_json(body).changes
        if changes.base is None:
            return Ignored(reason="an edit that leaves the base")
    found = payloads.PullRequestPayload.model_validate_json(body)
    pull = found.pull_request
    return PullChanged(
        place=_place(found),
        number=pull.number,
        action=PullAction(action),
        head=pull.head.sha,
        base=pull.base.sha,
        base_ref=pull.base.ref,
        is_draft=pull.draft,
        is_fork=pull.head.repo is None or pull.head.repo.id != found.repository.id,
        sender=found.sender.login,
        updated=pull.updated_at.timestamp(),
    )


def _run(action: str, body: bytes) -> Outcome:
    if action != "rerequested":
        return Ignored(reason="an action of no interest")
    found = payloads.CheckRunPayload.model_validate_json(body)
    return _requested(found, found.check_run, found.check_run.name)


def _suite(action: str, body: bytes) -> Outcome:
    if action != "rerequested":
        return Ignored(reason="an action of no interest")
    found = payloads.CheckSuite.model_validate_json(body)
    return _requested(found, found.check_suite, None)


def _requested(
    found: payloads.Placed, check: payloads.CheckPayload, name: str | None
) -> CheckRequested:
    pushed = check.check_suite or check
    return CheckRequested(
        place=_place(found),
        app=check.app.id,
        head=check.head_sha,
        name=name,
        external_id=check.external_id or None,
        pulls=tuple(pull.number for pull in check.pull_requests),
        branch=pushed.head_branch,
        before=pushed.before if payloads.is_commit(pushed.before or "") else None,
        sender=found.sender.login,
    )


def _issue_comment(action: str, body: bytes) -> Outcome:
    if action != "created":
        return Ignored(reason="an action of no interest")
    found = payloads.IssueComment.model_validate_json(body)
    if found.issue.pull_request is None:
        return Ignored(reason="a comment on an issue")
    return _commented(found, found.comment, found.issue.number, found.issue.user)


def _review_comment(action: str, body: bytes) -> Outcome:
    if action != "created":
        return Ignored(reason="an action of no interest")
    found = payloads.ReviewComment.model_validate_json(body)
    pull, said = found.pull_request, found.comment
    made = _commented(found, said, pull.number, pull.user)
    if isinstance(made, Ignored):
        return made
    head = None if said.in_reply_to_id else said.original_commit_id
    return replace(made, is_review=True, head=head)


def _commented(
    found: payloads.Placed,
    comment: payloads.CommentPayload,
    number: int,
    author: payloads.AccountPayload | None,
) -> Commented | Ignored:
    # Programs quote one another, and our own comments name the commands.
    if found.sender.type == "Bot" or comment.user is None or comment.user.type == "Bot":
        return Ignored(reason="a program's comment")
    said = chat_commands.parse_commands(comment.body)
    if not said:
        return Ignored(reason="a comment without commands")
    return Commented(
        place=_place(found),
        number=number,
        comment=comment.id,
        is_review=False,
        commands=said,
        sender=comment.user.login,
        association=comment.author_association,
        is_author=author is not None and author.login == comment.user.login,
        head=None,
        written=comment.created_at.timestamp(),
    )


def _push(_: str, body: bytes) -> Outcome:
    found = payloads.Push.model_validate_json(body)
    if found.deleted or not found.ref.startswith(_BRANCH):
        return Ignored(reason="a push to no branch")
    branch = found.ref.removeprefix(_BRANCH)
    return BranchPushed(
        place=_place(found),
        branch=branch,
        before=found.before,
        after=found.after,
        is_default=branch == found.repository.default_branch,
        sender=found.sender.login,
    )


def _installation(action: str, body: bytes) -> Outcome:
    if action not in set(InstallationAction):
        return Ignored(reason="an action of no interest")
    found = payloads.InstallationChange.model_validate_json(body)
    return InstallationChanged(
        installation=found.installation.id,
        account=found.installation.account.login,
        action=InstallationAction(action),
        removed=tuple(repository.id for repository in found.repositories_removed),
    )


def _place(found: payloads.Placed) -> RepositoryPlace:
    return RepositoryPlace(
        installation=found.installation.id,
        repository=found.repository.full_name,
        repository_id=found.repository.id,
    )


def _said(error: ValidationError) -> str:
    """Where a payload departs from its form; keys of ours only, nothing that was sent."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return "the body is not JSON"
    where = ".".join(str(step) for step in first["loc"])
    return f"{where or 'the body'} has not the form that GitHub gives it"


_READERS = {
    "pull_request": _pull,
    "check_run": _run,
    "check_suite": _suite,
    "issue_comment": _issue_comment,
    "pull_request_review_comment": _review_comment,
    "push": _push,
    "installation": _installation,
    "installation_repositories": _installation,
}
