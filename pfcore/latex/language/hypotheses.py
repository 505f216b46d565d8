"""Sentences of a proof, and those that fix a hypothesis for what follows: "Let $p$ be a prime."."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from pfcore.latex.project.syntax import LISTS, MATHS

Span = tuple[int, int]

_TOKEN = re.compile(
    r"\\begin\s*\{(?P<begin>[^{}\n]{1,80})\}|\\end\s*\{(?P<end>[^{}\n]{1,80})\}"
    r"|\\(?P<item>item)(?![A-Za-z@])|\\par(?![A-Za-z@])|\\(?P<open>[\[(])|\\(?P<close>[\])])|\\."
    r"|(?P<dollar>\$\$?)|(?P<gap>\n[ \t]*\n)|(?P<stop>[.!?][')}]*)(?=\s|~|\\|$)",
    re.DOTALL,
)
ABBREVIATION = re.compile(
    r"(?:\b(?:[Ee]\.g|[Ii]\.e|[Cc]f|resp|vs|etc|[Tt]hms?|[Ll]em|[Pp]rops?|[Cc]or|[Dd]efs?"
    r"|[Dd]efn|[Rr]em"
    r"|[Ee]qs?|[Ee]qns?|[Ff]igs?|[Ss]ecs?|[Cc]h|[Pp]p?|[Nn]o|al|w\.r\.t|a\.e|a\.s|s\.t)|\b[A-Z])$"
)
"""What ends before a full stop that ends no sentence."""
_MATHS = re.compile(r"\$[^$]*\$|\\\(.*?\\\)|\\\[.*?\\\]", re.DOTALL)
_FIXES = re.compile(
    r"(?:\b(?:let|fix(?:ing)?|suppos(?:e|ing)|assum(?:e|ing)|choos(?:e|ing)|pick"
    r"|denot(?:e[sd]?|ing)"
    r"|defin(?:e[sd]?|ing)|consider|given|abbreviate|where|hypothes[ie]s)\b"
    r"|(?:^|[,;]|\b(?:we|now|may|can|and|us|so|then))\s+(?:put|set|write|take|call)\b"
    r"|^\W*(?:put|set|write|take|call)\b|:=|\\coloneqq|\\defeq|\\triangleq)",
    re.IGNORECASE,
)
_FOR_NOW = re.compile(r"\bcontra(?:diction|ry)\b|\bWiderspruch|\babsurde")
_MOST = 40
_LEAVE, _HOLE, _ENTER = range(3)
_CASE = re.compile(
    r"(?:[^\w\\]|\\(?![A-Za-z]))*+(?:\\case\b"
    r"|(?:\\(?![A-Za-z]*case\b)[A-Za-z]++\*?+\s*+(?:\{\s*+)?+)*+"
    r"(?:\\[A-Za-z]+?|\(?[a-z0-9ivx]{1,4}\)\s*)?case\b)",
    re.IGNORECASE,
)


def hypotheses(
    text: str, start: int, end: int, holes: Sequence[Span], rooms: Sequence[Span] = ()
) -> list[tuple[Span, ...]]:
    """For each hole, and for the end, the sentences before it that fix something that still holds.

    `holes` are the blocks in between, in order, whose words are their own; `rooms` the proofs of
    steps, whose cases end with them. What a closed list or an earlier case fixed holds no more; of
    very many sentences the nearest are kept.
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
    """The sentences of a stretch of prose, displays and what explains them with their words.

    A list or a centred piece behind words that end nothing belongs to their sentence, also behind a
    blank line; else each item of a list is one of its own. Line breaks mean nothing, save where
    they end a paragraph.
    """
    found: list[Span] = []
    first, depth = start, 0
    for match in _PROSE_TOKEN.finditer(text, start, end):
        kind = match.lastgroup
        if kind == "formula":
            if match[0][:2] in _DISPLAYED and text[match.start() : match.end() - 2].rstrip(
                " \n\\]$"
            ).endswith("."):
                kind = "stop"
            else:
                continue
        if depth:
            depth += (kind == "list") - (kind == "unlist")
            if depth:
                continue
            last = match.end()
        elif _belongs(text, first, match, end):
            depth = int(kind == "list")
            continue
        elif kind == "stop":
            if match[0][0] == "." and ABBREVIATION.search(
                text, max(first, match.start() - 8), match.start()
            ):
                continue
            last = match.end()
        else:
            last = match.start()
        _append(found, text, first, last)
        first = match.end()
    _append(found, text, first, end)
    return found


_LISTED = "|".join(sorted({*LISTS, "center", "quote", "quotation", "tabular", "tabularx"}))
_ENVS = "equation|align|gather|multline|eqnarray|alignat|flalign|displaymath|math"
_PROSE_TOKEN = re.compile(
    r"(?P<formula>\$(?<!\\\$)(?:\$[^$]*\$\$|[^$]*\$)|\\\[[^\\]*(?:\\[^\[\]][^\\]*)*\\\]"
    rf"|\\begin\{{(?P<env>(?:{_ENVS})\*?)\}}[^\\]*(?:\\(?!(?:begin|end)\{{(?P=env)\}})[^\\]*)*\\end\{{(?P=env)\}})"
    rf"|(?P<list>\\begin\{{(?:{_LISTED})\}})|(?P<unlist>\\end\{{(?:{_LISTED})\}})"
    r"|(?P<cut>\\(?:begin|end)\{[^{}\n]{1,80}\}(?:\[[^\[\]]{0,80}\])?"
    r"|\\item(?![A-Za-z@])(?:\s*\[[^\[\]]{0,40}\])?"
    r"|\\par(?![A-Za-z@])|\n[ \t]*\n|\\(?:input|include|subfile|includegraphics|maketitle"
    r"|tableofcontents|appendix)"
    r"(?![A-Za-z])(?:\[[^\[\]]{0,80}\])?(?:\{[^{}]{0,120}\})?)"
    r"|(?P<stop>[.!?][')}]*(?=[\s~\\$]|\Z))",
)
_GOES_ON = re.compile(
    rf"\n[ \t]*\n\s{{0,40}}(?:\\\[|\$\$|\\begin\{{(?:(?:{_ENVS})\*?|{_LISTED})\}})"
)
_OPEN_END = re.compile(r"[^\s.!?}\])][\s~]*\Z|[A-Za-z}\])$][\s~]*:\s*\Z")
_WORD = re.compile(r"[^\W\d_]{2,}")
_FEWEST_WORDS = 3


def _belongs(text: str, first: int, match: re.Match[str], end: int) -> bool:
    """Whether a list, or what stands behind a blank line, goes on with the words before it.

    These are a few, or end with a colon, and no full stop ends them.
    """
    last = match.start()
    is_more = match.lastgroup == "list" or (
        match.lastgroup == "cut" and _GOES_ON.match(text, last, end) is not None
    )
    if not is_more or not _OPEN_END.search(text, first, last):
        return False
    words = list(islice(_WORD.finditer(text, first, last), _FEWEST_WORDS))
    return len(words) == _FEWEST_WORDS or text[first:last].rstrip().endswith(":")


_DISPLAYED = ("$$", "\\[", "\\b")
_EXPLAINS = re.compile(r"(?:where|with|wobei|mit|où|avec|for|für|pour)(?!\w)")
_AFTER_DISPLAY = re.compile(r"(?:\\\]|\$\$|\\end\{[a-z]+\*?\})\Z")


def _append(found: list[Span], text: str, first: int, last: int) -> None:
    """Add a sentence without the blanks around it, or to the display that it explains."""
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
    """The sentences that hold, by the lists and cases that they stand in."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self._lists: list[int] = []
        self._case = -1
        self._outer_case = -1
        self._is_in_room = False

    def enter(self, *, is_room: bool) -> None:
        """Go into the proof of a step, or out of it."""
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
    return ":=" in sentence or _FIXES.search(_MATHS.sub(" $ ", sentence)) is not None


class _Walk:
    """One stretch of prose; mathematics is passed over, a list behind a colon belongs to it."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text = text
        self._first = start
        self._end = end
        self._closer = ""
        self._attached = 0

    def units(self) -> Iterator[tuple[str, int, int]]:
        for match in _TOKEN.finditer(self._text, self._first, self._end):
            if self._closer:
                yield from self._in_maths(match)
            elif closer := _closer(match):
                self._closer = closer
            elif match["begin"] or match["end"]:
                yield from self._environment(match)
            elif self._attached:
                continue
            elif match["item"]:
                yield from self._cut(match.start(), match.end())
                yield "item", match.start(), match.end()
            elif match["gap"] or match[0] == "\\par":
                yield from self._cut(match.start(), match.end())
            elif match["stop"] and not self._is_abbreviated(match.start()):
                yield from self._cut(match.end(), match.end())
        yield from self._cut(self._end, self._end)

    def _in_maths(self, match: re.Match[str]) -> Iterator[tuple[str, int, int]]:
        """A display that ends in a full stop ends the sentence."""
        if match[0].replace(" ", "") == self._closer:
            is_display = self._closer not in ("$", "\\)")
            self._closer = ""
            if is_display and self._text[: match.start()].rstrip().endswith("."):
                yield from self._cut(match.end(), match.end())

    def _environment(self, match: re.Match[str]) -> Iterator[tuple[str, int, int]]:
        if (match["begin"] or match["end"]).rstrip("*") not in LISTS:
            yield from self._cut(match.start(), match.end())
        elif self._attached:
            self._attached += 1 if match["begin"] else -1
            if not self._attached:
                yield from self._cut(match.end(), match.end())
        elif match["begin"] and self._text[self._first : match.start()].rstrip().endswith(":"):
            self._attached = 1
        else:
            yield from self._cut(match.start(), match.end())
            yield "list" if match["begin"] else "unlist", match.start(), match.end()

    def _cut(self, last: int, following: int) -> Iterator[tuple[str, int, int]]:
        words = self._text[self._first : last]
        start = self._first + len(words) - len(words.lstrip())
        end = last - (len(words) - len(words.rstrip()))
        self._first = following
        if start < end:
            yield "sentence", start, end

    def _is_abbreviated(self, offset: int) -> bool:
        return bool(ABBREVIATION.search(self._text[max(0, offset - 8) : offset]))


def _closer(match: re.Match[str]) -> str:
    """What closes the formula that a token opens, or nothing."""
    if match["dollar"]:
        return match["dollar"]
    if match["open"]:
        return {"[": "\\]", "(": "\\)"}[match["open"]]
    if (match["begin"] or "").rstrip("*") in MATHS:
        return f"\\end{{{match['begin']}}}"
    return ""
