"""Arguments that a macro of the paper drops, as `\\hide{…}` does with an empty body.

LaTeX reads them, and prints nothing of them: what stands there is not in the paper. Where nothing
but references stands there, they are taken for a note of what is used, and stay.
"""

import re

from pfcore.latex import macros
from pfcore.latex.groups import Groups
from pfcore.latex.syntax import Syntax

_NOTE = re.compile(r"\s*(?:\\[A-Za-z]*[Rr]ef\*?\s*\{[^{}]*\}[\s,;]*)+")
_VISIBLE = re.compile(r"[^\n]")


def without(text: str, syntax: Syntax) -> str:
    """The text with such arguments blanked, each character at its place."""
    if not syntax.dropping or not any(f"\\{name}" in text for name in syntax.dropping):
        return text
    names = "|".join(sorted(map(re.escape, syntax.dropping), key=len, reverse=True))
    groups = Groups(text)
    pieces: list[str] = []
    done = 0
    for match in re.finditer(rf"(?<!\\)\\({names})(?![A-Za-z@])", text):
        if match.start() < done:
            continue
        found = macros.arguments(syntax.macros[match[1]], groups, match.end())
        for span in found[0] if found else ():
            if span and span[0] >= done and _is_gone(text, span):
                pieces += (text[done : span[0]], _VISIBLE.sub(" ", text[slice(*span)]))
                done = span[1]
    return "".join((*pieces, text[done:]))


def _is_gone(text: str, span: tuple[int, int]) -> bool:
    return text[span[0] - 1] == "{" and not _NOTE.fullmatch(text, *span)
