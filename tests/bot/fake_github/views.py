"""What the fake keeps, in the form in which GitHub shows it."""

import zlib
from typing import Any

from tests.bot.fake_github.description import Json, shaped
from tests.bot.fake_github.state import (
    Comment,
    Installation,
    Issue,
    Pull,
    Repository,
    Review,
    Run,
    Sent,
    moment,
)


def user(login: str) -> Json:
    """An account."""
    return shaped("simple-user", **_account(login))


def collaborator(login: str, role: str) -> Json:
    """An account with its role."""
    return shaped("nullable-collaborator", **_account(login), role_name=role)


def _account(login: str) -> Json:
    kind = "Bot" if login.endswith("[bot]") else "User"
    number = zlib.crc32(login.encode())
    return {"login": login, "id": number, "type": kind, "gravatar_id": ""}


def repository(repo: Repository, schema: str = "full-repository") -> Json:
    """A repository."""
    return shaped(schema, **facts(repo))


def facts(repo: Repository) -> Json:
    """What is known of a repository; a delivery is filled with the rest."""
    return {
        "id": repo.id,
        "name": repo.name.partition("/")[2],
        "full_name": repo.name,
        "owner": user(repo.owner),
        "default_branch": repo.default_branch,
        "fork": False,
        "topics": [],
        "has_discussions": False,
        "visibility": "public",
        **{f"{name}_at": moment(0) for name in ("created", "pushed", "updated")},
    }


def pull(repo: Repository, item: Pull, *, is_listed: bool = False) -> Json:
    """A pull request."""
    head_repo = facts(repo)
    if item.fork is not None:
        name = f"{item.fork}/{repo.name.partition('/')[2]}"
        number = zlib.crc32(name.encode())
        head_repo |= {"id": number, "full_name": name, "owner": user(item.fork), "fork": True}
    whole = "repository"
    return shaped(
        "pull-request-simple" if is_listed else "pull-request",
        id=repo.id * 1000 + item.number,
        number=item.number,
        state="open" if item.is_open else "closed",
        title="A change",
        user=user(item.author),
        draft=item.is_draft,
        labels=[label(name) for name in item.labels],
        body=item.body,
        head={
            "sha": item.head,
            "ref": item.branch,
            "label": f"{item.fork or repo.owner}:{item.branch}",
            "repo": shaped(whole, **head_repo),
            "user": user(item.fork or repo.owner),
        },
        base={
            "sha": item.base,
            "ref": item.base_ref,
            "label": f"{repo.owner}:{item.base_ref}",
            "repo": repository(repo, whole),
            "user": user(repo.owner),
        },
        **({} if is_listed else {"merged": item.is_merged}),
    )


def label(name: str) -> Json:
    """A label."""
    place = f"https://github.example/labels/{zlib.crc32(name.encode())}"
    known = {"id": 1, "node_id": "x", "color": "ffffff", "default": False, "description": ""}
    return known | {"name": name, "url": place}


def comment(repo: Repository, item: Comment) -> Json:
    """A comment on the whole of a pull request."""
    return shaped(
        "issue-comment",
        id=item.id,
        user=user(item.author),
        body=item.body,
        author_association="NONE",
        created_at=moment(item.id),
        updated_at=moment(item.id),
        issue_url=f"https://github.example/repos/{repo.name}/issues/{item.number}",
    )


def issue(repo: Repository, item: Issue) -> Json:
    """An issue."""
    return shaped(
        "issue",
        number=item.number,
        title=item.title,
        body=item.body,
        state=item.state,
        user=user(item.author),
        labels=[label(name) for name in item.labels],
        html_url=f"https://github.example/{repo.name}/issues/{item.number}",
    )


def remark(repo: Repository, item: Comment) -> Json:
    """A comment on a line or a file; one whose line was changed has none."""
    more: Json = {"in_reply_to_id": item.reply_to} if item.reply_to else {}
    return shaped(
        "pull-request-review-comment",
        id=item.id,
        node_id=f"PRRC_{item.id}",
        user=user(item.author),
        body=item.body,
        html_url=f"https://github.example/{repo.name}/pull/{item.number}#discussion_r{item.id}",
        path=item.path,
        commit_id=item.commit,
        original_commit_id=item.commit,
        line=item.line,
        original_line=item.original_line,
        start_line=item.start_line,
        side="RIGHT",
        subject_type=item.subject,
        pull_request_review_id=item.review,
        diff_hunk="",
        author_association="NONE",
        created_at=moment(item.id),
        pull_request_url=f"https://github.example/repos/{repo.name}/pulls/{item.number}",
        **more,
    )


def review(item: Review) -> Json:
    """A review."""
    return shaped(
        "pull-request-review",
        id=item.id,
        user=user(item.author),
        body=item.body,
        state="COMMENTED",
        commit_id=item.commit,
        author_association="NONE",
    )


def run(item: Run) -> Json:
    """A check run."""
    said = item.output
    return shaped(
        "check-run",
        id=item.id,
        name=item.name,
        head_sha=item.head,
        external_id=item.external_id,
        status=item.status,
        conclusion=item.conclusion,
        details_url=item.details_url,
        output={
            "title": said.get("title"),
            "summary": said.get("summary"),
            "annotations_count": len(item.annotations),
        },
        app=shaped("integration", id=item.app, slug="pf-verify"),
    )


def annotation(item: Json) -> Json:
    """A remark of a check run."""
    known = ("path", "start_line", "end_line", "annotation_level", "title", "message")
    return shaped("check-annotation", **{key: item.get(key) for key in known})


def installation(item: Installation, app: int) -> Json:
    """The App on an account."""
    return shaped(
        "installation",
        id=item.id,
        account=user(item.account),
        app_id=app,
        app_slug="pf-verify",
        permissions=dict(item.permissions),
        repository_selection="selected",
        suspended_at=moment(0) if item.is_suspended else None,
    )


def delivery(item: Sent, *, is_whole: bool) -> Json:
    """An attempt at a delivery."""
    place: Any = item.payload.get("repository") or {}
    more: Json = {}
    if is_whole:
        request = {"headers": item.headers, "payload": item.payload}
        more = {"request": request, "response": {"headers": {}, "payload": ""}}
    return shaped(
        "hook-delivery" if is_whole else "hook-delivery-item",
        id=item.id,
        guid=item.guid,
        delivered_at=_instant(item.delivered),
        redelivery=item.is_again,
        status="OK" if item.status in range(200, 300) else "failed to connect to host",
        status_code=item.status,
        event=item.event,
        action=item.payload.get("action"),
        installation_id=(item.payload.get("installation") or {}).get("id"),
        repository_id=place.get("id"),
        **more,
    )


def _instant(seconds: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
