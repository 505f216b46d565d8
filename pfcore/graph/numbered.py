"""The number that the PDF shows for a module, worked out when somebody asks."""

from functools import cached_property

from pfcore.graph.paper import State
from pfcore.model import Module
from pfcore.numbers import Numbers, numbers

_QUICK = 4_000


class Numbering:
    """The certain numbers of one paper's modules."""

    def __init__(self, state: State) -> None:
        self._state = state

    def of(self, module: Module) -> str | None:
        """The number of a module, by its label or by its place; None where it is uncertain."""
        for label in module.labels:
            found = self._numbers.of(label)
            if found is not None:
                return found.text or None
        where = module.statement.location
        found = self._numbers.places.get((where.path, where.start))
        return found.text or None if found is not None and found.certain else None

    @property
    def is_quick(self) -> bool:
        """Whether the paper is small enough for numbers that are only pleasant to have."""
        return len(self._state.document.modules) <= _QUICK

    @cached_property
    def _numbers(self) -> Numbers:
        return numbers(self._state.paper)
