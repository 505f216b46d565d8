"""Puts pieces of LaTeX together; a command never runs into the letters that come behind it."""

import re

_ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z@]+$")


def append(pieces: list[str], text: str) -> None:
    """Append; a command at the end is kept apart from a letter that follows."""
    if not text:
        return
    if text[0].isalpha() and pieces:
        last = pieces[-1]
        if "\\" in last and _ENDS_IN_COMMAND.search(last[-40:]):
            pieces.append(" ")
    pieces.append(text)


def join_texts(*texts: str) -> str:
    """Some texts, one behind the other."""
    pieces: list[str] = []
    for text in texts:
        append(pieces, text)
    return "".join(pieces)
