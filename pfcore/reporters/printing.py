"""Text of papers made safe to print, without escape sequences and invisible control characters.

Also the style of printed text: colours, glyphs, width; and text of papers as GitHub's Markdown,
with formulas typeset and everything else escaped.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from pfcore.domain.findings import quoted
from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Finding, Location, Status
from pfcore.latex.blocks.plain_text import plain_text

GLYPHS = {
    Status.CHECKED: "✓",
    Status.CONDITIONAL: "~",
    Status.FLAGGED: "!",
    Status.UNREACHED: "?",
    Status.GIVEN: "·",
    Status.CITED: "·",
    Status.FORMAL: "◆",
    Status.DISMISSED: "-",
    Status.OMITTED: "○",
}
"""A symbol for each status, so that colour is never the only sign."""


_SEQUENCE = regex(
    r"(?:\x1b\[[0-?]*|\x9b[0-?]+)[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"
)
"""A whole terminal sequence, for colours and positions, or for links and titles."""


def safe(text: str) -> str:
    """One line without control and direction characters."""
    if not text.isprintable():
        text = _SEQUENCE.sub("", text)
        text = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(text.split())


def shortened(text: str, width: int) -> str:
    """A text cut to a width, with an ellipsis if something was cut."""
    return text if len(text) <= width else text[: max(1, width - 1)].rstrip() + "…"


def plural(number: int, noun: str, plural: str = "") -> str:
    """`1 result`, `2 results`, `1,234 results`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


_STATUS_WORDS = {Status.FORMAL: "formal (claimed)", Status.UNREACHED: "not read yet"}


def status_words(status: Status) -> str:
    """A status for people; a formal proof is only the authors' claim."""
    return _STATUS_WORDS.get(status, status.value)


def likeness_words(finding: Finding) -> str:
    """How far a reader's quote differs from the source; "" if it does not."""
    if not finding.likeness:
        return "the quote is not in the text"
    return "" if finding.likeness == 1 else f"{finding.likeness:.0%} match with the text"


def quote_line(finding: Finding, width: int | None) -> str:
    """A finding's quote on one line of at most `width` characters; None: without limit."""
    words = likeness_words(finding)
    end = f"  ({words})" if words else ""
    if not finding.quote:
        return end.strip()
    quote = safe(finding.quote)
    return (quote if width is None else shortened(quote, max(20, width - len(end)))) + end


def _with_whole_commands(text: str) -> str:
    return COMMAND.sub(lambda match: match[0].replace(" ", UNBROKEN), text)


def _columns(line: str) -> int:
    """The width of a line in a terminal, where sequences take no space."""
    bare = _SEQUENCE.sub("", line)
    return len(bare) if bare.isascii() else sum(map(_width, bare))


def _width(letter: str) -> int:
    """The columns of a character: two for wide East Asian ones, none for combining ones."""
    if unicodedata.category(letter) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def place_of(finding: Finding) -> str:
    """`path:line:column` of a finding."""
    where = finding.location
    return f"{safe(where.path)}:{where.line}:{where.column}"


_TAB = 4


def excerpt(finding: Finding, source: str, style: "Style") -> tuple[list[str], bool]:
    """The line in which a finding begins, with `^~~~` below the passage, cut around it.

    `source` is the text of its file. Also returns whether the quote would add nothing. There are no
    lines if the finding has no quote, if the text differs, or if the line is too long and must not
    be cut.
    """
    where = finding.location
    begin = source.rfind("\n", 0, where.start) + 1
    line = source[begin:].partition("\n")[0].rstrip()
    first, end = where.start - begin, where.end - begin
    is_there = first < len(line) and source.count("\n", 0, begin) + 1 == where.line
    if not finding.quote or not is_there:
        return [], False
    last = max(min(end, len(line)), first + 1)
    blank = min(first, len(line) - len(line.lstrip()))
    near, far = max(blank, first - 4 * style.width), first + 4 * style.width
    is_cut, has_more = near > blank, far < len(line)
    if style.is_whole and (is_cut or has_more):
        return [], False
    blank, last = near, min(last, far)
    cells = [_cell(letter, style) for letter in line[near:far]]
    gutter = f"{where.line:>6} | "
    low, high = _window(cells, first - blank, last - blank, style.width - len(gutter))
    if style.is_whole and high - low < len(cells):
        return [], False
    before = "…" if low or is_cut else ""
    after = "…" if high < len(cells) or has_more else ""
    shown = "".join(cells[low:high])
    start = _columns(before + "".join(cells[low : first - blank]))
    marked = _columns("".join(cells[first - blank : min(high, last - blank)]))
    mark = style.paint("^" + "~" * (marked - 1), finding.severity.value)
    lines = [f"{gutter}{before}{shown}{after}", f"{'| ':>{len(gutter)}}{' ' * start}{mark}"]
    return lines, end <= len(line) and quoted(source, where) == finding.quote


def _cell(letter: str, style: "Style") -> str:
    """The cell of a character in a terminal; tabs and unprintable characters become spaces."""
    if letter == "\t":
        return " " * _TAB
    if not letter.isprintable():
        return " "
    return letter if letter.isascii() or not style.ascii or _width(letter) == 1 else "?"


def _window(cells: Sequence[str], first: int, last: int, width: int) -> tuple[int, int]:
    """The range of cells to show: those from `first` to `last`, and as many around as fit."""
    if _columns("".join(cells)) <= width:
        return 0, len(cells)
    sizes = list(map(_columns, cells))
    left = width - 2  # an ellipsis on each side
    low = high = first
    while high < last and sizes[high] <= left:
        left, high = left - sizes[high], high + 1
    is_growing = high == last
    while is_growing:
        is_growing = False
        if high < len(cells) and sizes[high] <= left:
            left, high, is_growing = left - sizes[high], high + 1, True
        if low and sizes[low - 1] <= left:
            left, low, is_growing = left - sizes[low - 1], low - 1, True
    while low < first and not sizes[low]:  # combining characters of a letter that is cut
        low += 1
    return low, high


UNBROKEN = "\xa0"
"""A space at which terminal lines are not broken."""
_ASCII = str.maketrans(
    {"✓": "+", "○": "o", "◆": "#", "·": ".", "→": ">", "…": "~", "–": "-", "—": "-", "×": "x"}
    | dict.fromkeys("“”", '"')
)
_COLOURS = {"error": "31", "warning": "33", "note": "36", "bold": "1", "dim": "2"}


_PIECE = regex(r" *[^ ]+")
_FILE = r"[\w/-]+(?:\.[\w/-]+)+"
_VALUE = rf"(?:{_FILE}|[A-Z]+(?![a-z])|[a-z]+(?:-[a-z]+)+|'[^']*')"
_OPTION = rf"(?:--rule [a-z-]+|'--[^']*'|--?[A-Za-z][\w-]*(?:={_FILE}| {_VALUE})?)"
COMMAND = regex(rf"\bpf [a-z]+(?:-[a-z]+)*(?: {_OPTION})*")
"""Commands in a text, which are not broken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How to print: colours, glyphs beyond ASCII, width, notes listed or counted.

    `is_whole`: nothing is cut and no line is broken, as for a file or another program. `is_quiet`:
    only problems; `is_verbose`: also long lists of similar things. `host`: the machine named in
    links to files; None: no links.
    """

    colour: bool = False
    ascii: bool = False
    width: int = 100
    notes: bool = False
    is_whole: bool = False
    is_quiet: bool = False
    is_verbose: bool = False
    host: str | None = None

    def place(self, where: Location, root: PurePath | None, *, has_column: bool = False) -> str:
        """`path:line`, or `path:line:column`, as a link to the file if links are shown.

        `root` is the folder on disk for relative paths; None: the text is not from a folder.
        """
        text = f"{safe(where.path)}:{where.line}" + (f":{where.column}" if has_column else "")
        return self.linked(text, where.path, root)

    def linked(self, text: str, path: str, root: PurePath | None) -> str:
        """A text as a link to a file below a folder; the path is escaped."""
        if self.host is None or root is None:
            return text
        address = (root / path).as_uri()
        if self.host:
            address = address.replace("file:///", f"file://{self.host}/", 1)
        return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\"

    def cut(self, text: str, width: int) -> str:
        """A text cut to a width, if this style cuts."""
        return text if self.is_whole else shortened(text, max(width, 1))

    def wrap(self, text: str, *, indent: int = 0) -> list[str]:
        """A text in lines; all but the first are indented. No word or command is broken."""
        if self.is_whole:
            return [text]
        lines = [""]
        for piece in _PIECE.findall(_with_whole_commands(text).replace("\n", " ")):
            if lines[-1].strip() and _columns(lines[-1] + piece) > self.width:
                lines.append(" " * indent + piece.lstrip(" "))
            else:
                lines[-1] += piece
        return lines

    def _folded(self, line: str) -> Iterator[str]:
        """A line too long for a terminal, which would otherwise break it within words."""
        if _columns(line) <= self.width:
            yield line
            return
        first, *words = _with_whole_commands(line.lstrip(" ")).split(" ")
        indent = " " * (len(line) - len(line.lstrip(" ")))
        now = indent + first
        for word in words:
            if _columns(now) + 1 + _columns(word) <= self.width:
                now = f"{now} {word}" if now.strip() else now + word
                continue
            yield now
            now = f"{indent}  {word}"
        yield now

    def room(self, indent: int) -> int | None:
        """The width for a text after an indent; None if texts are not cut."""
        return None if self.is_whole else self.width - indent

    def paint(self, text: str, name: str) -> str:
        """A text in a colour, if colours are used."""
        return f"\x1b[{_COLOURS[name]}m{text}\x1b[0m" if self.colour else text

    def rows(self, lines: Iterable[str]) -> int:
        """How many terminal rows some lines take, or lines of a file."""
        rows = self.finish(lines).splitlines()
        if self.is_whole:
            return len(rows)
        return len(rows) + sum(max(0, _columns(row) - 1) // self.width for row in rows)

    def finish(self, lines: Iterable[str]) -> str:
        """The lines as one text; "" if there are none."""
        if not self.is_whole:
            rows = (row for line in lines for row in line.split("\n"))
            lines = (part for row in rows for part in self._folded(row))
        text = "".join(f"{line.rstrip()}\n" for line in lines)
        text = text.replace(UNBROKEN, " ")
        return text.translate(_ASCII) if self.ascii else text


# A display, a formula, or a dollar sign that GitHub must not take for one.
_MATHS = regex(
    r"\\\[(?P<a>.+?)\\\]|\$\$(?P<b>.+?)\$\$|\\\((?P<c>.+?)\\\)|(?<!\\)\$(?P<d>(?:\\.|[^$\\])+)\$",
    re.DOTALL,
)
# The start of a list, a heading's underline, or a command of another program.
_FIRST = "|".join(["^[-+=/]", *(rf"(?<=^\d{{{digits}}})[.)]" for digits in range(1, 10))])
_MARKUP = regex(rf"[^\w\s,.;:?'()/=%+-]|_|{_FIRST}")
# A zero-width character interrupts what GitHub would take for a link, mention or command.
_LINKING = regex(r"(?<=&#64;)|(?<=&#35;)|(?<=\bGH-)|(?<=\bwww)(?=\.)|(?<=:)(?=//)", re.I)
_GAP = "&#8203;"
_COMMENT = regex(r"(?<!\\)%")
# Commands that lead out of a formula: to addresses, other formulas or the page.
_LEADING_OUT = regex(
    r"\\(href|url|includegraphics|html[A-Z][a-z]+|class|style|cssId|data|bbox|require|input|include"
    r"|[gex]?def|let|futurelet|global|(?:re)?new(?:command|environment)|providecommand"
    r"|DeclareMathOperator|catcode|csname|write)(?![A-Za-z])"
)
# An empty group changes nothing in a formula, and interrupts what GitHub would link.
_LINKED = regex(
    r"(?<=@)(?=[\w-])|(?<=#)(?=\d)|(?<=\bGH-)(?=\d)|(?<=\bwww)(?=\.)|(?<=:)(?=//)", re.I
)
_BARS = (("\\|", "\\Vert "), ("|", "\\vert "))


def prose(text: str) -> str:
    """One line for any place, even a table cell: words escaped, formulas between $` and `$."""
    return "".join(
        f"$`{formula_on_line(piece)}`$" if is_maths else escaped(piece)
        for piece, is_maths in _pieces(safe(text))
    )


def printed_heading(text: str) -> str:
    """A title as printed: accents and dashes resolved, and formulas as in prose."""
    return "".join(
        f"$`{formula_on_line(piece)}`$" if is_maths else escaped(_printed(piece))
        for piece, is_maths in _pieces(safe(text))
    )


def _printed(piece: str) -> str:
    """Words without LaTeX, with the surrounding blanks kept."""
    bare = piece.strip()
    start = piece.index(bare) if bare else len(piece)
    return f"{piece[:start]}{safe(plain_text(bare))}{piece[start + len(bare) :]}"


def paragraphs(text: str) -> str:
    """Lines of prose, with displays in fences of their own."""
    blocks = []
    for is_display, piece in _displays(text):
        if is_display:
            blocks.append(f"```math\n{formula_on_line(piece)}\n```")
        else:
            blocks.append(
                "\n".join(prose(line).strip() for line in piece.splitlines() if line.strip())
            )
    return "\n\n".join(block for block in blocks if block)


def code(text: str) -> str:
    """A name as code, whatever characters it contains."""
    return f"<code>{escaped(safe(text))}</code>"


def escaped(text: str) -> str:
    """Words without markup, link, mention or formula."""
    return _LINKING.sub(_GAP, _MARKUP.sub(lambda match: f"&#{ord(match[0])};", text))


def formula_on_line(text: str) -> str:
    """LaTeX on one line, which cannot end a fence or a table."""
    text = _COMMENT.sub(r"\\%", safe(text).replace("`", "'"))
    text = _LINKED.sub("{}", _LEADING_OUT.sub(r"\\mathrm{\1}", text))
    for bar, word in _BARS:
        text = text.replace(bar, word)
    return text.strip().removesuffix("\\") or "\\ "


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    done = 0
    for match in _MATHS.finditer(text):
        yield text[done : match.start()], False
        yield next(filter(None, match.groups())), True
        done = match.end()
    yield text[done:], False


def _displays(text: str) -> Iterator[tuple[bool, str]]:
    done = 0
    for match in _MATHS.finditer(text):
        if match["a"] or match["b"]:
            yield False, text[done : match.start()]
            yield True, match["a"] or match["b"]
            done = match.end()
    yield False, text[done:]
