"""Which comparison a review is of, and whether that one was made: events move its parts.

A comparison is a head, the commit where it parted from its base, and what decides beside them: the
settings and the ledgers of the base branch, and who reads here. It is reviewed once, and told
again only where another one was told on the same pull request since.
"""

from dataclasses import replace

from bot.domain.events import RepositoryPlace
from bot.domain.forge import Forge, PullRequest
from bot.domain.run_records import ReviewRun, RunState
from bot.domain.worker_context import WorkerContext

_MOST = 100
"""Runs of a pull request that are looked at for the one that spoke last."""
_MANY = 1000
"""Runs of a repository that are looked at for the pull requests that have any."""
TOLD = frozenset((RunState.DONE, RunState.WAITING))


def current(forge: Forge, number: int) -> PullRequest:
    """A pull request as it is, its base at the tip of the branch by now.

    GitHub itself names the commit that the branch was at when somebody last pushed to the head.
    """
    return at_tip(forge, forge.pull(number))


def at_tip(forge: Forge, pull: PullRequest) -> PullRequest:
    """A pull request with its base at the tip of the branch by now; as it is where that is gone."""
    return replace(pull, base=forge.tip(pull.base_ref) or pull.base)


def is_made(
    means: WorkerContext,
    place: RepositoryPlace,
    forge: Forge,
    pull: PullRequest,
    *,
    but: str = "",
    states: frozenset[RunState] = frozenset((RunState.DONE,)),
) -> bool:
    """Whether the run that spoke last on a pull request, in one of these states, was of this.

    Earlier ones do not count: what stands beside the commit, and on the pull request, may be a
    later one's. `but` is a run that is passed over, as it only asks.
    """
    last = _last(means, place, pull.number, but)
    if last is None or last.structure_outline is None or last.state not in states:
        return False
    if last.head != pull.head:
        return False
    known = last.structure_outline
    if known.trusted != pull.base and forge.merge_base(pull.base, pull.head) != last.base:
        return False
    settings = means.reviewer.settings(place, pull.base, forge.origin())
    return bool(known.settings) and known.settings == settings


def moved(
    means: WorkerContext, place: RepositoryPlace, forge: Forge, pulls: list[PullRequest]
) -> list[PullRequest]:
    """Those of some pull requests that are another comparison than what was told of them.

    Where nothing was told of a head, whoever opened or pushed it has it reviewed.
    """
    found, tips = [], dict[str, str | None]()
    for pull in pulls:
        last = _last(means, place, pull.number, "")
        is_told = last is not None and last.state in TOLD and last.head == pull.head
        if is_told and not pull.is_draft:
            if pull.base_ref not in tips:
                tips[pull.base_ref] = forge.tip(pull.base_ref)
            now = replace(pull, base=tips[pull.base_ref] or pull.base)
            if not is_made(means, place, forge, now, states=TOLD):
                found.append(now)
    return found


def unseen(
    means: WorkerContext, place: RepositoryPlace, forge: Forge, pulls: list[PullRequest]
) -> list[PullRequest]:
    """Those of some pull requests whose comparison nobody has told of while nobody could.

    Older ones that never had a run stay as they are: their people did not ask for any.
    """
    runs = means.records.runs.latest(_MANY, repository_id=place.repository_id)
    known = {run.number for run in runs if run.number is not None}
    newest = max(known, default=0)
    return [
        now
        for pull in pulls
        if not pull.is_draft and (pull.number in known or pull.number > newest)
        if not is_made(means, place, forge, now := at_tip(forge, pull), states=TOLD)
    ]


def told_base(means: WorkerContext, place: RepositoryPlace, number: int, *, but: str) -> str | None:
    """What the review was compared with that was told last; None where there is none."""
    runs = means.records.runs.of_pull(place.repository_id, number, _MOST)
    return next((run.base for run in runs if run.id != but and run.state in TOLD), None)


def _last(means: WorkerContext, place: RepositoryPlace, number: int, but: str) -> ReviewRun | None:
    """The run that spoke last on a pull request, or is about to."""
    runs = means.records.runs.of_pull(place.repository_id, number, _MOST)
    return next((run for run in runs if run.id != but and run.state is not RunState.SKIPPED), None)
