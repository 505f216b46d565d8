"""Where the source of a file, or what its macros make of it, speaks to a language model."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from pfcore.checks.injection.hiding import hidden
from pfcore.checks.injection.injection_phrases import BREAK, marks, orders, said, whispered, windows
from pfcore.checks.injection.letters import Plain, is_disguised, legible, plain_letters, smuggled
from pfcore.checks.injection.passages import Aimed, How
from pfcore.domain.spans import Spans
from pfcore.latex.lexer.mask import mask

_MOST = 100
_CLOSE = 160
_REACH = 160
_REVERSED = re.compile("\u202e([^\u202c\u2069\n]{8,2000})")


def aimed(source: str, silent: Iterable[tuple[int, int]]) -> tuple[Aimed, ...]:
    """The passages of a file; `silent` are the bodies of its macros."""
    read = plain_letters(source)
    found = [*_spoken(source, read, silent), *_disguised(source, read)]
    return tuple(islice(_joined(source, sorted(found)), _MOST))


def composed(texts: Iterable[str]) -> tuple[int, ...]:
    """Which canonical texts give an order, as a model reads them."""
    listed = [_unmarked(text) for text in texts]
    if not _is_order("\n".join(listed)):
        return ()
    return tuple(index for index, text in enumerate(listed) if _is_order(text))


def _is_order(text: str) -> bool:
    return bool(orders(text)[0] or marks(text))


def _unmarked(text: str) -> str:
    """A canonical text without what may part the letters of a word."""
    text = legible(text).lower()
    for mark in ("{", "}", "\\/", "\\-"):
        text = text.replace(mark, "")
    return text


def _spoken(source: str, read: Plain, silent: Iterable[tuple[int, int]]) -> Iterator[Aimed]:
    unseen = sorted(hidden(read.text))
    spoken = [(item.start, item.end, item.is_plain and item.is_backed) for item in said(read.text)]
    spoken += [(*span, False) for start, end in unseen for span in whispered(read.text, start, end)]
    if not spoken:
        return
    covers = Spans((read.origin(start), read.origin(end)) for start, end in unseen)
    places = _HidingPlaces(source, covers, Spans(silent))
    for start, end, is_loud in spoken:
        first, last = read.origin(start), read.origin(end - 1) + 1
        yield Aimed(first, last, places.how(first, last), is_loud)


def _disguised(source: str, read: Plain) -> Iterator[Aimed]:
    """What only disguised letters say; milder words count too, for nobody sees these."""
    if not read.odd:
        return
    for start, end in smuggled(source):
        yield Aimed(start, end, How.LETTERS, False)
    for match in _REVERSED.finditer(source):
        turned = plain_letters(match[1][::-1]).text
        if any(whispered(turned, 0, len(turned))):
            yield Aimed(*match.span(), How.LETTERS, False)
    inside = [offset for offset in read.odd if _is_in_word(read.text, offset)]
    for start, end in windows(inside, _REACH):
        for first, last in whispered(read.text, start, end):
            span = read.origin(first), read.origin(last - 1) + 1
            if is_disguised(source[slice(*span)]):
                yield Aimed(*span, How.LETTERS, False)


def _is_in_word(text: str, offset: int) -> bool:
    """Whether a letter stands on both sides of what is odd."""
    return text[max(0, offset - 1) : offset + 2].isalpha()


class _HidingPlaces:
    """Tells how each passage of a source is kept out of sight."""

    def __init__(self, source: str, unseen: Spans, silent: Spans) -> None:
        self._source, self._unseen, self._silent = source, unseen, silent
        self._masked = mask(source)
        self._comments = Spans((c.start, c.start + len(c.text)) for c in self._masked.comments)

    def how(self, start: int, end: int) -> How:
        if is_disguised(self._source[start:end]):
            return How.LETTERS
        if self._comments.covers(start):
            return How.COMMENT
        if not self._masked.text[start:end].strip():
            return How.CODE if self._masked.printed[start:end].strip() else How.SKIPPED
        if self._unseen.covers(start):
            return How.UNSEEN
        return How.MACRO if self._silent.covers(start) else How.PLAIN


def _joined(source: str, found: Iterable[Aimed]) -> Iterator[Aimed]:
    """Passages that stand close together are one."""
    last: Aimed | None = None
    for item in found:
        if last and _is_one(source, last, item):
            how = min(last.how, item.how, key=list(How).index) if last.how != item.how else last.how
            is_loud = last.is_loud or item.is_loud
            last = Aimed(last.start, max(last.end, item.end), how, is_loud)
            continue
        if last:
            yield last
        last = item
    if last:
        yield last


def _is_one(source: str, last: Aimed, item: Aimed) -> bool:
    if item.start < last.end:
        return True
    is_close = item.start - last.end <= _CLOSE and item.how is last.how
    return is_close and not BREAK.search(source, last.end, item.start)
