"""The owner of a commit's checks, if the commit is the head of several pull requests.

Rules of a repository require checks by name, and GitHub shows a commit's checks on every pull
request with that head. So the required names belong to one pull request: the one that comes from a
branch of the repository or from somebody who may write there, else the oldest. Strangers may open a
pull request of any commit, even of one that a merge queue made; theirs gets names of its own and
moves nobody else's checks.

As these names are shown on all of them, they may pass only if all do: if a pull request for another
base, by somebody who may write or by the same author, does not pass by its own check, the required
names say so, too. No pull request turns green through another one with the same commit.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from bot.domain.chat_commands import MAY_WRITE
from bot.domain.events import RepositoryPlace
from bot.domain.forge import PROOFS, STRUCTURE, CommitCheck, Forge, PullRequest
from bot.domain.job import group_prefix
from bot.domain.webhooks import QUEUE
from bot.domain.worker_context import WorkerContext

PUSH = "push"
"""The key of the checks of all pushes."""
GROUP = "group"
"""The key of the checks of all merge queues."""
_OWN = frozenset((PUSH, GROUP))


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPlace:
    """How checks are named and placed: under the required names, or with a suffix.

    `is_only` and `spares` are as in `CommitCheck`; `aside` tells people why the names differ.
    `twins` are the suffixes of other checks that have to pass, too.
    """

    is_only: bool = False
    spares: frozenset[str] = frozenset()
    suffix: str = ""
    aside: str = ""
    twins: tuple[str, ...] = ()

    def name(self, check: str) -> str:
        """The name under which a check is published."""
        return f"{check}{self.suffix}"

    def put(self, check: CommitCheck) -> CommitCheck:
        """A check with its name here; one that only closes an existing check replaces no other."""
        is_only = self.is_only and not check.is_there
        return replace(check, name=self.name(check.name), is_only=is_only, spares=self.spares)


def key(number: int) -> str:
    """The key of the checks of a pull request."""
    return f"pull/{number}"


def twins(pulls: Iterable[PullRequest], number: int, head: str) -> list[PullRequest]:
    """The other open pull requests that have this head."""
    return [pull for pull in pulls if pull.head == head and pull.number != number]


def check_place(
    forge: Forge, pull: PullRequest, place: RepositoryPlace, means: WorkerContext
) -> CheckPlace:
    """Names and placement of a pull request's checks at present."""
    others = twins(forge.pulls(), pull.number, pull.head)
    is_stranger, counted = pull.is_fork, tuple[str, ...]()
    if others:
        ours = {item.number: _is_ours(forge, item) for item in (pull, *others)}
        owner = min((pull, *others), key=lambda it: (not ours[it.number], it.is_draft, it.number))
        is_stranger = not ours[pull.number]
        if owner.number != pull.number:
            is_other = owner.base_ref != pull.base_ref
            return _aside(pull, f"also the head of #{owner.number}", is_other=is_other)
        counted = tuple(
            _suffix(item)
            for item in others
            if item.base_ref != pull.base_ref and (ours[item.number] or item.author == pull.author)
        )
    if not is_stranger:
        return CheckPlace(is_only=True, twins=counted)
    keys = _OWN.intersection(forge.keys(STRUCTURE, pull.head))
    if GROUP in keys or _is_queued(pull.head, place, means):
        return _aside(pull, "also in the merge queue", is_other=True)
    if keys:
        return _aside(pull, "also on a branch of this repository", is_other=True)
    return CheckPlace(is_only=True, spares=_OWN, twins=counted)


def _is_queued(head: str, place: RepositoryPlace, means: WorkerContext) -> bool:
    """Whether a merge queue made the commit, even if its checks do not exist yet."""
    if means.tasks.waiting(group_prefix(place, head)):
        return True
    runs = means.records.runs.of_commit(place.repository_id, head, 1, number=None)
    return any((run.branch or "").startswith(QUEUE) for run in runs)


def _is_ours(forge: Forge, pull: PullRequest) -> bool:
    return not pull.is_fork or forge.permission(pull.author) in MAY_WRITE


def _suffix(pull: PullRequest) -> str:
    return f" (#{pull.number})"


def _aside(pull: PullRequest, where: str, *, is_other: bool) -> CheckPlace:
    """Separate names, and why; `is_other`: the required ones are about another comparison."""
    suffix = _suffix(pull)
    names = " and ".join(f"`{name}`" for name in (STRUCTURE, PROOFS))
    own = " and ".join(f"`{name}{suffix}`" for name in (STRUCTURE, PROOFS))
    said = (
        f"This commit is {where}, where its checks are {names}. The checks of this pull request "
        f"are {own}."
    )
    if is_other:
        said += " GitHub shows the former here as well, but they compare with a different base."
    return CheckPlace(suffix=suffix, aside=said)
