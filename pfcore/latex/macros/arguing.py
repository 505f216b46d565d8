"""Tells a brace that begins a group from one that begins the argument of a command."""

import re

from pfcore.latex.lexer import commands

_NAME = re.compile(r"\\([A-Za-z@]+)\*?\Z")
_LONGEST_NAME = 60
_REACH = 2_000
_MOST_ARGUMENTS = 9
_BRACES = re.compile(r"[{}\[\]]")
_PAIRS = {"}": "{", "]": "["}

_PASSING = re.compile(
    r"@?if|If|At[A-Z]|After|Before|Add[A-Z]|g@addto|[a-z]*appto|[a-z]*preto|lowercase|uppercase"
)
"""Conditions and hooks: what is defined in their arguments is defined where they stand."""

_CONFINING = re.compile(
    r"(?:text|math|foot|caption|emph|under|over|title|author|thanks|frac|sqrt)[a-z]*|[a-z]*box"
)
"""Commands that set their arguments in a group."""

_ALONE = frozenset(
    """bf it rm sc sf tt sl em tiny scriptsize footnotesize small normalsize large Large LARGE huge
    Huge normalfont bfseries itshape scshape slshape upshape rmfamily sffamily ttfamily mdseries
    raggedright raggedleft makeatletter makeatother else fi quad qquad begin end begingroup endgroup
    bgroup egroup item newline maketitle appendix""".split()
) | {name for name, count in commands.SILENT.items() if not count}
"""Commands that take no argument: what follows them is a group."""


def is_passed(text: str, brace: int, floor: int = 0) -> bool:
    """Whether the brace begins an argument that a command hands on without a group around it.

    The command begins at `floor` or behind it. An unknown one is taken for such a command where
    nothing stands between it and its arguments.
    """
    floor = max(floor, brace - _REACH)
    position, is_apart = brace, False
    for _ in range(_MOST_ARGUMENTS):
        stop = floor + len(text[floor:position].rstrip())
        is_apart = is_apart or stop < position
        if stop == floor or text[stop - 1] not in _PAIRS:
            return _is_passing(text, floor, stop, is_apart=is_apart)
        position = _opening(text, floor, stop - 1)
        if position < 0:
            break
    return False


def _is_passing(text: str, floor: int, end: int, *, is_apart: bool) -> bool:
    match = _NAME.search(text, max(floor, end - _LONGEST_NAME), end)
    if match is None or match[1] in _ALONE:
        return False
    if _PASSING.match(match[1]):
        return True
    return not is_apart and not _CONFINING.fullmatch(match[1])


def _opening(text: str, floor: int, closing: int) -> int:
    """Where the argument that ends here begins, or -1."""
    wanted = _PAIRS[text[closing]]
    depth = 0
    for match in reversed(list(_BRACES.finditer(text, floor, closing))):
        if match[0] == wanted and not depth:
            return match.start()
        if match[0] in "{}":
            depth += 1 if match[0] == "}" else -1
        if depth < 0:
            return -1
    return -1
