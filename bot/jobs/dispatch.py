"""Passes each job to the code that does it.

Also the jobs that are neither reviews nor replies: re-runs of checks, and erasures.

A repository may move to another account, with another installation: jobs for the old installation
are then done under the new one.
"""

import logging
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, assert_never

from bot.domain.durable_steps import Durable, EndError, Steps, WatchedSteps
from bot.domain.events import RepositoryPlace
from bot.domain.forge import STRUCTURE, Forge, PullRequest
from bot.domain.job import (
    Erase,
    Job,
    LookAgain,
    Placed,
    ReplyJob,
    Rerun,
    ReviewBranch,
    ReviewGroup,
    ReviewPull,
    TellEnd,
    branch_job,
    group_job,
    known_commit,
    moved,
    review,
)
from bot.domain.run_records import RunState
from bot.domain.webhooks import QUEUE
from bot.domain.worker_context import WorkerContext
from bot.jobs import check_owner, housekeeping, merge_group, pull_request, push, reply, review_key

_log = logging.getLogger(__name__)


def dispatch(job: Job, durable: Durable, means: WorkerContext) -> str:
    """Do a job; the sentence says how it ended. It raises only what ends the process."""
    watched = WatchedSteps(durable)
    said = _done(job, watched, means)
    if watched.is_gone and not isinstance(job, Erase | LookAgain):
        return _followed(job, durable, means) or said
    return said


def _done(job: Job, durable: Durable, means: WorkerContext) -> str:
    match job:
        case ReviewPull():
            return pull_request.perform(job, durable, means)
        case ReviewBranch():
            return push.read_branch(job, durable, means)
        case ReviewGroup():
            return merge_group.review_group(job, durable, means)
        case ReplyJob():
            return reply.reply(job, durable, means)
        case Rerun():
            return rerun(job, durable, means)
        case TellEnd():
            return housekeeping.tell(job, durable, means)
        case Erase():
            return erase(job, durable, means)
        case LookAgain():
            return look_again(job, durable, means)
        case _:
            assert_never(job)


def _followed(job: Placed, durable: Durable, means: WorkerContext) -> str:
    """Have a job done under the repository's new installation; "" if it has not moved."""
    steps = Steps(durable, patience=means.patience)
    try:
        found = steps.do("find", lambda: _home(job.place, means))
        if found is None:  # GitHub may need a moment
            steps.sleep(means.lag)
            found = steps.do("find again", lambda: _home(job.place, means))
        if found is None or found["installation"] == job.place.installation:
            return ""
        place = RepositoryPlace(**found)
        steps.do("take along", lambda: _take_along(place, means))
        steps.do("follow", lambda: means.tasks.put(moved(job, durable.id, place)))
    except EndError:
        _log.warning("a repository cannot be found", extra={"what": durable.id})
        return ""
    return "the repository now belongs to another account; the review continues there"


def _home(place: RepositoryPlace, means: WorkerContext) -> dict[str, Any] | None:
    found = means.hub.home(place)
    return None if found is None else asdict(found)


def _take_along(place: RepositoryPlace, means: WorkerContext) -> None:
    means.records.move(place)
    means.deliveries.move(place.installation, place.repository_id)


def rerun(job: Rerun, durable: Durable, means: WorkerContext) -> str:
    """Repeat the reviews behind a check; GitHub lets only people with write access ask."""
    steps = Steps(durable, patience=means.patience)
    try:
        count = steps.do("put", lambda: _put(job, means))
    except EndError as end:
        return end.message
    return f"{count} to review"


def _put(job: Rerun, means: WorkerContext) -> int:
    """Queue the reviews that made these checks; how many."""
    if not means.settings.serves(job.place.account):
        raise EndError("this account is not enabled", RunState.SKIPPED)
    if (job.branch or "").startswith(QUEUE):
        return _put_group(job, means)
    forge = means.hub.forge(job.place.installation, job.place.repository, job.place.repository_id)
    numbers, branch = _meant(job, forge)
    for number in numbers:
        again = ReviewPull(
            place=job.place,
            number=number,
            head=job.head,
            reason=f"re-run by {job.sender}",
            is_demand=True,
            author=job.sender,
        )
        means.tasks.put(review(again, job.guid))
    if branch is not None:
        means.tasks.put(branch_job(branch, job.guid))
    return len(numbers) + int(branch is not None)


def _put_group(job: Rerun, means: WorkerContext) -> int:
    """Queue another review of a merge queue's commit, if there was one; how many."""
    place = job.place
    runs = means.records.runs.of_commit(place.repository_id, job.head, 1, number=None)
    if not runs:
        return 0
    again = ReviewGroup(
        place=place,
        head=job.head,
        branch=job.branch or "",
        base=runs[0].base,
        base_ref=merge_group.target(job.branch or ""),
        sender=job.sender,
    )
    means.tasks.put(group_job(again, job.guid))
    return 1


def _meant(job: Rerun, forge: Forge) -> tuple[list[int], ReviewBranch | None]:
    """The pull requests and the branch that these checks belong to, by their key.

    Without a key, everything with this head is meant; forks' pull requests do not exclude a branch.
    """
    if job.key == push.KEY and push.head_of(forge, job.head) is None:
        branch = _branch(job, forge)
        if branch is not None:
            return [], branch
    there = [pull for pull in forge.pulls() if pull.head == job.head]
    numbers = list(job.pulls) or [pull.number for pull in there]
    own = [number for number in numbers if check_owner.key(number) == job.key]
    if own:
        return own, None
    has_own = bool(job.pulls) or any(not pull.is_fork for pull in there)
    return numbers, None if has_own or job.key == push.KEY else _branch(job, forge)


def _branch(job: Rerun, forge: Forge) -> ReviewBranch | None:
    """The review of the branch; None if GitHub says too little about the push."""
    if job.branch is None:
        return None
    is_default = job.branch == forge.default_branch().name
    if is_default and job.before is None:
        return None
    return ReviewBranch(
        place=job.place,
        branch=job.branch,
        before=known_commit(job.before or ""),
        after=job.head,
        is_default=is_default,
        sender=job.sender,
        is_demand=True,
    )


def look_again(job: LookAgain, durable: Durable, means: WorkerContext) -> str:
    """Queue the reviews that were missed while the App could not see, or write to, repositories."""
    steps, count = Steps(durable, patience=means.patience), 0
    looks = {item.repository_id: partial(_left, job, item, means) for item in job.added} or {
        repository: partial(_unseen, job, repository, means)
        for repository in means.records.runs.places(job.installation)
    }
    for repository, look in looks.items():
        try:
            count += steps.do(f"look {repository}", look)
        except EndError as end:  # a deleted repository does not stop the others
            _log.warning("a repository was not reviewed", extra={"state": end.state.value})
    return f"{count} to review"


def _unseen(job: LookAgain, repository: int, means: WorkerContext) -> int:
    """Queue the missing reviews of one repository; how many."""
    runs = means.records.runs.latest(1, repository_id=repository)
    name = runs[0].repository if runs else ""
    place = RepositoryPlace(
        installation=job.installation, repository=name, repository_id=repository
    )
    if not runs or not means.settings.serves(place.account):
        return 0
    forge = means.hub.forge(place.installation, name, repository)
    return _put_pulls(job, place, review_key.unseen(means, place, forge, forge.pulls()), means)


def _left(job: LookAgain, place: RepositoryPlace, means: WorkerContext) -> int:
    """Queue reviews of pull requests that were reviewed before the App went; how many.

    Those have checks of ours, or runs under the repository's earlier installation.
    """
    forge = means.hub.forge(place.installation, place.repository, place.repository_id)
    _take_along(place, means)
    if not means.settings.serves(place.account):
        return 0
    pulls = forge.pulls()
    begun = {pull.number: pull for pull in pulls if forge.keys(STRUCTURE, pull.head)}
    if means.records.runs.latest(1, repository_id=place.repository_id):
        lacking = review_key.unseen(means, place, forge, pulls)
        begun |= {pull.number: pull for pull in lacking}
    return _put_pulls(job, place, list(begun.values()), means)


def _put_pulls(
    job: LookAgain, place: RepositoryPlace, pulls: Sequence[PullRequest], means: WorkerContext
) -> int:
    for pull in pulls:
        again = ReviewPull(
            place=place,
            number=pull.number,
            head=pull.head,
            reason="the App is back",
            author=pull.author,
            is_stranger=pull.is_stranger,
        )
        means.tasks.put(review(again, job.guid))
    return len(pulls)


def erase(job: Erase, durable: Durable, means: WorkerContext) -> str:
    """Erase all data of an installation, or of some of its repositories.

    Repositories that have moved to another installation of the App are left alone.
    """
    steps = Steps(durable, patience=means.patience)

    def gone() -> list[int]:
        if job.removed:
            return list(job.removed)
        kept = means.deliveries.repositories(job.installation)
        return sorted(kept | set(means.records.runs.places(job.installation)))

    def erased(repository: int) -> None:
        # Running tasks write nothing once their record is gone.
        means.records.erase(job.installation, repository)
        means.deliveries.erase(job.installation, repository)
        means.reviewer.erase(repository)
        for mark in "#@+/":
            means.tasks.erase(f"{repository}{mark}")

    try:
        repositories = steps.do("find", gone)
        if repositories:  # GitHub may need a moment to know their new places
            steps.sleep(means.lag)
        elsewhere = _elsewhere(job, repositories, steps, means)
        repositories = [item for item in repositories if item not in elsewhere]
        for repository in repositories:
            steps.do(f"erase {repository}", partial(erased, repository))
        if not job.removed:
            steps.do("erase the rest", lambda: _rest(job, means))
    except EndError as end:
        return end.message
    return f"{len(repositories)} erased"


def _elsewhere(job: Erase, repositories: list[int], steps: Steps, means: WorkerContext) -> set[int]:
    """The repositories that another installation of the App has by now.

    If GitHub does not answer for as long as we wait, they are erased, as was promised.
    """
    found = set[int]()
    for repository in repositories:
        try:
            is_there = steps.do(f"look for {repository}", partial(_is_away, job, repository, means))
        except EndError as end:
            if end.is_down:
                break
            continue
        if is_there:
            found.add(repository)
    return found


def _is_away(job: Erase, repository: int, means: WorkerContext) -> bool:
    """Whether a repository has moved to another installation; if so, its data move, too."""
    runs = means.records.runs.latest(1, repository_id=repository)
    waiting = (item for mark in "#@+/" for item in means.tasks.waiting(f"{repository}{mark}"))
    names = [item.place.repository for item in waiting if not isinstance(item, Erase | LookAgain)]
    names = [runs[0].repository] if runs else names
    if not names:
        return False
    place = RepositoryPlace(
        installation=job.installation, repository=names[0], repository_id=repository
    )
    home = means.hub.home(place)
    if home is None or home.installation == job.installation:
        return False
    _take_along(home, means)
    return True


def _rest(job: Erase, means: WorkerContext) -> None:
    means.records.erase(job.installation)
    means.deliveries.erase(job.installation)
