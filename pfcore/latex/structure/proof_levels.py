"""The headings inside proofs, level by level, with signs of where a step or a claim ends."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans
from pfcore.latex.lexer.commands import CommandEvent
from pfcore.latex.structure import unmarked_proofs
from pfcore.latex.structure.headings import Head
from pfcore.latex.structure.tree import Tree

_DEEPEST = 16
_AGAIN = regex(
    r"\n[ \t]*\n\s{0,20}(?:\\noindent\s{0,9})?(?P<start>(?P<sure>{resumes})|{may_resume})\b"
    r"|\b(?P<done>(?:{done})\b(?P<own>[\s~]+(?:{of_step})[^.\n]{0,12}\.)?)",
    words_of=__file__,
)
_ENDING = regex(r"(?<=[.!?\s])(?:{ending})[\s~]*\.", words_of=__file__)
"""The sentence that ends the argument around the steps."""
_LOOKS_BACK = regex(r"\b(?:{looks_back})\b", words_of=__file__)
_PARAGRAPH = 1_000
_PARAGRAPH_END = regex(r"\n[ \t]*\n|\\end\s*\{")

RESUMED, DONE, OPENER, CLOSER, PROOF = "resumed", "done", "opener", "closer", "proof"
"""Kinds of marks: the outer proof continues; it continues after this; a heading of a proof; a sign
that one ends; an environment that contains one."""

Item = TypeVar("Item")
Key = tuple[int, int]
"""A node, and the offset of its list item, or -1."""


@dataclass(slots=True, kw_only=True)
class Level:
    """The headings and marks directly in one environment, or in one item of a list."""

    bound: int
    is_item: bool
    heads: list[Head] = field(default_factory=list)
    marks: list[CommandEvent] = field(default_factory=list)

    def between(self, start: int, end: int, *kinds: str) -> Iterator[CommandEvent]:
        """The marks of some kinds that begin between two offsets."""
        first = bisect_left(self.marks, start, key=_start)
        for number in range(first, len(self.marks)):
            mark = self.marks[number]
            if mark.start >= end:
                return
            if mark.kind in kinds:
                yield mark


def levels(text: str, tree: Tree, heads: Sequence[Head], hidden: Spans) -> Iterable[Level]:
    """The levels inside proofs with headings that state something."""
    places = _ProofLevels(tree)
    found: dict[Key, Level] = {}
    for head, key in places.of(heads, _head_start):
        if key is not None:
            found.setdefault(key, places.level(key)).heads.append(head)
    found = {key: level for key, level in found.items() if any(h.says for h in level.heads)}
    if found:
        for mark, key in places.of(_marks(text, tree, hidden), _start):
            if key in found:
                found[key].marks.append(mark)
    return found.values()


def _marks(text: str, tree: Tree, hidden: Spans) -> list[CommandEvent]:
    proofs = (node for node in tree.nodes if node.shape == "proof" and node.is_closed)
    found = [CommandEvent(node.start, node.end, PROOF, node.name, (), "") for node in proofs]
    found += [event._replace(kind=CLOSER) for event in unmarked_proofs.closers(text)]
    found += [event._replace(kind=OPENER) for event in unmarked_proofs.openers(text, hidden)]
    found += (mark for mark in map(_again, _AGAIN.finditer(text)) if mark)
    endings = (match.start() for match in _ENDING.finditer(text))
    found += [CommandEvent(start, start, DONE, "", (), "") for start in endings]
    return sorted(found, key=_start)


def _again(match: re.Match[str]) -> CommandEvent | None:
    """A mark where the outer proof resumes; None if unsure: "Now" may occur in any step."""
    if match["own"]:
        return CommandEvent(match.end(), match.end(), DONE, "", (), "")
    if match["done"]:
        return CommandEvent(match.start(), match.start(), DONE, "", (), "")
    start = match.start("start")
    paragraph = _PARAGRAPH_END.split(match.string[start : start + _PARAGRAPH], maxsplit=1)[0]
    if match["sure"] or _LOOKS_BACK.search(paragraph):
        return CommandEvent(start, start, RESUMED, "", (), "")
    return None


class _ProofLevels:
    """Finds the level of an offset, if it is in a proof."""

    def __init__(self, tree: Tree) -> None:
        self._nodes = nodes = tree.nodes
        self._around = tree.innermost(lambda index: nodes[index].shape not in ("list", "other"))

    def of(
        self, items: Iterable[Item], start: Callable[[Item], int]
    ) -> Iterator[tuple[Item, Key | None]]:
        """Each item, in order, with its level."""
        nodes = self._nodes
        stack: list[int] = []
        index = 0
        for item in items:
            offset = start(item)
            while index < len(nodes) and nodes[index].start < offset:
                while stack and nodes[stack[-1]].end <= nodes[index].start:
                    stack.pop()
                stack.append(index)
                index += 1
            while stack and nodes[stack[-1]].inner_end <= offset:
                stack.pop()
            yield item, self._key(stack[-1], offset) if stack else None

    def _key(self, index: int, offset: int) -> Key | None:
        node, outer = self._nodes[index], self._nodes[self._around[index]]
        is_proof = self._around[index] >= 0 and outer.shape == "proof"
        if not is_proof or not node.is_closed or not outer.is_closed or node.depth > _DEEPEST:
            return None
        if node.shape != "list":
            return index, -1
        number = bisect_right(node.items, offset)
        return index, node.items[number - 1] if number else -1

    def level(self, key: Key) -> Level:
        """An empty level."""
        node = self._nodes[key[0]]
        number = bisect_right(node.items, key[1])
        is_last = node.shape != "list" or number == len(node.items)
        bound = node.inner_end if is_last else node.items[number]
        return Level(bound=bound, is_item=key[1] >= 0)


def _start(event: CommandEvent) -> int:
    return event.start


def _head_start(head: Head) -> int:
    return head.start
