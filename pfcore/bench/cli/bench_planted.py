"""Asks about planted errors: the price, the calls, and the replies that are there afterwards."""

import argparse
import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import NamedTuple

from pfcore.bench.cli.bench_setup import require_key_or_price
from pfcore.bench.planted.hearing import NO_FAILURES
from pfcore.bench.planted.planted_simulation import reader
from pfcore.bench.planted.questions import questions
from pfcore.bench.planted.trials import PlantedTrial
from pfcore.cli.ask_model import carried_out, engines
from pfcore.cli.budgets import budget, run_cap
from pfcore.cli.commands.check_command import Limit, agree
from pfcore.cli.pricing import priced
from pfcore.cli.progress import Progress
from pfcore.domain.paper_settings import PaperSettings
from pfcore.llm.engine.budget import Budget
from pfcore.llm.engine.run import Store
from pfcore.llm.model_settings import ModelChoice
from pfcore.llm.store.kept import FallbackReplyStore
from pfcore.llm.store.reply_store import ReplyStore
from pfcore.reporters.style import Style
from pfcore.review.reading_session import Done, ReadJob, read_modules
from pfcore.testing import MemoryStore
from pfcore.verification.prompt import ActionFactory


class PlantedReplies(NamedTuple):
    """Where the replies are, and by contexts why some are not there."""

    store: Store
    failures: Mapping[str, str] = NO_FAILURES


@dataclass(frozen=True, kw_only=True)
class Questions:
    """Who is asked, by what leave, and where replies are kept."""

    arguments: argparse.Namespace
    choice: ModelChoice
    style: Style
    settings: PaperSettings
    store: ReplyStore


def asked(
    how: Questions,
    listed: Sequence[PlantedTrial],
    ways: Sequence[ActionFactory],
    rollouts: int,
    paper: str,
) -> PlantedReplies:
    """The store with all replies that could be had; what it costs is said before."""
    kept = FallbackReplyStore(how.store)
    jobs = questions(listed, ways, kept, rollouts)
    if not jobs:
        return PlantedReplies(kept)
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
    return PlantedReplies(kept, progress.failures)


async def _ask(
    how: Questions,
    jobs: Sequence[ReadJob],
    spend: Budget,
    kept: FallbackReplyStore,
    progress: Progress,
) -> None:
    async with engines(how.choice, kept, progress) as engine:
        at_once = how.choice.rates.in_flight
        await read_modules(jobs, engine(spend), at_once=at_once, observe=progress.module)


def simulated(
    listed: Sequence[PlantedTrial],
    ways: Sequence[ActionFactory],
    rollouts: int,
    rates: tuple[float, float],
) -> PlantedReplies:
    """The replies of a simulated reader with these chances; they are kept nowhere."""
    store = MemoryStore()
    recall, alarms = rates
    found = reader(listed, store, recall=recall, alarms=alarms)
    jobs = questions(listed, ways, store, rollouts)
    asyncio.run(read_modules(jobs, found, at_once=1, observe=_unobserved))
    return PlantedReplies(store)


def _unobserved(done: Done) -> None:
    """Nobody watches a simulation."""
