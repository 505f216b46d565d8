"""Asks about planted errors: the price, the calls, and the replies that are there afterwards."""

import argparse
import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import NamedTuple

from pfcore.bench.mutation.hearing import NO_FAILURES
from pfcore.bench.mutation.questions import questions
from pfcore.bench.mutation.simulation import reader
from pfcore.bench.mutation.trials import Trial
from pfcore.commands.asking import carried_out, engines
from pfcore.commands.bench_setup import require_key_or_price
from pfcore.commands.budgets import budget, run_cap
from pfcore.commands.check import Limit, agree
from pfcore.commands.pricing import priced
from pfcore.commands.progress import Progress
from pfcore.config import Settings
from pfcore.engine.budget import Budget
from pfcore.engine.run import Store
from pfcore.llm.settings import Choice
from pfcore.report.style import Style
from pfcore.stages.asking import Asking
from pfcore.store.kept import Kept
from pfcore.store.protocol import ReplyStore
from pfcore.testing import MemoryStore
from pfcore.verdicts.session import Done, Job, read


class Answers(NamedTuple):
    """Where the replies are, and by contexts why some are not there."""

    store: Store
    failures: Mapping[str, str] = NO_FAILURES


@dataclass(frozen=True, kw_only=True)
class Questions:
    """Who is asked, by what leave, and where replies are kept."""

    arguments: argparse.Namespace
    choice: Choice
    style: Style
    settings: Settings
    store: ReplyStore


def asked(
    how: Questions, listed: Sequence[Trial], ways: Sequence[Asking], rollouts: int, paper: str
) -> Answers:
    """The store with all replies that could be had; what it costs is said before."""
    kept = Kept(how.store)
    jobs = questions(listed, ways, kept, rollouts)
    if not jobs:
        return Answers(kept)
    price = priced(jobs, how.choice)
    plan = partial(how.style.finish, [price.sentence()])
    require_key_or_price(how.choice, plan)
    cap = run_cap(how.arguments.budget, how.choice, how.settings, paper)
    spend = budget(cap, how.choice, how.settings, how.store, time.time())
    limit = Limit(how.settings.reading.ask_above, inf if spend.dollars is None else spend.dollars)
    agree(how.arguments, limit, price, how.style, plan)
    is_shown = how.arguments.format == "text"
    progress = Progress(total=len(jobs), style=how.style, noun="text", is_shown=is_shown)
    carried_out(_ask(how, jobs, spend, kept, progress), progress)
    return Answers(kept, progress.failures)


async def _ask(
    how: Questions, jobs: Sequence[Job], spend: Budget, kept: Kept, progress: Progress
) -> None:
    async with engines(how.choice, kept, progress) as engine:
        at_once = how.choice.rates.in_flight
        await read(jobs, engine(spend), at_once=at_once, observe=progress.module)


def simulated(
    listed: Sequence[Trial], ways: Sequence[Asking], rollouts: int, rates: tuple[float, float]
) -> Answers:
    """The replies of a simulated reader with these chances; they are kept nowhere."""
    store = MemoryStore()
    recall, alarms = rates
    found = reader(listed, store, recall=recall, alarms=alarms)
    jobs = questions(listed, ways, store, rollouts)
    asyncio.run(read(jobs, found, at_once=1, observe=_unobserved))
    return Answers(store)


def _unobserved(done: Done) -> None:
    """Nobody watches a simulation."""
