"""The blocks of a paper in reading order, across its files, with their sections.

Also gives ids to modules: the label, else one made from kind, title and place.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.graph.document import PaperSection
from pfcore.latex.parsed_file import Block, ParsedFile, SectionHeading
from pfcore.latex.project.include_graph import IncludeGraph


class OrderedBlock(NamedTuple):
    """A block in reading order, with its number in its file and its innermost heading, or -1."""

    path: str
    number: int
    block: Block
    section: int


@dataclass(slots=True, kw_only=True)
class Order:
    """All blocks in reading order; an entry's position is its index."""

    entries: list[OrderedBlock] = field(default_factory=list)
    headings: list[PaperSection] = field(default_factory=list)

    def innermost(self, section: int, levels: frozenset[int]) -> int:
        """The nearest heading at or above this one whose level is wanted, or -1."""
        while section >= 0 and self.headings[section].level not in levels:
            section = self.headings[section].parent
        return section

    def above(self, section: int) -> Iterator[int]:
        """A heading and those above it, innermost first."""
        while section >= 0:
            yield section
            section = self.headings[section].parent


def arrange(outline: IncludeGraph, readings: Mapping[str, ParsedFile]) -> Order:
    """Walk the files as LaTeX reads them."""
    order = Order()
    opened: list[int] = []
    for path, item in _walk(outline, readings):
        if isinstance(item, SectionHeading):
            while opened and order.headings[opened[-1]].level >= item.level:
                _end(order, opened.pop())
            parent = opened[-1] if opened else -1
            position = len(order.entries)
            heading = PaperSection(
                item.level, item.title, path, parent, position, -1, item.refers, item.says
            )
            opened.append(len(order.headings))
            order.headings.append(heading)
        else:
            number, block = item
            order.entries.append(OrderedBlock(path, number, block, opened[-1] if opened else -1))
    while opened:
        _end(order, opened.pop())
    return order


def _end(order: Order, index: int) -> None:
    order.headings[index] = order.headings[index]._replace(last=len(order.entries))


_PLACE = itemgetter(0, 1)

Item = SectionHeading | tuple[int, Block]


def _walk(outline: IncludeGraph, readings: Mapping[str, ParsedFile]) -> Iterator[tuple[str, Item]]:
    seen: set[str] = set()
    for start in outline.order:
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(flow(start, outline, readings)))]
        while stack:
            path, items = stack[-1]
            step = next(items, None)
            if step is None:
                stack.pop()
                continue
            _, _, item = step
            if not isinstance(item, str):
                yield path, item
            elif item not in seen:
                seen.add(item)
                stack.append((item, iter(flow(item, outline, readings))))


def flow(
    path: str, outline: IncludeGraph, readings: Mapping[str, ParsedFile]
) -> list[tuple[int, int, Item | str]]:
    """Blocks, headings and inclusions of a file in order: offset, rank at that offset, and item."""
    reading = readings.get(path)
    items: list[tuple[int, int, Item | str]] = [
        (found.offset, 0, found.path) for found in outline.inclusions.get(path, [])
    ]
    if reading:
        items += [(section.offset, 1, section) for section in reading.sections]
        items += [(item[1].place.start, 2 + item[0], item) for item in enumerate(reading.blocks)]
    items.sort(key=_PLACE)
    return items


_WORD = regex(r"[a-z0-9]+")
_COMMAND = regex(r"\\[A-Za-z@]+|\$[^$]*\$")
_LONGEST = 40


class ModuleIds:
    """Gives out unique ids."""

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
    """A title in lower-case letters, digits and hyphens."""
    plain = _COMMAND.sub(" ", text).lower()
    if not plain.isascii():
        letters = unicodedata.normalize("NFKD", plain)
        plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return "-".join(_WORD.findall(plain))[:_LONGEST].rstrip("-")


def statement_labels(block: Block, inside: Sequence[str]) -> tuple[str, ...]:
    """The labels that name a block itself, those in its head before those inside."""
    found = (*block.labels, *inside)
    return tuple(dict.fromkeys(found)) if len(found) > 1 else found
