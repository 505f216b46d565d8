"""Environments whose content LaTeX drops: `\\excludecomment{longver}`, `\\NewEnviron{longver}{}`.

They are known by what a document's files say of them; where any says otherwise, they are read.
"""

import re
from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

from pfcore.domain.spans import Spans
from pfcore.latex.lexer.groups import Groups

_SAID = re.compile(
    r"\\(?:(?P<hides>excludecomment)|(?P<shows>includecomment|specialcomment|processcomment"
    r"|(?:re)?newenvironment\*?|newtheorem\*?|spnewtheorem\*?|(?:New|Renew|Declare|Provide)"
    r"DocumentEnvironment)|(?:Ren|N)ewEnviron)\s*\{\s*(?P<name>[^{}\n]{1,60}?)\s*\}"
)
_CUES = "comment", "Environ"
_IDLE = re.compile(r"\\(?:relax|ignorespaces|ignorespacesafterend|unskip)(?![A-Za-z@])|\s")
ANY = "*"
"""Stands for every environment: something is shown under a name that is only put together."""


class Excluded(NamedTuple):
    """The environments of which a file says that they are dropped, or that they are printed."""

    hidden: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()


def excluded(text: str, groups: Groups, silent: Spans) -> Excluded:
    """What a masked text says; in the body of a macro, `silent`, it does not hide anything."""
    hidden: set[str] = set()
    shown: set[str] = set()
    if not any(cue in text for cue in _CUES):
        return Excluded()
    for match in _SAID.finditer(text):
        name = ANY if set(match["name"]) & set("#\\") else match["name"]
        drops = not match["shows"] and (match["hides"] or _is_empty(groups, match.end()))
        if not drops:
            shown.add(name)
        elif not silent.covers(match.start()):
            hidden.add(name)
    return Excluded(tuple(sorted(hidden)), tuple(sorted(shown)))


def _is_empty(groups: Groups, position: int) -> bool:
    """Whether an `\\NewEnviron` with this behind its name prints nothing: not even `\\BODY`."""
    for _ in range(2):
        option = groups.brackets(position)
        position = option[1] + 1 if option else position
    code = groups.braces(position)
    return code is not None and not _IDLE.sub("", groups.text[slice(*code)])


def never_printed(files: Iterable[Excluded]) -> frozenset[str]:
    """The environments of a document that are dropped wherever they stand."""
    listed = list(files)
    shown = {name for item in listed for name in item.shown}
    hidden = {name for item in listed for name in item.hidden}
    return frozenset() if ANY in shown else frozenset(hidden - shown - {ANY})


def without(text: str, listed: Iterable[tuple[int, int]]) -> str:
    """The text with spans blanked, each character at its place."""
    pieces: list[str] = []
    done = 0
    for start, end in listed:
        pieces += (text[done:start], " " * (end - start))
        done = end
    return "".join((*pieces, text[done:])) if pieces else text


def spans(text: str, names: Set[str]) -> Iterator[tuple[int, int]]:
    """Where such environments stand in a masked text, outermost; one without an end is read."""
    if not any(f"{{{name}}}" in text for name in names):
        return
    listed = "|".join(sorted(map(re.escape, names)))
    done = 0
    for match in re.finditer(rf"(?<!\\)\\begin\s*\{{({listed})\}}", text):
        close = f"\\end{{{match[1]}}}"
        end = text.find(close, match.end())
        if match.start() >= done and end >= 0:
            done = end + len(close)
            yield match.start(), done
