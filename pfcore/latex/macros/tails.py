"""The arguments that the last command of a macro's body takes from the text behind the macro."""

import re
from collections.abc import Callable

from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.joining import join_texts
from pfcore.latex.macros.branches import past_space

_WINDOW = 20_000
_ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z@]+\*?\s*\Z")
_LONGEST_NAME = 80


def is_open(body: str) -> bool:
    """Whether a body ends in a command, which may take what stands behind the macro."""
    return _ENDS_IN_COMMAND.search(body, max(0, len(body) - _LONGEST_NAME)) is not None


Reached = Callable[[Groups, int], tuple[str, int] | None]
"""Of a text and an offset: the text of what begins before the offset, and where it ends behind it.

None if nothing that begins before it ends behind it.
"""


def completed(body: str, end: int, groups: Groups, reached: Reached) -> tuple[str, int]:
    """The body with what its last command takes put behind it, and where the text goes on."""
    start = past_space(groups.text, end)
    window = groups.text[start : start + _WINDOW]
    if not window:
        return body, end
    body = body.rstrip() if is_open(body) else body
    whole = join_texts(body, window)
    found = reached(Groups(whole), len(whole) - len(window))
    return (found[0], start + found[1] - len(whole) + len(window)) if found else (body, end)
