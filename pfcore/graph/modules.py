"""The blocks of a draft as modules."""

from collections.abc import Iterable

from pfcore.graph import scope
from pfcore.graph.draft import Draft
from pfcore.graph.order import Entry
from pfcore.latex import headings, tagged
from pfcore.latex.kinds import role_of
from pfcore.latex.records import Block
from pfcore.model import Citation, Location, Module, Passage, Role


def modules(draft: Draft) -> dict[str, Module]:
    """All modules of a draft, in reading order."""
    return {name: module(draft, position) for position, name in draft.ids.items()}


def module(draft: Draft, position: int) -> Module:
    """The module whose statement stands at a position."""
    entry = draft.order.entries[position]
    block = entry.block
    labels = draft.named[position]
    proofs = [draft.order.entries[p] for p in draft.proofs.get(position, ())]
    role = _role(block)
    return Module(
        id=draft.ids[position],
        kind=block.kind,
        role=role,
        title=block.title,
        label=labels[0] if labels else None,
        labels=labels,
        statement=_passage(entry),
        proofs=tuple(map(_passage, proofs)),
        parent=_parent(draft, entry),
        position=position,
        section=draft.sections[entry.section],
        terms=_terms(draft, block),
        hints=block.hints,
        scope=scope.reach(draft.order, position),
        is_cited=block.is_cited,
        cites=tuple([found for item in (entry, *proofs) for found in _cites(item)]),
        number=block.number if _says_its_number(block.env) else None,
        is_formal=_is_formal(block, [proof.block for proof in proofs]),
    )


def _terms(draft: Draft, block: Block) -> tuple[str, ...]:
    """What a block introduces or is called: by its heading only where no other has the same."""
    is_name = block.heading and draft.headings[block.heading] == 1
    return (*block.terms, block.heading) if is_name else block.terms


def _cites(entry: Entry) -> list[Citation]:
    return [
        Citation(key, locator, Location(entry.path, *place))
        for key, locator, place in entry.block.results
    ]


def _says_its_number(env: str) -> bool:
    """Whether the source itself numbers what stands in an environment."""
    return env == headings.NAME or tagged.is_tagged(env)


def _is_formal(statement: Block, proofs: Iterable[Block]) -> bool:
    """`\\leanok` in a statement says only that the statement is written in Lean."""
    if "mathlibok" in statement.marks:
        return True
    return any("leanok" in proof.marks or "mathlibok" in proof.marks for proof in proofs)


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


def _passage(entry: Entry) -> Passage:
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
