"""What references in words mean: "the previous lemma" by its place, "Lemma 4.3" by its number.

"Step 2" is that of the same proof.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pfcore.domain.values import Mention, Module, Passage, Role
from pfcore.graph.building.draft import Draft
from pfcore.graph.building.reading_order import OrderedBlock
from pfcore.latex.language.worded_references import PHRASE, STEP, Pointer, numbered, pointer, steps
from pfcore.latex.project.kinds import role_of

Numbered = Mapping[tuple[str, str], str]
"""The modules by kind and rendered number, where that is certain and unique."""

FindNumbers = Callable[[Mapping[str, Module]], Numbered]

_REACH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class WordedResolver:
    """Resolves references in words within one draft."""

    draft: Draft
    numbered: Numbered
    modules: Mapping[str, Module]

    def targets(self, mention: Mention, module: Module, passage: Passage) -> tuple[str, ...]:
        """The modules that are meant; none where that is not plain."""
        if mention.note == STEP:
            return self._steps(steps(mention.keys[0]), mention, module, passage)
        if mention.note != PHRASE:
            return self._numbered(mention, module, passage)
        meant = pointer(mention.keys[0])
        if meant is None or (meant.onward and not meant.kind):
            return ()
        return tuple(self._pointed(meant, mention.start, module, passage))

    def _numbered(self, mention: Mention, module: Module, passage: Passage) -> tuple[str, ...]:
        """All results that the numbers are of, or none: a list is followed whole."""
        wanted = numbered(mention.keys[0])
        beside = self._steps(wanted, mention, module, passage) if wanted else ()
        found = [self.numbered.get(item, "") for item in wanted]
        is_own = module.id in found or any(self._stands_in(name, module) for name in found)
        return beside or (tuple(found) if all(found) and not is_own else ())

    def _stands_in(self, name: str, module: Module) -> bool:
        """Whether an equation is one of the module's own."""
        other = self.modules.get(name)
        return other is not None and other.role is Role.FRAGMENT and other.parent == module.id

    def _steps(
        self,
        wanted: Sequence[tuple[str, str]],
        mention: Mention,
        module: Module,
        passage: Passage,
    ) -> tuple[str, ...]:
        """The steps or claims of the proof around: all that are wanted, or none."""
        block = self.draft.at[passage.location.path, passage.block]
        found = [self._step(kind, number, block, mention.start) for kind, number in wanted]
        names = [self.draft.ids[position] for position in found if position >= 0]
        return tuple(names) if len(names) == len(wanted) and module.id not in names else ()

    def _step(self, kind: str, number: str, block: int, offset: int) -> int:
        """The nearest before, inside of a block or beside it or what it stands in; or behind."""
        entries = self.draft.order.entries
        path, inside = entries[block].path, entries[block].number
        while inside >= 0:
            found = self.draft.inner.get((path, inside, kind, number), [])
            count = bisect_left(found, offset, key=lambda item: entries[item].block.place.start)
            if number and found:
                return found[max(count - 1, 0)]
            if found:
                return found[0] if len(found) == count == 1 else -1
            inside = entries[self.draft.at[path, inside]].block.parent
        return -1

    def _pointed(
        self, meant: Pointer, offset: int, module: Module, passage: Passage
    ) -> Iterator[str]:
        block = self.draft.at[passage.location.path, passage.block]
        here = self._last_before(offset, block, passage)
        last = len(self.draft.order.entries)
        around = (
            range(here + 1, min(here + _REACH, last))
            if meant.onward
            else range(here, max(here - _REACH, -1), -1)
        )
        left = meant.several
        for position in around:
            entry = self.draft.order.entries[position]
            if left and _is_meant(entry, meant) and self._is_in_sight(entry, block):
                name = self.draft.ids[position]
                if name not in (module.id, module.parent):
                    left -= 1
                    yield name

    def _last_before(self, offset: int, block: int, passage: Passage) -> int:
        """The last block that begins before a place inside of a block."""
        entries = self.draft.order.entries
        position = block
        while position + 1 < len(entries):
            following = entries[position + 1]
            if following.path != passage.location.path or following.block.place.start >= offset:
                break
            position += 1
        return position

    def _is_in_sight(self, entry: OrderedBlock, block: int) -> bool:
        """Whether a statement stands beside the text, or inside of it, or around it.

        A proof sees what its statement sees.
        """
        above = self._above(entry)
        if above < 0:
            return True
        entries = self.draft.order.entries
        proved = self.draft.owner.get(block, block)
        seen = block, proved, self._above(entries[block]), self._above(entries[proved])
        return above in seen

    def _above(self, entry: OrderedBlock) -> int:
        """The position of the block around another, or -1."""
        parent = entry.block.parent
        return self.draft.at[entry.path, parent] if parent >= 0 else -1


def _is_meant(entry: OrderedBlock, meant: Pointer) -> bool:
    if entry.block.shape != "statement":
        return False
    kind = entry.block.kind
    return kind == meant.kind if meant.kind else role_of(kind) is Role.RESULT
