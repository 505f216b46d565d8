"""How far a convention or an assumption reaches: a range of positions in reading order."""

from collections.abc import Mapping

from pfcore.domain.values import Module, Role
from pfcore.graph.building.reading_order import Order, OrderedBlock
from pfcore.graph.document import PaperSection
from pfcore.latex.project.kinds import role_of

_LEVELS = {
    "part": frozenset({0}),
    "chapter": frozenset({1}),
    "lecture": frozenset({1, 2}),
    "appendix": frozenset({1, 2}),
    "section": frozenset({2}),
    "subsection": frozenset({3}),
}
_SECTIONS = frozenset({0, 1, 2})
_CHAPTERS = frozenset({1})
_CHAPTER, _SECTION = 1, 2
_BINDING = frozenset({Role.ASSUMPTION, Role.CONVENTION})
_BY_USE = frozenset({"axiom", "axioms", "axiome", "axiomi", "postulate", "condition", "conditions"})


def reach(order: Order, position: int) -> tuple[int, int] | None:
    """The range of positions that a block binds; None if it binds none by its place."""
    entry = order.entries[position]
    block = entry.block
    if block.shape == "introduction":
        if not block.onward:
            return None
        if block.unit == "document" or is_unit(block.unit):
            return position, _convention(order, position, entry)[1]
        return position, _set_up(order, entry.section)[1]
    if block.shape == "convention" or block.unit:
        return _convention(order, position, entry)
    if block.shape != "statement" or block.parent >= 0:
        return None
    if role_of(block.kind) not in _BINDING or block.kind in _BY_USE:
        return None
    return position, _enclosing(order, entry.section)[1]


def is_unit(unit: str) -> bool:
    """Whether a word names a part of a document: "section"."""
    return unit in _LEVELS


def named_unit(order: Order, section: int, unit: str) -> int:
    """The heading around of the kind that a convention names; -1 if there is none."""
    return order.innermost(section, _LEVELS[unit]) if unit in _LEVELS else section


def _convention(order: Order, position: int, entry: OrderedBlock) -> tuple[int, int]:
    unit = entry.block.unit
    whole = (0, len(order.entries))
    if unit == "document":
        first, last = whole
    elif unit:
        first, last = _unit(order, entry.section, unit)
    else:
        first, last = position, _set_up(order, entry.section)[1]
    return (position if entry.block.onward else first), last


def _unit(order: Order, section: int, unit: str) -> tuple[int, int]:
    """The range of the innermost heading of a kind, or of the innermost one if there is none."""
    index = order.innermost(section, _LEVELS.get(unit, _SECTIONS))
    index = index if index >= 0 else section
    if index < 0:
        return 0, len(order.entries)
    return order.headings[index].first, order.headings[index].last


def is_general(heading: PaperSection) -> bool:
    """Whether a heading says that the text under it holds for the whole document."""
    return bool(heading.says) and "apart" not in heading.says and "practice" not in heading.says


def is_practice(order: Order, section: int) -> bool:
    """Whether a heading around says that there are exercises under it."""
    while section >= 0:
        heading = order.headings[section]
        if "practice" in heading.says:
            return True
        section = heading.parent
    return False


def general_unit(order: Order, section: int) -> int | None:
    """The heading for which a section on notation around holds; None without such a section.

    -1, the whole document, unless that section is in a chapter other than the first that is not on
    notation itself.
    """
    above = section
    while above >= 0 and not is_general(order.headings[above]):
        above = order.headings[above].parent
    if above < 0:
        return None
    chapter = order.innermost(above, _CHAPTERS)
    if chapter in (-1, above) or is_general(order.headings[chapter]):
        return -1
    chapters = (one for one, heading in enumerate(order.headings) if heading.level == _CHAPTER)
    return -1 if next(chapters) == chapter else chapter


def _enclosing(order: Order, section: int) -> tuple[int, int]:
    """The range of the section around, or the range that a section on notation around holds for."""
    index = general_unit(order, section)
    index = order.innermost(section, _SECTIONS) if index is None else index
    if index < 0:
        return 0, len(order.entries)
    return order.headings[index].first, order.headings[index].last


def _set_up(order: Order, section: int) -> tuple[int, int]:
    """The range of the section around, or of the chapter or paper if it is the first section there.

    Agreements at the beginning of a paper, or of a chapter, hold for all of it, except those under
    a heading of their own in the first section.
    """
    index = order.innermost(section, _SECTIONS)
    is_right_under = index == section and index >= 0 and order.headings[index].level == _SECTION
    if not is_right_under or is_practice(order, section):
        return _enclosing(order, section)
    parent = order.headings[index].parent
    beside = (one for one, heading in enumerate(order.headings) if heading.parent == parent)
    if next(beside) != index:
        return _enclosing(order, section)
    return _enclosing(order, parent) if parent >= 0 else (0, len(order.entries))


def bindings(
    modules: Mapping[str, Module], places: Mapping[str, tuple[int, ...]]
) -> dict[str, tuple[str, ...]]:
    """The conventions and assumptions that bind each module at any of its positions.

    A result with a scope may be the setting of others, but not of another such result.
    """
    last = 1 + max((position for found in places.values() for position in found), default=0)
    active = _sweep(modules, last)
    found = {
        name: () if modules[name].role is Role.CONVENTION else _over(name, positions, active)
        for name, positions in places.items()
    }
    results = {
        name for name, module in modules.items() if module.scope and module.role is Role.RESULT
    }
    return found | {
        name: tuple(one for one in found[name] if one not in results) for name in results
    }


def _over(name: str, positions: tuple[int, ...], active: list[tuple[str, ...]]) -> tuple[str, ...]:
    first, *others = positions
    over = active[first]
    if others and any(active[position] is not over for position in others):
        over = tuple(dict.fromkeys(one for position in positions for one in active[position]))
    return tuple(one for one in over if one != name) if name in over else over


def _sweep(modules: Mapping[str, Module], count: int) -> list[tuple[str, ...]]:
    """The binding modules at each position, in reading order; equal neighbours share one tuple."""
    changes: dict[int, list[tuple[str, bool]]] = {}
    for name, module in modules.items():
        if module.scope:
            changes.setdefault(module.scope[0], []).append((name, True))
            changes.setdefault(module.scope[1], []).append((name, False))
    found: list[tuple[str, ...]] = []
    over: set[str] = set()
    current: tuple[str, ...] = ()
    for position in range(count):
        if position in changes:
            for name, begins in changes[position]:
                over.add(name)
                if not begins:
                    over.remove(name)
            current = tuple(sorted(over, key=lambda name: modules[name].position))
        found.append(current)
    return found
