"""Draws how long calls are, against the number of modules of a paper."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pfcore.bench.contexts import Point, exponent
from pfcore.bench.reporting.canvas import BLUE, GREEN, ORANGE, Look, Picture, Size, picture

if TYPE_CHECKING:
    from pfcore.bench.reporting.canvas import Axes, Figure

_WHOLE, _BLOCK = Look(color=ORANGE, marker="s"), Look(color=BLUE)
_GIVEN = Look(color=GREEN, line="--", marker="^")
_REMARK = (
    "real prompts, nobody was asked; a token for every 3.5 characters; pale: up to the longest"
)


def context_growth(papers: Mapping[str, Sequence[Point]]) -> Picture:
    """Input tokens of a call against modules, both logarithmic, a panel for each paper."""
    width = max(7.0, 3.8 * len(papers))

    def draw(figure: "Figure", bottom: float) -> None:
        every = figure.subplots(1, len(papers), sharey=True, squeeze=False)[0]
        for axes, (name, listed) in zip(every, papers.items(), strict=True):
            _draw(axes, listed)
            axes.set_title(name, fontsize=9.5)
            axes.label_outer()
        figure.subplots_adjust(left=0.95 / width, right=0.985, top=0.92, bottom=bottom, wspace=0.08)

    legend = [
        ("one call that judges the whole paper", _WHOLE),
        ("one call that verifies a module: the median", _BLOCK),
        ("of that, what a module is given of others: the median", _GIVEN),
        (_REMARK, None),
    ]
    words = "Input tokens of one call against the number of modules, on prefixes of papers."
    return picture("contexts", words, Size(width, 4.0), legend, draw)


def _draw(axes: "Axes", listed: Sequence[Point]) -> None:
    xs = [point.modules for point in listed]
    medians = [point.median for point in listed]
    axes.fill_between(
        xs, medians, [max(point.blocks) for point in listed], color=BLUE, alpha=0.16, linewidth=0
    )
    columns = (
        (_WHOLE, 6, [float(point.whole) for point in listed]),
        (_BLOCK, 6, medians),
        (_GIVEN, -24, [point.given_median for point in listed]),
    )
    for look, above, ys in columns:
        known = [(x, y) for x, y in zip(xs, ys, strict=True) if y > 0]
        axes.plot(
            [x for x, _ in known],
            [y for _, y in known],
            color=look.color,
            linestyle=look.line,
            marker=look.marker,
            markersize=4.5,
        )
        power = exponent(known)
        if power is not None:
            axes.annotate(
                f"~ n^{power:.2f}",
                known[-1],
                xytext=(0, above),
                textcoords="offset points",
                ha="right",
                fontsize=8,
                color=look.color,
            )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.minorticks_off()
    axes.set_xticks(xs[::-2], labels=[f"{x:,}" for x in xs[::-2]])
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("modules")
    axes.set_ylabel("input tokens of one call")
