"""The edges of G and of the contexts, from the links of the texts."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from pfcore.domain.values import Edge, Mention, Module, ModulePart, Passage, Role, Via
from pfcore.graph.links import USES, LinkTarget, Mentioned, ResolvedLinks
from pfcore.latex.language.worded_references import NUMBER, PHRASE, STEP

_WORDED = {PHRASE: Via.PHRASE, NUMBER: Via.NUMBER, STEP: Via.NUMBER}


class Linked(NamedTuple):
    """A module with all that it is linked to; `inner` are the claims inside its proofs."""

    module: Module
    statement: ResolvedLinks
    proofs: tuple[ResolvedLinks, ...]
    uses: tuple[str, ...]
    scope: tuple[str, ...]
    inner: tuple[str, ...]


def edges(linked: Linked, modules: Mapping[str, Module]) -> list[Edge]:
    """The edges of one module: each target once per way of finding it and half of the module."""
    found: dict[tuple[str, Via, ModulePart], Edge] = {}
    for edge in _all_edges(linked, modules):
        key = (edge.target, edge.via, edge.part)
        known = found.setdefault(key, edge)
        if edge.is_explicit and not known.is_explicit:
            found[key] = known._replace(is_explicit=True)
    return list(found.values())


def _all_edges(linked: Linked, modules: Mapping[str, Module]) -> Iterator[Edge]:
    module = linked.module
    passages = [(ModulePart.STATEMENT, module.statement, linked.statement)]
    for proof, links in zip(module.proofs, linked.proofs, strict=True):
        passages.append((ModulePart.PROOF, proof, links))
    for part, passage, links in passages:
        yield from mention_edges(part, passage, links.mentions, module, modules)
        for term, target in links.terms:
            if term == USES:
                continue
            via, order = _by_word(term, modules[target]), len(passage.mentions)
            yield Edge(module.id, target, via, part, order, is_explicit=False)
    declared = {target for term, target in linked.statement.terms if term == USES}
    for order, target in enumerate(linked.uses):
        part = ModulePart.STATEMENT if target in declared else ModulePart.PROOF
        yield Edge(module.id, target, Via.USES, part, order, is_explicit=False)
    for target in linked.inner:
        yield Edge(module.id, target, Via.REFERENCE, ModulePart.PROOF, 0, is_explicit=False)
    for target in linked.scope:
        yield Edge(module.id, target, Via.SCOPE, ModulePart.STATEMENT, 0, is_explicit=False)


def mention_edges(
    part: ModulePart,
    passage: Passage,
    leads: Mentioned,
    module: Module,
    modules: Mapping[str, Module],
) -> Iterator[Edge]:
    """The edges that the references of a passage make, one for each."""
    for order, (mention, targets) in enumerate(zip(passage.mentions, leads, strict=True)):
        for target in _others(targets, module):
            other = modules[target.module]
            if mention.form == "proof" and part is ModulePart.PROOF and other.has_proof(passage):
                continue  # one proof of both
            is_itself = not target.anchor and other.role is not Role.FRAGMENT
            is_plain = mention.form not in ("hedged", "notation") and mention.note not in _WORDED
            is_explicit = is_itself and is_plain
            yield Edge(module.id, other.id, _via(mention, part, other), part, order, is_explicit)


def _by_word(term: str, target: Module) -> Via:
    """How a word of the text led to a module."""
    if term.startswith("$"):
        return Via.NOTATION
    return Via.NAME if target.role is Role.RESULT else Via.TERM


def _others(targets: Iterable[LinkTarget], module: Module) -> Iterator[LinkTarget]:
    return (target for target in targets if target.module not in ("", module.id))


def _via(mention: Mention, part: ModulePart, target: Module) -> Via:
    if mention.form == "notation":
        return Via.NOTATION
    follows = mention.form == "proof" and part is ModulePart.PROOF and target.proofs
    return Via.PROOF if follows else _WORDED.get(mention.note, Via.REFERENCE)
