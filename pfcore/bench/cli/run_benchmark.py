"""`pf bench hard2verify` and `pf bench arxiv`: the price, the calls, the saved run, its numbers."""

import argparse
import asyncio
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from math import inf

from pfcore.bench.cli.bench_offer import BenchmarkOffer
from pfcore.bench.cli.bench_setup import BenchmarkSetup, require_key_or_price, setup
from pfcore.bench.runs import running, saved_run
from pfcore.bench.runs.metering import RunAccount
from pfcore.bench.runs.running import Key, RowJob, jobs
from pfcore.bench.runs.saved_run import Benchmark, Header, Rollout, RunAsked, SavedRun, Spent
from pfcore.bench.runs.simulated_reader import is_simulated
from pfcore.bench.runs.trials import SUFFIX
from pfcore.bench.scoring import summary
from pfcore.cli.ask_model import carried_out, engines
from pfcore.cli.budgets import budget, run_cap
from pfcore.cli.commands.check_command import Limit, agree
from pfcore.cli.commands.pdf_file import settings
from pfcore.cli.environment import simulated_path
from pfcore.cli.local_data import open_replies
from pfcore.cli.outputs import require_writable
from pfcore.cli.progress import Progress
from pfcore.domain.paper_settings import PaperSettings
from pfcore.llm.engine.budget import Budget
from pfcore.llm.engine.tally import UsageTally
from pfcore.llm.store.kept import FallbackReplyStore
from pfcore.llm.store.opening import open_store
from pfcore.llm.store.reply_store import ReplyStore
from pfcore.reporters.printing import safe
from pfcore.reporters.style import Style
from pfcore.verification.contract import Contract

_MOST = 3


@dataclass(kw_only=True)
class _Course:
    """A run under way: what was read, on what account, and what it has asked for."""

    setup: BenchmarkSetup
    store: ReplyStore
    account: RunAccount
    fresh: set[str] = field(default_factory=set)
    tally: UsageTally = field(default_factory=UsageTally)
    found: dict[Key, Rollout] = field(default_factory=dict)


def bench(
    arguments: argparse.Namespace, benchmark: Benchmark, style: Style, echo: Callable[[str], None]
) -> int:
    """Read, save, tell; 3 where some row has no verdict in some rollout."""
    require_writable(arguments.out)
    made = setup(arguments, benchmark)
    for doubt in made.doubts[:_MOST]:
        sys.stderr.write(style.finish([f"pf: {safe(doubt)}; labels count"]))
    if len(made.doubts) > _MOST:
        sys.stderr.write(style.finish([f"pf: … and {len(made.doubts) - _MOST} rows more"]))
    with _store(made) as store:
        run = _run(arguments, made, store, style)
    place = arguments.out / f"{made.trial.name}{SUFFIX}"
    saved_run.write_run(place, run)
    echo(summary.run_text(run, style) + style.finish(["", f"Saved in {place}."]))
    return 3 if any(item.unreached or item.unjudged for item in run.rollouts) else 0


@contextmanager
def _store(made: BenchmarkSetup) -> Iterator[ReplyStore]:
    if not made.is_simulated:
        with open_replies() as store:
            yield store
        return
    store = open_store(str(simulated_path()), time.time)
    try:
        yield store
    finally:
        store.close()


def _run(
    arguments: argparse.Namespace, made: BenchmarkSetup, store: ReplyStore, style: Style
) -> SavedRun:
    course = _Course(
        setup=made,
        store=store,
        account=RunAccount(
            price=made.choice.price, judge_price=made.judge.price if made.judge else None
        ),
    )
    listed = jobs(made.trial.items, made.trial.k)
    course.found = asyncio.run(running.known_readings(listed, store, course.account))
    left = [job for job in listed if job.key not in course.found]
    if left:
        _asked(arguments, course, left, style)
    return SavedRun(
        header=_header(course),
        rows=tuple(item.truth for item in made.trial.items),
        rollouts=tuple(course.found[job.key] for job in listed),
    )


def _asked(
    arguments: argparse.Namespace, course: _Course, left: Sequence[RowJob], style: Style
) -> None:
    """Make the readings that the store lacks something of; what it costs is said before."""
    made, own = course.setup, settings(arguments.rows)
    limit = _limit(arguments, course, own)
    offer = BenchmarkOffer(setup=made, listed=left, limit=limit, known=tuple(course.found.values()))
    plan = partial(style.finish, [offer.sentence()])
    require_key_or_price(made.choice, plan)
    most = inf if limit.dollars is None else limit.dollars
    agree(arguments, Limit(own.reading.ask_above, most), offer, style, plan)
    progress = Progress(total=len(left), noun="reading", style=style, tally=course.tally)
    kept = FallbackReplyStore(course.store)
    carried_out(_ask(course, left, limit, kept, progress), progress)


def _limit(arguments: argparse.Namespace, course: _Course, own: PaperSettings) -> Budget:
    """What the run may use: a benchmark is no day's work, where it has a budget of its own."""
    made = course.setup
    cap = run_cap(arguments.budget, made.choice, own, "")
    limit = budget(cap, made.choice, own, course.store, time.time())
    if arguments.budget is not None or made.is_simulated:
        limit.dollars_per_day = None
    if made.judge is not None and made.judge.price is not None:
        limit.others = {made.judge.model: made.judge.price}
    if made.is_simulated and arguments.budget is None:
        limit.dollars = None
    return limit


async def _ask(
    course: _Course,
    left: Sequence[RowJob],
    limit: Budget,
    kept: FallbackReplyStore,
    progress: Progress,
) -> None:
    made, waiting = course.setup, Counter(job.number for job in left)

    def tell(rollout: Rollout) -> None:
        number = rollout.number
        waiting[number] -= 1
        done = "" if waiting[number] else f"  rollout {number} of {made.trial.k} is done"
        if reasons := (*rollout.unreached, *rollout.unjudged):
            progress.failed(f"{rollout.row}, rollout {number}", reasons[0])
        else:
            progress.counted(done)

    async with engines(made.choice, kept, progress, made.opening) as make:
        engine = make(limit)
        try:
            course.found |= await running.read_items(
                left,
                engine.run,
                course.account,
                at_once=made.choice.rates.in_flight,
                fresh=progress.asked,
                observe=tell,
            )
        finally:
            await engine.finish()


def _header(course: _Course) -> Header:
    made, tally = course.setup, course.tally
    trial, price = made.trial, made.choice.price
    used = [used for item in course.found.values() for used in item.used]
    return Header(
        benchmark=trial.benchmark,
        method=trial.method,
        self_repair=trial.self_repair,
        simulated=made.is_simulated or is_simulated(course.account.served),
        asked=_who(trial.contract, course.account.served),
        judge=_who(trial.judge, course.account.judges) if trial.judge else None,
        n=len(trial.items),
        k=trial.k,
        date=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        data=trial.data,
        data_digest=trial.data_digest,
        version=version("pf-verify"),
        price=price,
        spent=Spent(
            calls=tally.calls,
            known=sum(item.calls - item.fresh for item in used),
            usage=tally.usage,
            dollars=None if price is None else tally.cost,
            seconds=tally.seconds,
        ),
    )


def _who(contract: Contract, served: set[str]) -> RunAsked:
    return RunAsked(
        model=contract.model,
        served=tuple(sorted(served)),
        contract=contract.digest(),
        asks=contract.fields(),
    )
