"""What App and Action ask of GitHub, as values and protocols: no library is met here.

Every method may raise IncompleteError: GoneError where what it is about is there no more,
RefusedError where it cannot be done, and BusyError where GitHub asks to come back later.

Where things are for people: the App's own pages, and what stands on GitHub.

All that is put into an address is quoted; a run's id, which may hold anything, is one plain word.
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
"""The names of the two check runs; people require them by these names."""


class GoneError(IncompleteError):
    """A repository, pull request or comment is there no more, or the App may not see it."""


class MovedError(GoneError):
    """A pull request has another head by now: what was to be said of this one is not said."""


class RefusedError(IncompleteError):
    """GitHub cannot do what it was asked, as it is (422)."""


class TooManyError(IncompleteError):
    """A list goes on beyond what is looked at; what comes before that was listed."""


class BusyError(IncompleteError):
    """GitHub asks to wait for longer than one waits inside of a request."""

    def __init__(self, message: str, *, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """A pull request as it is now; `base` is a commit of the branch it is for.

    That is its tip where somebody has looked: GitHub names an earlier one.
    `branch` is where its head comes from, of this repository or of a fork. `is_labelled`: a label
    asks not to read it; `is_declined`: its description does. `is_stranger`: it is a fork's, by an
    author who has no part in the repository.
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
    """A check run of a commit; there is one with a name and a key, however often it is said.

    `conclusion` None: it is in progress. `details` is an address for people. `is_only`: it takes
    the place of whatever check of this name the App has on this commit, under any key but those
    of `spares`, unless there is one under its own.
    `is_there`: it is said only where such a check is there, and in progress. `actions` are the
    buttons beside it; None: those that it has.
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
    """How a check run ended, and its title; both empty where it did not, or is not there."""

    conclusion: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GitRemote:
    """Where the commits of a repository come from; the token is never printed."""

    url: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """A delivery that GitHub has a record of; `id` is what it is asked for by."""

    id: int
    guid: str
    event: str
    delivered: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The App as it is registered; `hook` is where deliveries go.

    `ahead` is how many seconds the clock here is ahead of GitHub's, None where that is not known.
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
    """A repository where a review is told."""

    def comments(self, number: int) -> Iterable[Existing]:
        """The comments of a pull request."""

    def change(self, number: int, head: str, changes: Changes) -> None:
        """Carry changes out that are meant for a pull request with this head."""

    def conclude(self, check: CommitCheck) -> None:
        """Make a check run, or change the one with its key."""

    def issues(self, label: str) -> Iterable[ExistingIssue]:
        """The issues with a label, closed ones too, the oldest first."""

    def open_issue(self, title: str, body: str, label: str) -> None:
        """Open an issue."""

    def change_issue(self, number: int, body: str, *, is_open: bool) -> None:
        """Change an issue."""


def bring(
    forge: PublishingForge, number: int, head: str, wanted: Callable[[list[Existing]], Changes]
) -> Changes:
    """Carry out what the comments of a pull request want; what was to be done of it at first.

    What was said anew has an address then, which the outdated comments lead to. What could not be
    said then waits for the next push: this one was one message.
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
        """The open pull requests, those of forks, too."""

    def default_branch(self) -> DefaultBranch:
        """The default branch."""

    def tip(self, branch: str) -> str | None:
        """The commit that a branch is at; None where there is no such branch."""

    def merge_base(self, base: str, head: str) -> str:
        """The commit where a head parted from its base."""

    def permission(self, login: str) -> Permission | None:
        """What a person may do here; None where it cannot be known."""

    def comments(self, number: int) -> list[Existing]:
        """All comments of a pull request: on lines, on files and on the whole."""

    def change(self, number: int, head: str, changes: Changes) -> None:
        """Carry changes out: what is new on lines as one review, then files, then the rest.

        MovedError where something is to be said anew, and the head is another by now.
        """

    def conclude(self, check: CommitCheck) -> None:
        """Make a check run, or change the one whose place it takes."""

    def keys(self, name: str, head: str) -> list[str]:
        """The keys of the App's check runs of a name that a commit has, the newest first."""

    def check_said(self, name: str, head: str) -> CheckSaid:
        """What the App's newest check run of a name says that a commit has."""

    def react(self, comment: int, content: str, *, is_review: bool) -> None:
        """Put a reaction, as `eyes` or `+1`, on a comment; once, however often it is said."""

    def answer(
        self, number: int, comment: int, body: str, *, is_review: bool, mark: int = 0
    ) -> None:
        """Answer a comment; once, however often and in whatever words: marks.answering tells.

        `mark` is what is answered once in place of the comment, as an edit of it.
        """

    def origin(self) -> GitRemote:
        """Where to fetch from, with a token that is good for some minutes at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPull:
    """An open pull request, as the token of a job sees it.

    `is_own`: it comes from a branch of the repository; `is_known`: its author belongs to it, as
    GitHub says. `base` is the branch that it is for.
    """

    number: int
    is_own: bool
    is_known: bool
    base: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCheck:
    """A check run of a job, which GitHub makes, or that a job made; the later, the greater `id`.

    `began` is in seconds since 1970; `conclusion` None: it is under way.
    """

    id: int
    name: str
    key: str
    conclusion: str | None
    began: float


class ActionForge(PublishingForge, Protocol):
    """The repository of a job of the Action: all that it writes is said by its own name.

    Its comments come the oldest first, those beside lines behind the others.
    """

    def pulls_at(self, head: str) -> list[OpenPull]:
        """The open pull requests whose head this commit is now."""

    def branches_at(self, head: str) -> list[str]:
        """The branches of the repository that are at a commit."""

    def keys(self, name: str, head: str) -> list[str]:
        """The keys of the check runs of a name that a commit has, and that are over."""

    def checks(self, head: str, *names: str) -> list[CommitCheck]:
        """The check runs of these names that jobs have made, and that are over, the newest first.

        Those that another program made are none of them.
        """

    def job_checks(self, head: str) -> list[JobCheck]:
        """All check runs of jobs at a commit, the newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BasedPull:
    """An open pull request that is for a branch; `source` is the id of its head's repository.

    That is 0 where the fork is gone; `branch` is the one that it comes from.
    """

    number: int
    head: str
    branch: str
    source: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowRun:
    """A run of a workflow for a pull request, by where its head comes from.

    `began` is when its last attempt did, in seconds since 1970.
    """

    id: int
    branch: str
    source: int
    is_over: bool
    began: float


class RunForge(Protocol):
    """The runs of the Action for the pull requests of a repository."""

    def pulls(self, base: str) -> list[BasedPull]:
        """The open pull requests that are for a branch, the newest first."""

    def merge_base(self, one: str, other: str) -> str | None:
        """The commit where two lines parted; None where there is none."""

    def runs(self, workflow: str, head: str) -> list[WorkflowRun]:
        """The runs of a workflow for pull requests with a head, the newest first."""

    def jobs(self, run: int) -> list[str]:
        """The names of the jobs of a run that were not skipped."""

    def again(self, run: WorkflowRun) -> bool:
        """Have a run made again; False where that is refused."""


class BranchFile(NamedTuple):
    """A file of a branch, and the id of its content; both empty where there is none."""

    text: str
    blob: str


class BranchFiles(Protocol):
    """The files of a branch, through GitHub."""

    def held(self, path: str, branch: str) -> BranchFile:
        """The file as it is now."""

    def put(self, path: str, branch: str, new: BranchFile, message: str) -> bool:
        """Commit a text in place of the content `new.blob`; False if another came first."""


class Hub(Protocol):
    """The App as GitHub knows it: its installations and what was delivered to it."""

    def forge(self, installation: int, repository: str, repository_id: int | None = None) -> Forge:
        """A repository by its id, whatever its name is by now; else by its name `owner/name`."""

    def home(self, place: RepositoryPlace) -> RepositoryPlace | None:
        """Where a repository is by now, which may have gone to another account.

        None where the App is not on that account, or not on the repository.
        """

    def deliveries(self, since: float) -> Iterator[Missed]:
        """What GitHub has sent, or tried to send, from a moment on; the newest first."""

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
    """The id that such a path ends on; None where it is no such word."""
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
