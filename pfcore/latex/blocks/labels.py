"""What a label names: a statement, an equation, an item of a list, a figure, or a section."""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping

from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans
from pfcore.latex.blocks.blocks import Environments
from pfcore.latex.lexer.commands import CommandEvent
from pfcore.latex.macros.group_bounds import bounds_around, confined
from pfcore.latex.macros.macro import PRIMITIVE, Macro
from pfcore.latex.parsed_file import Label
from pfcore.latex.structure.tree import Node, Tree

AddFragment = Callable[[int, int, str, int], int]
Fragment = tuple[int, int, str]

_HOLDERS = ("maths", "float", "list")
_PATIENCE = 40
_DEEPEST = 16


_REDEFINED = regex(
    r"\\let\s*\\label\s*=?\s*\\(?P<meant>[A-Za-z@]+)"
    r"|\\(?:re)?newcommand\*?\s*\{?\s*\\label\s*\}?\s*\[1\]\s*\{(?P<renewed>(?:[^{}]|\{[^{}]*\})*)\}"
    r"|\\[gex]?def\s*\\label\s*#1\s*\{(?P<defined>(?:[^{}]|\{[^{}]*\})*)\}"
)
_NOWHERE = Spans(())
_DROPPING = frozenset({"@gobble", "relax"})


def _unlabelled(text: str, own: Mapping[str, Macro]) -> Spans:
    r"""The spans in which `\label` is redefined to set no label, up to the end of the group.

    Figures that are printed again do so: `\begingroup\let\label\@gobble \FigA\endgroup`.
    A span also ends where a new meaning may set labels again.
    """
    drops = {match.start(): _drops(match, own) for match in _REDEFINED.finditer(text)}
    found = [start for start, is_dropped in drops.items() if is_dropped]
    again = [start for start, is_dropped in drops.items() if not is_dropped]
    groups = sorted(confined(bounds_around(text, found)))
    spans: list[tuple[int, int]] = []
    innermost: list[int] = []
    position = 0
    for start in found:
        while position < len(groups) and groups[position][0] < start:
            _leave(innermost, groups[position][0])
            innermost.append(groups[position][1])
            position += 1
        _leave(innermost, start)
        if innermost:
            restored = bisect_right(again, start)
            spans.append((start, min(innermost[-1:] + again[restored : restored + 1])))
    return Spans(spans)


def _leave(ends: list[int], place: int) -> None:
    """Remove the groups that end at or before a place."""
    while ends and ends[-1] <= place:
        ends.pop()


def _drops(match: re.Match[str], own: Mapping[str, Macro]) -> bool:
    r"""Whether a new meaning of `\label` certainly sets no label: its body is empty or words."""
    meant = match["meant"]
    if meant is None:
        return _is_plain(match["renewed"] or match["defined"] or "")
    macro = own.get(meant)
    if macro is None or macro.parameters == PRIMITIVE:
        return meant in _DROPPING
    return macro.parameters == ("m",) and _is_plain(macro.body)


def _is_plain(body: str) -> bool:
    kept = body.replace("\\relax", "").replace("\\ignorespaces", "")
    return "\\" not in kept and "#" not in kept


class FileLabels:
    """Places the labels of one file; a labelled display or item outside statements is a fragment.

    `own` are the text's macros, to which `\\label` may be set.
    """

    def __init__(
        self,
        tree: Tree,
        environments: Environments,
        add_fragment: AddFragment,
        *,
        text: str,
        own: Mapping[str, Macro],
    ) -> None:
        self._unset = _unlabelled(text, own) if _REDEFINED.search(text) else _NOWHERE
        self._nodes = tree.nodes
        self._placed = tree.placed
        self._environments = environments
        self._add_fragment = add_fragment
        self._fragments: dict[Fragment, int] = {}
        block_of = environments.block_of
        self._holders = tree.innermost(
            lambda index: index in block_of or tree.nodes[index].shape in _HOLDERS
        )

    def place(self) -> list[Label]:
        """Every label with its holder, in the order of the text."""
        block_of = self._environments.block_of
        found = [
            Label(key, self._nodes[index].start, "statement", block_of[index], -1)
            for index, head in self._environments.headings.items()
            if not self._unset.covers(self._nodes[index].start)
            for key in head.labels
        ]
        for event, index in self._placed:
            if event.kind == "label" and not self._unset.covers(event.start):
                found += [self._label(key, event, index) for key in event.keys]
        return sorted(found, key=lambda label: label.offset)

    def _label(self, key: str, event: CommandEvent, index: int) -> Label:
        holder, fragment = self._holder(event, index)
        around = self._environments.around[index] if index >= 0 else -1
        block = self._environments.block(index)
        shape = self._nodes[around].shape if around >= 0 else ""
        if shape and holder == "section":
            return Label(key, event.start, shape, block, -1)
        if fragment is None or shape == "statement":
            return Label(key, event.start, holder, block, -1)
        if fragment not in self._fragments:
            self._fragments[fragment] = self._add_fragment(*fragment, block)
        return Label(key, event.start, holder, block, self._fragments[fragment])

    def _holder(self, event: CommandEvent, index: int) -> tuple[str, Fragment | None]:
        """The kind of thing that holds a label below its block, and the fragment that it makes."""
        for _ in range(_PATIENCE):
            index = self._holders[index] if index >= 0 else -1
            if index < 0 or index in self._environments.block_of:
                break
            node = self._nodes[index]
            if node.depth > _DEEPEST and node.shape != "float":
                return "section", None
            if node.shape == "maths":
                return "equation", (node.start, node.end, node.env)
            if node.shape == "float":
                return "float", None
            if item := _item(node, event):
                return "item", (*item, "item")
            index = node.parent
        return "section", None


def _item(node: Node, event: CommandEvent) -> tuple[int, int] | None:
    """The span of the list item that contains a label."""
    number = bisect_right(node.items, event.start)
    if not number:
        return None
    end = node.items[number] if number < len(node.items) else node.inner_end
    return node.items[number - 1], end
