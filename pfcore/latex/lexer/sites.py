"""Where a text may declare, define, read in or set something: one pass for all who look for it."""

import re
from collections.abc import Iterator, Sequence

from pfcore.latex.lexer.commands import alternatives

_NAMES = """
    new renew provide spnew New Renew Provide declare Declare
    def edef gdef xdef let chardef mathchardef global
    input include subfile loadglsentries InputIf import subimport subinclude subinput
    usepackage RequirePackage documentclass LoadClass externaldocument Opensolutionfile
    setbool booltrue toggletrue csuse csname cslet csdef @nameuse
""".split()
_SITE = re.compile(rf"\\(?:{alternatives(_NAMES)}|begin\s*\{{document\}})")
"""The names of all commands that are looked for begin in one of these ways."""


def sites(text: str) -> list[int]:
    """The offsets of all commands in a text that may be such."""
    return [match.start() for match in _SITE.finditer(text)]


def matches(
    pattern: re.Pattern[str], text: str, places: Sequence[int] | None = None
) -> Iterator[re.Match[str]]:
    """What a pattern finds in a text, if all that it finds begins at a site; `places` are these."""
    end = 0
    for place in sites(text) if places is None else places:
        if place >= end and (match := pattern.match(text, place)):
            end = match.end()
            yield match
