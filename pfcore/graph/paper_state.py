"""A paper of a snapshot with its proof document."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from pfcore.graph.building.assemble import Assembly, Lookup, build_document
from pfcore.graph.building.term_index import Dictionary, Used
from pfcore.graph.building.update import rebuild_document
from pfcore.graph.dependants import DependantsIndex
from pfcore.graph.document import ProofDocument
from pfcore.graph.numbered import Numbering
from pfcore.papers.paper import Paper


@dataclass(frozen=True, kw_only=True)
class PaperState:
    """A paper at one moment."""

    paper: Paper
    document: ProofDocument
    assembly: Assembly = field(repr=False, compare=False)

    def broken(self) -> dict[str, str]:
        """The modules of which a part could not be read for a fault of ours, and the cause."""
        places = {(item.path, item.line): item.cause for item in self.paper.faults.listed}
        if not places:
            return {}
        return {
            module.id: cause
            for module in self.document.modules.values()
            for passage in (module.statement, *module.proofs)
            if (cause := places.get((passage.location.path, passage.location.line)))
        }

    @cached_property
    def readers(self) -> DependantsIndex:
        """Who reads what in the document."""
        return DependantsIndex(document=self.document, resolver=self.assembly.resolver)


def build_paper_state(paper: Paper, like: PaperState | None = None) -> PaperState:
    """The modules of a paper, with G, T, and the links of every text.

    `like` is another moment of the paper: what it has in common is not made again.
    """

    def find_terms(terms: Dictionary, paths: Iterable[str]) -> Used:
        readings = {path: paper.readings[path] for path in paths}
        return replace(paper, readings=readings).used_terms(terms.positions)

    numbering = Numbering(paper)
    find = Lookup(find_terms, numbering.by_number, numbering.at, paper.faults)
    made = None
    if like and like.paper.name == paper.name:
        is_as_before = partial(numbering.is_as_before, like.paper)
        made = rebuild_document(like.assembly, paper.outline, paper.readings, find, is_as_before)
    if made is None:
        made = build_document(paper.name, paper.outline, paper.readings, find)
    return PaperState(paper=paper, document=made.document, assembly=made)
