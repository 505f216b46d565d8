"""Reads what is unread: the weightiest modules first, as many at once as calls may be in flight.

Which accepted modules a sceptic reads again: chosen by a seed, so that nobody can pick.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pfcore.domain.digest import text_digest
from pfcore.ledger.ledger import LedgerEntry
from pfcore.llm.engine.action import Action
from pfcore.llm.engine.run import Outcome
from pfcore.review.known_verdicts import KnownVerdicts, entry
from pfcore.review.paper_verdicts import PaperVerdicts
from pfcore.verification.rollouts import verdicts
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import ModuleVerifier, Unread


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadJob:
    """A task with the knowledge of its paper; `is_recheck` rolls again whatever is known."""

    task: ContextTask
    knowledge: KnownVerdicts
    is_recheck: bool = False


class Runner(Protocol):
    """Runs actions; an engine, or a double of one."""

    async def run(self, action: Action) -> Outcome:
        """The reply to an action, or why there is none."""
        ...

    async def finish(self) -> None:
        """Wait for what is in flight."""
        ...


class Done(NamedTuple):
    """A module that was read, or why it was not; `missing` says why readings are lacking."""

    task: ContextTask
    found: LedgerEntry | Unread
    missing: str = ""


Observe = Callable[[Done], None]


async def read_modules(
    jobs: Sequence[ReadJob], engine: Runner, *, at_once: int, observe: Observe
) -> None:
    """Read all jobs, those first on which most others rest.

    The engine's store has the replies afterwards, even where this is cancelled: calls in flight
    are waited for.
    """
    room = asyncio.Semaphore(at_once)

    async def one(job: ReadJob) -> None:
        async with room:
            observe(await _read(job, engine))

    try:
        async with asyncio.TaskGroup() as group:
            for job in sorted(jobs, key=lambda job: -job.task.rests):
                group.create_task(one(job))
    finally:
        await engine.finish()


async def _read(job: ReadJob, engine: Runner) -> Done:
    knowledge = job.knowledge
    if knowledge.asking is None:
        raise ValueError("nothing can be read without a contract")
    generation = await knowledge.generation(job.task) + job.is_recheck
    reading = ModuleVerifier(run=engine.run, asking=knowledge.asking, generation=generation)
    listed = await verdicts(reading, job.task, knowledge.judging)
    found = entry(
        job.task,
        listed,
        knowledge.judging,
        contract=knowledge.contract,
        generation=generation,
    )
    reasons = (item.reason for item in listed.values() if isinstance(item, Unread))
    return Done(job.task, found, "; ".join(dict.fromkeys(reasons)))


def accepted(sheet: PaperVerdicts) -> list[ContextTask]:
    """The modules of a paper that are on record without a reported objection."""
    judging = sheet.objections.judging
    return [
        task
        for name, task in sheet.tasks.items()
        if isinstance(found := sheet.readings[name], LedgerEntry) and not found.reported(judging)
    ]


def sample(tasks: Iterable[ContextTask], size: int, seed: str) -> list[ContextTask]:
    """So many of some tasks; neither labels nor their order have a part in it."""
    return sorted(tasks, key=lambda task: text_digest(f"{seed}\n{task.context}"))[:size]
