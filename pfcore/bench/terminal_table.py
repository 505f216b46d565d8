"""Small tables on the terminal, medians, and samples."""

import statistics
import sys
from collections.abc import Iterable, Sequence
from typing import TypeVar

Cell = str | float | int
Item = TypeVar("Item")


def show(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Print a table; see `table_lines`."""
    for line in table_lines(head, rows):
        sys.stdout.write(f"{line}\n")


def table_lines(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> list[str]:
    """The lines of a table; all columns but the first are right-aligned."""
    cells = [list(head), *[[_cell(cell) for cell in row] for row in rows]]
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    return [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]


def spread(values: Sequence[float]) -> tuple[float, float]:
    """The median and the 90th percentile."""
    ordered = sorted(values)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, int(0.9 * len(ordered)))]


def sample(items: Iterable[Item], most: int) -> list[Item]:
    """At most `most` of the items, evenly spaced."""
    listed = list(items)
    count = min(most, len(listed))
    return [listed[place * len(listed) // count] for place in range(count)]


def _cell(cell: Cell) -> str:
    if isinstance(cell, float):
        return f"{cell:.3f}" if abs(cell) < 10 else f"{cell:.1f}"
    return f"{cell:,}" if isinstance(cell, int) else cell
