"""Draws the curves of runs: colour says the method, its shade, line and marker the model."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pfcore.bench.runs.saved_run import Benchmark, Method
from pfcore.bench.scoring.canvas import (
    BLUE,
    GREEN,
    LINES,
    MARKERS,
    ORANGE,
    CurveStyle,
    Draw,
    Picture,
    Room,
    Size,
    picture,
    shade,
)
from pfcore.bench.scoring.curves import Curve
from pfcore.bench.scoring.scaling import IntervalEstimate

if TYPE_CHECKING:
    from pfcore.bench.scoring.canvas import Axes, Figure

_APART = 16
"""Pixels (of 100 to the inch) between the numbers of two points at the least."""
_TITLE = 0.07
"""The share of a height that a title takes."""
_INTERVALS = "pale: 95 % intervals, from rows drawn with replacement, and at least Wilson's"
_BENCHMARKS = {Benchmark.HARD2VERIFY: "Hard2Verify", Benchmark.ARXIV: "ArxivMathGradingBench"}


def precision_recall(listed: Sequence[Curve], *, of_proofs: bool = False) -> Picture:
    """Precision against recall, a point for each k; of whole proofs, or of steps or locations."""
    kind = "proof" if of_proofs else "step"
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

    words = f"{named}: recall, false errors per {unit} and coverage at each k."
    return _picture("panels", words, Size(11.0, 3.6), listed, draw)


def models(listed: Sequence[Curve]) -> Picture | None:
    """Precision against recall, a panel for each model; None where there is only one."""
    by_model: dict[str, list[Curve]] = {}
    for item in listed:
        by_model.setdefault(item.model, []).append(item)
    if len(by_model) < 2:
        return None
    named = _BENCHMARKS[listed[0].header.benchmark]

    def draw(figure: "Figure", room: Room) -> None:
        looks = _looks(listed)
        every = figure.subplots(1, len(by_model), sharex=True, sharey=True)
        for axes, (model, group) in zip(every, by_model.items(), strict=True):
            _curves_of(axes, group, looks, "step_recall", "step_precision")
            axes.set_title(model, fontsize=9.5)
            axes.label_outer()
        _bounded(every[0], listed)
        top = room.top - _TITLE
        figure.subplots_adjust(left=0.07, right=0.985, top=top, bottom=room.bottom, wspace=0.08)
        for axes, group in zip(every, by_model.values(), strict=True):
            _numbered(axes, group, looks, "step_recall", "step_precision")

    words = f"{named}: precision and recall by model, a point for each k."
    size = Size(max(7.5, 3.4 * len(by_model)), 3.8)
    return _picture("models", words, size, listed, draw)


def _picture(name: str, words: str, size: Size, listed: Sequence[Curve], draw: Draw) -> Picture:
    """A picture that says who judged by which rules, and of which runs nobody was asked."""
    remarks = [_INTERVALS, *_judging(listed)]
    looks = _looks(listed)
    known: list[tuple[str, CurveStyle | None]] = [
        (_legend(item), looks[item.mark]) for item in listed
    ]
    legend = [*known, *((words, None) for words in remarks)]
    shown = " ".join([words, *(f"{line[0].upper()}{line[1:]}." for line in _judging(listed))])
    return picture(name, shown, size, legend, draw, banner=_banner(listed))


def _judging(listed: Sequence[Curve]) -> list[str]:
    """By whom locations were judged, and what counts as one; nothing for steps."""
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
    return f"SIMULATED: no model was asked{which}"


def _legend(item: Curve) -> str:
    header = item.header
    contract = f"contract {header.asked.contract[:8]}"
    return f"{item.label}; n = {item.counted}, k = {header.k}, {contract}, {header.date[:10]}"


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
    """The intervals of a point, in both directions."""
    how: Mapping[str, Any] = {"color": color, "alpha": 0.35, "linewidth": 1.1, "zorder": 1}
    axes.plot([_percent(a.low, x), _percent(a.high, x)], [y, y], **how)
    axes.plot([x, x], [_percent(b.low, y), _percent(b.high, y)], **how)


def _numbered(
    axes: "Axes", listed: Sequence[Curve], looks: Mapping[str, CurveStyle], x: str, y: str
) -> None:
    """Each k beside its point, but where another number stands: the ends of curves come first."""
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
    """No axis shows shares that are none; and what precision means for papers."""
    left, right = axes.get_xlim()
    low, high = axes.get_ylim()
    axes.set_xlim(max(left, 0), min(right, 101.5))
    axes.set_ylim(max(low, 0), min(high, 101.5))
    if listed[0].header.benchmark is Benchmark.ARXIV:
        axes.set_ylabel("precision (%), a lower bound")


def _percent(share: float | None, instead: float = 0.0) -> float:
    return instead if share is None else 100 * share


def _subject(listed: Sequence[Curve]) -> str:
    is_paper = listed[0].header.benchmark is Benchmark.ARXIV
    return "known errors" if is_paper else "wrong steps"
