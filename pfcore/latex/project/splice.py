"""A file's text with the files put in that it reads in inside of a statement or a proof."""

from bisect import bisect_right
from collections.abc import Sequence
from sys import maxsize
from typing import NamedTuple

from pfcore.latex.lexer.mask import TexComment, mask
from pfcore.latex.macros.macro_table import MacroChange

Span = tuple[int, int]


class Inset(NamedTuple):
    """The command between these offsets reads in a file whose text takes its place."""

    start: int
    end: int
    source: "SplicedSource"


class SplicedSource(NamedTuple):
    """A file to read: `silent` are the definitions' spans, `changes` the macros that change.

    With `is_use` it is no file, but what a macro stands for in the file that it is put in.
    """

    text: str
    silent: Sequence[Span] = ()
    changes: Sequence[MacroChange] = ()
    insets: Sequence[Inset] = ()
    is_use: bool = False


class Joined:
    """The text to read, and where each of its offsets lies in the file itself.

    `text` is masked, `printed` has the printed code put back; comments and what nothing
    closes are the file's own. What stands under a `dead` condition is blank.
    """

    __slots__ = (
        "_borrowed", "_dead", "_ends", "_own", "_starts", "changes", "comments", "printed",
        "silent", "text", "unclosed",
    )  # fmt: skip

    def __init__(self, source: SplicedSource, dead: frozenset[str] = frozenset()) -> None:
        self._dead = dead
        masked = mask(source.text, dead)
        self.comments: tuple[TexComment, ...] = masked.comments
        self.unclosed = masked.unclosed
        self.text = masked.text
        self.printed = masked.printed
        self.silent: list[Span] = sorted(source.silent)
        self.changes: list[MacroChange] = list(source.changes)
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._own: list[Span] = []
        self._borrowed: list[bool] = []
        if source.insets:
            self._put_in(sorted(source.insets, key=lambda inset: inset.start))

    def is_own(self, offset: int) -> bool:
        """Whether an offset of the text lies in the file itself."""
        index = bisect_right(self._starts, offset) - 1
        return index < 0 or offset >= self._ends[index] or not self._borrowed[index]

    def back(self, offset: int, *, is_end: bool = False) -> int:
        """The file's offset: inside of another file's text, that of the command."""
        index = bisect_right(self._starts, offset - is_end) - 1
        if index < 0:
            return offset
        start, end = self._own[index]
        if offset - is_end < self._ends[index]:
            return end if is_end else start
        return end + offset - self._ends[index]

    @property
    def is_pure(self) -> bool:
        """Whether nothing is put in, so that every offset is the file's."""
        return not self._own

    def _put_in(self, insets: list[Inset]) -> None:
        text, printed = self.text, self.printed
        pieces: list[str] = []
        shown: list[str] = []
        silent, changes = self.silent, self.changes
        self.silent, self.changes = [], []
        done = length = 0
        for inset in insets:
            if inset.start < done:
                continue
            inner = Joined(inset.source, self._dead)
            self._own.append((inset.start, inset.end))
            self._borrowed.append(not inset.source.is_use)
            length += inset.start - done
            self._starts.append(length)
            self._ends.append(length + len(inner.text))
            self.silent += [(start + length, end + length) for start, end in inner.silent]
            self.changes += _moved(inner.changes, length)
            pieces += (text[done : inset.start], inner.text)
            shown += (printed[done : inset.start], inner.printed)
            length += len(inner.text)
            done = inset.end
        self.text = "".join((*pieces, text[done:]))
        self.printed = "".join((*shown, printed[done:]))
        self.silent = sorted(self.silent + [self._forth_span(span) for span in silent])
        moved = [change._replace(offset=self._forth(change.offset)) for change in changes]
        self.changes = sorted(self.changes + moved, key=lambda change: change.offset)

    def _forth_span(self, span: Span) -> Span:
        return self._forth(span[0]), self._forth(span[1], is_end=True)

    def _forth(self, offset: int, *, is_end: bool = False) -> int:
        """Where an offset of the file went; what a file changes that is put in holds behind it."""
        index = bisect_right(self._own, (offset - is_end, maxsize)) - 1
        if index < 0:
            return offset
        return self._ends[index] + max(0, offset - self._own[index][1])


def _moved(changes: Sequence[MacroChange], by: int) -> list[MacroChange]:
    """The changes inside of a file; what held before it holds there already."""
    return [change._replace(offset=change.offset + by) for change in changes if change.offset >= 0]
