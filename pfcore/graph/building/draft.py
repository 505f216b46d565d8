"""The frame of a proof document: order, labels, the pairs of statements and proofs, names.

Also turns the blocks of a draft into modules.
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
    """A document under construction; positions are those of `order`.

    `named` are the labels that name a block itself, `sections` each heading with those above it,
    outermost first; `at` finds a block by its file and number; `owner` is the first statement of a
    proof; `loose` are the proofs without a statement, with the result that they name if it
    certainly does not exist; `numbers` are those with which titles of proofs were resolved; `again`
    finds a statement by the command that repeats it; `inner` lists the statements inside a block by
    its file and number, and by their kind and number, "" for all of a kind; `headings` counts the
    statements under each heading that may be a name. `stand_ins` are texts that only say that a
    proof is omitted or elsewhere, by statement; `guessed` are proofs whose statement was guessed;
    `announced` are results said to be proved in a section.
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

        If a paper is several documents that cite each other, each has labels of its own, and those
        of another are cited under its prefix; a label that is unique in all of them, under any.
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
        """The position of the statement that a label names or is in; -1 if there is none.

        A key with a backslash is a command that repeats a statement.
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
        """The heading that a label names; -1 if it names none, or if its file is input twice."""
        found = self.find(key, path)
        if found is None or found[1].holder != "section":
            return -1
        path, label = found
        own, offsets = self._headings(path)
        before = bisect_right(offsets, label.offset)
        return own[before - 1] if before and len(own) == len(offsets) else -1

    def _headings(self, path: str) -> tuple[list[int], list[int]]:
        """The headings of a file in order, and their offsets in its present text."""
        if path not in self.headings_of:
            own = [at for at, item in enumerate(self.order.headings) if item.path == path]
            self.headings_of[path] = own, sorted(one.offset for one in self.readings[path].sections)
        return self.headings_of[path]

    def holder(self, path: str, label: Label) -> str:
        """The module that a label names or is in; "" if there is none."""
        return self.module(path, label.fragment if label.fragment >= 0 else label.block)

    def holders(self, key: str, path: str) -> set[str]:
        """The modules that a key may name in this file, and maybe a few more."""
        if self.outline.prefixes:
            found = self.find(key, path)
            return {self.holder(*found)} if found else set()
        return {self.holder(*place) for place in self.labels.get(key, ())}

    def module(self, path: str, block: int) -> str:
        """The module with this block as its statement or proof, the first of several, or ""."""
        position = self.at.get((path, block), -1)
        return self.ids.get(self.owner.get(position, position), "")

    def number(self, position: int, find_number: FindNumber) -> str | None:
        """The number of a statement: from its heading in words, as printed, or from its name."""
        entry = self.order.entries[position]
        start = entry.block.place.start
        said = entry.block.number
        if said and says_its_number(entry.block.env):
            return said
        return find_number(self.named[position], entry.path, start) or said or None


def says_its_number(env: str) -> bool:
    """Whether the source itself numbers everything in an environment."""
    return env == headings.NAME or parsed_file.is_tagged(env)


def _nearest(places: list[tuple[str, Label]], path: str) -> tuple[str, Label] | None:
    """The last place in the same file, else the last of all, as in LaTeX for a repeated label."""
    if len(places) < 2:
        return places[0] if places else None
    return next((item for item in reversed(places) if item[0] == path), places[-1])


def draft(
    outline: IncludeGraph, readings: Mapping[str, ParsedFile], find_number: FindNumber
) -> Draft:
    """Order the blocks, pair proofs with statements, name all blocks except proofs."""
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
"""The roles that follow from a block's shape, whatever its kind."""

_FORMAL = frozenset({"leanok", "mathlibok"})
_STAND_INS = {parsed_file.OMITTED: Status.OMITTED, parsed_file.CITED: Status.CITED}


def modules(draft: Draft) -> dict[str, Module]:
    """All modules of a draft, in reading order."""
    return {name: module(draft, position) for position, name in draft.ids.items()}


def module(draft: Draft, position: int) -> Module:
    """The module whose statement is at a position."""
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
    return Module(  # positional arguments are twice as fast, and a large paper has many modules
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
    """Whether the title of a result says that it only restates other results, by their labels.

    A remark with a label may be among these.
    """
    found = _restated(draft, position)
    if not found or -1 in found:
        return False
    roles = {role_of(draft.order.entries[other].block.kind) for other in found}
    return Role.RESULT in roles <= {Role.RESULT, Role.ASIDE} and not any(
        position in (other, *_restated(draft, other)) for other in found
    )


def _restated(draft: Draft, position: int) -> list[int]:
    """The statements that a title says are restated there; -1 for a key that names none."""
    entry = draft.order.entries[position]
    if entry.block.shape != "statement":
        return []
    found = [(key, draft.statement(key, entry.path)) for key in entry.block.aim]
    return [other if key in draft.named.get(other, ()) else -1 for key, other in found]


def _stand_in(
    entry: OrderedBlock, found: list[OrderedBlock], outline: IncludeGraph
) -> Status | None:
    """The status given by texts in place of a proof; cited if one of them cites the result.

    A result of a document of which only the labels are wanted is cited, too.
    """
    if role_of(entry.block.kind) is Role.RESULT and outline.is_borrowed(entry.path):
        return Status.CITED
    said = {_STAND_INS[one.block.nature] for one in found}
    return (Status.CITED if Status.CITED in said else Status.OMITTED) if said else None


def _terms(draft: Draft, block: Block) -> tuple[str, ...]:
    """The terms that a block introduces, and its heading as its name if no other block has it."""
    is_name = draft.headings[block.heading] == 1
    return (*block.terms, block.heading) if is_name else block.terms


def _cites(entry: OrderedBlock) -> Iterator[Citation]:
    for key, locator, place in entry.block.results:
        yield Citation(key, locator, Location(entry.path, *place))


def _is_formal(statement: Block, proofs: Iterable[OrderedBlock]) -> bool:
    """Whether Mathlib has the result or a proof is marked formal.

    `\\leanok` in a statement says only that the statement is written in Lean.
    """
    if "mathlibok" in statement.marks:
        return True
    return any(not _FORMAL.isdisjoint(proof.block.marks) for proof in proofs)


def _parent(draft: Draft, entry: OrderedBlock) -> str | None:
    """The module whose statement or proof contains this one."""
    position = draft.at[entry.path, entry.block.parent]
    if draft.order.entries[position].block.shape == "proof":
        position = draft.owner.get(position, -1)
    return draft.ids.get(position)


_COROLLARY = "corollary"


def _following(proof: Passage) -> Passage:
    """The proof of a corollary, which may use the result before it even without a mention."""
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
