"""Which proof proves what: by name, by nesting, by adjacency, by the section's title."""

import re
from collections.abc import Callable, Mapping, Sequence

from pfcore.graph.order import Entry, Order
from pfcore.latex import headings, tagged
from pfcore.latex.kinds import role_of
from pfcore.model import Role

_OF = re.compile(r"\bof\b|\bdes?\b|\bdu\b|\bvon\b", re.IGNORECASE)
_BARE = frozenset({"", "proof", "sketch", "proof sketch", "preuve", "beweis"})
_AGAIN = re.compile(r"second|another|alternative|other|third|direct|different", re.IGNORECASE)
_WORD = re.compile(r"[a-z0-9]+")
_SECTION_LEVELS = frozenset({0, 1, 2, 3})

Lookup = Callable[[str, str], int]
"""From a label and the file that cites it to the position of the statement, or -1."""


def pair(order: Order, lookup: Lookup) -> tuple[dict[int, list[int]], list[int]]:
    """Positions of proofs by the position of their statement; and the proofs of nothing."""
    found: dict[int, list[int]] = {}
    loose: list[int] = []
    by_block = {(entry.path, entry.number): i for i, entry in enumerate(order.entries)}
    outer: list[int] = []
    for position, entry in enumerate(order.entries):
        block = entry.block
        if block.shape == "statement" and block.parent < 0:
            outer.append(position)
        if block.shape != "proof":
            continue
        targets = _named(entry, lookup) or _enclosing(entry, position, order, by_block, found)
        if not targets and block.parent < 0 and not tagged.is_tagged(block.env):
            targets = _near(position, entry, order, outer, found, lookup)
        for target in targets:
            found.setdefault(target, []).append(position)
        if not targets:
            loose.append(position)
    return found, loose


def _named(entry: Entry, lookup: Lookup) -> list[int]:
    """The statements that the proof says it proves."""
    if not entry.block.aim:
        return []
    targets = [lookup(key.strip(), entry.path) for aim in entry.block.aim for key in aim.split(",")]
    return list(dict.fromkeys(target for target in targets if target >= 0))


def _enclosing(
    entry: Entry,
    position: int,
    order: Order,
    by_block: Mapping[tuple[str, int], int],
    found: Mapping[int, list[int]],
) -> list[int]:
    """The statement before it inside the same proof or statement, or the statement around it.

    A step or claim in words has its proof right behind it, and no other.
    """
    if entry.block.parent < 0:
        return []
    above = by_block[entry.path, entry.block.parent]
    for other in range(position - 1, above, -1):
        candidate = order.entries[other]
        same = candidate.path == entry.path and candidate.block.parent == entry.block.parent
        is_done = candidate.block.env == headings.NAME and other in found
        if same and candidate.block.shape == "statement" and not is_done:
            return [other]
    return [above] if order.entries[above].block.shape == "statement" else []


def _near(
    position: int,
    entry: Entry,
    order: Order,
    outer: Sequence[int],
    found: Mapping[int, list[int]],
    lookup: Lookup,
) -> list[int]:
    """The statement just before; else the last unproved result of the section; else its title."""
    before = outer[-1] if outer else -1
    titled = _by_title(entry, order, outer)
    if titled >= 0:
        return [titled]
    if before >= 0 and entry.block.adjacent and _is_last(before, position, order):
        return [_not_open(before, order, outer, found)]
    for target in reversed(outer):
        if not _same_section(order, target, position):
            break
        if _is_result(order, target) and target not in found:
            return [target]
    by_section = _section_target(entry, order, lookup)
    if by_section >= 0:
        return [by_section]
    again = before >= 0 and _same_section(order, before, position) and _is_result(order, before)
    if again and (entry.block.adjacent or _AGAIN.search(entry.block.title)):
        return [before]
    return []


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


def _by_title(entry: Entry, order: Order, outer: Sequence[int]) -> int:
    """A statement whose title or heading the title contains: "Proof of the main theorem"."""
    if not entry.block.title:
        return -1
    title = _plain(entry.block.title)
    if len(title) < 9 or not _OF.search(title):
        return -1
    for target in reversed(outer):
        block = order.entries[target].block
        names = (_plain(block.title), block.heading)
        if any(len(name) > 5 and name in title for name in names):
            return target
    return -1


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))


def _section_target(entry: Entry, order: Order, lookup: Lookup) -> int:
    section = entry.section
    while section >= 0:
        for key in order.headings[section].refers:
            target = lookup(key, entry.path)
            if target >= 0:
                return target
        section = order.headings[section].parent
    return -1


def says_what(entry: Entry) -> bool:
    """Whether a proof names something that it proves, in words that we could not follow."""
    title = _plain(entry.block.title)
    return bool(entry.block.aim) or bool(_OF.search(entry.block.title)) or title not in _BARE
