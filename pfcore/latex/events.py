"""One pass over a masked text: every command that matters, with its arguments, in order."""

from collections.abc import Iterator
from typing import NamedTuple

from pfcore.latex import commands, macros
from pfcore.latex.groups import Groups
from pfcore.latex.spans import Spans
from pfcore.latex.syntax import Syntax

_DEPTH = 12
_LONGEST_EXPANSION = 20_000


class Event(NamedTuple):
    """A command at `start`; `end` is behind what belongs to it.

    kind: begin, end, label, reference, range, page, cite, uses, section, input, item, appendix,
    silent, macro (inactive), active. `name` is the command or environment, `keys` its labels
    or file, `note` an optional argument or title.
    """

    start: int
    end: int
    kind: str
    name: str
    keys: tuple[str, ...]
    note: str


def events(text: str, syntax: Syntax, groups: Groups, silent: Spans) -> list[Event]:
    """The events of a text; those inside definitions are left out."""
    found: list[Event] = []
    for match in syntax.pattern.finditer(text):
        start = match.start()
        if silent.covers(start) or text.startswith("\\", start - 1) and _is_escaped(text, start):
            continue
        begin, end, name, star = match.groups()
        if begin is not None:
            found.append(Event(start, match.end(), "begin", begin.strip(), (), ""))
        elif end is not None:
            found.append(Event(start, match.end(), "end", end.strip(), (), ""))
        else:
            found.append(_command(text, syntax, groups, start, match.end(), name, star))
    return found


def _is_escaped(text: str, position: int) -> bool:
    count = 0
    while position > count and text[position - count - 1] == "\\":
        count += 1
    return count % 2 == 1


def _command(
    text: str, syntax: Syntax, groups: Groups, start: int, end: int, name: str, star: str
) -> Event:
    if name in syntax.references or name in syntax.labels:
        return _configured(text, syntax, groups, start, end, name)
    if name in commands.SPECIAL:
        return _special(text, groups, start, end, name)
    if name in syntax.active:
        return Event(start, end - len(star), "active", name, (), "")
    return Event(start, end - len(star), "macro", name, (), "")


def _configured(
    text: str, syntax: Syntax, groups: Groups, start: int, end: int, name: str
) -> Event:
    while bracket := groups.brackets(end):
        end = bracket[1] + 1
    argument = groups.braces(end)
    kind = "label" if name in syntax.labels else "reference"
    if not argument:
        return Event(start, end, "silent", name, (), "")
    return Event(start, argument[1] + 1, kind, name, _keys(text[slice(*argument)]), "")


def _special(text: str, groups: Groups, start: int, end: int, name: str) -> Event:
    if name in commands.SILENT:
        return Event(start, _past(groups, end, commands.SILENT[name]), "silent", name, (), "")
    if name in ("item", "appendix", "qed", "proof", "endproof"):
        kind = {"proof": "begin", "endproof": "end"}.get(name, name)
        return Event(start, end, kind, "proof" if kind in ("begin", "end") else name, (), "")
    if name in commands.SECTIONS:
        return _section(text, groups, start, end, name)
    if name in commands.INPUTS:
        return _input(text, groups, start, end, name)
    return _keyed(text, groups, start, end, name)


def _past(groups: Groups, end: int, count: int) -> int:
    for _ in range(count):
        bracket = groups.brackets(end)
        argument = groups.braces(bracket[1] + 1 if bracket else end)
        if not argument:
            break
        end = argument[1] + 1
    return end


def _section(text: str, groups: Groups, start: int, end: int, name: str) -> Event:
    short = groups.brackets(end)
    title = groups.braces(short[1] + 1 if short else end)
    if not title:
        return Event(start, end, "silent", name, (), "")
    return Event(start, title[1] + 1, "section", name, (), text[slice(*title)])


def _input(text: str, groups: Groups, start: int, end: int, name: str) -> Event:
    first = groups.token(end) if text[end : end + 1] == "{" else None
    if first is None:
        stop = end
        while stop < len(text) and stop < end + 200 and text[stop] not in " \n\t{}\\%[]" or (
            stop == end and text[stop : stop + 1] == " "
        ):
            stop += 1
        target = text[end:stop].strip()
        kind = "input" if target else "silent"
        return Event(start, stop, kind, name, (target,) if target else (), "")
    target, end = text[slice(*first)].strip().strip('"'), first[1] + 1
    if name in ("import", "subimport", "includefrom", "subincludefrom", "inputfrom", "subinputfrom"):
        second = groups.braces(end)
        if second:
            target, end = f"{target}/{text[slice(*second)].strip()}", second[1] + 1
    return Event(start, end, "input", name, (target,), "")


def _keyed(text: str, groups: Groups, start: int, end: int, name: str) -> Event:
    """Labels, references, citations and the marks of blueprints: options, then keys."""
    if name in ("leanok", "mathlibok", "notready"):
        return Event(start, end, "uses", name, (), "")
    option = groups.brackets(end)
    note = text[slice(*option)] if option else ""
    end = option[1] + 1 if option else end
    while name in commands.CITES and option and (option := groups.brackets(end)):
        note, end = text[slice(*option)], option[1] + 1
    if name == "hyperref":
        return Event(start, end, "reference" if note else "silent", name, _keys(note), "")
    argument = groups.braces(end)
    if argument is None:
        return Event(start, end, "silent", name, (), note)
    keys, end = _keys(text[slice(*argument)]), argument[1] + 1
    if name in commands.RANGES:
        second = groups.braces(end)
        if second:
            keys, end = keys + _keys(text[slice(*second)]), second[1] + 1
        return Event(start, end, "range", name, keys, "")
    kind = (
        "label" if name == "label"
        else "cite" if name in commands.CITES
        else "uses" if name in commands.USES
        else "page" if "page" in name
        else "reference"
    )  # fmt: skip
    return Event(start, end, kind, name, keys[:1] if kind == "label" else keys, note)


def _keys(text: str) -> tuple[str, ...]:
    return tuple(" ".join(key.split()) for key in text.split(",") if key.strip())


def expand(
    text: str, syntax: Syntax, groups: Groups, event: Event
) -> tuple[str, int] | None:
    """An active macro's text with its arguments put in as they stand, and where it ends."""
    macro = syntax.table(event.start).get(event.name)
    if macro is None or macro.parameters == macros.PRIMITIVE:
        return None
    found = macros.arguments(macro, groups, event.end)
    if found is None:
        return None
    spans, end = found
    values = [macros.NO_VALUE if span is None else text[slice(*span)] for span in spans]
    body = macros.substitute(macro, values)
    return (body, end) if len(body) <= _LONGEST_EXPANSION else None


def flattened(
    text: str, syntax: Syntax, groups: Groups, listed: list[Event], depth: int = 0
) -> Iterator[Event]:
    """The events with those of active macros put in, all at the place where the macro stands."""
    consumed = 0
    for event in listed:
        if event.start < consumed:
            continue
        made = expand(text, syntax, groups, event) if event.kind == "active" else None
        if made is None or depth >= _DEPTH:
            yield event
            continue
        body, end = made
        consumed = end
        inner = Groups(body)
        below = events(body, syntax, inner, Spans(()))
        for found in flattened(body, syntax, inner, below, depth + 1):
            yield found._replace(start=event.start, end=end)
