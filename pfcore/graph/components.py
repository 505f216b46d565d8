"""Strongly connected components: what lies on common circles of a graph."""

from collections.abc import Iterable, Mapping, Set


def circling(graph: Mapping[str, Set[str]]) -> set[str]:
    """The nodes on circles.

    Each circle leads onward somewhere, in the graph's order, and lies in what one gets to from
    there: where most edges lead back, as in a paper, that is little.
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
    """What edges lead to that do not lead back."""
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
