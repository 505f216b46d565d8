"""What each macro means where: most mean one thing, some are defined anew within the body."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pfcore.latex.lexicon import Change
from pfcore.latex.macros import PRIMITIVE, Definition, Macro
from pfcore.latex.outline import Outline
from pfcore.latex.survey import Survey


class Step(NamedTuple):
    """A moment of reading: a file is entered or left (`macro` None), or a macro is defined."""

    kind: str
    path: str
    offset: int
    name: str
    macro: Macro | None
    provides: bool


class Meanings(NamedTuple):
    """The last meaning of each macro, further meanings, and for each file what changes there."""

    table: dict[str, Macro]
    variants: tuple[tuple[str, Macro], ...]
    changes: dict[str, tuple[Change, ...]]


Extra = Mapping[str, tuple[Definition, ...]]
"""Definitions that a file makes by using macros, beside those that it spells out."""


def meanings(outline: Outline, surveys: Mapping[str, Survey], extra: Extra) -> Meanings:
    """Follow a document's definitions as LaTeX does."""
    steps = list(_settled(_flow(outline, surveys, extra)))
    table: dict[str, Macro] = {}
    varying = _varying(steps, outline.root, surveys[outline.root].body, table)
    variants = {(s.name, s.macro) for s in steps if s.macro is not None and s.name in varying}
    changes = _changes(steps, varying) if varying else {}
    return Meanings(table, tuple(sorted(variants)), changes)


def _flow(outline: Outline, surveys: Mapping[str, Survey], extra: Extra) -> Iterator[Step]:
    """All moments in reading order; a file that is read in twice counts once."""
    seen: set[str] = set()
    for start in outline.order:
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, _steps(start, outline, surveys, extra))]
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
                stack.append((step.path, _steps(step.path, outline, surveys, extra)))


def _steps(
    path: str, outline: Outline, surveys: Mapping[str, Survey], extra: Extra
) -> Iterator[Step]:
    steps = [
        Step("enter", item.path, item.offset, "", None, False)
        for item in outline.inclusions.get(path, [])
    ]
    steps += [
        Step("define", path, item.start, item.name, item.macro, item.provides)
        for item in (*surveys[path].macros, *extra.get(path, ()))
    ]
    return iter(sorted(steps, key=lambda step: step.offset))


def _settled(steps: Iterator[Step]) -> Iterator[Step]:
    """`\\let\\a\\b` copies what b is at that moment; what the paper does not define stays b.

    A `\\providecommand` of what is there already does nothing.
    """
    current: dict[str, Macro] = {}
    for step in steps:
        macro = step.macro
        if macro is None:
            yield step
            continue
        if step.provides and step.name in current:
            continue
        if macro.parameters == PRIMITIVE:
            macro = current.get(macro.body[1:], macro) if macro.body[0] == "\\" else macro
        current[step.name] = macro
        yield step._replace(macro=macro)


def _varying(steps: list[Step], root: str, body: int, table: dict[str, Macro]) -> frozenset[str]:
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
        elif step.macro is not None:
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
            changes[step.path] = [Change(-1, name, current.get(name)) for name in sorted(varying)]
        elif step.kind == "leave":
            reached.pop()
        elif step.macro is not None and step.name in varying:
            current[step.name] = step.macro
            reached[-1] = (step.path, step.offset)
            for path, offset in reached:
                changes[path].append(Change(offset, step.name, step.macro))
    return {path: tuple(found) for path, found in changes.items()}
