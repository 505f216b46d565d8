"""From a job to whoever does it."""

from typing import assert_never

from bot.domain.durable_steps import Durable
from bot.domain.job import Erase, Job, ReplyJob, Rerun, ReviewBranch, ReviewPull, TellEnd
from bot.domain.worker_context import WorkerContext
from bot.jobs import leaving, others, pull_request, push, reply


def dispatch(job: Job, durable: Durable, means: WorkerContext) -> str:
    """Do a job; the sentence says what came of it. Only what ends a process ends it early."""
    match job:
        case ReviewPull():
            return pull_request.perform(job, durable, means)
        case ReviewBranch():
            return push.read_branch(job, durable, means)
        case ReplyJob():
            return reply.reply(job, durable, means)
        case Rerun():
            return others.rerun(job, durable, means)
        case TellEnd():
            return leaving.tell(job, durable, means)
        case Erase():
            return others.erase(job, durable, means)
        case _:
            assert_never(job)
