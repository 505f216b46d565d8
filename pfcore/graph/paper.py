"""A paper of a snapshot with its proof document."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from pfcore.graph.assemble import Assembly, assemble
from pfcore.graph.document import ProofDocument
from pfcore.graph.numbered import Numbering
from pfcore.graph.terms import Dictionary, Used
from pfcore.graph.update import update
from pfcore.graph.worded import Numbered
from pfcore.model import Module
from pfcore.papers import Paper


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A paper at one moment."""

    paper: Paper
    document: ProofDocument
    assembly: Assembly = field(repr=False, compare=False)


def state(paper: Paper, like: State | None = None) -> State:
    """The modules of a paper, with G, T, and the links of every text.

    `like` is another moment of the paper: what it has in common is not made again.
    """

    def find_terms(terms: Dictionary, paths: Iterable[str]) -> Used:
        readings = {path: paper.readings[path] for path in paths}
        return replace(paper, readings=readings).used_terms(terms.positions)

    def find_numbers(modules: Mapping[str, Module]) -> Numbered:
        return Numbering(paper).by_number(modules)

    known = like.assembly if like and like.paper.name == paper.name else None
    made = known and update(known, paper.outline, paper.readings, find_terms, find_numbers)
    if made is None:
        made = assemble(paper.name, paper.outline, paper.readings, find_terms, find_numbers)
    return State(paper=paper, document=made.document, assembly=made)
