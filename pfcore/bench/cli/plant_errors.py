"""`pf bench mutate`: how many of the errors planted in a paper a way of reading finds.

Reads the planted errors: the price, the calls, and the stored replies afterwards.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from math import inf
from random import Random
from typing import NamedTuple

import prompts
from pfcore.bench.cli.run_benchmark import require_key_or_price, require_nobody
from pfcore.bench.planted import planted_report
from pfcore.bench.planted.outcomes import Study, advice, study
from pfcore.bench.planted.planted_report import Operator, Shown
from pfcore.bench.planted.planted_simulation import NAME, reader
from pfcore.bench.planted.planting import (
    NO_FAILURES,
    Mutant,
    PlantedTrial,
    Planting,
    candidates,
    limited,
    mutants,
    questions,
    trials,
)
from pfcore.bench.quality.mutants import seen
from pfcore.bench.runs.simulated_reader import is_simulated
from pfcore.cli.commands.check_command import Limit, agree
from pfcore.cli.environment import ReaderOptions, chosen, run_review
from pfcore.cli.local_data import asker, open_replies
from pfcore.cli.options import OutputOptions, ReviewOptions
from pfcore.cli.pricing import budget, priced, run_cap
from pfcore.cli.progress import Progress
from pfcore.cli.write_ledger import keep
from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.domain.paper_settings import PaperSettings
from pfcore.graph.paper_state import PaperState
from pfcore.llm.connection import Connection
from pfcore.llm.engine.budget import Budget
from pfcore.llm.engine.run import Store
from pfcore.llm.model_settings import ModelChoice
from pfcore.llm.protocol import Endpoint
from pfcore.llm.store.reply_store import FallbackReplyStore, ReplyStore
from pfcore.review.reading_session import Done, ReadJob, carried_out, engines, read_modules
from pfcore.review.review import PaperReport, Report
from pfcore.review.verification_setup import VerificationSetup, contract_of
from pfcore.testing import MemoryStore
from pfcore.verification.contract import Granularity
from pfcore.verification.prompt import ActionFactory

_SIMULATED = ModelChoice(
    model=NAME,
    named_by="--simulate",
    connection=Connection(base_url="http://localhost", endpoint=Endpoint.CHAT),
    price=None,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MutateOptions:
    """The options of `pf bench mutate`.

    `operators` are the kinds of errors to plant (empty: all), `each` and `limit` how many of each
    and in all (None: no limit), `seed` selects them. `granularities` and `strictnesses` are the
    ways of reading; empty means all granularities, and the configured strictness. `simulate` are
    the probabilities of a simulated reader, `is_recorded` says whether to record the result in
    pf.lock (None: unless simulated).
    """

    review: ReviewOptions
    operators: tuple[str, ...]
    each: int
    limit: int | None
    seed: int
    granularities: tuple[str, ...]
    strictnesses: tuple[str, ...]
    simulate: tuple[float, float] | None
    is_recorded: bool | None


def mutate(wanted: MutateOptions, echo: Callable[[str], None]) -> int:
    """Plant, read, compare; 3 if some error was not read under every contract."""
    review, output = wanted.review, wanted.review.output
    if wanted.simulate:
        require_nobody(review.reader)
    choice = _SIMULATED if wanted.simulate else chosen(review.reader)
    with run_review(review.revisions, VerificationSetup(), paper=review.paper) as report:
        paper = _one(report)
        planted = _planted(wanted, paper.state)
        studies = _studies(wanted, choice, paper, planted) if choice else []
        made = _shown(wanted, choice, paper.state, planted, studies)
        echo(
            planted_report.planted_json(made)
            if output.format == "json"
            else planted_report.planted_text(made, output.style)
        )
        is_kept = not made.simulated if wanted.is_recorded is None else wanted.is_recorded
        if studies and is_kept:
            _keep(review, made, paper, echo)
    return 3 if any(item.left_out for item in studies) else 0


def _one(report: Report) -> PaperReport:
    if len(report.papers) > 1:
        names = ", ".join(paper.state.paper.name for paper in report.papers)
        raise UsageError(f"errors are planted in one paper: choose it with --paper ({names})")
    return report.papers[0]


def _planted(wanted: MutateOptions, found: PaperState) -> list[Mutant]:
    operators = wanted.operators or Planting().operators
    how = Planting(seed=wanted.seed, most=wanted.each, operators=operators)
    listed = limited(mutants(found, how), wanted.limit or wanted.each * len(operators))
    if not listed:
        raise IncompleteError("this paper has no place to plant an error in")
    return listed


def _studies(
    wanted: MutateOptions, choice: ModelChoice, paper: PaperReport, planted: Iterable[Mutant]
) -> list[Study]:
    found, review = paper.state, wanted.review
    settings = found.paper.settings
    rollouts = review.reader.rollouts or settings.reading.rollouts
    listed = trials(found, planted)
    Random(wanted.seed).shuffle(listed)  # noqa: S311 - so that a budget covers a random sample
    ways = _ways(wanted, choice, found)
    if wanted.simulate:
        store = simulated(listed, ways, rollouts, wanted.simulate).store
        return [study(listed, way, store, rollouts) for way in ways]
    with open_replies() as kept:
        questions = Questions(
            reader=review.reader,
            output=review.output,
            choice=choice,
            settings=settings,
            store=kept,
        )
        fresh = asked(questions, listed, ways, rollouts, found.paper.name)
        return [study(listed, way, fresh.store, rollouts, failures=fresh.failures) for way in ways]


def _ways(wanted: MutateOptions, choice: ModelChoice, found: PaperState) -> list[ActionFactory]:
    """The contracts: the configured one in every requested granularity and strictness."""
    prompt, versions = asker(wanted.review.reader.prompts, prompts.CURRENT)
    own = versions if wanted.review.reader.prompts else None
    configured = contract_of(choice, found.paper.settings, found.paper.name, own)
    levels = dict.fromkeys(wanted.strictnesses or [configured.strictness])
    granularities = dict.fromkeys(wanted.granularities or [item.value for item in Granularity])
    return [
        ActionFactory(
            contract=replace(configured, granularity=Granularity(name), strictness=level),
            prompt=prompt,
        )
        for level in levels
        for name in granularities
    ]


def _shown(
    wanted: MutateOptions,
    choice: ModelChoice | None,
    found: PaperState,
    planted: Sequence[Mutant],
    studies: Sequence[Study],
) -> Shown:
    price = choice.price if choice else None
    served = [name for study in studies for name in study.served]
    return Shown(
        paper=found.paper.name,
        proofs=sum(bool(module.proofs) for module in found.document.modules.values()),
        seed=wanted.seed,
        day=datetime.now(UTC).date().isoformat(),
        operators=_operators(wanted, found, planted),
        model=choice.model if choice else "",
        simulated=bool(wanted.simulate) or is_simulated(served),
        price=price,
        studies=studies,
        advice=advice(studies, price),
    )


def _operators(
    wanted: MutateOptions, found: PaperState, planted: Sequence[Mutant]
) -> list[Operator]:
    by_checks = seen(found, planted)
    rows = []
    for name in wanted.operators or Planting().operators:
        places = candidates(found, name)
        rows.append(
            Operator(
                name=name,
                places=len(places),
                results=len({item.module for item in places}),
                planted=[item for item in planted if item.operator == name],
                seen=[item for item in by_checks if item.operator == name],
            )
        )
    return rows


def _keep(
    review: ReviewOptions, made: Shown, paper: PaperReport, echo: Callable[[str], None]
) -> None:
    path, style = review.revisions.path, review.output.style
    written = keep(paper, planted_report.measured(made), planted_report.contracts(made), path)
    if written and review.output.format == "text":
        words = "simulated, and called so" if made.simulated else "reports quote it"
        echo(style.finish([f"Recorded in {', '.join(written)} with each contract ({words})."]))


class PlantedReplies(NamedTuple):
    """The store of replies, and by context why some are missing."""

    store: Store
    failures: Mapping[str, str] = NO_FAILURES


@dataclass(frozen=True, kw_only=True)
class Questions:
    """The reader, its options, and the store for replies.

    `spend` is a budget shared with others; None: one is made when a call is needed.
    """

    reader: ReaderOptions
    output: OutputOptions
    choice: ModelChoice
    settings: PaperSettings
    store: ReplyStore
    spend: Budget | None = None


def asked(
    how: Questions,
    listed: Sequence[PlantedTrial],
    ways: Sequence[ActionFactory],
    rollouts: int,
    paper: str,
) -> PlantedReplies:
    """The store with all available replies; the cost is shown before the calls."""
    kept = FallbackReplyStore(how.store)
    jobs = questions(listed, ways, kept, rollouts)
    if not jobs:
        return PlantedReplies(kept)
    price, style = priced(jobs, how.choice), how.output.style
    plan = partial(style.finish, [price.sentence()])
    require_key_or_price(how.choice, plan)
    spend = how.spend or run_budget(how.reader, how.choice, how.settings, how.store, paper)
    limit = Limit(how.settings.reading.ask_above, inf if spend.dollars is None else spend.dollars)
    agree(how.reader, limit, price, style, plan)
    is_shown = how.output.format == "text"
    progress = Progress(total=len(jobs), style=style, noun="text", is_shown=is_shown)
    carried_out(_ask(how, jobs, spend, kept, progress), progress)
    return PlantedReplies(kept, progress.failures)


def run_budget(
    reader: ReaderOptions,
    choice: ModelChoice,
    settings: PaperSettings,
    store: ReplyStore,
    paper: str,
) -> Budget:
    """The budget of one run, by its option and the settings of a paper."""
    cap = run_cap(reader.budget, choice, settings, paper)
    return budget(cap, choice, settings, store, time.time())


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
    """The replies of a simulated reader with these probabilities; they are not kept on disk."""
    store = MemoryStore()
    recall, alarms = rates
    found = reader(listed, store, recall=recall, alarms=alarms)
    jobs = questions(listed, ways, store, rollouts)
    asyncio.run(read_modules(jobs, found, at_once=1, observe=_unobserved))
    return PlantedReplies(store)


def _unobserved(done: Done) -> None:
    """Ignores the progress of a simulation."""
