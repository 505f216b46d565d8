"""The laws of a proof document: G acyclic, T a forest; the Good-PF bounds (paper, Appendix A)."""

from collections.abc import Callable, Mapping, Set
from typing import NamedTuple

from pfcore.domain.values import Edge, ModulePart, Role, Via
from pfcore.graph.document import USING, ProofDocument, components


class MeasuredBounds(NamedTuple):
    """L and D of Definition "Good Pseudo-Formal proof", as measured.

    `length` is the largest number of characters of a statement with its proofs, `longest` the
    module; `depth` is the most modules on a path of T, `deepest` the module at its end.
    """

    length: int
    longest: str
    depth: int
    deepest: str


_CERTAIN = frozenset({"used", "proof"})
_PLAIN = USING - {"inductive"}


def is_invocation(edge: Edge, document: ProofDocument) -> bool:
    """Whether an edge belongs to G: a proof invokes the conclusion of a module that is a claim."""
    target = document.modules[edge.target]
    claims = target.role in (Role.RESULT, Role.OPEN, Role.FRAGMENT) or bool(target.proofs)
    claims = claims or target.stand_in is not None
    return edge.part is ModulePart.PROOF and edge.via is not Via.PROOF and claims


def certain_cycles(document: ProofDocument) -> list[list[Edge]]:
    """One shortest cycle for each knot of G; all of its edges are plain uses."""
    edges = _edges(document, _CERTAIN)
    return [_shortest_cycle(edges, knot) for knot in _knots(edges)]


def likely_cycles(
    document: ProofDocument,
    *,
    with_inductions: bool = False,
    is_spared: Callable[[Edge], bool] | None = None,
) -> list[list[Edge]]:
    """One cycle with less plain uses for each knot without a certain cycle.

    `with_inductions`: one with a use in a proof by induction, for each knot without other cycles.
    `is_spared` says whether an edge on such a cycle is not a use after all.
    """
    edges = _edges(document, USING if with_inductions else _PLAIN, with_words=True)
    if is_spared is not None and _knots(edges):
        knotted = {name for knot in _knots(edges) for name in knot}
        edges = {
            name: [edge for edge in found if edge.target not in knotted or not is_spared(edge)]
            for name, found in edges.items()
            if name in knotted
        }
    if not (found := _knots(edges)):
        return []
    told = {name for knot in knots(document) for name in knot}
    if with_inductions:
        told.update(*_knots(_edges(document, _PLAIN, with_words=True)))
    return [_shortest_cycle(edges, knot) for knot in found if told.isdisjoint(knot)]


def knots(document: ProofDocument) -> list[list[str]]:
    """The sets of modules that lie on common cycles of plain uses."""
    return _knots(_edges(document, _CERTAIN))


def _knots(edges: Mapping[str, list[Edge]]) -> list[list[str]]:
    return components({name: [edge.target for edge in found] for name, found in edges.items()})


def _edges(
    document: ProofDocument, forms: Set[str], *, with_words: bool = False
) -> dict[str, list[Edge]]:
    """The uses in each result's proofs by references of these forms."""
    edges: dict[str, list[Edge]] = {}
    for name, named in document.named_by_proofs.items():
        found: dict[str, Edge] = {}
        for edge, form in named:
            if form in forms and _is_told(edge, document, with_words=with_words):
                found.setdefault(edge.target, edge)
        if found:
            edges[name] = list(found.values())
    return edges


def _is_told(edge: Edge, document: ProofDocument, *, with_words: bool) -> bool:
    """Whether a result's proof names another result by its own label.

    `with_words`: or by words such as "Theorem 2" or "the previous lemma". A claim inside a proof
    may mention the theorem that is being proved.
    """
    one, other = document.modules[edge.source], document.modules[edge.target]
    named = edge.is_explicit and edge.via is Via.REFERENCE and edge.part is ModulePart.PROOF
    named = named or (with_words and edge.via in (Via.NUMBER, Via.PHRASE))
    return named and one.role is other.role is Role.RESULT and one.parent != other.id


def _shortest_cycle(edges: Mapping[str, list[Edge]], knot: list[str]) -> list[Edge]:
    """A shortest cycle through the first module of a component, found breadth first."""
    inside = set(knot)
    start = knot[0]
    reached: dict[str, Edge] = {}
    pending = [start]
    while pending:
        following: list[str] = []
        for node in pending:
            for edge in edges.get(node, ()):
                if edge.target == start:
                    return _trace(reached, edge, start)
                if edge.target in inside and edge.target not in reached:
                    reached[edge.target] = edge
                    following.append(edge.target)
        pending = following
    return []


def _trace(reached: Mapping[str, Edge], last: Edge, start: str) -> list[Edge]:
    path = [last]
    while path[-1].source != start:
        path.append(reached[path[-1].source])
    return path[::-1]


def good_pf_bounds(document: ProofDocument) -> MeasuredBounds:
    """The Good-PF bounds of a paper."""
    length, longest, depth, deepest = 0, "", 0, ""
    for module in document.modules.values():
        size = module.statement.length + sum(proof.length for proof in module.proofs)
        if size > length:
            length, longest = size, module.id
        if module.role is Role.FRAGMENT:
            continue
        level, parent = 1, module.parent
        while parent is not None and level <= len(document.modules):
            level, parent = level + 1, document.modules[parent].parent
        if level > depth:
            depth, deepest = level, module.id
    return MeasuredBounds(length, longest, depth, deepest)
