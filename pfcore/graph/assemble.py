"""A read paper to its proof document."""

from collections.abc import Callable, Mapping

from pfcore.graph import scope
from pfcore.graph.document import LooseProof, Place, ProofDocument
from pfcore.graph.draft import Draft
from pfcore.graph.naming import Names, statement_labels
from pfcore.graph.order import Entry, Order, arrange
from pfcore.graph.pairing import pair, says_what
from pfcore.graph.resolve import Resolver
from pfcore.graph.terms import Dictionary, UsedTerms, dictionary
from pfcore.latex.kinds import role_of
from pfcore.latex.outline import Outline
from pfcore.latex.records import Block, Reading
from pfcore.model import Location, Module, Passage, Role


def assemble(
    name: str,
    outline: Outline,
    readings: Mapping[str, Reading],
    used_terms: Callable[[Dictionary], UsedTerms],
) -> ProofDocument:
    """Order the blocks, pair proofs with statements, name the modules, resolve what they cite.

    `used_terms` says for a dictionary of terms which of them each block uses.
    """
    draft, loose = _draft(outline, readings)
    modules = _modules(draft)
    terms = dictionary(draft.ids, modules)
    resolver = Resolver(draft=draft, modules=modules, used=used_terms(terms), terms=terms)
    return ProofDocument(
        name=name,
        root=outline.root,
        modules=modules,
        statements={
            module.id: resolver.links(module, module.statement) for module in modules.values()
        },
        proofs={
            module.id: tuple(resolver.links(module, proof) for proof in module.proofs)
            for module in modules.values()
        },
        uses={module.id: resolver.uses(module) for module in modules.values()},
        scope=_scope(draft, modules),
        labels=_places(draft),
        headings=tuple(draft.order.headings),
        loose=tuple(_loose(draft.order.entries[position]) for position in loose),
    )


def _draft(outline: Outline, readings: Mapping[str, Reading]) -> tuple[Draft, list[int]]:
    """Order, labels, pairs of statement and proof, ids; and the proofs of nothing."""
    draft = Draft(order=arrange(outline, readings), readings=readings)
    _index(draft, outline)
    draft.proofs, loose = pair(draft.order, draft.statement)
    for statement, proofs in draft.proofs.items():
        for proof in proofs:
            draft.owner.setdefault(proof, statement)
    names = Names(draft.order)
    for position, entry in enumerate(draft.order.entries):
        if entry.block.shape != "proof":
            draft.ids[position] = names.name(entry, statement_labels(entry, draft.own))
    return draft, loose


def _index(draft: Draft, outline: Outline) -> None:
    for position, entry in enumerate(draft.order.entries):
        draft.at[entry.path, entry.number] = position
    for path in outline.order:
        reading = draft.readings.get(path)
        for label in reading.labels if reading else ():
            draft.labels.setdefault(label.key, []).append((path, label))
            if label.fragment >= 0 or label.holder == "statement":
                block = label.fragment if label.fragment >= 0 else label.block
                draft.own.setdefault((path, block), []).append(label.key)


def _modules(draft: Draft) -> dict[str, Module]:
    return {name: _module(draft, position, name) for position, name in draft.ids.items()}


def _module(draft: Draft, position: int, name: str) -> Module:
    entry = draft.order.entries[position]
    block = entry.block
    labels = statement_labels(entry, draft.own)
    proofs = draft.proofs.get(position, ())
    return Module(
        id=name,
        kind=block.kind,
        role=_role(block),
        title=block.title,
        label=labels[0] if labels else None,
        labels=labels,
        statement=passage(entry),
        proofs=tuple(passage(draft.order.entries[proof]) for proof in proofs),
        parent=_parent(draft, entry),
        position=position,
        section=_sections(draft.order, entry.section),
        terms=block.terms,
        scope=scope.reach(draft.order, position),
        is_cited=block.is_cited,
        is_formal=block.is_formal,
    )


def _scope(draft: Draft, modules: Mapping[str, Module]) -> dict[str, tuple[str, ...]]:
    """The conventions over each module's statement or proofs, wherever these stand."""
    places = {
        name: (position, *draft.proofs.get(position, ())) for position, name in draft.ids.items()
    }
    return scope.bindings(modules, places)


def _role(block: Block) -> Role:
    if block.shape == "fragment":
        return Role.FRAGMENT
    return Role.CONVENTION if block.shape == "convention" else role_of(block.kind)


def _parent(draft: Draft, entry: Entry) -> str | None:
    """The module in whose statement or proof this one stands."""
    if entry.block.parent < 0:
        return None
    position = draft.at[entry.path, entry.block.parent]
    if draft.order.entries[position].block.shape == "proof":
        position = draft.owner.get(position, -1)
    return draft.ids.get(position)


def _sections(order: Order, section: int) -> tuple[int, ...]:
    path: list[int] = []
    while section >= 0:
        path.append(section)
        section = order.headings[section].parent
    return tuple(reversed(path))


def passage(entry: Entry) -> Passage:
    """A block as a passage of its file."""
    block = entry.block
    return Passage(
        location=Location(entry.path, *block.place),
        block=entry.number,
        digest=block.digest,
        length=block.length,
        mentions=block.mentions,
        anchors=block.anchors,
    )


def _places(draft: Draft) -> dict[str, tuple[Place, ...]]:
    places: dict[str, tuple[Place, ...]] = {}
    for key, found in draft.labels.items():
        listed = []
        for path, label in found:
            position = draft.at.get((path, label.block), -1)
            owner = draft.owner.get(position, position)
            listed.append(Place(path, label.offset, label.holder, draft.ids.get(owner, "")))
        places[key] = tuple(listed)
    return places


def _loose(entry: Entry) -> LooseProof:
    return LooseProof(entry.path, *entry.block.place, says_what(entry))
