"""What the plain steps do to the state: counters, formats, switches."""

from collections.abc import Callable, Mapping

from pfcore.latex.numbering import document_classes, matters
from pfcore.latex.numbering.counter_state import CounterState
from pfcore.latex.numbering.formats import Format


def _define(state: CounterState, args: tuple[str, ...]) -> None:
    name, body, mode, closing = args
    shown = Format(body)
    if "now" in mode:
        shown = Format(*state.counters.rendered(body, state.macros))
    state.define(name, shown, closing=closing, everywhere="global" in mode)


def _let(state: CounterState, args: tuple[str, ...]) -> None:
    name, body, mode, closing = args
    other = body.removeprefix("\\")
    if name.startswith("c@"):
        state.counters.share(name[2:], other.removeprefix("c@"))
    elif other in state.counters.formats:
        shown = state.counters.formats[other]
        state.define(name, shown, closing=closing, everywhere="global" in mode)
    elif name in state.counters.formats:
        state.define(name, Format(body, False), closing=closing, everywhere=True)


def _within(state: CounterState, args: tuple[str, ...]) -> None:
    style, name, above, *star = args
    state.counters.add_reset(name, above)
    state.counters.cell(name)
    if not star:
        shown = f"{style or chr(92) + 'arabic'}{{{name}}}"
        state.counters.formats[f"the{name}"] = Format(f"\\the{above}.{shown}")


def _without(state: CounterState, args: tuple[str, ...]) -> None:
    style, name, above, *star = args
    state.counters.remove_reset(name, above)
    if not star:
        shown = f"{style or chr(92) + 'arabic'}{{{name}}}"
        state.counters.formats[f"the{name}"] = Format(shown)


def _reset_the(state: CounterState, args: tuple[str, ...]) -> None:
    root = state.counters.roots.get(args[0], args[0])
    if root != args[0]:
        state.counters.formats[f"the{args[0]}"] = Format(f"\\the{root}")


def _switch(state: CounterState, args: tuple[str, ...]) -> None:
    state.switches[args[0]] = args[1] == "true"


def _depth(state: CounterState, args: tuple[str, ...]) -> None:
    """In the preamble this is the depth of the main matter, too."""
    depth = document_classes.DEPTHS.get(args[0])
    for name in ("secnumdepth",) if state.has_begun else ("secnumdepth", "maxsecnumdepth"):
        state.counters.cell(name).set(depth or 0, certain=depth is not None)


def _most_depth(state: CounterState, args: tuple[str, ...]) -> None:
    depth = document_classes.DEPTHS.get(args[0])
    state.counters.cell("maxsecnumdepth").set(depth or 0, certain=depth is not None)
    _depth(state, args)


def _mathtools(state: CounterState, args: tuple[str, ...]) -> None:
    if "showonlyrefs" in args[0]:
        state.loose_equations = "false" not in args[0]


def _odd_lists(state: CounterState, _: tuple[str, ...]) -> None:
    state.odd_lists = True


ACTIONS: Mapping[str, Callable[[CounterState, tuple[str, ...]], object]] = {
    "define": _define,
    "let": _let,
    "close": lambda state, args: state.undo(state.saved.pop(args[0], [])),
    "theorem": lambda state, args: state.declare(args),
    "setcounter": lambda state, args: state.counters.set(*args[:2]),
    "addtocounter": lambda state, args: state.counters.add(*args[:2]),
    "stepcounter": lambda state, args: state.counters.step(args[0]),
    "refstepcounter": lambda state, args: state.step(args[0], args[0]),
    "newcounter": lambda state, args: state.counters.new(*args[:2]),
    "numberwithin": _within,
    "counterwithin": _within,
    "counterwithout": _without,
    "addtoreset": lambda state, args: state.counters.add_reset(*args[:2]),
    "removefromreset": lambda state, args: state.counters.remove_reset(*args[:2]),
    "newaliascnt": lambda state, args: state.counters.alias(*args[:2]),
    "aliascntresetthe": _reset_the,
    "taint": lambda state, args: state.doubt(args[0], lasting=len(args) > 1),
    "environ": lambda state, args: state.environs.update({args[0]: args[1:]}),
    "switch": _switch,
    "setboolean": _switch,
    "toggletrue": lambda state, args: _switch(state, (args[0], "true")),
    "togglefalse": lambda state, args: _switch(state, (args[0], "false")),
    "booltrue": lambda state, args: _switch(state, (args[0], "true")),
    "boolfalse": lambda state, args: _switch(state, (args[0], "false")),
    "newboolean": lambda state, args: _switch(state, (args[0], "false")),
    "newtoggle": lambda state, args: _switch(state, (args[0], "false")),
    "newbool": lambda state, args: _switch(state, (args[0], "false")),
    "setsecnumdepth": _depth,
    "maxsecnumdepth": _most_depth,
    "mathtoolsset": _mathtools,
    "setlist": _odd_lists,
    "setenumerate": _odd_lists,
    "excludecomment": lambda state, args: state.excluded.add(args[0]),
    "Newassociation": lambda state, args: state.excluded.add(args[0]),
    "Readsolutionfile": lambda state, _: state.counters.doubt_all(),
    "includecomment": lambda state, args: state.excluded.discard(args[0]),
    "newlist": lambda state, args: state.lists.update({args[0]: args[1]}),
    **matters.actions(),
}
