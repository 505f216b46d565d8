"""Steps and claims that only a heading announces, as statements with proofs inside of a proof."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pfcore.domain.spans import Spans
from pfcore.latex.blocks import stated
from pfcore.latex.blocks.stated import Stated
from pfcore.latex.lexer.event import CommandEvent
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.structure import headings, unmarked_proofs
from pfcore.latex.structure.headings import END, STEPS, Head
from pfcore.latex.structure.proof_levels import CLOSER, DONE, OPENER, PROOF, RESUMED, Level, levels
from pfcore.latex.structure.tree import Tree


class Child(NamedTuple):
    """A statement with the spans of its proof: heading and end, both empty for an environment."""

    head: Head
    stated: Stated
    proof: tuple[int, int]
    end: tuple[int, int]


def with_steps(
    groups: Groups, listed: Sequence[CommandEvent], tree: Tree, heads: Sequence[Head], hidden: Spans
) -> Sequence[CommandEvent]:
    """The events with begin and end put in for each plain statement and for its proof."""
    if not heads:
        return listed
    children = [
        child
        for level in levels(groups.text, tree, heads, hidden)
        for child in _Children(level, groups).found()
    ]
    return _inserted(listed, children) if children else listed


class _Children:
    """Reads one level backwards, for a step ends where the next one begins."""

    def __init__(self, level: Level, groups: Groups) -> None:
        self._level = level
        self._groups = groups
        self._next: dict[str, int] = {}
        self._first: dict[str, int] = {}
        for number, head in enumerate(level.heads):
            self._first.setdefault(head.kind, number)
        self._numbers = {(head.kind, head.number) for head in level.heads}
        self._last = 0

    def found(self) -> list[Child]:
        """The children of the level, the last one first."""
        children: list[Child] = []
        following = self._level.bound
        for number in range(len(self._level.heads) - 1, -1, -1):
            head = self._level.heads[number]
            child = self._child(number, following) if head.says else None
            if child:
                children.append(child)
                self._last = max(self._last, child.end[1])
            following = self._next[head.kind] = head.start
        return children

    def _child(self, number: int, following: int) -> Child | None:
        head = self._level.heads[number]
        if head.kind in STEPS:
            return self._step(head, following)
        return self._claim(number, following)

    def _claim(self, number: int, following: int) -> Child | None:
        """A claim is one only with a proof whose end is marked."""
        level, head = self._level, self._level.heads[number]
        proof = next(level.between(head.end, following, PROOF, OPENER), None)
        said = stated.by_itself(head, self._groups, proof.start if proof else following)
        if proof is None:
            return said and self._told(head, said, self._end(said.end, following))
        said = said or stated.up_to(head, self._groups, proof.start)
        if not said or proof.kind == PROOF:
            return said and Child(head, said, (0, 0), (0, proof.end))
        again = next(level.between(proof.end, following, OPENER), None)
        limit = again.start if again else following
        end = self._sign(proof.end, limit, limit)
        if end is None and not again and self._ends_claim(number):
            end = following, following
        return self._told(head, said, end, (proof.start, proof.end))

    def _end(self, start: int, limit: int) -> tuple[int, int] | None:
        """The end of a claim that is proved without a word to say so."""
        is_item = self._level.is_item and limit == self._level.bound
        return self._sign(start, limit, limit) or ((limit, limit) if is_item else None)

    def _ends_claim(self, number: int) -> bool:
        """Whether the next heading is no part of a claim's proof."""
        heads = self._level.heads
        if number + 1 == len(heads):
            return self._level.is_item
        kind = heads[number + 1].kind
        return kind == END or self._first[kind] <= number

    def _step(self, head: Head, following: int) -> Child | None:
        level, text = self._level, self._groups.text
        said = stated.by_itself(head, self._groups, following)
        if not said and self._is_in_a_run(head):
            said = stated.at_first(head, self._groups, following)
        if not said:
            return None
        limit = self._limit(head)
        mark = next(level.between(said.end, limit, PROOF, OPENER), None)
        begin = said.end, said.end
        if mark and not text[said.end : mark.start].strip():
            if mark.kind == PROOF:
                return Child(head, said, (0, 0), (0, mark.end))
            begin = mark.start, mark.end
        is_whole = limit < level.bound or level.is_item
        has_parts = following < limit or next(level.between(begin[1], limit, PROOF), None)
        end = None if has_parts else self._sign(begin[1], limit, 0 if is_whole else limit)
        if end is None:
            end = (limit, limit) if is_whole else self._resumption(begin[1])
        if end is None and self._is_in_a_run(head):
            end = self._last_end()
        return self._told(head, said, end, begin)

    def _is_in_a_run(self, head: Head) -> bool:
        """Whether the number before or behind that of a step is another one's here."""
        if not head.number.isdecimal():
            return False
        near = {str(int(head.number) + shift) for shift in (-1, 1)}
        return any((head.kind, number) in self._numbers for number in near)

    def _limit(self, head: Head) -> int:
        """Where the next step begins, or the next case if the cases are divided into steps."""
        first = self._first[head.kind]
        kinds = [head.kind, END]
        kinds += [k for k in self._next if self._first[k] < first and k in headings.DIVIDING]
        return min([self._level.bound, *(self._next[kind] for kind in kinds if kind in self._next)])

    def _sign(self, start: int, end: int, last: int) -> tuple[int, int] | None:
        """A sign that a proof ends, if it is not that at the end of all."""
        mark = next(self._level.between(start, end, CLOSER), None)
        if mark is None or (last == self._level.bound and self._is_at_end(mark.end)):
            return None
        return mark.start, mark.end

    def _is_at_end(self, offset: int) -> bool:
        return not self._groups.text[offset : self._level.bound].strip()

    def _last_end(self) -> tuple[int, int]:
        """The end of the proof around, before the sign of it."""
        bound = self._level.bound
        signs = self._level.between(self._last, bound, CLOSER)
        last = next((mark.start for mark in signs if self._is_at_end(mark.end)), bound)
        return last, last

    def _resumption(self, start: int) -> tuple[int, int] | None:
        """Where the proof around goes on behind its last step, in words."""
        start = max(start, self._last)
        marks = list(self._level.between(start, self._level.bound, DONE, RESUMED))
        done = [mark for mark in marks if mark.kind == DONE]
        found = done[0] if done else marks[-1] if marks else None
        return (found.start, found.end) if found else None

    def _told(
        self,
        head: Head,
        said: Stated,
        end: tuple[int, int] | None,
        begin: tuple[int, int] | None = None,
    ) -> Child | None:
        """A child whose proof is text."""
        begin = begin or (said.end, said.end)
        text = self._groups.text
        if end is None or not stated.is_worded(text[begin[1] : end[0]]):
            return None
        last = end[0]
        while text[last - 1].isspace():
            last -= 1
        return Child(head, said, begin, end if end[0] < end[1] else (last, last))


def _inserted(listed: Sequence[CommandEvent], children: Sequence[Child]) -> list[CommandEvent]:
    """All events by their places: what ends, then what begins, then what stands there."""
    heads = Spans((child.head.start, child.head.end) for child in children)
    placed: list[tuple[tuple[int, int, int], CommandEvent]] = [
        ((event.start, 2, 0), event)
        for event in listed
        if event.kind != "section" or not heads.covers(event.start)
    ]
    for child in children:
        placed += _events(child)
    return [event for _, event in sorted(placed, key=lambda item: item[0])]


def _events(child: Child) -> Iterator[tuple[tuple[int, int, int], CommandEvent]]:
    head, said = child.head, child.stated
    note = f"{head.kind} {head.number}"
    yield (
        (head.start, 1, -said.end),
        CommandEvent(head.start, said.content, "begin", headings.NAME, (), note),
    )
    yield (
        (said.end, 0, -head.start),
        CommandEvent(said.inner_end, said.end, "end", headings.NAME, (), ""),
    )
    if child.proof[1]:
        start, content = child.proof
        first, last = child.end
        yield (start, 1, -last), CommandEvent(start, content, "begin", unmarked_proofs.NAME, (), "")
        yield (last, 0, -start), CommandEvent(first, last, "end", unmarked_proofs.NAME, (), "")
