"""Finds the passage that introduces a needed symbol or term, by strength and scope, not by guesses.

Strong sites win over mentions; among strong ones that of the nearest scope, then the last before
the use. A letter is supplied only by its own scope, and by none if equally good sites differ; but a
letter with arguments that a text names is supplied in the whole document, unless a scope takes the
letter. A key that only a mention could supply to more than a dozen modules is supplied to none.
A site under other headings that takes a letter without scripts, or mentions a symbol, supplies
statements but not proofs; likewise an announcement in an introduction that names no symbol. A
term's definition wins over sentences that announce it.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Module, Role
from pfcore.graph.building.reading_order import Order, OrderedBlock
from pfcore.graph.building.scope import general_unit, is_general, is_practice, is_unit, named_unit
from pfcore.latex.language.formula_keys import (
    DESCRIBES,
    EQUATES,
    EVERYBODYS,
    MENTIONS,
    NAMES,
    OF_CHANCE,
    STATES,
    SUPPOSES,
    TAKES,
)
from pfcore.latex.language.leads import LED, WORD
from pfcore.latex.language.notation import (
    applied_letter,
    head_of,
    is_letter,
    is_operator,
    is_plain,
)
from pfcore.latex.language.phrases import said_by_heading
from pfcore.latex.language.procedures import PROCEDURE, STEPPED
from pfcore.latex.parsed_file import BEHIND, HYPOTHESIS, Block, ParsedFile
from pfcore.latex.project.kinds import is_example, role_of

NOT_AHEAD = -2


class Site(NamedTuple):
    """Where a key is introduced: the position in reading order, and how strongly.

    `holds` is the position from which it holds; `section` the innermost heading around, -1 if it
    holds for the whole paper; `around` the position of the claim whose hypothesis it is, or -1.
    `ahead` is the heading in the introduction that it is under, else `NOT_AHEAD`. A site in an
    example counts only without other strong sites. If a site says for which section it holds, it
    `ends` there. If it `is_agreed`, it supposes something about its symbols for all uses of them.
    """

    position: int
    holds: int
    name: str
    strength: int
    section: int
    around: int
    digest: str
    is_definition: bool
    ahead: int = NOT_AHEAD
    is_example: bool = False
    ends: bool = False
    is_agreed: bool = False


class EarlyMention(NamedTuple):
    """The first sentence under a heading that has a key, and the claim that comes next."""

    position: int
    name: str
    claim: int


class Supply(NamedTuple):
    """The answer to a need: module ids in reading order; `rivals` if it is ambiguous.

    `is_led` if a sentence only precedes the claim and mentions the key: see `leads`. `is_far` if
    the symbol is only taken or mentioned under other headings, or announced in an introduction.
    """

    names: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    is_led: bool = False
    is_far: bool = False


NOTHING = Supply()


@dataclass(frozen=True, slots=True, kw_only=True)
class IntroductionIndex:
    """The sites of each key in reading order, and the headings that form scopes."""

    sites: Mapping[str, Sequence[Site]]
    sections: Mapping[int, tuple[int, ...]]
    heads: frozenset[str]
    names: Mapping[str, Set[str]] = field(default_factory=dict)
    leads: Mapping[tuple[str, int], str] = field(default_factory=dict)
    early: Mapping[tuple[str, int], EarlyMention] = field(default_factory=dict)
    neighbours: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    _kept_mentioned: dict[str, bool] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    _kept_strong: dict[str, tuple[Site, ...]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    _kept_nearest: dict[tuple[str, int], list[list[Site]]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def with_digests(self, digests: Mapping[str, str]) -> "IntroductionIndex":
        """The same for a version with the same frame in which some modules have other texts."""
        keys = {key for name in digests for key in self.names.get(name, ())}
        fresh = {
            key: [site._replace(digest=digests.get(site.name, site.digest)) for site in listed]
            for key in keys
            if (listed := self.sites.get(key))
        }
        return replace(self, sites={**self.sites, **fresh})

    def has_same_rivals(self, other: "IntroductionIndex") -> bool:
        """Whether the same sites agree with each other in a version with the same frame."""
        return all(
            _alike(listed) == _alike(other.sites[key])
            for key, listed in self.sites.items()
            if len(listed) > 1 and listed is not other.sites[key]
        )

    def is_mentioned(self, key: str) -> bool:
        """Whether no text introduces or supposes a key, so that only a mention could supply it."""
        if key not in self._kept_mentioned:
            self._kept_mentioned[key] = not any(
                site.strength >= EQUATES or site.around >= 0 for site in self.sites.get(key, ())
            )
        return self._kept_mentioned[key]

    def has_site(self, name: str, key: str) -> bool:
        """Whether a module is a site of a key, and not only a sentence before a claim with it."""
        return any(site.name == name for site in self.sites.get(key, ()))

    def brings(self, name: str, need: str, least: int) -> bool:
        """Whether a module introduces a needed symbol at least as strongly as `least`.

        Letters do not count, nor letters with a number, which mean something else everywhere.
        """
        return any(
            site.name == name and site.strength >= least
            for key in need.split("\t")
            if key[0] == "#" and not is_letter_like(key) and not _NUMBERED.fullmatch(key)
            for site in self.sites.get(key, ())
        )

    def supply(
        self, need: str, position: int, section: int, own: int, is_crowded: Callable[[str], bool]
    ) -> Supply:
        """The answer to a need of a passage at a position, under the innermost heading `section`.

        A need is one key, or several separated by tabs; the first with an answer counts. But a
        power, or a sign or decorated letter with an index, gives way to the symbol that it is one
        of, if that is introduced and the site does not explain this one. `own` is the position of
        the statement that the passage is, or proves: far sites do not answer needs of proofs. A
        mention does not answer for a crowded key, one that too many modules would have from it.
        """
        mentioned = NOTHING
        rivals: tuple[str, ...] = ()
        for key in self._nearest_first(need.split("\t"), section):
            found = self._answer(key, position, section, own)
            if self._only_announces(found.names, key, section):
                found = found._replace(is_far=True)
            if found.is_far and position != own:
                rivals = rivals or found.names
                continue
            is_one_of_many = "^" in key or _is_one_of_many(key)
            if is_one_of_many and found.names and "^" not in key and not is_operator(head_of(key)):
                is_one_of_many = not self.brings(found.names[0], key, EQUATES)
            if found.names and not self.is_mentioned(key):
                if not is_one_of_many or self._strong(key, section):
                    return found
                mentioned = mentioned if mentioned.names else found
            elif found.names and not mentioned.names and not is_crowded(key):
                if not is_one_of_many:
                    return found
                mentioned = found
            rivals = rivals or found.rivals
        if mentioned.names or rivals:
            return mentioned if mentioned.names else Supply(rivals=rivals)
        is_stated = position == own
        return self._led(need.split("\t"), section, own, is_crowded, is_stated=is_stated)

    def _nearest_first(self, keys: list[str], section: int) -> list[str]:
        """The keys of a need; a letter with arguments comes after a bare one of a scope around."""
        if len(keys) > 1 and keys[0] == f"{keys[1]}(":
            scopes = [self._nearest(key, section) if key in self.sites else [] for key in keys[:2]]
            if scopes[1] and not scopes[0]:
                return [keys[1], keys[0], *keys[2:]]
        return keys

    def _led(
        self,
        keys: Sequence[str],
        section: int,
        own: int,
        is_crowded: Callable[[str], bool],
        *,
        is_stated: bool,
    ) -> Supply:
        """The sentence before a claim that has a key which nothing in the paper introduces.

        The sentence right before it, else the first under the headings around; for plain words
        there only if the statement needs them.
        """
        if not all(map(self.is_mentioned, keys)) or any(map(is_crowded, keys)):
            return NOTHING
        for key in keys:
            if (key, own) in self.leads:
                return Supply((self.leads[key, own],), is_led=True)
        around = self.sections.get(section) or (-1,)
        found = [self.early[key, n] for key in keys for n in around if (key, n) in self.early]
        words = (WORD + key for key in keys if is_stated)
        by_word = (self.early.get((word, n)) for word in words for n in around)
        found += (one for one in by_word if one and one.claim != own)
        first = min(found, default=None)
        if not first or first.position >= own:
            return NOTHING
        return Supply((first.name,), is_led=True)

    def _answer(self, key: str, position: int, section: int, own: int) -> Supply:
        """The answer for a key; for a procedure first its last description around."""
        if key.startswith(PROCEDURE):
            found = self._described(key, position, section)
            if found.names or key in (PROCEDURE, STEPPED):
                return found
        return self._of_key(key, position, section, own)

    def _of_key(self, key: str, position: int, section: int, own: int) -> Supply:
        if key not in self.sites or self._is_taken(applied_letter(key), position, section):
            return NOTHING
        is_letter_alone = is_letter_like(key)
        for here in self._nearest(key, section):
            held = self._held(here, key, position, section)
            if any(site.strength >= TAKES for site in held):
                if not is_letter_alone and self._is_told_later(held, key, position, section):
                    break
                near = self._beside(key, position, section) if here[0].section < 0 else NOTHING
                told = self._announced(_defining(held, key), key, position, section)
                names = dict.fromkeys((*_senses(told, key), *_last_of(told)))
                return near if near.names else Supply(tuple(names))
        strong = self._strong(key, section)
        if is_letter_alone:
            return self._of_letter(key, position, section)
        near = self._beside(key, position, section)
        if near.names:
            return near
        before = [site for site in strong if site.holds <= position]
        before = [site for site in before if not self._is_passing(site, key, section)]
        before = [site for site in before if not self._is_ahead(site, section)] or before
        scopes = (*self.sections.get(section, ()), -1)
        supposed = [site for site in before if site.section in scopes]
        found = self._elsewhere(self._nearer(before, key, position, section), strong, key)
        if found.names and supposed:
            beside = (site.name for site in supposed)
            return Supply(tuple(dict.fromkeys((*found.names, *beside))))
        if strong:
            return found
        equated = self._equated(key, position, section)
        if equated:
            return Supply((equated[0].name,))
        others = [
            site
            for site in self.sites[key]
            if site.around != own
            and not self._is_ahead(site, section)
            and not self._is_over(site, section)
        ]
        return self._weak(others, position, scopes, is_indexed=is_plain(head_of(key)))

    def _described(self, key: str, position: int, section: int) -> Supply:
        """The last description of a procedure before a use, under the innermost heading around.

        For a procedure with a name only complete ones; "the algorithm" is the last of any name.
        """
        least = SUPPOSES if key in (PROCEDURE, STEPPED) else STATES
        listed = self.sites.get(key, ())
        before = [site for site in listed if site.holds < position and site.strength >= least]
        for heading in reversed(self.sections.get(section, ())) if before else ():
            here = [site for site in before if heading in self.sections.get(site.section, ())]
            if here:
                return Supply((here[-1].name,))
        return NOTHING

    def _held(self, here: Sequence[Site], key: str, position: int, section: int) -> Sequence[Site]:
        """Those of some sites that hold at a place; for a term preferably without announcements."""
        held = [site for site in here if site.holds <= position]
        held = [site for site in held if not self._is_passing(site, key, section)]
        if key[0] in "#@":
            return held
        return [site for site in held if not self._is_ahead(site, section)] or held

    def _announced(
        self, held: Sequence[Site], key: str, position: int, section: int
    ) -> Sequence[Site]:
        """The definition of a term before its use, instead of sentences that only announce it.

        These precede the definition, which may be in any section, and which may omit the noun: it
        defines "tame" for a tame map.
        """
        if key[0] in "#@" or any(site.is_definition for site in held):
            return held
        last = max(site.position for site in held)
        adjective = key.rpartition(" ")[0]
        for term in (key, *([adjective] if adjective in self.sites else [])):
            is_joined = f"-{term}" in self.sites  # a definition of "$n$-tame" is one of "tame"
            listed = self.sites[term] if is_joined else self._strong(term, section)
            defined = [
                site
                for site in listed
                if site.is_definition and last < site.position and site.holds <= position
            ]
            if defined:
                return defined[-1:] if term == key else defined[:1]
        return held

    def _beside(self, key: str, position: int, section: int) -> Supply:
        """The site that names a symbol in a neighbouring section, under a common heading.

        The innermost such heading counts; there is no answer if two sites under it differ.
        """
        if key[0] != "#" or (is_letter_like(key) and not _is_own_sign(key)):
            return NOTHING
        around = self.sections.get(section, ())
        named = [
            site
            for site in self._strong(key, section)
            if site.strength >= NAMES and site.section >= 0 and site.holds <= position
        ]
        for heading in reversed(around) if named else ():
            here = [site for site in named if heading in self.sections.get(site.section, ())]
            if here:
                is_one = len({site.digest for site in here}) == 1
                return Supply((here[-1].name,)) if is_one else NOTHING
        return NOTHING

    def _nearer(
        self, sites: Sequence[Site], key: str, position: int, section: int
    ) -> Sequence[Site]:
        """The sites of a symbol under the innermost heading around a use that has any.

        For a term, the definition that the sites announce.
        """
        if key[0] != "#":
            return self._announced(sites, key, position, section) if sites else sites
        for heading in reversed(self.sections.get(section, ())):
            here = [site for site in sites if heading in self.sections.get(site.section, ())]
            if here:
                return here
        return sites

    def _is_ahead(self, site: Site, section: int) -> bool:
        """Whether a site only announces: it is in an introduction, the use in another section."""
        return site.ahead != NOT_AHEAD and site.ahead not in (
            section,
            *self.sections.get(section, ()),
        )

    def _only_announces(self, names: Sequence[str], key: str, section: int) -> bool:
        """Whether all sites that answer for a key only announce it and name no symbol."""
        here = [site for site in self.sites.get(key, ()) if site.name in names] if names else []
        return bool(here) and all(
            self._is_ahead(site, section) and not (key[0] == "#" and site.strength >= NAMES)
            for site in here
        )

    def _is_passing(self, site: Site, key: str, section: int) -> bool:
        """Whether an announcing site is no answer: for a letter, or if it only supposes something.

        An equation for a letter with an index belongs to a family that is used only for a while.
        """
        is_family = "_" in key and is_plain(head_of(key)) and site.strength == EQUATES
        is_like = key[0] == "#" and site.strength == SUPPOSES
        is_less = is_letter_like(key) or is_family or is_like
        return is_less and self._is_ahead(site, section)

    def _is_told_later(self, held: Sequence[Site], key: str, position: int, section: int) -> bool:
        """Whether all of some sites only announce a key that is introduced again before a use."""
        return all(self._is_ahead(site, section) for site in held) and any(
            site.holds <= position and not self._is_ahead(site, section)
            for site in self._strong(key, section)
        )

    def _of_letter(self, key: str, position: int, section: int) -> Supply:
        """The answer for a letter that no scope around takes; with arguments, its definition.

        For a sign also its definition, or the only sentence before that gives it a meaning.
        """
        strong = self._strong(key, section)
        equated = self._equated(key, position, section)
        if len({site.digest for site in equated}) == 1:
            return Supply((equated[0].name,))
        near = self._beside(key, position, section)
        if near.names:
            return near
        is_sign = _is_own_sign(key) or key == _IN_BRACKETS
        defined = {
            site.name for site in strong if site.is_definition and (key[-1] == "(" or is_sign)
        }
        if not defined and is_sign:
            said = [site for site in strong if site.strength >= NAMES]
            if len({site.digest for site in said}) == 1 and said[0].holds <= position:
                defined = {said[0].name}
        if len(defined) == 1:
            return Supply(tuple(defined))
        supposed = self._supposed(key, position, section)
        if supposed:
            return Supply(tuple(dict.fromkeys(site.name for site in supposed)))
        return Supply(rivals=tuple(reversed(dict.fromkeys(_last_two(strong, position)))))

    def _supposed(self, key: str, position: int, section: int) -> Sequence[Site]:
        """The agreements on a letter that no scope takes, in the innermost scope with any."""
        for here in self._nearest(key, section):
            held = [site for site in here if site.holds <= position and site.is_agreed]
            held = [site for site in held if not self._is_passing(site, key, section)]
            if held:
                return held
        return ()

    def _is_taken(self, keys: Sequence[str], position: int, section: int) -> bool:
        """Whether a scope around a place takes one of some letters."""
        return any(
            site.holds <= position and site.strength >= TAKES
            for key in keys
            if key in self.sites
            for here in self._nearest(key, section)
            for site in here
        )

    def _strong(self, key: str, section: int) -> Sequence[Site]:
        """The strong sites of a key, without those that do not hold in a section."""
        if key not in self._kept_strong:
            strong = [site for site in self.sites[key] if site.strength >= SUPPOSES]
            others = [site for site in strong if not site.is_example]
            self._kept_strong[key] = tuple(others or strong)
        listed = self._kept_strong[key]
        if any(site.ends for site in listed):
            return [site for site in listed if not self._is_over(site, section)]
        return listed

    def _is_over(self, site: Site, section: int) -> bool:
        """Whether a site holds only for a section that does not contain the place."""
        return site.ends and site.section not in self.sections.get(section, ())

    def _equated(self, key: str, position: int, section: int) -> list[Site]:
        """The sites in the nearest scope that have the key alone left of an equality sign."""
        found = [
            site
            for site in self.sites[key]
            if site.strength == EQUATES
            and site.holds <= position
            and not self._is_passing(site, key, section)
            and not self._is_over(site, section)
        ]
        for scope in (*reversed(self.sections.get(section, ())), -1) if found else ():
            here = [site for site in found if site.section == scope]
            if here:
                return here
        return []

    def _nearest(self, key: str, section: int) -> list[list[Site]]:
        """The strong sites of a key in the scopes around a place, innermost scope first."""
        if (key, section) not in self._kept_nearest:
            by_scope: dict[int, list[Site]] = {}
            for site in self._strong(key, section):
                by_scope.setdefault(site.section, []).append(site)
            scopes = (*reversed(self.sections.get(section, ())), -1)
            self._kept_nearest[key, section] = [by_scope[n] for n in scopes if n in by_scope]
        return self._kept_nearest[key, section]

    @staticmethod
    def _elsewhere(before: Sequence[Site], strong: Sequence[Site], key: str) -> Supply:
        """The site whose scope does not contain the use: one without rivals; for terms the last.

        A site that only supposes something is not a rival of one that introduces it. For a
        procedure all parts under one heading.
        """
        if before and key.startswith(PROCEDURE) and before[-1].strength == SUPPOSES:
            last = before[-1].section
            return Supply(tuple(site.name for site in before if site.section == last))
        if before:
            if key[0] == "#":
                before = [site for site in before if site.strength >= TAKES] or before
            if len({site.digest for site in before}) == 1 or key[0] != "#":
                told = _defining(before, key)
                found = told[-1]
                # A letter with scripts that is taken only once does not mean many things.
                least = TAKES if head_of(key) != key else NAMES
                is_far = key[0] == "#" and found.strength < least and not found.is_definition
                names = dict.fromkeys((*_senses(told, key), found.name))
                return Supply(tuple(names), is_far=is_far)
            defined = [site for site in before if site.is_definition]
            if defined:
                return Supply((defined[-1].name,))
            return Supply(rivals=tuple(dict.fromkeys(site.name for site in before[-2:])))
        if strong and key[0] != "#" and (" " in key or key.startswith(PROCEDURE)):
            return Supply((strong[0].name,))
        return NOTHING

    @staticmethod
    def _weak(
        listed: Sequence[Site], position: int, scopes: tuple[int, ...], *, is_indexed: bool
    ) -> Supply:
        """A hypothesis of a claim, else the first mention; only for symbols.

        For a letter with an index, or a mere description, the mention must be in a section around.
        """
        before = [site for site in listed if site.holds <= position]
        supposed = [site for site in before if site.around >= 0]
        for scope in (*reversed(scopes[:-1]), -1) if supposed else ():
            here = [site for site in supposed if site.section == scope]
            if here:
                return Supply((here[-1].name,))
        if len({site.digest for site in supposed}) == 1:
            return Supply((supposed[0].name,))
        mentions = [
            site
            for site in before
            if site.around < 0
            and (site.section in scopes or (not is_indexed and site.strength != DESCRIBES))
        ]
        if supposed:
            return Supply(rivals=tuple(dict.fromkeys(site.name for site in supposed[-2:])))
        if not mentions:
            return NOTHING
        first = mentions[0]
        is_far = first.strength < EQUATES and first.section not in scopes
        return Supply((first.name,), is_far=is_far)


def _alike(sites: Sequence[Site]) -> list[int]:
    """For each site the index of the first one with the same text."""
    first: dict[str, int] = {}
    return [first.setdefault(site.digest, index) for index, site in enumerate(sites)]


def _defining(sites: Sequence[Site], key: str) -> Sequence[Site]:
    """The sites that are definitions, for a term or an operator, if there are any; else all.

    For a term, sites that state its meaning are preferred to those that only use it.
    """
    is_of_one = key[0] not in "#@" or (is_operator(key) and _is_own_sign(key))
    defined = [site for site in sites if site.is_definition] if is_of_one else ()
    if not defined and key[0] not in "#@":
        defined = [site for site in sites if site.strength == STATES]
    return defined or sites


def _senses(told: Sequence[Site], key: str) -> Iterator[str]:
    """The definitions under one heading that give a term a meaning each, for different things.

    If there are many, each has a term of its own besides the shared word, and none is given.
    """
    if key[0] not in "#@" and told[-1].is_definition and told[-1].section >= 0:
        here = [site for site in told if site.section == told[-1].section]
        names = [site.name for site in here if site.strength == STATES]
        yield from names if len(names) <= _MOST_SENSES else ()


_MOST_SENSES = 3


def _last_two(sites: Sequence[Site], position: int) -> Iterator[str]:
    """The names of the last two sites that hold at a position, last first."""
    held = (site.name for site in reversed(sites) if site.holds <= position)
    return islice(held, 2)


def _last_of(sites: Sequence[Site]) -> Iterator[str]:
    """The last site that at least takes the key, and all sites after it."""
    strong = (index for index, site in enumerate(sites) if site.strength >= TAKES)
    last = max(strong, default=len(sites) - 1)
    yield from dict.fromkeys(site.name for site in sites[last:])


def is_letter_like(key: str) -> bool:
    """Whether a key is a letter, maybe with arguments, or a common sign: never guessed."""
    return key[0] == "#" and is_plain(key.removesuffix("("))


_IN_BRACKETS = "#[•]"
"""A letter in brackets, which a paper explains only once."""
_NUMBERED = regex(r"#\\?[A-Za-z]+_\d")


def _is_own_sign(key: str) -> bool:
    """Whether a key is a sign that a paper may give a meaning, such as that of an order."""
    return key[1] in "\\*" and not is_letter(key) and key not in EVERYBODYS


def _is_one_of_many(key: str) -> bool:
    r"""Whether a key is a sign or a letter in a font, with an index: `\mathcal{M}_2`."""
    head = head_of(key)
    is_sign = is_operator(head) and _is_own_sign(head)
    return head != key and (is_sign or not (is_plain(head) or is_operator(head)))


def introduction_index(
    order: Order,
    modules: Mapping[str, Module],
    ids: Mapping[int, str],
    sections: Mapping[int, tuple[int, ...]],
    readings: Mapping[str, ParsedFile],
) -> IntroductionIndex:
    """The index of all sites of a paper, and of the names of its results.

    A site under a heading on notation holds everywhere, or in its chapter (`general_unit`); for a
    letter only if it is directly under that heading, because sections within a chapter of
    preliminaries have letters of their own, and so has an introduction.
    Of weak sites only the first counts, or the first of each section if they equate or describe.
    """
    sites: dict[str, list[Site]] = {}
    said: set[tuple[str, int]] = set()
    general = {index: general_unit(order, index) for index in range(len(order.headings))}
    starts = [p for p, entry in enumerate(order.entries) if entry.block.shape == "statement"]
    for position, entry in enumerate(order.entries):
        if position not in ids:
            continue
        module = modules[ids[position]]
        called = module.terms if module.role is Role.RESULT else ()
        brings = called or (
            entry.block.introduces
            and not (entry.block.shape in _RUNNING and is_practice(order, entry.section))
        )
        if not brings or _is_in_exercise(entry, readings):
            continue
        place = _placed(entry, position, module.id, general.get(entry.section), starts)
        place = _for_all_of_its_unit(order, entry, place)
        parent = entry.block.parent
        place = place._replace(
            ahead=_looks_ahead(order, entry, sections),
            is_example=parent >= 0 and is_example(readings[entry.path].blocks[parent].kind),
            is_agreed=entry.block.shape != "statement" and entry.block.is_keyed,
        )
        for key, site in _sites_of(order, entry, place, said):
            sites.setdefault(key, []).append(site)
        for name in called:
            sites.setdefault(name, []).append(place._replace(strength=STATES))
    leads, early = lead_index(order, ids, readings)
    return IntroductionIndex(
        neighbours=_neighbours(order, ids),
        sites={**{key.removeprefix(WORD): [] for key, _ in chain(leads, early)}, **sites},
        sections=sections,
        heads=frozenset(head_of(key) for key in sites if key[0] == "#"),
        names=_names(sites, leads, early),
        leads=leads,
        early=early,
    )


def _sites_of(
    order: Order, entry: OrderedBlock, place: Site, said: set[tuple[str, int]]
) -> Iterator[tuple[str, Site]]:
    """The keys that a block introduces, each with its site; `said` are earlier weak ones."""
    is_inside = place.section != entry.section and entry.block.unit != "document"
    is_inside = is_inside and not (
        entry.section >= 0
        and is_general(order.headings[entry.section])
        and "introduction" not in order.headings[entry.section].says
    )
    for item in entry.block.introduces:
        if item[0] == LED:
            continue
        how, key = int(item[0]), item[1:]
        is_known = key in EVERYBODYS or head_of(key) in OF_CHANCE
        if is_known and how < NAMES:  # standard notation is introduced only by name
            continue
        if how < SUPPOSES and entry.block.kind != HYPOTHESIS:
            scope = item, entry.section if how in (EQUATES, DESCRIBES) else -1
            if scope in said:
                continue
            said.add(scope)
        is_local = is_letter_like(key) or (how == MENTIONS and is_plain(head_of(key)))
        section = entry.section if is_inside and is_local else place.section
        ends = place.ends and how >= SUPPOSES and key[0] == "#"
        yield key, place._replace(strength=how, section=section, ends=ends)


def _neighbours(order: Order, ids: Mapping[int, str]) -> dict[str, tuple[str, ...]]:
    """For each introducing sentence the adjacent ones of its paragraph."""
    found: dict[str, list[str]] = {}
    last: dict[str, str] = {}
    for position, entry in enumerate(order.entries):
        if entry.block.shape != "introduction" or entry.block.parent >= 0 or position not in ids:
            continue
        name = ids[position]
        if entry.block.adjacent and entry.path in last:
            found.setdefault(name, []).append(last[entry.path])
            found.setdefault(last[entry.path], []).append(name)
        last[entry.path] = name
    return {name: tuple(others) for name, others in found.items()}


def _is_in_exercise(entry: OrderedBlock, readings: Mapping[str, ParsedFile]) -> bool:
    """Whether a block is in an exercise, and so introduces nothing for other texts."""
    if entry.block.parent < 0:
        return False
    outer = readings[entry.path].blocks[entry.block.parent]
    return "practice" in said_by_heading(f"{outer.env} {outer.kind}")


def _names(
    sites: Mapping[str, Iterable[Site]],
    leads: Mapping[tuple[str, int], str],
    early: Mapping[tuple[str, int], EarlyMention],
) -> dict[str, set[str]]:
    """The keys that each module may answer for, also as a sentence before a claim."""
    found: dict[str, set[str]] = {}
    for key, listed in sites.items():
        for site in listed:
            found.setdefault(site.name, set()).add(key)
    for (key, _), name in leads.items():
        found.setdefault(name, set()).add(key.removeprefix(WORD))
    for (key, _), said in early.items():
        found.setdefault(said.name, set()).add(key.removeprefix(WORD))
    return found


def _for_all_of_its_unit(order: Order, entry: OrderedBlock, place: Site) -> Site:
    """The site of a sentence that names a chapter, limited to this chapter."""
    unit = named_unit(order, entry.section, entry.block.unit)
    unit = entry.section if unit < 0 else unit
    if unit < 0 or not is_unit(entry.block.unit) or place.section != entry.section:
        return place
    return place._replace(section=unit, ends=True)


def _looks_ahead(order: Order, entry: OrderedBlock, sections: Mapping[int, tuple[int, ...]]) -> int:
    """The heading in the introduction that a block is under, unless it is a definition."""
    is_lasting = entry.block.shape in ("statement", "definition", "convention")
    if is_lasting or entry.block.unit == "document" or not order.headings:
        return NOT_AHEAD
    around = sections.get(entry.section, ())
    is_ahead = not around or any("introduction" in order.headings[n].says for n in around)
    return entry.section if is_ahead else NOT_AHEAD


class LeadIndex(NamedTuple):
    """The sentences before claims, by the keys they mention: right before a claim, in a section.

    Under one heading only the first, with its position; keys that are words begin with `WORD`.
    """

    near: dict[tuple[str, int], str]
    early: dict[tuple[str, int], EarlyMention]


def lead_index(
    order: Order, ids: Mapping[int, str], readings: Mapping[str, ParsedFile]
) -> LeadIndex:
    """The sentences before each claim, by the keys they mention and the place of the claim.

    For plain words at most `_MOST_BY_WORD` right before it, and only words that no earlier block
    has.
    """
    claims = [p for p, entry in enumerate(order.entries) if _is_claim(entry.block)]
    found = LeadIndex({}, {})
    by_word: dict[int, list[tuple[str, str]]] = {}
    for position, name in ids.items():
        entry = order.entries[position]
        said = [item for item in entry.block.introduces if item[0] == LED]
        said = [] if said and _is_in_exercise(entry, readings) else said
        number = bisect_right(claims, position) if said else len(claims)
        for item in said if number < len(claims) else ():
            if item[1] == WORD:
                by_word.setdefault(claims[number], []).append((item[2:], name))
            else:
                found.near.setdefault((item[1:], claims[number]), name)
            found.early.setdefault(
                (item[1:], entry.section), EarlyMention(position, name, claims[number])
            )
    words = {word for listed in by_word.values() for word, _ in listed}
    first = _first_places(words, order, readings) if words else {}
    for claim, listed in by_word.items():
        new = [(word, name) for word, name in listed if first.get(word, claim) >= claim]
        kept = list(dict.fromkeys(name for _, name in new))[:_MOST_BY_WORD]
        for word, name in new:
            if name in kept:
                found.near.setdefault((word, claim), name)
    old = [
        (key, section)
        for (key, section), said in found.early.items()
        if key[0] == WORD and first.get(key[1:], said.position) < said.position
    ]
    for key in old:
        del found.early[key]
    return found


_MOST_BY_WORD = 2


def _first_places(
    words: Set[str], order: Order, readings: Mapping[str, ParsedFile]
) -> dict[str, int]:
    """The position of the first block with each of some words."""
    first: dict[str, int] = {}
    left = set(words)
    for position, entry in enumerate(order.entries):
        found = left.intersection(readings[entry.path].vocabulary[entry.number].split("\n"))
        first.update(dict.fromkeys(found, position))
        left -= found
        if not left:
            break
    return first


def _is_claim(block: Block) -> bool:
    is_free = block.shape == "statement" and block.parent < 0
    return is_free and role_of(block.kind) in (Role.RESULT, Role.OPEN)


_RUNNING = frozenset(["introduction", "convention", "definition"])
"""Shapes of running text, which introduces nothing for other texts among exercises."""


def _placed(
    entry: OrderedBlock,
    position: int,
    name: str,
    unit: int | None,
    starts: Sequence[int],
) -> Site:
    """The site of a block, without its strength; `unit` is the `general_unit` around."""
    block = entry.block
    is_definition = block.shape in ("statement", "definition")
    section = entry.section if unit is None else unit
    if block.unit == "document":
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
