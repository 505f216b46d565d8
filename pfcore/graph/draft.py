"""What is known while a proof document is put together."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pfcore.graph.order import Order
from pfcore.latex.records import Label, Reading


@dataclass(slots=True, kw_only=True)
class Draft:
    """What is known while a document is put together; positions are those of `order`.

    `own` are the labels that name a block itself, by its file and number; `at` its position;
    `owner` the statement of a proof.
    """

    order: Order
    readings: Mapping[str, Reading]
    labels: dict[str, list[tuple[str, Label]]] = field(default_factory=dict)
    own: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    at: dict[tuple[str, int], int] = field(default_factory=dict)
    ids: dict[int, str] = field(default_factory=dict)
    proofs: dict[int, list[int]] = field(default_factory=dict)
    owner: dict[int, int] = field(default_factory=dict)

    def find(self, key: str, path: str) -> tuple[str, Label] | None:
        """The place of a label, preferably in the file that cites it."""
        found = self.labels.get(key)
        if not found:
            return None
        return next((item for item in found if item[0] == path), found[0])

    def statement(self, key: str, path: str) -> int:
        """The position of the statement that a label names or lies in; -1 if there is none."""
        found = self.find(key, path)
        if found is None or found[1].block < 0:
            return -1
        position = self.at[found[0], found[1].block]
        shape = self.order.entries[position].block.shape
        return position if shape == "statement" else -1
