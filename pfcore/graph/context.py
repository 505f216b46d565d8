"""The context C_v: which texts a verifier of v sees, in which order, under which slots.

The members are the modules that v's statement and proof refer to, the definitions of the terms it
uses, the conventions over it and its ancestors in T, and the modules that the statements of all
these refer to in turn, with the conventions that bind each of them.
Proofs never enter, unless v's proof follows another proof by name.

Also computes an order of modules that depends only on their content, not on names or places.
"""

from collections.abc import (
    Callable,
    Container,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from dataclasses import dataclass
from typing import NamedTuple

from pfcore.domain.values import Location, Mention, Module, Passage, Role
from pfcore.graph.document import (
    DEEP,
    FIRST,
    USES,
    ContextSteps,
    LinkTarget,
    ProofDocument,
    ResolvedLinks,
    mentioned_modules,
    used_modules,
)
from pfcore.latex.language.leads import LED

_SLOTS = {
    Role.RESULT: "Result",
    Role.OPEN: "Result",
    Role.ASIDE: "Remark",
    Role.DEFINITION: "Definition",
    Role.ASSUMPTION: "Assumption",
    Role.CONVENTION: "Convention",
    Role.NOTATION: "Notation",
}
BINDING = frozenset({Role.CONVENTION, Role.ASSUMPTION})


def is_binding(document: ProofDocument, name: str) -> bool:
    """Whether a module binds everything in its scope."""
    module = document.modules[name]
    if module.role is Role.NOTATION:
        return module.scope is not None
    return module.role in BINDING and name not in document.keyed


_STANDS = (-1, -1, -1, -1)
"""The place in an arrow to a convention, which is not a reference in the text."""
_SELF = "the statement to be proved"
_WORDS = {"": "", "section": "[a section]", "float": "[a figure or table]", "proof": "[a proof]"}

Equation = tuple[str, str]
"""A module and the label of an equation or item in it ("" for a fragment)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The contents of a context: members in order with their slots, and the proofs that v follows.

    `levels` is the number of terms that lead to each member, and to the module itself if any does.
    `above` are the results that are its setting: its ancestors in T, and those that bind it.
    `names` are the terms by which the texts refer to results. `elsewhere` are conventions that
    hold only for other members, which `under` lists by member.
    """

    module: str
    levels: Mapping[str, int]
    members: tuple[str, ...]
    slots: Mapping[str, str]
    equations: Mapping[Equation, str]
    followed: tuple[str, ...]
    ancestors: tuple[str, ...]
    above: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]]
    elsewhere: frozenset[str]
    under: Mapping[str, tuple[str, ...]]
    keyed: frozenset[str]


class ContextText(NamedTuple):
    """A passage of a context: its module, its number (0 the statement, else a proof), its links."""

    module: str
    number: int
    mentions: tuple[Mention, ...]
    anchors: tuple[str, ...]
    links: ResolvedLinks


_LEVELS = 1
"""The most terms from v to a module whose text enters its context; others are only named."""


def members(document: ProofDocument, name: str) -> frozenset[str]:
    """The modules whose statements are in the context of a module."""
    return frozenset(levels(document, name)) - {name}


def levels(document: ProofDocument, name: str) -> dict[str, int]:
    """The number of terms from a module to each member of its context; references do not count."""
    stated = frozenset(used_modules(document.statements[name]))
    found = reached(document, direct(document, name), used_by(document, name), leaning=stated)
    for part in _parts(document, name, found):
        del found[part]
    return found


def _parts(document: ProofDocument, name: str, found: Iterable[str]) -> list[str]:
    """The sentences among some members that are part of a statement which is also in the context.

    Those that a text refers to are not listed: they keep a slot of their own.
    """
    modules = document.modules
    told = [one for one in found if modules[one].role is Role.NOTATION and one != name]
    if not told or document.form == FIRST:
        return []
    wholes: dict[str, list[tuple[int, int]]] = {}
    for one in {name, *found}:
        where = modules[one].statement.location
        wholes.setdefault(where.path, []).append((where.start, where.end))
    parts = [one for one in told if _is_inside(modules[one].statement.location, wholes)]
    if parts:
        links = [*document.proofs[name], *(document.statements[one] for one in {name, *found})]
        mentioned = {target for link in links for target in mentioned_modules(link)}
        parts = [one for one in parts if one not in mentioned]
    return parts


def _is_inside(where: Location, wholes: Mapping[str, Sequence[tuple[int, int]]]) -> bool:
    """Whether a longer span of the same file contains a place."""
    return any(
        start <= where.start and where.end <= end and end - start > where.end - where.start
        for start, end in wholes.get(where.path, ())
    )


def reached(
    document: ProofDocument,
    start: Iterable[str],
    by_term: Iterable[str] = (),
    *,
    leaning: Container[str] | None = None,
) -> dict[str, int]:
    """All modules that statements lead to, or that bind them, with the number of terms between.

    `by_term` are one term away. A definition brings those that it leans on if it is in `leaning`,
    or if that is None. In the first and the deep form all terms are followed, and count as zero.
    """
    walk = _ContextWalk(document, leaning)
    for name in start:
        walk.add(name, walk.level_of(name))
    for name in by_term:
        walk.add(name, walk.step)
    return walk.run()


class _ContextWalk:
    """The modules reached, by level: the number of terms between v and a member of its context.

    `step` is what a term adds to the level. Members at the last level also bring what they lean on,
    if they are in `leaning` (those that v's statement uses; None for all).
    """

    def __init__(self, document: ProofDocument, leaning: Container[str] | None) -> None:
        self._document = document
        self._leaning = leaning
        self._is_deep = document.form in (FIRST, DEEP)
        self.step = 0 if self._is_deep else 1
        self._found: dict[str, int] = {}
        self._pending: list[list[str]] = [[] for _ in range(_LEVELS + 1)]

    def level_of(self, name: str) -> int:
        """The starting level of a member; no terms of a convention are followed."""
        return 0 if self._is_deep or not is_binding(self._document, name) else _LEVELS

    def add(self, name: str, level: int) -> None:
        """Reach a module at a level, unless it is already reached at a lower or equal one."""
        if level <= _LEVELS and level < self._found.get(name, _LEVELS + 1):
            self._found[name] = level
            self._pending[level].append(name)

    def _is_sentence(self, name: str) -> bool:
        """Whether a member only introduces something, so that its other references stay names."""
        return not self._is_deep and self._document.modules[name].role is Role.NOTATION

    def run(self) -> dict[str, int]:
        """All modules reached, including those that the definitions among them lean on."""
        self._settle()
        if not self._is_deep:
            told = [name for name, level in self._found.items() if level == _LEVELS]
            for name in told:
                if self._leaning is None or name in self._leaning:
                    for other in self._document.statements[name].leans_on:
                        self.add(other, _LEVELS)
            self._settle()
        return self._found

    def _settle(self) -> None:
        for level, pending in enumerate(self._pending):
            while pending:
                name = pending.pop()
                if self._found[name] == level:
                    self._follow(name, level)

    def _follow(self, name: str, level: int) -> None:
        """Add what a member leads to; if a term led to it, its conventions only for a claim."""
        brought, under, used = _steps(self._document, name)
        is_told = level == _LEVELS and self._is_sentence(name)
        for target in brought:
            if not (is_told and self._document.modules[target].role in _TOLD_BY_NAME):
                self.add(target, level)
        if level < _LEVELS or self._is_deep or self._document.modules[name].role in _CLAIMS:
            for target in under:
                self.add(target, max(level, self.level_of(target)))
        if level + self.step <= _LEVELS:
            for target in used:
                self.add(target, level + self.step)


def _steps(document: ProofDocument, name: str) -> ContextSteps:
    """What a member leads to; the references of a mere introduction bring no results."""
    found = document.known_steps.get(name)
    if found is None:
        links = document.statements[name]
        brought = dict.fromkeys(mentioned_modules(links))
        if document.modules[name].role is Role.NOTATION:
            for one in list(brought):
                if document.modules[one].role in _CLAIMS:
                    del brought[one]
        terms = (item for item in links.terms if _leads_on(document, name, *item))
        found = (tuple(brought), over(document, name), tuple(dict.fromkeys(t for _, t in terms)))
        document.known_steps[name] = found
    return found


def _leads_on(document: ProofDocument, name: str, term: str, target: str) -> bool:
    """Whether a term in a member's own words brings the module that explains it.

    Sentences of running text explain symbols and terms of several words; single words only a
    definition does. The terms of a remark bring nothing, and those of a sentence that introduces
    something only the definitions of terms of several words.
    """
    if term[0] == LED:
        return False
    if term == USES or document.form in (FIRST, DEEP):
        return True
    modules = document.modules
    is_defined = modules[target].role is Role.DEFINITION
    if modules[name].role is Role.ASIDE:
        return False
    if modules[name].role is Role.NOTATION:
        return is_defined and " " in term and term[0] not in "#@"
    return is_defined or " " in term or term[0] in "#@"


_CLAIMS = frozenset({Role.RESULT, Role.OPEN, Role.ASIDE})
_TOLD_BY_NAME = frozenset({Role.DEFINITION, Role.NOTATION, Role.CONVENTION})
"""The roles to which the references of a mere introduction stay names."""


def closure(document: ProofDocument, start: Iterable[str]) -> set[str]:
    """All modules that some statements lead to."""
    return set(reached(document, start))


def over(document: ProofDocument, name: str) -> tuple[str, ...]:
    """The conventions and assumptions that bind a module.

    A sentence that merely introduces something is bound by none: it says the same everywhere. A
    notation with a scope binds as well but is not listed here.
    """
    bound = document.scope[name]
    modules = document.modules
    if not bound or modules[name].role is Role.NOTATION:
        return ()
    return tuple(one for one in bound if modules[one].role in BINDING)


def followed(document: ProofDocument, name: str) -> tuple[str, ...]:
    """The modules whose proofs v's proof follows, in the order of mention."""
    modules = document.modules
    found = (
        target.module
        for proof, links in zip(modules[name].proofs, document.proofs[name], strict=True)
        for mention, targets in zip(proof.mentions, links.mentions, strict=True)
        if mention.form == "proof"
        for target in targets
        if target.module not in ("", name) and _is_followed(modules[target.module], proof)
    )
    return tuple(dict.fromkeys(found))


def _is_followed(other: Module, proof: Passage) -> bool:
    """Whether a module has proofs, of which the given one is not one."""
    return bool(other.proofs) and not other.has_proof(proof)


def ancestors(document: ProofDocument, name: str) -> tuple[str, ...]:
    """The ancestors of a module in T, nearest first."""
    found: list[str] = []
    parent = document.modules[name].parent
    while parent is not None and parent not in found:
        found.append(parent)
        parent = document.modules[parent].parent
    return tuple(found)


def direct(document: ProofDocument, name: str) -> set[str]:
    """The modules that v itself brings, without its terms: where the closure starts."""
    found = set(mentioned_modules(document.statements[name]))
    for links in document.proofs[name]:
        found.update(mentioned_modules(links))
    found.update(document.uses[name], document.scope[name], ancestors(document, name))
    for other in followed(document, name):
        found.add(other)
        found.update(mentioned_modules(document.proofs[other][0]))
    return found


def used_by(document: ProofDocument, name: str) -> set[str]:
    """The modules that the terms and symbols of v's own text bring into its context."""
    found = set(used_modules(document.statements[name]))
    for links in document.proofs[name]:
        found.update(used_modules(links))
    for other in followed(document, name):
        found.update(used_modules(document.proofs[other][0]))
    return found


def names_beyond(document: ProofDocument, inside: Mapping[str, int]) -> tuple[str, ...]:
    """The terms in a context with some members whose definitions are not among these."""
    return tuple(
        sorted(
            {
                term.partition("\t")[0]
                for member in inside
                for term, target in document.statements[member].terms
                if target not in inside
                and term[0] not in ("#", "@", LED)
                and term != USES
                and document.modules[target].role is Role.DEFINITION
            }
        )
    )


def beyond(document: ProofDocument, name: str) -> frozenset[str]:
    """The modules that a context lacks but would have if all terms were followed."""
    return members(document.deep, name) - members(document, name)


def context(document: ProofDocument, name: str) -> Context:
    """The context of a module."""
    reached_by = levels(document, name)
    inside = frozenset(reached_by) - {name}
    follows = followed(document, name)
    outer = ancestors(document, name)
    above = (*outer, *_binding(document, name))
    own = list(_own_texts(document, name))
    first = [target for target in _mentioned(own) if target in inside]
    rest = inside.difference(first)
    texts = {member: list(_texts(document, member, follows)) for member in inside}
    elsewhere = _elsewhere(document, name, inside)
    known, sides = (name, *first), (above, elsewhere)
    colour = _first_colour if document.form == FIRST else _colour
    ordered = (*first, *_by_content(document, texts, known, rest, sides, colour))
    listed = [*own, *(text for member in ordered for text in texts[member])]
    return Context(
        module=name,
        levels=reached_by,
        members=ordered,
        slots=_slots(document, ordered),
        equations=_equations(document, listed, ordered),
        followed=follows,
        ancestors=outer,
        above=above,
        names=_names(document, listed),
        elsewhere=elsewhere,
        under=_under(document, name, ordered),
        keyed=document.keyed.intersection(inside),
    )


def _elsewhere(document: ProofDocument, name: str, inside: Iterable[str]) -> frozenset[str]:
    """The conventions among some members that do not hold for a module."""
    here = direct(document, name) | used_by(document, name)
    bound = (one for one in inside if is_binding(document, one))
    return frozenset(one for one in bound if one not in here)


def _under(
    document: ProofDocument, name: str, ordered: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """The conventions over each member, in order, if they differ from those over v.

    Only conventions that are members count.
    """
    told = set(ordered)
    here = told.intersection(over(document, name))
    bound = {member: told.intersection(over(document, member)) for member in ordered}
    return {
        member: tuple(one for one in ordered if one in held)
        for member, held in bound.items()
        if held != here
        and not is_binding(document, member)
        and document.modules[member].role is not Role.NOTATION
    }


def _binding(document: ProofDocument, name: str) -> Iterator[str]:
    """The results that bind a module."""
    modules = document.modules
    return (one for one in document.scope[name] if modules[one].role is Role.RESULT)


def _names(document: ProofDocument, texts: Iterable[ContextText]) -> dict[str, tuple[str, ...]]:
    """The names by which texts refer to results."""
    found: dict[str, set[str]] = {}
    for text in texts:
        for term, name in text.links.terms:
            if document.modules[name].role is Role.RESULT:
                found.setdefault(name, set()).add(term)
    return {name: tuple(sorted(terms)) for name, terms in found.items()}


def _mentioned(texts: Iterable[ContextText]) -> Iterator[str]:
    """The modules that texts mention, each once, in the order of first mention."""
    return iter(dict.fromkeys(target.module for text in texts for _, target in _targets(text)))


def _targets(text: ContextText) -> Iterator[tuple[tuple[int, ...], LinkTarget]]:
    """The targets that a text mentions, each with its place: passage, mention, key."""
    for mention, targets in enumerate(text.links.mentions):
        for key, target in enumerate(targets):
            yield (text.number, mention, key), target


def _slots(document: ProofDocument, ordered: Iterable[str]) -> dict[str, str]:
    """The name of each member that is not an equation: its role and a number."""
    slots: dict[str, str] = {}
    counts: dict[str, int] = {}
    for member in ordered:
        role = document.modules[member].role
        if role is not Role.FRAGMENT:
            word = _SLOTS[role]
            counts[word] = counts.get(word, 0) + 1
            slots[member] = f"{word} {counts[word]}"
    return slots


def _own_texts(document: ProofDocument, name: str) -> Iterator[ContextText]:
    """The statement, then the proofs; lazily, because the links of proofs are slow."""
    module = document.modules[name]
    stated = module.statement
    yield ContextText(name, 0, stated.mentions, stated.anchors, document.statements[name])
    proofs = zip(module.proofs, document.proofs[name], strict=True)
    for index, (passage, found) in enumerate(proofs, 1):
        yield ContextText(name, index, passage.mentions, passage.anchors, found)


def _texts(document: ProofDocument, name: str, follows: tuple[str, ...]) -> Iterator[ContextText]:
    """The statement of a member, and its first proof if that is followed."""
    own = _own_texts(document, name)
    yield next(own)
    if name in follows:
        yield next(own)


def _equations(
    document: ProofDocument, texts: Iterable[ContextText], ordered: Iterable[str]
) -> dict[Equation, str]:
    """The numbers of the equations and items that any text of the context mentions."""
    found: dict[Equation, str] = {}
    for text in texts:
        for _, target in _targets(text):
            if target.module and document.modules[target.module].role is Role.FRAGMENT:
                found.setdefault((target.module, ""), f"(E{len(found) + 1})")
            elif target.anchor:
                found.setdefault((target.module, target.anchor), f"(E{len(found) + 1})")
    for member in ordered:
        if document.modules[member].role is Role.FRAGMENT:
            found.setdefault((member, ""), f"(E{len(found) + 1})")
    return found


def _by_content(
    document: ProofDocument,
    texts: Mapping[str, list[ContextText]],
    known: tuple[str, ...],
    rest: Iterable[str],
    sides: tuple[Container[str], Container[str]],
    colour: "Colour",
) -> list[str]:
    """The members that v's text does not mention, in an order that depends only on their content.

    `known` are v and the members already placed; `sides` are the setting of v, and the conventions
    that do not hold for it.
    """
    modules = document.modules
    arrows = [
        RankingArrow(member, (*place, _which(modules, target)), target.module)
        for member, listed in texts.items()
        for text in listed
        for place, target in _targets(text)
    ]
    arrows += [
        RankingArrow(member, _STANDS, one) for member in texts for one in over(document, member)
    ]
    return ranked(
        {member: colour(modules[member], *(member in side for side in sides)) for member in rest},
        arrows,
        known={member: place for place, member in enumerate(known)},
        positions={member: modules[member].position for member in rest},
    )


Colour = Callable[[Module, bool, bool], str]
"""A member's initial colour by content: the module, whether it is above, or holds elsewhere."""


def _first_colour(module: Module, is_above: bool, is_elsewhere: bool) -> str:  # noqa: FBT001 - of `sides`
    first = module.statement._replace(digest=module.statement.written)
    return _colour(module._replace(statement=first), is_above, is_elsewhere)


def _colour(module: Module, is_above: bool, is_elsewhere: bool) -> str:  # noqa: FBT001 - of `sides`
    own = (module.kind, module.statement.digest, "above" * is_above)
    return "|".join((module.role, str(int(is_elsewhere)), *own))


def _which(modules: Mapping[str, Module], target: LinkTarget) -> int:
    """The index of the target's label in its statement, or -1."""
    anchors = modules[target.module].statement.anchors if target.module else ()
    return anchors.index(target.anchor) if target.anchor in anchors else -1


def slot(found: Context, document: ProofDocument, name: str, anchor: str, word: str) -> str:
    """The text that replaces a reference."""
    if not name:
        return _WORDS.get(word, f"[{word}]") or "[elsewhere]"
    equation = found.equations.get((name, anchor))
    if equation:
        return equation
    return _SELF if name == found.module else found.slots.get(name, "[elsewhere]")


class RankingArrow(NamedTuple):
    """`source` refers to `target`; `place` is the place of the reference, and the label's index."""

    source: str
    place: tuple[int, ...]
    target: str


def ranked(
    colours: Mapping[str, str],
    arrows: Iterable[RankingArrow],
    *,
    known: Mapping[str, int],
    positions: Mapping[str, int],
) -> list[str]:
    """The keys of `colours` by colour, and those of one colour by the arrows from and to them.

    `known` are nodes outside the order with fixed places. If nothing distinguishes two keys, the
    one with the smaller position comes first, which distinguishes their neighbours in turn.
    """
    ranks = _ranks({name: (colour,) for name, colour in colours.items()})
    if len(set(ranks.values())) < len(ranks):
        listed = list(arrows)
        ranks = _refined(ranks, listed, known)
        named = {arrow.target for arrow in listed if arrow.source in ranks}
        while tied := _first_tie(ranks, named):
            chosen = min(tied, key=lambda name: positions[name])
            ranks = _ranks({name: (rank, name != chosen) for name, rank in ranks.items()})
            ranks = _refined(ranks, listed, known)
    return sorted(ranks, key=lambda name: ranks[name])


def _ranks(signatures: Mapping[str, tuple[Hashable, ...]]) -> dict[str, int]:
    """Numbers in the order of the signatures, equal for equal signatures."""
    order = {value: rank for rank, value in enumerate(sorted(set(signatures.values())))}
    return {name: order[value] for name, value in signatures.items()}


def _refined(
    ranks: dict[str, int], arrows: list[RankingArrow], known: Mapping[str, int]
) -> dict[str, int]:
    """Refine ranks by arrows until nothing changes (colour refinement)."""
    while True:
        seen = {name: (-1 - place, 0) for name, place in known.items()}
        seen |= {name: (rank, 1) for name, rank in ranks.items()}
        around: dict[str, list[tuple[int, tuple[int, ...], tuple[int, int]]]] = {}
        for source, place, target in arrows:
            if source in ranks and target in seen:
                around.setdefault(source, []).append((0, place, seen[target]))
            if target in ranks and source in seen:
                around.setdefault(target, []).append((1, place, seen[source]))
        refined = _ranks(
            {name: (rank, tuple(sorted(around.get(name, ())))) for name, rank in ranks.items()}
        )
        if len(set(refined.values())) == len(set(ranks.values())):
            return refined
        ranks = refined


def _first_tie(ranks: Mapping[str, int], named: Set[str]) -> list[str]:
    """The names of the first shared rank; those without an arrow to them may stay tied."""
    shared: dict[int, list[str]] = {}
    for name, rank in ranks.items():
        if name in named:
            shared.setdefault(rank, []).append(name)
    return next((shared[rank] for rank in sorted(shared) if len(shared[rank]) > 1), [])
