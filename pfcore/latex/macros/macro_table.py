"""The meaning of each macro at each place of one file.

It also knows which macros lead to which commands, and which macros never stop expanding.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.commands import NAME
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.macros.macro import PRIMITIVE, Macro, arguments, substitute

_NAME = regex(r"\\([A-Za-z@]+)[ \t]*")
_ROUNDS = 12
_LONGEST_KEY = 500
_MOST_COMPARED = 1_000_000


class MacroChange(NamedTuple):
    """From `offset` on, a macro has another meaning; None makes it undefined."""

    offset: int
    name: str
    macro: Macro | None


class Lexicon:
    """The macros of a file, including those whose meaning changes within it."""

    __slots__ = ("_epochs", "_histories", "_macros", "_starts", "changes")

    def __init__(self, macros: Mapping[str, Macro], changes: Iterable[MacroChange] = ()) -> None:
        self._macros = macros
        self.changes = tuple(sorted(changes, key=lambda change: change.offset))
        self._starts, self._epochs = _epochs(self.changes, macros)
        self._histories: dict[str, tuple[list[int], list[Macro | None]]] = {}
        for change in self.changes:
            offsets, meanings = self._histories.setdefault(change.name, ([], []))
            offsets.append(change.offset)
            meanings.append(change.macro)

    def meaning(self, name: str, offset: int) -> Macro | None:
        """The meaning of a name at an offset of the file; None if the paper has no such macro."""
        history = self._histories.get(name)
        if history is not None:
            index = bisect_right(history[0], offset)
            if index:
                return history[1][index - 1]
        return self._macros.get(name)

    def epoch(self, offset: int) -> int:
        """A number that is equal for offsets at which every macro means the same."""
        return self._epochs[bisect_right(self._starts, offset)] if self._starts else 0

    def resolve(self, key: str, offset: int) -> str:
        """A label or file name with its macros replaced; unknown macros stay."""
        for _ in range(_ROUNDS):
            if "\\" not in key or len(key) > _LONGEST_KEY:
                break
            made = _NAME.sub(lambda match: self._value(match, offset), key)
            made = self._filled(made, offset) if made == key else made
            if made == key:
                break
            key = made
        return key

    def _filled(self, key: str, offset: int) -> str:
        """The key with the first macro that takes arguments replaced."""
        for match in _NAME.finditer(key):
            macro = self.meaning(match[1], offset)
            if macro is None or not macro.parameters or set(macro.parameters) != {"m"}:
                continue
            groups = Groups(key)
            found = arguments(macro, groups, match.end())
            if found:
                values = [key[slice(*span)] if span else "" for span in found[0]]
                filled = substitute(macro, values)
                return key[: match.start()] + filled + key[found[1] :]
        return key

    def _value(self, match: re.Match[str], offset: int) -> str:
        macro = self.meaning(match[1], offset)
        if macro is None or macro.parameters not in ((), PRIMITIVE):
            return match[0]
        return macro.body


def _epochs(
    changes: Sequence[MacroChange], macros: Mapping[str, Macro]
) -> tuple[list[int], list[int]]:
    """The starts of epochs, and the numbers of all epochs; equal states have equal numbers."""
    state: dict[str, Macro | None] = {}
    is_compared = len(changes) * len({change.name for change in changes}) <= _MOST_COMPARED
    numbers: dict[object, int] = {frozenset[object](): 0}
    starts, epochs = [], [0]
    for offset, listed in groupby(changes, key=lambda change: change.offset):
        for change in listed:
            state[change.name] = change.macro
            if change.macro == macros.get(change.name):
                del state[change.name]
        starts.append(offset)
        known = frozenset(state.items()) if is_compared else offset
        epochs.append(numbers.setdefault(known, len(numbers)))
    return starts, epochs


_COMMANDS = regex(rf"\\({NAME})")
_HIGHEST = 24

Calls = Mapping[str, frozenset[str]]
"""For each macro, the names of the commands in its body, or in any of its bodies."""


def calls(table: Mapping[str, Macro], variants: Iterable[tuple[str, Macro]] = ()) -> Calls:
    """The commands that each macro calls; `variants` are further meanings of some macros.

    The name of a primitive keeps its backslash, because the paper may define a macro of that name.
    """
    found = {name: called_commands(macro) for name, macro in table.items()}
    for name, macro in variants:
        found[name] = found.get(name, frozenset()) | called_commands(macro)
    return found


@lru_cache(maxsize=10_000)
def called_commands(macro: Macro) -> frozenset[str]:
    """The commands that a macro calls directly."""
    if macro.parameters == PRIMITIVE:
        return frozenset({macro.body})
    return frozenset(_COMMANDS.findall(macro.body))


@lru_cache(maxsize=16)
def spelt(names: frozenset[str]) -> frozenset[str]:
    """The names of commands in the forms that bodies use: plain, or as primitives."""
    return names | {f"\\{name}" for name in names}


def leading(listed: Calls, wanted: frozenset[str]) -> frozenset[str]:
    """The macros that call one of the wanted commands, directly or indirectly."""
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
    """The macros that call themselves, directly or indirectly, and those that nest too deeply."""
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
    """The nesting depth of each name's expansion; endless ones are left out."""
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
