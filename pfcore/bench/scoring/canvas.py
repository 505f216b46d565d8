"""The canvas that pictures are drawn on: the one place that knows matplotlib.

Colours are those of Okabe and Ito, which people with any kind of colour vision can tell apart.
"""

import io
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pfcore.domain.errors import UsageError
from pfcore.domain.installation import install_command

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes  # noqa: PLC0414 - for those who draw
    from matplotlib.figure import Figure as Figure  # noqa: PLC0414 - for those who draw

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
"""Inches that a row of the legend takes."""
_BANNER = 0.32
"""Inches that what stands above all else takes."""
_SHADES = (0.0, 0.42, -0.45, 0.7)
"""How much white, or black where it is less than nothing, is mixed into a colour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A drawn figure: its name as a file, what it shows in words, and its bytes by format."""

    name: str
    words: str
    data: Mapping[str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveStyle:
    """How a curve is drawn."""

    color: str
    line: str = "-"
    marker: str = "o"


class Size(NamedTuple):
    """Inches of a figure, the legend below it and the banner above it aside."""

    width: float
    height: float


class Room(NamedTuple):
    """Where plots may stand, with their titles and what is beside their axes: shares of a height.

    The plots end at `bottom`, their titles at `top`.
    """

    bottom: float
    top: float


Draw = Callable[["Figure", Room], None]
"""Draws into a figure."""


def picture(
    name: str,
    words: str,
    size: Size,
    legend: Sequence[tuple[str, CurveStyle | None]],
    draw: Draw,
    *,
    banner: str = "",
) -> Picture:
    """A figure with its legend below, in all formats; the room below grows with the legend.

    A line of the legend without a look is a remark. `banner` stands above all else, and before the
    words. UsageError without matplotlib.
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
    """A colour, or one of its kind that is lighter or darker; after four they begin again."""
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
    """The style, for as long as something is drawn; UsageError without matplotlib."""
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
