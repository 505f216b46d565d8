"""A canonical text as HTML: formulas, lists, emphasis, references; the rest as it is written."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple

from pfcore.latex.plain_text import plain_text
from pfcore.report.plain import safe

Maths = Callable[[str, bool], str | None]
"""A formula as MathML, displayed or not; None where it cannot be converted."""


class Reference(NamedTuple):
    """What stands for a mention: words, and the fragment where it leads, or ""."""

    words: str
    anchor: str


Refer = Callable[[int], Reference]

_DISPLAYED = "equation align gather multline eqnarray alignat flalign displaymath".split()
_DRAWN = (
    r"[^{}]*(?:tikz|tabular|array|prooftree|forest|tableau|derivation|picture|diagram|figure|table|"
    r"verbatim|listing|code|xy)[^{}]*"
)
_TOKEN = re.compile(
    rf"""\x02(?P<mention>\d+)\x03
    |(?P<mark>\x04\d+\x05|[\x00-\x1f])
    |(?P<display>\\\[.*?\\\]|\$\$.*?\$\$
        |\\begin\{{(?P<env>(?:{"|".join(_DISPLAYED)})\*?)\}}.*?\\end\{{(?P=env)\}})
    |(?P<maths>\$(?:\\.|[^$\\])*\$|\\\(.*?\\\))
    |(?P<drawn>\\begin\{{(?P<what>{_DRAWN})\}}.*?\\end\{{(?P=what)\}})
    |\\begin\{{(?P<begin>[^{{}}]*)\}}(?:\[[^\]]*\])?
    |\\end\{{(?P<end>[^{{}}]*)\}}
    |(?P<item>\\item(?![A-Za-z])\s*(?:\[(?P<label>[^\]]*)\])?)
    |\\(?P<font>emph|textit|textbf|textsl|texttt|textrm|textsc|text|mbox|underline)\s*\{{
    |\\cite[A-Za-z]*\*?\s*(?:\[(?P<note>[^\]]*)\])?(?:\[[^\]]*\])?\{{(?P<cite>[^{{}}]*)\}}
    |(?P<accent>\\["'`^~=.]\s*(?:\{{\\?[A-Za-z]\}}|\\?[A-Za-z])|\\[cvuHk]\s*\{{[A-Za-z]\}})
    |(?P<command>\\[A-Za-z]+\*?[ ]?|\\.)
    |(?P<brace>[{{}}])
    |(?P<sign>---?|``|''|~)
    |(?P<words>[^\\${{}}~`'\x00-\x1f-]+|.)""",
    re.DOTALL | re.VERBOSE,
)
_SIGNS = {"--": "–", "---": "—", "``": "“", "''": "”", "~": "\u00a0"}
_COMMANDS = {
    "\\\\": "<br>", "\\par": "<br>", "\\ ": " ", "\\,": " ", "\\;": " ", "\\quad": " ",
    "\\qquad": " ", "\\&": "&amp;", "\\%": "%", "\\$": "$", "\\#": "#", "\\_": "_",
    "\\{": "{", "\\}": "}", "\\ldots": "…", "\\dots": "…", "\\S": "§", "\\ss": "ß",
    "\\o": "ø", "\\O": "Ø", "\\ae": "æ", "\\aa": "å", "\\l": "ł", "\\L": "Ł", "\\i": "ı",
    "\\textemdash": "—", "\\textendash": "–", "\\qed": "∎", "\\qedhere": "∎",
}  # fmt: skip
_SILENT = frozenset(
    """noindent indent centering medskip smallskip bigskip hfill hfil vfill newline xspace relax
    leavevmode linebreak nopagebreak pagebreak newpage clearpage allowbreak protect itshape bfseries
    em it bf rm sf tt sc normalfont upshape slshape leanok notready mathlibok ensuremath""".split()
)
_TAGS = {"emph": "em", "textit": "em", "textsl": "em", "textbf": "strong", "underline": "em"}
_TAGS |= {"texttt": "code"}
_DEEPEST = 40
_LONGEST = 60_000


def typeset(
    text: str, maths: Maths, refer: Refer | None = None, span: tuple[int, int] | None = None
) -> str:
    """The HTML of a text; what it has between the offsets of `span` is marked."""
    if len(text) > _LONGEST:
        return f"<pre>{escape(safe(text))}</pre>"
    setter = _Setter(text=text, maths=maths, refer=refer, span=span)
    for match in _TOKEN.finditer(text):
        setter.take(match)
    return setter.finish()


@dataclass(slots=True, kw_only=True)
class _Setter:
    """Pieces of HTML, and what is open: closing tags, of a list its name."""

    text: str
    maths: Maths
    refer: Refer | None
    span: tuple[int, int] | None
    pieces: list[str] = field(default_factory=list)
    open: list[tuple[str, str]] = field(default_factory=list)

    def take(self, match: re.Match[str]) -> None:
        """Add one token."""
        kind = match.lastgroup or ""
        found = match[kind]
        match kind:
            case "words":
                self._words(match)
            case "sign":
                self._leaf(_SIGNS[found], match)
            case "maths" | "display":
                self._leaf(self._formula(found, is_display=kind == "display"), match)
            case "mention":
                self._leaf(self._reference(int(found)), match)
            case "command" | "accent":
                self._leaf(_command(found), match)
            case "cite":
                note = f", {_plain(match['note'])}" if match["note"] else ""
                self._leaf(f"[{_plain(match['cite'])}{note}]", match)
            case "drawn":
                self._leaf(_drawn(found), match)
            case "item":
                self._item(match["label"] or "")
            case _:
                self._structure(kind, found)

    def finish(self) -> str:
        """All of it, with nothing left open."""
        self._close(0)
        return "".join(self.pieces)

    def _structure(self, kind: str, found: str) -> None:
        """Lists, groups, environments; marks are nothing."""
        match kind:
            case "begin" if found.rstrip("*").endswith(("itemize", "enumerate", "description")):
                tag = "ol" if found.endswith("enumerate") else "ul"
                self._push(f"<{tag}><li>", f"</li></{tag}>", "list")
            case "end" if found.rstrip("*").endswith(("itemize", "enumerate", "description")):
                self._close(self._list())
            case "font":
                tag = _TAGS.get(found, "")
                self._push(f"<{tag}>" if tag else "", f"</{tag}>" if tag else "", "group")
            case "brace" if found == "{":
                self._push("", "", "group")
            case "brace" if self.open and self.open[-1][1] == "group":
                self._close(len(self.open) - 1)
            case "begin" | "end":
                self.pieces.append(" ")
            case _:  # marks and braces that nothing opened
                pass

    def _words(self, match: re.Match[str]) -> None:
        """Words, cut where what is marked begins or ends."""
        start, end = match.span()
        cuts = [cut for cut in self.span or () if start < cut < end]
        for begin, finish in zip([start, *cuts], [*cuts, end], strict=True):
            self.pieces.append(self._marked(_clean(self.text[begin:finish]), begin, finish))

    def _leaf(self, piece: str, match: re.Match[str]) -> None:
        self.pieces.append(self._marked(piece, *match.span()))

    def _marked(self, piece: str, start: int, end: int) -> str:
        is_in = self.span is not None and start < self.span[1] and end > self.span[0]
        return f"<mark>{piece}</mark>" if is_in and piece else piece

    def _formula(self, found: str, *, is_display: bool) -> str:
        text = re.sub(r"\x02(\d+)\x03", self._in_formula, found)
        text = re.sub(r"[\x00-\x1f]\d*\x05?", "", text)
        inner = _inner(text)
        made = self.maths(inner, is_display)
        return made if made is not None else f'<code class="tex">{escape(safe(text))}</code>'

    def _in_formula(self, match: re.Match[str]) -> str:
        words = self.refer(int(match[1])).words if self.refer else ""
        return re.sub(r"[\\${}]", "", words)

    def _reference(self, number: int) -> str:
        if self.refer is None:
            return ""
        words, anchor = self.refer(number)
        shown = escape(safe(words))
        return f'<a href="#{escape(anchor)}">{shown}</a>' if anchor else shown

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
        own = f'<li class="own"><b>{typeset(label, self.maths)}</b> '
        self.pieces.append(own if label else "<li>")

    def _list(self) -> int:
        """Where the innermost list is, or how much is open."""
        places = [place for place, (_, kind) in enumerate(self.open) if kind == "list"]
        return places[-1] if places else len(self.open)

    def _push(self, opening: str, closing: str, kind: str) -> None:
        is_deep = len(self.open) >= _DEEPEST
        self.open.append(("" if is_deep else closing, "group" if is_deep else kind))
        if not is_deep:
            self.pieces += re.findall(r"<[^>]*>", opening)

    def _close(self, count: int) -> None:
        while len(self.open) > count:
            self.pieces.append(self.open.pop()[0])


def _clean(text: str) -> str:
    """Words without controls; the white space around them stays."""
    return escape("".join(letter if letter.isprintable() else " " for letter in text))


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
        return f'<code class="tex">{escape(safe(found))}</code>' + " " * found.endswith(" ")
    return escape(safe(words)) + " " * found.endswith(" ")


def _drawn(found: str) -> str:
    return (
        "<details class=drawn><summary>a drawing or table, as LaTeX</summary>"
        f"<pre>{escape(safe(found))}</pre></details>"
    )


def _inner(text: str) -> str:
    """A formula without its fence; alignments keep their environment."""
    for opening, closing in (("\\[", "\\]"), ("\\(", "\\)"), ("$$", "$$"), ("$", "$")):
        if text.startswith(opening) and text.endswith(closing):
            return text[len(opening) : -len(closing)]
    for name in ("equation", "equation*", "displaymath"):
        fence = f"\\begin{{{name}}}"
        if text.startswith(fence):
            return text[len(fence) : -len(fence) + 2]
    return re.sub(r"\{(?:multline|gather|eqnarray|flalign)(\*?)\}", r"{align*}", text)
