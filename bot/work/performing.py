"""From a job to whoever does it."""

from typing import assert_never

from bot.work import branches, leaving, others, pulls, replies
from bot.work.job import Erase, Job, Reply, Rerun, ReviewBranch, ReviewPull, TellEnd
from bot.work.means import Means
from bot.work.steps import Durable


def perform(job: Job, durable: Durable, means: Means) -> str:
    """Do a job; the sentence says what came of it. Only what ends a process ends it early."""
    match job:
        case ReviewPull():
            return pulls.perform(job, durable, means)
        case ReviewBranch():
            return branches.read(job, durable, means)
        case Reply():
            return replies.reply(job, durable, means)
        case Rerun():
            return others.rerun(job, durable, means)
        case TellEnd():
            return leaving.tell(job, durable, means)
        case Erase():
            return others.erase(job, durable, means)
        case _:
            assert_never(job)
