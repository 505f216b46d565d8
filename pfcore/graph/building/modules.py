"""The blocks of a draft as modules."""

from collections.abc import Iterable, Iterator

from pfcore.domain.values import Citation, Location, Module, Passage, Role
from pfcore.graph.building import scope
from pfcore.graph.building.draft import Draft, says_its_number
from pfcore.graph.building.reading_order import OrderedBlock
from pfcore.latex.parsed_file import Block
from pfcore.latex.project.kinds import role_of

_ROLES = {"fragment": Role.FRAGMENT, "convention": Role.CONVENTION, "definition": Role.DEFINITION}
"""The roles that a block's shape tells, whatever its kind."""

_FORMAL = frozenset({"leanok", "mathlibok"})


def modules(draft: Draft) -> dict[str, Module]:
    """All modules of a draft, in reading order."""
    return {name: module(draft, position) for position, name in draft.ids.items()}


def module(draft: Draft, position: int) -> Module:
    """The module whose statement stands at a position."""
    entry = draft.order.entries[position]
    block = entry.block
    labels = draft.named[position]
    proofs = [draft.order.entries[p] for p in draft.proofs.get(position, ())]
    return Module(  # by place: by name it takes twice as long, and a large paper has many
        draft.ids[position],
        block.kind,
        _ROLES.get(block.shape) or role_of(block.kind),
        block.title,
        labels[0] if labels else None,
        labels,
        _passage(entry),
        tuple([_passage(proof) for proof in proofs]),
        _parent(draft, entry) if block.parent >= 0 else None,
        position,
        draft.sections[entry.section],
        _terms(draft, block) if block.heading else block.terms,
        block.hints,
        scope.reach(draft.order, position),
        block.is_cited,
        tuple([one for text in (entry, *proofs) if text.block.results for one in _cites(text)]),
        _is_formal(block, proofs),
        block.number if says_its_number(block.env) else None,
    )


def _terms(draft: Draft, block: Block) -> tuple[str, ...]:
    """What a block introduces or is called: by its heading only where no other has the same."""
    is_name = draft.headings[block.heading] == 1
    return (*block.terms, block.heading) if is_name else block.terms


def _cites(entry: OrderedBlock) -> Iterator[Citation]:
    for key, locator, place in entry.block.results:
        yield Citation(key, locator, Location(entry.path, *place))


def _is_formal(statement: Block, proofs: Iterable[OrderedBlock]) -> bool:
    """`\\leanok` in a statement says only that the statement is written in Lean."""
    if "mathlibok" in statement.marks:
        return True
    return any(not _FORMAL.isdisjoint(proof.block.marks) for proof in proofs)


def _parent(draft: Draft, entry: OrderedBlock) -> str | None:
    """The module in whose statement or proof this one stands."""
    position = draft.at[entry.path, entry.block.parent]
    if draft.order.entries[position].block.shape == "proof":
        position = draft.owner.get(position, -1)
    return draft.ids.get(position)


def _passage(entry: OrderedBlock) -> Passage:
    """A block as a passage of its file."""
    block = entry.block
    location = Location(entry.path, *block.place)
    return Passage(
        location, entry.number, block.digest, block.length, block.mentions, block.anchors
    )
