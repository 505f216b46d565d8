"""Blanks everything that LaTeX does not read as mathematics, keeping all offsets.

Also finds the markers of unresolved merge conflicts, and characters that are invisible in the PDF.
"""

import re
from collections.abc import Container, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex

VERBATIM = ("verbatim", "verbatim*", "Verbatim", "BVerbatim", "LVerbatim", "lstlisting", "minted")
_IN_GROUP = regex(r"[ \t]{0,20}\}")
"""Follows the start of an environment inside the definition of another one."""
_HIDDEN = ("comment", "filecontents", "filecontents*")
PRINTS_COMMENTS = "\\begin{comment}"
"""Among the dead conditions: the paper defines its own environment `comment`."""

_PERCENT = regex("%")
_COMMAND = (
    r"\\(?:begin\s*\{(?P<env>" + "|".join(re.escape(name) for name in VERBATIM + _HIDDEN) + r")\}"
    r"|(?:verb|lstinline|mint(?:inline)?)\b\*?(?P<verb>)"
    r"|(?:iffalse|if[ ]?0(?=[ \t]*\n)|@DEAD@)(?![A-Za-z@])(?P<iffalse>)"
    r"|endinput\b(?P<endinput>)"
    r"|end\s*\{document\}(?P<enddocument>))"
)
_DECLARING = regex(
    r"\\(?:newif|let|def|global|expandafter|noexpand|string)\s*\Z"
    r"|\\let\s*(?:\\[A-Za-z@]{1,40}|\\csname[^\\\n]{1,40}\\endcsname)\s*=?\s*\Z"
)
"""What precedes a condition that is only named."""
_CONDITION = regex(r"\\(if[A-Za-z@]*|else|fi)(?![A-Za-z@])")
_NOT_CONDITIONS = frozenset(
    """iff ifthenelse iftoggle ifbool ifstrequal ifstrempty ifblank ifdef ifundef ifcsdef ifcsundef
    ifdefstring ifcsstring ifdefempty ifcsempty ifdefvoid ifdefmacro ifdefequal ifnumcomp ifnumequal
    ifnumgreater ifnumless ifnumodd ifboolexpr ifboolexpe ifinlist""".split()
)
"""Commands that take their branches as arguments, so that no `\\fi` ends them."""
_LONGEST_VERB = 2_000
_NEAR = 80
_ADDRESS = regex(r"\\(?:url|href|path|nolinkurl|hyperimage)\s*\{[^{}\n]*\Z")
_DEFINES = {
    **dict.fromkeys(("def", "gdef", "edef", "xdef", "AtEndDocument"), 0),
    **dict.fromkeys(("newcommand", "renewcommand", "providecommand", "DeclareRobustCommand"), 1),
    **{f"{how}DocumentCommand": 2 for how in ("New", "Renew", "Provide", "Declare")},
    **dict.fromkeys(("newenvironment", "renewenvironment"), 2),
    **{f"{how}DocumentEnvironment": 3 for how in ("New", "Renew", "Provide", "Declare")},
}
"""How many groups may be between a defining command and one of its bodies."""
_BEFORE_A_BODY = regex(r"(?:[\s*=%]|#\d|\[[^\[\]{}]{0,200}\])*\Z")
_CALLED = regex(r"\\([A-Za-z@]{1,40})\Z")
_FARTHEST = 2_000
_DEEPEST = 8
"""How many groups around an end of the document are checked, innermost first."""
_MOST_DEFINED = 50
"""How many such ends inside definitions are skipped; the next one ends the document."""
_BRACE = regex(r"\\.|[{}]", re.DOTALL)
_ANY_BRACE = regex("[{}]")
_OPTION = regex(r"\[[^\]\n]{0,200}\]")
_LANGUAGE = regex(r"\{[^{}\n]{0,60}\}")
_LINE_END = regex(r"[ \t]*\n")
_CONTROLS = regex("[\x00-\x08\x0b-\x1f\x7f]")
_CONTROL_BYTES = bytes(code for code in range(128) if _CONTROLS.match(chr(code)))


class TexComment(NamedTuple):
    """A comment as written, from its percent sign to the end of the line."""

    start: int
    text: str


class Masked(NamedTuple):
    """A text of the same length with comments and hidden parts blanked.

    `printed` also has the code that is blanked in `text` but printed.
    `unclosed` lists the starts of hidden or verbatim parts that are not closed.
    """

    text: str
    printed: str
    comments: tuple[TexComment, ...]
    unclosed: tuple[tuple[int, str], ...]


@lru_cache(maxsize=1_000)
def mask(text: str, dead: frozenset[str] = frozenset()) -> Masked:
    """Blank comments, verbatim, `\\iffalse`, what follows the document, and control characters.

    The first branches of conditions in `dead` are blanked like that of `\\iffalse`; if it contains
    `PRINTS_COMMENTS`, the environment `comment` is read.
    A file is surveyed first and read later: the masks of a paper's files are cached in between.
    """
    return _Masking(_CONTROLS.sub(" ", text) if _has_controls(text) else text, dead).masked()


@lru_cache(maxsize=100)
def _command(dead: frozenset[str]) -> re.Pattern[str]:
    names = sorted(dead - {PRINTS_COMMENTS})
    command = _COMMAND.replace("|@DEAD@", "".join(f"|{name}" for name in names))
    return re.compile(command.replace("|comment|", "|") if PRINTS_COMMENTS in dead else command)


def _has_controls(text: str) -> bool:
    """Whether there are control characters; to drop them from bytes is faster than to search."""
    data = text.encode("utf-8", "surrogatepass")
    return len(data.translate(None, _CONTROL_BYTES)) < len(data)


class _Stops:
    """Finds what may hide a part of a text: percent signs and commands.

    They are searched separately, because a pattern with a fixed first character is much faster.
    """

    def __init__(self, text: str, dead: frozenset[str]) -> None:
        self._text = text
        self._patterns = _PERCENT, _command(dead)
        self._found = [pattern.search(text) for pattern in self._patterns]

    def first(self, position: int) -> re.Match[str] | None:
        """The first one at or after a position; positions must not decrease."""
        for index, match in enumerate(self._found):
            if match and match.start() < position:
                self._found[index] = self._patterns[index].search(self._text, position)
        return min(filter(None, self._found), key=re.Match.start, default=None)


class _Masking:
    def __init__(self, text: str, dead: frozenset[str]) -> None:
        self._text = text
        self._stops = _Stops(text, dead)
        self._comments: list[TexComment] = []
        self._verbatim: list[tuple[int, int]] = []
        self._unclosed: list[tuple[int, str]] = []
        self._open_names: set[str] = set()
        self._conditions: dict[int, int] | None = None
        self._counted = self._depth = self._defined = 0

    def masked(self) -> Masked:
        text = self._text
        pieces: list[str] = []
        done = position = 0
        is_alone = True
        while match := self._stops.first(position):
            if is_escaped(text, match.start()):
                position = match.start() + 1
                continue
            if match.lastgroup is None and self._is_in_address(match.start()):
                position = match.end()
                continue
            if match.lastgroup == "enddocument" and self._is_defined(match.start()):
                self._defined += 1
                position = match.end()
                continue
            if match.lastgroup == "endinput" and self._is_in_braces(pieces, match.start(), done):
                position = match.end()
                continue
            start, end = self._hide(match)
            is_code = match.lastgroup == "env" and match["env"] in VERBATIM
            if match.lastgroup in (None, "env", "iffalse") and not is_code:
                end, is_alone = line_end(text, start, end, done, is_alone=is_alone)
            else:
                is_alone = False
            pieces.append(text[done:start])
            pieces.append(_blank(text, start, end))
            done = max(end, start)
            position = done if end > start else match.end()
        pieces.append(text[done:])
        masked = "".join(pieces)
        return Masked(masked, self._printed(masked), tuple(self._comments), tuple(self._unclosed))

    def _is_in_braces(self, pieces: list[str], start: int, done: int) -> bool:
        """Whether a command is inside braces, as in the body of a macro."""
        self._depth += sum(_opened(piece) for piece in pieces[self._counted :])
        self._counted = len(pieces)
        return self._depth + _opened(self._text[done:start]) > 0

    def _is_defined(self, place: int) -> bool:
        """Whether a command is in the body of a definition, close to its opening brace."""
        if self._defined >= _MOST_DEFINED:
            return False
        least = max(place - _FARTHEST, 0)
        braces = [b for b in _BRACE.finditer(self._text, least, place) if len(b[0]) == 1]
        pairs: dict[int, int] = {}
        opened: list[int] = []
        for brace in braces:
            if brace[0] == "{":
                opened.append(brace.start())
            elif opened:
                pairs[brace.end()] = opened.pop()
        return any(self._is_body(start, least, pairs) for start in opened[-_DEEPEST:])

    def _is_body(self, end: int, least: int, pairs: Mapping[int, int]) -> bool:
        """Whether the brace at `end` opens the body of a definition."""
        groups = 0
        while before := _BEFORE_A_BODY.search(self._text, max(end - _FARTHEST, least), end):
            end = before.start()
            if end in pairs:
                end = pairs[end]
                groups += 1
            elif called := _CALLED.search(self._text, max(end - _NEAR, least), end):
                if called[1] in _DEFINES:
                    return groups <= _DEFINES[called[1]]
                end = called.start()
            else:
                break
        return False

    def _is_in_address(self, percent: int) -> bool:
        """Whether a percent sign is an ordinary character, as in `\\url{http://x.y/%7Ez}`."""
        line = self._text.rfind("\n", 0, percent) + 1
        return _ADDRESS.search(self._text, line, percent) is not None

    def _printed(self, masked: str) -> str:
        pieces: list[str] = []
        done = 0
        for start, end in self._verbatim:
            pieces += (masked[done:start], self._text[start:end])
            done = end
        return "".join((*pieces, masked[done:])) if pieces else masked

    def _hide(self, match: re.Match[str]) -> tuple[int, int]:
        """The span that a comment or command hides."""
        text, (start, end) = self._text, match.span()
        if match.lastgroup is None:
            line = text.find("\n", end)
            end = line if line >= 0 else len(text)
            self._comments.append(TexComment(start, text[start:end]))
            return start, end
        if match.lastgroup == "env":
            return start, self._environment(match)
        if match.lastgroup == "verb":
            end = _verb_end(text, _behind_options(text, end, match[0]))
            self._verbatim.append((start, end))
            return start, end
        if match.lastgroup == "iffalse":
            return start, self._condition(match) if match[0] == "\\iffalse" else self._dead(match)
        return (end if match.lastgroup == "enddocument" else start), len(text)

    def _environment(self, match: re.Match[str]) -> int:
        start, after, name = match.start(), match.end(), match["env"]
        close = -1
        if name == "comment" and _IN_GROUP.match(self._text, after):
            return start
        if name not in self._open_names:
            close = self._text.find(f"\\end{{{name}}}", after)
        if close < 0:
            self._open_names.add(name)  # no later one is closed either
            self._unclosed.append((start, name))
            return after
        end = close + len(name) + 6
        if name in VERBATIM:
            self._verbatim.append((start, end))
        return end

    def _condition(self, match: re.Match[str]) -> int:
        if _DECLARING.search(self._text, max(0, match.start() - _NEAR), match.start()):
            return match.start()
        if self._conditions is None:
            self._conditions = _conditions(self._text, match.start())
        end = self._conditions.get(match.start())
        if end is None:
            self._unclosed.append((match.start(), "\\iffalse"))
        return match.end() if end is None else end

    def _dead(self, match: re.Match[str]) -> int:
        """The end of a branch that is never taken; an unbalanced branch is not hidden."""
        start, after = match.span()
        if _DECLARING.search(self._text, max(0, start - _NEAR), start):
            return start
        if self._conditions is None:
            self._conditions = _conditions(self._text, start)
        end = self._conditions.get(start, start)
        return end if is_balanced(self._text[after:end]) else start


def _conditions(text: str, start: int) -> dict[int, int]:
    """The end of the first branch of each condition, by the condition's offset."""
    ends: dict[int, int] = {}
    stack: list[int] = []
    for match in _CONDITION.finditer(text, start):
        word = match[1]
        if _DECLARING.search(text, max(0, match.start() - _NEAR), match.start()):
            continue
        if word == "fi":
            if stack:
                ends.setdefault(stack.pop(), match.end())
        elif word == "else":
            if stack:
                ends.setdefault(stack[-1], match.end())
        elif word not in _NOT_CONDITIONS:
            stack.append(match.start())
    return ends


_CERTAIN = -1
"""The start of a condition that always holds; not a real offset."""


def conditions(text: str, holding: Container[str] = ()) -> list[tuple[int, int]]:
    """The spans of the outermost conditions of a masked text that may fail.

    `\\iftrue` and those in `holding` always hold: of these only the other branch is a span.
    """
    found: list[tuple[int, int]] = []
    stack: list[int] = []
    for match in _CONDITION.finditer(text):
        word = match[1]
        if _DECLARING.search(text, max(0, match.start() - _NEAR), match.start()):
            continue
        if word == "fi" and stack:
            start = stack.pop()
            if start == _CERTAIN:
                continue
            while found and found[-1][0] > start:
                found.pop()
            found.append((start, match.end()))
        elif word == "else" and stack and stack[-1] == _CERTAIN:
            stack[-1] = match.start()
        elif word not in ("fi", "else") and word not in _NOT_CONDITIONS:
            is_certain = word == "iftrue" or word in holding
            stack.append(_CERTAIN if is_certain else match.start())
    return found


def is_condition(text: str, offset: int, word: str) -> bool:
    """Whether this `\\if…`, `\\else` or `\\fi` is executed, and is not just a name."""
    if word in _NOT_CONDITIONS:
        return False
    return not _DECLARING.search(text, max(0, offset - _NEAR), offset)


_SWITCHED = regex(r"\\(if[A-Za-z@]*|else|fi)(?![A-Za-z@])(\s*\{)?")


def untaken_branches(
    text: str, dead: Container[str], holding: Container[str]
) -> list[tuple[int, int]]:
    """The spans in a masked text that are never read: branches of constant conditions.

    Commands that take their branches as arguments do not count, unless they are in `dead` or
    `holding`.
    """
    found: list[tuple[int, int]] = []
    stack: list[tuple[str, int, Container[str]]] = []
    for match in _SWITCHED.finditer(text):
        word = match[1]
        if _DECLARING.search(text, max(0, match.start() - _NEAR), match.start()):
            continue
        if word in ("else", "fi"):
            if not stack:
                return []
            name, start, untaken = stack.pop()
            if name in untaken:
                found.append((start, match.start()))
            if word == "else":
                stack.append((name, match.end(), holding))
        elif word in dead or word in holding or not (match[2] or word in _NOT_CONDITIONS):
            stack.append((word, match.end(1), dead))
    return found


_NEXT_GROUP = regex(r"\s*\{")


def leaves_a_branch(between: str) -> bool:
    """Whether a masked text begins in one branch of a condition and ends in an alternative to it.

    The alternative is what follows an `\\else`, the group right after the one it begins in, or
    maybe a branch of another condition, if one of the two is the second branch of its condition.
    """
    depth, is_else, has_else, has_left = 0, False, False, False
    for match in _SWITCHED.finditer(between):
        word = match[1]
        if _DECLARING.search(between, max(0, match.start() - _NEAR), match.start()):
            continue
        if word == "else":
            has_else, is_else = True, is_else or not depth
        elif word == "fi":
            has_left = has_left or not depth
            is_else, depth = is_else and depth > 0, max(0, depth - 1)
        elif not match[2] and word not in _NOT_CONDITIONS:
            depth += 1
    may_exclude = has_left and has_else and depth > 0
    return is_else or may_exclude or _is_in_next_group(between)


def _is_in_next_group(between: str) -> bool:
    depth = lowest = 0
    level: int | None = None
    for match in _BRACE.finditer(between):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
            if depth < lowest or depth == level:
                level = depth if _NEXT_GROUP.match(between, match.end()) else None
            lowest = min(lowest, depth)
    return level is not None


def is_balanced(text: str) -> bool:
    """Whether all braces in a text match."""
    depth = 0
    for match in _BRACE.finditer(text):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth < 0:
            return False
    return depth == 0


def _opened(text: str) -> int:
    """The number of opening braces minus that of closing braces."""
    opened = text.count("{") - text.count("\\{")
    return opened - text.count("}") + text.count("\\}")


def _blank(text: str, start: int, end: int) -> str:
    if end == len(text) > start and text[end - 1] == "\n" and text[start] != "%":
        return " " * (end - start - 1) + "\n"
    return " " * (end - start)


def is_escaped(text: str, position: int) -> bool:
    """Whether an odd number of backslashes precedes a position."""
    count = 0
    while position > count and text[position - count - 1] == "\\":
        count += 1
    return count % 2 == 1


def line_end(text: str, start: int, end: int, done: int, *, is_alone: bool) -> tuple[int, bool]:
    """The end of a blanked stretch, and whether nothing else is on its lines up to there.

    If so, the stretch includes its line end, so that it separates no paragraphs. `done` is the end
    of the stretch before, and `is_alone` the result for that one.
    """
    line = max(text.rfind("\n", done, start) + 1, done)
    if line > done or is_alone:
        is_alone = not text[line:start].strip()
    behind = _LINE_END.match(text, end) if is_alone and end > start else None
    return behind.end() if behind else end, is_alone


def _behind_options(text: str, after: int, command: str) -> int:
    """The start of the code after options and, for minted, after the language."""
    if command.startswith("\\verb"):
        return after
    option = _OPTION.match(text, after)
    after = option.end() if option else after
    language = _LANGUAGE.match(text, after) if command.startswith("\\mint") else None
    return language.end() if language else after


def _verb_end(text: str, after: int) -> int:
    """`\\verb` ends at the same character, on the same line; `\\lstinline` also at a brace."""
    if after >= len(text) or text[after].isspace():
        return after
    line = text.find("\n", after, after + _LONGEST_VERB)
    limit = line if line >= 0 else after + _LONGEST_VERB
    if text[after] == "{":
        return _braced_end(text, after, limit)
    close = text.find(text[after], after + 1, limit)
    return after if close < 0 else close + 1


def _braced_end(text: str, after: int, limit: int) -> int:
    """The offset after the matching closing brace; if there is none, after the first one."""
    depth = 0
    for match in _ANY_BRACE.finditer(text, after, limit):
        depth += 1 if match[0] == "{" else -1
        if not depth:
            return match.end()
    close = text.find("}", after, limit)
    return after if close < 0 else close + 1


_MARKER = regex(r"(?:^|(?<=  ))(?:(<{7}) \S[^\n]*|(={7})[ \t\r]*$|(>{7}) \S[^\n]*)", re.MULTILINE)
"""Also after two spaces, because a comment is blanked together with its line end."""
_ORDER = "<=>"
CONFLICT = "merge conflict markers are left in the file"
"""The message for such markers."""


def is_conflict(text: str) -> bool:
    """Whether a text consists of conflict markers only."""
    return not _MARKER.sub("", text).strip()


def conflicts(text: str) -> Iterator[tuple[int, int]]:
    """The span of the first marker of each conflict in a masked text that has all three."""
    if "=======" not in text:
        return
    opening = (0, 0)
    reached = 0
    for match in _MARKER.finditer(text):
        sign = match[0][0]
        if sign == "<":
            opening, reached = match.span(), 1
        elif reached and sign == _ORDER[reached]:
            reached = (reached + 1) % 3
            if sign == ">":
                yield opening
        else:
            reached = 0


_ALONE = regex(r"^(?:<{7}|>{7}) [^\s<>][^\n]*$", re.MULTILINE)


def lone_markers(text: str) -> Iterator[tuple[int, int]]:
    """The spans of lines that look like git's first or last conflict marker, in any context."""
    if "\n<<<<<<< " in text or "\n>>>>>>> " in text or text.startswith(("<<<<<<< ", ">>>>>>> ")):
        yield from (match.span() for match in _ALONE.finditer(text))


UNSEEN = regex(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff\x00-\x08\x0b-\x1f\x7f-\x9f]"
)


def visible(text: str) -> str:
    """A text without characters that are invisible in the PDF."""
    return UNSEEN.sub("", text)
