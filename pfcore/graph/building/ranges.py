"""What a range of labels stands for: `\\crefrange{a}{c}` means what stands between, too."""

from pfcore.graph.building.draft import Draft
from pfcore.latex.parsed_file import Label

_MOST = 100


def spread(draft: Draft, keys: tuple[str, ...], path: str) -> tuple[str, ...]:
    """The labels from the first to the last, as a reader of this file means them."""
    if len(keys) != 2:
        return keys
    first, last = (draft.find(key, path) for key in keys)
    if first is None or last is None or first[1].holder != last[1].holder:
        return keys
    if first[1].holder == "statement":
        inner = _statements(draft, first, last)
    else:
        inner = _labels(draft, first, last)
    return (keys[0], *inner, keys[1]) if len(inner) <= _MOST else keys


def _statements(draft: Draft, first: tuple[str, Label], last: tuple[str, Label]) -> list[str]:
    """Labels of the statements in between that are of the same kind and stand at the same level."""
    entries = draft.order.entries
    start, end = draft.at[first[0], first[1].block], draft.at[last[0], last[1].block]
    one, other = entries[start].block, entries[end].block
    if one.kind != other.kind or one.parent != other.parent:
        return []
    return [
        draft.named[position][0]
        for position in range(start + 1, end)
        if entries[position].block.kind == one.kind
        and entries[position].block.parent == one.parent
        and draft.named.get(position)
    ]


def _labels(draft: Draft, first: tuple[str, Label], last: tuple[str, Label]) -> list[str]:
    """Labels of the equations, or items, in between in the same file."""
    if first[0] != last[0]:
        return []
    return [
        label.key
        for label in draft.readings[first[0]].labels
        if first[1].offset < label.offset < last[1].offset and label.holder == first[1].holder
    ]
