"""What is said beside its commit of a run that was given up: nobody else would close its checks."""

from bot.domain.durable_steps import Durable, EndError, Steps
from bot.domain.events import RepositoryPlace
from bot.domain.forge import PullRequest
from bot.domain.job import TellEnd
from bot.domain.run_records import MUTE, ReviewRun, RunState
from bot.domain.worker_context import WorkerContext
from bot.jobs import pull_request, push
from bot.jobs.run_lifecycle import Running

NOTE = "it was interrupted too often"


def tell(job: TellEnd, durable: Durable, means: WorkerContext) -> str:
    """Say it, unless another run has spoken of the commit since; the sentence says which."""
    steps = Steps(durable, patience=means.patience)
    try:
        return str(steps.do("tell", lambda: _told(job, means)))
    except EndError as end:
        return end.message


def _told(job: TellEnd, means: WorkerContext) -> str:
    run = means.records.runs.get(job.run)
    if run is None:
        raise EndError("it was erased meanwhile", RunState.SKIPPED)
    running, head = _speaker(run, job.place, means)
    if head is None:
        running.let_go(run.head, f"{NOTE}. {push.AGAIN}")
    if head is None or not is_last(means, run, head):
        return "others speak of it"
    running.tell_rest(run, head, NOTE)
    return "told"


def is_last(means: WorkerContext, run: ReviewRun, head: str) -> bool:
    """Whether no run has spoken of the commit since."""
    since = means.records.runs.of_commit(
        run.repository_id, head, 1, number=run.number, states=frozenset(RunState) - MUTE
    )
    return all(item.id == run.id or item.created < run.created for item in since)


def _speaker(
    run: ReviewRun, place: RepositoryPlace, means: WorkerContext
) -> tuple[Running, str | None]:
    """Who speaks in place of a run, and of which commit; None where nobody waits for a word."""
    forge = means.hub.forge(place.installation, place.repository)
    if run.number is not None:
        pull: PullRequest = forge.pull(run.number)
        key = pull_request.key(run.number)
        running = Running(means, place, id_=run.id, key=key, again=pull_request.AGAIN)
        running.is_only = pull_request.is_only(pull)
        return running, run.head or pull.head
    running = Running(means, place, id_=run.id, key=push.KEY, again=push.AGAIN)
    running.is_only = not push.has_stranger(forge, run.head)
    tip = forge.default_branch().tip
    is_wanted = means.reviewer.is_every_branch(place, tip, forge.origin())
    is_told = is_wanted and push.head_of(forge, run.head) is None
    return running, run.head if is_told else None
