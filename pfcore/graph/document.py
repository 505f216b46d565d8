"""A paper's proof document: modules in reading order, the references of each text, edges.

Defines the resolved links of a passage, from which contexts and edges are made; the edges of G and
of the contexts; the index of labels; lazy values of modules, since most plans need only a few; and
strongly connected components of a graph.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

from pfcore.domain.paper_settings import FORMS
from pfcore.domain.values import Edge, Mention, Module, ModulePart, Passage, Role, Via
from pfcore.latex.language.worded_references import (
    COROLLARY,
    KIND,
    NUMBER,
    PHRASE,
    STEP,
    may_mean_formulas,
)
from pfcore.latex.parsed_file import Label

USING = frozenset({"used", "proof", "likely", "reference", "range", "inductive"})
"""Forms of mentions with which a proof uses what it names."""


class PaperSection(NamedTuple):
    """A section of the paper: its level, title, parent (or -1), and the positions it covers.

    `says` are the roles of the words of its heading.
    """

    level: int
    title: str
    path: str
    parent: int
    first: int
    last: int
    refers: tuple[str, ...]
    says: tuple[str, ...]


class LooseProof(NamedTuple):
    """A proof environment without a statement; `aims` says whether it names one.

    `missing` is a result that it names by a number that certainly none has, else "".
    """

    path: str
    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int
    aims: bool
    missing: str = ""


class LinkTarget(NamedTuple):
    """What a key of a mention names: a module, maybe a label inside it, or something else.

    `module` is "" if it names none; `anchor` is the label of an equation or item inside
    the module's own text; `word` is section, float, proof or unresolved.
    """

    module: str
    anchor: str
    word: str


Mentioned = tuple[tuple[LinkTarget, ...], ...]
"""The targets of each mention of a passage."""


class ResolvedLinks(NamedTuple):
    """What one passage refers to: the targets of each mention, and terms with their definitions.

    `leans_on` is set for a definition: the definitions in its section of symbols and terms without
    which it says little.
    """

    mentions: Mentioned
    terms: tuple[tuple[str, str], ...]
    leans_on: tuple[str, ...] = ()


Listed = Mapping[str, Sequence[tuple[str, Label]]]
"""The places of each label: the file, and the label as read there."""


class LabelPlace(NamedTuple):
    """Where a label is set: file and offset, what contains it, and the module (or "")."""

    path: str
    offset: int
    holder: str
    module: str


class LabelIndex(Mapping[str, tuple[LabelPlace, ...]]):
    """The places of each label, with their modules; computed on demand."""

    __slots__ = ("_listed", "_module")

    def __init__(self, listed: Listed, module: Callable[[str, int], str]) -> None:
        self._listed = listed
        self._module = module

    def __getitem__(self, key: str) -> tuple[LabelPlace, ...]:
        return tuple([self._place(*item) for item in self._listed[key]])

    def __contains__(self, key: object) -> bool:
        return key in self._listed

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)

    def repeated(self) -> list[str]:
        """The labels that are set at several places."""
        return [key for key, places in self._listed.items() if len(places) > 1]

    def _place(self, path: str, label: Label) -> LabelPlace:
        return LabelPlace(path, label.offset, label.holder, self._module(path, label.block))


FIRST, CURRENT = FORMS
"""The canonical forms of contexts; the current one is part of every asking contract."""

DEEP = "pf-context/2 deep"
"""The current form, with the full definitions that it only names beyond one level of terms."""

Value = TypeVar("Value")

Memo = dict[int, tuple[Module, Value]]
"""Values by the `id()` of their module, which is stored with them to stay alive."""


class LazyMapping(Mapping[str, Value], Generic[Value]):
    """A value for each module; versions of a document that share a module share its value."""

    __slots__ = ("_make", "_modules", "memo")

    def __init__(
        self,
        modules: Mapping[str, Module],
        make: Callable[[str], Value],
        memo: Memo[Value] | None = None,
    ) -> None:
        self._modules = modules
        self._make = make
        self.memo: Memo[Value] = {} if memo is None else memo

    def __getitem__(self, name: str) -> Value:
        module = self._modules[name]
        known = self.memo.get(id(module))
        if known is None:
            known = self.memo[id(module)] = (module, self._make(name))
        return known[1]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


ContextSteps = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
"""The modules that a member of a context refers to, those that bind it, and those of its terms."""


@dataclass(frozen=True, kw_only=True)
class ProofDocument:
    """The modules of one paper with G (edges) and T (parents), and all that the contexts need.

    `statements` and `proofs` hold the links of each module's statement and of each of its
    proofs; `uses` the modules named by `\\uses`; `scope` the conventions that bind a module.
    `cited` has the targets of the references in each proof, without terms, and is faster;
    `may_use` gives, at once, at least the modules that the proofs of each result name as used.
    `form` is that of the contexts, and `keyed` are the conventions that hold in it only for modules
    that use their keys. `labels` lists every place of every label; `known_edges` is a memo that
    versions share, `known_steps` one of this document alone.
    """

    name: str
    root: str
    modules: Mapping[str, Module]
    statements: Mapping[str, ResolvedLinks]
    proofs: Mapping[str, tuple[ResolvedLinks, ...]]
    uses: Mapping[str, tuple[str, ...]]
    cited: Mapping[str, tuple[Mentioned, ...]]
    scope: Mapping[str, tuple[str, ...]]
    labels: LabelIndex
    headings: tuple[PaperSection, ...]
    loose: tuple[LooseProof, ...]
    may_use: Callable[[], Mapping[str, set[str]]] = field(compare=False, repr=False)
    form: str = CURRENT
    keyed: frozenset[str] = frozenset()
    known_edges: Memo[list[Edge]] = field(default_factory=dict, compare=False, repr=False)
    known_steps: dict[str, ContextSteps] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    @cached_property
    def deep(self) -> "ProofDocument":
        """The document with the deep form of contexts."""
        return replace(self, form=DEEP)

    @cached_property
    def named_by_proofs(self) -> dict[str, tuple[tuple[Edge, str], ...]]:
        """The uses that proofs name, with their forms, of results that may depend on each other."""
        graph = self.may_use()
        knotted = circling(graph)
        found = {name: tuple(self._named(self.modules[name])) for name in graph if name in knotted}
        return {name: named for name, named in found.items() if named}

    def _named(self, module: Module) -> Iterator[tuple[Edge, str]]:
        for proof, leads in zip(module.proofs, self.cited[module.id], strict=True):
            for edge in mention_edges(ModulePart.PROOF, proof, leads, module, self.modules):
                mention = proof.mentions[edge.order]
                is_vague = mention.note == PHRASE and may_mean_formulas(mention.keys[0])
                if mention.form in USING and not is_vague:
                    yield edge, mention.form

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """All edges, by source in reading order."""
        return tuple(edge for name in self.modules for edge in self.edges_of(name))

    def edges_of(self, name: str) -> list[Edge]:
        """The edges of one module, in the order of its text."""
        return self._edges[name]

    @cached_property
    def _edges(self) -> LazyMapping[list[Edge]]:
        return LazyMapping(self.modules, self._edges_of, self.known_edges)

    def _edges_of(self, name: str) -> list[Edge]:
        linked = Linked(
            self.modules[name],
            self.statements[name],
            self.proofs[name],
            self.uses[name],
            self.scope[name],
            self.claims_in(name),
        )
        return edges(linked, self.modules)

    def claims_in(self, name: str) -> tuple[str, ...]:
        """The claims inside the proofs of a module."""
        return self._inner.get(name, ())

    @cached_property
    def _inner(self) -> dict[str, tuple[str, ...]]:
        """The claims inside the proofs of each module that has any."""
        found: dict[str, tuple[str, ...]] = {}
        for name, module in self.modules.items():
            if module.parent and module.role is not Role.FRAGMENT:
                outer = self.modules[module.parent]
                if any(_contains(proof, module.statement) for proof in outer.proofs):
                    found[outer.id] = (*found.get(outer.id, ()), name)
        return found

    def invoked(self) -> dict[str, list[Edge]]:
        """The edges by their source."""
        found: dict[str, list[Edge]] = {}
        for edge in self.edges:
            found.setdefault(edge.source, []).append(edge)
        return found


def _contains(outer: Passage, inner: Passage) -> bool:
    one, other = outer.location, inner.location
    return one.path == other.path and one.start <= other.start < one.end


UNRESOLVED = "unresolved"

USES = "\\uses"
"""Replaces the term for a definition that a statement declares to use."""

NO_LINKS = ResolvedLinks((), ())


def mentioned_modules(links: ResolvedLinks) -> Iterator[str]:
    """The modules that a passage refers to by reference."""
    for targets in links.mentions:
        for target in targets:
            if target.module:
                yield target.module


def linked_modules(links: ResolvedLinks) -> Iterator[str]:
    """The modules that a passage refers to, by reference or by term."""
    yield from mentioned_modules(links)
    yield from used_modules(links)


def used_modules(links: ResolvedLinks) -> Iterator[str]:
    """The modules whose terms or symbols a passage uses, or that it declares to use."""
    return (definition for _, definition in links.terms)


_WORDED = {
    PHRASE: Via.PHRASE,
    NUMBER: Via.NUMBER,
    STEP: Via.NUMBER,
    KIND: Via.PHRASE,
    COROLLARY: Via.COROLLARY,
}


class Linked(NamedTuple):
    """A module with all that it is linked to; `inner` are the claims inside its proofs."""

    module: Module
    statement: ResolvedLinks
    proofs: tuple[ResolvedLinks, ...]
    uses: tuple[str, ...]
    scope: tuple[str, ...]
    inner: tuple[str, ...]


def edges(linked: Linked, modules: Mapping[str, Module]) -> list[Edge]:
    """The edges of one module: each target once per way of finding it and half of the module."""
    found: dict[tuple[str, Via, ModulePart], Edge] = {}
    for edge in _all_edges(linked, modules):
        key = (edge.target, edge.via, edge.part)
        known = found.setdefault(key, edge)
        if edge.is_explicit and not known.is_explicit:
            found[key] = known._replace(is_explicit=True)
    return list(found.values())


def _all_edges(linked: Linked, modules: Mapping[str, Module]) -> Iterator[Edge]:
    module = linked.module
    passages = [(ModulePart.STATEMENT, module.statement, linked.statement)]
    for proof, links in zip(module.proofs, linked.proofs, strict=True):
        passages.append((ModulePart.PROOF, proof, links))
    for part, passage, links in passages:
        yield from mention_edges(part, passage, links.mentions, module, modules)
        for term, target in links.terms:
            if term == USES:
                continue
            via, order = _by_word(term, modules[target]), len(passage.mentions)
            yield Edge(module.id, target, via, part, order, is_explicit=False)
    declared = {target for term, target in linked.statement.terms if term == USES}
    for order, target in enumerate(linked.uses):
        part = ModulePart.STATEMENT if target in declared else ModulePart.PROOF
        yield Edge(module.id, target, Via.USES, part, order, is_explicit=False)
    for target in linked.inner:
        yield Edge(module.id, target, Via.REFERENCE, ModulePart.PROOF, 0, is_explicit=False)
    for target in linked.scope:
        yield Edge(module.id, target, Via.SCOPE, ModulePart.STATEMENT, 0, is_explicit=False)


def mention_edges(
    part: ModulePart,
    passage: Passage,
    leads: Mentioned,
    module: Module,
    modules: Mapping[str, Module],
) -> Iterator[Edge]:
    """The edges that the references of a passage make, one for each."""
    for order, (mention, targets) in enumerate(zip(passage.mentions, leads, strict=True)):
        for target in _others(targets, module):
            other = modules[target.module]
            if mention.form == "proof" and part is ModulePart.PROOF and other.has_proof(passage):
                continue  # it is a proof of both
            is_itself = not target.anchor and other.role is not Role.FRAGMENT
            is_plain = mention.form not in ("hedged", "notation") and mention.note not in _WORDED
            is_explicit = is_itself and is_plain
            yield Edge(module.id, other.id, _via(mention, part, other), part, order, is_explicit)


def _by_word(term: str, target: Module) -> Via:
    """How a word of the text led to a module."""
    if target.role is Role.NOTATION:
        return Via.INTRODUCTION
    if term.startswith(("$", "#")):
        return Via.NOTATION
    return Via.NAME if target.role is Role.RESULT else Via.TERM


def _others(targets: Iterable[LinkTarget], module: Module) -> Iterator[LinkTarget]:
    return (target for target in targets if target.module not in ("", module.id))


def _via(mention: Mention, part: ModulePart, target: Module) -> Via:
    if mention.form == "notation":
        return Via.NOTATION
    follows = mention.form == "proof" and part is ModulePart.PROOF and target.proofs
    return Via.PROOF if follows else _WORDED.get(mention.note, Via.REFERENCE)


def circling(graph: Mapping[str, Set[str]]) -> set[str]:
    """The nodes on circles.

    Each circle has an edge forwards in the graph's order and lies in the part that can be reached
    from its target. If most edges lead backwards, as in a paper, that part is small.
    """
    reached = {target for target in _onward(graph) if target in graph}
    pending = list(reached)
    while pending:
        fresh = {target for target in graph[pending.pop()] if target in graph} - reached
        reached |= fresh
        pending += fresh
    part = {name: graph[name] for name in graph if name in reached} if reached else {}
    return {name for knot in components(part) for name in knot}


def _onward(graph: Mapping[str, Set[str]]) -> set[str]:
    """The targets of edges that lead forwards, or to the node itself."""
    before: set[str] = set()
    found: set[str] = set()
    for name, targets in graph.items():
        if not before.issuperset(targets):
            found |= targets - before
        before.add(name)
    return found


def components(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Strongly connected components of more than one node, or with a loop (Tarjan, iterative)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_stack: set[str] = set()
    stack: list[str] = []
    found: list[list[str]] = []
    for start in graph:
        if start in index:
            continue
        work = [(start, iter(graph.get(start, ())))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, targets = work[-1]
            target = next(targets, None)
            if target is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component = _pop(stack, on_stack, node)
                    if len(component) > 1 or node in graph.get(node, ()):
                        found.append(component)
            elif target not in index:
                index[target] = low[target] = len(index)
                stack.append(target)
                on_stack.add(target)
                work.append((target, iter(graph.get(target, ()))))
            elif target in on_stack:
                low[node] = min(low[node], index[target])
    return found


def _pop(stack: list[str], on_stack: set[str], node: str) -> list[str]:
    component: list[str] = []
    while True:
        top = stack.pop()
        on_stack.discard(top)
        component.append(top)
        if top == node:
            return sorted(component)
