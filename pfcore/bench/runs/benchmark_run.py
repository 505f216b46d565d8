"""Rows of a benchmark as items to read (a proof, in steps or whole, or a paper) by two methods.

Reads many rows breadth-first: all rows once, then again; known readings are not repeated. Also sets
up a run: its rows, its contracts, its name.

A reading without a valid result is repeated under a new generation; a call without a reply is not.

Replies are stored permanently, including invalid ones: without a new generation a rollout with an
invalid reply could never be finished, and its row would be left out of every run.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple, Protocol, TypeVar

import prompts
from pfcore.bench.runs import location_judges, solution_steps
from pfcore.bench.runs.benchmark_rows import ArxivRow, HardRow
from pfcore.bench.runs.graded_proofs import GradedProof
from pfcore.bench.runs.location_judges import Matches, Question, Relation, relation
from pfcore.bench.runs.published_prompts import published_reader
from pfcore.bench.runs.saved_run import (
    Benchmark,
    Judge,
    Meter,
    Method,
    Prediction,
    Rollout,
    RunAccount,
    Truth,
)
from pfcore.bench.runs.solution_steps import Solution, SolutionRead, SolutionVerdict
from pfcore.domain.digest import digest, text_digest
from pfcore.domain.paper_settings import PaperSettings
from pfcore.llm.engine.action import Action
from pfcore.llm.engine.run import NoReply, Outcome, Store
from pfcore.llm.model_settings import ModelChoice
from pfcore.llm.protocol import Document
from pfcore.review.known_verdicts import NOT_YET, Memo
from pfcore.review.verification_setup import contract_of
from pfcore.verification import calibrate, verify, whole_paper
from pfcore.verification.contract import Contract, Granularity
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import Accepted, Flagged, Run, Unread, Verdict
from pfcore.verification.whole_paper import INCLUSIVE, Listed, PaperRead, ReportedError

PLACES = 60
"""The most places that one reading may name: a longer list is invalid, and not judged."""

_JUDGES = {Judge.INCLUSIVE: INCLUSIVE, Judge.STRICT: location_judges.STRICT}


class Item(Protocol):
    """A row that can be read."""

    @property
    def name(self) -> str:
        """The name that identifies it."""
        ...

    @property
    def truth(self) -> Truth:
        """The known labels or errors."""
        ...

    @property
    def content(self) -> list[object]:
        """Everything that is read or scored, for a digest."""
        ...

    async def read(self, run: Run, number: int) -> Rollout:
        """One reading, without its usage."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofItem:
    """A solution with labelled steps."""

    row: HardRow
    method: Method
    asking: ActionFactory

    @property
    def name(self) -> str:
        """The row's name."""
        return self.row.name

    @property
    def truth(self) -> Truth:
        """The number of steps, and which are wrong."""
        labels = list(enumerate(self.row.labels))
        return Truth(
            name=self.row.name,
            steps=len(self.row.steps),
            wrong=tuple(step for step, label in labels if label is False),
            unknown=tuple(step for step, label in labels if label is None),
            group=self.row.group,
        )

    @property
    def content(self) -> list[object]:
        """The problem, the steps and their labels."""
        row = self.row
        group = [row.group] if row.group else []
        return [row.name, row.problem, list(row.steps), list(row.labels), *group]

    @property
    def roomy(self) -> ActionFactory:
        """The contract with room for the pieces of this row: a long row has more of them.

        The contract is unchanged if the row has no more steps than the contract allows pieces, or
        is not taken apart.
        """
        contract, steps = self.asking.contract, len(self.row.steps)
        if self.method is Method.DIRECT or steps <= contract.pieces:
            return self.asking
        return replace(self.asking, contract=replace(contract, pieces=steps + _SPARE))

    @property
    def solution(self) -> Solution:
        """The solution to read."""
        return Solution(problem=self.row.problem, steps=self.row.steps)

    async def read(self, run: Run, number: int) -> Rollout:
        """One reading: the steps that it calls wrong."""
        how = (
            solution_steps.direct if self.method is Method.DIRECT else solution_steps.read_solution
        )

        async def one(run: Run, generation: int) -> SolutionVerdict:
            return await how(published_reader(run, self.roomy, generation), self.solution, number)

        found = await settled(run, one, lambda said: isinstance(said, Unread))
        made = Rollout(row=self.row.name, number=number)
        if isinstance(found, Unread):
            return replace(made, unreached=(found.reason,))
        return replace(
            made,
            steps=found.grades.wrong,
            first=found.grades.first,
            pieces=found.pieces,
            unfaithful=found.unfaithful,
            false_alarms=found.false_alarms,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedProofItem:
    """A proof with one grade: read in one block like a result of a paper, and calibrated.

    The direct method reads it as a solution of one step. All objections are to step 0.
    """

    row: GradedProof
    method: Method
    asking: ActionFactory

    @property
    def name(self) -> str:
        """The row's name."""
        return self.row.name

    @property
    def truth(self) -> Truth:
        """One step, which is right or wrong."""
        wrong = () if self.row.is_right else (0,)
        return Truth(name=self.row.name, steps=1, wrong=wrong, group=self.row.group)

    @property
    def content(self) -> list[object]:
        """The problem, the proof and its grade."""
        row = self.row
        return [row.name, row.problem, row.proof, row.is_right, row.group]

    @property
    def solution(self) -> Solution:
        """The solution for the direct question."""
        return Solution(problem=self.row.problem, steps=(self.row.proof,))

    @property
    def task(self) -> ContextTask:
        """The block to read: the problem is the statement."""
        problem, proof = self.row.problem, self.row.proof
        return ContextTask(
            module=self.row.name,
            context=text_digest(f"{problem}\n{proof}"),
            given=(),
            statement=problem,
            proof=proof,
        )

    async def read(self, run: Run, number: int) -> Rollout:
        """One reading: whether it calls anything wrong."""

        async def one(run: Run, generation: int) -> SolutionVerdict | Verdict:
            reader = published_reader(run, self.asking, generation)
            if self.method is Method.DIRECT:
                return await solution_steps.direct(reader, self.solution, number)
            return await reader.block(self.task, number)

        found = await settled(run, one, lambda said: isinstance(said, Unread))
        made = Rollout(row=self.row.name, number=number)
        match found:
            case Unread():
                return replace(made, unreached=(found.reason,))
            case Flagged():
                return replace(made, steps=(0,), first=0, false_alarms=found.false_alarms)
            case Accepted():
                return replace(made, false_alarms=found.false_alarms)
            case SolutionRead():
                return replace(made, steps=found.grades.wrong, first=found.grades.first)


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperItem:
    """A paper with known errors; `judge` asks about the locations that are named."""

    row: ArxivRow
    pdf: Document
    method: Method
    asking: ActionFactory
    judge: ActionFactory

    @property
    def name(self) -> str:
        """The row's name."""
        return self.row.name

    @property
    def truth(self) -> Truth:
        """The places with known errors, split by our rules and by those of the reference."""
        places = tuple(dict.fromkeys((*self.row.errors, *self.row.reference)))
        return Truth(
            name=self.row.name,
            title=self.row.title,
            places=places,
            own=tuple(places.index(place) for place in self.row.errors),
            reference=tuple(places.index(place) for place in self.row.reference),
        )

    @property
    def content(self) -> list[object]:
        """The PDF, the title, and the known errors."""
        truth = self.truth
        listed = [list(truth.places), list(truth.own), list(truth.reference)]
        return [self.name, self.row.title, self.pdf.digest, *listed]

    async def read(self, run: Run, number: int) -> Rollout:
        """One reading: the places that it says have errors, each judged."""
        made = Rollout(row=self.row.name, number=number)

        async def one(run: Run, generation: int) -> Listed | PaperRead | Unread:
            reader = published_reader(whole_paper.sighted(run, self.pdf), self.asking, generation)
            how = (
                whole_paper.read_directly
                if self.method is Method.DIRECT
                else whole_paper.read_paper
            )
            return await how(reader, number)

        found = await settled(run, one, _is_nothing)
        if isinstance(found, Unread):
            return replace(made, unreached=(found.reason,))
        if isinstance(found, Listed):
            return await self._judged(run, made, found.errors)
        made = replace(
            made,
            unreached=tuple(f"{name}: {reason}" for name, reason in found.unread.items()),
            pieces=found.pieces,
            unfaithful=found.unfaithful,
            false_alarms=found.false_alarms,
        )
        named = [
            ReportedError(location=item.location, words=item.judged.objection)
            for item in found.defects
        ]
        return await self._judged(run, made, named)

    async def _judged(self, run: Run, made: Rollout, named: Sequence[ReportedError]) -> Rollout:
        """A reading with the judges' answers; one that does not count is not judged."""
        plain = tuple(Prediction(location=item.location, words=item.words) for item in named)
        made = replace(made, predictions=plain)
        if made.unreached:
            return made
        if len({item.location for item in named}) > PLACES:
            return replace(made, unjudged=(f"it names more than {PLACES} places",))
        found = await asyncio.gather(*(self._matched(run, item) for item in named))
        unjudged = dict.fromkeys(reason for _, reasons in found for reason in reasons)
        return replace(made, predictions=tuple(item for item, _ in found), unjudged=tuple(unjudged))

    async def _matched(self, run: Run, named: ReportedError) -> tuple[Prediction, list[str]]:
        """A prediction with its matches, and why some are missing."""
        known = self.truth.places
        question = Question(
            title=self.row.title, known=known, location=named.location, words=named.words
        )
        said = await asyncio.gather(
            *(self._asked(run, stage, question) for stage in _JUDGES.values())
        )
        matches: dict[Judge, tuple[int, ...] | None] = {
            judge: found.found if isinstance(found, Matches) else None
            for judge, found in zip(_JUDGES, said, strict=True)
        }
        matches[Judge.LABELS] = tuple(
            number
            for number, place in enumerate(known)
            if relation(place, named.location) is not Relation.OTHER
        )
        reasons = [
            f"{judge}: {found.reason}"
            for judge, found in zip(_JUDGES, said, strict=True)
            if isinstance(found, Unread)
        ]
        overruled = tuple(
            judge
            for judge, found in zip(_JUDGES, said, strict=True)
            if isinstance(found, Matches) and found.overruled
        )
        made = Prediction(
            location=named.location, words=named.words, matches=matches, overruled=overruled
        )
        return made, reasons

    async def _asked(self, run: Run, stage: str, question: Question) -> Matches | Unread:
        """One judge's answer about a location."""

        async def one(run: Run, generation: int) -> Matches | Unread:
            judge = published_reader(whole_paper.sighted(run, self.pdf), self.judge, generation)
            return await location_judges.judged(judge, stage, question)

        return await settled(run, one, lambda said: isinstance(said, Unread))


def _is_nothing(found: Listed | PaperRead | Unread) -> bool:
    """Whether a reading has no verdict, or none on some piece."""
    return isinstance(found, Unread) or (isinstance(found, PaperRead) and bool(found.unread))


Observe = Callable[[Rollout], None]

Key = tuple[str, int]
"""A reading by the name of its row and the number of its rollout."""


class RowJob(NamedTuple):
    """One reading of one row that is to be made."""

    item: Item
    number: int

    @property
    def key(self) -> Key:
        """The key that identifies it."""
        return self.item.name, self.number


def jobs(items: Sequence[Item], k: int) -> list[RowJob]:
    """All readings in the order in which they begin."""
    return [RowJob(item, number) for number, item in product(range(1, k + 1), items)]


async def known_readings(
    listed: Iterable[RowJob], store: Store, account: RunAccount
) -> dict[Key, Rollout]:
    """The readings of which the store has all replies; no calls are made."""
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
    """Make readings in order, `at_once` at a time; `fresh` collects the keys that are called."""
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
    """Whether a reading from the store alone lacks a reply that a model could give."""
    return any(NOT_YET in reason for reason in (*made.unreached, *made.unjudged))


FORM = "pf-bench/1"
"""The version of the form of benchmark requests."""
SUFFIX = ".jsonl"
"""The suffix of the file of a saved run."""

_PIECES = {Benchmark.HARD2VERIFY: 40, Benchmark.PROOFS: 1, Benchmark.ARXIV: 100}
_SPARE = 20
"""How many more pieces than steps a long solution may have: lemmas of steps, and the theorem."""
_STAGES: Mapping[tuple[Benchmark, Method], tuple[str, ...]] = {
    (Benchmark.HARD2VERIFY, Method.DIRECT): (solution_steps.DIRECT,),
    (Benchmark.HARD2VERIFY, Method.PF): (
        solution_steps.TRANSLATE,
        solution_steps.FAITHFUL,
        verify.STAGE,
        solution_steps.STAGE,
    ),
    (Benchmark.PROOFS, Method.DIRECT): (solution_steps.DIRECT,),
    (Benchmark.PROOFS, Method.PF): (verify.STAGE, calibrate.STAGE),
    (Benchmark.ARXIV, Method.DIRECT): (whole_paper.DIRECT_PAPER,),
    (Benchmark.ARXIV, Method.PF): (
        whole_paper.TRANSLATE,
        whole_paper.FAITHFUL,
        verify.STAGE,
        whole_paper.CALIBRATE_PAPER,
    ),
}
JUDGING = (whole_paper.INCLUSIVE, location_judges.STRICT)
"""The stages that judge locations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkTrial:
    """What to read, how, and how often; `judge` is None if no locations are judged.

    `data` is the data file's name, `data_digest` the digest of its rows as they are read.
    """

    benchmark: Benchmark
    method: Method
    self_repair: bool
    k: int
    contract: Contract
    judge: Contract | None
    items: Sequence[Item]
    data: str
    data_digest: str

    @property
    def name(self) -> str:
        """A name that is unique to this run."""
        is_taken_apart = self.method is Method.PF and self.benchmark is not Benchmark.PROOFS
        repair = "-no-repair" if is_taken_apart and not self.self_repair else ""
        model = re.sub(r"[^A-Za-z0-9.]+", "-", self.contract.model).strip("-.") or "model"
        asks = digest([self.contract.fields(), self.judge.fields() if self.judge else None])
        what = f"{self.data_digest[:8]}-{asks[:8]}"
        return f"{self.benchmark}-{self.method}{repair}-{model}-k{self.k}-{what}"


def method_stages(benchmark: Benchmark, method: Method) -> Mapping[str, str]:
    """The stages that a method needs, with the versions of our prompts.

    A whole proof is read with the prompts for results of papers.
    """
    known = prompts.RELEASED | (prompts.CURRENT if benchmark is Benchmark.PROOFS else {})
    return {stage: known[stage] for stage in _STAGES[benchmark, method]}


def contract(
    choice: ModelChoice,
    settings: PaperSettings,
    benchmark: Benchmark,
    versions: Mapping[str, str],
    *,
    self_repair: bool,
) -> Contract:
    """The contract; without self-repair a rewriting is not compared with the original.

    A whole proof is never rewritten.
    """
    made = contract_of(choice, settings, "", versions)
    is_whole = benchmark is Benchmark.PROOFS
    return replace(
        made,
        granularity=Granularity.AUTHOR if is_whole else Granularity.FINE,
        bound=0,
        attempts=max(1, made.attempts) if self_repair and not is_whole else 0,
        pieces=_PIECES[benchmark],
        form=FORM,
    )


def judge_contract(
    choice: ModelChoice, settings: PaperSettings, versions: Mapping[str, str]
) -> Contract:
    """The contract for judges of locations, independent of how papers are read."""
    made = contract_of(
        choice, replace(settings, reading=PaperSettings.default().reading), "", versions
    )
    return replace(made, granularity=Granularity.AUTHOR, bound=0, attempts=0, pieces=1, form=FORM)


def rows_digest(items: Sequence[Item]) -> str:
    """The digest of rows as they are read and scored."""
    return digest([item.content for item in items])


Value = TypeVar("Value")

ANEW = 2
"""How often a question is repeated at most."""


@dataclass(slots=True)
class _WatchedRun:
    """Runs actions, and notes whether some had no reply."""

    run_action: Run
    has_failed: bool = False

    async def run(self, action: Action) -> Outcome:
        """The reply to an action, or why there is none."""
        outcome = await self.run_action(action)
        self.has_failed = self.has_failed or isinstance(outcome, NoReply)
        return outcome


async def settled(
    run: Run,
    make: Callable[[Run, int], Awaitable[Value]],
    is_nothing: Callable[[Value], bool],
) -> Value:
    """The value from the first generation that yields one, else the last.

    If a call had no reply there is no new generation, because the cause persists.
    """
    generation = 0
    while True:
        watched = _WatchedRun(run)
        found = await make(watched.run, generation)
        if not is_nothing(found) or watched.has_failed or generation == ANEW:
            return found
        generation += 1
