"""Which head of a fork somebody agrees to have read: one that they have certainly been shown.

Clocks differ, and deliveries come late and in any order: what is in doubt is not agreed to.
"""

from collections.abc import Iterator

from bot.domain import webhooks
from bot.domain.chat_commands import Command
from bot.domain.events import PullChanged
from bot.domain.forge import PullRequest
from bot.domain.job import ReplyJob, ReviewPull
from bot.domain.task import prefix
from bot.domain.worker_context import WorkerContext

_MARGIN = 60.0
"""Seconds that a head has to have been there before one who writes can have looked at it."""
_MOST = 500
"""Runs of a pull request that are looked at."""


def is_meant(pull: PullRequest, command: Command) -> bool:
    """Whether a check is about this head, or about whichever is there."""
    return pull.head.startswith(command.commit or "")


def is_agreed(pull: PullRequest, command: Command, job: ReplyJob, means: WorkerContext) -> bool:
    """Whether whoever asks for a check means this very head.

    The name of the whole commit says so; a short one can be made to fit another. What was written
    beside a line is about the commit that was looked at. Else the head has to have been there for
    a while by then, and no other one since.
    """
    if command.commit == pull.head:
        return True
    if job.head is not None:
        return job.head == pull.head
    return _heads(job, means) == {pull.head}


def _heads(job: ReplyJob, means: WorkerContext) -> set[str]:
    """The heads that may have been shown when a comment was written, and all later ones."""
    told = list(_told(job, means))
    known = [since for since, at_last, _ in told if at_last <= job.received - _MARGIN]
    if not known:
        return set()
    newest = max(known)
    waiting = means.tasks.waiting(prefix(job.place, job.number))
    heads = {item.head for item in waiting if isinstance(item, ReviewPull) and item.head}
    return heads | {head for _, at_last, head in told if at_last >= newest}


def _told(job: ReplyJob, means: WorkerContext) -> Iterator[tuple[float, float, str]]:
    """The heads that GitHub told us of: each was there at some moment between two.

    These are when GitHub says that it was and when we heard of it. One clock may be wrong, the
    news may be old, and GitHub may give the moment of another change. Where there is too much to
    look at, nothing is certain.
    """
    begin = prefix(job.place, job.number)
    runs = means.records.runs.of_pull(job.place.repository_id, job.number, _MOST + 1)
    for run in runs if len(runs) <= _MOST else ():
        kept = means.deliveries.get(run.id.removeprefix(begin))
        event = webhooks.parse_event(kept.event, kept.body) if kept else None
        if kept is not None and isinstance(event, PullChanged):
            first, last = sorted((event.updated, kept.received))
            yield first, last, event.head
