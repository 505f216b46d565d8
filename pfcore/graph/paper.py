"""A paper of a snapshot with its proof document."""

from dataclasses import dataclass

from pfcore.graph.assemble import assemble
from pfcore.graph.document import ProofDocument
from pfcore.papers import Paper


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A paper at one moment."""

    paper: Paper
    document: ProofDocument


def state(paper: Paper) -> State:
    """The modules of a paper, with G, T, and the links of every text."""
    document = assemble(
        paper.name,
        paper.outline,
        paper.readings,
        lambda terms: paper.used_terms(terms.positions),
    )
    return State(paper=paper, document=document)
