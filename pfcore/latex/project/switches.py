"""Which of a document's own conditions never hold: `\\newif\\ifdraft`, and nothing sets it."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import NamedTuple

from pfcore.latex.lexer.sites import matches, sites

ANY = "*"
"""Stands for every switch: something is set under a name that is only put together."""

_DECLARED = re.compile(r"\\newif\s*\\if([A-Za-z@]+)")
_TRUE = re.compile(r"true(?<=[A-Za-z@]true)(?![A-Za-z@])")
_NAME = re.compile(r"(?:\A|(?<![A-Za-z@]))[A-Za-z@]{1,60}\Z")
_SET = re.compile(
    r"\\(?:setboolean|setbool|booltrue|toggletrue)\s*\{\s*([A-Za-z@]+)\s*\}"
    r"|\\(?:let|def|edef|gdef|xdef|global)\s*\\if([A-Za-z@]+)"
)
_ALONE = re.compile(r"\\if([A-Za-z@]+)\s{0,20}\}")
_OPENED = re.compile(r"\{\s{0,20}\Z")
_DYNAMIC = re.compile(
    r"\\(?:@nameuse|csuse|csname|cslet|csdef)\b[^\n]{0,60}true"
    r"|\\(?:setboolean|setbool|booltrue)\s*\{\s*[#\\]|\\InputIfFileExists\b"
)
_DYNAMIC_WORDS = {
    "csname": re.compile(r"csname\s+if"),
    ".is": re.compile(r"\.is\s+if\b"),
    "#": re.compile(r"#\d\s*true"),
}
"""Where a text has such a word, something behind it may set: words are found the fastest."""


class Switches(NamedTuple):
    """The switches that a file declares, and those that it may set."""

    declared: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()


def switches(text: str, places: Sequence[int] | None = None) -> Switches:
    """Those of a masked text; `places` are its sites, where they are known."""
    if places is None:
        places = sites(text)
    declared = tuple(dict.fromkeys(match[1] for match in matches(_DECLARED, text, places)))
    found = {*_named(text, places), *_made_true(text)}
    dynamic = [ANY] if _is_dynamic(text, places) else []
    return Switches(declared, (*dynamic, *sorted(found)))


def _is_dynamic(text: str, places: Sequence[int]) -> bool:
    if any(_DYNAMIC.match(text, place) for place in places):
        return True
    return any(word in text and pattern.search(text) for word, pattern in _DYNAMIC_WORDS.items())


def _named(text: str, places: Sequence[int]) -> Iterator[str]:
    """What commands set, or may set as they get it alone in braces."""
    for match in matches(_SET, text, places):
        yield next(filter(None, match.groups()))
    if "\\if" not in text:
        return
    for match in _ALONE.finditer(text):
        if _OPENED.search(text, max(0, match.start() - 21), match.start()):
            yield match[1]


def _made_true(text: str) -> Iterator[str]:
    """What stands before "true": from the rare word back, for names stand everywhere."""
    for match in _TRUE.finditer(text):
        name = _NAME.search(text[max(0, match.start() - 60) : match.start()])
        if name:
            yield name[0]


def never_set(files: Iterable[Switches]) -> frozenset[str]:
    """The conditions that never hold, without their backslash: "ifdraft"."""
    listed = list(files)
    declared = {name for item in listed for name in item.declared}
    settings = {name for item in listed for name in item.settings}
    if ANY in settings:
        return frozenset()
    return frozenset(f"if{name}" for name in declared if not _is_set(name, settings))


def _is_set(name: str, settings: Set[str]) -> bool:
    return any(found.endswith(name) for found in settings)
