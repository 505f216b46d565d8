"""Where the groups and environments of a file begin and end, which limits definitions in them.

Also distinguishes a brace that begins a group from one that begins an argument of a command.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer import commands

_INSIDE = r"\{[^{}\\]*+(?:(?:\\.|%s)[^{}\\]*+)*+\}"
_GROUP = _INSIDE % (_INSIDE % (_INSIDE % r"(?!)"))
"""A group with at most a few levels of nesting, which is balanced."""

_SKIPPED = rf"(?:[^\\{{}}]++|{_GROUP}|\\(?!%s)(?:[A-Za-z@]++|.))*+"
_NAMED = r"(?:begin|end)\s*\{[^{}\n]{0,80}\}"
_PLAIN = r"(?:begingroup|endgroup|bgroup|egroup|%s)(?![A-Za-z@])"
_SIGNS = {
    "{": ("{", False), "}": ("{", True), "\\bgroup": ("{", False), "\\egroup": ("{", True),
    "\\begingroup": ("\\", False), "\\endgroup": ("\\", True), "\\[": ("[", False),
    "\\]": ("[", True), "\\(": ("(", False), "\\)": ("(", True),
}  # fmt: skip

_HINT = regex(r"\\(?:begin|end)[^A-Za-z@]|group(?![A-Za-z@])")
_ROUNDS = 4
_MOST_BOUNDS = 8

Sign = tuple[str, bool]
"""A kind of group and whether it ends: `{`, `\\` (`\\begingroup`), `[`, `(`, or an environment."""

Signs = Mapping[str, tuple[Sign, ...]]
"""The groups that the paper's own macros begin without ending them, or end without a begin."""

NONE: Signs = {}


class GroupBound(NamedTuple):
    """The start or end of a group; one that is matched in another file has no counterpart."""

    offset: int
    kind: str
    is_end: bool


def bounds_around(
    text: str,
    places: Iterable[int],
    *,
    hidden: Sequence[tuple[int, int]] = (),
    own: Signs = NONE,
    is_whole: bool = False,
) -> tuple[GroupBound, ...]:
    """The bounds of all groups of a masked text that contain a place, and the unmatched bounds.

    `hidden` are the sorted spans of definitions. Text after the last place and its groups is only
    read if `is_whole`.
    """
    sorted_places = sorted(places)
    last = len(text) if is_whole else sorted_places[-1] if sorted_places else -1
    nest = _Nest(text, sorted_places, [end for _, end in hidden])
    for bound in _signs(text, _gaps(len(text), hidden, sorted_places), own):
        if bound.offset > last and not nest.is_inside(last):
            break
        nest.add(bound)
    return nest.found()


def unbalanced_macros(bodies: Mapping[str, str]) -> Signs:
    """The groups that macros begin without ending them, or end without a begin, by their bodies."""
    found: dict[str, tuple[Sign, ...]] = {}
    pending = {name for name, body in bodies.items() if _HINT.search(body)}
    for _ in range(_ROUNDS):
        before = dict(found)
        found = {name: signs for name in pending if (signs := _left(bodies[name], found))}
        if found == before:
            break
        calling = re.compile(rf"\\(?:{commands.alternatives(found)})(?![A-Za-z@])")
        pending |= {name for name, body in bodies.items() if calling.search(body)}
    return found


def _left(body: str, own: Signs) -> tuple[Sign, ...]:
    nest = _Nest(body)
    for bound in _signs(body, [(0, len(body))], own):
        nest.add(bound)
    found = tuple((bound.kind, bound.is_end) for bound in nest.found())
    return found if len(found) <= _MOST_BOUNDS else ()


def _signs(text: str, gaps: Iterable[tuple[int, int]], own: Signs) -> Iterator[GroupBound]:
    pattern = _pattern(frozenset(own))
    for start, end in gaps:
        position = start
        while match := pattern.match(text, position, end):
            position = match.end()
            offset, command = match.start(1), match[1]
            if command in _SIGNS:
                yield GroupBound(offset, *_SIGNS[command])
            elif match[2]:
                name = match[3].strip()
                if name != "document" and "#" not in name:
                    yield GroupBound(offset, f"env {name}", match[2] == "end")
            else:
                yield from (GroupBound(offset, *sign) for sign in own[command[1:]])


def _gaps(
    length: int, hidden: Iterable[tuple[int, int]], places: Iterable[int]
) -> Iterator[tuple[int, int]]:
    """The parts that are not hidden, cut at the places, so that no skipped group has a place."""
    position = 0
    for start, end in sorted((*hidden, *((place, place) for place in places), (length, length))):
        if start > position:
            yield position, start
        position = max(position, end)


@lru_cache(maxsize=16)
def _pattern(own: frozenset[str]) -> re.Pattern[str]:
    """A sign with the text before it; groups: the sign, begin or end, the environment."""
    plain = _PLAIN % commands.alternatives(own)
    skipped = _SKIPPED % rf"{_NAMED}|{plain}|[\[\]()]"
    named = r"\\(begin|end)\s*\{([^{}\n]{0,80})\}"
    return regex(rf"{skipped}({named}|\\{plain}|\\[\[\]()]|[{{}}])", re.DOTALL)


def confined(found: Iterable[GroupBound]) -> list[tuple[int, int]]:
    """The spans of the groups with both bounds among those given."""
    stack: list[GroupBound] = []
    spans: list[tuple[int, int]] = []
    for bound in found:
        if not bound.is_end:
            stack.append(bound)
        elif stack and stack[-1].kind == bound.kind:
            spans.append((stack.pop().offset, bound.offset))
    return spans


class _Nest:
    """The open groups; an end that matches an outer group also ends the inner ones."""

    def __init__(self, text: str, places: Sequence[int] = (), defined: Sequence[int] = ()) -> None:
        self._text = text
        self._places = places
        self._defined = defined
        self._stack: list[_Begun] = []
        self._open: dict[str, int] = {}
        self._found: list[tuple[int, GroupBound]] = []
        self._count = 0

    def is_inside(self, place: int) -> bool:
        """Whether a group that began before a place, or at it, is still open."""
        return bool(self._stack) and self._stack[0].bound.offset <= place

    def add(self, bound: GroupBound) -> None:
        """Add the start or end of a group."""
        kind = bound.kind
        if not bound.is_end:
            self._stack.append(_Begun(self._number(), bound))
            self._open[kind] = self._open.get(kind, 0) + 1
        elif not self._open.get(kind):
            self._found.append((self._number(), bound))
        else:
            self._end(bound)

    def _number(self) -> int:
        self._count += 1
        return self._count

    def _end(self, bound: GroupBound) -> None:
        kind = ""
        while kind != bound.kind:
            number, begun = self._stack.pop()
            kind = begun.kind
            self._open[kind] -= 1
            if self._has_place(begun.offset, bound.offset) and self._confines(begun):
                end = self._number(), bound._replace(kind=kind)
                self._found += ((number, begun), end)

    def found(self) -> tuple[GroupBound, ...]:
        """The bounds of groups that contain a place, and the unmatched bounds, in order."""
        left = [begun for begun in self._stack if self._confines(begun.bound)]
        return tuple(bound for _, bound in sorted((*self._found, *left)))

    def _has_place(self, start: int, end: int) -> bool:
        index = bisect_left(self._places, start)
        return index < len(self._places) and self._places[index] < end

    def _confines(self, begun: GroupBound) -> bool:
        if begun.kind != "{":
            return True
        index = bisect_right(self._defined, begun.offset)
        floor = self._defined[index - 1] if index else 0
        return not is_passed(self._text, begun.offset, floor)


class _Begun(NamedTuple):
    number: int
    bound: GroupBound


_NAME = regex(r"\\([A-Za-z@]+)\*?\Z")
_LONGEST_NAME = 60
_REACH = 2_000
_MOST_ARGUMENTS = 9
_BRACES = regex(r"[{}\[\]]")
_PAIRS = {"}": "{", "]": "["}

_PASSING = regex(
    r"@?if|If|At[A-Z]|After|Before|Add[A-Z]|g@addto|[a-z]*appto|[a-z]*preto|lowercase|uppercase"
)
"""Conditions and hooks: a definition in their arguments stays valid after them."""

_CONFINING = regex(
    r"(?:text|math|foot|caption|emph|under|over|title|author|thanks|frac|sqrt)[a-z]*|[a-z]*box"
)
"""Commands that set their arguments in a group."""

_ALONE = frozenset(
    """bf it rm sc sf tt sl em tiny scriptsize footnotesize small normalsize large Large LARGE huge
    Huge normalfont bfseries itshape scshape slshape upshape rmfamily sffamily ttfamily mdseries
    raggedright raggedleft makeatletter makeatother else fi quad qquad begin end begingroup endgroup
    bgroup egroup item newline maketitle appendix""".split()
) | {name for name, count in commands.SILENT.items() if not count}
"""Commands without arguments: a brace after them begins a group."""


def is_passed(text: str, brace: int, floor: int = 0) -> bool:
    """Whether a brace begins an argument that its command executes without a group around it.

    The command begins at or after `floor`. An unknown command is assumed to be of this kind if its
    arguments follow directly.
    """
    floor = max(floor, brace - _REACH)
    position, is_apart = brace, False
    for _ in range(_MOST_ARGUMENTS):
        stop = floor + len(text[floor:position].rstrip())
        is_apart = is_apart or stop < position
        if stop == floor or text[stop - 1] not in _PAIRS:
            return _is_passing(text, floor, stop, is_apart=is_apart)
        position = _opening(text, floor, stop - 1)
        if position < 0:
            break
    return False


def _is_passing(text: str, floor: int, end: int, *, is_apart: bool) -> bool:
    match = _NAME.search(text, max(floor, end - _LONGEST_NAME), end)
    if match is None or match[1] in _ALONE:
        return False
    if _PASSING.match(match[1]):
        return True
    return not is_apart and not _CONFINING.fullmatch(match[1])


def _opening(text: str, floor: int, closing: int) -> int:
    """The start of the argument that ends here, or -1."""
    wanted = _PAIRS[text[closing]]
    depth = 0
    for match in reversed(list(_BRACES.finditer(text, floor, closing))):
        if match[0] == wanted and not depth:
            return match.start()
        if match[0] in "{}":
            depth += 1 if match[0] == "}" else -1
        if depth < 0:
            return -1
    return -1
