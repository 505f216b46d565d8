"""Displays: which of their rows have numbers, and which numbers their labels get."""

from dataclasses import dataclass, field

from pfcore.latex.numbering.counter_state import CounterState
from pfcore.latex.numbering.counting_commands import DISPLAYS, MANY_ROWS
from pfcore.latex.numbering.records import Number

_UNNUMBERED = frozenset({"displaymath", "math", "xxalignat"})
_ODD = frozenset({"dmath", "dgroup", "subnumcases", "IEEEeqnarray"})

Place = tuple[str, int]


@dataclass(slots=True)
class Display:
    """A display being read: the labels of its row, its tag, whether the row has a number."""

    name: str
    current: Number
    labels: list[tuple[str, Place]] = field(default_factory=list)
    tag: str | None = None
    is_numbered: bool = True

    def forget_row(self) -> None:
        """A new row begins."""
        self.labels, self.tag, self.is_numbered = [], None, True


def is_display(name: str) -> bool:
    """Whether an environment is a display of its own."""
    return name.rstrip("*") in DISPLAYS


Placed = list[tuple[str, Place, Number]]


def end_row(display: Display, state: CounterState, *, is_last: bool) -> Placed:
    """A row ends: its number, for its labels; a row without one leaves its labels to the next.

    What amsmath does, seen in its .aux files: https://ctan.org/pkg/amsmath.
    """
    base = display.name.rstrip("*")
    has_numbers = base == display.name and base not in _UNNUMBERED
    if not is_last and base not in MANY_ROWS:
        return []
    if display.tag is not None:
        text, certain = state.counters.rendered(display.tag, state.macros)
        return _place(display, Number(text, "equation", certain))
    if base == "eqnarray" and has_numbers:
        return _eqnarray(display, state)
    if has_numbers and display.is_numbered:
        return _place(display, _step(state, loose=base in _ODD))
    if base not in MANY_ROWS:
        return _place(display, _upcoming(state) if has_numbers else display.current)
    display.tag, display.is_numbered = None, True
    return []


def _place(display: Display, number: Number) -> Placed:
    placed = [(key, place, number) for key, place in display.labels]
    display.forget_row()
    return placed


def _step(state: CounterState, *, loose: bool) -> Number:
    if loose or state.loose_equations:
        state.counters.step("equation")
        state.counters.doubt("equation")
        return state.number("equation", "equation")
    kept = state.current
    made = state.step("equation", "equation")
    state.current = kept
    return made


def _upcoming(state: CounterState) -> Number:
    """The number that the next equation will get."""
    cell = state.counters.cell("equation")
    cell.value += 1
    number = state.number("equation", "equation")
    cell.value -= 1
    return number


def _eqnarray(display: Display, state: CounterState) -> Placed:
    """LaTeX's own: a label in a row without number gets that of the next."""
    number = _upcoming(state)
    if display.is_numbered:
        number = _step(state, loose=False)
    return _place(display, number)
