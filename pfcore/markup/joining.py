"""The readings of the sections of one file put together, every place moved to where it stands."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pfcore.domain.spans import LineIndex
from pfcore.latex.lexer.mask import TexComment
from pfcore.latex.parsed_file import (
    Block,
    Ignore,
    Label,
    ParsedFile,
    Reference,
    SourcePlace,
    SourceProblem,
)
from pfcore.latex.reader import Read, ignored, keys_of

Span = tuple[int, int]


class Own(NamedTuple):
    """What the block of a section has that its text does not say; see `records.Block`."""

    parent: int
    aim: tuple[str, ...]
    unit: str


class Joining:
    """Collects the readings of a file's sections in the order of their places."""

    def __init__(self, text: str) -> None:
        self._lines = LineIndex(text)
        self._blocks: list[Block] = []
        self._texts: list[str] = []
        self._labels: list[Label] = []
        self._references: list[Reference] = []
        self._problems: list[SourceProblem] = []
        self._ignores: list[Ignore] = []
        self._words: list[str] = []
        self._seen: set[str] = set()

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return len(self._blocks)

    def add(self, made: Read, span: Span, own: Own) -> None:
        """Add what was read of the section with this span."""
        found, first, start = made.reading, self.count, span[0]
        self._texts += made.texts
        self._blocks += self._moved(found.blocks, span, own)
        self._words += self._fresh(found.vocabulary)
        self._labels += [
            item._replace(
                offset=item.offset + start,
                block=_after(item.block, first),
                fragment=_after(item.fragment, first),
            )
            for item in found.labels
        ]
        self._references += [
            item._replace(
                start=item.start + start, end=item.end + start, block=_after(item.block, first)
            )
            for item in made.references
        ]
        self.add_problems(found.problems, start)
        self.add_ignores(found.ignores, start)

    def add_problems(self, problems: Iterable[SourceProblem], start: int = 0) -> None:
        """Add problems whose places count from `start`."""
        self._problems += [
            item._replace(start=item.start + start, end=item.end + start) for item in problems
        ]

    def add_comments(self, comments: Sequence[TexComment], start: int) -> None:
        """Add the answers to objections in comments whose places count from `start`."""
        self.add_ignores(ignored(comments, LineIndex("")), start)

    def add_ignores(self, ignores: Iterable[Ignore], start: int) -> None:
        """Add answers to objections whose places count from `start`."""
        for item in ignores:
            offset = item.offset + start
            self._ignores.append(item._replace(offset=offset, line=self._lines.place(offset)[0]))

    def read(self) -> Read:
        """The reading of the file, and the texts of its blocks."""
        reading = ParsedFile(
            tuple(self._blocks),
            tuple(self._labels),
            (),
            (),
            keys_of(self._references),
            tuple(sorted(self._problems, key=lambda item: item.start)),
            tuple(sorted(self._ignores, key=lambda item: item.offset)),
            tuple(self._words),
        )
        return Read(reading, tuple(self._texts), tuple(self._references))

    def _moved(self, blocks: Sequence[Block], span: Span, own: Own) -> list[Block]:
        """The blocks of a section; the first is the section itself, tags and all."""
        first, start = self.count, span[0]
        made = [self._at(block, start) for block in blocks]
        made = [block._replace(parent=_after(block.parent, first)) for block in made]
        if made:
            made[0] = made[0]._replace(place=self._place(*span), **own._asdict())
        return made

    def _at(self, block: Block, by: int) -> Block:
        return block._replace(
            place=self._shifted(block.place, by),
            mentions=tuple(m._replace(start=m.start + by, end=m.end + by) for m in block.mentions),
            results=tuple(
                item._replace(place=self._shifted(item.place, by)) for item in block.results
            ),
        )

    def _shifted(self, place: SourcePlace, by: int) -> SourcePlace:
        return self._place(place.start + by, place.end + by)

    def _place(self, start: int, end: int) -> SourcePlace:
        return SourcePlace(start, end, *self._lines.place(start), *self._lines.place(end))

    def _fresh(self, vocabulary: Sequence[str]) -> list[str]:
        """For each block of a section the words that nothing before the section has."""
        listed = [
            [word for word in words.split("\n") if word not in self._seen] for words in vocabulary
        ]
        self._seen.update(word for words in listed for word in words)
        return list(map("\n".join, listed))


def _after(index: int, first: int) -> int:
    """The index of a block behind others; -1 is none."""
    return index + first if index >= 0 else -1
