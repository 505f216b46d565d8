"""Which of the paper's macros are active at each place of one file."""

from enum import IntEnum

from pfcore.latex.macros import reach
from pfcore.latex.macros.branches import LOOKING
from pfcore.latex.macros.macro_table import Lexicon
from pfcore.latex.project.syntax import Syntax


class Trait(IntEnum):
    """What a macro leads to: nothing that matters, a look at what follows it, or structure."""

    PLAIN = 0
    LOOKING = 1
    STRUCTURAL = 2


class Traits:
    """A macro that is defined anew somewhere has there what its meaning there gives it.

    So what is defined in one proof makes nothing active in another one.
    """

    __slots__ = ("_has_varying", "_known", "_lexicon", "_looking", "_structural", "_syntax")

    def __init__(self, syntax: Syntax, lexicon: Lexicon) -> None:
        self._syntax = syntax
        self._lexicon = lexicon
        self._has_varying = not syntax.varying.isdisjoint(syntax.active)
        self._structural = reach.spelt(syntax.wanted - LOOKING)
        self._looking = reach.spelt(LOOKING)
        self._known: dict[tuple[str, int], Trait] = {}

    def at(self, name: str, offset: int) -> Trait:
        """What a macro leads to by what it means at an offset of the file."""
        syntax = self._syntax
        if name not in syntax.active:
            return Trait.PLAIN
        if not self._has_varying:
            return Trait.STRUCTURAL if name in syntax.structural else Trait.LOOKING
        key = name, self._lexicon.epoch(offset)
        if key not in self._known:
            self._known[key] = self._found(name, offset)
        return self._known[key]

    def _found(self, name: str, offset: int) -> Trait:
        """Follow what the macro calls, through others that are active anywhere."""
        active, stack, seen = self._syntax.active, [name], {name}
        best = Trait.PLAIN
        while stack:
            macro = self._lexicon.meaning(stack.pop(), offset)
            called = reach.called_commands(macro) if macro else frozenset[str]()
            if not called.isdisjoint(self._structural):
                return Trait.STRUCTURAL
            if not called.isdisjoint(self._looking):
                best = Trait.LOOKING
            more = (called & active) - seen
            seen |= more
            stack += more
        return best
