"""What has to be asked to measure some contracts on planted errors, each question once."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pfcore.bench.planted.trials import PlantedTrial
from pfcore.ledger.ledger import LedgerEntry
from pfcore.llm.engine.run import Store
from pfcore.review.known_verdicts import KnownVerdicts
from pfcore.review.reading_session import ReadJob
from pfcore.verification.contract import Contract, Granularity, Judging
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.stages_rollouts import is_taken_apart
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import Unread


def judging(rollouts: int) -> Judging:
    """All rollouts, whatever they say: they are what is measured."""
    return Judging(rollouts=rollouts, min_votes=1, blocking_votes=1)


def questions(
    listed: Iterable[PlantedTrial], askings: Sequence[ActionFactory], store: Store, rollouts: int
) -> list[ReadJob]:
    """The texts that lack a verdict of some rollout, trial by trial under every contract.

    Contracts that differ in granularity alone ask the same of a proof that neither takes apart.
    """
    knowledge = [
        KnownVerdicts(asking=asking, store=store, judging=judging(rollouts)) for asking in askings
    ]
    found: dict[tuple[str, str], ReadJob] = {}
    for trial in listed:
        for known, asking in zip(knowledge, askings, strict=True):
            for task in _lacking(known, trial.tasks):
                found.setdefault(_asked(task, asking.contract), ReadJob(task=task, knowledge=known))
    return list(found.values())


def _lacking(known: KnownVerdicts, tasks: Iterable[ContextTask]) -> list[ContextTask]:
    return asyncio.run(_unread(known, tasks))


async def _unread(known: KnownVerdicts, tasks: Iterable[ContextTask]) -> list[ContextTask]:
    return [task for task in tasks if not _is_read(await known.entry(task), known.judging)]


def _is_read(found: LedgerEntry | Unread, judging: Judging) -> bool:
    return isinstance(found, LedgerEntry) and found.is_enough(judging)


def _asked(task: ContextTask, contract: Contract) -> tuple[str, str]:
    """What makes the questions about a text: two that share it share all replies."""
    granularity = Granularity.FINE if is_taken_apart(task, contract) else Granularity.AUTHOR
    return task.context, replace(contract, granularity=granularity, bound=0).digest()
