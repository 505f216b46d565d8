"""Which macros lead to which commands, and which cannot be expanded to an end."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from pfcore.latex.lexer.commands import NAME
from pfcore.latex.macros.macro import PRIMITIVE, Macro

_COMMANDS = re.compile(rf"\\({NAME})")
_HIGHEST = 24

Calls = Mapping[str, frozenset[str]]
"""For each macro the names of the commands in its body, or in any of its bodies."""


def calls(table: Mapping[str, Macro], variants: Iterable[tuple[str, Macro]] = ()) -> Calls:
    """The commands that each macro calls; `variants` are further meanings of some.

    A primitive's name keeps its backslash: the paper's own macro of that name is another thing.
    """
    found = {name: called_commands(macro) for name, macro in table.items()}
    for name, macro in variants:
        found[name] = found.get(name, frozenset()) | called_commands(macro)
    return found


@lru_cache(maxsize=10_000)
def called_commands(macro: Macro) -> frozenset[str]:
    """The commands that a macro calls by itself."""
    if macro.parameters == PRIMITIVE:
        return frozenset({macro.body})
    return frozenset(_COMMANDS.findall(macro.body))


@lru_cache(maxsize=16)
def spelt(names: frozenset[str]) -> frozenset[str]:
    """Some commands as bodies call them: by their names, or as primitives."""
    return names | {f"\\{name}" for name in names}


def leading(listed: Calls, wanted: frozenset[str]) -> frozenset[str]:
    """Macros whose body leads, through any number of others, to one of the wanted commands."""
    callers = _turned(listed)
    found: set[str] = set()
    stack = [*spelt(wanted)]
    while stack:
        for caller in callers.get(stack.pop(), ()):
            if caller not in found:
                found.add(caller)
                stack.append(caller)
    return frozenset(found)


def endless(listed: Calls) -> frozenset[str]:
    """Macros that call themselves, through others perhaps, and those that nest too deeply."""
    heights = _heights(listed)
    stuck = {
        name: frozenset(other for other in called if other in listed and other not in heights)
        for name, called in listed.items()
        if name not in heights
    }
    cyclic = stuck.keys() - _heights(_turned(stuck)).keys()
    deep = {name for name, height in heights.items() if height > _HIGHEST}
    return frozenset(cyclic | deep)


def _turned(listed: Calls) -> dict[str, frozenset[str]]:
    callers: dict[str, set[str]] = {}
    for name, called in listed.items():
        for other in called:
            callers.setdefault(other, set()).add(name)
    return {name: frozenset(found) for name, found in callers.items()}


def _heights(listed: Calls) -> dict[str, int]:
    """How deep the expansion of each name nests; those that never end are left out."""
    callers = _turned(listed)
    names = listed.keys() | callers.keys()
    open_calls = {name: len(listed.get(name, ())) for name in names}
    heights = dict.fromkeys((name for name in names if not open_calls[name]), 0)
    stack = list(heights)
    while stack:
        name = stack.pop()
        for caller in callers.get(name, ()):
            open_calls[caller] -= 1
            if not open_calls[caller]:
                heights[caller] = 1 + max(heights[called] for called in listed[caller])
                stack.append(caller)
    return heights
