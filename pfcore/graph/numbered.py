"""The number that the PDF shows for a module, worked out when somebody asks."""

from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING

from pfcore.contain import Failure, Fault, attempt
from pfcore.model import Module
from pfcore.paper import Paper

if TYPE_CHECKING:
    from pfcore.numbers import Numbers

_QUICK = 8_000


class Numbering:
    """The certain numbers of one paper's modules."""

    def __init__(self, paper: Paper) -> None:
        self._paper = paper

    @property
    def is_quick(self) -> bool:
        """Whether the paper is small enough for numbers that are only pleasant to have."""
        blocks = sum(len(reading.blocks) for reading in self._paper.readings.values())
        return blocks <= _QUICK

    def of(self, module: Module) -> str | None:
        """The number of a module, by its label or by its place; None where it is uncertain."""
        if module.number is not None or self._paper.is_markup:
            return module.number or None
        where = module.statement.location
        return self.at(module.labels, where.path, where.start) or self._named(module) or None

    def _named(self, module: Module) -> str:
        """The number in the name that the module's environment prints: "A" of "Theorem A"."""
        blocks = self._paper.readings[module.statement.location.path].blocks
        return blocks[module.statement.block].number

    def at(self, labels: tuple[str, ...], path: str, start: int) -> str | None:
        """The number of what has these labels, or begins here; None where it is uncertain."""
        if self._paper.is_markup:
            return None
        for label in labels:
            found = self._numbers.of(label)
            if found is not None:
                return found.text or None
        found = self._numbers.places.get((path, start))
        return found.text or None if found is not None and found.certain else None

    def by_number(self, modules: Mapping[str, Module]) -> dict[tuple[str, str], str]:
        """The modules by their kind and number, where only one of them has these.

        An equation of a statement stands for the module.
        """
        found: dict[tuple[str, str], str] = {}
        for name, module in modules.items():
            number = self.of(module) if module.number is None else None
            listed = [(module.kind, number)] if number else []
            for key in (*listed, *self._equations(module)):
                found[key] = "" if key in found else name
        return {key: name for key, name in found.items() if name}

    def _equations(self, module: Module) -> Iterator[tuple[str, str]]:
        for label in module.statement.anchors:
            number = self._numbers.of(label) if label not in module.labels else None
            if number is not None and number.kind == "equation":
                yield "equation", number.text

    @cached_property
    def _numbers(self) -> "Numbers":
        from pfcore.numbers import NONE, numbers  # loads the simulation of counters

        found = attempt(partial(numbers, self._paper))
        if not isinstance(found, Failure):
            return found
        self._paper.faults.add(Fault(self._paper.root, 0, "the numbers of results", found.cause))
        return NONE
