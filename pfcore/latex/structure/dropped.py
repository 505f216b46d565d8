"""Arguments that a macro of the paper drops, as `\\hide{…}` with an empty body drops its own.

LaTeX reads them, and prints nothing of them: what stands there is not in the paper. Where nothing
but references stands there, they are taken for a note of what is used, and stay.
"""

import re
from collections.abc import Iterator

from pfcore.latex.lexer.groups import Groups
from pfcore.latex.macros import macro
from pfcore.latex.project.syntax import Syntax

_NOTE = re.compile(r"\s*(?:\\[A-Za-z]*[Rr]ef\*?\s*\{[^{}]*\}[\s,;]*)+")
_VISIBLE = re.compile(r"[^\n]")


def without(text: str, syntax: Syntax) -> str:
    """The text with such arguments blanked, each character at its place."""
    if not syntax.dropping or not any(f"\\{name}" in text for name in syntax.dropping):
        return text
    names = "|".join(sorted(map(re.escape, syntax.dropping), key=len, reverse=True))
    pieces: list[str] = []
    done = 0
    for start, end in sorted(_spans(text, syntax, names)):
        if start >= done:
            pieces += (text[done:start], _VISIBLE.sub(" ", text[start:end]))
            done = end
    return "".join((*pieces, text[done:]))


def _spans(text: str, syntax: Syntax, names: str) -> Iterator[tuple[int, int]]:
    groups = Groups(text)
    for match in re.finditer(rf"(?<!\\)\\({names})(?![A-Za-z@])", text):
        found = macro.arguments(syntax.macros[match[1]], groups, match.end())
        gone = syntax.dropping[match[1]]
        for index, span in enumerate(found[0]) if found else ():
            if index in gone and span and _is_gone(text, span):
                yield span


def _is_gone(text: str, span: tuple[int, int]) -> bool:
    return text[span[0] - 1] == "{" and not _NOTE.fullmatch(text, *span)
