"""Who defines which term, and which definition a use of a term means."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

from pfcore.model import Module, Role

UsedTerms = Mapping[tuple[str, int], tuple[str, ...]]
"""The terms that each block uses, by file and index."""


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
