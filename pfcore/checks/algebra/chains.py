"""Chains of equalities in the mathematics of a LaTeX source, member by member.

Also finds the mathematics of a LaTeX source, and its tokens with their spans.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.macros import macro as macros
from pfcore.latex.macros.macro import Macro

_LONGEST_UNIT = 20_000
_ONWARD = frozenset({"+", "-", "*", "/", "\\cdot", "\\times"})
_BREAKS = frozenset({"gap", "stop", "row"})


class Unit(NamedTuple):
    """A piece of mathematics: an inline formula, a display, or an environment in one.

    `holes` are the spans of the units inside it.
    """

    name: str
    start: int
    end: int
    holes: tuple[tuple[int, int], ...]


class MathToken(NamedTuple):
    """A token and its span in the source, or the span of the macro use that it comes from."""

    kind: str
    text: str
    start: int
    end: int


class Chain(NamedTuple):
    """The members of a chain, its unit, and the unit's commands that were not understood."""

    members: tuple[tuple[MathToken, ...], ...]
    unit: Unit
    commands: frozenset[str]


Meaning = Callable[[str, int], Macro | None]
"""The meaning of a command at an offset; None if it is not a macro of the paper."""


def chains(text: str, meaning: Meaning) -> Iterator[Chain]:
    """The chains of a masked text with at least three members, innermost displays first."""
    groups = Groups(text)
    for unit in units(text):
        if unit.name not in DISPLAYS or not _is_promising(text, unit):
            continue
        lexer = Lexer(meaning)
        lexer.read(groups, unit)
        split = _Splitter(lexer.tokens, is_multiline=unit.name.startswith("multline"))
        commands = frozenset(lexer.commands)
        for members in split.chains():
            if len(members) > 2:
                yield Chain(tuple(tuple(member) for member in members), unit, commands)


def _is_promising(text: str, unit: Unit) -> bool:
    first = text.find("=", unit.start, unit.end)
    is_short = unit.end - unit.start <= _LONGEST_UNIT
    return is_short and first >= 0 and text.find("=", first + 1, unit.end) >= 0


class _Splitter:
    """Splits tokens into chains, which may span rows and end at other relations or words."""

    def __init__(self, tokens: Sequence[MathToken], *, is_multiline: bool) -> None:
        self._tokens = _without_second_marks(tokens)
        self._is_table, has_mark = _shape(self._tokens)
        self._goes_on = is_multiline or has_mark
        self._is_multiline = is_multiline
        self._members: list[list[MathToken]] = [[]]
        self._done: list[list[list[MathToken]]] = []

    def chains(self) -> list[list[list[MathToken]]]:
        """The members of each chain."""
        index = depth = 0
        while index < len(self._tokens):
            token = self._tokens[index]
            index += 1
            depth += (token.text == "{") - (token.text == "}")
            if token.kind in _BREAKS or token.text == "&":
                index = self._break(index - 1, depth)
            elif token.kind == "equals" and depth <= 0:
                self._members.append([])
            elif token.kind == "relation" and depth <= 0:
                self._flush()
            elif token.kind in ("equals", "relation"):
                self._spoil(token)
            else:
                self._members[-1].append(token)
        self._flush()
        return self._done

    def _flush(self) -> None:
        self._done.append(self._members)
        self._members = [[]]

    def _spoil(self, token: MathToken) -> None:
        self._members[-1].append(token._replace(kind="bad"))

    def _break(self, index: int, depth: int) -> int:
        """End the chain at a run of rows, words and gaps, unless it continues after them."""
        start = index
        kinds: set[str] = set()
        while index < len(self._tokens):
            token = self._tokens[index]
            if token.kind not in _BREAKS and token.text != "&":
                break
            kinds.add(token.kind if token.text != "&" else "mark")
            index += 1
        following = self._tokens[index] if index < len(self._tokens) else None
        first = self._tokens[start]
        if depth > 0:
            self._spoil(first)
        elif (self._is_table and kinds & {"mark", "row"}) or following is None:
            self._flush()
        elif kinds == {"mark"} or self._is_continued(kinds, following):
            pass
        elif self._is_torn(kinds, following):
            self._spoil(first)
        else:
            self._flush()
        return index

    def _is_continued(self, kinds: set[str], following: MathToken) -> bool:
        """Whether the member, or the chain, certainly continues."""
        if following.kind in ("equals", "relation"):
            return True
        if "stop" in kinds:
            return False
        last = self._members[-1][-1].text if self._members[-1] else "="
        if "row" not in kinds:
            return following.text in _ONWARD or last in _ONWARD
        is_inside = "mark" in kinds or self._is_multiline
        if last in _ONWARD or (last == "=" and len(self._members) > 1):
            return is_inside or following.text not in _ONWARD
        return following.text in _ONWARD and self._goes_on and is_inside

    def _is_torn(self, kinds: set[str], following: MathToken) -> bool:
        """Whether the member may continue, but not certainly."""
        if following.text in _ONWARD or following.text in ("^", "_", "!", ")", "]"):
            return True
        return "row" in kinds and ("mark" in kinds or self._is_multiline)


def _without_second_marks(tokens: Sequence[MathToken]) -> list[MathToken]:
    """The tokens with `& = &` turned into `& =`."""
    kept: list[MathToken] = []
    for token in tokens:
        is_second = (
            token.text == "&"
            and len(kept) > 1
            and kept[-1].kind in ("equals", "relation")
            and kept[-2].text == "&"
        )
        if not is_second:
            kept.append(token)
    return kept


def _shape(tokens: Sequence[MathToken]) -> tuple[bool, bool]:
    """Whether a row has several columns, and whether relations follow alignment marks.

    Columns that contain only words do not count.
    """
    most = marks = 0
    has_mark = False
    after = None
    for token in tokens:
        if token.kind == "row":
            marks = 0
        elif token.text == "&":
            marks += 1
        elif token.kind not in _BREAKS:
            most = max(most, marks)
            has_mark = has_mark or (after == "&" and token.kind in ("equals", "relation"))
        after = token.text
    return most > 1, has_mark


DISPLAYS = frozenset(
    "align aligned alignat alignedat flalign gather gathered multline multlined split eqnarray"
    " equation array math displaymath IEEEeqnarray dmath".split()
)
"""The environments whose rows may form a chain; `math` also names formulas in dollar signs."""

_NESTED = 8
_LONGEST_BODY = 300
_DEEPEST = 4
_MOST_TOKENS = 8_000

_FENCE = regex(
    r"\\(?:begin|end)\s*\{([A-Za-z]+)\*?\}|\\.|\$\$?|\n[ \t]*\n",
    re.DOTALL,
)
_CLOSES = {"\\[": "\\]", "\\(": "\\)", "$": "$", "$$": "$$"}
_GREEK = (
    "alpha|beta|gamma|delta|(?:var)?epsilon|zeta|eta|(?:var)?theta|iota|(?:var)?kappa|lambda|mu"
    "|nu|xi|(?:var)?pi|(?:var)?rho|(?:var)?sigma|tau|upsilon|(?:var)?phi|chi|psi|omega"
    "|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi|Omega|ell|hbar"
)
_TOKEN = regex(
    r"(?P<space>(?:\s|~|\\[,;:!>\s]|\{\s*\}(?!\s*[\^_])"
    r"|\\(?:(?:left|right)(?!\s*\.)|[bB]igg?[lrm]?|displaystyle|textstyle|nonumber|notag|qedhere)"
    r"(?![A-Za-z]))+)"
    r"|(?P<number>\d+(?:\.\d+)?)"
    rf"|(?P<letter>(?:[A-Za-z]|\\(?:{_GREEK})(?![A-Za-z]))'*)"
    r"|(?P<relation>[<>]|:\s*=|=\s*:|\\(?:leq?|geq?|leqslant|geqslant|lt|gt|neq?|in|notin|subset"
    r"|subseteq|supset|supseteq|approx|sim|simeq|cong|equiv|propto|ll|gg|coloneqq|mapsto|to)"
    r"(?![A-Za-z]))"
    r"|(?P<equals>=)"
    r"|(?P<gap>\\q?quad(?![A-Za-z]))"
    r"|(?P<stop>[,;.]|\\(?:implies|impliedby|iff|Rightarrow|Leftrightarrow|Longrightarrow"
    r"|Longleftrightarrow|Leftarrow|land|lor)(?![A-Za-z]))"
    r"|(?P<row>\\\\\*?(?:\[-?[\d.]+\s*[a-z]{2}\])?|\\(?:newline|cr)(?![A-Za-z]))"
    r"|(?P<operator>[-+*/^_(){}\[\]!&])"
    r"|(?P<command>\\[A-Za-z]+\*?)"
    r"|(?P<bad>\\.|.)",
    re.DOTALL,
)
_WORDS = regex(r"\\(?:text\w*|mbox|hbox|intertext|shortintertext|tag)\*?$")
_UNDERSTOOD = frozenset(
    "\\cdot \\times \\sqrt \\frac \\dfrac \\tfrac \\binom \\dbinom \\tbinom \\exp \\log \\ln"
    " \\sin \\cos \\tan \\sinh \\cosh".split()
)
_IDLE = frozenset({"\\label", "\\hspace", "\\vspace", "\\phantom", "\\hphantom", "\\vphantom"})


def units(text: str) -> Iterator[Unit]:
    """The mathematics of a masked text, inner units first; a blank line drops the open ones."""
    stack: list[_Open] = []
    for match in _FENCE.finditer(text):
        fence, name = match[0], match[1] or ""
        closes = stack[-1].closes if stack else ""
        if fence[0] == "\n":
            stack.clear()
        elif closes == "$" and fence == "$$":  # two adjacent formulas
            yield _closed(stack, match.start(), match.start() + 1)
            stack.append(_Open("$", "math", match.start() + 1, match.end(), []))
        elif closes and closes == (name if fence.startswith("\\end") else fence):
            yield _closed(stack, match.start(), match.end())
        elif fence.startswith("\\end"):
            stack.clear()
        elif len(stack) < _NESTED:
            stack += _opened(match, name, is_inside=bool(stack))


class _Open(NamedTuple):
    """A unit that is not closed yet; `start` is after its opening fence."""

    closes: str
    name: str
    fence: int
    start: int
    holes: list[tuple[int, int]]


def _opened(match: re.Match[str], name: str, *, is_inside: bool) -> list[_Open]:
    """The unit that a fence opens, if it opens any."""
    start, end = match.span()
    if match[0] in _CLOSES:
        return [_Open(_CLOSES[match[0]], "math", start, end, [])]
    if name and (is_inside or name in DISPLAYS):
        return [_Open(name, name, start, end, [])]
    return []


def _closed(stack: list[_Open], start: int, end: int) -> Unit:
    """Close the innermost unit, which becomes a hole of the one around it."""
    done = stack.pop()
    if stack:
        stack[-1].holes.append((done.fence, end))
    return Unit(done.name, done.start, start, tuple(done.holes))


class Lexer:
    """Collects the tokens of a unit, with macros expanded, and the commands not understood."""

    def __init__(self, meaning: Meaning) -> None:
        self._meaning = meaning
        self.tokens: list[MathToken] = []
        self.commands: set[str] = set()

    def read(self, groups: Groups, unit: Unit) -> None:
        """Read a unit without its holes and its environment's arguments."""
        start = unit.start
        if unit.name in ("alignat", "alignedat", "array", "IEEEeqnarray"):
            span = groups.braces(start)
            start = span[1] + 1 if span else start
        elif unit.name in ("aligned", "gathered", "split"):
            span = groups.brackets(start) if groups.text[start : start + 1] == "[" else None
            start = span[1] + 1 if span else start
        for hole_start, hole_end in unit.holes:
            self._read(groups, start, hole_start)
            self.tokens.append(MathToken("bad", "", hole_start, hole_end))
            start = hole_end
        self._read(groups, start, unit.end)

    def _read(
        self,
        groups: Groups,
        start: int,
        end: int,
        *,
        at: tuple[int, int] | None = None,
        depth: int = 0,
    ) -> None:
        """Append the tokens of a span; `at` is the macro use that the text is the expansion of."""
        position = start
        while position < end and (match := _TOKEN.match(groups.text, position, end)):
            kind, text = match.lastgroup or "bad", match[0]
            position = match.end()
            if kind == "space":
                continue
            place = at or (match.start(), position)
            if kind == "relation":
                self.commands.add(text)
            if kind != "command":
                self.tokens.append(MathToken(kind, text, *place))
            elif text in _UNDERSTOOD:
                self.tokens.append(MathToken("operator", text, *place))
            else:
                position = self._command(text, groups, position, place, depth)

    def _command(
        self, text: str, groups: Groups, end: int, place: tuple[int, int], depth: int
    ) -> int:
        """Append the expansion of a command; return where reading continues."""
        if text in _IDLE or _WORDS.match(text):
            span = groups.braces(end)
            if text not in _IDLE:
                self.tokens.append(MathToken("stop", text, *place))
            return span[1] + 1 if span else end
        macro = self._meaning(text[1:].rstrip("*"), place[0])
        made = self._expanded(text, macro, groups, end) if macro and depth < _DEEPEST else None
        if made is None or len(self.tokens) > _MOST_TOKENS:
            self.commands.add(text)
            self.tokens.append(MathToken("bad", text, *place))
            return end
        body, after = made
        outer = (place[0], after) if depth == 0 else place
        self._read(Groups(body), 0, len(body), at=outer, depth=depth + 1)
        return after

    def _expanded(
        self, text: str, macro: Macro | None, groups: Groups, end: int
    ) -> tuple[str, int] | None:
        if macro is None or macro.body == text:
            return None
        if macro.parameters in ((), macros.PRIMITIVE):
            return macro.body, end
        found = macros.arguments(macro, groups, end)
        if found is None:
            return None
        values = [
            macros.NO_VALUE if span is None else groups.text[slice(*span)] for span in found[0]
        ]
        body = macros.filled(macro, macro.body, values, _LONGEST_BODY)
        return None if body is None else (body, found[1])
