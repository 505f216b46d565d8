"""LaTeX as a reader sees it: titles and sentences as one line of plain Unicode text."""

import re
from functools import lru_cache

from pfcore.domain.lazy_regex import regex

LIMIT = 10_000
"""The most characters of a snippet that is parsed; this takes about 50 ms."""

_NOT_PLAIN = regex(r"[\\$~{}%&#]|--|``|''|[!?]`")


@lru_cache(maxsize=4096)
def plain_text(snippet: str) -> str:
    """A snippet of LaTeX as one line of text; unchanged if it cannot be parsed.

    An unknown macro stays as written, with its arguments; a reference becomes its key.
    """
    if not _NOT_PLAIN.search(snippet):
        return " ".join(snippet.split())
    found = converted(snippet)
    return snippet if found is None else found


def converted(snippet: str) -> str | None:
    """A snippet as one line of text; None if it is too long or not complete LaTeX."""
    if len(snippet) > LIMIT:
        return None
    from pfcore.latex.blocks.pylatexenc_text import convert  # loads pylatexenc

    return convert(snippet)


_DISPLAYED = "equation|align|gather|multline|eqnarray|alignat|flalign|displaymath|math"
_PARTS = regex(
    rf"""(?P<formula>\$\$(?:\\.|[^$\\])*+(?:\$\$|\Z)|\$(?:\\.|[^$\\])*+(?:\$|\Z)
        |\\\[.*?(?:\\\]|\Z)|\\\(.*?(?:\\\)|\Z)
        |\\begin\{{(?P<display>(?:{_DISPLAYED})\*?)\}}.*?(?:\\end\{{(?P=display)\}}|\Z))
    |\\begin\{{(?P<drawn>[a-z]{{0,20}}(?:tab|array|tikz|picture|verbatim|listing|minted)[a-z]{{0,20}}\*?)\}}
        .*?(?:\\end\{{(?P=drawn)\}}|\Z)
    |(?P<idle>%[^\n]*|\\(?:begin|end)\{{[^{{}}]{{0,80}}\}})
    |(?P<other>[^\\$%\ue000]+|\\.)""",
    re.DOTALL | re.VERBOSE,
)
"""The parts of a quote; a formula that is cut off extends to the end."""
_PLACEMENT = regex(r"\A\s*\[[!hHtbp]{1,6}\]")
"""The placement option of a figure or a table, before its content."""
_LEFT_OUT = "\ue000"
_COMMAND = regex(
    r"\\macro\{[0-9a-f]{8}\}|\\[\"'`^~=.]\s*(?:\{\\?[A-Za-z]\}|\\?[A-Za-z])"
    r"|\\[A-Za-z@]+\*?[ ]?|\\.|[{}\\]",
    re.DOTALL,
)
_MORE = regex(r"…(?:\s*…)+")


def quoted_words(text: str) -> str:
    """The beginning of a text, perhaps cut off, as plain words without commands.

    A formula that cannot be shown in plain text is left out: `The set … is finite`.
    """
    text = _PLACEMENT.sub("", text[:LIMIT])
    if not _NOT_PLAIN.search(text):
        return " ".join(text.split())
    plain = converted(text)
    if plain is not None and "\\" not in plain:
        return plain
    shown: list[str] = []

    def replaced(match: re.Match[str]) -> str:
        if match["idle"] is not None or match["other"] is not None:
            return match["other"] or " "
        words = converted(match[0]) if match["formula"] else None
        shown.append(words if words and "\\" not in words else "…")
        return _LEFT_OUT

    words = "".join(map(replaced, _PARTS.finditer(text)))
    plain = converted(words)
    if plain is None or "\\" in plain:
        plain = _COMMAND.sub(_said, words).replace("~", " ")
    formulas = iter(shown)
    plain = "".join(next(formulas, "…") if sign == _LEFT_OUT else sign for sign in plain)
    return _MORE.sub("…", " ".join(plain.split()))


def _said(match: re.Match[str]) -> str:
    """The output of a command by itself."""
    if match[0].startswith("\\macro{"):
        return "…"
    if match[0] in "{}\\":
        return ""
    words = converted(match[0]) or ""
    return "" if "\\" in words else words + " " * match[0].endswith(" ")
