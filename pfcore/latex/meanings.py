"""What each macro means where: most mean one thing, some are defined anew within the body."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pfcore.latex.macros import Macro
from pfcore.latex.outline import Outline
from pfcore.latex.survey import Survey
from pfcore.latex.syntax import Change


class Step(NamedTuple):
    """A moment of reading: a file is entered or left (`macro` None), or a macro is defined."""

    kind: str
    path: str
    offset: int
    name: str
    macro: Macro | None
    provides: bool


def flow(outline: Outline, surveys: Mapping[str, Survey]) -> Iterator[Step]:
    """All moments in reading order; a file that is read in twice counts once."""
    seen: set[str] = set()
    for start in outline.order:
        if start in seen:
            continue
        stack = [(start, _steps(start, outline, surveys))]
        seen.add(start)
        yield Step("enter", start, 0, "", None, False)
        while stack:
            step = next(stack[-1][1], None)
            if step is None:
                yield Step("leave", stack.pop()[0], 0, "", None, False)
            elif step.macro is not None:
                yield step
            elif step.path not in seen:
                seen.add(step.path)
                yield step
                stack.append((step.path, _steps(step.path, outline, surveys)))


def _steps(path: str, outline: Outline, surveys: Mapping[str, Survey]) -> Iterator[Step]:
    steps = [
        Step("enter", item.path, item.offset, "", None, False)
        for item in outline.inclusions.get(path, [])
    ]
    steps += [
        Step("define", path, item.start, item.name, item.macro, item.provides)
        for item in surveys[path].macros
    ]
    return iter(sorted(steps, key=lambda step: step.offset))


def meanings(
    outline: Outline, surveys: Mapping[str, Survey]
) -> tuple[dict[str, Macro], dict[str, tuple[Change, ...]]]:
    """The table of all macros, and for each file what changes there (empty if nothing varies)."""
    steps = list(flow(outline, surveys))
    table: dict[str, Macro] = {}
    varying = _varying(steps, outline.root, surveys[outline.root].body, table)
    return table, _changes(steps, varying) if varying else {}


def _varying(
    steps: list[Step], root: str, body: int, table: dict[str, Macro]
) -> frozenset[str]:
    """Fill the table; return the macros that get another meaning after the document began."""
    varying: set[str] = set()
    has_begun = False
    open_files: list[str] = []
    for step in steps:
        if step.kind == "enter":
            has_begun = has_begun or (bool(open_files) and open_files[-1] == root
                                      and 0 <= body <= step.offset)
            open_files.append(step.path)
        elif step.kind == "leave":
            open_files.pop()
        elif step.macro is not None and not (step.provides and step.name in table):
            has_begun = has_begun or (step.path == root and 0 <= body <= step.offset)
            if has_begun and table.get(step.name, step.macro) != step.macro:
                varying.add(step.name)
            table[step.name] = step.macro
    return frozenset(varying)


def _changes(steps: list[Step], varying: frozenset[str]) -> dict[str, tuple[Change, ...]]:
    current: dict[str, Macro] = {}
    reached: list[tuple[str, int]] = []
    changes: dict[str, list[Change]] = {}
    for step in steps:
        if step.kind == "enter":
            if reached:
                reached[-1] = (reached[-1][0], step.offset)
            reached.append((step.path, 0))
            changes[step.path] = [
                Change(offset=-1, name=name, macro=current.get(name)) for name in sorted(varying)
            ]
        elif step.kind == "leave":
            reached.pop()
        elif step.name in varying and not (step.provides and step.name in current):
            current[step.name] = step.macro  # type: ignore[assignment]
            reached[-1] = (step.path, step.offset)
            for path, offset in reached:
                changes[path].append(Change(offset=offset, name=step.name, macro=step.macro))
    return {path: tuple(found) for path, found in changes.items()}
