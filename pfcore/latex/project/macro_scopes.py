"""The meaning of each macro at each place: most have one, some are redefined in the body.

It follows the definitions of a document's macros in LaTeX's reading order.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

from pfcore.latex.macros.definitions import Definition
from pfcore.latex.macros.group_bounds import GroupBound
from pfcore.latex.macros.macro import PRIMITIVE, Macro
from pfcore.latex.macros.macro_table import MacroChange
from pfcore.latex.project.declaring_macros import MacroDeclarations
from pfcore.latex.project.include_graph import IncludeGraph
from pfcore.latex.project.survey import Survey


@dataclass(frozen=True)
class Meanings:
    """The last meaning of each macro, and further meanings, with the events behind them."""

    table: dict[str, Macro]
    variants: tuple[tuple[str, Macro], ...]
    steps: Sequence["MacroEvent"] = field(default=(), repr=False, compare=False)

    @cached_property
    def changes(self) -> dict[str, tuple[MacroChange, ...]]:
        """The changes of macros in each file, including those that an included file leaves.

        A meaning at the beginning of a file is listed only if it is not the last meaning.
        """
        varying = dict(self.variants).keys()
        if not varying:
            return {}
        now: dict[str, Macro | None] = dict.fromkeys(varying)
        opening: list[MacroChange] | None = None
        visits: list[_Visit] = []
        changes: dict[str, list[MacroChange]] = {}

        def note(offset: int, name: str, macro: Macro | None) -> None:
            nonlocal opening
            opening = None
            changes[visits[-1].path].append(MacroChange(offset, name, macro))
            visits[-1].before.setdefault(name, now[name])

        for step in self.steps:
            if step.kind == "enter":
                if visits:
                    visits[-1].offset = step.offset
                visits.append(_Visit(step.path))
                opening = self._differing(now) if opening is None else opening
                changes[step.path] = [*opening]
            elif step.kind == "define" and step.name in varying:
                note(step.offset, step.name, step.macro)
                now[step.name] = step.macro
            elif step.kind == "leave":
                left = visits.pop()
                for name, macro in sorted(left.before.items()) if visits else ():
                    visits[-1].before.setdefault(name, macro)
                    if now[name] != macro:
                        changes[visits[-1].path].append(
                            MacroChange(visits[-1].offset, name, now[name])
                        )
        return {path: tuple(found) for path, found in changes.items()}

    def _differing(self, now: Mapping[str, Macro | None]) -> list[MacroChange]:
        """The meanings at the beginning of a file that are not the last meaning."""
        listed = sorted(now.items(), key=itemgetter(0))
        return [
            MacroChange(-1, one, macro) for one, macro in listed if macro != self.table.get(one)
        ]


Extra = Mapping[str, MacroDeclarations]
"""The declarations that files make by using macros, besides their literal ones."""

Bounds = Callable[[str, bool], Sequence[GroupBound]]
"""Returns the bounds of a file's groups; of all, if another file's group may end in it."""


def meanings(
    outline: IncludeGraph, surveys: Mapping[str, Survey], extra: Extra, bounds: Bounds
) -> Meanings:
    """Follow a document's definitions as LaTeX does."""
    steps = list(_settled(flow(outline, surveys, extra, bounds)))
    table: dict[str, Macro] = {}
    varying = _varying(steps, outline.root, surveys[outline.root].body, table)
    variants = {(s.name, s.macro) for s in steps if s.macro is not None and s.name in varying}
    return Meanings(table, tuple(sorted(variants)), steps)


class MacroEvent(NamedTuple):
    """A moment of reading.

    kind: enter and leave (a file), begin and end (a group, `name` is its kind), define, global
    (a definition that outlives its group), provide (one without effect if the name is defined).
    """

    kind: str
    path: str
    offset: int
    name: str = ""
    macro: Macro | None = None


class _OpenMacroScopes:
    """The current meanings of macros, and those to restore when open groups end."""

    def __init__(self) -> None:
        self._now: dict[str, Macro] = {}
        self._saved: list[tuple[str, dict[str, Macro | None]]] = []
        self._open: dict[str, int] = {}

    def begin(self, kind: str) -> None:
        self._saved.append((kind, {}))
        self._open[kind] = self._open.get(kind, 0) + 1

    def end(self, kind: str) -> Iterator[tuple[str, Macro | None]]:
        """End a group and unclosed ones in it; yields the macros whose meaning changes."""
        if not self._open.get(kind):
            return
        ended = ""
        while ended != kind:
            ended, saved = self._saved.pop()
            self._open[ended] -= 1
            for name, macro in sorted(saved.items()):
                if macro != self._now.get(name):
                    yield name, macro
                self._set(name, macro)

    def define(self, step: MacroEvent) -> Macro:
        """`\\let\\a\\b` copies the current meaning of b; if the paper defines none, a stays b.

        A `\\providecommand` of an existing macro does nothing.
        """
        macro = step.macro
        assert macro is not None
        if step.kind == "provide":
            macro = self._now.get(step.name, macro)
        if macro.parameters == PRIMITIVE and macro.body[0] == "\\":
            macro = self._now.get(macro.body[1:], macro)
        if step.kind == "global":
            for _, saved in self._saved:
                saved.pop(step.name, None)
        elif self._saved:
            self._saved[-1][1].setdefault(step.name, self._now.get(step.name))
        self._now[step.name] = macro
        return macro

    def _set(self, name: str, macro: Macro | None) -> None:
        if macro is None:
            self._now.pop(name, None)
        else:
            self._now[name] = macro


def _settled(steps: Iterable[MacroEvent]) -> Iterator[MacroEvent]:
    """Only files and definitions; a meaning that a group's end restores becomes a definition."""
    standing = _OpenMacroScopes()
    for step in steps:
        if step.kind in ("enter", "leave"):
            yield step
        elif step.kind == "begin":
            standing.begin(step.name)
        elif step.kind == "end":
            for name, macro in standing.end(step.name):
                yield MacroEvent("define", step.path, step.offset, name, macro)
        else:
            macro = standing.define(step)
            is_settled = step.kind == "define" and step.macro is macro
            yield step if is_settled else step._replace(kind="define", macro=macro)


def _varying(
    steps: list[MacroEvent], root: str, body: int, table: dict[str, Macro]
) -> frozenset[str]:
    """Fill the table; return the macros that get another meaning after the document began."""
    varying: set[str] = set()
    has_begun = False
    open_files: list[str] = []
    for step in steps:
        if step.kind == "leave":
            open_files.pop()
            continue
        inside = step.kind == "define" or bool(open_files)
        place = open_files[-1] if open_files else step.path
        has_begun = has_begun or (inside and place == root and 0 <= body <= step.offset)
        if step.kind == "enter":
            open_files.append(step.path)
            continue
        if has_begun and table.get(step.name, step.macro) != step.macro:
            varying.add(step.name)
        if step.macro is None:
            table.pop(step.name, None)
        else:
            table[step.name] = step.macro
    return frozenset(varying)


class _Visit:
    """A file being read: the offset reached, and the old meanings of macros changed in it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.offset = 0
        self.before: dict[str, Macro | None] = {}


_RANKS = {"end": 0, "begin": 1}
_NOTHING = MacroDeclarations()


def flow(
    outline: IncludeGraph, surveys: Mapping[str, Survey], extra: Extra, bounds: Bounds
) -> Iterator[MacroEvent]:
    """All events in reading order; a file that is included twice counts once."""
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
        """The events in a file and in those that it includes."""
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
            steps += [
                MacroEvent("end" if item.is_end else "begin", path, item.offset, item.kind)
                for item in listed
            ]
            self._is_open = self._is_open or _stays_open(bounds)
        return iter(sorted(steps, key=lambda step: (step.offset, _RANKS.get(step.kind, 2))))


def _kind(item: Definition) -> str:
    if item.provides:
        return "provide"
    return "global" if item.is_global else "define"


def _stays_open(bounds: Sequence[GroupBound]) -> bool:
    """Whether a group is left open, for another file to close."""
    depth = 0
    for bound in bounds:
        depth = max(0, depth - 1) if bound.is_end else depth + 1
    return depth > 0
