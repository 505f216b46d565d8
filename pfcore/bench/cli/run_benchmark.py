"""Benchmarks of rows with known errors: the price, the calls, the saved run, its numbers.

Sets up what `pf bench hard2verify`, `pf bench proofs` and `pf bench arxiv` read, and with which
model.

Also says what the readings of a benchmark cost: about, at most, and where it stops. The upper
bound, with every possible repetition at full length, is hundreds of times the likely cost. So it
comes last, after what matters for the decision: the budget, which bounds a run whatever the replies
are like, and the most expensive known reading, if there is one.
"""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from math import inf
from pathlib import Path

from pfcore.bench.runs import benchmark_rows, benchmark_run, graded_proofs, saved_run, synthetic
from pfcore.bench.runs.benchmark_run import (
    JUDGING,
    SUFFIX,
    BenchmarkTrial,
    GradedProofItem,
    Item,
    Key,
    PaperItem,
    ProofItem,
    RowJob,
    contract,
    jobs,
    judge_contract,
    method_stages,
    rows_digest,
)
from pfcore.bench.runs.published_prompts import Published
from pfcore.bench.runs.run_prices import Prices, benchmark_at_most, likely_benchmark
from pfcore.bench.runs.saved_run import (
    Benchmark,
    Header,
    Method,
    Rollout,
    RunAccount,
    RunAsked,
    SavedRun,
    Spent,
)
from pfcore.bench.runs.simulated_reader import (
    NAME,
    AnswerKey,
    SimulatedModel,
    SimulatedRates,
    answer_key,
    is_simulated,
)
from pfcore.bench.scoring import scores
from pfcore.cli.commands.check_command import Limit, agree
from pfcore.cli.commands.pdf_command import load_pdf, settings
from pfcore.cli.environment import ReaderOptions, chosen, require_writable, simulated_path
from pfcore.cli.local_data import asker, open_replies
from pfcore.cli.pricing import Cap, budget, price_words, run_cap
from pfcore.cli.progress import Progress
from pfcore.domain.digest import digest
from pfcore.domain.errors import UsageError
from pfcore.domain.paper_settings import PaperSettings
from pfcore.llm.connection import Connection
from pfcore.llm.engine.action import UsageTally
from pfcore.llm.engine.budget import Budget
from pfcore.llm.model_settings import PROPOSED, ModelChoice, require_key
from pfcore.llm.prices import PRICES
from pfcore.llm.protocol import Endpoint, LlmClient
from pfcore.llm.store import open_store
from pfcore.llm.store.reply_store import FallbackReplyStore, ReplyStore
from pfcore.reporters.printing import Style, plural, safe
from pfcore.review.reading_session import Opening, carried_out, engines, server
from pfcore.verification.contract import Contract
from pfcore.verification.estimate import CostEstimate
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.whole_paper import document

_MOST, _MOST_BROKEN = 3, 10
"""How many doubtful rows are named, and how many broken ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkOptions:
    """The options of `pf bench hard2verify`, `pf bench proofs` and `pf bench arxiv`.

    `rows` are files, a single one for papers; `pdfs` is the folder of the papers. `k` rollouts of
    the first `limit` rows (None: all) are read; `simulate` are the probabilities of a simulated
    reader; `judge_model` names the judge of locations, if it is not the reading model.
    """

    benchmark: Benchmark
    rows: tuple[Path, ...]
    pdfs: Path | None
    method: Method
    self_repair: bool
    k: int
    limit: int | None
    simulate: tuple[float, float] | None
    judge_model: str | None
    out: Path
    reader: ReaderOptions
    style: Style


@dataclass(frozen=True, kw_only=True)
class BenchmarkSetup:
    """A trial, its model, the judge of locations (None: none), and how to connect to them.

    `doubts` are sentences about contradictory rows, `broken` about rows left out.
    """

    trial: BenchmarkTrial
    choice: ModelChoice
    judge: ModelChoice | None
    opening: Opening
    is_simulated: bool
    doubts: Sequence[str] = ()
    broken: Sequence[str] = ()


@dataclass(kw_only=True)
class _Course:
    """A run in progress: its readings, its account, and what it has requested."""

    setup: BenchmarkSetup
    store: ReplyStore
    account: RunAccount
    fresh: set[str] = field(default_factory=set)
    tally: UsageTally = field(default_factory=UsageTally)
    found: dict[Key, Rollout] = field(default_factory=dict)


def bench(wanted: BenchmarkOptions, echo: Callable[[str], None]) -> int:
    """Read, save and report; 3 if some row has no verdict in some rollout."""
    style = wanted.style
    require_writable(wanted.out)
    made = setup(wanted)
    sys.stderr.write(left_out_text(made.broken, style))
    for doubt in made.doubts[:_MOST]:
        sys.stderr.write(style.finish([f"pf: {safe(doubt)}; labels count"]))
    if len(made.doubts) > _MOST:
        sys.stderr.write(style.finish([f"pf: … and {len(made.doubts) - _MOST} rows more"]))
    with _store(made) as store:
        run = _run(wanted, made, store)
    place = wanted.out / f"{made.trial.name}{SUFFIX}"
    saved_run.write_run(place, run)
    echo(scores.run_text(run, style) + style.finish(["", f"Saved in {place}."]))
    return 3 if any(item.unreached or item.unjudged for item in run.rollouts) else 0


def left_out_text(broken: Sequence[str], style: Style) -> str:
    """The rows left out, the first of them by name; "" if there are none."""
    if not broken:
        return ""
    lines = [f"pf: {plural(len(broken), 'broken row')} left out:"]
    lines += [f"  {safe(reason)}" for reason in broken[:_MOST_BROKEN]]
    if len(broken) > _MOST_BROKEN:
        lines.append(f"  … and {len(broken) - _MOST_BROKEN:,} more")
    return style.finish(lines)


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


def _run(wanted: BenchmarkOptions, made: BenchmarkSetup, store: ReplyStore) -> SavedRun:
    course = _Course(
        setup=made,
        store=store,
        account=RunAccount(
            price=made.choice.price, judge_price=made.judge.price if made.judge else None
        ),
    )
    listed = jobs(made.trial.items, made.trial.k)
    course.found = asyncio.run(benchmark_run.known_readings(listed, store, course.account))
    left = [job for job in listed if job.key not in course.found]
    if left:
        _asked(wanted, course, left)
    return SavedRun(
        header=_header(course),
        rows=tuple(item.truth for item in made.trial.items),
        rollouts=tuple(course.found[job.key] for job in listed),
    )


def _asked(wanted: BenchmarkOptions, course: _Course, left: Sequence[RowJob]) -> None:
    """Make the readings for which the store lacks a reply; the cost is shown first."""
    made, own, style = course.setup, settings(wanted.rows[0]), wanted.style
    limit = _limit(wanted.reader.budget, course, own)
    offer = BenchmarkOffer(setup=made, listed=left, limit=limit, known=tuple(course.found.values()))
    plan = partial(style.finish, [offer.sentence()])
    require_key_or_price(made.choice, plan)
    most = inf if limit.dollars is None else limit.dollars
    agree(wanted.reader, Limit(own.reading.ask_above, most), offer, style, plan)
    progress = Progress(total=len(left), noun="reading", style=style, tally=course.tally)
    kept = FallbackReplyStore(course.store)
    carried_out(_ask(course, left, limit, kept, progress), progress)


def _limit(named: Cap | None, course: _Course, own: PaperSettings) -> Budget:
    """The run's budget; a budget of its own replaces the daily one."""
    made = course.setup
    cap = run_cap(named, made.choice, own, "")
    limit = budget(cap, made.choice, own, course.store, time.time())
    if named is not None or made.is_simulated:
        limit.dollars_per_day = None
    if made.judge is not None and made.judge.price is not None:
        limit.others = {made.judge.model: made.judge.price}
    if made.is_simulated and named is None:
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
            course.found |= await benchmark_run.read_items(
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


def setup(wanted: BenchmarkOptions) -> BenchmarkSetup:
    """The setup from a command line; UsageError for what cannot be read or reached."""
    choice, folder = _choice(wanted), wanted.reader.prompts
    benchmark, method = wanted.benchmark, wanted.method
    _require_pdfs(choice, benchmark)
    prompt, versions = asker(folder, method_stages(benchmark, method))
    plain = PaperSettings.default()
    kind = Published if folder else ActionFactory
    asking = kind(
        contract=contract(choice, plain, benchmark, versions, self_repair=wanted.self_repair),
        prompt=prompt,
    )
    if wanted.pdfs is None:
        return _of_proofs(wanted, choice, asking)
    judge = _judge(wanted, choice)
    prompt, versions = asker(folder, dict.fromkeys(JUDGING, "v1"))
    judging = kind(contract=judge_contract(judge, plain, versions), prompt=prompt)
    papers = [
        PaperItem(
            row=paper,
            pdf=document(load_pdf(paper.pdf)),
            method=method,
            asking=asking,
            judge=judging,
        )
        for paper in benchmark_rows.load_papers(wanted.rows[0], wanted.pdfs)[: wanted.limit]
    ]
    if wanted.simulate:
        _require_made_up(papers)
    return BenchmarkSetup(
        trial=_trial(wanted, asking, judging, papers),
        choice=choice,
        judge=judge,
        opening=_simulated(*wanted.simulate, None) if wanted.simulate else server,
        is_simulated=bool(wanted.simulate),
    )


def _of_proofs(
    wanted: BenchmarkOptions, choice: ModelChoice, asking: ActionFactory
) -> BenchmarkSetup:
    """Proofs, in steps or whole; a simulated reader is given their labels."""
    items: Sequence[ProofItem | GradedProofItem]
    doubts: Sequence[str] = ()
    if wanted.benchmark is Benchmark.PROOFS:
        graded = graded_proofs.load_graded_proofs(wanted.rows)
        items, broken = proof_items(wanted, graded.rows, asking), graded.broken
    else:
        loaded = benchmark_rows.load_solutions(wanted.rows)
        rows, broken = loaded.rows[: wanted.limit], loaded.broken
        items = [ProofItem(row=row, method=wanted.method, asking=asking) for row in rows]
        doubts = benchmark_rows.doubts(rows)
    if wanted.simulate:
        items = [_told(item) for item in items]
    return BenchmarkSetup(
        trial=_trial(wanted, asking, None, items),
        choice=choice,
        judge=None,
        opening=_simulated(*wanted.simulate, answer_key(items)) if wanted.simulate else server,
        is_simulated=bool(wanted.simulate),
        doubts=doubts,
        broken=broken,
    )


def proof_items(
    wanted: BenchmarkOptions, rows: Sequence[graded_proofs.GradedProof], asking: ActionFactory
) -> list[GradedProofItem]:
    """The items for whole proofs, up to the limit."""
    listed = rows[: wanted.limit]
    return [GradedProofItem(row=row, method=wanted.method, asking=asking) for row in listed]


def _told(item: ProofItem | GradedProofItem) -> ProofItem | GradedProofItem:
    """A row for a simulated reader: the labels that it is given are part of the keys."""
    truth = item.truth
    labels = digest([truth.steps, list(truth.wrong), list(truth.unknown)])
    contract = replace(item.asking.contract, effort=f"labels-{labels[:8]}")
    return replace(item, asking=replace(item.asking, contract=contract))


def _require_made_up(papers: Iterable[PaperItem]) -> None:
    """UsageError if a simulated reader is to read a real paper, whose errors it cannot know."""
    for paper in papers:
        if not synthetic.is_made_up(paper.pdf.content):
            raise UsageError(
                f"--simulate cannot read a real PDF ({paper.row.pdf}): nothing says where in it "
                "the known errors are. Name a model with --model, or make papers up: "
                "python -m pfcore.bench.runs.synthetic DIR"
            )


def _choice(wanted: BenchmarkOptions) -> ModelChoice:
    if wanted.simulate:
        require_nobody(wanted.reader, wanted.judge_model)
        return _nobody(*wanted.simulate)
    choice = chosen(wanted.reader)
    if choice is None:
        raise UsageError("a benchmark needs --model NAME or --simulate")
    return choice


def require_nobody(reader: ReaderOptions, judge_model: str | None = None) -> None:
    """UsageError if a model is named together with a simulated reader."""
    if reader.model or judge_model:
        option = "--model" if reader.model else "--judge-model"
        raise UsageError(f"--simulate uses no model: remove it, or {option}")


def require_key_or_price(choice: ModelChoice, plan: Callable[[], str]) -> None:
    """UsageError if a required key is missing; the price is printed first in that case."""
    try:
        require_key(choice.connection)
    except UsageError:
        sys.stderr.write(plan())
        raise


UNNAMED = ModelChoice(
    model=PROPOSED,
    named_by="the documentation",
    connection=Connection(base_url="http://localhost", endpoint=Endpoint.RESPONSES),
    price=PRICES[PROPOSED],
)
"""The model at whose price an overview states the cost if no model is named."""


def _nobody(recall: float, alarms: float) -> ModelChoice:
    """A simulated model, named by its probabilities, so that replies of two are never mixed.

    Its cost is at the price of the model that the documentation suggests.
    """
    return ModelChoice(
        model=f"{NAME}-{recall:g}-{alarms:g}",
        named_by="--simulate",
        connection=Connection(base_url="http://localhost", endpoint=Endpoint.RESPONSES),
        price=PRICES[PROPOSED],
    )


def _judge(wanted: BenchmarkOptions, choice: ModelChoice) -> ModelChoice:
    """The judge of locations: the reading model, unless another one is named."""
    if wanted.simulate or not wanted.judge_model:
        return choice
    return chosen(ReaderOptions(model=wanted.judge_model)) or choice


def _require_pdfs(choice: ModelChoice, benchmark: Benchmark) -> None:
    is_chat = choice.connection.endpoint is Endpoint.CHAT
    if benchmark is Benchmark.ARXIV and is_chat:
        raise UsageError(
            f"{choice.connection.host} is used through chat completions, which accept no PDF; "
            'if it supports the Responses interface, set endpoint = "responses" '
            "in your configuration"
        )


def _trial(
    wanted: BenchmarkOptions,
    asking: ActionFactory,
    judging: ActionFactory | None,
    items: Sequence[Item],
) -> BenchmarkTrial:
    return BenchmarkTrial(
        benchmark=wanted.benchmark,
        method=wanted.method,
        self_repair=wanted.self_repair and wanted.method is Method.PF,
        k=wanted.k,
        contract=_widest(asking.contract, items),
        judge=judging.contract if judging else None,
        items=items,
        data=", ".join(path.name for path in wanted.rows),
        data_digest=rows_digest(items),
    )


def _widest(asked: Contract, items: Sequence[Item]) -> Contract:
    """The contract with as many pieces as any row may need; a long row may need more."""
    longest = [it.roomy.contract.pieces for it in items if isinstance(it, ProofItem)]
    return replace(asked, pieces=max(longest, default=asked.pieces))


def _simulated(recall: float, alarms: float, known: AnswerKey | None) -> Opening:
    rates = SimulatedRates(
        block_found=recall,
        block_false=alarms,
        kept=1.0,
        let_pass=1.0,
        direct_found=recall,
        direct_false=alarms,
    )

    @asynccontextmanager
    async def opened(choice: ModelChoice) -> AsyncIterator[LlmClient]:
        yield SimulatedModel(rates, known=known)

    return opened


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkOffer:
    """Readings to be made; `limit` is the run's budget, `known` are readings of this trial."""

    setup: BenchmarkSetup
    listed: Sequence[RowJob]
    limit: Budget
    known: Sequence[Rollout] = ()

    @property
    def likely_dollars(self) -> float | None:
        """The cost by the paper's published averages; None: price unknown."""
        return 0.0 if self.setup.is_simulated else self._about.dollars

    def sentence(self) -> str:
        """What is sent to the model, and the cost."""
        setup, trial = self.setup, self.setup.trial
        readings, rows = (
            plural(len(self.listed), "reading"),
            plural(len(trial.items), "row"),
        )
        what = f"{readings} of {rows} by {trial.method}"
        if setup.is_simulated:
            return f"{what}: simulated, nobody is asked."
        where = f"{safe(setup.choice.model)} at {safe(setup.choice.connection.host)}"
        judge = f", places judged by {safe(setup.judge.model)}" if setup.judge else ""
        return f"{what}, asked of {where}{judge}: {self._price()}"

    def _price(self) -> str:
        most, about = benchmark_at_most(self._items, self._prices), self._about
        stop = _stop(self.limit)
        if not most.dollars or about.dollars is None:
            return f"{price_words(most, about)}{f' It stops {stop}.' if stop else ''}"
        known = costs(self.known)
        parts = [f"about ${about.dollars:,.2f} by the averages of the paper"]
        if known:
            whole, readings = len(self.listed) * max(known), plural(len(known), "reading")
            parts.append(
                f"${whole:,.2f} if none is dearer than the dearest of {readings} known here "
                f"(${max(known):,.3f})"
            )
        if stop:
            parts.append(f"it stops {stop}, whatever the replies are like")
        return (
            f"{'; '.join(parts)}. Were everything repeated as often as is allowed, at full length: "
            f"at most {most.calls:,} calls, {most.input:,} tokens in and {most.output:,} out, "
            f"${most.dollars:,.2f}."
        )

    @property
    def _items(self) -> list[Item]:
        return [job.item for job in self.listed]

    @property
    def _about(self) -> CostEstimate:
        return likely_benchmark(self._items, self._prices)

    @property
    def _prices(self) -> Prices:
        judge = self.setup.judge
        return Prices(reader=self.setup.choice.price, judge=judge.price if judge else None)


def costs(known: Iterable[Rollout]) -> list[float]:
    """The cost of each complete reading, including judges; those of unknown price are left out."""
    listed = [[used.dollars for used in item.used] for item in known if _is_whole(item)]
    return [sum(filter(None, one)) for one in listed if None not in one]


def _is_whole(item: Rollout) -> bool:
    return not (item.unreached or item.unjudged)


def _stop(limit: Budget) -> str:
    """Where a run stops, in words; "" if nothing stops it."""
    dollars = [] if limit.dollars is None else [limit.dollars]
    if limit.dollars_per_day is not None:
        dollars.append(max(0.0, limit.dollars_per_day - limit.day_spent()))
    words = [f"at ${min(dollars):,.2f}"] if dollars else []
    words += [f"at {limit.tokens:,} tokens"] if limit.tokens is not None else []
    words += [f"after {limit.seconds:,.0f} s"] if limit.seconds is not None else []
    return " or ".join(words)
