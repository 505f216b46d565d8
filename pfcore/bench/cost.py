"""What reading a paper takes, whole and commit by commit, with a simulated reader.

python -m pfcore.bench.cost BUNDLE_OR_FOLDER…

No model is asked: `Oracle` answers, which objects to one block in four, and rewrites a proof as one
proposition and the rest, far fewer pieces than a model makes. Input tokens are those of the real
prompts, at 3.5 characters each (`estimate.USUAL`), none of them cached; output tokens are averages
of the paper for each stage (`estimate.OUTPUT`); dollars are at the price of the model that the
documentation names. One rollout; k of them cost k times as much. Every proof is read, those that a
blueprint marks as formal, too (`trust_leanok = false`).

Commits are those of the first-parent history that make anything unread, the first one aside; what
an earlier commit made read is not read again. MB is the most memory that the process has had until
then: of a single paper it is that of its whole run.

The last column of the first table is the input of a whole run divided by that of the reference
implementation of the paper, which makes 2n + 2 calls for n modules
(https://github.com/Slim205/pseudo-formalization): with S the source, s_i and p_i the statement and
the proof of module i, and I_x the instructions of a stage (here: as long as ours), it sends

    rewriting      I_t + S
    faithfulness   sum over i of (I_f + S + s_i + p_i)
    blocks         sum over i of (I_v + s_1 + … + s_i + p_i)
    calibration    I_c + S

Flags are left out, and the statements of definitions: both would make it more.
"""

import asyncio
import math
import resource
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import prompts
from pfcore import papers, snapshot
from pfcore.bench.history import opened, revisions
from pfcore.bench.table import Cell, show, spread
from pfcore.cache import MemoryCache
from pfcore.engine.action import Action
from pfcore.estimate import OUTPUT, USUAL
from pfcore.git import Repository, find_repository
from pfcore.graph.paper import State, state
from pfcore.llm.prices import PRICES
from pfcore.llm.protocol import Endpoint, Reply, Usage
from pfcore.llm.settings import PROPOSED
from pfcore.plan import plan
from pfcore.shelf import Shelf
from pfcore.snapshot import Snapshot
from pfcore.sources import BlobCache
from pfcore.stages import calibrate, faithful, translate, verify
from pfcore.stages.asking import Asking
from pfcore.stages.contract import Contract, Granularity
from pfcore.stages.reading import Reading
from pfcore.stages.rollouts import verdict
from pfcore.stages.task import Task
from pfcore.stages.tasks import tasks
from pfcore.testing import Oracle

_FIRST = "simulated reader: no model was asked"
_MEGA = 1024 if sys.platform != "darwin" else 1024**2


@dataclass(frozen=True, slots=True)
class Taken:
    """Calls and tokens."""

    calls: int = 0
    usage: Usage = Usage()  # noqa: RUF009 - immutable

    @property
    def dollars(self) -> float:
        """At the price of the model that the documentation names."""
        return PRICES[PROPOSED].of(self.usage)


class Reader:
    """One who reads under one contract, and keeps what was said."""

    def __init__(self, granularity: Granularity) -> None:
        contract = Contract(
            endpoint=Endpoint.RESPONSES,
            model=PROPOSED,
            prompts=tuple(prompts.CURRENT.items()),
            granularity=granularity,
        )
        self.asking = Asking(contract=contract, prompt=cache(prompts.prompt))
        self._oracle = Oracle()
        self._taken = Taken()

    def read(self, listed: Iterable[Task]) -> Taken:
        """What it takes to read some modules that nobody has read."""
        self._taken = Taken()
        asyncio.run(self._all(listed))
        return self._taken

    async def _all(self, listed: Iterable[Task]) -> None:
        reading = Reading(run=self._run, asking=self.asking)
        for task in listed:
            await verdict(reading, task, 1)

    async def _run(self, action: Action) -> Reply:
        reply = await self._oracle.run(action)
        while self._oracle.asked:
            self._oracle.asked.pop()  # prompts of a whole paper need not be kept
            request = action.request
            into = math.ceil((len(request.instructions) + len(request.text)) / USUAL)
            usage = Usage(input=into, output=min(OUTPUT[action.stage], request.limit))
            self._taken = Taken(self._taken.calls + 1, self._taken.usage + usage)
        return reply


def main(argv: Sequence[str] | None = None) -> int:
    """Print a table of whole papers, then one of commits."""
    sys.stdout.write(f"{_FIRST}\n")
    wholes: list[list[Cell]] = []
    commits: list[list[Cell]] = []
    for place in map(Path, argv if argv is not None else sys.argv[1:]):
        with tempfile.TemporaryDirectory() as folder:
            repository = _repository(place, Path(folder))
            wholes += _wholes(place.stem, _last(place, repository))
            if repository is not None:
                commits += _commits(place.stem, repository)
    show(
        ("paper", "blocks", "modules", "calls", "input", "output", "$", "MB", "of reference"),
        wholes,
    )
    if commits:
        show(("history", "blocks", "commits", "calls", "p90", "tokens", "p90", "$", "p90"), commits)
    return 0


def _repository(place: Path, folder: Path) -> Repository | None:
    """The history at a place; None for a folder without one."""
    if place.is_dir() and find_repository(place) is None:
        return None
    return opened(place, folder)


def _last(place: Path, repository: Repository | None) -> Snapshot:
    if repository is None:
        return snapshot.from_folder(place)
    return snapshot.from_revision(repository, revisions(repository)[-1], cache=BlobCache())


def _wholes(name: str, snap: Snapshot) -> Iterator[list[Cell]]:
    """The rows of a snapshot: each of its papers in each granularity."""
    for paper in papers.library(snap, Shelf(MemoryCache())).papers:
        now = state(paper)
        listed = tasks(now, now.document.modules)
        if not listed:
            continue
        for granularity in Granularity:
            reader = Reader(granularity)
            taken = reader.read(listed)
            usage = taken.usage
            share = usage.input / reference(now, listed, reader.asking)
            yield [
                f"{name} {paper.root}", granularity, len(listed), taken.calls, usage.input,
                usage.output, taken.dollars, _megabytes(), share,
            ]  # fmt: skip


def reference(now: State, listed: Sequence[Task], asking: Asking) -> float:
    """The input tokens of one rollout of the reference implementation, by the formula above."""
    place = {name: number for number, name in enumerate(now.document.modules)}
    fixed = {
        stage: len(asking.action(stage, (), rollout=1).request.instructions)
        for stage in (translate.STAGE, faithful.STAGE, verify.STAGE, calibrate.STAGE)
    }
    source = sum(len(now.paper.source(path)) for path in now.paper.outline.order)
    total = fixed[translate.STAGE] + fixed[calibrate.STAGE] + 2 * source
    before = 0
    for task in sorted(listed, key=lambda task: place[task.module]):
        before += len(task.statement)
        total += fixed[faithful.STAGE] + source + task.length
        total += fixed[verify.STAGE] + before + len(task.proof)
    return total / USUAL


def _commits(name: str, repository: Repository) -> Iterator[list[Cell]]:
    """The rows of a history: what a commit takes in each granularity."""
    readers = {granularity: Reader(granularity) for granularity in Granularity}
    found: dict[Granularity, list[Taken]] = {granularity: [] for granularity in Granularity}
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


def _affected(repository: Repository) -> Iterator[list[Task]]:
    """The tasks that each commit affects, over all papers."""
    shelf, blobs = Shelf(MemoryCache()), BlobCache()
    before: dict[str, State] = {}
    for revision in revisions(repository):
        snap = snapshot.from_revision(repository, revision, cache=blobs)
        after = {
            paper.name: state(paper, before.get(paper.name))
            for paper in papers.library(snap, shelf).papers
        }
        pairs = [(before[name], now) for name, now in after.items() if name in before]
        yield [
            task
            for then, now in pairs
            for task in tasks(now, [item.id for item in plan(then, now).affected])
        ]
        before = after


def _megabytes() -> int:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // _MEGA


if __name__ == "__main__":
    sys.exit(main())
