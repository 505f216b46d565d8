"""One repository of an installation, as bot.domain.forge.Forge asks for it."""

from dataclasses import dataclass
from urllib.parse import quote

from bot.domain.chat_commands import Permission
from bot.domain.forge import (
    CommitCheck,
    DefaultBranch,
    GitRemote,
    GoneError,
    MovedError,
    PullRequest,
)
from bot.domain.reconcile import Changes, Existing
from bot.github import responses
from bot.github.checks import CheckRuns
from bot.github.client import Client, Json
from bot.github.failures import understood
from bot.github.review_threads import Talk
from bot.github.tokens import CachedToken


@dataclass(frozen=True, slots=True, kw_only=True)
class AppIdentity:
    """Who asks: the App under its login, on a server for people and for git.

    `is_resolving`: threads of matters that ended are resolved.
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
        """The open pull requests, those of forks, too."""
        sentence = "the open pull requests cannot be listed"
        found = self._client.pages(f"{self._root}/pulls", sentence, state="open")
        return [_pull(item, sentence) for item in found]

    def default_branch(self) -> DefaultBranch:
        """The default branch."""
        sentence = f"the default branch of {self._repository} cannot be read"
        name = understood(
            responses.RepositoryResponse, self._client.read(self._root, sentence), sentence
        ).default_branch
        path = f"{self._root}/branches/{quote(name, safe='')}"
        found = understood(responses.BranchResponse, self._client.read(path, sentence), sentence)
        return DefaultBranch(name=name, tip=found.commit.sha)

    def merge_base(self, base: str, head: str) -> str:
        """The commit where a head parted from its base."""
        sentence = f"{head[:10]} cannot be compared with {base[:10]}"
        path = f"{self._root}/compare/{quote(base)}...{quote(head)}"
        # The first page brings all changes along, which git brings anyway.
        found = self._client.read(path, sentence, per_page=1, page=2)
        return understood(responses.CompareResponse, found, sentence).merge_base_commit.sha

    def permission(self, login: str) -> Permission | None:
        """What a person may do here; None where it cannot be known."""
        sentence = "what someone may do cannot be known"
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
        """Carry changes out: what is new on lines and files as one review, then the rest."""

        def require_head() -> None:
            if self.pull(number).head != head:
                raise MovedError(f"#{number} has moved on from {head[:10]} meanwhile")

        self._talk.change(number, head, changes, require_head)

    def conclude(self, check: CommitCheck) -> None:
        """Make a check run, or change the one whose place it takes."""
        self._checks.conclude(check)

    def react(self, comment: int, content: str, *, is_review: bool) -> None:
        """Put a reaction on a comment; GitHub itself keeps one of a kind."""
        kind = "pulls" if is_review else "issues"
        path = f"{self._root}/{kind}/comments/{comment}/reactions"
        self._client.rewrite("POST", path, "a comment gets no reaction", {"content": content})

    def answer(self, number: int, comment: int, body: str, *, is_review: bool) -> None:
        """Answer a comment; once, however often it is said."""
        self._talk.answer(number, comment, body, is_review=is_review)

    def origin(self) -> GitRemote:
        """Where to fetch from, with a token that is good for a quarter of an hour at least."""
        return GitRemote(url=f"{self._server}/{self._repository}.git", token=self._reading.get())


def _pull(item: Json, sentence: str) -> PullRequest:
    found = understood(responses.PullResponse, item, sentence)
    sides = found.head.repo, found.base.repo
    is_same = sides[0] is not None and sides[1] is not None and sides[0].id == sides[1].id
    return PullRequest(
        number=found.number,
        head=found.head.sha,
        base=found.base.sha,
        base_ref=found.base.ref,
        author=found.user.login if found.user else "",
        is_open=found.state == "open",
        is_draft=found.draft,
        is_fork=not is_same,
        branch=found.head.ref,
    )
