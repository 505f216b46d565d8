"""The results that the titles of proofs name by their rendered numbers: `[Proof of Theorem 2]`."""

import re
from collections.abc import Callable, Sequence

from pfcore.graph.building.reading_order import Order, OrderedBlock
from pfcore.latex.structure.aims import NumberedTarget, named_results

FindNumber = Callable[[tuple[str, ...], str, int], str | None]
"""From a statement's labels, its file and where it begins to its number, where that is certain."""

_COMMON = frozenset({"theorem", "lemma", "proposition", "corollary"})
_DIGITS, _LETTERS = re.compile(r"\d+"), re.compile(r"[A-Z]+")
_WORD = re.compile(r"[a-z0-9]+")


def title_words(text: str) -> str:
    """A title in small letters and digits, its words parted by spaces."""
    return " ".join(_WORD.findall(text.lower()))


class Titled:
    """The results that titles name; numbers are worked out for the kinds that some title names.

    `looked_up` are the numbers that were asked for, by position: the pairs rest on them.
    """

    def __init__(self, order: Order, number: Callable[[int], str | None]) -> None:
        self._order = order
        self._number = number
        self._by_kind: dict[str, list[int]] | None = None
        self.looked_up: dict[int, str | None] = {}

    def wanted(self, entry: OrderedBlock) -> tuple[NumberedTarget, ...]:
        """What a proof's title names, of the kinds that may stand in this paper."""
        title = entry.block.title
        if not title or entry.block.aim:
            return ()
        found = named_results(title)
        return tuple(item for item in found if item.kind in _COMMON or item.kind in self._kinds)

    def resolved(self, entry: OrderedBlock, wanted: Sequence[NumberedTarget]) -> list[int]:
        """The statements that are certainly meant."""
        if not wanted:
            return []
        found = (self._statement(entry, item) for item in wanted)
        return list(dict.fromkeys(position for position in found if position >= 0))

    def may_be(self, position: int, wanted: Sequence[NumberedTarget]) -> bool:
        """Whether a proof that names these may be one of a statement: right kind, no other number.

        A number that is uncertain contradicts nothing.
        """
        kind = self._order.entries[position].block.kind
        numbers = [item.number for item in wanted if item.kind == kind]
        return bool(numbers) and self._of(position) in (None, *numbers)

    def missing(self, wanted: Sequence[NumberedTarget]) -> str:
        """A name of which it is certain that no statement has it; "" if there is none.

        There are others of its kind, all with certain numbers, and some that look alike.
        """
        for kind, number in wanted:
            numbers = [self._of(position) for position in self._kinds.get(kind, ())]
            shapes = {_shape(found) for found in numbers if found is not None}
            if None not in numbers and number not in numbers and _shape(number) in shapes:
                return f"{kind.capitalize()} {number}"
        return ""

    def _statement(self, entry: OrderedBlock, wanted: NumberedTarget) -> int:
        """The only statement of a kind and number: beside the proof if it stands in a block."""
        name = title_words(f"{wanted.kind} {wanted.number}")
        found = [
            position
            for position in self._kinds.get(wanted.kind, ())
            if self._of(position) == wanted.number or self._is_called(position, name)
        ]
        entries = self._order.entries
        around = entry.path, entry.block.parent
        beside = [p for p in found if (entries[p].path, entries[p].block.parent) == around]
        chosen = beside if entry.block.parent >= 0 and beside else found
        return chosen[0] if len(chosen) == 1 else -1

    def _is_called(self, position: int, name: str) -> bool:
        block = self._order.entries[position].block
        return name in (block.heading, title_words(block.title))

    def _of(self, position: int) -> str | None:
        if position not in self.looked_up:
            self.looked_up[position] = self._number(position)
        return self.looked_up[position]

    @property
    def _kinds(self) -> dict[str, list[int]]:
        """The positions of the statements of each kind."""
        if self._by_kind is None:
            self._by_kind = {}
            for position, entry in enumerate(self._order.entries):
                if entry.block.shape == "statement":
                    self._by_kind.setdefault(entry.block.kind, []).append(position)
        return self._by_kind


def _shape(number: str) -> str:
    """How a number looks: "1.1" of "2.13"."""
    return _DIGITS.sub("1", _LETTERS.sub("A", number))
