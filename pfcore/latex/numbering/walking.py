"""Finding one's way in a list of steps, and keeping the numbers that come of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pfcore.latex.numbering.records import CounterStep, Number

Place = tuple[str, int]


@dataclass(slots=True)
class Simulated:
    """Numbers by label, and by file and offset for labels, statements and headings."""

    labels: dict[str, Number] = field(default_factory=dict)
    places: dict[Place, Number] = field(default_factory=dict)

    def name(self, key: str, place: Place, number: Number) -> None:
        """A label given twice is certain only if both agree."""
        known = self.labels.get(key)
        if known is not None and known.text != number.text:
            number = number._replace(certain=False)
        self.labels[key] = number
        self.put(place, number)

    def put(self, place: Place, number: Number) -> None:
        """What is read twice is certain only if both times agree."""
        known = self.places.get(place)
        if known is not None and known.text != number.text:
            number = known._replace(certain=False)
        self.places[place] = number


def end_of(listed: Sequence[CounterStep], index: int) -> int:
    """Where an environment ends that nests no other of its name; the last step if nowhere."""
    name = listed[index].args[0]
    return next(
        (
            other
            for other in range(index, len(listed))
            if listed[other].op == "end" and listed[other].args[0] == name
        ),
        len(listed) - 1,
    )


def matching(listed: Sequence[CounterStep], index: int, op: str) -> int:
    """Where the other part of a condition stands; behind the end if there is none."""
    mark = listed[index].args[0]
    return next(
        (
            other
            for other in range(index + 1, len(listed))
            if listed[other].op == op and listed[other].args[0] == mark
        ),
        len(listed),
    )


def is_named(path: str, names: Sequence[str]) -> bool:
    """Whether a file is one of those that a command names."""
    base = path.rpartition("/")[2]
    return any(
        name
        and (base == name.rpartition("/")[2] or base.rpartition(".")[0] == name.rpartition("/")[2])
        for name in names
    )
