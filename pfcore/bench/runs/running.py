"""Readings of many rows, breadth-first: all rows once, then again; what is known is not asked."""

import asyncio
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from pfcore.bench.runs.benchmark_run import Item
from pfcore.bench.runs.metering import Meter, RunAccount
from pfcore.bench.runs.saved_run import Rollout
from pfcore.llm.engine.run import Store
from pfcore.review.known_verdicts import NOT_YET, Memo
from pfcore.verification.verify import Run

Observe = Callable[[Rollout], None]


Key = tuple[str, int]
"""A reading by the name of its row and the number of its rollout."""


class RowJob(NamedTuple):
    """One reading of one row that is to be made."""

    item: Item
    number: int

    @property
    def key(self) -> Key:
        """What tells it from the others."""
        return self.item.name, self.number


def jobs(items: Sequence[Item], k: int) -> list[RowJob]:
    """All readings in the order in which they begin."""
    return [RowJob(item, number) for number, item in product(range(1, k + 1), items)]


async def known_readings(
    listed: Iterable[RowJob], store: Store, account: RunAccount
) -> dict[Key, Rollout]:
    """The readings that the store has all replies of; nobody is asked."""
    found: dict[Key, Rollout] = {}
    for job in listed:
        meter = Meter(run_action=Memo(store).run)
        made = await job.item.read(meter.run, job.number)
        if not _is_open(made):
            found[job.key] = replace(made, used=account.used(meter, frozenset()))
    return found


async def read_items(
    listed: Sequence[RowJob],
    run: Run,
    account: RunAccount,
    *,
    at_once: int,
    fresh: Set[str],
    observe: Observe,
) -> dict[Key, Rollout]:
    """Make readings in order, so many at once; `fresh` grows by the keys that are asked for."""
    room = asyncio.Semaphore(at_once)
    found: dict[Key, Rollout] = {}

    async def one(job: RowJob) -> None:
        async with room:
            meter = Meter(run_action=run)
            made = await job.item.read(meter.run, job.number)
        found[job.key] = replace(made, used=account.used(meter, fresh))
        observe(found[job.key])

    async with asyncio.TaskGroup() as group:
        for job in listed:
            group.create_task(one(job))
    return found


def _is_open(made: Rollout) -> bool:
    """Whether a reading from the store alone lacks a reply that a model could be asked for."""
    return any(NOT_YET in reason for reason in (*made.unreached, *made.unjudged))
