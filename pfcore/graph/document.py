"""A paper's proof document: modules in reading order, what each text refers to, edges."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from pfcore.domain.values import Edge, Module, ModulePart, Passage, Role
from pfcore.graph.components import circling
from pfcore.graph.edges import Linked, edges, mention_edges
from pfcore.graph.labels import LabelIndex
from pfcore.graph.lazy import LazyMapping, Memo
from pfcore.graph.links import Mentioned, ResolvedLinks

USING = frozenset({"used", "proof", "likely"})
"""Forms of words by which a proof uses what it names: "by Lemma 2"; `likely`, perhaps for less."""


class PaperSection(NamedTuple):
    """A section of the paper: its level, title, parent (or -1), and the positions it covers."""

    level: int
    title: str
    path: str
    parent: int
    first: int
    last: int
    refers: tuple[str, ...]


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


@dataclass(frozen=True, kw_only=True)
class ProofDocument:
    """The modules of one paper with G (edges) and T (parents), and all that the contexts need.

    `statements` and `proofs` hold the links of each module's statement and of each of its
    proofs; `uses` the modules named by `\\uses`; `scope` the conventions that bind a module.
    `cited` has what the references in each proof lead to, terms aside, for who asks no more;
    `may_use` gives at least what the proofs of each result name as used by a label, at once.
    `labels` lists every place of every label; `known_edges` is a memo that
    versions share.
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
    known_edges: Memo[list[Edge]] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def named_by_proofs(self) -> dict[str, tuple[tuple[Edge, str], ...]]:
        """What proofs name as used and in which form, of results that may rest on each other."""
        graph = self.may_use()
        knotted = circling(graph)
        found = {name: tuple(self._named(self.modules[name])) for name in graph if name in knotted}
        return {name: named for name, named in found.items() if named}

    def _named(self, module: Module) -> Iterator[tuple[Edge, str]]:
        for proof, leads in zip(module.proofs, self.cited[module.id], strict=True):
            for edge in mention_edges(ModulePart.PROOF, proof, leads, module, self.modules):
                form = proof.mentions[edge.order].form
                if form in USING:
                    yield edge, form

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
