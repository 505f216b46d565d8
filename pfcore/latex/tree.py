"""The environments of a file as a tree, from its events; broken nesting is reported, never fatal."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from pfcore.latex.events import Event
from pfcore.latex.records import Problem
from pfcore.latex.syntax import FLOATS, LISTS, MATHS, Syntax


@dataclass(slots=True, kw_only=True)
class Node:
    """An environment: `shape` is statement, proof, maths, list, float, document or other."""

    name: str
    env: str
    shape: str
    start: int
    content: int
    parent: int
    inner_end: int = -1
    end: int = -1
    items: list[int] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Tree:
    """Nodes by their begin, and for each event that is not an environment its innermost node."""

    nodes: list[Node]
    placed: list[tuple[Event, int]]
    problems: list[Problem]


def grow(listed: Iterable[Event], syntax: Syntax, length: int) -> Tree:
    """Nest the environments; an end that fits only further out closes what lies between."""
    nodes: list[Node] = []
    placed: list[tuple[Event, int]] = []
    problems: list[Problem] = []
    stack: list[int] = []
    opened: dict[str, int] = {}
    for event in listed:
        if event.kind == "begin":
            nodes.append(_node(event, syntax, stack[-1] if stack else -1))
            stack.append(len(nodes) - 1)
            opened[event.name] = opened.get(event.name, 0) + 1
        elif event.kind == "end":
            _close(event, nodes, stack, opened, problems)
        else:
            if event.kind == "item" and stack:
                nodes[stack[-1]].items.append(event.start)
            placed.append((event, stack[-1] if stack else -1))
    for index in stack:
        node = nodes[index]
        node.inner_end = node.end = length
        problems.append(_unclosed(node, "the end of the file"))
    return Tree(nodes=nodes, placed=placed, problems=problems)


def _node(event: Event, syntax: Syntax, parent: int) -> Node:
    env = syntax.environment(event.name)
    return Node(
        name=event.name,
        env=env,
        shape=shape(event.name, env, syntax),
        start=event.start,
        content=event.end,
        parent=parent,
    )


def shape(name: str, env: str, syntax: Syntax) -> str:
    """What an environment is to us."""
    plain = env.rstrip("*")
    if env in syntax.proofs:
        return "proof"
    if env in syntax.kinds or plain in ("restatable", "thmrestate"):
        return "statement"
    if plain in syntax.kinds and plain not in LISTS:
        return "statement"
    if plain in MATHS:
        return "maths"
    if plain in LISTS or name.rstrip("*") in LISTS:
        return "list"
    if plain in FLOATS:
        return "float"
    return "document" if env == "document" else "other"


def _close(
    event: Event,
    nodes: list[Node],
    stack: list[int],
    opened: dict[str, int],
    problems: list[Problem],
) -> None:
    if not opened.get(event.name):
        message = f"\\end{{{event.name}}} closes nothing"
        problems.append(Problem("stray-end", message, event.name, event.start, event.end))
        return
    while stack:
        node = nodes[stack.pop()]
        opened[node.name] -= 1
        node.inner_end = node.end = event.start
        if node.name == event.name:
            node.end = event.end
            return
        problems.append(_unclosed(node, f"\\end{{{event.name}}}"))


def _unclosed(node: Node, before: str) -> Problem:
    message = f"\\begin{{{node.name}}} is not closed before {before}"
    return Problem("unclosed", message, node.name, node.start, node.content)
