"""Components are held against what a search from every node finds."""

from collections.abc import Iterator, Mapping

from hypothesis import given
from hypothesis import strategies as st

from pfcore.graph.document import circling, components

NAMES = "abcdefg"
GRAPHS = st.dictionaries(
    st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=4), max_size=len(NAMES)
)


def reachable(graph: Mapping[str, list[str]], start: str) -> set[str]:
    found: set[str] = set()
    pending = list(graph.get(start, ()))
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            pending += graph.get(node, ())
    return found


@given(GRAPHS)
def test_components_are_the_classes_of_mutual_reach(graph: dict[str, list[str]]) -> None:
    reach = {node: reachable(graph, node) for node in NAMES}
    expected = {
        frozenset(other for other in reach[node] if node in reach[other])
        for node in NAMES
        if node in reach[node]
    }
    found = components(graph)
    assert {frozenset(component) for component in found} == expected
    assert all(component == sorted(component) for component in found)


@given(GRAPHS)
def test_what_lies_on_circles_is_what_gets_back_to_itself(graph: dict[str, list[str]]) -> None:
    on_circles = {node for node in NAMES if node in reachable(graph, node)}
    assert circling({node: frozenset(targets) for node, targets in graph.items()}) == on_circles


def test_where_all_edges_lead_back_nothing_is_searched() -> None:
    class Targets(frozenset[str]):
        def __iter__(self) -> Iterator[str]:
            raise AssertionError

    assert circling({"a": Targets(), "b": Targets("a"), "c": Targets("ab")}) == set()
