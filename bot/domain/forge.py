"""What the App and the Action need from GitHub, as values and protocols without any library.

Every method may raise IncompleteError: GoneError if its object no longer exists, RefusedError if
the request cannot be carried out, and BusyError if GitHub asks us to come back later.

Addresses for people: the App's own pages, and pages on GitHub.

Everything put into an address is quoted; a run's id, which may hold anything, becomes a plain word.
"""

import base64
import binascii
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol
from urllib.parse import quote

from bot.domain.chat_commands import Permission
from bot.domain.check_actions import MOST, CheckAction
from bot.domain.comment import Annotation
from bot.domain.events import RepositoryPlace
from bot.domain.reconcile import Changes, Existing
from pfcore.domain.errors import IncompleteError

STRUCTURE, PROOFS = "pf / structure", "pf / proofs"
"""The names of the two check runs; branch protection requires them by these names."""


class GoneError(IncompleteError):
    """A repository, pull request or comment no longer exists, or the App may not see it."""


class MovedError(GoneError):
    """A pull request has a new head by now; comments on the old one are not posted."""


class RefusedError(IncompleteError):
    """GitHub cannot carry out a request as it stands (422)."""


class TooManyError(IncompleteError):
    """A list is longer than we read; the items up to there were listed."""


class BusyError(IncompleteError):
    """GitHub asks for a wait that is too long to spend within a request."""

    def __init__(self, message: str, *, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """A pull request as it is now; `base` is a commit of the branch that it is for.

    That commit is the branch's tip if we looked it up; GitHub reports an earlier one.
    `branch` is its head's branch, in this repository or in a fork. `is_labelled`: a label asks not
    to read it; `is_declined`: its description does. `is_stranger`: it is from a fork, by an author
    who has no part in the repository.
    """

    number: int
    head: str
    base: str
    base_ref: str
    author: str
    is_open: bool
    is_draft: bool
    is_fork: bool
    branch: str = ""
    is_labelled: bool = False
    is_declined: bool = False
    is_stranger: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultBranch:
    """The default branch and the commit at its tip."""

    name: str
    tip: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitCheck:
    """A check run of a commit; a name and a key have at most one, however often it is reported.

    `conclusion` None: it is in progress. `details` is an address for people. `is_only`: it
    replaces the App's check of this name on this commit under any key outside `spares`, unless its
    own key has one.
    `is_there`: it is reported only if such a check exists and is in progress. `actions` are the
    buttons beside it; None: unchanged.
    """

    name: str
    head: str
    key: str
    title: str
    summary: str
    conclusion: str | None
    annotations: tuple[Annotation, ...] = ()
    details: str | None = None
    is_only: bool = False
    is_there: bool = False
    spares: frozenset[str] = frozenset()
    actions: tuple[CheckAction, ...] | None = None

    def __post_init__(self) -> None:
        if len(self.actions or ()) > MOST:
            raise ValueError(f"a check has {MOST} buttons at most")


class CheckSaid(NamedTuple):
    """How a check run ended, and its title; both empty if it has not ended or does not exist."""

    conclusion: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GitRemote:
    """The place to fetch a repository's commits from; the token is never printed."""

    url: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """A delivery in GitHub's records; `id` is the key by which to request it."""

    id: int
    guid: str
    event: str
    delivered: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The App as it is registered; `hook` is the address for deliveries.

    `ahead` is how many seconds our clock is ahead of GitHub's, None if unknown.
    """

    slug: str
    owner: str
    permissions: Mapping[str, str]
    events: tuple[str, ...]
    hook: str
    ahead: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingIssue(Existing):
    """An issue; `id` is its number."""

    is_open: bool


class PublishingForge(Protocol):
    """A repository in which a review is published."""

    def comments(self, number: int) -> Iterable[Existing]:
        """The comments of a pull request."""

    def change(self, number: int, head: str, changes: Changes) -> None:
        """Carry out changes meant for a pull request with this head."""

    def conclude(self, check: CommitCheck) -> None:
        """Create a check run, or update the one with its key."""

    def issues(self, label: str) -> Iterable[ExistingIssue]:
        """The issues with a label, closed ones too, the oldest first."""

    def open_issue(self, title: str, body: str, label: str) -> None:
        """Open an issue."""

    def change_issue(self, number: int, body: str, *, is_open: bool) -> None:
        """Change an issue."""


def bring(
    forge: PublishingForge, number: int, head: str, wanted: Callable[[list[Existing]], Changes]
) -> Changes:
    """Carry out the changes that a pull request's comments need; returns those first computed.

    New comments have an address only afterwards, so outdated comments that link to them are edited
    in a second pass. That pass creates nothing, so that people get one message; the rest waits for
    the next push.
    """
    there = list(forge.comments(number))
    changes = wanted(there)
    forge.change(number, head, changes)
    if changes.create and any(item.is_ours and item.is_outdated for item in there):
        again = wanted(list(forge.comments(number)))
        forge.change(number, head, replace(again, create=()))
    return changes


class Forge(PublishingForge, Protocol):
    """One repository of an installation; `me` is the login under which the App writes there."""

    me: str

    def pull(self, number: int) -> PullRequest:
        """A pull request."""

    def pulls(self) -> list[PullRequest]:
        """The open pull requests, including those from forks."""

    def default_branch(self) -> DefaultBranch:
        """The default branch."""

    def tip(self, branch: str) -> str | None:
        """The commit at the tip of a branch; None if there is no such branch."""

    def merge_base(self, base: str, head: str) -> str:
        """The merge base of two commits."""

    def permission(self, login: str) -> Permission | None:
        """A person's permission here; None if it cannot be known."""

    def comments(self, number: int) -> list[Existing]:
        """All comments of a pull request: on lines, on files and on the whole."""

    def change(self, number: int, head: str, changes: Changes) -> None:
        """Carry out changes: new comments on lines as one review, then on files, then the rest.

        MovedError if there is something new to post, but the head has changed.
        """

    def conclude(self, check: CommitCheck) -> None:
        """Create a check run, or update the one that it replaces."""

    def keys(self, name: str, head: str) -> list[str]:
        """The keys of the App's check runs of a name on a commit, the newest first."""

    def check_said(self, name: str, head: str) -> CheckSaid:
        """The result of the App's newest check run of a name on a commit."""

    def react(self, comment: int, content: str, *, is_review: bool) -> None:
        """Add a reaction such as `eyes` or `+1` to a comment; repeating it has no effect."""

    def answer(
        self, number: int, comment: int, body: str, *, is_review: bool, mark: int = 0
    ) -> None:
        """Answer a comment at most once, in whatever words; marks.answering identifies the answer.

        If `mark` is nonzero, it is answered once instead of the comment, as an edit of it.
        """

    def origin(self) -> GitRemote:
        """Where to fetch from, with a token that stays valid for some minutes at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPull:
    """An open pull request, as the token of a job sees it.

    `is_own`: it comes from a branch of the repository; `is_known`: GitHub says that its author
    belongs to the repository. `base` is the branch that it is for.
    GitHub says. `base` is the branch that it is for.
    """

    number: int
    is_own: bool
    is_known: bool
    base: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCheck:
    """A check run of a job, made by GitHub or by the job; later ones have a greater `id`.

    `began` is in seconds since 1970; `conclusion` None: it is in progress.
    """

    id: int
    name: str
    key: str
    conclusion: str | None
    began: float


class ActionForge(PublishingForge, Protocol):
    """The repository of a job of the Action, which writes under the job's name.

    Comments are listed oldest first, those on lines after the others.
    """

    def pulls_at(self, head: str) -> list[OpenPull]:
        """The open pull requests that have this commit as their head now."""

    def branches_at(self, head: str) -> list[str]:
        """The branches of the repository whose tip is a commit."""

    def keys(self, name: str, head: str) -> list[str]:
        """The keys of the completed check runs of a name on a commit."""

    def checks(self, head: str, *names: str) -> list[CommitCheck]:
        """The completed check runs of these names that jobs have made, the newest first.

        Those made by other programs are left out.
        """

    def job_checks(self, head: str) -> list[JobCheck]:
        """All check runs of jobs at a commit, the newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BasedPull:
    """An open pull request for a given branch; `source` is the id of its head's repository.

    It is 0 if the fork is gone; `branch` is the head's branch.
    """

    number: int
    head: str
    branch: str
    source: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowRun:
    """A run of a workflow for a pull request, identified by its head.

    `began` is the start of its last attempt, in seconds since 1970.
    """

    id: int
    branch: str
    source: int
    is_over: bool
    began: float


class RunForge(Protocol):
    """The runs of the Action for the pull requests of a repository."""

    def pulls(self, base: str) -> list[BasedPull]:
        """The open pull requests for a branch, the newest first."""

    def merge_base(self, one: str, other: str) -> str | None:
        """The merge base of two commits; None if there is none."""

    def runs(self, workflow: str, head: str) -> list[WorkflowRun]:
        """The runs of a workflow for pull requests with a head, the newest first."""

    def jobs(self, run: int) -> list[str]:
        """The names of the jobs of a run that were not skipped."""

    def again(self, run: WorkflowRun) -> bool:
        """Start a run again; False if that is refused."""


class BranchFile(NamedTuple):
    """A file of a branch, and the id of its content; both are empty if it does not exist."""

    text: str
    blob: str


class BranchFiles(Protocol):
    """The files of a branch, through GitHub."""

    def held(self, path: str, branch: str) -> BranchFile:
        """The file as it is now."""

    def put(self, path: str, branch: str, new: BranchFile, message: str) -> bool:
        """Commit a text in place of the content `new.blob`; False if someone changed it first."""


class Hub(Protocol):
    """The App as GitHub knows it: its installations and its deliveries."""

    def forge(self, installation: int, repository: str, repository_id: int | None = None) -> Forge:
        """A repository by its id, whatever its current name; without an id, by its `owner/name`."""

    def home(self, place: RepositoryPlace) -> RepositoryPlace | None:
        """The current place of a repository, which may have moved to another account.

        None if the App is not installed on that account, or not on the repository.
        """

    def deliveries(self, since: float) -> Iterator[Missed]:
        """Deliveries that GitHub has sent, or tried to send, since a moment, the newest first."""

    def delivery(self, missed: Missed) -> bytes:
        """The body of a delivery, as it was sent."""


def run_path(run_id: str) -> str:
    """The path of a run's page."""
    return f"/runs/{word(run_id)}"


def word(run_id: str) -> str:
    """A run's id as a word of letters, digits, "-" and "_"."""
    raw = run_id.encode("utf-8", "surrogatepass")
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def run_id(word: str) -> str | None:
    """The run's id encoded in such a path; None if it is not such a word."""
    try:
        raw = base64.b64decode(f"{word}{'=' * (-len(word) % 4)}", altchars=b"-_", validate=True)
        return raw.decode("utf-8", "surrogatepass")
    except (binascii.Error, ValueError):
        return None


def repository_path(name: str) -> str:
    """The path of a repository's page; the name is `owner/name`."""
    return f"/repos/{quote(name)}"


def pull_url(server: str, name: str, number: int) -> str:
    """A pull request on GitHub."""
    return f"{server}/{quote(name)}/pull/{number}"


def commit_url(server: str, name: str, commit: str) -> str:
    """A commit on GitHub."""
    return f"{server}/{quote(name)}/commit/{quote(commit)}"


def line_url(server: str, name: str, commit: str, path: str, line: int) -> str:
    """A line of a file on GitHub, at a commit."""
    return f"{server}/{quote(name)}/blob/{quote(commit)}/{quote(path)}?plain=1#L{line}"
