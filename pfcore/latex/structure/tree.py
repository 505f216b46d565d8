"""The environments of a file as a tree, from its events; broken nesting is reported, not fatal.

A text between tags gets a frame, so that it is read as one environment.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pfcore.latex import parsed_file
from pfcore.latex.lexer.commands import CommandEvent
from pfcore.latex.parsed_file import SourceProblem, environment
from pfcore.latex.project.syntax import FLOATS, LISTS, MATHS, Syntax
from pfcore.latex.structure import headings, unmarked_proofs

BLOCKS = ("statement", "proof")


@dataclass(slots=True, kw_only=True)
class Node:
    """An environment: `shape` is statement, proof, maths, list, float, document or other.

    `title` is the heading of a proof in words, which has no environment.
    """

    name: str
    env: str
    shape: str
    title: str
    start: int
    content: int
    parent: int
    depth: int
    inner_end: int = -1
    end: int = -1
    is_closed: bool = False
    items: list[int] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Tree:
    """Nodes in order of their beginnings, and the innermost node of each other event."""

    nodes: list[Node] = field(default_factory=list)
    placed: list[tuple[CommandEvent, int]] = field(default_factory=list)
    problems: list[SourceProblem] = field(default_factory=list)

    def innermost(self, is_wanted: Callable[[int], bool]) -> list[int]:
        """For each node, the nearest wanted one: itself or one around it; -1 if there is none."""
        found: list[int] = []
        for index, node in enumerate(self.nodes):
            above = found[node.parent] if node.parent >= 0 else -1
            found.append(index if is_wanted(index) else above)
        return found


def grow(listed: Sequence[CommandEvent], syntax: Syntax, length: int) -> Tree:
    """Nest the environments; an end that matches only further out closes those in between.

    An unclosed statement or proof ends where the next one or a heading begins.
    """
    tree = _Growing(syntax, frozenset()).grow(listed, length)
    broken = frozenset(
        node.start for node in tree.nodes if node.shape in BLOCKS and not node.is_closed
    )
    if not broken:
        return tree
    mended = _Growing(syntax, broken).grow(listed, length)
    mended.problems = tree.problems
    return mended


class _Growing:
    def __init__(self, syntax: Syntax, broken: frozenset[int]) -> None:
        self._syntax = syntax
        self._broken = broken
        self._tree = Tree()
        self._stack: list[int] = []
        self._opened: dict[str, int] = {}
        self._shapes: dict[str, tuple[str, str]] = {}
        self._crossed: dict[str, list[int]] = {}

    def grow(self, listed: Sequence[CommandEvent], length: int) -> Tree:
        tree, stack, nodes = self._tree, self._stack, self._tree.nodes
        for event in listed:
            kind = event.kind
            if kind == "begin":
                self._begin(event)
            elif kind == "end":
                self._end(event)
            else:
                if kind == "section" and self._broken:
                    self._mend(event.start)
                if kind == "item" and stack:
                    nodes[stack[-1]].items.append(event.start)
                tree.placed.append((event, stack[-1] if stack else -1))
        for index in stack:
            nodes[index].inner_end = nodes[index].end = length
            tree.problems.append(_unclosed(nodes[index], "the end of the file"))
        return tree

    def _begin(self, event: CommandEvent) -> None:
        env, kind = self._shapes.get(event.name) or self._shape(event.name)
        if self._broken and kind in BLOCKS:
            self._mend(event.start)
        stack, nodes = self._stack, self._tree.nodes
        stack.append(len(nodes))
        self._opened[event.name] = self._opened.get(event.name, 0) + 1
        nodes.append(
            Node(
                name=event.name,
                env=env,
                shape=kind,
                title=event.note,
                start=event.start,
                content=event.end,
                parent=stack[-2] if len(stack) > 1 else -1,
                depth=len(stack) - 1,
            )
        )

    def _shape(self, name: str) -> tuple[str, str]:
        """The environment for which a name stands, and its shape."""
        env = self._syntax.environment(name)
        found = self._shapes[name] = env, shape(name, env, self._syntax)
        return found

    def _end(self, event: CommandEvent) -> None:
        if not self._opened.get(event.name):
            if self._crosses(event.name):
                return
            message = f"\\end{{{event.name}}} closes nothing"
            problem = SourceProblem("stray-end", message, event.name, event.start, event.end)
            self._tree.problems.append(problem)
            return
        is_tag = parsed_file.is_tagged(event.name)
        while self._stack:
            node = self._pop(event.start)
            if node.name == event.name:
                node.end, node.is_closed = event.end, True
                return
            before = "the closing tag" if is_tag else f"\\end{{{event.name}}}"
            self._crossed.setdefault(node.name, []).append(len(self._tree.problems))
            self._tree.problems.append(_unclosed(node, before))

    def _crosses(self, name: str) -> bool:
        """Whether an end belongs to an environment already closed by another's end."""
        if not self._crossed.get(name):
            return False
        problems, index = self._tree.problems, self._crossed[name].pop()
        problems[index] = problems[index]._replace(code="crossed")
        return True

    def _mend(self, offset: int) -> None:
        """End unclosed blocks here, as long as no other environment is open inside them."""
        stack, nodes = self._stack, self._tree.nodes
        while stack and nodes[stack[-1]].start in self._broken:
            self._pop(offset)

    def _pop(self, offset: int) -> Node:
        node = self._tree.nodes[self._stack.pop()]
        self._opened[node.name] -= 1
        node.inner_end = node.end = offset
        return node


def shape(name: str, env: str, syntax: Syntax) -> str:
    """The shape of an environment: one of those that `Node` lists."""
    plain = env.rstrip("*")
    if env in syntax.proofs or name in unmarked_proofs.NAMES or parsed_file.is_proof(name):
        return "proof"
    if name == headings.NAME or parsed_file.is_tagged(name):
        return "statement"
    if env in syntax.kinds or plain in ("restatable", "thmrestate", "theoremEnd"):
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


def take_captioned(tree: Tree, captions: Iterable[int]) -> None:
    """Make each environment a float that sets a caption itself, and contains no statement.

    `captions` are offsets. An environment that only arranges parts of a float does not count.
    """
    nodes = tree.nodes
    starts = [node.start for node in nodes]
    for offset in captions:
        index = bisect_right(starts, offset) - 1
        while index >= 0 and nodes[index].end <= offset:
            index = nodes[index].parent
        if index < 0 or nodes[index].shape != "other":
            continue
        node, above = nodes[index], nodes[index].parent
        while above >= 0 and nodes[above].shape != "float":
            above = nodes[above].parent
        if above >= 0 and not node.env.startswith(("sub", "minipage")):
            continue
        inner = nodes[index + 1 : bisect_left(starts, node.end)]
        if not any(one.shape in BLOCKS for one in inner):
            node.shape = "float"


def _unclosed(node: Node, before: str) -> SourceProblem:
    message = f"\\begin{{{node.name}}} is not closed before {before}"
    return SourceProblem("unclosed", message, node.name, node.start, node.content)


class TagFrame(NamedTuple):
    """The tags around a text as its outermost environment, and the references in its words."""

    begin: CommandEvent
    end: CommandEvent
    references: tuple[CommandEvent, ...]

    def around(self, events: Iterable[CommandEvent]) -> list[CommandEvent]:
        """The events of the text together with those of the frame."""
        inner = sorted((*events, *self.references), key=lambda event: event.start)
        return [self.begin, *inner, self.end]


def frame(
    tag: str, label: str, span: tuple[int, int], references: Iterable[CommandEvent] = ()
) -> TagFrame:
    """The frame of a tag; `span` is its content, after the opening tag; `label` may be ""."""
    name, (start, end) = environment(tag), span
    return TagFrame(
        CommandEvent(0, start, "begin", name, (), label),
        CommandEvent(end, end, "end", name, (), ""),
        tuple(references),
    )
