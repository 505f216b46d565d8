"""Displays: which of their rows have numbers, and which numbers their labels get.

Also lists, floats and groups of equations: what their beginnings, items and captions count.
"""

from dataclasses import dataclass, field

from pfcore.domain.lazy_regex import regex
from pfcore.latex.numbering.counter_state import CounterState, CounterStep, GroupFrame, Number
from pfcore.latex.numbering.counters import Format
from pfcore.latex.numbering.counting_commands import DISPLAYS, MANY_ROWS
from pfcore.latex.numbering.item_labels import LEVELS, list_form

_UNNUMBERED = frozenset({"displaymath", "math", "xxalignat"})
_ODD = frozenset({"dmath", "dgroup", "subnumcases", "IEEEeqnarray"})

Place = tuple[str, int]


@dataclass(slots=True)
class Display:
    """A display being read: its start, and its current row's labels, tag and numbering."""

    name: str
    current: Number
    start: Place
    rows: list[str | None] = field(default_factory=list)
    """The number printed at each finished row: "" for none, None if uncertain."""
    labels: list[tuple[str, Place]] = field(default_factory=list)
    tag: str | None = None
    is_numbered: bool = True

    def forget_row(self) -> None:
        """Begin a new row."""
        self.labels, self.tag, self.is_numbered = [], None, True


def is_display(name: str) -> bool:
    """Whether an environment is a display."""
    return name.rstrip("*") in DISPLAYS


def has_numbers(name: str) -> bool:
    """Whether the rows of a display have numbers by default."""
    return not name.endswith("*") and name not in _UNNUMBERED


Placed = list[tuple[str, Place, Number]]


def end_row(display: Display, state: CounterState, *, is_last: bool) -> Placed:
    """End a row and number its labels; a row without a number leaves its labels to the next.

    The rules are those of amsmath, from its .aux files: https://ctan.org/pkg/amsmath.
    """
    base = display.name.rstrip("*")
    counts = has_numbers(display.name)
    if not is_last and base not in MANY_ROWS:
        return []
    if display.tag is not None:
        text, certain = state.counters.rendered(display.tag, state.macros)
        return _place(display, Number(text, "equation", certain))
    if base == "eqnarray" and counts:
        return _eqnarray(display, state)
    if counts and display.is_numbered:
        return _place(display, _step(state, loose=base in _ODD))
    if base not in MANY_ROWS:
        return _place(display, _upcoming(state) if counts else display.current, is_shown=False)
    display.rows.append("")
    display.tag, display.is_numbered = None, True
    return []


def _place(display: Display, number: Number, *, is_shown: bool = True) -> Placed:
    placed = [(key, place, number) for key, place in display.labels]
    display.rows.append((number.text if number.certain else None) if is_shown else "")
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
    """LaTeX's own eqnarray: a label in a row without a number gets the next number."""
    number = _upcoming(state)
    is_numbered = display.is_numbered
    if is_numbered:
        number = _step(state, loose=False)
    return _place(display, number, is_shown=is_numbered)


_ENUMERATIONS = frozenset({"enumerate", "compactenum", "inparaenum", "asparaenum", "enumerate*"})
_PLAIN = frozenset({"itemize", "description", "list", "trivlist"})
_FLOATS = {
    "figure": "figure", "table": "table", "wrapfigure": "figure", "wraptable": "table",
    "longtable": "table", "sidewaysfigure": "figure", "sidewaystable": "table",
    "marginfigure": "figure", "margintable": "table",
}  # fmt: skip
HARMLESS = frozenset(
    """center flushleft flushright quote quotation verse minipage tabular tabular* tabularx array
    matrix pmatrix bmatrix cases aligned gathered split alignedat multlined proof proof* abstract
    document multicols small footnotesize large tikzpicture tikzcd adjustbox mdframed framed shaded
    leftbar tcolorbox spacing doublespace singlespace onehalfspace raggedright sloppypar
    landscape subequations appendix appendices subappendices titlepage itemize* description*
    compactitem compactdesc asparaitem inparaitem linenomath linenomath* samepage comment
    adjustwidth thebibliography acknowledgement acknowledgements displayquote blockquote
    wrapfigure picture scope pgfonlayer threeparttable tabbing keywords frontmatter""".split()
)
"""Environments that count nothing; a label in any other unknown one is uncertain."""

_GOES_ON = regex(r"resume|start|series|[Aa]fter|[Bb]efore|first|[Ss]tep")
"""Options of a list that may not start at one."""
_LEVELS = ["enumi", "enumii", "enumiii", "enumiv"]
_SURE = "sure"
"""The detail of a list whose labels are known."""


def begin(state: CounterState, frame: GroupFrame, args: tuple[str, ...]) -> None:
    """Begin an environment that is neither a statement nor a display."""
    name = args[0]
    kind = state.lists.get(name, name)
    if kind in _ENUMERATIONS:
        _enumeration(state, frame, name, args[-1] if len(args) > 1 else "")
    elif kind in _PLAIN or kind == "proof":
        frame.detail = "plain"
    elif name.rstrip("*") in _FLOATS:
        frame.counter = _FLOATS[name.rstrip("*")]
        state.current = Number("", frame.counter, False)
    elif name in ("subfigure", "subtable"):
        frame.counter = name
    elif name == "\\footnote":
        state.current = Number("", "footnote", False)
    elif name == "subequations":
        _subequations(state, frame)
    elif name in state.environs:
        state.current = Number("", name, False)
        for touched in state.environs[name]:
            state.doubt(touched)
    elif name not in HARMLESS and not name.startswith("\\"):
        state.current = Number("", name, False)


def _enumeration(state: CounterState, frame: GroupFrame, name: str, options: str) -> None:
    """Begin a numbered list: set its counter, and how its items are referred to."""
    is_own = name in state.lists
    levels = [f"{name}{level}" for level in LEVELS[1:]] if is_own else _LEVELS
    outer = sum(other.counter in levels for other in state.frames)
    frame.counter = levels[min(outer, len(levels) - 1)]
    base = name if is_own else "enumerate"
    keys = ("list 0", f"{base} 0", f"{base} {outer + 1}")
    settings = [state.list_settings[key] for key in keys if key in state.list_settings]
    packages = {one: state.given.get(one, set()) for one in state.packages}
    form = list_form(options, settings, frame.counter, packages)
    is_known = form.is_known and not state.odd_lists and _is_followed(state, name)
    frame.detail = _SURE if is_known else "odd"
    cell = state.counters.cell(frame.counter)
    is_anew = form.is_known or not _GOES_ON.search(options)
    cell.set(form.start - 1, certain=is_anew)
    if form.body and is_known:
        counter = frame.counter
        state.define(f"the{counter}", Format(form.body), closing="", everywhere=False)
        if form.is_whole:
            state.define(f"p@{counter}", Format(""), closing="", everywhere=False)


def _is_followed(state: CounterState, name: str) -> bool:
    """Whether a list counts like `enumerate`: those of enumitem and paralist, if loaded."""
    if name in state.lists or name == "enumerate":
        return True
    package = "enumitem" if name == "enumerate*" else "paralist"
    return package in state.packages


def step(state: CounterState, step: CounterStep) -> None:
    """Count an item or a caption."""
    if step.op == "item":
        if step.args[0] != "[":
            _item(state)
    elif step.op == "captionof":
        state.step(step.args[0], step.args[0])
    elif step.args[0] != "*":
        _caption(state)


def _item(state: CounterState) -> None:
    for frame in reversed(state.frames):
        if frame.detail in (_SURE, "odd"):
            made = state.step(frame.counter, frame.counter)
            sure = made.certain and frame.detail == _SURE
            state.current = made._replace(certain=sure)
            return
        if frame.detail == "plain":
            return


def _caption(state: CounterState) -> None:
    floats = {*_FLOATS.values(), "subfigure", "subtable"}
    frame = next((f for f in reversed(state.frames) if f.counter in floats), None)
    if frame is None:
        state.current = Number("", "figure", False)
    elif frame.counter.startswith("sub"):
        state.current = Number("", frame.counter, False)
    else:
        state.step(frame.counter, frame.counter)


def _subequations(state: CounterState, frame: GroupFrame) -> None:
    counters = state.counters
    made = state.step("equation", "equation")
    if state.loose_equations:
        state.current = made._replace(certain=False)
    cell = counters.cell("equation")
    counters.cell("parentequation").set(cell.value, certain=cell.certain)
    frame.detail = str(cell.value)
    body = f"{made.text}\\alph{{equation}}"
    frame.undo.append(("theequation", counters.formats.get("theequation")))
    counters.formats["theparentequation"] = Format(made.text, made.certain)
    counters.formats["theequation"] = Format(body, made.certain)
    frame.starred = cell.certain
    cell.set(0)


def end_subequations(state: CounterState, frame: GroupFrame) -> None:
    """Let the equations continue from where they were."""
    parent = state.counters.cell("parentequation")
    state.counters.cell("equation").set(parent.value, certain=parent.certain)
