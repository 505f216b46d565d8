"""The dependency graph as data for the page's own script."""

import json
from typing import Any

from pfcore.domain.values import Role
from pfcore.reporters.html.place import PaperOnPage
from pfcore.reporters.html.states import StatusLook
from pfcore.reporters.printing import shortened

DEFINING = frozenset({Role.DEFINITION, Role.ASSUMPTION, Role.CONVENTION})


def network(places: list[PaperOnPage]) -> str:
    """The graph of a page, as `network_json` writes it."""
    numbers = {
        (index, name): number
        for number, (index, name) in enumerate(
            (index, name) for index, at in enumerate(places) for name in at.shown
        )
    }
    nodes = [_node(at, name) for at in places for name in at.shown]
    edges = [
        [numbers[index, source], numbers[index, target], int(is_reference)]
        for index, at in enumerate(places)
        for (source, target), is_reference in at.arrows.items()
        if (index, source) in numbers and (index, target) in numbers
    ]
    return network_json(nodes, edges)


def network_json(nodes: list[dict[str, Any]], edges: list[list[int]]) -> str:
    """JSON that can stand inside of a script element, which report.js reads.

    A node has id, name, title, the name of its look, whether it is a box, and its anchor `at`; an
    edge is the numbers of two nodes, and 1 where a reference says so, 0 where words alone do.
    """
    looks = {state.value.name: [state.value.glyph, state.value.words] for state in StatusLook}
    value = {"nodes": nodes, "edges": edges, "looks": looks, "start": _start(nodes, edges)}
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _node(at: PaperOnPage, name: str) -> dict[str, Any]:
    return {
        "id": at.ids[name],
        "name": at.name(name),
        "title": shortened(at.title(name), 80),
        "look": at.states[name].value.name,
        "box": at.modules[name].role in DEFINING,
        "at": at.anchor(name),
    }


def _start(nodes: list[dict[str, Any]], edges: list[list[int]]) -> str:
    """What is in focus at first: a result with a gap, else the one that uses most."""
    if not nodes:
        return ""
    uses = [0] * len(nodes)
    for source, _, is_reference in edges:
        uses[source] += is_reference
    worst = {"gap": 2, "possible": 1, "fault": 1}
    first = max(range(len(nodes)), key=lambda n: (worst.get(nodes[n]["look"], 0), uses[n], -n))
    found: str = nodes[first]["id"]
    return found
