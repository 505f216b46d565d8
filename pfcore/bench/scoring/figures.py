"""Draws the curves of runs: the colour shows the method; shade, line and marker the model.

All pictures are drawn here, because this is the only module that uses matplotlib.

Colours are those of Okabe and Ito, which people with any kind of colour vision can distinguish.
"""

import io
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pfcore.bench.runs.saved_run import Benchmark, Method
from pfcore.bench.scoring.scaling import IntervalEstimate
from pfcore.bench.scoring.scores import Curve
from pfcore.domain.errors import UsageError
from pfcore.domain.installation import install_command

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes  # noqa: PLC0414 - reexported for other modules
    from matplotlib.figure import Figure as Figure  # noqa: PLC0414 - reexported for other modules

_APART = 16
"""The least distance between the numbers of two points, in pixels (100 to the inch)."""
_TITLE = 0.07
"""The share of the height that a title takes."""
_INTERVALS = "pale: 95 % intervals, from rows drawn with replacement, and at least Wilson's"
_BENCHMARKS = {
    Benchmark.HARD2VERIFY: "Hard2Verify",
    Benchmark.PROOFS: "Graded proofs",
    Benchmark.ARXIV: "ArxivMathGradingBench",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A drawn figure: its file name, a description, and its bytes by format."""

    name: str
    words: str
    data: Mapping[str, bytes]


def precision_recall(listed: Sequence[Curve], *, of_proofs: bool = False) -> Picture:
    """Precision against recall, a point for each k; of whole proofs, or of steps or locations."""
    kind = "proof" if of_proofs else _unit(listed)
    named = _BENCHMARKS[listed[0].header.benchmark]
    subject = "whole proofs" if of_proofs else _subject(listed)

    def draw(figure: "Figure", room: Room) -> None:
        axes, looks = figure.subplots(), _looks(listed)
        _curves_of(axes, listed, looks, f"{kind}_recall", f"{kind}_precision")
        axes.set_title(f"{named}: precision and recall on {subject}, by k")
        _bounded(axes, listed)
        top = room.top - _TITLE
        figure.subplots_adjust(left=0.1, right=0.98, top=top, bottom=room.bottom)
        _numbered(axes, listed, looks, f"{kind}_recall", f"{kind}_precision")

    words = f"{named}: precision against recall on {subject}, a point for each k."
    name = "precision-recall-proofs" if of_proofs else "precision-recall"
    return _picture(name, words, Size(7.5, 4.6), listed, draw)


def panels(listed: Sequence[Curve]) -> Picture:
    """Recall, false errors and coverage against k, each with its interval."""
    is_paper = listed[0].header.benchmark is Benchmark.ARXIV
    unit, bound = ("paper", " (upper bound)") if is_paper else ("proof", "")
    named = _BENCHMARKS[listed[0].header.benchmark]
    titles = {
        "step_recall": f"Recall of {_subject(listed)} (%)",
        "false_errors": f"False errors per {unit}{bound}",
        "coverage": f"Coverage: {unit}s with all errors found (%)",
    }
    shown = f"recall, false errors per {unit} and coverage"
    if _unit(listed) == "proof":
        titles = {
            "proof_recall": "Recall of wrong proofs (%)",
            "proof_false_alarms": "False alarms on right proofs (%)",
            "proof_balanced_accuracy": "Balanced accuracy (%)",
        }
        shown = "recall, false alarms and balanced accuracy"

    def draw(figure: "Figure", room: Room) -> None:
        looks = _looks(listed)
        for axes, (name, title) in zip(figure.subplots(1, 3), titles.items(), strict=True):
            for item in listed:
                _against_k(axes, item, looks[item.mark], name)
            axes.set_title(title, fontsize=9.5)
            axes.set_xlabel("k rollouts")
            axes.set_xticks(sorted({k for item in listed for k in item.points}))
            axes.set_ylim(bottom=0)
        top = room.top - _TITLE
        figure.subplots_adjust(left=0.05, right=0.985, top=top, bottom=room.bottom, wspace=0.2)

    words = f"{named}: {shown} at each k."
    return _picture("panels", words, Size(11.0, 3.6), listed, draw)


def models(listed: Sequence[Curve]) -> Picture | None:
    """Precision against recall, a panel for each model; None if there is only one."""
    by_model: dict[str, list[Curve]] = {}
    for item in listed:
        by_model.setdefault(item.model, []).append(item)
    if len(by_model) < 2:
        return None
    kind = _unit(listed)
    named = _BENCHMARKS[listed[0].header.benchmark]

    def draw(figure: "Figure", room: Room) -> None:
        looks = _looks(listed)
        every = figure.subplots(1, len(by_model), sharex=True, sharey=True)
        for axes, (model, group) in zip(every, by_model.items(), strict=True):
            _curves_of(axes, group, looks, f"{kind}_recall", f"{kind}_precision")
            axes.set_title(model, fontsize=9.5)
            axes.label_outer()
        _bounded(every[0], listed)
        top = room.top - _TITLE
        figure.subplots_adjust(left=0.07, right=0.985, top=top, bottom=room.bottom, wspace=0.08)
        for axes, group in zip(every, by_model.values(), strict=True):
            _numbered(axes, group, looks, f"{kind}_recall", f"{kind}_precision")

    words = f"{named}: precision and recall by model, a point for each k."
    size = Size(max(7.5, 3.4 * len(by_model)), 3.8)
    return _picture("models", words, size, listed, draw)


class Size(NamedTuple):
    """The size of a figure in inches, without the legend below and the banner above."""

    width: float
    height: float


class Room(NamedTuple):
    """Where plots with their titles and axis labels may be, as shares of the height.

    The plots end at `bottom`, their titles at `top`.
    """

    bottom: float
    top: float


Draw = Callable[["Figure", Room], None]
"""Draws into a figure."""


def _picture(name: str, words: str, size: Size, listed: Sequence[Curve], draw: Draw) -> Picture:
    """A picture that says who judged by which rules, and which runs are simulated."""
    remarks = [_INTERVALS, *_judging(listed)]
    looks = _looks(listed)
    known: list[tuple[str, CurveStyle | None]] = [
        (_legend(item), looks[item.mark]) for item in listed
    ]
    legend = [*known, *((words, None) for words in remarks)]
    shown = " ".join([words, *(f"{line[0].upper()}{line[1:]}." for line in _judging(listed))])
    return picture(name, shown, size, legend, draw, banner=_banner(listed))


def _judging(listed: Sequence[Curve]) -> list[str]:
    """Who judged locations, and what counts as one; empty for steps."""
    judge, rules = listed[0].judge, listed[0].rules
    if judge is None:
        return []
    names = dict.fromkeys(item.judge_model for item in listed)
    return [f"locations: {judge} judge ({', '.join(names)}), {rules} rules for what is one place"]


def _banner(listed: Sequence[Curve]) -> str:
    simulated = [item.mark for item in listed if item.header.simulated]
    if not simulated:
        return ""
    which = "" if len(simulated) == len(listed) else f" in {', '.join(simulated)}"
    return f"SIMULATED: no model was used{which}"


def _legend(item: Curve) -> str:
    header = item.header
    contract = f"contract {header.asked.contract[:8]}"
    return f"{item.label}; n = {item.counted}, k = {header.k}, {contract}, {header.date[:10]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveStyle:
    """How a curve is drawn."""

    color: str
    line: str = "-"
    marker: str = "o"


def _looks(listed: Sequence[Curve]) -> dict[str, CurveStyle]:
    numbers = {model: index for index, model in enumerate(dict.fromkeys(i.model for i in listed))}
    return {
        item.mark: CurveStyle(
            color=shade(_color(item), numbers[item.model]),
            line=LINES[numbers[item.model] % len(LINES)],
            marker=MARKERS[numbers[item.model] % len(MARKERS)],
        )
        for item in listed
    }


def _color(item: Curve) -> str:
    if item.header.method is Method.DIRECT:
        return ORANGE
    return BLUE if item.header.self_repair else GREEN


def _curves_of(
    axes: "Axes", listed: Sequence[Curve], looks: Mapping[str, CurveStyle], x: str, y: str
) -> None:
    for item in listed:
        look = looks[item.mark]
        pairs = [(k, found[x], found[y]) for k, found in item.points.items()]
        known = [(k, a, b) for k, a, b in pairs if a.value is not None and b.value is not None]
        xs, ys = [_percent(a.value) for _, a, _ in known], [_percent(b.value) for *_, b in known]
        for (_, a, b), one, other in zip(known, xs, ys, strict=True):
            _cross(axes, a, b, one, other, look.color)
        axes.plot(xs, ys, color=look.color, linestyle=look.line, marker=look.marker, markersize=4.5)
    axes.set_xlabel("recall (%)")
    axes.set_ylabel("precision (%)")


def _cross(
    axes: "Axes", a: IntervalEstimate, b: IntervalEstimate, x: float, y: float, color: str
) -> None:
    """Draw the intervals of a point, in both directions."""
    how: Mapping[str, Any] = {"color": color, "alpha": 0.35, "linewidth": 1.1, "zorder": 1}
    axes.plot([_percent(a.low, x), _percent(a.high, x)], [y, y], **how)
    axes.plot([x, x], [_percent(b.low, y), _percent(b.high, y)], **how)


def _numbered(
    axes: "Axes", listed: Sequence[Curve], looks: Mapping[str, CurveStyle], x: str, y: str
) -> None:
    """Write each k next to its point, unless a number is there; ends of curves take precedence."""
    taken: list[tuple[float, float]] = []
    points = [
        (k not in (1, item.header.k), k, item.mark, found[x].value or 0.0, found[y].value or 0.0)
        for item in listed
        for k, found in item.points.items()
        if found[x].value is not None and found[y].value is not None
    ]
    for _, k, mark, one, other in sorted(points):
        place = (100 * one, 100 * other)
        across, up = axes.transData.transform(place)
        if all(max(abs(across - a), abs(up - b)) > _APART for a, b in taken):
            taken.append((across, up))
            how: Mapping[str, Any] = {"fontsize": 7.5, "color": looks[mark].color}
            axes.annotate(str(k), place, xytext=(4, 4), textcoords="offset points", **how)


def _against_k(axes: "Axes", item: Curve, look: CurveStyle, name: str) -> None:
    scale = 1 if name == "false_errors" else 100
    known = [(k, found[name]) for k, found in item.points.items() if found[name].value is not None]
    ks = [k for k, _ in known]
    values = [scale * (found.value or 0) for _, found in known]
    lows = [scale * (found.low or 0) for _, found in known]
    highs = [scale * (found.high or 0) for _, found in known]
    axes.fill_between(ks, lows, highs, color=look.color, alpha=0.16, linewidth=0)
    axes.plot(ks, values, color=look.color, linestyle=look.line, marker=look.marker, markersize=4)


def _bounded(axes: "Axes", listed: Sequence[Curve]) -> None:
    """Limit the axes to possible shares, and label precision as a lower bound for papers."""
    left, right = axes.get_xlim()
    low, high = axes.get_ylim()
    axes.set_xlim(max(left, 0), min(right, 101.5))
    axes.set_ylim(max(low, 0), min(high, 101.5))
    if listed[0].header.benchmark is Benchmark.ARXIV:
        axes.set_ylabel("precision (%), a lower bound")


def _percent(share: float | None, instead: float = 0.0) -> float:
    return instead if share is None else 100 * share


def _unit(listed: Sequence[Curve]) -> str:
    """The prefix in names of measures: a proof with one grade has no steps."""
    return "proof" if listed[0].header.benchmark is Benchmark.PROOFS else "step"


_SUBJECTS = {
    Benchmark.HARD2VERIFY: "wrong steps",
    Benchmark.PROOFS: "wrong proofs",
    Benchmark.ARXIV: "known errors",
}


def _subject(listed: Sequence[Curve]) -> str:
    return _SUBJECTS[listed[0].header.benchmark]


FORMATS = ("png", "svg")

BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
LINES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

_STYLE: Any = {
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "svg.hashsalt": "pf-verify",
    "savefig.dpi": 160,
}
_LEGEND_ROW = 0.21
"""The height of a row of the legend in inches."""
_BANNER = 0.32
"""The height of the banner in inches."""
_SHADES = (0.0, 0.42, -0.45, 0.7)
"""How much white (positive) or black (negative) is mixed into a colour."""


def picture(
    name: str,
    words: str,
    size: Size,
    legend: Sequence[tuple[str, CurveStyle | None]],
    draw: Draw,
    *,
    banner: str = "",
) -> Picture:
    """A figure with its legend below, in all formats; the space below grows with the legend.

    A line of the legend without a style is a remark. `banner` is above everything else, and before
    the description. UsageError without matplotlib.
    """
    below = 0.62 + _LEGEND_ROW * len(legend)
    above = _BANNER if banner else 0.0
    with _context():
        from matplotlib.figure import Figure

        height = size.height + below + above
        figure = Figure(figsize=(size.width, height))
        draw(figure, Room(bottom=below / height, top=1 - above / height))
        if banner:
            how: Mapping[str, Any] = {"color": ORANGE, "weight": "bold", "ha": "center"}
            figure.text(0.5, 1 - 0.24 / height, banner, **how)
        figure.legend(
            handles=[_handle(label, look) for label, look in legend],
            loc="lower left",
            fontsize=7.6,
            borderaxespad=0.4,
            handlelength=3.2,
        )
        shown = f"{banner}. {words}" if banner else words
        return Picture(name=name, words=shown, data=_saved(figure))


def shade(color: str, number: int) -> str:
    """A colour, or a lighter or darker variant; the variants repeat after four."""
    much = _SHADES[number % len(_SHADES)]
    target = 255 if much > 0 else 0
    parts = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    mixed = (round(part + abs(much) * (target - part)) for part in parts)
    return "#" + "".join(f"{part:02X}" for part in mixed)


def _saved(figure: "Figure") -> dict[str, bytes]:
    found = {}
    for kind in FORMATS:
        target = io.BytesIO()
        figure.savefig(target, format=kind, metadata={"Date": None} if kind == "svg" else None)
        found[kind] = target.getvalue()
    return found


def _context() -> AbstractContextManager[None]:
    """The drawing style, as a context; UsageError without matplotlib."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise UsageError(f"drawing needs matplotlib: {install_command('bench')}") from error
    return mpl.rc_context(_STYLE)


def _handle(label: str, look: CurveStyle | None) -> Any:
    from matplotlib.lines import Line2D

    if look is None:
        return Line2D([], [], linestyle="", label=label)
    how: Mapping[str, Any] = {"color": look.color, "linestyle": look.line, "marker": look.marker}
    return Line2D([], [], markersize=4.5, label=label, **how)
