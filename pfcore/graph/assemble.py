"""A read paper to its proof document."""

from collections.abc import Callable, Mapping

from pfcore.graph import edges, scope
from pfcore.graph.document import LooseProof, Place, ProofDocument
from pfcore.graph.draft import Draft
from pfcore.graph.naming import Names, statement_labels
from pfcore.graph.order import Entry, Order, arrange
from pfcore.graph.pairing import pair, says_what
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
    order = arrange(outline, dict(readings))
    draft = Draft(order=order, readings=readings)
    _index(draft, outline)
    draft.proofs, loose = pair(order, draft.statement)
    for statement, proofs in draft.proofs.items():
        for proof in proofs:
            draft.owner.setdefault(proof, statement)
    _name(draft)
    modules = _modules(draft)
    draft.parents = {name: module.parent for name, module in modules.items()}
    terms = dictionary(draft.order, draft.ids, modules)
    return edges.connect(
        draft,
        modules,
        used_terms(terms),
        terms,
        name=name,
        root=outline.root,
        labels=_places(draft),
        loose=tuple(_loose(order.entries[position]) for position in loose),
    )


def _index(draft: Draft, outline: Outline) -> None:
    for position, entry in enumerate(draft.order.entries):
        draft.at[entry.path, entry.index] = position
    for path in outline.order:
        reading = draft.readings.get(path)
        for label in reading.labels if reading else ():
            draft.labels.setdefault(label.key, []).append((path, label))


def _own_labels(draft: Draft) -> dict[tuple[str, int], list[str]]:
    own: dict[tuple[str, int], list[str]] = {}
    for path, reading in draft.readings.items():
        for label in reading.labels:
            if label.fragment >= 0:
                own.setdefault((path, label.fragment), []).append(label.key)
            elif label.holder == "statement":
                own.setdefault((path, label.block), []).append(label.key)
    return own


def _name(draft: Draft) -> None:
    names = Names(draft.order)
    own = _own_labels(draft)
    for position, entry in enumerate(draft.order.entries):
        if entry.block.shape != "proof":
            draft.ids[position] = names.name(entry, statement_labels(entry, own))


def _modules(draft: Draft) -> dict[str, Module]:
    own = _own_labels(draft)
    made: dict[str, Module] = {}
    for position, name in draft.ids.items():
        entry = draft.order.entries[position]
        block = entry.block
        labels = statement_labels(entry, own)
        made[name] = Module(
            id=name,
            kind=block.kind,
            role=_role(block),
            title=block.title,
            label=labels[0] if labels else None,
            labels=labels,
            statement=passage(entry),
            proofs=tuple(
                passage(draft.order.entries[proof]) for proof in draft.proofs.get(position, ())
            ),
            parent=_parent(draft, entry),
            position=position,
            section=_sections(draft.order, entry.section),
            terms=block.terms,
            scope=scope.reach(draft.order, position),
            is_cited=block.is_cited,
            is_formal=block.is_formal,
        )
    return made


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
        block=entry.index,
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
