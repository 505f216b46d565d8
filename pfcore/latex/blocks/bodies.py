"""Of which passages of a file a block's text is made: its own words, and what a claim inherits."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pfcore.latex.blocks.canonical import Part
from pfcore.latex.blocks.premises import Premises
from pfcore.latex.lexer.whitespace import CLAIM, CLAIM_END, GIVEN
from pfcore.latex.structure import unmarked_proofs
from pfcore.latex.structure.titles import BlockHead, is_name
from pfcore.latex.structure.tree import Node, Tree

_PROOF_TITLE = re.compile(r"\s*(?:\\\w+\s*)?proof\b", re.IGNORECASE)

Span = tuple[int, int]


class _SpanEdit(NamedTuple):
    """A span, and what stands in its place."""

    start: int
    end: int
    parts: tuple[Part, ...] = ()


class Bodies:
    """Composes the texts of the blocks of one file."""

    def __init__(
        self,
        tree: Tree,
        headings: Mapping[int, BlockHead],
        around: Sequence[int],
        silent: Iterable[Span],
        text: str,
    ) -> None:
        self._nodes = tree.nodes
        self._headings = headings
        self._edits = sorted([*self._claims(), *(_SpanEdit(*span) for span in silent)])
        self._starts = [edit.start for edit in self._edits]
        self._premises = Premises(tree, headings, around, text)

    def parts(self, index: int) -> list[Part]:
        """The parts of a block's text: for a claim its hypotheses, then the title, the words."""
        node, head = self._nodes[index], self._headings[index]
        parts: list[Part] = [part for span in self._premises.before(index) for part in (span, " ")]
        if parts:
            parts.append(GIVEN)
        parts += self._title(node, head)
        position, inner_end = head.content, node.inner_end
        number = bisect_left(self._starts, position)
        while number < len(self._edits) and self._edits[number].start < inner_end:
            edit = self._edits[number]
            is_own = edit[:2] in ((node.start, node.end), (head.content, head.content))
            if edit.start >= position and not is_own:
                parts += ((position, edit.start), *edit.parts)
                position = edit.end
            number += 1
        parts.append((position, max(position, inner_end)))
        return parts

    def _title(self, node: Node, head: BlockHead) -> tuple[Part, ...]:
        span = head.title_span
        if node.name in unmarked_proofs.NAMES or not span or span[0] >= span[1]:
            return ()
        if is_name(head.title, head.kind):
            return ()
        says_proof = node.shape == "proof" and _PROOF_TITLE.match(head.title)
        return () if says_proof else ("(", span, ") ")

    def _claims(self) -> Iterable[_SpanEdit]:
        """What becomes of a block inside of another: proofs go, statements say what they are."""
        for index, head in self._headings.items():
            node = self._nodes[index]
            if node.shape == "proof":
                yield _SpanEdit(node.start, node.end)
            else:
                kind = f"{CLAIM}{head.kind.capitalize()}. "
                yield _SpanEdit(node.start, head.content, (kind, *self._title(node, head)))
                yield _SpanEdit(node.inner_end, node.end, (CLAIM_END,))
