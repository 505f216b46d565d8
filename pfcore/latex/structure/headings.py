"""Headings in words inside proofs: `\\textbf{Step 1.}`, `\\emph{Claim A.}`, `\\item[Step 2]`."""

import re
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans, occurrences
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.project import kinds

NAME = "Step."
"""The environment's name for a statement that has only such a heading."""
STEPS = frozenset({"step", "schritt", "etape"})
"""Kinds of headings of the stages of one argument."""
CLAIMS = frozenset({"claim", "sublemma", "fact", "behauptung", "affirmation"})
"""Kinds of headings that announce a statement."""
DIVIDING = frozenset({"case", "part", "fall", "cas"})
"""Kinds of headings that state nothing."""
END = "end"
"""Kind of a heading after the last step: `\\textbf{Conclusion.}`."""

_NAMES = (
    "Step", "STEP", "Claim", "CLAIM", "Sublemma", "Fact", "Schritt", "Behauptung", "Étape",
    "Etape", "Affirmation",
)  # fmt: skip
_DIVIDERS = ("Case", "CASE", "Part", "Fall", "Cas ", "Conclusion", "End of")
_WORD = (
    r"(?:(?P<word>Step|STEP|Claim|CLAIM|Sublemma|Fact|Schritt|Behauptung|(?:É|\\'E|E)tape"
    r"|Affirmation|Case|CASE|Part|Fall|Cas)(?![A-Za-z])"
    r"|(?P<last>Conclusion(?![A-Za-z])(?:[\s~]+of[^{}.:]{1,60})?|End[\s~]+of[^{}.:]{1,60}))"
)
NUMBER = (
    r"(?:\d{1,3}(?:\.\d{1,2}){0,2}[a-z]?|[IVX]{1,5}|[A-Z]|[ivx]{1,4}|[a-z])(?![A-Za-z\d])['′]{0,2}"
)
"""The number of a step or a claim: 1, 2.1, 1a, IV, A'."""
_TITLE = regex(
    _WORD + rf"(?:[\s~]{{1,3}}(?P<number>\$?\(?{NUMBER}\)?\$?))?"
    r"(?:[\s~]{0,3}\([^(){}]{1,60}\))?(?P<stop>[\s~]{0,3}(?:[.:]|---?|–|—))?"
)
_FONT = (
    r"(?:text(?:bf|it|sc|sl|up|sf|rm)|emph|underline|uline"
    r"|(?:subsubsection|paragraph|subparagraph)\*?)"
)
_SWITCH = r"(?:bf|it|em|sl|sc|sf|bfseries|itshape|slshape|scshape|sffamily)(?![A-Za-z])"
_OPENING = regex(
    r"(?P<lead>(?:\\(?:noindent|par|indent|(?:small|med|big)(?:skip|break))(?![A-Za-z])\s{0,20}"
    r"|\\item(?![A-Za-z])\s{0,20}(?!\[)){0,4})"
    rf"(?:\\item\s?(?P<bracket>\[)\s?|(?P<section>\\(?:sub)*(?:section|paragraph)\*?\s?\{{)"
    rf"|\\{_FONT}\s?\{{\s?|\{{\s?(?:\\{_SWITCH}\s?){{1,3}})"
    rf"(?:\\{_FONT}\s?\{{\s?|\{{\s?(?:\\{_SWITCH}\s?){{1,3}})?\Z"
)
_BEFORE = 100
_BREAK = regex(
    r"(?:\A|\n[ \t]*\n|\\(?:begin|end|label)\s?\{[^{}]*\}|\\par|[.!?:;][)}'\]$]{0,4}"
    r"|\\\]|\$\$|\\(?:qed|square|Box|blacksquare)\$?|[□∎■])\s*\Z"
)
_BEHIND = regex(r"[ \t~]{0,9}(?:\([^(){}\n]{1,60}\)\s?)?(?:[.:]|---?|–|—)")
_ENDS = regex(r"\s*(?:\Z|\n|\\(?!ref|eqref|cref)|\()")
_STRIP = regex(r"[\s~$()]")
_ACCENT = regex(r"[\\']")


class Head(NamedTuple):
    """A heading: its span, kind and number, and the span of further words inside its group."""

    start: int
    end: int
    kind: str
    number: str
    inner: tuple[int, int]

    @property
    def says(self) -> bool:
        """Whether the heading, or the text after it, may state something."""
        return self.kind in STEPS or self.kind in CLAIMS


def find_headings(groups: Groups, hidden: Spans) -> list[Head]:
    """All headings of a text; none if there are only dividing ones."""
    found = _found(groups, hidden, _NAMES)
    return sorted([*found, *_found(groups, hidden, _DIVIDERS)]) if found else []


def _found(groups: Groups, hidden: Spans, names: tuple[str, ...]) -> list[Head]:
    text = groups.text
    heads: list[Head] = []
    for position in occurrences(text, names):
        before = text[position - 1 : position]
        if before in ("{", "[", " ", "\n", "'") and not hidden.covers(position):
            head = _head(groups, position - 2 * (before == "'"))
            if head:
                heads.append(head)
    return heads


def _head(groups: Groups, position: int) -> Head | None:
    text = groups.text
    first = max(0, position - _BEFORE)
    opening = _OPENING.search(text[first:position])
    title = _TITLE.match(text, position)
    if not opening or not title or not _is_at_break(text, first, opening):
        return None
    closes = _closes(groups, first, opening)
    if not closes:
        return None
    inner = groups.skip_space(title.end()), closes[0]
    if title.end() > closes[0]:
        return None
    end = closes[-1] + 1
    behind = _BEHIND.match(text, end)
    is_told = inner[0] < inner[1]
    is_marked = title["stop"] or opening["section"] or opening["bracket"]
    if not (title["stop"] if is_told else is_marked or behind or _ENDS.match(text, end)):
        return None
    start = first + opening.start() + len("\\item" if opening["bracket"] else "")
    if "\\item" in opening["lead"]:
        start = first + opening.end("lead")
    kind = END if title["last"] else kinds.kind_of("", _ACCENT.sub("", title["word"]))
    if is_told:
        return Head(start, end, kind, plain_number(title["number"] or ""), inner)
    end = behind.end() if behind else end
    return Head(start, end, kind, plain_number(title["number"] or ""), (end, end))


def plain_number(number: str) -> str:
    """A number as in headings: without brackets and dollar signs."""
    return _STRIP.sub("", number).replace("′", "'")


def _is_at_break(text: str, first: int, opening: re.Match[str]) -> bool:
    """Whether a paragraph, or at least a sentence, ends before a heading."""
    if opening["bracket"] or opening["section"] or opening["lead"]:
        return True
    start = first + opening.start()
    return _BREAK.search(text[max(0, start - _BEFORE) : start]) is not None


def _closes(groups: Groups, first: int, opening: re.Match[str]) -> list[int]:
    """Where the groups of a heading close, the innermost first; none if one does not close."""
    found: list[int] = []
    for offset in range(first + opening.end("lead"), first + opening.end()):
        sign = groups.text[offset]
        if sign in "{[":
            span = groups.braces(offset) if sign == "{" else groups.brackets(offset)
            if span is None:
                return []
            found.append(span[1])
    return found[::-1]
