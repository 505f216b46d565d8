"""What the proof around a claim or a step fixes before it: the hypotheses under which it stands."""

import itertools
from collections.abc import Iterator, Mapping, Sequence

from pfcore.latex.language.hypotheses import hypotheses
from pfcore.latex.structure import headings
from pfcore.latex.structure.headings import STEPS
from pfcore.latex.structure.titles import BlockHead
from pfcore.latex.structure.tree import Tree

Span = tuple[int, int]


class Premises:
    """The hypotheses before each claim of one file, found once for each proof."""

    def __init__(
        self, tree: Tree, heads: Mapping[int, BlockHead], around: Sequence[int], text: str
    ) -> None:
        self._nodes = tree.nodes
        self._heads = heads
        self._text = text
        self._outer = {
            index: around[tree.nodes[index].parent] if tree.nodes[index].parent >= 0 else -1
            for index in heads
        }
        self._inner: dict[int, list[int]] = {}
        for index, outer in self._outer.items():
            self._inner.setdefault(outer, []).append(index)
        self._known: dict[int, dict[int, tuple[Span, ...]]] = {}
        self._shared: dict[int, dict[int, tuple[Span, ...]]] = {}

    def before(self, index: int) -> tuple[Span, ...]:
        """The sentences that fix something, in order; none where no proof is around.

        A step stands under what the steps before it have fixed, too.
        """
        outer = self._outer[index]
        shapes = (self._nodes[index].shape, self._nodes[outer].shape)
        if outer < 0 or shapes != ("statement", "proof"):
            return ()
        known = self._shared if self._is_step(index) else self._known
        if outer not in known:
            known[outer] = self._found(outer, shares=known is self._shared)
        return known[outer].get(index, ())

    def _found(self, outer: int, *, shares: bool) -> dict[int, tuple[Span, ...]]:
        inner = self._inner[outer]
        steps = set(self._proofs_of_steps(inner)) if shares else set()
        holes: list[tuple[Span, int]] = []
        for index in inner:
            node = self._nodes[index]
            if index in steps:
                holes.append(((node.start, self._heads[index].content), -1))
                holes += ((self._span(below), -1) for below in self._inner.get(index, ()))
            else:
                holes.append((self._span(index), index))
        rooms = [(self._heads[i].content, self._nodes[i].inner_end) for i in inner if i in steps]
        start, end = self._heads[outer].content, self._nodes[outer].inner_end
        found = hypotheses(self._text, start, end, [span for span, _ in holes], rooms)
        return {index: spans for (_, index), spans in zip(holes, found, strict=False)}

    def _proofs_of_steps(self, inner: Sequence[int]) -> Iterator[int]:
        for before, index in itertools.pairwise(inner):
            if self._is_step(before) and self._nodes[index].shape == "proof":
                yield index

    def _is_step(self, index: int) -> bool:
        return self._nodes[index].name == headings.NAME and self._heads[index].kind in STEPS

    def _span(self, index: int) -> Span:
        return self._nodes[index].start, self._nodes[index].end
