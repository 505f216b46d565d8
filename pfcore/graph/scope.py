"""How far a convention or an assumption reaches: a range of positions in reading order."""

import re

from pfcore.graph.order import Entry, Order
from pfcore.latex.kinds import role_of
from pfcore.model import Role

_GENERAL = re.compile(
    r"notation|convention|preliminar|introduction|set-?up|setting|background|terminolog|standing"
    r"|assumption|basic definitions",
    re.IGNORECASE,
)
_LEVELS = {
    "part": frozenset({0}),
    "chapter": frozenset({1}),
    "lecture": frozenset({1, 2}),
    "appendix": frozenset({1, 2}),
    "section": frozenset({2}),
    "subsection": frozenset({3}),
}
_SECTIONS = frozenset({0, 1, 2})
_BY_USE = frozenset({"axiom", "axioms", "axiome", "axiomi", "postulate", "condition", "conditions"})


def reach(order: Order, position: int) -> tuple[int, int] | None:
    """Positions that a block binds, or None if it binds nothing by standing there."""
    entry = order.entries[position]
    if entry.block.shape == "convention":
        return _convention(order, position, entry)
    binds = role_of(entry.block.kind) in (Role.ASSUMPTION, Role.CONVENTION)
    if entry.block.shape != "statement" or not binds or entry.block.parent >= 0:
        return None
    if entry.block.kind in _BY_USE:
        return None
    return position, _enclosing(order, entry.section)[1]


def _convention(order: Order, position: int, entry: Entry) -> tuple[int, int]:
    unit = entry.block.unit
    whole = (0, len(order.entries))
    if unit == "document":
        first, last = whole
    elif unit:
        first, last = _unit(order, entry.section, unit)
    else:
        first, last = position, _enclosing(order, entry.section)[1]
    return (position if entry.block.onward else first), last


def _unit(order: Order, section: int, unit: str) -> tuple[int, int]:
    """The innermost heading of the kind that was named; where there is none, the innermost."""
    index = order.innermost(section, _LEVELS.get(unit, _SECTIONS))
    index = index if index >= 0 else section
    if index < 0:
        return 0, len(order.entries)
    return order.headings[index].first, order.headings[index].last


def _enclosing(order: Order, section: int) -> tuple[int, int]:
    """The section around; all of the document where that is a section on notation."""
    index = order.innermost(section, _SECTIONS)
    above = section
    while above >= 0:
        if _GENERAL.search(order.headings[above].title):
            return 0, len(order.entries)
        above = order.headings[above].parent
    if index < 0:
        return 0, len(order.entries)
    return order.headings[index].first, order.headings[index].last
