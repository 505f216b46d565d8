"""Ids of modules: the label, else one made from kind, title and place."""

import re
import unicodedata
from collections.abc import Sequence

from pfcore.graph.building.reading_order import Order, OrderedBlock
from pfcore.latex.parsed_file import Block

_WORD = re.compile(r"[a-z0-9]+")
_COMMAND = re.compile(r"\\[A-Za-z@]+|\$[^$]*\$")
_LONGEST = 40


class ModuleIds:
    """Hands out ids, each once."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._taken: set[str] = set()
        self._counts: dict[tuple[str, str], int] = {}
        self._wheres: dict[tuple[int, str], str] = {}

    def name(self, entry: OrderedBlock, labels: tuple[str, ...]) -> str:
        """The id of a statement, convention or fragment."""
        if labels:
            return self._free(labels[0])
        kind = entry.block.kind.replace(" ", "-")
        title = slug(entry.block.title) if entry.block.title else ""
        if title:
            return self._free(f"{kind}~{title}")
        place = (entry.section, entry.path)
        if place not in self._wheres:
            self._wheres[place] = self._where(entry)
        where = self._wheres[place]
        count = self._counts[kind, where] = self._counts.get((kind, where), 0) + 1
        return self._free(f"{kind}~{where}~{count}")

    def _where(self, entry: OrderedBlock) -> str:
        if entry.section >= 0:
            title = slug(self._order.headings[entry.section].title)
            if title:
                return title
        return slug(entry.path.rpartition("/")[2].rpartition(".")[0]) or "paper"

    def _free(self, wanted: str) -> str:
        name, count = wanted, 1
        while name in self._taken:
            count += 1
            name = f"{wanted}~{count}"
        self._taken.add(name)
        return name


def slug(text: str) -> str:
    """A title in small letters, digits and hyphens."""
    plain = _COMMAND.sub(" ", text).lower()
    if not plain.isascii():
        letters = unicodedata.normalize("NFKD", plain)
        plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return "-".join(_WORD.findall(plain))[:_LONGEST].rstrip("-")


def statement_labels(block: Block, inside: Sequence[str]) -> tuple[str, ...]:
    """The labels that name a block itself, the head's own before those that stand inside."""
    found = (*block.labels, *inside)
    return tuple(dict.fromkeys(found)) if len(found) > 1 else found
