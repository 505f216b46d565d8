"""A read paper to its proof document."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pfcore.domain.containment import Faults
from pfcore.domain.values import Module
from pfcore.graph.building import scope
from pfcore.graph.building.draft import Draft, draft
from pfcore.graph.building.modules import modules
from pfcore.graph.building.pairing import says_what
from pfcore.graph.building.reading_order import OrderedBlock
from pfcore.graph.building.resolve import Linking, Resolver
from pfcore.graph.building.term_index import FindTerms, TermIndex, dictionary
from pfcore.graph.building.titled import FindNumber
from pfcore.graph.building.worded import FindNumbers, Numbered, WordedResolver
from pfcore.graph.document import LooseProof, ProofDocument
from pfcore.graph.labels import LabelIndex
from pfcore.latex.language.worded_references import NUMBER
from pfcore.latex.parsed_file import ParsedFile
from pfcore.latex.project.include_graph import IncludeGraph


class Lookup(NamedTuple):
    """What is looked up outside of the graph: terms in blocks, modules by number, and numbers.

    `faults` takes up what could not be followed for a fault of ours.
    """

    terms: FindTerms
    by_number: FindNumbers
    number: FindNumber
    faults: Faults


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """A document with what it was made from, so that the next version can be made from it.

    `numbered` finds modules by their numbers; `speaks_of_numbers` says whether a text does.
    """

    document: ProofDocument
    draft: Draft
    resolver: Resolver
    linking: Linking
    numbered: Numbered
    speaks_of_numbers: bool


def build_document(
    name: str, outline: IncludeGraph, readings: Mapping[str, ParsedFile], find: Lookup
) -> Assembly:
    """Order the blocks, pair proofs with statements, name the modules, resolve what they cite."""
    made = draft(outline, readings, find.number)
    found = modules(made)
    usage = TermIndex(dictionary(made.ids, found, made.at, readings), find.terms, readings)
    numbered = find.by_number(found)
    worded = WordedResolver(draft=made, numbered=numbered, modules=found)
    resolver = Resolver(draft=made, modules=found, usage=usage, worded=worded, faults=find.faults)
    linking = resolver.linking()
    document = ProofDocument(
        name=name,
        root=outline.root,
        modules=found,
        **linking._asdict(),
        scope=_scope(made, found),
        labels=LabelIndex(made.labels, made.module),
        headings=tuple(made.order.headings),
        loose=loose(made),
        may_use=resolver.may_use,
    )
    return Assembly(
        document=document,
        draft=made,
        resolver=resolver,
        linking=linking,
        numbered=numbered,
        speaks_of_numbers=speaks_of_numbers(readings.values()),
    )


def speaks_of_numbers(readings: Iterable[ParsedFile]) -> bool:
    """Whether some text refers to a result by its rendered number."""
    return any(
        mention.note == NUMBER
        for reading in readings
        for block in reading.blocks
        for mention in block.mentions
    )


def loose(made: Draft) -> tuple[LooseProof, ...]:
    """The proofs of nothing."""
    entries = made.order.entries
    return tuple(_loose(entries[position], name) for position, name in made.loose.items())


def _loose(entry: OrderedBlock, missing: str) -> LooseProof:
    return LooseProof(entry.path, *entry.block.place, says_what(entry), missing)


def _scope(made: Draft, found: Mapping[str, Module]) -> dict[str, tuple[str, ...]]:
    """The conventions over each module's statement or proofs, wherever these stand."""
    positions = {
        name: (position, *made.proofs.get(position, ())) for position, name in made.ids.items()
    }
    return scope.bindings(found, positions)
