"""Which passage introduces what a text needs: by strength and scope, never by a guess.

Strong sites win over mentions; among strong ones that of the nearest scope, then the last before
the use. A letter is supplied by its own scope alone, and where sites of equal right differ, by
none. What only a mention could supply to more than a dozen modules is supplied to none of them.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pfcore.domain.values import Module, Role
from pfcore.graph.building.reading_order import Order, OrderedBlock
from pfcore.graph.building.scope import is_general
from pfcore.latex.language.introductions import STATES, SUPPOSES, TAKES
from pfcore.latex.language.notation import head_of, is_plain
from pfcore.latex.parsed_file import BEHIND, HYPOTHESIS


class Site(NamedTuple):
    """Where a key is brought in: the position in reading order, and how strongly.

    `holds` is the position from which it holds; `section` the innermost heading around, -1 where it
    holds for the whole paper; `around` the position of the claim whose hypothesis it is, or -1.
    """

    position: int
    holds: int
    name: str
    strength: int
    section: int
    around: int
    digest: str
    is_definition: bool

    @property
    def is_strong(self) -> bool:
        """Whether a text states, names, takes or supposes something there."""
        return self.strength >= SUPPOSES


class Supply(NamedTuple):
    """What a need is answered by: module ids in reading order; `rivals` where that is ambiguous."""

    names: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()


NOTHING = Supply()


@dataclass(frozen=True, slots=True, kw_only=True)
class IntroductionIndex:
    """The sites of each key in reading order, and the headings that scopes are made of."""

    sites: Mapping[str, tuple[Site, ...]]
    sections: Mapping[int, tuple[int, ...]]
    heads: frozenset[str]
    names: Mapping[str, frozenset[str]] = field(default_factory=dict)
    _nearest: dict[tuple[str, int], list[list[Site]]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def has_same_rivals(self, other: "IntroductionIndex") -> bool:
        """Whether the same sites say the same as one another in a version of the same frame."""
        return all(
            [listed[0].digest == site.digest for site in listed]
            == [other.sites[key][0].digest == site.digest for site in other.sites[key]]
            for key, listed in self.sites.items()
            if len(listed) > 1
        )

    def is_mentioned(self, key: str) -> bool:
        """Whether no text introduces or supposes a key, so that only a mention could supply it."""
        return not any(site.is_strong or site.around >= 0 for site in self.sites.get(key, ()))

    def supply(
        self, need: str, position: int, section: int, own: int, is_crowded: Callable[[str], bool]
    ) -> Supply:
        """What answers a need of a passage at a position, whose innermost heading is given.

        A need is one key, or several with tabs between: the first that has an answer counts. `own`
        is the position of the statement that the passage is, or proves. A mention answers for no
        key that is crowded: that too many modules would have from it.
        """
        rivals: tuple[str, ...] = ()
        for key in need.split("\t"):
            found = self._of_key(key, position, section, own)
            if found.names and not (self.is_mentioned(key) and is_crowded(key)):
                return found
            rivals = rivals or found.rivals
        return Supply(rivals=rivals)

    def _of_key(self, key: str, position: int, section: int, own: int) -> Supply:
        listed = self.sites.get(key, ())
        chain = self.sections.get(section, ())
        known = (key, section)
        if known not in self._nearest:
            self._nearest[known] = [
                here
                for scope in (*reversed(chain), -1)
                if (here := [site for site in listed if site.is_strong and site.section == scope])
            ]
        for here in self._nearest[known]:
            held = [site for site in here if site.holds <= position]
            if any(site.strength >= TAKES for site in held):
                return Supply(tuple(_last_of(held)))
        strong = [site for site in listed if site.is_strong]
        before = [site for site in strong if site.holds <= position]
        if is_letter_like(key):
            outside = tuple(dict.fromkeys(site.name for site in before[-2:]))
            return Supply(rivals=outside)
        supposed = [site for site in before if site.section in (*chain, -1)]
        found = self._elsewhere(before, strong, key)
        if found.names and supposed:
            return Supply(tuple(dict.fromkeys((*found.names, *(site.name for site in supposed)))))
        others = [site for site in listed if site.around != own]
        return found if strong else self._weak(others, position, chain)

    def _elsewhere(self, before: Sequence[Site], strong: Sequence[Site], key: str) -> Supply:
        """Sites whose scope the use is not in: one that has no rival; of terms the last."""
        if before:
            if len({site.digest for site in before}) == 1 or key[0] != "#":
                return Supply((before[-1].name,))
            defined = [site for site in before if site.is_definition]
            if defined:
                return Supply((defined[-1].name,))
            return Supply(rivals=tuple(dict.fromkeys(site.name for site in before[-2:])))
        if strong and key[0] != "#" and " " in key:
            return Supply((strong[0].name,))
        return NOTHING

    def _weak(self, listed: Sequence[Site], position: int, chain: tuple[int, ...]) -> Supply:
        """A hypothesis of a claim, else the first mention: for symbols alone."""
        before = [site for site in listed if site.holds <= position]
        supposed = [site for site in before if site.around >= 0]
        for scope in (*reversed(chain), -1):
            here = [site for site in supposed if site.section == scope]
            if here:
                return Supply((here[-1].name,))
        if len({site.digest for site in supposed}) == 1:
            return Supply((supposed[0].name,))
        mentions = [site for site in before if site.around < 0]
        if supposed:
            return Supply(rivals=tuple(dict.fromkeys(site.name for site in supposed[-2:])))
        return Supply((mentions[0].name,)) if mentions else NOTHING


def _last_of(sites: Sequence[Site]) -> Iterator[str]:
    """The last site that takes or states, and what is supposed behind it."""
    last = max(index for index, site in enumerate(sites) if site.strength >= TAKES)
    yield from dict.fromkeys(site.name for site in sites[last:])


def is_letter_like(key: str) -> bool:
    """Whether a key is never guessed: a letter, also with arguments, or a common sign."""
    return key[0] == "#" and is_plain(key.removesuffix("("))


def introduction_index(
    order: Order,
    modules: Mapping[str, Module],
    ids: Mapping[int, str],
    sections: Mapping[int, tuple[int, ...]],
) -> IntroductionIndex:
    """All sites of a paper, and the names of its results."""
    sites: dict[str, list[Site]] = {}
    general = {index: is_general(heading.title) for index, heading in enumerate(order.headings)}
    starts = [p for p, entry in enumerate(order.entries) if entry.block.shape == "statement"]
    for position, entry in enumerate(order.entries):
        if position not in ids:
            continue
        module = modules[ids[position]]
        called = module.terms if module.role is Role.RESULT else ()
        if not entry.block.introduces and not called:
            continue
        place = _placed(entry, position, module.id, general, sections, starts)
        for item in entry.block.introduces:
            sites.setdefault(item[1:], []).append(place._replace(strength=int(item[0])))
        for name in called:
            sites.setdefault(name, []).append(place._replace(strength=STATES))
    names: dict[str, set[str]] = {}
    for key, listed in sites.items():
        for site in listed:
            names.setdefault(site.name, set()).add(key)
    return IntroductionIndex(
        sites={key: tuple(listed) for key, listed in sites.items()},
        sections=sections,
        heads=frozenset(head_of(key) for key in sites if key[0] == "#"),
        names={name: frozenset(keys) for name, keys in names.items()},
    )


def _placed(
    entry: OrderedBlock,
    position: int,
    name: str,
    general: Mapping[int, bool],
    sections: Mapping[int, tuple[int, ...]],
    starts: Sequence[int],
) -> Site:
    """The site that a block is, its strength aside."""
    block = entry.block
    is_definition = block.shape in ("statement", "definition")
    section = entry.section
    if any(general[index] for index in sections.get(section, ())) or block.unit == "document":
        section = -1
    around = -1
    if block.kind == HYPOTHESIS and block.parent >= 0:
        number = bisect_right(starts, position) - 1
        around = starts[number] if number >= 0 else -1
    holds = position
    if block.unit == BEHIND:
        number = bisect_right(starts, position) - 1
        holds = starts[number] if number >= 0 else position
    return Site(position, holds, name, 0, section, around, block.digest, is_definition)
