"""Which of a document's own conditions never hold: `\\newif\\ifdraft`, and nothing sets it."""

import re
from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

ANY = "*"
"""Stands for every switch: something is set under a name that is only put together."""

_DECLARED = re.compile(r"\\newif\s*\\if([A-Za-z@]+)")
_TRUE = re.compile(r"true(?![A-Za-z@])")
_NAME = re.compile(r"(?:\A|(?<![A-Za-z@]))[A-Za-z@]{1,60}\Z")
_SET = re.compile(
    r"\\(?:setboolean|setbool|booltrue|toggletrue)\s*\{\s*([A-Za-z@]+)\s*\}"
    r"|\\(?:let|def|edef|gdef|xdef|global)\s*\\if([A-Za-z@]+)"
)
_ALONE = re.compile(r"\\if([A-Za-z@]+)\s{0,20}\}")
_OPENED = re.compile(r"\{\s{0,20}\Z")
_SETTERS = ("setbool", "booltrue", "toggletrue", "\\if")
_DYNAMIC_WORDS = ("true", "csname", ".is", "setbool", "\\InputIfFileExists")
"""A text without these words sets nothing; to look for a word is many times as fast."""
_DYNAMIC = re.compile(
    r"\\(?:@nameuse|csuse|csname|cslet|csdef)\b[^\n]{0,60}true|csname\s+if|#\d\s*true|\.is\s+if\b"
    r"|\\(?:setboolean|setbool|booltrue)\s*\{\s*[#\\]|\\InputIfFileExists\b"
)


class Switches(NamedTuple):
    """The switches that a file declares, and those that it may set."""

    declared: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()


def switches(text: str) -> Switches:
    """Those of a masked text."""
    declared = tuple(dict.fromkeys(_DECLARED.findall(text))) if "\\newif" in text else ()
    found = {*_named(text), *_made_true(text)}
    is_open = any(word in text for word in _DYNAMIC_WORDS) and _DYNAMIC.search(text)
    dynamic = [ANY] if is_open else []
    return Switches(declared, (*dynamic, *sorted(found)))


def _named(text: str) -> Iterator[str]:
    """What commands set, or may set as they get it alone in braces."""
    if not any(word in text for word in _SETTERS):
        return
    for match in _SET.finditer(text):
        yield next(filter(None, match.groups()))
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
