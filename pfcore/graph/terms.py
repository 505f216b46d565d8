"""Who defines which term, which definition a use of a term means, and who uses which."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from pfcore.latex.records import Reading
from pfcore.model import Module, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Dictionary:
    """The positions of the definitions of each term, in reading order, and their ids."""

    positions: Mapping[str, tuple[int, ...]]
    ids: Mapping[int, str]

    def meant(self, term: str, position: int) -> str:
        """The definition that a use means: the last one up to it, else the first one after."""
        found = self.positions[term]
        return self.ids[found[max(bisect_right(found, position) - 1, 0)]]


def dictionary(ids: Mapping[int, str], modules: Mapping[str, Module]) -> Dictionary:
    """The terms of all definitions of a paper."""
    positions: dict[str, list[int]] = {}
    for position, name in ids.items():
        module = modules[name]
        if module.role is Role.DEFINITION:
            for term in module.terms:
                positions.setdefault(term, []).append(position)
    return Dictionary(
        positions={term: tuple(found) for term, found in positions.items()}, ids=dict(ids)
    )


Used = Mapping[tuple[str, int], tuple[str, ...]]
"""The terms that each block uses, by file and number; blocks that use none may be absent."""

FindTerms = Callable[[Dictionary, Iterable[str]], Used]
"""Which terms of a dictionary the blocks of some files use."""

_SINGLY = 50


class Usage:
    """The terms that each block uses: looked up file by file, or all at once if many are asked."""

    def __init__(
        self,
        terms: Dictionary,
        find: FindTerms,
        readings: Mapping[str, Reading],
        memo: dict[tuple[str, int], tuple[Reading, Used]] | None = None,
    ) -> None:
        self.terms = terms
        self._find = find
        self._readings = readings
        self._memo = {} if memo is None else memo
        self._asked = 0

    def of(self, path: str, block: int) -> tuple[str, ...]:
        """The terms that a block uses."""
        key = (path, id(self._readings[path]))
        if key not in self._memo:
            self._look_up(path)
        return self._memo[key][1].get((path, block), ())

    def over(self, find: FindTerms, readings: Mapping[str, Reading]) -> "Usage":
        """The same for another version, which shares what both ask about the files they share."""
        return Usage(self.terms, find, readings, self._memo)

    def _look_up(self, path: str) -> None:
        self._asked += 1
        paths = [path]
        if self._asked > _SINGLY:
            paths = [
                name for name, it in self._readings.items() if (name, id(it)) not in self._memo
            ]
        found: dict[str, dict[tuple[str, int], tuple[str, ...]]] = {path: {} for path in paths}
        for place, used in self._find(self.terms, paths).items():
            found[place[0]][place] = used
        for name, used_there in found.items():
            reading = self._readings[name]
            self._memo[name, id(reading)] = (reading, used_there)
