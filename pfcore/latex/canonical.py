"""The canonical text of a block: what a reader of the PDF reads, whatever the source looks like.

Comments, labels, layout and build marks are gone, the paper's macros are expanded, white space
is folded, references and labels are marks to be filled in by the rendering.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from pfcore.digest import text_digest
from pfcore.latex import events as scanning
from pfcore.latex import kinds, macros
from pfcore.latex.events import Event
from pfcore.latex.groups import Groups
from pfcore.latex.macros import Macro
from pfcore.latex.spans import Spans
from pfcore.latex.syntax import Syntax
from pfcore.model import Mention

MENTION = re.compile("\x02(\\d+)\x03")
ANCHOR = re.compile("\x04(\\d+)\x05")

_WORD_BEFORE = re.compile(kinds.KIND_WORDS + r"[\s~]*\(?$")
_JOINED = re.compile(
    r"\x03[\s~]*(?:,|;|--?|\u2013)?[\s~]*(?:and|or|to)?[\s~]*(?:thus|hence|therefore|so|also|then)?"
    r"[\s~]*(?:of[\s~]+)?(?:" + kinds.KIND_WORDS + r")?[\s~]*\(?$"
)
_NO_USE_BEFORE = re.compile(
    r"(?:\b(?:[Cc]ompare|[Cc]f\.?|[Ss]ee[\s~]also|[Uu]nlike|[Cc]ontrast|superseded[\s~]by"
    r"|(?:complet|finish|conclud|end)\w*[\s~](?:the|our|this)[\s~]proofs?[\s~]of"
    r"|(?:similar|analogous|identical)(?:ly)?[\s~]to|analogues?[\s~]of|generali[sz]\w+(?:[\s~]of)?"
    r"|converse[\s~](?:of|to)|special[\s~]cases?[\s~]of|statements?[\s~]of|(?:version|form)s?[\s~]of"
    r"|(?:to|we|will|shall|now)[\s~](?:now[\s~])?(?:prove|show|establish|deduce|verify|derive|turn[\s~]to)"
    r"|(?:prov|show|establish|deduc|verify|deriv)ing"
    r"|(?:used|needed|useful)[\s~](?:later[\s~]|below[\s~]|again[\s~])?"
    r"(?:in|for)(?:[\s~]the[\s~]proof[\s~]of)?|reduces?(?:[\s~]the[\s~]proof[\s~]of)?)"
    r"[\s~]+(?:the[\s~]+)?(?:" + kinds.KIND_WORDS + r")?[\s~]*\(?)$"
)
_PROOF_BEFORE = re.compile(
    r"\b[Pp]roofs?[\s~]+(?:given[\s~]+)?(?:of|for|to)[\s~]+(?:the[\s~]+)?(?:"
    + kinds.KIND_WORDS
    + r")?[\s~]*$"
)
_ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z@]+$")
_DEPTH = 24
_TEMPLATE_LIMIT = 20_000
_BLOCK_LIMIT = 400_000


@dataclass(kw_only=True)
class Canonical:
    """A canonical text with marks, and what the marks stand for."""

    text: str
    mentions: list[Mention] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)


class Canonicaliser:
    """Renders spans of one masked text."""

    def __init__(
        self, text: str, syntax: Syntax, groups: Groups, listed: Sequence[Event], hidden: Spans
    ) -> None:
        self._text = text
        self._syntax = syntax
        self._groups = groups
        self._events = listed
        self._starts = [event.start for event in listed]
        self._hidden = hidden
        self._templates: dict[Macro, str] = {}

    def block(
        self,
        start: int,
        end: int,
        *,
        cuts: Sequence[tuple[int, int]] = (),
        title: tuple[int, int] | None = None,
    ) -> Canonical:
        """The canonical text between two offsets, title first, without the parts cut out."""
        made = Canonical(text="")
        pieces: list[str] = []
        budget = [_BLOCK_LIMIT + 20 * (end - start)]
        if title and title[1] > title[0]:
            pieces.append("(")
            self._render(*title, pieces, made, budget)
            pieces.append(") ")
        position = start
        for cut_start, cut_end in sorted(cuts):
            if cut_start >= position:
                self._render(position, cut_start, pieces, made, budget)
                position = cut_end
        self._render(position, end, pieces, made, budget)
        made.text = fold("".join(pieces))
        return made

    def _render(
        self, start: int, end: int, pieces: list[str], made: Canonical, budget: list[int]
    ) -> None:
        text = self._text
        position = start
        index = bisect_left(self._starts, start)
        while index < len(self._events) and self._events[index].start < end:
            event = self._events[index]
            index += 1
            if event.start < position:
                continue
            if event.start > position:
                _append(pieces, text[position : event.start])
            position = min(self._emit(event, pieces, made, budget), max(end, event.end))
        if position < end:
            _append(pieces, text[position:end])

    def _emit(
        self, event: Event, pieces: list[str], made: Canonical, budget: list[int]
    ) -> int:
        """Append what an event becomes; return where reading goes on."""
        kind = event.kind
        if kind in ("macro", "active"):
            return self._emit_macro(event, pieces, made, budget)
        if kind in ("reference", "range"):
            _emit_reference(event, pieces, made)
            return event.end
        if kind == "label":
            pieces.append(f"\x04{len(made.anchors)}\x05")
            made.anchors.extend(event.keys)
            return event.end
        if kind == "page":
            pieces.append("[page]")
            return event.end
        if kind in ("uses", "silent"):
            pieces.append(" ")
            return event.end
        _append(pieces, self._text[event.start : event.end])
        return event.end

    def _emit_macro(
        self, event: Event, pieces: list[str], made: Canonical, budget: list[int]
    ) -> int:
        macro = self._syntax.table(event.start).get(event.name)
        if macro is None or self._hidden.covers(event.start):
            _append(pieces, self._text[event.start : event.end])
            return event.end
        if macro.parameters == macros.PRIMITIVE:
            _append(pieces, macro.body)
            return event.end
        found = macros.arguments(macro, self._groups, event.end)
        if found is None or budget[0] < 0:
            _append(pieces, _opaque(event.name, macro))
            return event.end
        spans, end = found
        if event.kind == "active":
            raw = [macros.NO_VALUE if s is None else self._text[slice(*s)] for s in spans]
            inner = self._nested(macros.substitute(macro, raw), event, made, budget)
            _append(pieces, inner)
            return end
        values = [self._argument(span, made, budget) for span in spans]
        body = macros.substitute(macro._replace(body=self._template(event.name, macro)), values)
        budget[0] -= len(body)
        _append(pieces, body.replace(macros.NO_VALUE, ""))
        return end

    def _argument(
        self, span: tuple[int, int] | None, made: Canonical, budget: list[int]
    ) -> str:
        if span is None:
            return macros.NO_VALUE
        pieces: list[str] = []
        self._render(span[0], span[1], pieces, made, budget)
        return "".join(pieces)

    def _nested(self, body: str, event: Event, made: Canonical, budget: list[int]) -> str:
        """Render the text that an active macro stands for; its places are the macro's."""
        budget[0] -= len(body) + 50
        if budget[0] < 0 or len(body) > _TEMPLATE_LIMIT:
            return _opaque(event.name, Macro((), body))
        inner = _Inner(body, self._syntax, event, self._templates)
        pieces: list[str] = []
        inner.render(pieces, made, budget)
        return "".join(pieces).replace(macros.NO_VALUE, "")

    def _template(self, name: str, macro: Macro, depth: int = 0) -> str:
        """The body with the paper's macros in it expanded, its slots kept."""
        if macro in self._templates:
            return self._templates[macro]
        self._templates[macro] = _opaque(name, macro)
        if "\\" in macro.body and depth < _DEPTH:
            self._templates[macro] = self._expanded(name, macro, depth)
        else:
            self._templates[macro] = macro.body
        return self._templates[macro]

    def _expanded(self, name: str, macro: Macro, depth: int) -> str:
        text = macro.body
        groups = Groups(text)
        pieces: list[str] = []
        position = 0
        for match in self._syntax.pattern.finditer(text):
            inner = self._syntax.macros.get(match[3] or "")
            if inner is None or match.start() < position:
                continue
            _append(pieces, text[position : match.start()])
            position = match.end(3)
            if inner.parameters == macros.PRIMITIVE:
                _append(pieces, inner.body)
                continue
            found = macros.arguments(inner, groups, position)
            if found is None:
                _append(pieces, _opaque(match[3], inner))
                continue
            spans, position = found
            values = [macros.NO_VALUE if s is None else text[slice(*s)] for s in spans]
            template = inner._replace(body=self._template(match[3], inner, depth + 1))
            argument = macros.substitute(template, values)
            if len(argument) > _TEMPLATE_LIMIT:
                return _opaque(name, macro)
            _append(pieces, self._again(argument, inner, values, depth))
        _append(pieces, text[position:])
        joined = "".join(pieces)
        return joined if len(joined) <= _TEMPLATE_LIMIT else _opaque(name, macro)

    def _again(self, text: str, inner: Macro, values: list[str], depth: int) -> str:
        """Expand what stood in the arguments; the body itself is expanded already."""
        if not any("\\" in value for value in values) or depth >= _DEPTH:
            return text
        made = Macro(tuple("m" for _ in range(9)), text)
        if made == inner or made in self._templates:
            return self._templates.get(made, text)
        self._templates[made] = text
        self._templates[made] = self._expanded("", made, depth + 1)
        return self._templates[made]


class _Inner(Canonicaliser):
    """Renders the expansion of an active macro; all its marks stand where the macro stands."""

    def __init__(
        self, text: str, syntax: Syntax, outer: Event, templates: dict[Macro, str]
    ) -> None:
        groups = Groups(text)
        listed = scanning.events(text, syntax, groups, Spans(()))
        super().__init__(text, syntax, groups, listed, Spans(()))
        self._templates = templates
        self._outer = outer

    def render(self, pieces: list[str], made: Canonical, budget: list[int]) -> None:
        """Append the whole text; mentions get the span of the macro's use."""
        before = len(made.mentions)
        self._render(0, len(self._text), pieces, made, budget)
        for index in range(before, len(made.mentions)):
            place = {"start": self._outer.start, "end": self._outer.end}
            made.mentions[index] = made.mentions[index]._replace(**place)


def _emit_reference(event: Event, pieces: list[str], made: Canonical) -> None:
    before = "".join(pieces[-6:])[-80:]
    form = _form(event, before, made)
    announced = _WORD_BEFORE.search(before)
    if announced:
        _drop(pieces, len(before) - announced.start())
    if event.name == "eqref" and not announced:
        pieces.append(" ")
    pieces.append(f" \x02{len(made.mentions)}\x03")
    made.mentions.append(Mention(form, event.keys, event.name, event.start, event.end))


def _form(event: Event, before: str, made: Canonical) -> str:
    """How a reference is meant, by the words before it; a list goes on as it began."""
    if made.mentions and made.mentions[-1].form in ("proof", "aside") and _JOINED.search(before):
        return made.mentions[-1].form
    if _NO_USE_BEFORE.search(before):
        return "aside"
    if _PROOF_BEFORE.search(before):
        return "proof"
    return "range" if event.kind == "range" else "reference"


def _drop(pieces: list[str], count: int) -> None:
    while count > 0 and pieces:
        last = pieces.pop()
        if len(last) > count:
            pieces.append(last[: len(last) - count])
            return
        count -= len(last)


def _append(pieces: list[str], text: str) -> None:
    """Append; a command at the end is kept apart from a letter that follows."""
    if text and text[0].isalpha() and pieces and _ENDS_IN_COMMAND.search(pieces[-1][-40:]):
        pieces.append(" ")
    pieces.append(text)


def _opaque(name: str, macro: Macro) -> str:
    """Stands for a macro that cannot be expanded: its definition counts, its name does not."""
    body = re.sub(rf"\\{re.escape(name)}(?![A-Za-z])", r"\\self", macro.body)
    return f"\\macro{{{text_digest('|'.join((*macro.parameters, body)))[:8]}}}"


_MATHS = re.compile(
    r"(?<!\\)\$\$.*?(?<!\\)\$\$|(?<!\\)\$(?:\\.|[^$\\])*\$|\\\[.*?\\\]|\\\(.*?\\\)"
    r"|\\begin\{(equation|align|gather|multline|eqnarray|alignat|flalign|displaymath|math)(\*?)\}"
    r".*?\\end\{\1\2\}",
    re.DOTALL,
)
_TEXT_IN_MATHS = re.compile(r"(\\(?:text\w*|mbox|hbox|fbox|intertext|tag)\*?\s*\{[^{}]*\})")
_IDLE_SPACE = re.compile(r"(?<![A-Za-z\\]) | (?![A-Za-z])(?<!\\ )")
_DISPLAY = re.compile(r"(\\begin\{[^{}]*\}|\\end\{[^{}]*\}|\\\[|\\\]|\$\$|\\item(?![A-Za-z]))")


def fold(text: str) -> str:
    """White space folded to single spaces; inside mathematics, where it means nothing, dropped."""
    text = _DISPLAY.sub(r" \1 ", text.replace("~", " "))
    text = " ".join(text.split())
    return _MATHS.sub(_fold_maths, text)


def _fold_maths(match: re.Match[str]) -> str:
    parts = _TEXT_IN_MATHS.split(match[0])
    return "".join(
        part if index % 2 else _IDLE_SPACE.sub("", part) for index, part in enumerate(parts)
    )


def bare(text: str) -> str:
    """A canonical text without its anchors: what a digest of the block is made from."""
    return fold(ANCHOR.sub(" ", text)) if "\x04" in text else text
