"""An order of named things that only their content decides: not their names, not their places."""

from collections.abc import Hashable, Iterable, Mapping, Set
from typing import NamedTuple


class RankingArrow(NamedTuple):
    """`source` refers to `target`; `place` says where in its text, and to what there."""

    source: str
    place: tuple[int, ...]
    target: str


def ranked(
    colours: Mapping[str, str],
    arrows: Iterable[RankingArrow],
    *,
    known: Mapping[str, int],
    positions: Mapping[str, int],
) -> list[str]:
    """The keys of `colours` by colour; alike ones by what they refer to and who refers to them.

    `known` are things outside the order with places of their own. Where nothing tells two
    apart, one of them comes first by its position, and what refers to it is told apart by that.
    """
    ranks = _ranks({name: (colour,) for name, colour in colours.items()})
    if len(set(ranks.values())) < len(ranks):
        listed = list(arrows)
        ranks = _refined(ranks, listed, known)
        named = {arrow.target for arrow in listed if arrow.source in ranks}
        while tied := _first_tie(ranks, named):
            chosen = min(tied, key=lambda name: positions[name])
            ranks = _ranks({name: (rank, name != chosen) for name, rank in ranks.items()})
            ranks = _refined(ranks, listed, known)
    return sorted(ranks, key=lambda name: ranks[name])


def _ranks(signatures: Mapping[str, tuple[Hashable, ...]]) -> dict[str, int]:
    """Equal signatures get equal numbers, in the order of the signatures."""
    order = {value: rank for rank, value in enumerate(sorted(set(signatures.values())))}
    return {name: order[value] for name, value in signatures.items()}


def _refined(
    ranks: dict[str, int], arrows: list[RankingArrow], known: Mapping[str, int]
) -> dict[str, int]:
    """Tell apart by arrows until that tells nothing more apart (colour refinement)."""
    while True:
        seen = {name: (-1 - place, 0) for name, place in known.items()}
        seen |= {name: (rank, 1) for name, rank in ranks.items()}
        around: dict[str, list[tuple[int, tuple[int, ...], tuple[int, int]]]] = {}
        for source, place, target in arrows:
            if source in ranks and target in seen:
                around.setdefault(source, []).append((0, place, seen[target]))
            if target in ranks and source in seen:
                around.setdefault(target, []).append((1, place, seen[source]))
        refined = _ranks(
            {name: (rank, tuple(sorted(around.get(name, ())))) for name, rank in ranks.items()}
        )
        if len(set(refined.values())) == len(set(ranks.values())):
            return refined
        ranks = refined


def _first_tie(ranks: Mapping[str, int], named: Set[str]) -> list[str]:
    """The names of the first rank that several share; where nobody names them, any order is one."""
    shared: dict[int, list[str]] = {}
    for name, rank in ranks.items():
        if name in named:
            shared.setdefault(rank, []).append(name)
    return next((shared[rank] for rank in sorted(shared) if len(shared[rank]) > 1), [])
