"""The rows of displays: where they end, their numbers, and the HTML with the numbers at the right.

Also the names of a paper's equations: their numbers if certain, else their labels.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Passage
from pfcore.latex.blocks.plain_text import plain_text
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.whitespace import ANCHOR
from pfcore.latex.numbering.displays import has_numbers
from pfcore.latex.numbering.simulate import DisplayRows
from pfcore.reporters.printing import safe
from pfcore.review.review import PaperReport

_DEPTH = 8


def _group(depth: int) -> str:
    """A pattern for a group in braces, with groups nested to a depth, of bounded length."""
    inner = _group(depth - 1) if depth else r"\\."
    return rf"\{{(?:\\.|[^\\{{}}]|{inner}){{0,2000}}+\}}"


GROUP = _group(_DEPTH)
DISPLAYED = "equation align gather multline eqnarray alignat flalign displaymath math".split()
FENCE = regex(
    rf"\\begin\{{(?P<name>(?P<other>[A-Za-z]+)??(?P<kind>{'|'.join(DISPLAYED)})\*?)\}}"
    r"(?(other)(?:\[[^\]]*\])?)(?:\{\d+\})?"
)
"""LaTeX's own displays take no option, so a bracket there is text; those of packages may."""
_BEGIN = regex(rf"(?<!\\)\\\[|{FENCE.pattern}")
_INTERTEXT = regex(rf"\\(?:short)?intertext\s*({GROUP})")
_SINGLE = frozenset({"equation", "multline", "displaymath", "math"})
LENGTH = (
    r"\[\s*[+-]?\s*(?:\d{0,9}\.?\d{0,9}\s*(?:true\s*)?(?:pt|pc|in|bp|cm|mm|dd|cc|sp|ex|em|mu)"
    r"|[\d.]{0,12}\s*\\[A-Za-z@]{0,30}(?:jot|skip|sep|height|depth|width|length|size)"
    r"(?![A-Za-z]))\s*\]"
)
"""The extra distance after the end of a row; `[r]` is not a length."""
_PIECE = regex(rf"\\\\\*?(?:\s*{LENGTH})?|\\(?P<edge>begin|end)(?![A-Za-z])|\\.|[{{}}]", re.DOTALL)
_CELL_PIECE = regex(r"\\(?P<edge>begin|end)(?![A-Za-z])|\\.|[{}&]", re.DOTALL)
_REPEATED = regex(r"\*\s*\{\s*(\d{1,2})\s*\}\s*\{([^{}]{0,20})\}")
_BETWEEN_COLUMNS = regex(rf"[@!<>]\s*{GROUP}")
_PARAGRAPHS = regex(rf"(?:[pmbwWsS]\s*(?:\[[^\[\]]*\])?\s*(?:{GROUP}){{1,2}}|[XSLJ])")
_MOST_REPEATED, _WIDEST = 4, 40
_TAG = regex(r"\\tag(?P<star>\*?)\s*(?=\{)")
_CELL = regex(r"<(?P<end>/?)(?P<name>mtable|mtr|mtd)\b[^>]*>")
_FORMULA = regex(r"<math[^>]*>(.*?)</math>", re.DOTALL)
_HEAD, _TAIL = '<math display="block"><mtable', "</mtable></math>"


class RowNumber(NamedTuple):
    """The words at the right of a row, "" for none; its fragment; whether it is only a label.

    `made` is the HTML of words that contain formulas.
    """

    words: str = ""
    anchor: str = ""
    is_label: bool = False
    made: str = ""


NO_NUMBER = RowNumber()
NumberRows = Callable[[int, Sequence[str]], Sequence[RowNumber]]
"""The numbers at the rows of a display, by its offset and the texts of the rows."""


class DisplayText(NamedTuple):
    """A display by its delimiters and rows, which words `between` may divide into several groups.

    A `kind` with a single number has one row, which may consist of several lines.
    """

    opening: str
    rows: tuple[tuple[str, ...], ...]
    between: tuple[str, ...]
    closing: str
    kind: str

    @property
    def all_rows(self) -> list[str]:
        """The rows of all groups."""
        return [row for rows in self.rows for row in rows]


def display_text(text: str) -> DisplayText:
    """The parts of a display."""
    fence = FENCE.match(text)
    begin, end = (fence.end(), text.rindex("\\end")) if fence else (2, len(text) - 2)
    kind = fence["kind"] if fence else "displaymath"
    parts = _INTERTEXT.split(text[begin:end])
    lots = [[part] if kind in _SINGLE else split_rows(part) for part in parts[::2]]
    for rows in lots[:-1]:  # intertext itself ends a row
        if len(rows) > 1 and not rows[-1].strip():
            rows.pop()
    between = tuple(part[1:-1] for part in parts[1::2])
    return DisplayText(text[:begin], tuple(map(tuple, lots)), between, text[end:], kind)


def split_rows(inner: str) -> list[str]:
    r"""The rows of a display without its fence; each ends with its `\\`, if it has one."""
    rows, depth, start = [], 0, 0
    for match in _PIECE.finditer(inner):
        found = match[0]
        if match["edge"]:
            depth += 1 if match["edge"] == "begin" else -1
        elif found in "{}":
            depth += 1 if found == "{" else -1
        elif found.startswith("\\\\") and depth == 0:
            rows.append(inner[start : match.end()])
            start = match.end()
    return [*rows, inner[start:]]


def split_cells(row: str) -> list[str]:
    """The cells of a row of a table."""
    cells, depth, start = [], 0, 0
    for match in _CELL_PIECE.finditer(row):
        found = match[0]
        if match["edge"]:
            depth += 1 if match["edge"] == "begin" else -1
        elif found in "{}":
            depth += 1 if found == "{" else -1
        elif found == "&" and depth == 0:
            cells.append(row[start : match.start()])
            start = match.end()
    return [*cells, row[start:]]


def column_letters(written: str) -> str:
    r"""The columns of a table, reduced to letters and rules: `*{2}{r}|p{3cm}` is `rr|l`."""
    for _ in range(_MOST_REPEATED):
        repeated = _REPEATED.search(written)
        if repeated is None:
            break
        columns = repeated[2] * min(int(repeated[1]), _WIDEST)
        written = written[: repeated.start()] + columns + written[repeated.end() :]
    written = _BETWEEN_COLUMNS.sub("", written)
    written = _PARAGRAPHS.sub("l", written)
    return "".join(letter for letter in written if letter in "lcr|") or "c"


def row_tag(row: str) -> str:
    r"""The text that `\tag` prints at a row, plain and with parentheses; "" without a tag."""
    source, is_bare = tag_source(row)
    if not source:
        return ""
    words = safe(plain_text(source))
    return words if is_bare else f"({words})"


def tag_source(row: str) -> tuple[str, bool]:
    r"""The LaTeX in the braces of `\tag`, and whether it is printed without parentheses."""
    match = _TAG.search(row)
    span = Groups(row).braces(match.end()) if match else None
    return (
        ("", False) if match is None or span is None else (row[slice(*span)], bool(match["star"]))
    )


def without_tags(text: str) -> str:
    r"""A display without its tags."""
    start = 0
    while match := _TAG.search(text, start):
        span = Groups(text).braces(match.end())
        start = match.start()
        text = text[:start] + " " + text[span[1] + 1 if span else match.end() :]
    return text


def numbered(made: str, numbers: Sequence[RowNumber]) -> str:
    """The HTML of a display with numbers at the right, at its rows if it is a table of these."""
    if not any(number.words for number in numbers):
        return made
    table = _table(made, numbers) if len(numbers) > 1 else None
    if table is not None:
        return table
    cells = "<br>".join(
        _cell("span", number, number.made or escape(number.words)) for number in numbers
    )
    return f'<span class="numbered">{made}<span class="numbers">{cells}</span></span>'


def _table(made: str, numbers: Sequence[RowNumber]) -> str | None:
    """A table with a number in each row; None if the number of rows differs."""
    rows = _rows(made)
    if not rows or len(rows) not in (len(numbers), len(numbers) - 1):
        return None
    width = max(count for _, _, count in rows)
    if len(rows) < len(numbers):  # the converter drops an empty last row
        end = len(made) - len(_TAIL)
        made = f"{made[:end]}<mtr></mtr>{made[end:]}"
        rows.append((end + len("<mtr>"), end + len("<mtr>"), 0))
    pieces, position = [], 0
    for (start, end, count), number in zip(rows, numbers, strict=True):
        words = _in_cell(number.made or escape(number.words))
        pieces += [made[position:start], '<mtd class="space"></mtd>', made[start:end]]
        pieces += ["<mtd></mtd>" * (width - count), _cell("mtd", number, words)]
        position = end
    return f'<span class="lines">{"".join(pieces)}{made[position:]}</span>'


def _rows(made: str) -> list[tuple[int, int, int]]:
    """The insides of the rows of a formula that is one table, with the number of cells in each."""
    if not made.startswith(_HEAD) or not made.endswith(_TAIL):
        return []
    rows: list[tuple[int, int, int]] = []
    depth = begin = count = 0
    for match in _CELL.finditer(made):
        if match["name"] == "mtable":
            depth += -1 if match["end"] else 1
            if depth == 0 and match.end() != len(made) - len("</math>"):
                return []
        elif depth == 1 and match["name"] == "mtr":
            if match["end"]:
                rows.append((begin, match.start(), count))
            begin, count = match.end(), 0
        elif depth == 1 and not match["end"]:
            count += 1
    return rows


def _in_cell(made: str) -> str:
    """HTML of words and formulas as MathML: the words as text, the formulas without <math>."""
    pieces = [
        (f"<mrow>{piece}</mrow>" if number % 2 else _words_of(piece))
        for number, piece in enumerate(_FORMULA.split(made))
        if piece
    ]
    return f"<mrow>{''.join(pieces)}</mrow>" if len(pieces) > 1 else "".join(pieces)


def _words_of(piece: str) -> str:
    """Words between formulas, with hard spaces at the ends, where MathML drops plain ones."""
    words = re.sub(r"<[^>]*>", "", piece)
    words = re.sub(r"^\s+|\s+$", "\xa0", words)
    return f"<mtext>{words}</mtext>" if words else ""


def _cell(tag: str, number: RowNumber, words: str) -> str:
    anchor = f' id="{escape(number.anchor)}"' if number.anchor else ""
    kind = "number label" if number.is_label else "number"
    return f'<{tag} class="{kind}"{anchor}>{words}</{tag}>'


def _displays(text: str) -> Iterator[tuple[int, str, DisplayText]]:
    """The displays of a canonical text: offset, environment, parts."""
    position = 0
    while match := _BEGIN.search(text, position):
        name = match["name"] or "displaymath"
        closing = f"\\end{{{name}}}" if match["name"] else "\\]"
        end = text.find(closing, match.end())
        position = match.end()
        if end >= 0:
            position = end + len(closing)
            yield match.start(), name, display_text(text[match.start() : position])


@dataclass(frozen=True, kw_only=True)
class EquationNames:
    """The names of a paper's equations; `places` are the texts shown in each entry."""

    paper: PaperReport
    places: Sequence[tuple[str, Passage]]

    def has(self, key: str) -> bool:
        """Whether a label belongs to an equation."""
        number = self.paper.numbering.label(key)
        if number is not None:
            return number.kind == "equation"
        labels = self.paper.state.document.labels
        return key in labels and all(place.holder == "equation" for place in labels[key])

    def words(self, key: str) -> str:
        """An equation's name as in the PDF, (2.3); its label if the number is uncertain."""
        return self._at_row(key).words

    def anchor(self, key: str) -> str:
        """The fragment of an equation; "" if no text on the page has it."""
        return self._anchors.get(key, "")

    def rows(self, entry: str, passage: Passage, text: str) -> NumberRows:
        """The numbers at the rows of a passage's displays, for its text in an entry."""
        printed = self._printed(passage, text)

        def number(start: int, rows: Sequence[str]) -> list[RowNumber]:
            told = printed.get(start) or (None,) * len(rows)
            return [
                self._row(row, one, passage, entry) for row, one in zip(rows, told, strict=True)
            ]

        return number

    def _row(self, row: str, printed: str | None, passage: Passage, entry: str) -> RowNumber:
        keys = [key for key in self._keys(row, passage) if self.has(key)]
        if not keys or printed == "":
            return RowNumber(_in_parentheses(printed)) if printed else NO_NUMBER
        anchor = self.anchor(keys[0])
        is_here = anchor == _anchor(entry, keys[0])
        return self._at_row(keys[0])._replace(anchor=anchor if is_here else "")

    def _printed(self, passage: Passage, text: str) -> dict[int, DisplayRows]:
        """The counted rows of displays; empty if any of them is uncertain."""
        shown = {
            start: display.all_rows for start, name, display in _displays(text) if has_numbers(name)
        }
        told = self.paper.numbering.rows(passage) if shown else []
        if [len(rows) for rows in shown.values()] != [len(rows) for rows in told]:
            return {}
        return dict(zip(shown, told, strict=True))

    def _at_row(self, key: str) -> RowNumber:
        """The number or label at the row of a label."""
        if key in self._tags:
            return RowNumber(self._tags[key])
        number = self.paper.numbering.label(key)
        if number is not None and number.text:
            return RowNumber(_in_parentheses(number.text))
        return RowNumber(f"({safe(key)})", is_label=True)

    @cached_property
    def _anchors(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for entry, passage in self.places:
            for key in filter(self.has, passage.anchors):
                found.setdefault(key, _anchor(entry, key))
        return found

    @cached_property
    def _tags(self) -> dict[str, str]:
        r"""The texts that `\tag` prints at rows, by label."""
        return {
            key: tag
            for _, passage in self.places
            if "\\tag" in (text := self._text(passage))
            for _, _, display in _displays(text)
            for row in display.all_rows
            if (tag := row_tag(row))
            for key in self._keys(row, passage)
        }

    def _text(self, passage: Passage) -> str:
        return self.paper.state.paper.texts(passage.location.path)[passage.block]

    @staticmethod
    def _keys(row: str, passage: Passage) -> list[str]:
        return [passage.anchors[int(number)] for number in ANCHOR.findall(row)]


def _anchor(entry: str, key: str) -> str:
    return f"{entry}:{'_'.join(safe(key).split())}"


def _in_parentheses(number: str) -> str:
    return f"({number.strip('()')})"
