"""Draws how long calls are, against the number of modules of a paper."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pfcore.bench.scoring.canvas import (
    BLUE,
    GREEN,
    ORANGE,
    CurveStyle,
    Picture,
    Room,
    Size,
    picture,
)
from pfcore.bench.speed.contexts import PrefixTokens, exponent

if TYPE_CHECKING:
    from pfcore.bench.scoring.canvas import Axes, Figure

_WHOLE, _BLOCK = CurveStyle(color=ORANGE, marker="s"), CurveStyle(color=BLUE)
_GIVEN = CurveStyle(color=GREEN, line="--", marker="^")
_ABOVE, _LINE = 8.0, 15.0
"""Pixels (of 100 to the inch) of a power above its point, and of a line of text."""
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
    """What is drawn of each prefix, against its modules; a logarithm has no place for nothing."""
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
    """The powers beside the ends of the curves, as far from one another as it takes to read them.

    The axes stand where they will stay.
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
