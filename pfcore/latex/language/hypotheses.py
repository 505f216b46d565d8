"""Finds the sentences of a proof that fix a hypothesis for what follows: "Let $p$ be a prime.".

It also finds named hypotheses, which others cite by name: "(H1) The kernel is symmetric.", as an
item of a list, a paragraph or a display with a tag.

It finds where a sentence of a claim stops supposing and begins to claim: what a claim supposes may
tell others what its symbols are; what it claims is not established.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans
from pfcore.latex.language.phrases import CONVENTION_WORDS, HYPOTHESIS_WORDS
from pfcore.latex.project.syntax import LISTS, MATHS

Span = tuple[int, int]

_TOKEN = regex(
    r"\\begin\s*\{(?P<begin>[^{}\n]{1,80})\}|\\end\s*\{(?P<end>[^{}\n]{1,80})\}"
    r"|\\(?P<item>item)(?![A-Za-z@])|\\par(?![A-Za-z@])|\\(?P<open>[\[(])|\\(?P<close>[\])])|\\."
    r"|(?P<dollar>\$\$?)|(?P<gap>\n[ \t]*\n)|(?P<stop>[.!?][')}]*)(?=\s|~|\\|$)",
    re.DOTALL,
)
ABBREVIATION = regex(r"(?:\b(?:{shortened})|\b[A-Za-z])$", words_of=HYPOTHESIS_WORDS)
"""A word before a full stop that does not end a sentence."""
_MATHS = regex(r"\$[^$]*\$|\\\(.*?\\\)|\\\[.*?\\\]", re.DOTALL)
_FIXES = regex(
    r"(?:\b(?:let|fix(?:ing)?|suppos(?:e|ing)|assum(?:e|ing)|choos(?:e|ing)|pick"
    r"|denot(?:e[sd]?|ing)"
    r"|defin(?:e[sd]?|ing)|consider|given|abbreviate|where|hypothes[ie]s)\b"
    r"|(?:^|[,;]|\b(?:we|now|may|can|and|us|so|then))\s+(?:put|set|write|take|call)\b"
    r"|\bwe\s+(?:also\s+)?say\b(?!\s+(?:more|nothing|something)\b)"
    r"|^\W*(?:put|set|write|take|call)\b)",
    re.IGNORECASE,
)
_SETS = regex(r":=|=:|\\(?:coloneqq?|eqqcolon|defeq|eqdef|triangleq)(?![A-Za-z])")
_FOR_NOW = regex(r"\bcontra(?:diction|ry)\b|\bWiderspruch|\babsurde")
_MOST = 100
_LEAVE, _HOLE, _ENTER = range(3)
_CASE = regex(
    r"(?:[^\w\\]|\\(?![A-Za-z]))*+(?:\\case\b"
    r"|(?:\\(?![A-Za-z]*case\b)[A-Za-z]++\*?+\s*+(?:\{\s*+)?+)*+"
    r"(?:\\[A-Za-z]+?|\(?[a-z0-9ivx]{1,4}\)\s*)?case\b)",
    re.IGNORECASE,
)


def hypotheses(
    text: str, start: int, end: int, holes: Sequence[Span], rooms: Sequence[Span] = ()
) -> list[tuple[Span, ...]]:
    """For each hole, and for the end, the earlier sentences that fix something that still holds.

    `holes` are the blocks in between, in order, whose words are their own; `rooms` are the proofs
    of steps, whose cases end with them. A hypothesis of a closed list or an earlier case no longer
    holds; at most the nearest `_MOST` sentences are kept.
    """
    held = _OpenHypotheses()
    found: list[tuple[Span, ...]] = []
    position = start
    stops = [(room[1], _LEAVE, room) for room in rooms] + [
        (room[0], _ENTER, room) for room in rooms
    ]
    stops += ((hole[0], _HOLE, hole) for hole in (*holes, (end, end)))
    for offset, stop, span in sorted(stops, key=lambda item: item[:2]) if rooms else stops:
        for kind, first, last in _Walk(text, position, max(position, offset)).units():
            held.take(kind, (first, last), text)
        position = max(position, offset)
        if stop == _HOLE:
            found.append(tuple(held.spans[-_MOST:]))
            position = max(position, span[1])
        else:
            held.enter(is_room=stop == _ENTER)
    return found


def prose_sentences(text: str, start: int, end: int) -> list[Span]:
    """The sentences of a stretch of prose; a display, and its explanation, belong to a sentence.

    A list or a centred piece after an unfinished sentence belongs to it, even after a blank line;
    otherwise each item of a list is a sentence of its own. Line breaks only matter if they end a
    paragraph.
    """
    found: list[Span] = []
    first, depth = start, 0
    for match in _outside_notes(text, start, end):
        kind = match.lastgroup
        if kind == "formula":
            is_last = match[0][:2] in _DISPLAYED and _ENDS_SENTENCE.search(match[0])
            kind = "stop" if is_last else ""
        if kind == "note":
            first = _behind_note(found, text, first, match, end)
        elif depth:
            depth += (kind == "list") - (kind == "unlist")
            if not depth:
                _append(found, text, first, match.end())
                first = match.end()
        elif kind and _belongs(text, first, match, end):
            depth = int(kind == "list")
        elif kind and not (kind == "stop" and _goes_on(text, first, match, end)):
            _append(found, text, first, match.end() if kind == "stop" else match.start())
            first = match.end()
    _append(found, text, first, end)
    return found


def _goes_on(text: str, first: int, match: re.Match[str], end: int) -> bool:
    """Whether a sentence continues after a full stop: of an abbreviation, or in a footnote."""
    lead = max(first, match.start() - 8), match.start()
    if match[0][0] == "." and ABBREVIATION.search(text, *lead):
        return True
    return "}" in match[0] and _AFTER_NOTE.match(text, match.end(), end) is not None


def _outside_notes(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """The tokens of a stretch of prose; only the beginning of a footnote, which is never cut."""
    behind = start
    for match in _PROSE_TOKEN.finditer(text, start, end):
        if match.start() >= behind:
            yield match
            if match.lastgroup == "note":
                behind = _end_of_note(text, match.end(), end)


def _behind_note(found: list[Span], text: str, first: int, match: re.Match[str], end: int) -> int:
    """The start of a sentence with a footnote; a footnote after a full stop is split by itself."""
    behind = _end_of_note(text, match.end(), end)
    if text[first : match.start()].strip() or behind == match.end():
        return first
    found += prose_sentences(text, match.end(), behind - 1)
    return behind


def _end_of_note(text: str, start: int, end: int) -> int:
    """The offset after the closing brace of a footnote; `start` if there is none near."""
    close = end_of_group(text, start, min(end, start + _LONGEST_NOTE))
    return start if close < 0 else close + 1


def end_of_group(text: str, start: int, end: int) -> int:
    """The offset of the brace that closes the group in which a stretch begins; -1 if none does."""
    depth = 1
    for match in _BRACE.finditer(text, start, end):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if not depth:
            return match.start()
    return -1


_BRACE = regex(r"\\.|[{}]", re.DOTALL)
_LONGEST_NOTE = 4_000
_LISTED = "|".join(sorted({*LISTS, "center", "quote", "quotation", "tabular", "tabularx"}))
_ENVS = (
    "equation|align|gather|multline|eqnarray|alignat|flalign|displaymath|math|subequations"
    "|IEEEeqnarray|dmath|dgroup|mathpar"
)
_PROSE_TOKEN = regex(
    r"(?=[$\\\n.!?])(?:(?P<formula>\$(?<!\\\$)(?:\$[^$]*\$\$|[^$]*\$)|\\\[[^\\]*(?:\\[^\[\]][^\\]*)*\\\]"
    r"|\\\([^\\]*(?:\\[^()][^\\]*)*\\\)"
    rf"|\\begin\{{(?P<env>(?:{_ENVS})\*?)\}}[^\\]*(?:\\(?!(?:begin|end)\{{(?P=env)\}})[^\\]*)*\\end\{{(?P=env)\}})"
    rf"|(?P<list>\\begin\{{(?:{_LISTED})\}})|(?P<unlist>\\end\{{(?:{_LISTED})\}})"
    r"|(?P<cut>\\(?:begin|end)\{[^{}\n]{1,80}\}(?:\[[^\[\]]{0,80}\])?"
    r"|\\item(?![A-Za-z@])(?:\s*\[[^\[\]]{0,40}\])?"
    r"|\\par(?![A-Za-z@])|\n[ \t]*\n|\\(?:input|include|subfile|includegraphics|maketitle"
    r"|tableofcontents|appendix)"
    r"(?![A-Za-z])(?:\[[^\[\]]{0,80}\])?(?:\{[^{}]{0,120}\})?)"
    r"|(?P<note>\\(?:footnote(?:text)?|marginpar|thanks)(?![A-Za-z])(?:\[\d{0,4}\])?\s?\{)"
    r"|(?P<stop>[.!?][')}]*(?=[\s~\\$]|\Z)))",
)
_GOES_ON = regex(rf"\n[ \t]*\n\s{{0,40}}(?:\\\[|\$\$|\\begin\{{(?:(?:{_ENVS})\*?|{_LISTED})\}})")
_OPEN_END = regex(r"[^\s.!?}\])][\s~]*\Z|[A-Za-z}\])$][\s~]*:\s*\Z")
_WORD = regex(r"[^\W\d_]{2,}")
_FEWEST_WORDS = 3


def _belongs(text: str, first: int, match: re.Match[str], end: int) -> bool:
    """Whether a list, or a display or list after a blank line, continues the words before it.

    These words are at least three, or end with a colon, and do not end with a full stop.
    """
    last = match.start()
    is_more = match.lastgroup == "list" or (
        match.lastgroup == "cut" and _GOES_ON.match(text, last, end) is not None
    )
    if not is_more or not _OPEN_END.search(text, first, last):
        return False
    if match.lastgroup == "list" and _tells(text, match, end):
        return False
    words = list(islice(_WORD.finditer(text, first, last), _FEWEST_WORDS))
    return len(words) == _FEWEST_WORDS or text[first:last].rstrip().endswith(":")


def _tells(text: str, match: re.Match[str], end: int) -> bool:
    """Whether most items of a long list have several sentences, and so stand by themselves."""
    close = text.find(match[0].replace("begin", "end"), match.end(), end)
    if close - match.end() < _LONG_LIST:
        return False
    items = _ITEM.split(text[match.end() : close])[1:]
    several = sum(1 for item in items if _NEXT_SENTENCE.search(item))
    return 2 * several > len(items) > 1


_LONG_LIST = 800
_ITEM = regex(r"\\item(?![A-Za-z@])")
_NEXT_SENTENCE = regex(r"[a-z$)}]\.[\s~]+(?:[A-ZÀ-Ý$\\])")

_AFTER_NOTE = regex(rf"(?!\s*\n[ \t]*\n)\s*(?:[a-z,;]|\\\[|\$\$|\\begin\{{(?:{_ENVS})\*?\}})")
"""How a sentence continues after a footnote that ends with a full stop."""
_DISPLAYED = ("$$", "\\[", "\\b")
_ENDS_SENTENCE = regex(
    r"\.(?:[\s}~]|\\(?:label|tag|index|lean|uses|discussion)\*?\s?\{[^{}]{0,120}\}"
    r"|\\(?:leanok|mathlibok|notready|qedhere|nonumber|notag|right|quad)(?![A-Za-z])"
    r"|\\\\)*(?:\$\$|\\\]|\\end\{[a-z]+\*?\}(?:\s*\\end\{[a-z]+\*?\})*)\Z"
)
"""A display that ends with a full stop, perhaps inside an inner environment such as `aligned`."""
_EXPLAINS = regex(r"(?:{explains})(?!\w)", words_of=HYPOTHESIS_WORDS)
_AFTER_DISPLAY = regex(r"(?:\\\]|\$\$|\\end\{[a-z]+\*?\})\Z")


def _append(found: list[Span], text: str, first: int, last: int) -> None:
    """Add a sentence without the blanks around it, or join it to the display that it explains."""
    words = text[first:last]
    start = first + len(words) - len(words.lstrip())
    end = first + len(words.rstrip())
    if start >= end:
        return
    if (
        found
        and _EXPLAINS.match(text, start)
        and _AFTER_DISPLAY.search(text, found[-1][0], found[-1][1])
    ):
        found[-1] = (found[-1][0], end)
    else:
        found.append((start, end))


def first_sentence(text: str, start: int, end: int) -> Span | None:
    """The first sentence between two offsets, if there is one."""
    units = _Walk(text, start, end).units()
    return next(((first, last) for kind, first, last in units if kind == "sentence"), None)


class _OpenHypotheses:
    """The sentences that still hold, given the lists and cases that contain them."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self._lists: list[int] = []
        self._case = -1
        self._outer_case = -1
        self._is_in_room = False

    def enter(self, *, is_room: bool) -> None:
        """Enter the proof of a step, or leave it."""
        if is_room:
            self._case, self._outer_case = -1, self._case
        else:
            if self._case >= 0:
                del self.spans[self._case :]
            self._case, self._outer_case = self._outer_case, -1
        self._is_in_room = is_room

    def take(self, kind: str, span: Span, text: str) -> None:
        if kind == "list":
            self._lists.append(len(self.spans))
        elif kind == "item" and self._lists:
            del self.spans[self._lists[-1] :]
        elif kind == "unlist" and self._lists:
            del self.spans[self._lists.pop() :]
        elif kind == "sentence":
            self._sentence(span, text[slice(*span)])

    def _sentence(self, span: Span, words: str) -> None:
        if _CASE.match(words):
            self._case = len(self.spans) if self._case < 0 else self._case
            del self.spans[self._case :]
        if fixes(words) and not (self._is_in_room and _FOR_NOW.search(words)):
            self.spans.append(span)


def fixes(sentence: str) -> bool:
    """Whether a sentence introduces an object or supposes something."""
    if _SETS.search(sentence):
        return True
    words = _MATHS.sub(" $ ", sentence)
    return _FIXES.search(words) is not None or _FIXES_ABROAD.search(words) is not None


_FIXES_ABROAD = regex(r"(?<!\w)(?:{fixing})(?!\w)", re.IGNORECASE, words_of=HYPOTHESIS_WORDS)
"""German and French words that fix something."""


class _Walk:
    """A stretch of prose; mathematics is skipped, a list after a colon belongs to its sentence."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text = text
        self._first = start
        self._end = end
        self._closer = ""
        self._attached = 0
        self._is_announced = False

    def units(self) -> Iterator[tuple[str, int, int]]:
        for match in _TOKEN.finditer(self._text, self._first, self._end):
            if self._closer:
                yield from self._in_maths(match)
            elif closer := _closer(match):
                self._closer = closer
            elif match["begin"] or match["end"]:
                yield from self._environment(match)
            elif self._attached or self._is_announced:
                continue
            elif match["item"]:
                yield from self._cut(match.start(), match.end())
                yield "item", match.start(), match.end()
            elif match["gap"] or match[0] == "\\par":
                yield from self._cut(match.start(), match.end())
            elif match["stop"] and not self._is_abbreviated(match.start()):
                self._is_announced = self._announces(match.end())
                if not self._is_announced:
                    yield from self._cut(match.end(), match.end())
        yield from self._cut(self._end, self._end)

    def _announces(self, last: int) -> bool:
        """Whether a sentence announces the display or list right after it: "the following"."""
        if not _SHOWN.match(self._text, last, self._end):
            return False
        words = _MATHS.sub("$", self._text[self._first : last])
        return _ANNOUNCES.search(words, max(0, len(words) - _NEAR_END)) is not None

    def _in_maths(self, match: re.Match[str]) -> Iterator[tuple[str, int, int]]:
        """Ends the sentence after a display that ends in a full stop or was announced."""
        if match[0].replace(" ", "") == self._closer:
            is_display = self._closer not in ("$", "\\)")
            self._closer = ""
            is_last = self._is_announced or self._text[: match.start()].rstrip().endswith(".")
            if is_display and is_last:
                yield from self._cut(match.end(), match.end())

    def _environment(self, match: re.Match[str]) -> Iterator[tuple[str, int, int]]:
        if (match["begin"] or match["end"]).rstrip("*") not in LISTS:
            yield from self._cut(match.start(), match.end())
        elif self._attached:
            self._attached += 1 if match["begin"] else -1
            if not self._attached:
                yield from self._cut(match.end(), match.end())
        elif match["begin"] and self._leads_on(match.start()):
            self._attached = 1
        else:
            yield from self._cut(match.start(), match.end())
            yield "list" if match["begin"] else "unlist", match.start(), match.end()

    def _cut(self, last: int, following: int) -> Iterator[tuple[str, int, int]]:
        words = self._text[self._first : last]
        start = self._first + len(words) - len(words.lstrip())
        end = last - (len(words) - len(words.rstrip()))
        self._first = following
        self._is_announced = False
        if start < end:
            yield "sentence", start, end

    def _leads_on(self, last: int) -> bool:
        """Whether a list that begins continues the sentence before it."""
        return self._is_announced or self._text[self._first : last].rstrip().endswith(":")

    def _is_abbreviated(self, offset: int) -> bool:
        return bool(ABBREVIATION.search(self._text[max(0, offset - 8) : offset]))


_NEAR_END = 80
_SHOWN = regex(rf"\s*(?:\\\[|\$\$|\\begin\s*\{{(?:(?:{_ENVS})\*?|{_LISTED})\}})")
_ANNOUNCES = regex(r"(?<!\w)(?:{lists})(?!\w)", words_of=CONVENTION_WORDS)


def _closer(match: re.Match[str]) -> str:
    """The end of the formula that a token opens; "" if it opens none."""
    if match["dollar"]:
        return match["dollar"]
    if match["open"]:
        return {"[": "\\]", "(": "\\)"}[match["open"]]
    if (match["begin"] or "").rstrip("*") in MATHS:
        return f"\\end{{{match['begin']}}}"
    return ""


_MARKS = {
    "star": "⋆", "ast": "∗", "*": "∗", "dagger": "†", "dag": "†", "ddagger": "‡", "ddag": "‡",
}  # fmt: skip
ASSUMPTION_NAME = r"(?:[A-Z]{1,3}(?:[.-]?\d{1,2})?['′]?|[A-Z][a-z]{2,9}|[⋆∗†‡]{1,3})"
"""The name of an assumption, without its brackets: "(A1)", "(Inj)", "(∗)"."""

_SUBSCRIPT = r"_\s?\{?\s?(?P<number>\d{1,2})\s?\}?"
_SUBSCRIPTED = regex(
    r"[$(](?:(?:(?<=\$)\s?\(|(?<=\()\s?\$)\s?(?:\\math[a-z]{2}\s?\{)?(?P<lead>[A-Z]{1,3})\}?\s?"
    rf"{_SUBSCRIPT}\s?(?:\)\s?\$|\$\s?\))"
    rf"|(?<=\()(?P<word>[A-Z]{{1,3}})\$\s?{_SUBSCRIPT.replace('number', 'digits')}\s?\$\))"
)


_MARK = r"(?:\\(?:star|ast|d?dag(?:ger)?)(?![A-Za-z])\s?|\*)"
_MARKED = regex(
    rf"(?=[$(\\])(?:(?P<open>\$\s?\(|(?<![\w)])\(\s?\$?)\s?(?P<marks>{_MARK}{{1,3}})\s?(?:\)\s?\$|\$?\s?\))"
    rf"|(?P<tag>\\tag\*?\{{)\(?\s?\$?(?P<tagged>{_MARK}{{1,3}})\$?\s?\)?(?=\}}))"
)
_ALONE = regex(
    r"\$\s?(?:\\(?:math|text)[a-z]{2}\s?\{\s?)?\(\s?(?:\\(?:math|text)[a-z]{2}\s?\{\s?)?"
    r"(?P<name>[A-Z]{1,3}|[A-Z][a-z]{2,9})\}?\s?\)\s?\}?\s?\$"
)
_MAY_BE_MARKED = regex(rf"[({{][\s$]{{0,3}}{_MARK}")
"""Matches in every text that `_MARKED` may match; fast."""
_ONE_MARK = regex(r"[a-z]+|\*")


def with_plain_names(text: str) -> str:
    r"""A text of the same length with names of assumptions in plain text.

    "(H1)" replaces `$(H_1)$`, "(P)" replaces `$(P)$`, "(⋆)" replaces `$(\star)$`.
    """
    if "(" in text:
        text = _SUBSCRIPTED.sub(_plain_name, text) if "_" in text else text
        if "$" in text:
            text = _ALONE.sub(lambda match: f"({match['name']})".ljust(len(match[0])), text)
    elif "\\tag" not in text:
        return text
    return _MARKED.sub(_plain_mark, text) if _MAY_BE_MARKED.search(text) else text


def _plain_mark(match: re.Match[str]) -> str:
    marks = (_MARKS[mark] for mark in _ONE_MARK.findall(match["marks"] or match["tagged"]))
    plain = "".join(marks)
    return (f"{match['tag']}{plain}" if match["tag"] else f"({plain})").ljust(len(match[0]))


def _plain_name(match: re.Match[str]) -> str:
    name = match["lead"] or match["word"]
    return f"({name}{match['number'] or match['digits']})".ljust(len(match[0]))


_NAMING = regex(
    rf"\({ASSUMPTION_NAME}\)|\([A-Z]{{0,3}}[.-]?\\(?:arabic|Alph)\*|\\tag\*?\{{\(?{ASSUMPTION_NAME}\)?\s*+\}}"
)
_NAMED = regex(rf"\((?P<name>{ASSUMPTION_NAME})\)")
NAME_TAG = regex(rf"\\tag\*?\{{\(?(?P<name>{ASSUMPTION_NAME})\)?\s*+\}}")
_IN_BRACKETS = r"\[(?P<{0}>(?:[^\[\]{{}}]|\{{[^{{}}]{{0,60}}\}}){{0,200}}+)\]"
_OWN_LIST = regex(r"\\newlist\s?\{(?P<name>[A-Za-z]{1,20})\}")
_SET_LIST = regex(
    r"\\setlist\s?\[\s?(?P<name>[A-Za-z]{1,20})\s?(?:,\s?1\s?)?\]\s?"
    r"\{(?P<options>(?:[^{}]|\{[^{}]{0,60}\}){0,200})\}"
)


def own_lists(text: str) -> dict[str, str]:
    """The lists that a text declares, and those that it sets, with the options of their items."""
    if "\\newlist" not in text and "\\setlist" not in text:
        return {}
    found = {match["name"]: "" for match in _OWN_LIST.finditer(text)}
    return found | {match["name"]: match["options"] for match in _SET_LIST.finditer(text)}


@cache
def _list_token(own: tuple[str, ...]) -> re.Pattern[str]:
    listed = "|".join(sorted({*LISTS, *own}))
    return re.compile(
        rf"\\begin\{{(?P<begin>{listed})\}}(?:\s?{_IN_BRACKETS.format('options')})?"
        rf"|\\(?P<end>end)\{{(?:{listed})\}}"
        rf"|\\(?P<item>item)(?![A-Za-z@])(?:\s?{_IN_BRACKETS.format('label')})?"
    )


_TYPOGRAPHY = regex(r"\\[A-Za-z]+\s?|[{}$_~\s]")
_WRITTEN = regex(rf"\((?P<name>{ASSUMPTION_NAME})\)[.:]?(?P<more>.?)")
_COUNTED = regex(
    r"\((?:\\[a-z]+\{)?(?P<lead>[A-Z]{0,3}[.-]?)(?:\\(?P<how>arabic|Alph)\*|(?P<one>1))\}?\)"
)
_FROM = regex(r"start\s?=\s?(\d{1,3})")
_FONT = (
    r"(?:\\(?:text(?:bf|it|sc|sl|up|sf|rm)|emph|underline|(?:sub)?paragraph\*?)\s?\{\s?"
    r"|\{\s?\\(?:bf|it|em|sl|sc|sf|rm|bfseries|itshape)(?![A-Za-z])\s?)"
)
_FONTS = rf"(?:{_FONT}){{0,2}}"
_IS_NAME = regex(ASSUMPTION_NAME)
_BREAK = regex(r"\\(?:noindent|par|newline|(?:small|med|big)skip)\Z|\\\\(?:\[[^\[\]]{1,12}\])?\Z")
_ENDS_PARAGRAPH = regex(r"\n[ \t]*\n|\\par(?![A-Za-z])")
SPEAKS_OF = regex(
    r"[\s~}]*(?:[^\W\d_A-ZÄÖÜÉÈÀÊ]|[,;)=⇒⇔\u2013\u2014-]|\$?\s?\\(?:Left|Right|Longright|Longleft|Leftright)arrow"
    r"|\$?\s?\\(?:implies|iff|impliedby|to)(?![A-Za-z]))"
)
"""Follows a name that the text mentions rather than gives."""
_STOPS = regex(r"[\s~}]*[.:]")
_LONGEST_NAMED = 3_000
_NEAR_NAME = 80


class NamedItem(NamedTuple):
    """A named item of a list: the span of its words, the start of its list, and its label.

    `label` is what LaTeX prints before the words: a span of the text, or a string if LaTeX counts.
    """

    name: str
    span: Span
    around: int
    label: Span | str
    is_counted: bool


class NamedPassage(NamedTuple):
    """A passage that gives names, its span, and the parts of its text: spans, and printed names.

    The passage's own words begin after `behind`, if it is not empty.
    """

    names: tuple[str, ...]
    span: Span
    parts: tuple[Span | str, ...]
    behind: str = ""


def named_passages(
    prose: str,
    sentences: Sequence[Span],
    items: Sequence[NamedItem],
    introduces: Callable[[str], bool],
) -> tuple[list[NamedPassage], list[Span]]:
    """The passages of a text that give names, in order, and the remaining sentences.

    A list of named items belongs to the sentence that leads to it if that introduces something;
    otherwise each item is a passage, preceded by the words of that sentence.
    """
    if not (items or gives_names(prose)):
        return [], list(sentences)
    found: list[NamedPassage] = []
    left: list[Span] = []
    alone = {item.span: item for item in items}
    arounds = [item.around for item in items]
    for start, end in sentences:
        held = items[bisect_left(arounds, start) : bisect_left(arounds, end)]
        if not held:
            left.append((start, end))
            continue
        lead = start, held[0].around
        is_whole = introduces(prose[slice(*lead)])
        for item in held:
            del alone[item.span]
            if not is_whole:
                found.append(_of_item(item, lead if lead[0] < lead[1] else None))
        if is_whole:
            names = tuple(item.name for item in held)
            found.append(NamedPassage(names, (start, end), with_labels((start, end), held)))
        elif lead[0] < lead[1]:
            left.append(lead)
    found += [_of_item(item) for item in alone.values()]
    found += _named_paragraphs(prose, Spans(one.span for one in found))
    inside = Spans(one.span for one in found)
    left = [span for span in left if not inside.covers(span[0])]
    found += _tagged(prose, left)
    inside = Spans(one.span for one in found)
    return sorted(found, key=_place), [span for span in left if not inside.covers(span[0])]


def gives_names(prose: str) -> bool:
    """Whether a text may give a name to something."""
    return _NAMING.search(prose) is not None


def opens_with_name(title: str) -> bool:
    """Whether a heading begins with a name, perhaps after a word."""
    return "(" in title and _OPENING.match(title) is not None


def _place(passage: NamedPassage) -> Span:
    return passage.span


def _of_item(item: NamedItem, lead: Span | None = None) -> NamedPassage:
    words = (item.label, " ", item.span) if item.label else (item.span,)
    before = (lead, " ") if lead else ()
    return NamedPassage((item.name,), item.span, (*before, *words), f"({item.name})")


def with_labels(span: Span, items: Sequence[NamedItem]) -> tuple[Span | str, ...]:
    """The parts of a passage, including the labels that LaTeX counts in its lists."""
    parts: list[Span | str] = []
    start, end = span
    for item in items:
        if item.is_counted and start <= item.span[0] <= end:
            parts += [(start, item.span[0]), f" {item.label} "]
            start = item.span[0]
    return (*parts, (start, end))


class _List:
    """An open list: where it begins, how it counts, and its open item."""

    def __init__(self, match: re.Match[str], numbers: dict[str, int], options: str) -> None:
        self.start = match.start()
        counted = _COUNTED.search(options)
        self._how = counted["how"] or "arabic" if counted else ""
        self._lead = counted["lead"] if counted else ""
        begins = _FROM.search(options)
        self._number = int(begins[1]) - 1 if begins else 0
        if "resume" in options:
            self._number = numbers.get(self._lead, 0)
        self._numbers = numbers
        self._item: tuple[str, int, Span | str, bool] | None = None

    def open(self, prose: str, match: re.Match[str]) -> None:
        """Begin an item."""
        start = match.end()
        if match["label"] is not None:
            written = _WRITTEN.match(_TYPOGRAPHY.sub("", match["label"]))
            is_all = written and not written["more"] and "_" not in match["label"]
            label = f"({written['name']})" if written and is_all else match.span("label")
            self._item = (written["name"], start, label, False) if written else None
        elif self._how:
            self._number += 1
            self._numbers[self._lead] = self._number
            number = str(self._number) if self._how == "arabic" else _letter(self._number)
            name = f"{self._lead}{number}"
            self._item = (name, start, f"({name})", True) if _IS_NAME.fullmatch(name) else None
        else:
            found = _OPENING.match(prose, start, start + _NEAR_NAME)
            is_given = found is not None and _is_given(prose, found)
            self._item = (found["name"], start, "", False) if found and is_given else None

    def close(self, end: int) -> Iterator[NamedItem]:
        """End the item that is open."""
        if self._item is not None:
            name, start, label, is_counted = self._item
            if end - start <= _LONGEST_NAMED:
                yield NamedItem(name, (start, end), self.start, label, is_counted)
        self._item = None


def named_items(prose: str, own: Mapping[str, str] = MappingProxyType({})) -> list[NamedItem]:
    """The named items of the lists of a text, in the order of the lists' beginnings.

    `own` are the options of lists that the author declares or sets.
    """
    if "\\item" not in prose or not (gives_names(prose) or any(map(gives_names, own.values()))):
        return []
    found: list[NamedItem] = []
    opened: list[_List] = []
    numbers: dict[str, int] = {}
    for match in _list_token(tuple(own)).finditer(prose):
        if match["item"]:
            if opened:
                found += opened[-1].close(match.start())
                opened[-1].open(prose, match)
        elif match["end"]:
            if opened:
                found += opened.pop().close(match.start())
        else:
            options = match["options"] or own.get(match["begin"], "")
            opened.append(_List(match, numbers, options))
    return sorted(found, key=lambda item: (item.around, item.span))


def _letter(number: int) -> str:
    return chr(ord("A") + number - 1) if number <= 26 else ""


def _named_paragraphs(prose: str, taken: Spans) -> Iterator[NamedPassage]:
    """The paragraphs that begin with a name, each up to the next name."""
    starts: list[tuple[int, str]] = []
    last = 0
    for match in _NAMED.finditer(prose):
        if match.start() < last or taken.covers(match.start()):
            continue
        lower = max(last, match.start() - _NEAR_NAME)
        found = _BEFORE_NAME.search(prose, lower, match.start())
        start = found.start() if found else match.start()
        opening = _OPENING.match(prose, start, match.end() + _NEAR_NAME)
        is_named = opening is not None and (opening["font"] or not match["name"][1:2].islower())
        if opening and is_named and _is_given(prose, opening) and _opens_paragraph(prose, start):
            starts.append((start, match["name"]))
            last = match.end()
    for index, (start, name) in enumerate(starts):
        stop = starts[index + 1][0] if index + 1 < len(starts) else len(prose)
        stop = min(stop, start + _LONGEST_NAMED)
        found = _ENDS_PARAGRAPH.search(prose, start, stop)
        words = prose[start : found.start() if found else stop].rstrip().removesuffix("\\\\")
        span = start, start + len(words.rstrip())
        yield NamedPassage((name,), span, (span,))


def _opens_paragraph(prose: str, start: int) -> bool:
    """Whether a paragraph, or a line after a forced break, begins here."""
    if prose.startswith(("\\paragraph", "\\subparagraph"), start):
        return True
    position, breaks = start, 0
    while position > 0 and prose[position - 1].isspace():
        position -= 1
        breaks += prose[position] == "\n"
    if position == 0 or breaks > 1:
        return True
    return _BREAK.search(prose, max(0, position - _NEAR_NAME), position) is not None


def _is_given(prose: str, opening: re.Match[str]) -> bool:
    """Whether a passage that begins with a name gives the name, rather than mentions it."""
    if _STOPS.match(prose, opening.end()):
        return True
    if opening["word"] and not opening["font"]:
        return False
    return not SPEAKS_OF.match(prose, opening.end())


def _tagged(prose: str, sentences: Sequence[Span]) -> Iterator[NamedPassage]:
    """The sentences with a display whose tag is a name."""
    starts = [start for start, _ in sentences]
    names: dict[Span, dict[str, None]] = {}
    for match in NAME_TAG.finditer(prose):
        index = bisect_right(starts, match.start()) - 1
        if index >= 0 and match.start() < sentences[index][1]:
            names.setdefault(sentences[index], {})[match["name"]] = None
    return (NamedPassage(tuple(listed), span, (span,)) for span, listed in names.items())


_OPENING = regex(
    rf"\s*(?P<font>{_FONTS})(?P<word>(?:(?:{{named}})[\s~]+)?)\((?P<name>{ASSUMPTION_NAME})\)",
    words_of=CONVENTION_WORDS,
)
"""A name at the start, perhaps in a font and after a word for an assumption."""
_BEFORE_NAME = regex(
    rf"(?:{_FONT}){{0,2}}(?:(?<!\w)(?:{{named}})[\s~]+)?\Z", words_of=CONVENTION_WORDS
)


_FORMULA_OF_CLAIM = regex(
    r"\$[^$]*\$|\\\(.*?\\\)|\\\[.*?\\\]|\\begin\{(\w+\*?)\}.*?\\end\{\1\}", re.DOTALL
)
_CLAIM_LEAD = (
    r"\W*(?:(?:now|further|furthermore|moreover|also|in addition|finally|next|again|and|nun|ferner"
    r"|weiter|außerdem|de plus|enfin|maintenant)(?!\w),?[\s~]+){0,2}"
)
_HELD_BEFORE = 24
_CLAIM_JOINT = r"[\s~]+(?:also[\s~]+|auch[\s~]+|aussi[\s~]+|we[\s~]+)?"


_CLAIM_OPENING = regex(
    rf"{_CLAIM_LEAD}(?:{{opens}}|(?P<if>{{conditions}}))(?!\w)", re.I, words_of=HYPOTHESIS_WORDS
)
_CLAIM = regex(
    rf"(?<!\w)(?:{{claims}})(?!\w)(?!{_CLAIM_JOINT}(?:{{going_on}})(?!\w))"
    r"|(?P<if>,[\s~]*(?:{claims_existence})(?!\w))",
    re.IGNORECASE,
    words_of=HYPOTHESIS_WORDS,
)
_HELD = regex(r"(?<!\w)(?:{holding})[\s~,]*\Z", re.IGNORECASE, words_of=HYPOTHESIS_WORDS)


def end_of_hypothesis(sentence: str) -> int:
    """The end of the part of a claim's sentence that fixes or supposes something; 0 if none does.

    A condition without a recognisable end does not count: "For every $p$, $f(p)=1$."
    """
    words = _FORMULA_OF_CLAIM.sub(lambda match: "$" * len(match[0]), sentence)
    opening = _CLAIM_OPENING.match(words)
    if not opening:
        return 0
    is_condition = opening["if"] is not None
    for match in _CLAIM.finditer(words):
        is_held = _HELD.search(words, max(0, match.start() - _HELD_BEFORE), match.start())
        if not is_held and (is_condition or match["if"] is None):
            return len(sentence[: match.start()].rstrip())
    if is_condition and not fixes(words.partition(",")[2]):
        return 0
    return len(sentence)


_RELATED = (
    r"\$(?=[^$]{0,200}(?:[<>=≤≥≠∈∣⊂⊆]|\\(?:l(?:e|eq|eqslant|l|t)|g(?:e|eq|eqslant|g|t)|neq?|in|mid"
    r"|equiv|cong|sim|subset(?:eq)?|prec|succ)(?![A-Za-z])))[^$]{1,400}\$"
)
_JOINT = r"(?:,?[\s~]+(?:{joining})[\s~]+|,[\s~]*+(?:(?:{joining})[\s~]+)?)"
_RANGES = regex(
    rf"(?<![\w-])(?:{{ranging}})(?:[\s~]+[^\W\d_]{{1,20}}){{0,3}}[\s~]+{_RELATED}"
    rf"(?:{_JOINT}{_RELATED})*+",
    re.IGNORECASE,
    words_of=HYPOTHESIS_WORDS,
)
_LAST = regex(rf",[\s~]*{_RELATED}\Z")
_AT_END = regex(r"[\s.~]*\Z")
_CLAIMING = regex(
    r"(?<!\w)(?:{claiming})[\s~,]+(?:[^\W\d_]{1,20}[\s~]+){0,3}\Z",
    re.IGNORECASE,
    words_of=HYPOTHESIS_WORDS,
)
_AROUND = 24


def ranges(sentence: str) -> list[str]:
    """The parts of a sentence that say for which objects it holds: "for each fixed $A\\ge0$".

    If formulas are separated by commas only, the last one of a sentence is the claim, and so is
    anything after "only if".
    """
    found: list[str] = []
    for match in _RANGES.finditer(sentence):
        part = match[0]
        start = match.start()
        head = sentence[max(0, start - _AROUND) : start] + part.partition("$")[0]
        if _CLAIMING.search(head):
            continue
        if _AT_END.match(sentence, match.end()):
            part = _LAST.sub("", part)
        found.append(part)
    return found
