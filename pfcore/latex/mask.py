"""Blanks what LaTeX does not read as mathematics, so that every offset stays what it was."""

import re
from typing import NamedTuple

VERBATIM = ("verbatim", "verbatim*", "Verbatim", "BVerbatim", "LVerbatim", "lstlisting", "minted")
_HIDDEN = ("comment", "filecontents", "filecontents*")

_STOP = re.compile(
    r"%[^\n]*\n?"
    r"|\\begin\s*\{(?P<env>" + "|".join(re.escape(name) for name in VERBATIM + _HIDDEN) + r")\}"
    r"|\\(?:verb|lstinline)\b\*?(?P<verb>)"
    r"|\\iffalse\b(?P<iffalse>)"
    r"|\\endinput\b(?P<endinput>)"
    r"|\\end\s*\{document\}(?P<enddocument>)"
)
_CONDITION = re.compile(r"\\(if[a-z]*|else|fi)(?![A-Za-z])")
_NOT_CONDITIONS = frozenset(
    {"iff", "ifthenelse", "iftoggle", "ifstrequal", "ifstrempty", "ifblank"}
)
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


class Comment(NamedTuple):
    """A comment as written, from its percent sign to the end of the line."""

    start: int
    text: str


class Masked(NamedTuple):
    """A text of the same length with comments and hidden parts blanked.

    `verbatim` lists the spans of code: blank in `text`, yet part of what is printed.
    `unclosed` lists where a hidden or verbatim part begins that nothing ends.
    """

    text: str
    comments: tuple[Comment, ...]
    verbatim: tuple[tuple[int, int], ...]
    unclosed: tuple[tuple[int, str], ...]


def mask(text: str) -> Masked:
    """Blank comments, verbatim, `\\iffalse`, what follows the document, and control characters."""
    text = _CONTROLS.sub(" ", text)
    pieces: list[str] = []
    comments: list[Comment] = []
    verbatim: list[tuple[int, int]] = []
    unclosed: list[tuple[int, str]] = []
    done = position = 0
    while match := _STOP.search(text, position):
        start, end = match.span()
        if _is_escaped(text, start):
            position = start + 1
            continue
        kind = match.lastgroup
        if kind is None:
            comments.append(Comment(start, match[0].rstrip("\n")))
            end = _comment_end(text, start, end)
        elif kind == "env":
            end = _environment_end(text, end, match["env"], start, unclosed)
            if match["env"] in VERBATIM:
                verbatim.append((start, end))
        elif kind == "verb":
            end = _verb_end(text, end)
            verbatim.append((start, end))
        elif kind == "iffalse":
            end = _condition_end(text, end, start, unclosed)
        elif kind == "enddocument":
            start, end = end, len(text)
        else:
            end = len(text)
        pieces.append(text[done:start])
        pieces.append(_blank(text, start, end))
        done = position = max(end, start)
    pieces.append(text[done:])
    return Masked("".join(pieces), tuple(comments), tuple(verbatim), tuple(unclosed))


def _blank(text: str, start: int, end: int) -> str:
    if end > start and text[end - 1] == "\n" and text[start] != "%":
        return " " * (end - start - 1) + "\n"
    return " " * (end - start)


def _is_escaped(text: str, position: int) -> bool:
    count = 0
    while position > count and text[position - count - 1] == "\\":
        count += 1
    return count % 2 == 1


def _comment_end(text: str, start: int, end: int) -> int:
    """A comment on a line of its own takes its line end with it: it parts no paragraph."""
    before = text.rfind("\n", 0, start) + 1
    if text[end - 1] == "\n" and text[before:start].strip():
        return end - 1
    return end


def _environment_end(
    text: str, after: int, name: str, start: int, unclosed: list[tuple[int, str]]
) -> int:
    close = text.find(f"\\end{{{name}}}", after)
    if close < 0:
        unclosed.append((start, name))
        return after
    return close + len(name) + 6


def _verb_end(text: str, after: int) -> int:
    """`\\verb` ends at the same character, on the same line; `\\lstinline` also at a brace."""
    if after >= len(text) or text[after].isspace():
        return after
    delimiter = "}" if text[after] == "{" else text[after]
    close = text.find(delimiter, after + 1)
    line = text.find("\n", after)
    if close < 0 or (0 <= line < close):
        return after
    return close + 1


def _condition_end(text: str, after: int, start: int, unclosed: list[tuple[int, str]]) -> int:
    depth = 0
    for match in _CONDITION.finditer(text, after):
        word = match[1]
        if word == "fi":
            if depth == 0:
                return match.end()
            depth -= 1
        elif word == "else" and depth == 0:
            return match.end()
        elif word.startswith("if") and word not in _NOT_CONDITIONS:
            depth += 1
    unclosed.append((start, "\\iffalse"))
    return after
