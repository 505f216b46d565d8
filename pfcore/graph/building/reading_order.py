"""The blocks of a paper in reading order, across its files, with their sections."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

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
        """A heading and those above it, the innermost first."""
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
            heading = PaperSection(item.level, item.title, path, parent, position, -1, item.refers)
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
    """Blocks, headings and inclusions of a file: offset, which of them it is, and it itself."""
    reading = readings.get(path)
    items: list[tuple[int, int, Item | str]] = [
        (found.offset, 0, found.path) for found in outline.inclusions.get(path, [])
    ]
    if reading:
        items += [(section.offset, 1, section) for section in reading.sections]
        items += [(item[1].place.start, 2 + item[0], item) for item in enumerate(reading.blocks)]
    items.sort(key=_PLACE)
    return items
