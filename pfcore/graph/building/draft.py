"""The frame of a proof document: order, labels, which proof proves what, names.

The blocks of a draft as modules.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from pfcore.domain.values import Citation, Location, Mention, Module, Passage, Role, Status
from pfcore.graph.building import scope
from pfcore.graph.building.pairing import FindNumber, Titled, announced, pair
from pfcore.graph.building.reading_order import (
    ModuleIds,
    Order,
    OrderedBlock,
    arrange,
    statement_labels,
)
from pfcore.latex import parsed_file
from pfcore.latex.language.worded_references import COROLLARY
from pfcore.latex.parsed_file import Block, Label, ParsedFile
from pfcore.latex.project.include_graph import IncludeGraph
from pfcore.latex.project.kinds import in_english, role_of
from pfcore.latex.structure import headings

Inner = tuple[str, int, str, str]


@dataclass(slots=True, kw_only=True)
class Draft:
    """What is known while a document is put together; positions are those of `order`.

    `named` are the labels that name a block itself, `sections` the headings above and with a
    heading, outermost first; `at` finds a block by its file and number; `owner` is the first
    statement of a proof; `loose` are the proofs of nothing, with the result that they name
    where there certainly is none; `numbers` are those by which titles of proofs were followed;
    `again` finds a statement by the command that says it again; `inner` lists the statements inside
    of a block by its file and number, and by their kind and number, "" for all of a kind;
    `headings` counts the statements under each heading that may be a name. `stand_ins` are those
    that say only that a proof is left out or stands elsewhere, by statement; `guessed` are proofs
    whose statement was guessed; `announced` are those said to be proved in a section.
    """

    outline: IncludeGraph
    order: Order
    readings: Mapping[str, ParsedFile]
    labels: dict[str, list[tuple[str, Label]]] = field(default_factory=dict)
    named: dict[int, tuple[str, ...]] = field(default_factory=dict)
    sections: dict[int, tuple[int, ...]] = field(default_factory=dict)
    at: dict[tuple[str, int], int] = field(default_factory=dict)
    ids: dict[int, str] = field(default_factory=dict)
    proofs: dict[int, list[int]] = field(default_factory=dict)
    stand_ins: dict[int, list[int]] = field(default_factory=dict)
    guessed: frozenset[int] = frozenset()
    announced: frozenset[int] = frozenset()
    headings_of: dict[str, tuple[list[int], list[int]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    owner: dict[int, int] = field(default_factory=dict)
    loose: dict[int, str] = field(default_factory=dict)
    numbers: dict[int, str | None] = field(default_factory=dict)
    again: dict[str, int] = field(default_factory=dict)
    inner: dict[Inner, list[int]] = field(default_factory=dict)
    headings: Counter[str] = field(default_factory=Counter)

    def find(self, key: str, path: str) -> tuple[str, Label] | None:
        """The place of a label, preferably in the file that cites it.

        Where a paper is several documents that cite each other, each has labels of its own,
        and those of another are cited under its prefix; one that stands only once in all of them,
        under any.
        """
        if not self.outline.prefixes:
            return _nearest(self.labels.get(key, []), path)
        for root, bare in ((self.outline.document(path), key), *self.outline.elsewhere(key)):
            places = [
                item for item in self.labels.get(bare, ()) if self.outline.document(item[0]) == root
            ]
            if places:
                return _nearest(places, path)
        for bare in (key, *(bare for _, bare in self.outline.elsewhere(key))):
            if len(self.labels.get(bare, ())) == 1:
                return self.labels[bare][0]
        return None

    def statement(self, key: str, path: str) -> int:
        """The position of the statement that a label names or lies in; -1 if there is none.

        A key with a backslash is the command that says a statement again.
        """
        if key.startswith("\\"):
            return self.again.get(key[1:], -1)
        found = self.find(key, path)
        if found is None or found[1].block < 0:
            return -1
        position = self.at[found[0], found[1].block]
        shape = self.order.entries[position].block.shape
        return position if shape == "statement" else -1

    def section(self, key: str, path: str) -> int:
        """The heading that a label names, -1 if it names none, or files are read more than once."""
        found = self.find(key, path)
        if found is None or found[1].holder != "section":
            return -1
        path, label = found
        own, offsets = self._headings(path)
        before = bisect_right(offsets, label.offset)
        return own[before - 1] if before and len(own) == len(offsets) else -1

    def _headings(self, path: str) -> tuple[list[int], list[int]]:
        """The headings of a file in the order, and their offsets in the file as it is now."""
        if path not in self.headings_of:
            own = [at for at, item in enumerate(self.order.headings) if item.path == path]
            self.headings_of[path] = own, sorted(one.offset for one in self.readings[path].sections)
        return self.headings_of[path]

    def holder(self, path: str, label: Label) -> str:
        """The module that a label names or stands in; "" if there is none."""
        return self.module(path, label.fragment if label.fragment >= 0 else label.block)

    def holders(self, key: str, path: str) -> set[str]:
        """The modules that a key may name for a reader of this file, and few more."""
        if self.outline.prefixes:
            found = self.find(key, path)
            return {self.holder(*found)} if found else set()
        return {self.holder(*place) for place in self.labels.get(key, ())}

    def module(self, path: str, block: int) -> str:
        """The module whose statement or proof a block is, the first if several have it, or ""."""
        position = self.at.get((path, block), -1)
        return self.ids.get(self.owner.get(position, position), "")

    def number(self, position: int, find_number: FindNumber) -> str | None:
        """The number of a statement: as a heading in words says it, as printed, or as named."""
        entry = self.order.entries[position]
        start = entry.block.place.start
        said = entry.block.number
        if said and says_its_number(entry.block.env):
            return said
        return find_number(self.named[position], entry.path, start) or said or None


def says_its_number(env: str) -> bool:
    """Whether the source itself numbers each thing that stands in an environment."""
    return env == headings.NAME or parsed_file.is_tagged(env)


def _nearest(places: list[tuple[str, Label]], path: str) -> tuple[str, Label] | None:
    """The last place in the same file, else the last, as LaTeX prints that of a label set twice."""
    if len(places) < 2:
        return places[0] if places else None
    return next((item for item in reversed(places) if item[0] == path), places[-1])


def draft(
    outline: IncludeGraph, readings: Mapping[str, ParsedFile], find_number: FindNumber
) -> Draft:
    """Order the blocks, pair proofs with statements, name what is no proof."""
    made = Draft(outline=outline, order=arrange(outline, readings), readings=readings)
    _index(made)
    _label(made)
    titled = Titled(made.order, lambda position: made.number(position, find_number))
    pairs = pair(made.order, made.at, made.statement, titled)
    made.loose, made.guessed = pairs.loose, frozenset(pairs.guessed)
    made.announced = announced(made.order, made.statement, titled, made.section)
    made.numbers = titled.looked_up
    for statement, proofs in pairs.proofs.items():
        for proof in proofs:
            made.owner.setdefault(proof, statement)
            if outline.is_borrowed(made.order.entries[proof].path):
                continue
            is_none = made.order.entries[proof].block.nature in _STAND_INS
            (made.stand_ins if is_none else made.proofs).setdefault(statement, []).append(proof)
    _name(made)
    return made


def _index(made: Draft) -> None:
    for position, (path, index, block, _) in enumerate(made.order.entries):
        made.at[path, index] = position
        if block.heading:
            made.headings[block.heading] += 1
        if block.again:
            made.again.setdefault(block.again, position)
        if block.parent >= 0 and block.shape == "statement":
            for number in {block.number, ""}:
                key = path, block.parent, block.kind, number
                made.inner.setdefault(key, []).append(position)
    for path in made.outline.order:
        reading = made.readings.get(path)
        for label in reading.labels if reading else ():
            made.labels.setdefault(label.key, []).append((path, label))
    for index in range(-1, len(made.order.headings)):
        made.sections[index] = tuple(made.order.above(index))[::-1]


def _label(made: Draft) -> None:
    own: dict[tuple[str, int], list[str]] = {}
    for path in made.outline.order:
        reading = made.readings.get(path)
        for label in reading.labels if reading else ():
            if label.fragment >= 0 or label.holder == "statement":
                block = label.fragment if label.fragment >= 0 else label.block
                own.setdefault((path, block), []).append(label.key)
    for position, (path, number, entered, _) in enumerate(made.order.entries):
        if entered.shape != "proof":
            made.named[position] = statement_labels(entered, own.get((path, number), ()))


def _name(made: Draft) -> None:
    names = ModuleIds(made.order)
    for position, labels in made.named.items():
        made.ids[position] = names.name(made.order.entries[position], labels)


_ROLES = {
    "fragment": Role.FRAGMENT,
    "convention": Role.CONVENTION,
    "definition": Role.DEFINITION,
    "introduction": Role.NOTATION,
}
"""The roles that a block's shape tells, whatever its kind."""

_FORMAL = frozenset({"leanok", "mathlibok"})
_STAND_INS = {parsed_file.OMITTED: Status.OMITTED, parsed_file.CITED: Status.CITED}


def modules(draft: Draft) -> dict[str, Module]:
    """All modules of a draft, in reading order."""
    return {name: module(draft, position) for position, name in draft.ids.items()}


def module(draft: Draft, position: int) -> Module:
    """The module whose statement stands at a position."""
    entry = draft.order.entries[position]
    block = entry.block
    labels = draft.named[position]
    positions = draft.proofs.get(position, ())
    proofs = [draft.order.entries[p] for p in positions]
    stand_ins = [draft.order.entries[p] for p in draft.stand_ins.get(position, ())]
    written = (*proofs, *stand_ins)
    passages = [_passage(proof) for proof in proofs]
    if passages and block.shape == "statement" and in_english(block.kind) == _COROLLARY:
        passages[0] = _following(passages[0])
    is_again = _is_restated(draft, position)
    is_announced = block.nature == parsed_file.PROVED or position in draft.announced
    return Module(  # by place: by name it takes twice as long, and a large paper has many
        draft.ids[position],
        block.kind,
        _ROLES.get(block.shape) or role_of(block.kind),
        block.title,
        labels[0] if labels else None,
        labels,
        _passage(entry),
        tuple(passages),
        _parent(draft, entry) if block.parent >= 0 and block.shape != "introduction" else None,
        position,
        draft.sections[entry.section],
        _terms(draft, block) if block.heading else block.terms,
        block.hints,
        scope.reach(draft.order, position),
        block.is_cited,
        tuple([one for text in (entry, *written) if text.block.results for one in _cites(text)]),
        _is_formal(block, written),
        block.number if says_its_number(block.env) else None,
        tuple([_passage(item) for item in stand_ins]),
        None if proofs else _stand_in(entry, stand_ins, draft.outline),
        not draft.guessed.isdisjoint(positions),
        not proofs and (is_again or is_announced),
        not proofs and is_announced and not is_again,
    )


def _is_restated(draft: Draft, position: int) -> bool:
    """Whether the title of a result says that all it states are other results, with labels.

    A remark with a label may be among them.
    """
    found = _restated(draft, position)
    if not found or -1 in found:
        return False
    roles = {role_of(draft.order.entries[other].block.kind) for other in found}
    return Role.RESULT in roles <= {Role.RESULT, Role.ASIDE} and not any(
        position in (other, *_restated(draft, other)) for other in found
    )


def _restated(draft: Draft, position: int) -> list[int]:
    """The statements that the title of one says are stated there again; -1 for what is none."""
    entry = draft.order.entries[position]
    if entry.block.shape != "statement":
        return []
    found = [(key, draft.statement(key, entry.path)) for key in entry.block.aim]
    return [other if key in draft.named.get(other, ()) else -1 for key, other in found]


def _stand_in(
    entry: OrderedBlock, found: list[OrderedBlock], outline: IncludeGraph
) -> Status | None:
    """What stands in place of a proof: where one cites the result, it is cited.

    So is a result of a document of which only the labels are wanted.
    """
    if role_of(entry.block.kind) is Role.RESULT and outline.is_borrowed(entry.path):
        return Status.CITED
    said = {_STAND_INS[one.block.nature] for one in found}
    return (Status.CITED if Status.CITED in said else Status.OMITTED) if said else None


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


_COROLLARY = "corollary"


def _following(proof: Passage) -> Passage:
    """The proof of a corollary: what it is one of is at hand there, whether or not it says so."""
    start = proof.location.start
    mention = Mention("hedged", (COROLLARY,), COROLLARY, start, start)
    return proof._replace(mentions=(*proof.mentions, mention))


def _passage(entry: OrderedBlock) -> Passage:
    """A block as a passage of its file."""
    block = entry.block
    location = Location(entry.path, *block.place)
    return Passage(
        location,
        entry.number,
        block.digest,
        block.length,
        block.mentions,
        block.anchors,
        block.written,
    )
