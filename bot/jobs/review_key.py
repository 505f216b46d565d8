"""The identity of a review's comparison, and whether it was made: events change its parts.

A comparison is a head, its merge base, and everything else that determines the result: the settings
and ledgers of the base branch, and the model. It is reviewed once, and published again only if
another one has been published on the same pull request since.
"""

from dataclasses import replace

from bot.domain.events import RepositoryPlace
from bot.domain.forge import Forge, PullRequest
from bot.domain.run_records import ReviewRun, RunState
from bot.domain.worker_context import WorkerContext

_MOST = 100
"""How many runs of a pull request are searched for the last report."""
_MANY = 1000
"""How many runs of a repository are searched for pull requests."""
TOLD = frozenset((RunState.DONE, RunState.WAITING))


def current(forge: Forge, number: int) -> PullRequest:
    """A pull request as it is, with its base at the branch's current tip.

    GitHub itself reports the branch's tip at the time of the last push to the head.
    """
    return at_tip(forge, forge.pull(number))


def at_tip(forge: Forge, pull: PullRequest) -> PullRequest:
    """A pull request with its base at the branch's current tip; unchanged if that is gone."""
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
    """Whether the last run that reported on a pull request, in one of these states, compared this.

    Earlier ones do not count, because a later one may have changed the checks and the comments.
    `but` is a run to ignore, because it is the one that asks.
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
    """The pull requests whose comparison differs from the published one.

    A head without any report is left to the events of its opening or push.
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
    """The pull requests whose comparison was not published, because the App was away.

    Older ones that never had a run are left out, because nobody asked for a review.
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
    """The base of the last published review; None if there is none."""
    runs = means.records.runs.of_pull(place.repository_id, number, _MOST)
    return next((run.base for run in runs if run.id != but and run.state in TOLD), None)


def _last(means: WorkerContext, place: RepositoryPlace, number: int, but: str) -> ReviewRun | None:
    """The last run that reported on a pull request, or is about to."""
    runs = means.records.runs.of_pull(place.repository_id, number, _MOST)
    return next((run for run in runs if run.id != but and run.state is not RunState.SKIPPED), None)
