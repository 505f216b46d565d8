"""One repository of an installation; implements bot.domain.forge.Forge.

A check run is found by its name and key on a commit, or by its name if it is the only one.

GitHub can only add annotations to a check run, never remove them.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from urllib.parse import quote

from bot.domain.chat_commands import Permission
from bot.domain.comment import Annotation
from bot.domain.forge import (
    CheckSaid,
    CommitCheck,
    DefaultBranch,
    ExistingIssue,
    GitRemote,
    GoneError,
    MovedError,
    PullRequest,
)
from bot.domain.reconcile import Changes, Existing
from bot.github import responses
from bot.github.client import Client, Json, understood
from bot.github.responses import CheckRunResponse, Note
from bot.github.review_threads import Talk
from bot.github.tokens import CachedToken
from pfcore.cli.github_actions import DO_NOT_READ, says_do_not_read


@dataclass(frozen=True, slots=True, kw_only=True)
class AppIdentity:
    """The App's identity: its login, and the server for people and for git.

    `is_resolving`: threads of closed findings are resolved.
    """

    id: int
    login: str
    server: str
    is_resolving: bool


class GitHubForge:
    """One repository; `me` is the login under which the App writes there."""

    def __init__(
        self,
        client: Client,
        repository: str,
        reading: CachedToken,
        app: AppIdentity,
    ) -> None:
        self.me = app.login
        self._client = client
        self._repository = repository
        self._root = f"/repos/{quote(repository)}"
        self._reading = reading
        self._server = app.server
        self._checks = CheckRuns(client, self._root, app.id)
        self._talk = Talk(client, repository, app.login, is_resolving=app.is_resolving)

    def pull(self, number: int) -> PullRequest:
        """A pull request."""
        sentence = f"#{number} cannot be read"
        return _pull(self._client.read(f"{self._root}/pulls/{number}", sentence), sentence)

    def pulls(self) -> list[PullRequest]:
        """The open pull requests, including those from forks."""
        sentence = "the open pull requests cannot be listed"
        found = self._client.pages(f"{self._root}/pulls", sentence, state="open")
        return [_pull(item, sentence) for item in found]

    def default_branch(self) -> DefaultBranch:
        """The default branch."""
        sentence = f"the default branch of {self._repository} cannot be read"
        name = understood(
            responses.RepositoryResponse, self._client.read(self._root, sentence), sentence
        ).default_branch
        return DefaultBranch(name=name, tip=self._tip(name, sentence))

    def tip(self, branch: str) -> str | None:
        """The commit at the tip of a branch; None if there is no such branch."""
        try:
            return self._tip(branch, "the branch of a pull request cannot be read")
        except GoneError:
            return None

    def _tip(self, branch: str, sentence: str) -> str:
        path = f"{self._root}/branches/{quote(branch, safe='')}"
        found = self._client.read(path, sentence)
        return understood(responses.BranchResponse, found, sentence).commit.sha

    def merge_base(self, base: str, head: str) -> str:
        """The merge base of two commits."""
        sentence = f"{head[:10]} cannot be compared with {base[:10]}"
        path = f"{self._root}/compare/{quote(base)}...{quote(head)}"
        # The first page would list all changed files, which git fetches anyway.
        found = self._client.read(path, sentence, per_page=1, page=2)
        return understood(responses.CompareResponse, found, sentence).merge_base_commit.sha

    def permission(self, login: str) -> Permission | None:
        """A person's permission here; None if it cannot be known."""
        sentence = "permissions cannot be read"
        path = f"{self._root}/collaborators/{quote(login, safe='')}/permission"
        try:
            found = understood(
                responses.PermissionResponse, self._client.read(path, sentence), sentence
            )
        except GoneError:
            return None
        known = [name for name in (found.role_name, found.permission) if name in set(Permission)]
        return Permission(known[0]) if known else None

    def comments(self, number: int) -> list[Existing]:
        """All comments of a pull request: on lines, on files and on the whole."""
        return self._talk.comments(number)

    def change(self, number: int, head: str, changes: Changes) -> None:
        """Carry out changes: new comments on lines as one review, then the rest."""

        def require_head() -> None:
            if self.pull(number).head != head:
                raise MovedError(f"#{number} has a newer commit than {head[:10]}")

        self._talk.change(number, head, changes, require_head)

    def conclude(self, check: CommitCheck) -> None:
        """Create a check run, or update the one that it replaces."""
        self._checks.conclude(check)

    def issues(self, label: str) -> Iterator[ExistingIssue]:
        """The issues with a label, closed ones too, the oldest first."""
        return self._talk.issues(label)

    def open_issue(self, title: str, body: str, label: str) -> None:
        """Open an issue."""
        self._talk.open_issue(title, body, label)

    def change_issue(self, number: int, body: str, *, is_open: bool) -> None:
        """Change an issue."""
        self._talk.change_issue(number, body, is_open=is_open)

    def keys(self, name: str, head: str) -> list[str]:
        """The keys of the App's check runs of a name on a commit, the newest first."""
        sentence = f"the checks of {head[:10]} cannot be listed"
        return [run.external_id or "" for run in self._checks.of(name, head, sentence)]

    def check_said(self, name: str, head: str) -> CheckSaid:
        """The result of the App's newest check run of a name on a commit."""
        runs = self._checks.of(name, head, f"the checks of {head[:10]} cannot be listed")
        if not runs:
            return CheckSaid()
        return CheckSaid(runs[0].conclusion or "", runs[0].output.title or "")

    def react(self, comment: int, content: str, *, is_review: bool) -> None:
        """Add a reaction to a comment; GitHub itself keeps only one of a kind."""
        kind = "pulls" if is_review else "issues"
        path = f"{self._root}/{kind}/comments/{comment}/reactions"
        self._client.rewrite(
            "POST", path, "no reaction can be added to a comment", {"content": content}
        )

    def answer(
        self, number: int, comment: int, body: str, *, is_review: bool, mark: int = 0
    ) -> None:
        """Answer a comment at most once."""
        self._talk.answer(number, comment, body, is_review=is_review, mark=mark)

    def origin(self) -> GitRemote:
        """Where to fetch from, with a token that stays valid for a quarter of an hour at least."""
        return GitRemote(url=f"{self._server}/{self._repository}.git", token=self._reading.get())


def _pull(item: Json, sentence: str) -> PullRequest:
    found = understood(responses.PullResponse, item, sentence)
    here = found.base.repo.id if found.base.repo else None
    return PullRequest(
        number=found.number,
        head=found.head.sha,
        base=found.base.sha,
        base_ref=found.base.ref,
        author=found.user.login if found.user else "",
        is_open=found.state == "open",
        is_draft=found.draft,
        is_fork=found.is_fork(here),
        branch=found.head.ref,
        is_labelled=any(label.name == DO_NOT_READ for label in found.labels),
        is_declined=says_do_not_read(found.body),
        is_stranger=found.is_stranger(here),
    )


_DONE = "completed"
_AT_ONCE = 50
"""GitHub's limit on the annotations in a request."""


class CheckRuns:
    """The App's check runs in a repository."""

    def __init__(self, client: Client, root: str, app: int) -> None:
        self._client = client
        self._root = root
        self._app = app

    def conclude(self, check: CommitCheck) -> None:
        """Create a check run, or update the one that it replaces.

        It is concluded with its last annotations; annotations that it has are not added again.
        """
        run = self._find(check)
        if check.is_there and (run is None or run.status == _DONE):
            return
        wanted = list(dict.fromkeys(check.annotations))
        batches = _batches(wanted if run is None else self._missing(run, check, wanted))
        for place, batch in enumerate(batches):
            body = _body(check, batch, is_last=place + 1 == len(batches))
            run = self._made(check, body) if run is None else self._changed(run, check, batch, body)

    def _made(self, check: CommitCheck, body: Json) -> CheckRunResponse:
        asked = {"name": check.name, "head_sha": check.head, "external_id": check.key, **body}
        path, sentence = f"{self._root}/check-runs", _sentence(check)

        def make() -> CheckRunResponse:
            return understood(
                CheckRunResponse, self._client.write("POST", path, sentence, asked), sentence
            )

        return self._client.once(make, lambda: self._find(check))

    def _changed(
        self, run: CheckRunResponse, check: CommitCheck, batch: list[Annotation], body: Json
    ) -> CheckRunResponse:
        path, sentence = f"{self._root}/check-runs/{run.id}", _sentence(check)
        if run.external_id != check.key:
            body = {**body, "external_id": check.key}

        def change() -> CheckRunResponse:
            self._client.write("PATCH", path, sentence, body)
            return run

        def changed() -> CheckRunResponse | None:
            return run if batch and not self._missing(run, check, batch) else None

        return self._client.once(change, changed)

    def _find(self, check: CommitCheck) -> CheckRunResponse | None:
        """The newest check run of its name, commit and key; else of any other key if `is_only`.

        A check that exists already replaces no other, so that strangers' checks may stay beside it.
        """
        own = self.of(check.name, check.head, _sentence(check))
        mine = [run for run in own if run.external_id == check.key]
        others = [run for run in own if run.external_id not in check.spares]
        return next(iter(mine or (others if check.is_only else ())), None)

    def of(self, name: str, head: str, sentence: str) -> list[CheckRunResponse]:
        """The App's check runs of a name on a commit, the newest first."""
        found = self._client.pages(
            f"{self._root}/commits/{head}/check-runs",
            sentence,
            key="check_runs",
            check_name=name,
            app_id=self._app,
            filter="all",
        )
        runs = (understood(CheckRunResponse, item, sentence) for item in found)
        return [run for run in runs if run.app is None or run.app.id == self._app]

    def _missing(
        self, run: CheckRunResponse, check: CommitCheck, wanted: list[Annotation]
    ) -> list[Annotation]:
        """The annotations that a check run does not have yet."""
        if not wanted:
            return []
        sentence = _sentence(check)
        found = self._client.pages(f"{self._root}/check-runs/{run.id}/annotations", sentence)
        standing = {understood(Note, item, sentence).value for item in found}
        return [item for item in wanted if item not in standing]


def _sentence(check: CommitCheck) -> str:
    return f"the check “{check.name}” cannot be set"


def _body(check: CommitCheck, batch: list[Annotation], *, is_last: bool) -> Json:
    output: dict[str, Json] = {"title": check.title, "summary": check.summary}
    if batch:
        output["annotations"] = [_annotation(item) for item in batch]
    body: dict[str, Json] = {"output": output, "status": "in_progress"}
    if check.actions is not None:
        body["actions"] = [asdict(item) for item in check.actions]
    if check.conclusion is not None and is_last:
        body |= {"status": "completed", "conclusion": check.conclusion}
    return body if check.details is None else body | {"details_url": check.details}


def _annotation(item: Annotation) -> Json:
    return {
        "path": item.path,
        "start_line": item.start_line,
        "end_line": item.end_line,
        "annotation_level": item.level,
        "title": item.title,
        "message": item.message,
    }


def _batches(items: list[Annotation]) -> list[list[Annotation]]:
    """Annotations in batches of the size of a request; one empty batch if there are none."""
    return [items[start : start + _AT_ONCE] for start in range(0, len(items) or 1, _AT_ONCE)]
