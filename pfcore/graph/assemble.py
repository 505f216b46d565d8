"""A read paper to its proof document."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pfcore.contain import Faults
from pfcore.graph import scope
from pfcore.graph.document import LooseProof, ProofDocument
from pfcore.graph.draft import Draft, draft
from pfcore.graph.labels import Labels
from pfcore.graph.modules import modules
from pfcore.graph.order import Entry
from pfcore.graph.pairing import says_what
from pfcore.graph.resolve import Linking, Resolver
from pfcore.graph.terms import FindTerms, Usage, dictionary
from pfcore.graph.titled import FindNumber
from pfcore.graph.worded import FindNumbers, Numbered, Worded
from pfcore.latex.outline import Outline
from pfcore.latex.pointers import NUMBER
from pfcore.latex.records import Reading
from pfcore.model import Module


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """A document with what it was made from, so that the next version can be made from it.

    `numbered` is None where no text refers to anything by its number.
    """

    document: ProofDocument
    draft: Draft
    resolver: Resolver
    linking: Linking
    numbered: Numbered | None


class Lookups(NamedTuple):
    """What a document asks of its paper; `faults` takes up what a fault of ours hides."""

    find_terms: FindTerms
    find_numbers: FindNumbers
    find_number: FindNumber
    faults: Faults


def assemble(
    name: str, outline: Outline, readings: Mapping[str, Reading], lookups: Lookups
) -> Assembly:
    """Order the blocks, pair proofs with statements, name the modules, resolve what they cite."""
    find_terms, find_numbers, find_number, faults = lookups
    made = draft(outline, readings, find_number)
    found = modules(made)
    usage = Usage(dictionary(made.ids, found, made.at, readings), find_terms, readings)
    numbered = find_numbers(found) if speaks_of_numbers(readings.values()) else None
    worded = Worded(draft=made, numbered=numbered or {}, modules=found)
    resolver = Resolver(draft=made, modules=found, usage=usage, worded=worded, faults=faults)
    linking = resolver.linking()
    document = ProofDocument(
        name=name,
        root=outline.root,
        modules=found,
        **linking._asdict(),
        scope=_scope(made, found),
        labels=Labels(made.labels, made.module),
        headings=tuple(made.order.headings),
        loose=loose(made),
        may_use=resolver.may_use,
    )
    return Assembly(
        document=document, draft=made, resolver=resolver, linking=linking, numbered=numbered
    )


def speaks_of_numbers(readings: Iterable[Reading]) -> bool:
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


def _loose(entry: Entry, missing: str) -> LooseProof:
    return LooseProof(entry.path, *entry.block.place, says_what(entry), missing)


def _scope(made: Draft, found: Mapping[str, Module]) -> dict[str, tuple[str, ...]]:
    """The conventions over each module's statement or proofs, wherever these stand."""
    positions = {
        name: (position, *made.proofs.get(position, ())) for position, name in made.ids.items()
    }
    return scope.bindings(found, positions)
