"""A paper of a snapshot with its proof document.

Also the numbers that the PDF shows for modules, computed on demand.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from pfcore.domain.containment import Failure, Fault, attempt
from pfcore.domain.digest import digest
from pfcore.domain.values import Module, Passage
from pfcore.graph.building.assemble import (
    Assembly,
    Lookup,
    build_document,
    in_first_form,
    rebuild_document,
)
from pfcore.graph.building.term_index import Dictionary, Used
from pfcore.graph.dependants import DependantsIndex
from pfcore.graph.document import FIRST, ProofDocument
from pfcore.latex import codec
from pfcore.latex.language.worded_references import numbered
from pfcore.latex.numbering.document_classes import HEADINGS
from pfcore.latex.parsed_file import READING_VERSION
from pfcore.papers.paper import Paper

if TYPE_CHECKING:
    from pfcore.latex.numbering.counter_state import Number
    from pfcore.latex.numbering.simulate import DisplayRows
    from pfcore.papers.rendered_numbers import Numbers


@dataclass(frozen=True, kw_only=True)
class PaperState:
    """A paper at one moment; `open_in_lean` are modules whose formal proof is open in Lean."""

    paper: Paper
    document: ProofDocument
    assembly: Assembly = field(repr=False, compare=False)
    open_in_lean: frozenset[str] = frozenset()

    def counts_as_formal(self, module: Module) -> bool:
        """Whether a module is marked as formal, the settings trust that, and Lean has no gap."""
        is_trusted = self.paper.settings.blueprint.trust_leanok
        return module.is_formal and is_trusted and module.id not in self.open_in_lean

    def broken(self) -> dict[str, str]:
        """The modules with a part that a fault of ours made unreadable, and the cause."""
        places = {(item.path, item.line): item.cause for item in self.paper.faults.listed}
        if not places:
            return {}
        return {
            module.id: cause
            for module in self.document.modules.values()
            for passage in module.passages
            if (cause := places.get((passage.location.path, passage.location.line)))
        }

    @cached_property
    def in_first_form(self) -> ProofDocument:
        """The document with the contexts of the first canonical form."""
        return in_first_form(self.assembly).document

    @cached_property
    def numbering(self) -> "Numbering":
        """The certain numbers of the modules, computed on demand."""
        return Numbering(self.paper)

    @cached_property
    def said_under(self) -> dict[str, str]:
        """A memo of what running text says about keys; `supplied` fills it."""
        return {}

    @cached_property
    def lost_keys(self) -> dict[str, set[str]]:
        """The undefined keys that each file refers to, for the files that have any."""
        labels, find = self.document.labels, self.assembly.draft.find
        found: dict[str, set[str]] = {}
        for path in self.paper.outline.order:
            reading = self.paper.readings.get(path)
            unknown = [key for key in reading.cited if key not in labels] if reading else []
            named = (key for key in unknown if key not in LABELS_OF_PACKAGES and "#" not in key)
            lost = {key for key in named if find(key, path) is None}
            found |= {path: lost} if lost else {}
        return found

    @cached_property
    def readers(self) -> DependantsIndex:
        """The dependants of modules in the document."""
        return DependantsIndex(document=self.document, resolver=self.assembly.resolver)


def build_paper_state(paper: Paper, like: PaperState | None = None) -> PaperState:
    """The state of a paper: its modules with G, T, and the links of every text.

    `like` is the paper at another moment, whose unchanged parts are reused.
    """

    def find_terms(terms: Dictionary, paths: Iterable[str]) -> Used:
        readings = {path: paper.readings[path] for path in paths}
        return replace(paper, readings=readings).used_terms(terms.positions)

    numbering = Numbering(paper)

    def find_needs(keys: Iterable[str], paths: Iterable[str]) -> Used:
        readings = {path: paper.readings[path] for path in paths}
        return replace(paper, readings=readings).used_needs(keys)

    find = Lookup(find_terms, find_needs, numbering.by_number, numbering.at, paper.faults)
    made = None
    if like and like.paper.name == paper.name:
        is_as_before = partial(numbering.is_as_before, like.paper)
        made = rebuild_document(like.assembly, paper.outline, paper.readings, find, is_as_before)
    if made is None:
        made = build_document(paper.name, paper.outline, paper.readings, find)
        made = in_first_form(made) if paper.settings.reading.form == FIRST else made
    return PaperState(paper=paper, document=made.document, assembly=made)


LABELS_OF_PACKAGES = frozenset({"", "LastPage", "TotPages", "VeryLastPage", "lastpage"})
"""Keys of labels that packages set."""
_QUICK = 8_000
_EQUATION = "equation"


class ByNumber(Mapping[tuple[str, str], str]):
    """Modules by kind and number; the numbers of a kind are computed on demand."""

    def __init__(
        self, modules: Mapping[str, Module], listed: Callable[[Module, str], Iterator[str]]
    ) -> None:
        self._modules = modules
        self._listed = listed
        self._known: dict[str, dict[str, str]] = {}

    def __getitem__(self, key: tuple[str, str]) -> str:
        kind, number = key
        return self._of(kind)[number]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        kinds = dict.fromkeys((*(module.kind for module in self._modules.values()), _EQUATION))
        return ((kind, number) for kind in kinds for number in self._of(kind))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _of(self, kind: str) -> Mapping[str, str]:
        """The modules of a kind by number, without numbers that several have."""
        if kind not in self._known:
            found: dict[str, str] = {}
            for name, module in self._modules.items():
                for number in filter(None, self._listed(module, kind)):
                    found[number] = "" if number in found else name
            self._known[kind] = {number: name for number, name in found.items() if name}
        return self._known[kind]


class ShownNumbers:
    """The numbers shown to people: LaTeX's own number of a module takes precedence over ours.

    References in texts are resolved with `Numbering` instead.
    """

    def __init__(self, numbering: "Numbering", printed: Mapping[str, str]) -> None:
        self._numbering = numbering
        self._printed = printed

    @property
    def is_quick(self) -> bool:
        """Whether the paper is small enough for numbers that are only nice to have."""
        return self._numbering.is_quick

    def of(self, module: Module) -> str | None:
        """The number of a module; None if it is uncertain."""
        return self._printed.get(module.id) or self._numbering.of(module)

    def label(self, key: str) -> "Number | None":
        """The certain number of a label, of any kind."""
        return self._numbering.label(key)

    def at(self, labels: tuple[str, ...], path: str, start: int) -> str | None:
        """The number with these labels, or of the environment at `start`; None if uncertain."""
        return self._numbering.at(labels, path, start)

    def rows(self, passage: Passage) -> "list[DisplayRows]":
        """The numbers printed at the rows of a passage's displays, in order."""
        return self._numbering.rows(passage)

    def of_some(self, modules: Sequence[Module]) -> dict[str, str]:
        """The certain numbers of some modules by their ids, cached."""
        if not self.is_quick:
            return {}
        known = {one.id: self._printed[one.id] for one in modules if one.id in self._printed}
        return known | self._numbering.of_some([one for one in modules if one.id not in known])


_KEPT_VERSION = f"shown/1:{READING_VERSION}"
"""Changed whenever the same files would give another number."""


class Numbering:
    """The certain numbers of one paper's modules."""

    def __init__(self, paper: Paper) -> None:
        self._paper = paper

    @property
    def is_quick(self) -> bool:
        """Whether the paper is small enough for numbers that are only nice to have."""
        blocks = sum(len(reading.blocks) for reading in self._paper.readings.values())
        return blocks <= _QUICK

    def of(self, module: Module) -> str | None:
        """The number of a module, by its label or by its place; None if it is uncertain."""
        if module.number is not None or self._paper.is_markup:
            return module.number or None
        where = module.statement.location
        return self.at(module.labels, where.path, where.start) or self._named(module) or None

    def of_some(self, modules: Sequence[Module]) -> dict[str, str]:
        """The certain numbers of some modules by their ids, from the parse cache if it has them.

        Counting is fast, but the code for it is slow to load.
        """
        source = self._paper
        oids = {path: entry.oid for path, entry in source.snapshot.files.items()}
        names = [module.id for module in modules]
        key = f"{_KEPT_VERSION}:{digest([source.root, oids, names])}"

        def make(_: str) -> tuple[tuple[str, ...], dict[str, str]]:
            made = tuple(self.of(module) or "" for module in modules)
            return made, {} if source.faults.listed else {key: codec.dump(made)}

        found = source.parse_cache.get_or_parse({source.root: key}, codec.texts, make)
        source.parse_cache.keep()
        kept = found[source.root]
        return {name: number for name, number in zip(names, kept, strict=True) if number}

    def _named(self, module: Module) -> str:
        """The number in the name that the module's environment prints: "A" of "Theorem A"."""
        blocks = self._paper.readings[module.statement.location.path].blocks
        return blocks[module.statement.block].number

    def at(self, labels: tuple[str, ...], path: str, start: int) -> str | None:
        """The number with these labels, or of the environment at `start`; None if uncertain."""
        if self._paper.is_markup:
            return None
        for label in labels:
            found = self._numbers.of(label)
            if found is not None:
                is_heading = found.kind in HEADINGS or found.kind == "appendix"
                return None if is_heading else found.text or None
        found = self._numbers.places.get((path, start))
        return found.text or None if found is not None and found.certain else None

    def label(self, key: str) -> "Number | None":
        """The certain number of a label: of a section, an equation, an item, a result."""
        return None if self._paper.is_markup else self._numbers.of(key)

    def rows(self, passage: Passage) -> "list[DisplayRows]":
        """The numbers printed at the rows of a passage's displays, in order."""
        where = passage.location
        starts = [] if self._paper.is_markup else self._displays.get(where.path, [])
        first, last = bisect_left(starts, where.start), bisect_left(starts, where.end)
        return [self._numbers.rows[where.path, start] for start in starts[first:last]]

    @cached_property
    def _displays(self) -> dict[str, list[int]]:
        """The offsets of the displays in each file, in order."""
        found: dict[str, list[int]] = {}
        for path, start in sorted(self._numbers.rows):
            found.setdefault(path, []).append(start)
        return found

    def is_uncertain(self, module: Module) -> bool:
        """Whether a module has a number that is not certain, rather than none."""
        if module.number is not None or self._paper.is_markup or self.of(module):
            return False
        where = module.statement.location
        listed = [self._numbers.labels.get(label) for label in module.labels]
        listed.append(self._numbers.places.get((where.path, where.start)))
        return any(found is not None and not found.certain for found in listed)

    def by_number(self, modules: Mapping[str, Module]) -> "ByNumber":
        """The modules by their kind and number, without those that several have.

        An equation in a statement leads to the module.
        """
        return ByNumber(modules, self._listed)

    def _listed(self, module: Module, kind: str) -> Iterator[str]:
        """The numbers of a kind that lead to a module."""
        if module.kind == kind and module.number and self._paper.is_markup:
            yield module.number
        if module.kind == kind and module.number is None:
            titled = {number for one, number in numbered(module.title) if one == kind}
            letters = {number for number in titled if number.isalpha()}
            yield from {self.of(module) or "", self._named(module)} | letters
        for label in module.statement.anchors if kind == _EQUATION else ():
            number = self._numbers.of(label) if label not in module.labels else None
            if number is not None and number.kind == _EQUATION:
                yield number.text

    def is_as_before(self, earlier: Paper) -> bool:
        """Whether all numbers are certainly those of another version of the paper; fast."""
        from pfcore.papers.rendered_numbers import (
            has_same_numbers,  # loads the finder of counters
        )

        return self._paper.is_markup or (
            attempt(partial(has_same_numbers, earlier, self._paper)) is True
        )

    @cached_property
    def _numbers(self) -> "Numbers":
        from pfcore.papers.rendered_numbers import (  # loads the simulation of counters
            NONE,
            paper_numbers,
        )

        found = attempt(partial(paper_numbers, self._paper))
        if not isinstance(found, Failure):
            return found
        self._paper.faults.add(Fault(self._paper.root, 0, "the numbers of results", found.cause))
        return NONE
