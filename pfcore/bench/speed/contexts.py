"""The length of a call that reads one module, against the number of modules of the paper.

python -m pfcore.bench.speed.contexts FOLDER…

The paper's theorem says that block verification of a good Pseudo-Formal proof needs a context
whose length does not depend on the number of modules, while judging the whole needs all of it
(Context cost of block verification). This script measures both on prefixes of real papers: the
input of each call that verifies a module as its authors wrote it, and that of one call which judges
the whole source. The prompts are real, but no model is used; tokens are characters, 3.5 to each.

A prefix is a paper cut off after its first modules. The results can be drawn against the number of
modules.
"""

import math
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import prompts
from pfcore.bench.real_papers import Edited, apply_edit
from pfcore.bench.scoring.figures import (
    BLUE,
    GREEN,
    ORANGE,
    CurveStyle,
    Picture,
    Room,
    Size,
    picture,
)
from pfcore.bench.terminal_table import Cell, show
from pfcore.domain.values import Location, Module
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.latex.project.include_graph import IncludeGraph
from pfcore.llm.model_settings import PROPOSED
from pfcore.llm.protocol import Endpoint
from pfcore.markup.pf_paper import is_markup
from pfcore.papers import discover
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot
from pfcore.verification import verify
from pfcore.verification.contract import Contract
from pfcore.verification.estimate import USUAL
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.task import tasks

if TYPE_CHECKING:
    from pfcore.bench.scoring.figures import Axes, Figure

_JUDGE = "direct-paper"
_STEPS = 8
"""The number of prefixes of one paper, each about half as long again as the one before."""

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
        """The tokens of the median call."""
        return statistics.median(self.blocks)

    @property
    def given_median(self) -> float:
        """The median of what a module is given from others."""
        return statistics.median(self.given)

    @property
    def ninetieth(self) -> int:
        """The 90th percentile of the calls."""
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
    actions = [asking.action(verify.STAGE, task.parts, rollout=1).request for task in listed]
    source = sum(len(now.paper.source(path)) for path in now.paper.outline.order)
    judge = len(prompts.prompt(_JUDGE, prompts.BENCH[_JUDGE]))
    return PrefixTokens(
        modules=len(now.document.modules),
        blocks=tuple(_tokens(len(item.instructions) + len(item.text)) for item in actions),
        given=tuple(_tokens(sum(len(text) for _, text in task.given)) for task in listed),
        whole=_tokens(judge + source),
    )


def exponent(listed: Sequence[tuple[float, float]]) -> float | None:
    """The exponent of x in y, by least squares of the logarithms; 0 means no growth."""
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


_END = "\n\\end{document}\n"


def prefix(found: PaperState, count: int) -> PaperState:
    """The paper with only its first `count` modules, and nothing after them.

    Modules inside these are included: one that begins in the proof of the last one counts as later
    only if it is outside of it. A file that is not finished at that point loses everything from its
    first later module on, and keeps the words before that one.
    """
    later = _later(found, count)
    unread = _unread(found, later[0].statement.location) if later else []
    cuts = dict.fromkeys(unread, 0)
    for module in later:
        for passage in module.argued:
            where = passage.location
            cuts[where.path] = min(cuts.get(where.path, where.start), where.start)
    files = {path: _cut(found, path, cut) for path, cut in cuts.items()}
    snap = apply_edit(found.paper.snapshot, Edited(subject="", files=files))
    listed = discover.discover_papers(snap, ParseCache(MemoryCache())).papers
    kept = next((item for item in listed if item.root == found.paper.root), None)
    if kept is None:
        raise ValueError(f"nothing of {found.paper.root} is a paper before its module {count}")
    return build_paper_state(kept)


def _later(found: PaperState, count: int) -> list[Module]:
    ordered = sorted(found.document.modules.values(), key=lambda module: module.position)
    kept = {module.id for module in ordered[:count]}
    return [module for module in ordered[count:] if module.parent not in kept]


def _unread(found: PaperState, first: Location) -> list[str]:
    """The files that are included after a place.

    Files that are never visibly included come in the paper's order, each as a whole.
    """
    outline = found.paper.outline
    place = [*_way(outline, first.path), first.start]
    return [path for path in outline.order if _way(outline, path) > place]


def _way(outline: IncludeGraph, path: str) -> list[int]:
    """Where a file is first included: the index of the file that it starts from, then offsets."""
    found: list[int] = []
    at = path
    while at in outline.opened:
        at, offset = outline.opened[at]
        found.insert(0, offset)
    return [outline.order.index(at), *found]


def _cut(found: PaperState, path: str, cut: int) -> str:
    text = found.paper.source(path)[:cut]
    is_closed = path == found.paper.root and not is_markup(path)
    return text + _END if is_closed else text


_WHOLE, _BLOCK = CurveStyle(color=ORANGE, marker="s"), CurveStyle(color=BLUE)
_GIVEN = CurveStyle(color=GREEN, line="--", marker="^")
_ABOVE, _LINE = 8.0, 15.0
"""The distance in pixels (100 to the inch) of a power above its point, and between two lines."""
_REMARK = (
    "real prompts, nobody was asked; a token for every 3.5 characters; pale: up to the longest"
)


def context_growth(papers: Mapping[str, Sequence[PrefixTokens]]) -> Picture:
    """Input tokens of a call against modules, both logarithmic, a panel for each paper."""
    width = max(7.0, 3.8 * len(papers))

    def draw(figure: "Figure", room: Room) -> None:
        every = figure.subplots(1, len(papers), sharey=True, squeeze=False)[0]
        top = room.top - 0.08
        for axes, (name, listed) in zip(every, papers.items(), strict=True):
            _draw(axes, listed)
            axes.set_title(name, fontsize=9.5)
            axes.label_outer()
        figure.subplots_adjust(
            left=0.95 / width, right=0.985, top=top, bottom=room.bottom, wspace=0.08
        )
        for axes, listed in zip(every, papers.values(), strict=True):
            _powers(axes, listed)

    legend = [
        ("one call that judges the whole paper", _WHOLE),
        ("one call that verifies a module: the median", _BLOCK),
        ("of that, what a module is given of others: the median", _GIVEN),
        (_REMARK, None),
    ]
    words = (
        "Input tokens of one call against the number of modules, on prefixes of papers. Real "
        "prompts, nobody was asked; a token for every 3.5 characters."
    )
    return picture("contexts", words, Size(width, 4.0), legend, draw)


def _draw(axes: "Axes", listed: Sequence[PrefixTokens]) -> None:
    xs = [point.modules for point in listed]
    medians = [point.median for point in listed]
    axes.fill_between(
        xs, medians, [max(point.blocks) for point in listed], color=BLUE, alpha=0.16, linewidth=0
    )
    for look, known in _columns(listed):
        axes.plot(
            [x for x, _ in known],
            [y for _, y in known],
            color=look.color,
            linestyle=look.line,
            marker=look.marker,
            markersize=4.5,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.minorticks_off()
    axes.set_xticks(xs[::-2], labels=[f"{x:,}" for x in xs[::-2]])
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("modules")
    axes.set_ylabel("input tokens of one call")


def _columns(listed: Sequence[PrefixTokens]) -> list[tuple[CurveStyle, list[tuple[int, float]]]]:
    """The curves of the prefixes, against modules; zeros are left out of the logarithmic plot."""
    columns = (
        (_WHOLE, [float(point.whole) for point in listed]),
        (_BLOCK, [point.median for point in listed]),
        (_GIVEN, [point.given_median for point in listed]),
    )
    return [
        (look, [(point.modules, y) for point, y in zip(listed, ys, strict=True) if y > 0])
        for look, ys in columns
    ]


def _powers(axes: "Axes", listed: Sequence[PrefixTokens]) -> None:
    """Write the powers next to the ends of the curves, spaced so that they can be read.

    The axes must have their final position.
    """
    known = [(look, pairs, exponent(pairs)) for look, pairs in _columns(listed) if pairs]
    ends = [(axes.transData.transform(pairs[-1])[1], look, pairs[-1], power)
            for look, pairs, power in known if power is not None]  # fmt: skip
    lowest = -math.inf
    for height, look, end, power in sorted(ends, key=lambda item: item[0]):
        lowest = max(height + _ABOVE, lowest + _LINE)
        axes.annotate(
            f"~ n^{power:.2f}",
            end,
            xytext=(0, (lowest - height) * 72 / axes.figure.dpi),
            textcoords="offset points",
            ha="right",
            fontsize=8,
            color=look.color,
        )


if __name__ == "__main__":
    sys.exit(main())
