"""What each macro means at each place of one file."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pfcore.latex.macros import PRIMITIVE, Macro

_NAME = re.compile(r"\\([A-Za-z@]+)[ \t]*")
_ROUNDS = 12
_LONGEST_KEY = 500


class Change(NamedTuple):
    """From `offset` on, a macro has another meaning; None takes it away."""

    offset: int
    name: str
    macro: Macro | None


class Lexicon:
    """The macros of a file: one meaning each, but for those that change on the way."""

    __slots__ = ("_epochs", "_histories", "_macros", "changes")

    def __init__(self, macros: Mapping[str, Macro], changes: Iterable[Change] = ()) -> None:
        self._macros = macros
        self.changes = tuple(sorted(changes, key=lambda change: change.offset))
        self._epochs = [change.offset for change in self.changes]
        self._histories: dict[str, tuple[list[int], list[Macro | None]]] = {}
        for change in self.changes:
            offsets, meanings = self._histories.setdefault(change.name, ([], []))
            offsets.append(change.offset)
            meanings.append(change.macro)

    def meaning(self, name: str, offset: int) -> Macro | None:
        """What a name means at an offset of the file; None if it is no macro of the paper."""
        history = self._histories.get(name)
        if history is not None:
            index = bisect_right(history[0], offset)
            if index:
                return history[1][index - 1]
        return self._macros.get(name)

    def epoch(self, offset: int) -> int:
        """How many changes came before an offset: between two of them nothing varies."""
        return bisect_right(self._epochs, offset) if self._epochs else 0

    def resolve(self, key: str, offset: int) -> str:
        """A label's or file's name with the macros in it replaced; what is unknown stays."""
        for _ in range(_ROUNDS):
            if "\\" not in key or len(key) > _LONGEST_KEY:
                break
            made = _NAME.sub(lambda match: self._value(match, offset), key)
            if made == key:
                break
            key = made
        return key

    def _value(self, match: re.Match[str], offset: int) -> str:
        macro = self.meaning(match[1], offset)
        if macro is None or macro.parameters not in ((), PRIMITIVE):
            return match[0]
        return macro.body
