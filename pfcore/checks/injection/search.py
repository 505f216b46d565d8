"""Finds text addressed to a language model in a file's source, or in its expanded macros.

Also finds parts of a source that LaTeX reads but that are invisible in the PDF.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice

from pfcore.checks.injection.injection_phrases import BREAK, marks, orders, said, whispered, windows
from pfcore.checks.injection.passages import (
    Aimed,
    How,
    Plain,
    is_disguised,
    legible,
    plain_letters,
    smuggled,
)
from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans, occurrences
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.mask import mask

_MOST = 100
_CLOSE = 160
_REACH = 160
_REVERSED = regex("\u202e([^\u202c\u2069\n]{8,2000})")


def aimed(source: str, silent: Iterable[tuple[int, int]]) -> tuple[Aimed, ...]:
    """The passages of a file; `silent` are the bodies of its macros."""
    read = plain_letters(source)
    found = [*_spoken(source, read, silent), *_disguised(source, read)]
    return tuple(islice(_joined(source, sorted(found)), _MOST))


def composed(texts: Iterable[str]) -> tuple[int, ...]:
    """The indices of the canonical texts that give an order, as a model reads them."""
    listed = [_unmarked(text) for text in texts]
    if not _is_order("\n".join(listed)):
        return ()
    return tuple(index for index, text in enumerate(listed) if _is_order(text))


def _is_order(text: str) -> bool:
    return bool(orders(text)[0] or marks(text))


def _unmarked(text: str) -> str:
    """A canonical text in lower case without marks that may separate the letters of a word."""
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
    from pfcore.checks.debris import quotations  # late: few files have such text

    covers = Spans((read.origin(start), read.origin(end)) for start, end in unseen)
    shown = Spans(quotations(mask(source).text))
    places = _HidingPlaces(source, covers, Spans(silent))
    for start, end, is_loud in spoken:
        first, last = read.origin(start), read.origin(end - 1) + 1
        how = places.how(first, last)
        is_shown = how is How.PLAIN and shown.covers(first)  # quoted, as in a paper on models
        yield Aimed(first, last, how, is_loud and not is_shown)


def _disguised(source: str, read: Plain) -> Iterator[Aimed]:
    """Passages in disguised letters; as they are invisible, milder phrases count as well."""
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
    """Whether a replaced or dropped letter has letters on both sides."""
    return text[max(0, offset - 1) : offset + 2].isalpha()


class _HidingPlaces:
    """Decides how each passage of a source is hidden."""

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
    """The passages, with those close together joined."""
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


_HEADS = ("textcolor", "pagecolor", "color{", "color[", "color ", "phantom", "hphantom", "vphantom",
          "rlap", "llap", "clap", "mathrlap", "mathllap", "mathclap", "hypersetup", "pdfinfo",
          "pdftooltip", "scalebox", "fontsize", "opacity", "transparent", "actualtext",
          "raisebox", "hspace", "vspace")  # fmt: skip
_OPENER = regex(
    r"\\(?P<paint>(?:text|page)?color)\s*(?:\[\s*(?P<model>[a-z]+)\s*\])?\s*\{(?P<value>[^{}]*)\}"
    r"|\\(?P<box>[hv]?phantom|(?:math)?[rlc]lap|hypersetup|pdfinfo|pdftooltip"
    r"|scalebox\s*\{\s*0?\.0\d*\s*\})(?![a-z])"
    r"|\\(?P<small>fontsize\s*\{\s*(?:0(?:\.\d+)?|\.\d+|1(?:\.[0-4]\d*)?)\s*(?:pt)?\s*\})"
    r"|(?P<clear>opacity\s*=\s*0?\.?0+(?![.\d])|\\transparent\s*\{\s*0(?:\.0\d*)?\s*\}|actualtext)"
    r"|\\(?P<off>(?:raisebox|[hv]space\*?)\s*\{\s*-?\d{3,}(?:\.\d*)?\s*(?:pt|mm|cm|in|em)\s*\})"
)
_NAMED = regex(
    r"\\(?:definecolor\s*\{(?P<name>[^{}]*)\}\s*\{(?P<model>[^{}]*)\}"
    r"|colorlet\s*\{(?P<let>[^{}]*)\})\s*\{(?P<value>[^{}]*)\}"
)
_WHITISH = regex(r"white(?:!(?:9\d|100)(?:\.\d+)?(?:!\w+)?)?|(?:black|gray)![0-4]?(?:\.\d+)?")
_TURN = regex(r"\\.|[{}]", re.DOTALL)
_BACK = regex(r"\\(?:normalcolor|color|normalsize|fontsize|end\s*\{document\})(?![a-z])")
_GROUP_REACH = 4_000


def hidden(text: str) -> Iterator[tuple[int, int]]:
    """The spans of a lower-case text that are white, unreadably small, or off the page."""
    heads = occurrences(text, _HEADS)
    if not heads:
        return
    groups, whites = Groups(text), _whites(text)
    done = 0
    for head in heads:
        if head < done:
            continue
        match = _OPENER.match(text, head - (text[head - 1 : head] == "\\"))
        if not match:
            continue
        if match["paint"] and not _is_white(match["model"] or "", match["value"], whites):
            continue
        if match["box"] or match["paint"] == "textcolor":
            span = groups.braces(match.end())
        else:
            span = match.end(), _end(text, match.end())
        if span:
            done = span[1]
            yield span


def _whites(text: str) -> frozenset[str]:
    """The names that the text defines for white."""
    return frozenset(
        match["name"] or match["let"]
        for match in _NAMED.finditer(text)
        if _is_white(match["model"] or "", match["value"], frozenset())
    )


def _is_white(model: str, value: str, whites: frozenset[str]) -> bool:
    value = value.strip()
    if not model:
        return value in whites or _WHITISH.fullmatch(value) is not None
    if model == "html":
        return re.fullmatch("(?:f[0-9a-f]){3}", value) is not None
    numbers: list[float] = []
    with suppress(ValueError):
        numbers = [float(number) for number in value.split(",")]
    if model == "cmyk":
        return bool(numbers) and max(numbers) <= 0.05
    return bool(numbers) and min(numbers) >= (242 if max(numbers) > 1 else 0.95)


def _end(text: str, start: int) -> int:
    """The end of a switch's effect: the end of its group, or a switch back."""
    limit = min(len(text), start + _GROUP_REACH)
    back = _BACK.search(text, start, limit)
    limit = back.start() if back else limit
    depth = 0
    for match in _TURN.finditer(text, start, limit):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth < 0:
            return match.start()
    return limit
