"""The cost of reading a paper, whole and commit by commit, with a simulated reader.

python -m pfcore.bench.speed.cost BUNDLE_OR_FOLDER…

No model is used: `Oracle` answers, which objects to one block in four, and rewrites a proof as one
proposition and the rest, which are far fewer pieces than a model makes. Input tokens are those of
the real prompts, at 3.5 characters each (`estimate.USUAL`), none of them cached; output tokens are
the paper's averages for each stage (`estimate.OUTPUT`); dollars are at the price of the model that
the documentation suggests. The paper's average of a rewriting is for whole solutions of competition
problems, and most modules are shorter: "$ by length" is an estimate that counts `PER_TOKEN` tokens
of a rewriting for each token of the module, and leaves the reference unchanged. All this is for one
rollout; k rollouts cost k times as much. Every proof is read, including those that a blueprint
marks as formal (`trust_leanok = false`).

Commits are those of the first-parent history, except the first, that make anything unread; what was
read after an earlier commit is not read again. MB is the process's peak memory so far: with a
single paper it is that of the whole run.

The first line of each paper is the paper's reference implementation, by the formula below; the
columns after it are the ratios of our readings to it. The second table has both by stage.

The reference implementation makes 2n + 2 calls for n modules
(https://github.com/Slim205/pseudo-formalization), one after the other. With S the source, s_i and
p_i the statement and the proof of module i, and I_x the instructions of a stage (here: as long as
ours), one rollout sends

    rewriting      I_t + S
    faithfulness   sum over i of (I_f + S + s_i + p_i)     (it sends the PDF each time)
    blocks         sum over i of (I_v + s_1 + … + s_i + p_i)
    calibration    I_c + S

Flags and the statements of definitions are left out; both would increase it. Its output for each
call is that of the paper's table of stage costs, except for the rewriting, which repeats all of S.
"""

import asyncio
import math
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import prompts
from pfcore.bench.quality.history import compared_papers, open_history, revisions
from pfcore.bench.terminal_table import Cell, show, spread
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.impact.plan import make_plan
from pfcore.llm.engine.action import Action
from pfcore.llm.model_settings import PROPOSED
from pfcore.llm.prices import PRICES
from pfcore.llm.protocol import Endpoint, Reply, TokenUsage
from pfcore.papers import discover
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot
from pfcore.repository.git import GitRepository, find_repository
from pfcore.repository.snapshot import Snapshot
from pfcore.repository.source_files import BlobCache
from pfcore.testing import Oracle
from pfcore.verification import calibrate, translate, verify
from pfcore.verification.contract import Contract, Granularity
from pfcore.verification.estimate import OUTPUT, USUAL
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.rollouts import verdict
from pfcore.verification.task import ContextTask, tasks
from pfcore.verification.verify import ModuleVerifier

FIRST = "simulated reader: no model was used"
TOTALS = (
    *("paper", "blocks", "modules", "calls", "input", "output", "$", "MB"),
    *("calls of ref.", "input of ref.", "output of ref.", "$ of ref."),
    *("$ by length", "of ref."),
)
STAGES = ("paper", "blocks", "stage", "calls", "input", "output", "$", "$ by length")
PER_TOKEN = 3.04
"""Output tokens of a rewriting for each token of the original, thinking included.

In the paper's table of stage costs a rewriting has 3,825 tokens of input and 8,550 of output; the
instructions that it prints have 3,532 characters, about 1,009 tokens, and the rest is the solution.
"""
_MEGA = 1024 if sys.platform != "darwin" else 1024**2


@dataclass(frozen=True, slots=True)
class CallCount:
    """Calls and tokens; `by_length` are output tokens if a rewriting is as long as its module."""

    calls: int = 0
    usage: TokenUsage = TokenUsage()  # noqa: RUF009 - immutable
    by_length: int = 0

    def __add__(self, other: "CallCount") -> "CallCount":
        by_length = self.by_length + other.by_length
        return CallCount(self.calls + other.calls, self.usage + other.usage, by_length)

    @property
    def dollars(self) -> float:
        """The cost at the price of the model that the documentation suggests."""
        return PRICES[PROPOSED].of(self.usage)

    @property
    def dollars_by_length(self) -> float:
        """The same, with rewritings by their length: an estimate."""
        return PRICES[PROPOSED].of(replace(self.usage, output=self.by_length))


class CountingReader:
    """A reader under one contract, which keeps all replies."""

    def __init__(self, granularity: Granularity) -> None:
        contract = Contract(
            endpoint=Endpoint.RESPONSES,
            model=PROPOSED,
            prompts=tuple(prompts.CURRENT.items()),
            granularity=granularity,
        )
        self.asking = ActionFactory(contract=contract, prompt=cache(prompts.prompt))
        self._oracle = Oracle()
        self._taken: dict[str, CallCount] = {}
        self._length = 0

    def read(self, listed: Iterable[ContextTask]) -> CallCount:
        """The cost of reading those of some modules that are unread."""
        return sum_of_costs(self.stages(listed))

    def stages(self, listed: Iterable[ContextTask]) -> Mapping[str, CallCount]:
        """The same by stage."""
        self._taken = {}
        asyncio.run(self._all(listed))
        return self._taken

    async def _all(self, listed: Iterable[ContextTask]) -> None:
        reading = ModuleVerifier(run=self._run, asking=self.asking)
        for task in listed:
            self._length = task.length
            await verdict(reading, task, 1)

    async def _run(self, action: Action) -> Reply:
        reply = await self._oracle.run(action)
        while self._oracle.asked:
            self._oracle.asked.pop()  # prompts of a whole paper need not be kept
            request = action.request
            into = math.ceil((len(request.instructions) + len(request.text)) / USUAL)
            usage = TokenUsage(input=into, output=min(OUTPUT[action.stage], request.limit))
            by_length = usage.output
            if action.stage == translate.TRANSLATE:
                by_length = min(math.ceil(PER_TOKEN * self._length / USUAL), request.limit)
            known = self._taken.get(action.stage, CallCount())
            self._taken[action.stage] = known + CallCount(1, usage, by_length)
        return reply


def main(argv: Sequence[str] | None = None) -> int:
    """Print a table of whole papers, then one of commits."""
    sys.stdout.write(f"{FIRST}\n")
    wholes: list[list[Cell]] = []
    stages: list[list[Cell]] = []
    commits: list[list[Cell]] = []
    for place in map(Path, argv if argv is not None else sys.argv[1:]):
        with tempfile.TemporaryDirectory() as folder:
            repository = _repository(place, Path(folder))
            for paper in discover.discover_papers(
                _last(place, repository), ParseCache(MemoryCache())
            ).papers:
                found = compared(build_paper_state(paper))
                name = f"{place.stem} {paper.root}"
                wholes += totals(name, found) if found else []
                stages += by_stage(name, found) if found else []
            if repository is not None:
                commits += _commits(place.stem, repository)
    show(TOTALS, wholes)
    show(STAGES, stages)
    if commits:
        show(("history", "blocks", "commits", "calls", "p90", "tokens", "p90", "$", "p90"), commits)
    return 0


def _repository(place: Path, folder: Path) -> GitRepository | None:
    """The history at a place; None for a folder without one."""
    if place.is_dir() and find_repository(place) is None:
        return None
    return open_history(place, folder)


def _last(place: Path, repository: GitRepository | None) -> Snapshot:
    if repository is None:
        return snapshot.from_folder(place)
    return snapshot.from_revision(repository, revisions(repository)[-1], cache=BlobCache())


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingCost:
    """The cost of one way of reading a paper, by stage; `megabytes` is None for the reference."""

    way: str
    modules: int
    stages: Mapping[str, CallCount]
    megabytes: int | None = None

    @property
    def total(self) -> CallCount:
        """The sum over the stages."""
        return sum_of_costs(self.stages)


def compared(now: PaperState) -> list[ReadingCost]:
    """The reference implementation on a paper, then each granularity; empty without proofs."""
    listed = tasks(now, now.document.modules)
    if not listed:
        return []
    asking = CountingReader(Granularity.AUTHOR).asking
    known, count = usages(now, listed, asking), calls(len(listed))
    reference = {
        stage: CallCount(count[stage], usage, usage.output) for stage, usage in known.items()
    }
    found = [ReadingCost(way="reference", modules=len(listed), stages=reference)]
    for granularity in Granularity:
        stages = CountingReader(granularity).stages(listed)
        found.append(
            ReadingCost(way=granularity, modules=len(listed), stages=stages, megabytes=_megabytes())
        )
    return found


def totals(name: str, found: Sequence[ReadingCost]) -> Iterator[list[Cell]]:
    """A line for each way of reading, with its ratios to the first one."""
    first = found[0].total
    for item in found:
        taken = item.total
        usage = taken.usage
        yield [
            name, item.way, item.modules, taken.calls, usage.input, usage.output, taken.dollars,
            item.megabytes or "–", taken.calls / first.calls, usage.input / first.usage.input,
            usage.output / first.usage.output, taken.dollars / first.dollars,
            taken.dollars_by_length, taken.dollars_by_length / first.dollars,
        ]  # fmt: skip


def by_stage(name: str, found: Sequence[ReadingCost]) -> Iterator[list[Cell]]:
    """A line for each way of reading and each of its stages."""
    for item in found:
        for stage, taken in item.stages.items():
            usage = taken.usage
            yield [
                name, item.way, stage, taken.calls, usage.input, usage.output, taken.dollars,
                taken.dollars_by_length,
            ]  # fmt: skip


def sum_of_costs(stages: Mapping[str, CallCount]) -> CallCount:
    """The sum over the stages."""
    return sum(stages.values(), CallCount())


def _commits(name: str, repository: GitRepository) -> Iterator[list[Cell]]:
    """The rows of a history: the cost of a commit in each granularity."""
    readers = {granularity: CountingReader(granularity) for granularity in Granularity}
    found: dict[Granularity, list[CallCount]] = {granularity: [] for granularity in Granularity}
    for listed in _affected(repository):
        for granularity, reader in readers.items():
            taken = reader.read(listed)
            if taken.calls:
                found[granularity].append(taken)
    for granularity, costs in found.items():
        if costs:
            yield [
                name, granularity, len(costs), *spread([item.calls for item in costs]),
                *map(round, spread([item.usage.input + item.usage.output for item in costs])),
                *spread([item.dollars for item in costs]),
            ]  # fmt: skip


def _affected(repository: GitRepository) -> Iterator[list[ContextTask]]:
    """The tasks that each commit affects, over all papers."""
    for _, pairs in compared_papers(repository):
        yield [
            task
            for then, now in pairs
            for task in tasks(now, [item.id for item in make_plan(then, now).affected])
        ]


def _megabytes() -> int:
    """The peak memory of this process in MB."""
    import resource  # not available on Windows

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // _MEGA


REFERENCE_STAGES = (
    translate.TRANSLATE,
    translate.FAITHFUL,
    verify.STAGE,
    calibrate.STAGE,
)


def calls(modules: int) -> Mapping[str, int]:
    """The calls of one rollout, by stage: 2n + 2."""
    return dict(zip(REFERENCE_STAGES, (1, modules, modules, 1), strict=True))


def usages(
    now: PaperState, listed: Sequence[ContextTask], asking: ActionFactory
) -> Mapping[str, TokenUsage]:
    """The tokens of one rollout, by stage."""
    place = {name: number for number, name in enumerate(now.document.modules)}
    fixed = {
        stage: len(asking.action(stage, (), rollout=1).request.instructions)
        for stage in REFERENCE_STAGES
    }
    source = sum(len(now.paper.source(path)) for path in now.paper.outline.order)
    into = {stage: fixed[stage] + source for stage in (translate.TRANSLATE, calibrate.STAGE)}
    into |= {translate.FAITHFUL: 0, verify.STAGE: 0}
    before = 0
    for task in sorted(listed, key=lambda task: place[task.module]):
        before += len(task.statement)
        into[translate.FAITHFUL] += fixed[translate.FAITHFUL] + source + task.length
        into[verify.STAGE] += fixed[verify.STAGE] + before + len(task.proof)
    made = calls(len(listed))
    out = {stage: made[stage] * OUTPUT[stage] for stage in REFERENCE_STAGES}
    out[translate.TRANSLATE] = max(out[translate.TRANSLATE], round(source / USUAL))
    return {
        stage: TokenUsage(input=round(into[stage] / USUAL), output=out[stage])
        for stage in REFERENCE_STAGES
    }


if __name__ == "__main__":
    sys.exit(main())
