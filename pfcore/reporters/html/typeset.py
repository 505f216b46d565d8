"""A canonical text as HTML: formulas, lists, emphasis, references; the rest stays as written.

Also the tokens of a canonical text, as far as a page distinguishes them.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from textwrap import dedent
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.blocks.plain_text import plain_text
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.whitespace import ANCHOR
from pfcore.reporters.html.diagrams import derived, redrawn
from pfcore.reporters.html.equation_rows import (
    DISPLAYED,
    FENCE,
    GROUP,
    LENGTH,
    NO_NUMBER,
    NumberRows,
    RowNumber,
    column_letters,
    display_text,
    numbered,
    row_tag,
    split_cells,
    split_rows,
    tag_source,
    without_tags,
)
from pfcore.reporters.html.list_options import ListOptions, list_options
from pfcore.reporters.printing import safe

Maths = Callable[[str, bool], str | None]
"""A formula as MathML, displayed or not; None if it cannot be converted."""


class ReferenceLink(NamedTuple):
    """The replacement for a mention or a part of it: words, and where they link, or ""."""

    words: str
    anchor: str = ""


Refer = Callable[[int], Sequence[ReferenceLink]]
"""The replacement for a mention, piece by piece."""
_SIGNS = {"--": "–", "---": "—", "``": "“", "''": "”", "~": "\u00a0"}
_COMMANDS = {
    "\\\\": "<br>", "\\par": "<br>", "\\ ": " ", "\\,": " ", "\\;": " ", "\\quad": " ",
    "\\qquad": " ", "\\&": "&amp;", "\\%": "%", "\\$": "$", "\\#": "#", "\\_": "_",
    "\\{": "{", "\\}": "}", "\\ldots": "…", "\\dots": "…", "\\S": "§", "\\ss": "ß",
    "\\o": "ø", "\\O": "Ø", "\\ae": "æ", "\\aa": "å", "\\l": "ł", "\\L": "Ł", "\\i": "ı",
    "\\textbackslash": "\\", "\\LaTeX": "LaTeX", "\\TeX": "TeX",
    "\\checkmark": "✓", "\\textemdash": "—", "\\textendash": "–", "\\qed": "∎", "\\qedhere": "∎",
}  # fmt: skip
_SILENT = frozenset(
    """noindent indent centering medskip smallskip bigskip hfill hfil vfill newline xspace relax
    leavevmode linebreak nopagebreak pagebreak newpage clearpage allowbreak protect itshape bfseries
    em it bf rm sf tt sc normalfont upshape slshape leanok notready mathlibok ensuremath raggedright
    raggedleft tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge rmfamily
    sffamily ttfamily mdseries scshape boldmath unboldmath selectfont nolinebreak strut maketitle
    justifying sloppy samepage""".split()
)
_TAGS = {"emph": "em", "textit": "em", "textsl": "em", "textbf": "strong", "underline": "em"}
_TAGS |= {"texttt": "code"}
_DECLARED = {"bf": "strong", "bfseries": "strong", "tt": "code", "ttfamily": "code"}
_DECLARED |= dict.fromkeys(("em", "it", "itshape", "sl", "slshape"), "em")
"""Commands that change the font for the rest of a group."""
_FENCES = {name: (f"<{tag}>", f"</{tag}>") for name, tag in (_TAGS | _DECLARED).items()}
_BESIDE = ("footnote", "tablefootnote", "marginpar", "marginnote", "sidenote")
_FENCES |= dict.fromkeys(("textquote", "enquote", "textquote*", "enquote*"), ("“", "”"))
_FENCES |= dict.fromkeys(_BESIDE, (' <span class="footnote">(', ")</span>"))
_WRITTEN = regex(r"[$\x02]|\\\(")
"""Parts of a tag that are not plain words: formulas and references."""
_LIST = regex(r"[A-Za-z]*(?:itemize|enumerate|enum|description|item)\*?")
_COUNTING = regex(r"enum(?:erate)?\*?\Z")
_OPAQUE = regex(r"\\macro\{[0-9a-f]{8}\}")
_CLOSING = regex(r"[.,;:!?)]+|--?")
_LEFT = regex(r"(?<!\s)[ \n]+(?=[.,](?:\s|\Z))")
"""Blanks before a punctuation mark, left over from something that is not shown."""
_LETTERS = frozenset({"verbatim", "Verbatim", "lstlisting", "alltt", "minted"})
"""Environments that are shown verbatim."""
_CODE_OPTIONS = regex(r"\A[ \t]*(?:\[[^\]]{0,1000}\])?(?:\{[a-z+#0-9]{1,20}\}(?=\s))?")
_FLOAT = regex(r"(?:wrap|side|SC|float|sub|long)?(?P<kind>figure|table)")
_TABULARS = frozenset({"tabular", "tabularx", "tabulary", "tabular*", "longtable"})
_BEGUN = regex(r"\\begin\{[^{}]*\}\s*(?:\[[^\[\]]*\]\s*)*")
_WIDTH = regex(r"\\begin\{(?:tabularx|tabulary|tabular\*)\}")
_CAPTION = regex(r"\\(?:sub)?caption(?:of\s*\{[a-z]{1,20}\})?\*?\s*(?=[\[{])")
_CONTROLS = regex(r"[\x00-\x1f]+")
_ROW_END = regex(rf"\\\\\*?(?:\s*{LENGTH})?\s*\Z|\\tabularnewline\s*\Z")
_RULES = regex(
    r"(?:\s*\\(?:hline|toprule|midrule|bottomrule|addlinespace|endhead|endfirsthead|endfoot"
    r"|endlastfoot|(?:cline|cmidrule|rowcolor)\s*(?:\([^()]{0,20}\))?\s*\{[^{}]{0,40}\})(?![A-Za-z])"
    r"(?:\[[^\[\]]{0,20}\])?)+"
)
_MANY = regex(r"\\multi(?P<kind>column|row)\s*(?:\[[^\[\]]*\])?(?=\s*\{)")
_MOST_ROWS, _MOST_CELLS, _DIGITS = 300, 40, 3
_DEEPEST = 40
_LONGEST = 60_000
_MOST = 300
"""The most environments in a text, since each search for an end goes up to its end."""


class Floats(NamedTuple):
    """Data of figures and tables that the text lacks.

    `picture` returns the HTML of a picture, from its name and its alternative text, "" if it is not
    shown; `number` returns the number of a figure or table, by the index of its label's mark.
    """

    picture: Callable[[str, str], str]
    number: Callable[[int], str]


NO_FLOATS = Floats(lambda _name, _alt: "", lambda _index: "")


def typeset(
    text: str,
    maths: Maths,
    refer: Refer | None = None,
    span: tuple[int, int] | None = None,
    number: NumberRows | None = None,
    floats: Floats = NO_FLOATS,
) -> str:
    """The HTML of a text; the part between the offsets of `span` is marked."""
    if len(text) > _LONGEST or text.count("\\begin") > _MOST:
        return f"<pre>{escape(safe(text))}</pre>"
    setter = _Setter(text=text, maths=maths, refer=refer, span=span, number=number, floats=floats)
    for match in TOKEN.finditer(text):
        setter.take(match)
    return setter.finish()


@dataclass(slots=True, kw_only=True)
class _Setter:
    """Pieces of HTML, and what is open: closing tags, for a list also its name."""

    text: str
    maths: Maths
    refer: Refer | None
    span: tuple[int, int] | None
    number: NumberRows | None
    floats: Floats
    alt: str = ""
    """The alternative text of a picture."""
    pieces: list[str] = field(default_factory=list)
    open: list[tuple[str, str]] = field(default_factory=list)
    lists: list["_OpenList"] = field(default_factory=list)
    counted: dict[int, int] = field(default_factory=dict)
    """The last number of the latest enumeration at each depth."""

    def take(self, match: re.Match[str]) -> None:
        """Process one token."""
        kind = match.lastgroup or ""
        found = match[kind]
        match kind:
            case "words":
                self._words(match)
            case "item":
                self._item(match["label"] or "")
            case "begin":
                self._begin(match["named"], match["options"] or "")
            case "end" | "font" | "declared" | "brace" | "mark" | "idle" | "sized":
                self._structure(kind, found)
            case "sign" if found == "--" and self._kept_together(*match.span()) == match.end():
                pass  # "$k$--form"
            case _:
                self.pieces.append(self._marked(self._leaf(kind, found, match), *match.span()))

    def _kept_together(self, start: int, end: int) -> int:
        """Attach punctuation to the formula before it, so that no line begins with it."""
        left = _LEFT.match(self.text, start, end)
        behind = _CLOSING.match(self.text, left.end() if left else start, end)
        last = self.pieces[-1] if self.pieces else ""
        if behind is None or self.span is not None or not last.endswith("</math>"):
            return start
        if 'display="block"' not in last[:40]:
            mark = _SIGNS.get(behind[0], behind[0])
            self.pieces[-1] = f'<span class="whole">{last}{mark}</span>'
            return behind.end()
        return start

    def _leaf(self, kind: str, found: str, match: re.Match[str]) -> str:
        """The HTML of a token without parts that could be marked separately."""
        match kind:
            case "sign" | "quoted":
                return _SIGNS.get(found) or _tex(found)
            case "maths" | "display":
                return self._formula(found, match.start(), is_display=kind == "display")
            case "mention":
                return self._reference(int(found))
            case "cite":
                note = f", {_plain(match['note'])}" if match["note"] else ""
                return f"[{_plain(found)}{note}]"
            case "drawn":
                return self._environment(found, match["what"].rstrip("*"))
            case "opaque":
                return self._opaque(found)
            case "name" | "typed":
                code = match["code"] or ""
                is_picture = code == "includegraphics"
                made = self.floats.picture(found.strip(), self.alt) if is_picture else ""
                return made or _typed(code, found)
            case _:
                return _command(found)

    def finish(self) -> str:
        """The whole HTML, with everything closed."""
        self._close(0)
        return "".join(self.pieces)

    def _structure(self, kind: str, found: str) -> None:
        """Process lists, groups and environments; marks are ignored."""
        match kind:
            case "end" if _LIST.fullmatch(found):
                self._close(self._list())
            case "font" | "declared":
                self._push(*_FENCES.get(found.partition("[")[0].strip(), ("", "")), "group")
            case "brace" if found == "{":
                self._push("", "", "group")
            case "brace" if self.open and self.open[-1][1] == "group":
                self._close(len(self.open) - 1)
            case "end":
                self.pieces.append(" ")
            case _:  # marks, commands for print only, unmatched closing braces
                pass

    def _begin(self, name: str, options: str) -> None:
        """Open a list; other environments do not show."""
        if not _LIST.fullmatch(name):
            self.pieces.append(" ")
            return
        tag = "ol" if _COUNTING.search(name) else "ul"
        told = list_options(options[1:-1])
        depth = sum(1 for one in self.lists if one.is_counting)
        before = self.counted.get(depth, 0) if told.is_resumed else max(0, told.start - 1)
        opened = _OpenList(told, before, is_counting=tag == "ol")
        start = f' start="{before + 1}"' if before and opened.is_counting else ""
        if len(self.open) < _DEEPEST:
            self.lists.append(opened)
        self._push(f"<{tag}{start}><li>", f"</li></{tag}>", "list")

    def _words(self, match: re.Match[str]) -> None:
        """Add words, cut where the marked part begins or ends."""
        start, end = match.span()
        start = self._kept_together(start, end)
        cuts = [cut for cut in self.span or () if start < cut < end]
        for begin, finish in zip([start, *cuts], [*cuts, end], strict=True):
            self.pieces.append(self._marked(_clean(self.text[begin:finish]), begin, finish))

    def _marked(self, piece: str, start: int, end: int) -> str:
        is_in = self.span is not None and start < self.span[1] and end > self.span[0]
        return f"<mark>{piece}</mark>" if is_in and piece else piece

    def _formula(self, found: str, start: int, *, is_display: bool) -> str:
        if is_display:
            return "".join(self._display(found, start))
        return self._single(self._filled(found, is_formula=True), is_display=False)

    def _display(self, found: str, start: int) -> Iterator[str]:
        """A display with its numbers, and the words between its rows."""
        display = display_text(found)
        numbers = self._numbers(start, display.all_rows)
        for words, rows in zip(["", *display.between], display.rows, strict=True):
            if words:
                yield typeset(words, self.maths)
            told, numbers = numbers[: len(rows)], numbers[len(rows) :]
            text = self._filled(without_tags("".join(rows)), is_formula=True)
            made = self._single(f"{display.opening}{text}{display.closing}", is_display=True)
            if display.kind == "gather":
                made = made.replace('<mtd class="right">', "<mtd>")
            yield numbered(made, told)

    def _numbers(self, start: int, rows: Sequence[str]) -> Sequence[RowNumber]:
        """The texts at the right of rows: their tags, else their numbers."""
        numbers = self.number(start, rows) if self.number else [NO_NUMBER] * len(rows)
        tags = [row_tag(row) for row in rows]
        return [
            number._replace(words=tag, is_label=False, made=self._tagged(row)) if tag else number
            for number, tag, row in zip(numbers, tags, rows, strict=True)
        ]

    def _tagged(self, row: str) -> str:
        """The HTML of a tag that has words with formulas or references; "" for other tags."""
        source, is_bare = tag_source(row)
        if not _WRITTEN.search(source) or " " not in source.strip():
            return ""
        made = typeset(self._filled(source), self.maths)
        return "" if 'class="tex"' in made else made if is_bare else f"({made})"

    def _single(self, text: str, *, is_display: bool) -> str:
        if DIAGRAM.search(text):
            return self._drawing(text, "a diagram")
        made = self.maths(_inner(text), is_display)
        if made is None and "\\macro{" in text:  # its name is unknown, but its arguments are not
            made = self.maths(_OPAQUE.sub(r"\\mathtt{…}", _inner(text)), is_display)
        return _tex(text) if made is None else made

    def _environment(self, found: str, name: str) -> str:
        """An environment as LaTeX; verbatim ones without their delimiters."""
        kind = _FLOAT.fullmatch(name)
        if kind:
            return self._float(found, kind["kind"])
        if name not in _LETTERS:
            table = self._cells(found) if name in _TABULARS else ""
            return table or self._drawing(self._filled(found), "a drawing or table")
        inner = _CODE_OPTIONS.sub("", found[found.index("}") + 1 : found.rindex("\\end")])
        lines = dedent(inner.expandtabs(4)).strip("\n").split("\n")
        kept = ("".join(sign if sign.isprintable() else " " for sign in line) for line in lines)
        return "<pre>" + "\n".join(escape(line.rstrip()) for line in kept) + "</pre>"

    def _float(self, found: str, kind: str) -> str:
        """A figure or table with its caption, whatever it contains."""
        inner = found[_BEGUN.match(found).end() : found.rindex("\\end")]  # type: ignore[union-attr]
        captions: list[str] = []
        while match := _CAPTION.search(inner):
            groups = Groups(inner)
            short = groups.brackets(match.end()) if inner.startswith("[", match.end()) else None
            span = groups.braces(short[1] + 1 if short else match.end())
            if span is None:
                return self._drawing(self._filled(found), "a drawing or table")
            captions.append(inner[slice(*span)])
            inner = inner[: match.start()] + " " + inner[span[1] + 1 :]
        said = " ".join(captions)
        numbers = (self.floats.number(int(one[1])) for one in ANCHOR.finditer(inner + said))
        number = next(filter(None, numbers), "")
        setter = replace(self, text=inner, pieces=[], open=[], lists=[], span=None, number=None)
        setter.alt = _CONTROLS.sub("", plain_text(self._filled(said).strip()))
        for match in TOKEN.finditer(inner):
            setter.take(match)
        shown = setter.finish().strip()
        head = f"{kind.capitalize()} {escape(number)}".strip()
        words = f"{head}: {typeset(said.strip(), self.maths, self.refer)}" if said.strip() else head
        is_headed = said.strip() or number
        caption = f"<figcaption>{words}</figcaption>" if is_headed else ""
        return f"<figure>{shown}{caption}</figure>"

    def _cells(self, found: str) -> str:
        """A table of plain cells; "" for anything more complex."""
        groups = Groups(found)
        begun = _BEGUN.match(found)
        first = groups.braces(begun.end()) if begun else None
        if first and _WIDTH.match(found):
            first = groups.braces(first[1] + 1)
        end = found.rindex("\\end")
        if first is None or "\\begin{tab" in found[first[1] : end]:
            return ""
        letters = column_letters(found[slice(*first)]).replace("|", "")
        rows = [_ROW_END.sub("", row) for row in split_rows(found[first[1] + 1 : end])]
        if len(rows) > _MOST_ROWS or len(letters) > _MOST_CELLS:
            return ""
        made: list[str] = []
        for number, row in enumerate(rows):
            cells = split_cells(_RULES.sub(" ", row))
            if not row.strip() or (len(cells) == 1 and not cells[0].strip()):
                continue
            is_head = not made and number + 1 < len(rows) and bool(_RULES.match(rows[number + 1]))
            made.append(self._row(cells, letters, "th" if is_head else "td"))
        table = f'<table class="cells">{"".join(made)}</table>' if made else ""
        return f'<div class="wide">{table}</div>' if table else ""

    def _row(self, cells: list[str], letters: str, tag: str) -> str:
        """A row of a table; a cell may span several columns."""
        made, column = [], 0
        for cell in cells:
            letter = letters[column] if column < len(letters) else "l"
            inner, wide = cell.strip(), 1
            many = _MANY.match(inner)
            if many:
                groups = Groups(inner)
                parts = [groups.braces(many.end())]
                for _ in range(2):
                    last = parts[-1]
                    parts.append(groups.braces(last[1] + 1) if last else None)
                count, form, words = (inner[slice(*one)] if one else "" for one in parts)
                if many["kind"] == "column":
                    is_count = count.isascii() and count.isdigit() and len(count) < _DIGITS
                    wide = max(1, int(count)) if is_count else 1
                    letter = column_letters(form).replace("|", "")[:1] or letter
                inner = words
            span = f' colspan="{wide}"' if wide > 1 else ""
            words = typeset(inner, self.maths, self.refer, floats=self.floats).strip()
            made.append(f'<{tag} class="{letter}"{span}>{words}</{tag}>')
            column += wide
        return f"<tr>{''.join(made)}</tr>"

    def _drawing(self, text: str, what: str) -> str:
        """A drawing as LaTeX; some diagrams and derivations also as formulas."""
        table = redrawn(text) or derived(text)
        made = self.maths(_inner(table), True) if table else None
        return _drawn(text, what) if made is None else made + _drawn(text, "the same")

    def _opaque(self, found: str) -> str:
        """A macro of the paper that was not expanded: only its arguments are shown."""
        groups, inner = Groups(found), []
        position = 0
        while span := groups.braces(position):
            inner.append(typeset(found[slice(*span)], self.maths, self.refer))
            position = span[1] + 1
        middle = _tex("}{").join(inner)
        return _tex("\\…{") + middle + _tex("}") if inner else _tex("\\…")

    def _filled(self, text: str, *, is_formula: bool = False) -> str:
        """LaTeX with references replaced by words, and without marks."""
        form = r"\text{%s}" if is_formula else "%s"
        text = re.sub(r"\x02(\d+)\x03", lambda match: form % self._in_latex(match), text)
        return re.sub(r"[\x00-\x08\x0b-\x1f]\d*\x05?", "", text)

    def _in_latex(self, match: re.Match[str]) -> str:
        links = self.refer(int(match[1])) if self.refer else ()
        return re.sub(r"[\\${}]", "", "".join(link.words for link in links))

    def _reference(self, number: int) -> str:
        links = self.refer(number) if self.refer else ()
        if any(link.words for link in links):
            self._close_up()
        return "".join(map(_linked, links))

    def _close_up(self) -> None:
        """Drop the blank that a reference's mark has left after a bracket or a dash."""
        last = self.pieces[-1] if self.pieces else ""
        before = self.pieces[-2] if len(self.pieces) > 1 else ""
        if last.endswith(("( ", "[ ")) or (last == " " and before == "–"):
            self.pieces[-1] = last[:-1]

    def _item(self, label: str) -> None:
        at = self._list()
        if at == len(self.open):
            return
        self._close(at + 1)
        while self.pieces[-1].isspace():
            self.pieces.pop()
        if self.pieces[-1] == "<li>":
            self.pieces.pop()
        else:
            self.pieces.append("</li>")
        self.pieces.append(self._labelled(label))

    def _labelled(self, label: str) -> str:
        """The opening tag of an item, with its own label or the one from its list."""
        at = self.lists[-1]
        if label:
            return f'<li class="own"><b>{typeset(label, self.maths)}</b> '
        at.count += 1
        made = at.options.label(at.count)
        if not made:
            return "<li>"
        return f'<li class="own"><span class="label">{typeset(made, self.maths)}</span> '

    def _list(self) -> int:
        """The index of the innermost open list; the number of open things if there is none."""
        places = [place for place, (_, kind) in enumerate(self.open) if kind == "list"]
        return places[-1] if places else len(self.open)

    def _push(self, opening: str, closing: str, kind: str) -> None:
        is_deep = len(self.open) >= _DEEPEST
        self.open.append(("" if is_deep else closing, "group" if is_deep else kind))
        if not is_deep:
            self.pieces += re.findall(r"<[^>]*>|[^<]+", opening)

    def _close(self, count: int) -> None:
        while len(self.open) > count:
            closing, kind = self.open.pop()
            self.pieces.append(closing)
            if kind == "list":
                ended = self.lists.pop()
                if ended.is_counting:
                    depth = sum(1 for one in self.lists if one.is_counting)
                    self.counted[depth] = ended.count


@dataclass(slots=True)
class _OpenList:
    """A list that is not closed: its label options, and the number of its items so far."""

    options: ListOptions
    count: int
    is_counting: bool


def _linked(link: ReferenceLink) -> str:
    shown = escape(safe(link.words)) + " " * link.words.endswith(" ")
    return f'<a href="#{escape(link.anchor)}">{shown}</a>' if link.anchor else shown


def _clean(text: str) -> str:
    """Words without control characters; the white space around them stays."""
    text = "".join(letter if letter.isprintable() else " " for letter in text)
    return escape(_LEFT.sub("", text))


def _tex(text: str) -> str:
    return f'<code class="tex">{escape(safe(text))}</code>'


def _plain(text: str) -> str:
    return escape(safe(plain_text(text)))


def _command(found: str) -> str:
    name = found.rstrip(" *") or found
    if name in _COMMANDS:
        return _COMMANDS[name]
    if name[1:] in _SILENT or name in ("\\/", "\\-", "\\@", "\\!"):
        return ""
    words = plain_text(found)
    if words.startswith("\\"):
        return _tex(found) + " " * found.endswith(" ")
    return escape(safe(words)) + " " * found.endswith(" ")


def _typed(command: str, found: str) -> str:
    """Verbatim content: an address or a typed passage; for a figure its name."""
    shown = escape(safe(found))
    return f"[figure {shown}]" if command == "includegraphics" else f"<code>{shown}</code>"


def _drawn(found: str, what: str) -> str:
    return (
        f'<details class="drawn"><summary>{what}, as LaTeX</summary>'
        f"<pre>{escape(safe(found))}</pre></details>"
    )


def _inner(text: str) -> str:
    """A formula without its delimiters; alignments keep their environment."""
    for opening, closing in (("\\[", "\\]"), ("\\(", "\\)"), ("$$", "$$"), ("$", "$")):
        if text.startswith(opening) and text.endswith(closing):
            return text[len(opening) : -len(closing)]
    if text.startswith("\\ensuremath"):
        return text[text.index("{") + 1 : -1]
    fence = FENCE.match(text)
    if fence is None:
        return text
    inner = text[fence.end() : text.rindex("\\end")]
    if fence["kind"] in _UNALIGNED:
        return inner
    return rf"\begin{{align*}}{inner}\end{{align*}}"


_UNALIGNED = frozenset({"equation", "displaymath", "math"})
DIAGRAM = regex(r"\\begin\{[^{}]*(?:tikz|picture|diagram|xy|prooftree|forest)|\\xymatrix")
_DRAWN = (
    r"[^{}]*(?:tikz|tabular|array|prooftree|forest|tableau|derivation|picture|diagram|figure|table|"
    r"verbatim|listing|code|minted|alltt|xy)[^{}]*"
)
TOKEN = regex(
    rf"""\x02(?P<mention>\d+)\x03
    |(?P<mark>\x04\d+\x05|[\x00-\x1f])
    |(?P<display>\\\[(?:[^\\]|\\[^\[])*?\\\]|\$\$.*?\$\$
        |\\begin\{{(?P<env>[A-Za-z]*(?:{"|".join(DISPLAYED)})\*?)\}}
            (?:(?!\\begin\{{(?P=env)\}}).)*?\\end\{{(?P=env)\}})
    |(?P<maths>\$(?:\\.|[^$\\{{}}]|{GROUP})*+\$|\$(?:\\.|[^$\\])*\$|\\\((?:(?!\\\().)*?\\\)
        |\\ensuremath\s*{GROUP})
    |(?P<drawn>\\begin\{{(?P<what>{_DRAWN})\}}.*?\\end\{{(?P=what)\}})
    |\\begin\{{x?(?:minipage|varwidth|(?:sub|wrap)(?:figure|table)|multicols|adjustbox|columns?|tabbing)\*?\}}
        (?P<sized>\s*(?:\[[^\]]*\]\s*)*(?:\{{[^{{}}]*\}})?)
    |\\begin(?P<begin>\{{(?P<named>[^{{}}]*)\}}(?:\s*(?P<options>
        \[(?:[^\[\]{{}}]|{GROUP}|\[[^\[\]]*\]){{0,400}}+\]))?)
    |\\end\{{(?P<end>[^{{}}]*)\}}
    |(?P<item>\\item(?![A-Za-z])\s*(?:\[(?P<label>[^\]]*)\])?)
    |(?P<quoted>\\(?:label|uses|proves|lean|discussion
        |(?:[cCvVz]|auto|Auto|eq|page|name|Name|labelc|thm|lem|prop|def|fig|sec)?ref)\*?\s*\{{[^{{}}]*\}})
    |\\(?P<font>emph|textit|textbf|textsl|texttt|textrm|textsc|textnormal|textup|text|mbox|hbox
        |textquote\*?|enquote\*?|gls(?:pl)?|Gls(?:pl)?|centerline|uline
        |underline|fbox|framebox|(?:table)?footnote|(?:marginpar|marginnote|sidenote)\s*(?:\[[^\]]*\])?
        )\s*\{{
    |\\(?P<code>url|path|nolinkurl|includegraphics)\*?\s*(?:\[[^\]]*\])?\{{(?P<name>[^{{}}]*)\}}
    |\\macro\{{[0-9a-f]{{8}}\}}(?P<opaque>(?:{GROUP})*+)
    |\\(?P<verb>verb)\*?(?P<fence>[^A-Za-z\s*])(?P<typed>[^\n]*?)(?P=fence)
    |\\(?P<idle>(?:expandafter\s*\\|global\s*\\|long\s*\\)*[gex]?def\s*
            (?:\\csname[^\\{{}}]{{0,80}}\\endcsname|\\?[^\\{{}}\s]{{1,40}})[\#\d]{{0,18}}\s*{GROUP}
        |(?:(?:index|[vh]space\*?|stepcounter|phantom|color|setlength\s*{GROUP}|addtolength\s*{GROUP})\s*{GROUP})
        |allowdisplaybreaks(?![A-Za-z])\s*(?:\[[0-4]\])?
        |hyperref\s*\[[^\]]{{0,200}}\](?=\s*\{{)
        |(?:href|textcolor|colorbox|scalebox|raisebox|parbox|rotatebox|hyperlink|hypertarget
            |(?:resizebox\*?|fcolorbox)\s*{GROUP})\s*(?:\[[^\]]*\])*\s*{GROUP}(?=\s*\{{))
    |\\(?:(?:paren|text|auto|foot|smart|full)[cC]ite|[cC]ite)[A-Za-z]*\*?\s*(?:\[(?P<note>[^\]]*)\])?(?:\[[^\]]*\])?\{{(?P<cite>[^{{}}]*)\}}
    |(?P<accent>\\["'`^~=.]\s*(?:\{{\\?[A-Za-z]\}}|\\?[A-Za-z])|\\[cvuHk]\s*\{{[A-Za-z]\}})
    |(?P<command>\\[A-Za-z]+\*?[ ]?|\\.)
    |\{{\s*\\(?P<declared>{"|".join(_DECLARED)})(?![A-Za-z])[ ]?
    |(?P<brace>[{{}}])
    |(?P<sign>---?|``|''|~)
    |(?P<words>[^\\${{}}~`'\x00-\x1f-]+|.)""",
    re.DOTALL | re.VERBOSE,
)
