"""How long a call is that reads one module, against how many modules the paper has.

python -m pfcore.bench.speed.contexts FOLDER…

The paper's theorem says that block verification of a good Pseudo-Formal proof needs a context
whose length does not depend on the number of modules, where judging the whole needs all of it
(Context cost of block verification). Here both are measured on prefixes of real papers: the input
of each call that verifies a module as its authors wrote it, and that of one call which judges the
whole source. Prompts are real, and nobody is asked; tokens are characters, 3.5 to each.
"""

import math
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import prompts
from pfcore.bench.speed.prefixes import prefix
from pfcore.bench.terminal_table import Cell, show
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.llm.model_settings import PROPOSED
from pfcore.llm.protocol import Endpoint
from pfcore.papers import discover
from pfcore.papers.parse_cache import MemoryCache
from pfcore.papers.shelf import ParseCache
from pfcore.repository import snapshot
from pfcore.verification import stages_verify
from pfcore.verification.contract import Contract
from pfcore.verification.estimate import USUAL
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.tasks import tasks

_JUDGE = "direct-paper"
_STEPS = 8
"""Prefixes of one paper: so many, each about a half longer than the one before."""

HEAD = (
    "paper",
    "modules",
    "proofs",
    "median",
    "90 %",
    "longest",
    "context alone",
    "whole",
    "ratio",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixTokens:
    """One prefix: input tokens of each call that verifies a block, and of judging the whole.

    `given` are those of a block's context without the block itself and the instructions.
    """

    modules: int
    blocks: tuple[int, ...]
    given: tuple[int, ...]
    whole: int

    @property
    def median(self) -> float:
        """The median call."""
        return statistics.median(self.blocks)

    @property
    def given_median(self) -> float:
        """The median of what a module is given of others."""
        return statistics.median(self.given)

    @property
    def ninetieth(self) -> int:
        """The call that nine of ten do not exceed."""
        return sorted(self.blocks)[min(len(self.blocks) - 1, int(0.9 * len(self.blocks)))]


def points(found: PaperState) -> list[PrefixTokens]:
    """The prefixes of a paper that have proofs, the shortest first; the last is the whole."""
    total = len(found.document.modules)
    sizes = sorted({math.ceil(total * 1.5**-step) for step in range(_STEPS)})
    made = [_point(prefix(found, size) if size < total else found) for size in sizes]
    return list({point.modules: point for point in made if point.blocks}.values())


def _point(now: PaperState) -> PrefixTokens:
    asking = _asking()
    listed = tasks(now, now.document.modules)
    actions = [asking.action(stages_verify.STAGE, task.parts, rollout=1).request for task in listed]
    source = sum(len(now.paper.source(path)) for path in now.paper.outline.order)
    judge = len(prompts.prompt(_JUDGE, prompts.BENCH[_JUDGE]))
    return PrefixTokens(
        modules=len(now.document.modules),
        blocks=tuple(_tokens(len(item.instructions) + len(item.text)) for item in actions),
        given=tuple(_tokens(sum(len(text) for _, text in task.given)) for task in listed),
        whole=_tokens(judge + source),
    )


def exponent(listed: Sequence[tuple[float, float]]) -> float | None:
    """The power of x that y grows with, by least squares of the logarithms; 0 is not at all."""
    known = [(math.log(x), math.log(y)) for x, y in listed if x > 0 and y > 0]
    if len({x for x, _ in known}) < 2:
        return None
    return statistics.linear_regression(*zip(*known, strict=True)).slope


def prefix_rows(name: str, listed: Sequence[PrefixTokens]) -> Iterator[list[Cell]]:
    """A line for each prefix, then one with the exponents."""
    for point in listed:
        yield [
            name, point.modules, len(point.blocks), round(point.median), point.ninetieth,
            max(point.blocks), round(point.given_median), point.whole,
            point.whole / point.median,
        ]  # fmt: skip
    columns = (
        [point.median for point in listed],
        [point.ninetieth for point in listed],
        [max(point.blocks) for point in listed],
        [point.given_median for point in listed],
        [point.whole for point in listed],
    )
    found = [exponent([(p.modules, y) for p, y in zip(listed, ys, strict=True)]) for ys in columns]
    slopes = ["–" if slope is None else f"n^{slope:.2f}" for slope in found]
    yield [name, "grow like", "", *slopes, ""]


def main(argv: Sequence[str] | None = None) -> int:
    """Print a table: for each paper, a line for each prefix."""
    listed: list[list[Cell]] = []
    for folder in map(Path, argv if argv is not None else sys.argv[1:]):
        for paper in discover.discover_papers(
            snapshot.from_folder(folder), ParseCache(MemoryCache())
        ).papers:
            found = points(build_paper_state(paper))
            listed += prefix_rows(f"{folder.name} {paper.root}", found) if found else []
    show(HEAD, listed)
    return 0


def _asking() -> ActionFactory:
    contract = Contract(
        endpoint=Endpoint.RESPONSES, model=PROPOSED, prompts=tuple(prompts.CURRENT.items())
    )
    return ActionFactory(contract=contract, prompt=prompts.prompt)


def _tokens(characters: int) -> int:
    return math.ceil(characters / USUAL)


if __name__ == "__main__":
    sys.exit(main())
