"""The mathematics of a LaTeX source: where it stands, and its tokens with their places."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from pfcore.latex.lexer.groups import Groups
from pfcore.latex.macros import macro as macros
from pfcore.latex.macros.macro import Macro

Meaning = Callable[[str, int], Macro | None]
"""What a command means at an offset; None if it is no macro of the paper."""

DISPLAYS = frozenset(
    "align aligned alignat alignedat flalign gather gathered multline multlined split eqnarray"
    " equation array math displaymath IEEEeqnarray dmath".split()
)
"""The environments whose rows may form a chain; `math` is also what stands between dollars."""

_NESTED = 8
_LONGEST_BODY = 300
_DEEPEST = 4
_MOST_TOKENS = 8_000

_FENCE = re.compile(
    r"\\(?:begin|end)\s*\{([A-Za-z]+)\*?\}|\\.|\$\$?|\n[ \t]*\n",
    re.DOTALL,
)
_CLOSES = {"\\[": "\\]", "\\(": "\\)", "$": "$", "$$": "$$"}
_GREEK = (
    "alpha|beta|gamma|delta|(?:var)?epsilon|zeta|eta|(?:var)?theta|iota|(?:var)?kappa|lambda|mu"
    "|nu|xi|(?:var)?pi|(?:var)?rho|(?:var)?sigma|tau|upsilon|(?:var)?phi|chi|psi|omega"
    "|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi|Omega|ell|hbar"
)
_TOKEN = re.compile(
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
_WORDS = re.compile(r"\\(?:text\w*|mbox|hbox|intertext|shortintertext|tag)\*?$")
_UNDERSTOOD = frozenset(
    "\\cdot \\times \\sqrt \\frac \\dfrac \\tfrac \\binom \\dbinom \\tbinom \\exp \\log \\ln"
    " \\sin \\cos \\tan \\sinh \\cosh".split()
)
_IDLE = frozenset({"\\label", "\\hspace", "\\vspace", "\\phantom", "\\hphantom", "\\vphantom"})


class Unit(NamedTuple):
    """A piece of mathematics: a formula in the text, a display, an environment in one.

    `holes` are the pieces inside of it that are units themselves.
    """

    name: str
    start: int
    end: int
    holes: tuple[tuple[int, int], ...]


class MathToken(NamedTuple):
    """A token and its span in the source: that of the macro that it comes from, if any."""

    kind: str
    text: str
    start: int
    end: int


def units(text: str) -> Iterator[Unit]:
    """The mathematics of a masked text, inner pieces first; a blank line closes what is open."""
    stack: list[_Open] = []
    for match in _FENCE.finditer(text):
        fence, name = match[0], match[1] or ""
        closes = stack[-1].closes if stack else ""
        if fence[0] == "\n":
            stack.clear()
        elif closes == "$" and fence == "$$":  # two formulas that touch
            yield _closed(stack, match.start(), match.start() + 1)
            stack.append(_Open("$", "math", match.start() + 1, match.end(), []))
        elif closes and closes == (name if fence.startswith("\\end") else fence):
            yield _closed(stack, match.start(), match.end())
        elif fence.startswith("\\end"):
            stack.clear()
        elif len(stack) < _NESTED:
            stack += _opened(match, name, is_inside=bool(stack))


class _Open(NamedTuple):
    """A unit that is not closed yet; `start` is behind its fence."""

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
    """The innermost unit, closed by a fence; it is a hole of the one around it."""
    done = stack.pop()
    if stack:
        stack[-1].holes.append((done.fence, end))
    return Unit(done.name, done.start, start, tuple(done.holes))


class Lexer:
    """The tokens of a unit, the paper's macros expanded; `commands` are those not understood."""

    def __init__(self, meaning: Meaning) -> None:
        self._meaning = meaning
        self.tokens: list[MathToken] = []
        self.commands: set[str] = set()

    def read(self, groups: Groups, unit: Unit) -> None:
        """Read a unit, but for its holes and its environment's arguments."""
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
        """Append the tokens of a span; `at` is the use of a macro that the text stands for."""
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
        """Append what a command stands for; return where reading goes on."""
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
