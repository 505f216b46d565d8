"""Which proof proves what: by name, by nesting, by adjacency, by the section's title."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pfcore.domain.values import Role
from pfcore.graph.building.reading_order import Order, OrderedBlock
from pfcore.graph.building.titled import Titled, title_words
from pfcore.latex import tagged
from pfcore.latex.project.kinds import role_of
from pfcore.latex.structure import aims, headings, unmarked_proofs

_OF = re.compile(r"\bof\b|\bdes?\b|\bdu\b|\bvon\b", re.IGNORECASE)
_BARE = frozenset({"", "proof", "sketch", "proof sketch", "preuve", "beweis"})
_AGAIN = re.compile(r"second|another|alternative|other|third|direct|different", re.IGNORECASE)
_SECTION_LEVELS = frozenset({0, 1, 2, 3})

Places = Mapping[tuple[str, int], int]
"""The position of each block, by its file and number."""

Lookup = Callable[[str, str], int]
"""From a label and the file that cites it to the position of the statement, or -1."""


class Pairs(NamedTuple):
    """Positions of proofs by the position of their statement; and the proofs of nothing.

    These with the result that they name where it is certain that there is none, else "".
    """

    proofs: dict[int, list[int]]
    loose: dict[int, str]


def pair(order: Order, at: Places, lookup: Lookup, titled: Titled) -> Pairs:
    """Find the statements of every proof."""
    found: dict[int, list[int]] = {}
    loose: dict[int, str] = {}
    outer: list[int] = []
    for position, entry in enumerate(order.entries):
        block = entry.block
        if block.shape != "proof":
            if block.shape == "statement" and block.parent < 0:
                outer.append(position)
            continue
        wanted = titled.wanted(entry)
        targets = _named(entry, order, lookup) or titled.resolved(entry, wanted)
        targets = targets or _enclosing(entry, position, order, at, found)
        is_near = not targets and block.parent < 0 and not tagged.is_tagged(block.env)
        if is_near and block.env == unmarked_proofs.SECTION:
            targets = [item for item in (_by_title(entry, order, outer),) if item >= 0]
        elif is_near:
            near = _near(position, entry, order, outer, found, lookup)
            allowed = (item for item in near if titled.may_be(item, wanted)) if wanted else near
            targets = [target for target in (next(allowed, -1),) if target >= 0]
        if block.env == unmarked_proofs.SECTION:
            targets = [target for target in targets if target not in found]
        for target in targets:
            found.setdefault(target, []).append(position)
        if not targets:
            loose[position] = titled.missing(wanted) if is_near else ""
    return Pairs(found, loose)


def _named(entry: OrderedBlock, order: Order, lookup: Lookup) -> list[int]:
    """The statements that the proof says it proves, by their labels."""
    if not entry.block.aim:
        return []
    keys = (key.strip() for aim in entry.block.aim for key in aim.split(","))
    targets = [lookup(key, entry.path) for key in keys]
    for first, last in aims.ranges(entry.block.title):
        targets += _between(lookup(first, entry.path), lookup(last, entry.path), order)
    return list(dict.fromkeys(target for target in targets if target >= 0))


def _between(first: int, last: int, order: Order) -> list[int]:
    """The statements of a kind from one to another, where these are of the same kind and level."""
    if first < 0 or last < 0:
        return []
    blocks = [entry.block for entry in order.entries[first : last + 1]]
    one = blocks[0] if blocks else None
    if one is None or (one.kind, one.parent) != (blocks[-1].kind, blocks[-1].parent):
        return []
    return [
        first + index
        for index, block in enumerate(blocks)
        if (block.shape, block.kind, block.parent) == (one.shape, one.kind, one.parent)
    ]


def _enclosing(
    entry: OrderedBlock,
    position: int,
    order: Order,
    at: Places,
    found: Mapping[int, list[int]],
) -> list[int]:
    """The statement before it inside the same proof or statement, or the statement around it.

    A step or claim in words has its proof right behind it, and no other.
    """
    if entry.block.parent < 0:
        return []
    above = at[entry.path, entry.block.parent]
    for other in range(position - 1, above, -1):
        candidate = order.entries[other]
        same = candidate.path == entry.path and candidate.block.parent == entry.block.parent
        is_done = candidate.block.env == headings.NAME and other in found
        if same and candidate.block.shape == "statement" and not is_done:
            return [other]
    return [above] if order.entries[above].block.shape == "statement" else []


def _near(
    position: int,
    entry: OrderedBlock,
    order: Order,
    outer: Sequence[int],
    found: Mapping[int, list[int]],
    lookup: Lookup,
) -> Iterator[int]:
    """The statement just before; else the last unproved result of the section; else its title."""
    before = outer[-1] if outer else -1
    titled = _by_title(entry, order, outer)
    if titled >= 0:
        yield titled
    if before >= 0 and entry.block.adjacent and _is_last(before, position, order):
        yield _not_open(before, order, outer, found)
    is_again = _AGAIN.search(entry.block.title) is not None
    if is_again and before in found and _same_section(order, before, position):
        yield before
    for target in reversed(outer):
        if not _same_section(order, target, position):
            break
        if _is_result(order, target) and target not in found:
            yield target
    by_section = _section_target(entry, order, lookup)
    if by_section >= 0:
        yield by_section
    again = before >= 0 and _same_section(order, before, position) and _is_result(order, before)
    if again and (entry.block.adjacent or is_again):
        yield before


def _not_open(
    before: int, order: Order, outer: Sequence[int], found: Mapping[int, list[int]]
) -> int:
    """A statement; of a question that is set right behind an unproved result, the result."""
    if len(outer) > 1 and role_of(order.entries[before].block.kind) is Role.OPEN:
        earlier = outer[-2]
        if _is_result(order, earlier) and earlier not in found:
            return earlier if _same_section(order, earlier, before) else before
    return before


def _is_last(statement: int, proof: int, order: Order) -> bool:
    """Whether nothing but parts of the statement and fragments lies between the two."""
    path, index = order.entries[statement].path, order.entries[statement].number
    for position in range(statement + 1, proof):
        entry = order.entries[position]
        inside = entry.path == path and entry.block.parent == index
        if not inside and entry.block.shape != "fragment" and entry.block.parent < 0:
            return False
    return True


def _is_result(order: Order, position: int) -> bool:
    return role_of(order.entries[position].block.kind) is Role.RESULT


def _same_section(order: Order, one: int, other: int) -> bool:
    first = order.innermost(order.entries[one].section, _SECTION_LEVELS)
    return first == order.innermost(order.entries[other].section, _SECTION_LEVELS)


def _by_title(entry: OrderedBlock, order: Order, outer: Sequence[int]) -> int:
    """A statement whose title or heading the title contains: "Proof of the main theorem"."""
    if not entry.block.title:
        return -1
    title = title_words(entry.block.title)
    if len(title) < 9 or not _OF.search(title):
        return -1
    for target in reversed(outer):
        block = order.entries[target].block
        names = (title_words(block.title), block.heading)
        if any(len(name) > 5 and f" {name} " in f" {title} " for name in names):
            return target
    return -1


def _section_target(entry: OrderedBlock, order: Order, lookup: Lookup) -> int:
    section = entry.section
    while section >= 0:
        for key in order.headings[section].refers:
            target = lookup(key, entry.path)
            if target >= 0:
                return target
        section = order.headings[section].parent
    return -1


def says_what(entry: OrderedBlock) -> bool:
    """Whether a proof names something that it proves, in words that we could not follow."""
    title = title_words(entry.block.title)
    return bool(entry.block.aim) or bool(_OF.search(entry.block.title)) or title not in _BARE
