"""How each file of a paper is to be read, and which files are read as part of another.

A file that is included inside a statement or a proof is spliced into the including file's text.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from operator import itemgetter
from sys import maxsize
from typing import NamedTuple

from pfcore.domain.digest import digest, text_digest
from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.mask import TexComment, mask
from pfcore.latex.macros.macro_table import MacroChange
from pfcore.latex.parsed_file import ParsedFile
from pfcore.latex.project.include_graph import IncludeGraph
from pfcore.latex.project.survey import Survey

Span = tuple[int, int]
_OF_RESULTS = ("statement", "proof")
_MOST_AGAIN = 4
"""The most places where a file is spliced again, such as a restated theorem."""


class KeptWords(NamedTuple):
    """Words that an inset keeps: their span in the inset's text, and their offset in the file."""

    start: int
    end: int
    own: int


class Inset(NamedTuple):
    """A command, given by its span, and the text that replaces it.

    `kept` are the stretches of that text that come from the command's arguments, in order.
    """

    start: int
    end: int
    source: "SplicedSource"
    kept: Sequence[KeptWords] = ()


class SplicedSource(NamedTuple):
    """A file to read: `silent` are the spans of definitions, `changes` those of macros.

    With `is_use` it is the expansion of a macro in the file, rather than a file.
    """

    text: str
    silent: Sequence[Span] = ()
    changes: Sequence[MacroChange] = ()
    insets: Sequence[Inset] = ()
    is_use: bool = False


class ParseJob(NamedTuple):
    """A file to read, with everything needed for that; `key` is its recipe's."""

    key: str
    source: SplicedSource
    is_inner: bool


class Recipe(NamedTuple):
    """How a file is to be read: its macro changes and spliced files; `key` is the digest.

    `is_inner` says that the file's blocks are read with the file into which it is spliced.
    """

    path: str
    key: str
    changes: tuple[MacroChange, ...] = ()
    insets: tuple[tuple[int, int, "Recipe"], ...] = ()
    is_inner: bool = False

    def source(self, text: Callable[[str], str], surveys: Mapping[str, Survey]) -> SplicedSource:
        """The text to read; `text` returns that of a file."""
        insets = [
            Inset(start, end, _body_alone(inner.source(text, surveys), surveys[inner.path].body))
            for start, end, inner in self.insets
        ]
        return SplicedSource(text(self.path), surveys[self.path].silent, self.changes, insets)

    def job(self, text: Callable[[str], str], surveys: Mapping[str, Survey]) -> ParseJob:
        """The job of reading the file."""
        return ParseJob(self.key, self.source(text, surveys), self.is_inner)


def plain_recipes(
    paths: Iterable[str],
    *,
    syntax_key: str,
    changes: Mapping[str, tuple[MacroChange, ...]],
    content: Callable[[str], str],
) -> dict[str, Recipe]:
    """The recipes of files without splicing; `content` returns the digest of a file's content."""
    made: dict[str, Recipe] = {}
    bases: dict[tuple[MacroChange, ...], str] = {(): syntax_key}
    for path in paths:
        mine = changes.get(path, ())
        if mine not in bases:  # most files of a paper have the same changes
            bases[mine] = text_digest(f"{syntax_key}{mine!r}")
        made[path] = Recipe(path, f"{bases[mine]}:{content(path)}", mine)
    return made


def spliced(
    alone: Mapping[str, Recipe],
    outline: IncludeGraph,
    readings: Mapping[str, ParsedFile],
    surveys: Mapping[str, Survey],
) -> dict[str, Recipe]:
    """The recipes with files spliced that are included inside statements and proofs."""
    inside = {
        (path, item.offset)
        for path, reading in readings.items()
        for item in reading.includes
        if item.block >= 0
    }
    inner = _inner(outline, inside) if inside else frozenset()
    ends = {(path, link.offset): link.end for path in alone for link in surveys[path].links}
    again = _again(readings, outline, inside) if inside else []
    made: dict[str, Recipe] = {}
    below: dict[str, list[tuple[int, int, Recipe]]] = {}
    for path, offset, target in again:
        if end := ends.get((path, offset)):
            below.setdefault(path, []).append((offset, end, alone[target]))
    for path in reversed([path for path in outline.order if path in alone]):
        recipe = _with_insets(alone[path], below.get(path, []))
        if path in inner and ends.get(outline.opened[path]):
            place = outline.opened[path]
            below.setdefault(place[0], []).append((place[1], ends[place], recipe))
            recipe = alone[path]._replace(key=f"inner:{alone[path].key}", is_inner=True)
        made[path] = recipe
    return {path: made[path] for path in alone}


def _again(
    readings: Mapping[str, ParsedFile], outline: IncludeGraph, inside: Container[tuple[str, int]]
) -> list[tuple[str, int, str]]:
    """Where a file that was included before is included inside a block: file, offset and target.

    Such a file has the words of a restated statement. It must have no results and no inclusions,
    and only a few places count, so that the spliced text stays at most a few times as long.
    """
    counts: Counter[str] = Counter()
    found: list[tuple[str, int, str]] = []
    for path in outline.order:
        for item in outline.inclusions.get(path, ()) if path in readings else ():
            is_first = outline.opened.get(item.path) == (path, item.offset)
            is_words = item.path in readings and not outline.inclusions.get(item.path)
            if is_first or (path, item.offset) not in inside or not is_words:
                continue
            if any(block.shape in _OF_RESULTS for block in readings[item.path].blocks):
                continue
            counts[item.path] += 1
            if counts[item.path] <= _MOST_AGAIN:
                found.append((path, item.offset, item.path))
    return found


def _inner(outline: IncludeGraph, inside: Container[tuple[str, int]]) -> frozenset[str]:
    """The files that are first included inside a block, and those that they include."""
    inner: set[str] = set()
    for path in outline.order:
        place = outline.opened.get(path)
        if place and (place in inside or place[0] in inner):
            inner.add(path)
    return frozenset(inner)


def _body_alone(source: SplicedSource, body: int) -> SplicedSource:
    """The body of a whole document that another one includes; its preamble becomes blanks.

    The packages standalone, docmute and subfiles do the same.
    """
    if body < 0:
        return source
    end = source.text.find("\\end{document}", body)
    kept = source.text[body : end if end >= 0 else None]
    return source._replace(text=" " * body + kept)


def _with_insets(recipe: Recipe, insets: list[tuple[int, int, Recipe]]) -> Recipe:
    if not insets:
        return recipe
    insets.sort(key=lambda inset: inset[0])
    known = [[start, end, inner.path, inner.key] for start, end, inner in insets]
    return recipe._replace(key=digest([recipe.key, known]), insets=tuple(insets))


class Joined:
    """The text to read, with a map of its offsets to those of the file.

    `text` is masked, `printed` keeps the printed code; `comments` and `unclosed` are the file's
    own. Text under a `dead` condition is blank. With `is_closed`, long stretches of blanks and
    those that comments leave are shortened, so that limited look-ahead sees the same without them.
    """

    __slots__ = (
        "_dead", "_ends", "_inner", "_is_closed", "_kinds", "_own", "_starts", "changes",
        "comments", "printed", "silent", "text", "unclosed",
    )  # fmt: skip

    def __init__(
        self, source: SplicedSource, dead: frozenset[str] = frozenset(), *, is_closed: bool = False
    ) -> None:
        self._dead, self._is_closed = dead, is_closed
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
        self._kinds: list[_InPlaceBy] = []
        self._inner: dict[int, tuple[Joined, Sequence[KeptWords]]] = {}
        put_in = [*source.insets, *(_long_blanks(source.text, masked.printed) if is_closed else ())]
        if put_in:
            self._put_in(sorted(put_in, key=itemgetter(0)))

    def is_own(self, offset: int) -> bool:
        """Whether an offset of the text belongs to the file itself."""
        index = bisect_right(self._starts, offset) - 1
        is_outside = index < 0 or offset >= self._ends[index]
        return is_outside or self._kinds[index] is not _InPlaceBy.BY_FILE

    def is_as_written(self, start: int, end: int) -> bool:
        """Whether a stretch of the text is the file's own, apart from shortened blanks."""
        first, last = bisect_right(self._ends, start), bisect_left(self._starts, end)
        return all(kind is _InPlaceBy.BLANKS for kind in self._kinds[first:last])

    def back(self, offset: int, *, is_end: bool = False) -> int:
        """The offset in the file; inside spliced text, that of the command."""
        index = bisect_right(self._starts, offset - is_end) - 1
        if index < 0:
            return offset
        start, end = self._own[index]
        if offset - is_end < self._ends[index]:
            return end if is_end else start
        return end + offset - self._ends[index]

    def back_to_words(self, start: int, end: int) -> Span:
        """The span of words in the file; for words from an argument, that in the argument."""
        index = bisect_right(self._starts, start) - 1
        if index in self._inner and end <= self._ends[index]:
            inner, kept = self._inner[index]
            first = inner.back(start - self._starts[index])
            last = inner.back(end - self._starts[index], is_end=True)
            found = bisect_right(kept, first, key=itemgetter(0)) - 1
            if found >= 0 and last <= kept[found].end:
                by = kept[found].own - kept[found].start
                return first + by, last + by
        return self.back(start), self.back(end, is_end=True)

    def _put_in(self, insets: Iterable["Inset | _LongBlank"]) -> None:
        text, printed = self.text, self.printed
        pieces: list[str] = []
        shown: list[str] = []
        silent, changes = self.silent, self.changes
        self.silent, self.changes = [], []
        done = length = 0
        for inset in insets:
            if inset.start < done:
                continue
            self._own.append((inset.start, inset.end))
            length += inset.start - done
            self._starts.append(length)
            if isinstance(inset, _LongBlank):
                self._kinds.append(_InPlaceBy.BLANKS)
                made = shown_there = inset.text
            else:
                inner = Joined(inset.source, self._dead, is_closed=self._is_closed)
                is_use = inset.source.is_use
                if inset.kept:
                    self._inner[len(self._kinds)] = inner, inset.kept
                self._kinds.append(_InPlaceBy.BY_MACRO if is_use else _InPlaceBy.BY_FILE)
                self.silent += [(start + length, end + length) for start, end in inner.silent]
                self.changes += _moved(inner.changes, length)
                made, shown_there = inner.text, inner.printed
            pieces += (text[done : inset.start], made)
            shown += (printed[done : inset.start], shown_there)
            length += len(made)
            self._ends.append(length)
            done = inset.end
        self.text = "".join((*pieces, text[done:]))
        self.printed = "".join((*shown, printed[done:]))
        self.silent = sorted(self.silent + [self._forth_span(span) for span in silent])
        moved = [change._replace(offset=self._forth(change.offset)) for change in changes]
        self.changes = sorted(self.changes + moved, key=lambda change: change.offset)

    def _forth_span(self, span: Span) -> Span:
        return self._forth(span[0]), self._forth(span[1], is_end=True)

    def _forth(self, offset: int, *, is_end: bool = False) -> int:
        """The offset in the text of an offset in the file; inside an inset, the inset's end."""
        index = bisect_right(self._own, (offset - is_end, maxsize)) - 1
        if index < 0:
            return offset
        return self._ends[index] + max(0, offset - self._own[index][1])


class _InPlaceBy(Enum):
    """What replaces a part of the file."""

    BY_FILE, BY_MACRO, BLANKS = range(3)


class _LongBlank(NamedTuple):
    """A long stretch of blanks, and the short one that replaces it."""

    start: int
    end: int
    text: str


_BLANKS = regex(r"[ \t\n]{2,}")
_LONG = 10


def _long_blanks(text: str, printed: str) -> Iterator[_LongBlank]:
    """The stretches of blanks that are long, or that hide something of the file's text.

    A replacement still ends a paragraph if the stretch does; one at the start of a text ends a
    line.
    """
    for match in _BLANKS.finditer(printed):
        start, end = match.span()
        if end - start >= _LONG or not text.startswith(match[0], start):
            lines = match[0].count("\n")
            is_line = lines == 1 or not start
            yield _LongBlank(start, end, "\n\n" if lines > 1 else "\n" if is_line else " ")


def _moved(changes: Sequence[MacroChange], by: int) -> list[MacroChange]:
    """The changes inside a spliced file; those at its beginning hold already."""
    return [change._replace(offset=change.offset + by) for change in changes if change.offset >= 0]
