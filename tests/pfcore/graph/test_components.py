"""Components are held against what a search from every node finds."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from pfcore.graph.components import components

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
