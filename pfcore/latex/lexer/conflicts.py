"""Markers that a merge leaves in a file where two versions of it do not agree."""

import re
from collections.abc import Iterator

_MARKER = re.compile(r"^(?:(<{7}) \S[^\n]*|(={7})[ \t\r]*$|(>{7}) \S[^\n]*)", re.MULTILINE)
_ORDER = "<=>"


def conflicts(text: str) -> Iterator[tuple[int, int]]:
    """The span of the first marker of each conflict in a masked text; all three are there."""
    if "\n=======" not in text:
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
