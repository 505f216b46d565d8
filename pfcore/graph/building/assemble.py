"""Makes the proof document of a paper, or updates that of a similar version.

If the frame of the document is the same, only the modules of changed files are made anew.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from pfcore.domain.containment import Faults
from pfcore.domain.values import Module, Role
from pfcore.graph.building import scope
from pfcore.graph.building.draft import Draft, draft, module, modules
from pfcore.graph.building.introduction_index import introduction_index, lead_index
from pfcore.graph.building.pairing import FindNumber, says_what
from pfcore.graph.building.reading_order import Order, OrderedBlock, flow
from pfcore.graph.building.resolve import FindNumbers, Linking, Numbered, Resolver, WordedResolver
from pfcore.graph.building.term_index import FindNeeds, FindTerms, NeedIndex, TermIndex, dictionary
from pfcore.graph.document import FIRST, LabelIndex, LooseProof, ProofDocument
from pfcore.latex.language.formula_keys import TAKES
from pfcore.latex.language.notation import head_of
from pfcore.latex.language.worded_references import NUMBER
from pfcore.latex.parsed_file import Label, ParsedFile
from pfcore.latex.project.include_graph import IncludeGraph


class Lookup(NamedTuple):
    """Lookups outside of the graph: terms in blocks, modules by number, and numbers.

    `faults` collects what a fault of ours kept from being resolved.
    """

    terms: FindTerms
    needs: FindNeeds
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
    usage: NeedIndex
    find: Lookup
    numbered: Numbered
    speaks_of_numbers: bool


def build_document(
    name: str, outline: IncludeGraph, readings: Mapping[str, ParsedFile], find: Lookup
) -> Assembly:
    """Order the blocks, pair proofs with statements, name the modules, resolve what they cite."""
    made = draft(outline, readings, find.number)
    found = modules(made)
    index = introduction_index(made.order, found, made.ids, made.sections, readings)
    usage = NeedIndex(index, find.needs, readings)
    numbered = find.by_number(found)
    worded = WordedResolver(draft=made, numbered=numbered, modules=found)
    resolver = Resolver(draft=made, modules=found, usage=usage, worded=worded, faults=find.faults)
    linking = resolver.linking()
    keyed = _keyed(made) | _named(made, found)
    document = ProofDocument(
        name=name,
        root=outline.root,
        modules=found,
        **linking._asdict(),
        scope=_scope(made, found, keyed),
        keyed=keyed,
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
        usage=usage,
        find=find,
        numbered=numbered,
        speaks_of_numbers=speaks_of_numbers(readings.values()),
    )


def in_first_form(known: Assembly) -> Assembly:
    """The same in the form `pf-context/1`: only terms and hints of definitions, no keys."""
    made, found = known.draft, known.document.modules
    terms = dictionary(made.ids, found, made.at, made.readings)
    resolver = Resolver(
        draft=made,
        modules=found,
        usage=TermIndex(terms, known.find.terms, made.readings),
        worded=known.resolver.worded,
        faults=known.find.faults,
    )
    linking = resolver.linking()
    document = replace(
        known.document,
        form=FIRST,
        **linking._asdict(),
        scope=_scope(made, found, frozenset(_agreed(found))),
        keyed=frozenset(),
        may_use=resolver.may_use,
        known_edges={},
    )
    return replace(known, document=document, resolver=resolver, linking=linking)


def _agreed(found: Mapping[str, Module]) -> Iterator[str]:
    """The sentences that bind everything after them but are not conventions in the first form."""
    return (name for name, item in found.items() if item.scope and item.role is Role.NOTATION)


def _keyed(made: Draft) -> frozenset[str]:
    """The conventions that hold only for modules that use their keys."""
    return frozenset(
        name
        for position, name in made.ids.items()
        if (block := made.order.entries[position].block).is_keyed
        and any(item[0] >= str(TAKES) for item in block.introduces)
    )


def _named(made: Draft, found: Mapping[str, Module]) -> frozenset[str]:
    """The assumptions of a blueprint that a `\\uses` names: in Lean each is separate."""
    nodes: list[Module] = []
    for position, name in made.ids.items():
        block = made.order.entries[position].block
        if found[name].role is Role.ASSUMPTION and (block.lean or block.marks):
            nodes.append(found[name])
    if not nodes:
        return frozenset()
    used = {key for entry in made.order.entries for key in entry.block.uses}
    return frozenset(item.id for item in nodes if not used.isdisjoint(item.labels))


def speaks_of_numbers(readings: Iterable[ParsedFile]) -> bool:
    """Whether some text refers to a result by its rendered number."""
    return any(
        mention.note == NUMBER
        for reading in readings
        for block in reading.blocks
        for mention in block.mentions
    )


def loose(made: Draft) -> tuple[LooseProof, ...]:
    """The proofs without a statement."""
    entries = made.order.entries
    return tuple(_loose(entries[position], name) for position, name in made.loose.items())


def _loose(entry: OrderedBlock, missing: str) -> LooseProof:
    return LooseProof(entry.path, *entry.block.place, says_what(entry), missing)


def _scope(
    made: Draft, found: Mapping[str, Module], keyed: frozenset[str]
) -> dict[str, tuple[str, ...]]:
    """The conventions over each module's statement or proofs, wherever these are."""
    positions = {
        name: (position, *made.proofs.get(position, ())) for position, name in made.ids.items()
    }
    if keyed:
        found = {**found, **{name: found[name]._replace(scope=None) for name in keyed}}
    return scope.bindings(found, positions)


def rebuild_document(
    known: Assembly,
    outline: IncludeGraph,
    readings: Mapping[str, ParsedFile],
    find: Lookup,
    has_same_numbers: Callable[[], bool],
) -> Assembly | None:
    """The result of `build_document`; None if the frame of the document differs.

    Numbers that some text may refer to belong to the frame; `has_same_numbers` is a fast test
    whether they are certainly the same, given that the blocks are.
    """
    if known.document.form == FIRST:  # rare, and always made from scratch
        return None
    changed = [path for path in readings if readings[path] is not known.draft.readings.get(path)]
    if not _has_same_frame(known.draft, outline, readings, changed):
        return None
    draft = _draft(known.draft, outline, readings, changed)
    document = known.document
    touched = {draft.ids[p]: module(draft, p) for p in _touched(draft, changed)}
    modules = {**document.modules, **touched}
    terms = known.usage.terms
    if lead_index(draft.order, draft.ids, readings) != (terms.leads, terms.early):
        return None
    index = terms.with_digests({name: item.statement.digest for name, item in touched.items()})
    if not terms.has_same_rivals(index):
        return None
    numbered = find.by_number(modules)
    if known.speaks_of_numbers or draft.numbers:
        if _has_same_equations(document.modules, touched) and has_same_numbers():
            numbered = known.numbered
        elif _numbers_differ(known, draft, numbered, find):
            return None
    usage = known.usage.over(index, find.needs, readings)
    worded = WordedResolver(draft=draft, numbered=numbered, modules=modules)
    resolver = Resolver(
        draft=draft, modules=modules, usage=usage, worded=worded, faults=find.faults
    )
    if not _has_same_crowds(known.resolver, resolver, changed):
        return None
    linking = resolver.linking(known.linking)
    updated = replace(
        document,
        modules=modules,
        **linking._asdict(),
        labels=LabelIndex(draft.labels, draft.module),
        loose=loose(draft),
        may_use=resolver.may_use,
    )
    return Assembly(
        document=updated,
        draft=draft,
        resolver=resolver,
        linking=linking,
        usage=usage,
        find=find,
        numbered=numbered,
        speaks_of_numbers=known.speaks_of_numbers
        or speaks_of_numbers(readings[path] for path in changed),
    )


def _has_same_crowds(known: Resolver, now: Resolver, changed: Iterable[str]) -> bool:
    """Whether mentions of symbols supply the same as before, if changed files use other symbols."""
    uses = known.usage, now.usage
    assert isinstance(uses[0], NeedIndex)
    assert isinstance(uses[1], NeedIndex)
    differing: set[str] = set()
    for path in changed:
        for number, _ in enumerate(now.draft.readings[path].blocks):
            then, since = (set(usage.of(path, number)) for usage in uses)
            differing |= then ^ since
    keys = {key for need in differing if need[0] == "#" for key in need.split("\t")}
    heads = {head_of(need[1:]) for need in differing if need[0] == "!"}
    index = uses[1].terms
    if heads:
        keys.update(key for key in index.sites if key[0] == "#" and head_of(key) in heads)
    mentioned = sorted(key for key in keys if index.is_mentioned(key))
    return all(known.is_crowded(key) is now.is_crowded(key) for key in mentioned)


def _numbers_differ(known: Assembly, draft: Draft, numbered: Numbered, find: Lookup) -> bool:
    """Whether something that a title or a text refers to by number has another number now."""
    if any(draft.number(p, find.number) != number for p, number in draft.numbers.items()):
        return True
    return known.speaks_of_numbers and dict(numbered) != dict(known.numbered)


def _has_same_equations(then: Mapping[str, Module], touched: Mapping[str, Module]) -> bool:
    """Whether the labels inside statements are the same."""
    return all(
        module.statement.anchors == then[name].statement.anchors for name, module in touched.items()
    )


def _has_same_frame(
    known: Draft, outline: IncludeGraph, readings: Mapping[str, ParsedFile], changed: list[str]
) -> bool:
    """Whether the same files have the same blocks in the same order, under the same names."""
    return (
        (outline.root, outline.prefixes) == (known.outline.root, known.outline.prefixes)
        and outline.borrowed == known.outline.borrowed
        and (outline.order, outline.starts) == (known.outline.order, known.outline.starts)
        and outline.inclusions.keys() == known.outline.inclusions.keys()
        and readings.keys() == known.readings.keys()
        and all(
            [found.path for found in listed]
            == [found.path for found in known.outline.inclusions[path]]
            for path, listed in outline.inclusions.items()
        )
        and all(
            list(_frame(path, outline, readings))
            == list(_frame(path, known.outline, known.readings))
            for path in changed
        )
    )


def _frame(
    path: str, outline: IncludeGraph, readings: Mapping[str, ParsedFile]
) -> Iterator[object]:
    """Everything in a file, except texts, that order, names, pairs, scopes and links depend on."""
    reading = readings[path]
    yield [kind for _, kind, _ in flow(path, outline, readings)]
    yield from (
        (
            b.shape,
            b.env,
            b.kind,
            b.title,
            b.labels,
            b.parent,
            b.terms,
            b.hints,
            b.introduces,
            b.uses,
            bool(b.lean or b.marks),
            b.aim,
            b.adjacent,
            b.unit,
            b.onward,
            b.is_keyed,
            b.again,
            b.number,
            b.heading,
            b.nature,
        )
        for b in reading.blocks
    )
    yield from (
        (label.key, label.holder, label.block, label.fragment, label.unit)
        for label in reading.labels
    )
    begins = [section.offset for section in reading.sections]
    yield [bisect_right(begins, item.offset) for item in reading.labels if item.holder == "section"]
    yield from ((section.level, section.title, section.refers) for section in reading.sections)


def _draft(
    known: Draft, outline: IncludeGraph, readings: Mapping[str, ParsedFile], changed: list[str]
) -> Draft:
    """The same frame around the new blocks and labels."""
    entries = list(known.order.entries)
    labels = dict(known.labels)
    for path in changed:
        for number, block in enumerate(readings[path].blocks):
            position = known.at[path, number]
            entries[position] = OrderedBlock(path, number, block, entries[position].section)
        old = known.readings[path].labels
        for key in {label.key for label in old}:
            labels[key] = _relabelled(labels[key], path, readings[path].labels)
    order = Order(entries=entries, headings=known.order.headings)
    return replace(known, outline=outline, order=order, readings=readings, labels=labels)


def _relabelled(
    listed: list[tuple[str, Label]], path: str, labels: tuple[Label, ...]
) -> list[tuple[str, Label]]:
    """The places of a key, with those in one file replaced by its present labels."""
    key = listed[0][1].key
    fresh = iter([label for label in labels if label.key == key])
    return [(path, next(fresh)) if item[0] == path else item for item in listed]


def _touched(draft: Draft, changed: list[str]) -> list[int]:
    """The positions of the modules with a statement or proof in a changed file."""
    inside = {
        draft.at[path, number]
        for path in changed
        for number, _ in enumerate(draft.readings[path].blocks)
    }
    proved = {
        statement
        for listed in (draft.proofs, draft.stand_ins)
        for statement, proofs in listed.items()
        if not inside.isdisjoint(proofs)
    }
    return sorted(position for position in inside | proved if position in draft.ids)
