"""What a label names: a statement, an equation, an item of a list, a figure, or a section."""

from collections.abc import Callable, Mapping

from pfcore.latex.events import Event
from pfcore.latex.records import Label
from pfcore.latex.titles import Heading
from pfcore.latex.tree import Node, Tree

AddFragment = Callable[[int, int, str, int], int]


def place_labels(
    tree: Tree,
    block_of: Mapping[int, int],
    add_fragment: AddFragment,
    headings: Mapping[int, Heading],
    length: int,
) -> list[Label]:
    """Every label with its holder; a display or item outside of statements becomes a fragment."""
    found: list[Label] = []
    fragments: dict[tuple[int, int], int] = {}
    for index, block in block_of.items():
        for key in headings[index].labels:
            found.append(Label(key, tree.nodes[index].start, "statement", block, -1))
    for event, index in tree.placed:
        if event.kind != "label":
            continue
        for key in event.keys:
            found.append(_label(key, event, index, tree, block_of, add_fragment, fragments, length))
    found.sort(key=lambda label: label.offset)
    return found


def _label(
    key: str,
    event: Event,
    index: int,
    tree: Tree,
    block_of: Mapping[int, int],
    add_fragment: AddFragment,
    fragments: dict[tuple[int, int], int],
    length: int,
) -> Label:
    nodes = tree.nodes
    holder, span, name = "section", None, ""
    while index >= 0 and index not in block_of:
        node = nodes[index]
        if node.shape == "maths" and holder == "section":
            holder, span, name = "equation", (node.start, node.end), node.env
        elif node.shape == "list" and holder == "section" and _item(node, event):
            holder, span, name = "item", _item(node, event), "item"
        elif node.shape == "float" and holder == "section":
            holder = "float"
        index = node.parent
    block = block_of.get(index, -1)
    if block >= 0 and holder == "section":
        return Label(key, event.start, nodes[index].shape, block, -1)
    if span is None or (block >= 0 and nodes[index].shape == "statement"):
        return Label(key, event.start, holder, block, -1)
    if span not in fragments:
        fragments[span] = add_fragment(span[0], min(span[1], length), name, block)
    return Label(key, event.start, holder, block, fragments[span])


def _item(node: Node, event: Event) -> tuple[int, int] | None:
    """The span of the list item that a label stands in."""
    before = [start for start in node.items if start <= event.start]
    if not before:
        return None
    after = next((start for start in node.items if start > event.start), node.inner_end)
    return before[-1], after
