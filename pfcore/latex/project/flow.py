"""All that happens to a document's macros in the order in which LaTeX reads it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pfcore.latex.macros.definitions import Definition
from pfcore.latex.macros.group_bounds import GroupBound
from pfcore.latex.macros.macro import Macro
from pfcore.latex.project.declaring_macros import MacroDeclarations
from pfcore.latex.project.include_graph import IncludeGraph
from pfcore.latex.project.survey import Survey


class MacroEvent(NamedTuple):
    """A moment of reading.

    kind: enter and leave (a file), begin and end (a group, `name` is its kind), define, global
    (a definition that outlives its group), provide (one that does nothing where there is one).
    """

    kind: str
    path: str
    offset: int
    name: str = ""
    macro: Macro | None = None


Extra = Mapping[str, MacroDeclarations]
"""What a file makes by using macros, beside what it spells out."""

Bounds = Callable[[str, bool], Sequence[GroupBound]]
"""The bounds of a file's groups; of all of them, if a group of another file may end in it."""

_RANKS = {"end": 0, "begin": 1}
_NOTHING = MacroDeclarations()


def flow(
    outline: IncludeGraph, surveys: Mapping[str, Survey], extra: Extra, bounds: Bounds
) -> Iterator[MacroEvent]:
    """All moments in reading order; a file that is read in twice counts once."""
    following = _Following(outline, surveys, extra, bounds)
    for start in outline.order:
        if start not in following.seen:
            yield from following.follow(start)


class _Following:
    def __init__(
        self, outline: IncludeGraph, surveys: Mapping[str, Survey], extra: Extra, bounds: Bounds
    ) -> None:
        self._outline = outline
        self._surveys = surveys
        self._extra = extra
        self._bounds = bounds
        self._is_open = False
        self.seen: set[str] = set()

    def follow(self, start: str) -> Iterator[MacroEvent]:
        """What happens in a file and in those that it reads in."""
        yield MacroEvent("enter", start, 0)
        stack = [(start, self._steps(start))]
        while stack:
            step = next(stack[-1][1], None)
            if step is None:
                yield MacroEvent("leave", stack.pop()[0], 0)
            elif step.kind != "enter":
                yield step
            elif step.path not in self.seen:
                yield step
                stack.append((step.path, self._steps(step.path)))

    def _steps(self, path: str) -> Iterator[MacroEvent]:
        self.seen.add(path)
        made = self._extra.get(path, _NOTHING)
        steps = [
            MacroEvent("enter", item.path, item.offset)
            for item in self._outline.inclusions.get(path, [])
        ]
        steps += [
            MacroEvent(_kind(item), path, item.start, item.name, item.macro)
            for item in (*self._surveys[path].macros, *made.macros)
        ]
        if steps or self._is_open:
            bounds = self._bounds(path, self._is_open)
            listed = (*bounds, *made.bounds)
            steps += [MacroEvent(_side(item), path, item.offset, item.kind) for item in listed]
            self._is_open = self._is_open or _stays_open(bounds)
        return iter(sorted(steps, key=lambda step: (step.offset, _RANKS.get(step.kind, 2))))


def _kind(item: Definition) -> str:
    if item.provides:
        return "provide"
    return "global" if item.is_global else "define"


def _side(bound: GroupBound) -> str:
    return "end" if bound.is_end else "begin"


def _stays_open(bounds: Sequence[GroupBound]) -> bool:
    """Whether a group is left to another file to end."""
    depth = 0
    for bound in bounds:
        depth = max(0, depth - 1) if bound.is_end else depth + 1
    return depth > 0
