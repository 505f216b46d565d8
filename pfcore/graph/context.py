"""The context C_v: which texts a verifier of v sees, in which order, under which slots.

The members are what v's own words and its proof refer to, the definitions of the terms it uses,
the conventions over it and its ancestors in T, and what the words of all these refer to in turn.
Proofs never enter, save where v's proof follows another proof by name.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pfcore.digest import digest
from pfcore.graph.document import Links, ProofDocument
from pfcore.model import Mention, Module, Role

_SLOTS = {
    Role.RESULT: "Result",
    Role.OPEN: "Result",
    Role.ASIDE: "Remark",
    Role.DEFINITION: "Definition",
    Role.ASSUMPTION: "Assumption",
    Role.CONVENTION: "Convention",
}
_SELF = "the statement to be proved"
_WORDS = {"": "", "section": "[a section]", "float": "[a figure or table]", "proof": "[a proof]"}
_ROUNDS = 6

Equation = tuple[str, str]
"""A module and the label of an equation or item in it ("" for a fragment)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What is in a context: members in order with their slots, and the proofs that v follows."""

    module: str
    members: tuple[str, ...]
    slots: Mapping[str, str]
    equations: Mapping[Equation, str]
    followed: tuple[str, ...]
    ancestors: tuple[str, ...]


class Text(NamedTuple):
    """A passage of a context: whose it is, which (0 the statement, else a proof), its links."""

    module: str
    index: int
    mentions: tuple[Mention, ...]
    anchors: tuple[str, ...]
    links: Links


def members(document: ProofDocument, name: str) -> frozenset[str]:
    """The modules whose statements are in the context of a module."""
    found = closure(document, _direct(document, name))
    return frozenset(found) - {name}


def closure(document: ProofDocument, start: Iterable[str]) -> set[str]:
    """All that statements lead to by their words; references may be cyclic."""
    found = set(start)
    pending = list(found)
    while pending:
        for target in named(document.statements[pending.pop()]):
            if target not in found:
                found.add(target)
                pending.append(target)
    return found


def named(links: Links) -> Iterator[str]:
    """The modules that a passage refers to, by reference or by term."""
    for targets in links.mentions:
        for target in targets:
            if target.module:
                yield target.module
    for _, definition in links.terms:
        yield definition


def followed(document: ProofDocument, name: str) -> tuple[str, ...]:
    """The modules whose proofs v's proof follows, in the order in which it says so."""
    module = document.modules[name]
    found: dict[str, None] = {}
    for proof, links in zip(module.proofs, document.proofs[name], strict=True):
        for mention, targets in zip(proof.mentions, links.mentions, strict=True):
            for target in targets:
                if mention.form == "proof" and target.module and target.module != name:
                    if document.modules[target.module].proofs:
                        found[target.module] = None
    return tuple(found)


def ancestors(document: ProofDocument, name: str) -> tuple[str, ...]:
    """The ancestors of a module in T, the nearest first."""
    found: list[str] = []
    parent = document.modules[name].parent
    while parent is not None and parent not in found:
        found.append(parent)
        parent = document.modules[parent].parent
    return tuple(found)


def _direct(document: ProofDocument, name: str) -> set[str]:
    found = set(named(document.statements[name]))
    for links in document.proofs[name]:
        found.update(named(links))
    found.update(document.uses[name], document.scope[name], ancestors(document, name))
    for other in followed(document, name):
        found.add(other)
        found.update(named(document.proofs[other][0]))
    return found


def context(document: ProofDocument, name: str) -> Context:
    """Members and slots of one module's context."""
    inside = members(document, name)
    follows = followed(document, name)
    own = list(_own_texts(document, name))
    first = list(
        dict.fromkeys(
            target.module
            for text in own
            for targets in text.links.mentions
            for target in targets
            if target.module in inside
        )
    )
    rest = _by_content(document, name, first, inside - set(first), follows)
    ordered = (*first, *rest)
    slots: dict[str, str] = {}
    counts: dict[str, int] = {}
    for member in ordered:
        role = document.modules[member].role
        if role is not Role.FRAGMENT:
            word = _SLOTS[role]
            counts[word] = counts.get(word, 0) + 1
            slots[member] = f"{word} {counts[word]}"
    texts = [*own, *(text for member in ordered for text in _texts(document, member, follows))]
    return Context(
        module=name,
        members=ordered,
        slots=slots,
        equations=_equations(document, texts, ordered),
        followed=follows,
        ancestors=ancestors(document, name),
    )


def _own_texts(document: ProofDocument, name: str) -> Iterator[Text]:
    module = document.modules[name]
    passages = (module.statement, *module.proofs)
    links = (document.statements[name], *document.proofs[name])
    for index, (passage, found) in enumerate(zip(passages, links, strict=True)):
        yield Text(name, index, passage.mentions, passage.anchors, found)


def _texts(document: ProofDocument, name: str, follows: tuple[str, ...]) -> Iterator[Text]:
    """The statement of a member, and its first proof where that proof is followed."""
    own = _own_texts(document, name)
    yield next(own)
    if name in follows:
        yield next(own)


def _equations(
    document: ProofDocument, texts: list[Text], ordered: tuple[str, ...]
) -> dict[Equation, str]:
    """Numbers of the equations and items that any text of the context mentions."""
    found: dict[Equation, str] = {}
    for text in texts:
        for targets in text.links.mentions:
            for target in targets:
                is_fragment = bool(target.module) and (
                    document.modules[target.module].role is Role.FRAGMENT
                )
                if target.anchor or is_fragment:
                    anchor = "" if is_fragment else target.anchor
                    found.setdefault((target.module, anchor), f"(E{len(found) + 1})")
    for member in ordered:
        if document.modules[member].role is Role.FRAGMENT:
            found.setdefault((member, ""), f"(E{len(found) + 1})")
    return found


def _by_content(
    document: ProofDocument,
    name: str,
    first: list[str],
    rest: set[str],
    follows: tuple[str, ...],
) -> list[str]:
    """The members that v's text does not mention, in an order that only their content decides.

    Equal texts are told apart by what they refer to, as often as that helps. Modules that
    are still alike then refer to alike modules, and either order gives the same text.
    """
    colours = {member: _colour(document.modules[member], member in follows) for member in rest}
    fixed = {member: f"first {index}" for index, member in enumerate(first)} | {name: "self"}
    for _ in range(_ROUNDS):
        distinct = len(set(colours.values()))
        if distinct == len(colours):
            break
        known = {**colours, **fixed}
        refined = {
            member: digest(
                [
                    colours[member],
                    [
                        [_seen(document, target.module, target.anchor, known) for target in targets]
                        for text in _texts(document, member, follows)
                        for targets in text.links.mentions
                    ],
                ]
            )
            for member in rest
        }
        if len(set(refined.values())) == distinct:
            break
        colours = refined
    return sorted(rest, key=lambda m: (colours[m], document.modules[m].position))


def _colour(module: Module, is_followed: bool) -> str:
    proof = module.proofs[0].digest if is_followed and module.proofs else ""
    return "|".join((module.role, module.kind, module.statement.digest, proof))


def _seen(document: ProofDocument, name: str, anchor: str, known: Mapping[str, str]) -> str:
    anchors = document.modules[name].statement.anchors if name else ()
    index = anchors.index(anchor) if anchor in anchors else -1
    return f"{known.get(name, '')}#{index}"


def slot(found: Context, document: ProofDocument, name: str, anchor: str, word: str) -> str:
    """What stands in a text for a reference."""
    if not name:
        return _WORDS.get(word, f"[{word}]") or "[elsewhere]"
    equation = found.equations.get((name, anchor))
    if equation:
        return equation
    return _SELF if name == found.module else found.slots.get(name, "[elsewhere]")
