"""One pass over a masked text: every command that matters, with its arguments, in order."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from pfcore.latex import branches, commands, macros, tails
from pfcore.latex.groups import Groups
from pfcore.latex.joining import joined
from pfcore.latex.lexicon import Lexicon
from pfcore.latex.mask import is_escaped
from pfcore.latex.spans import Spans
from pfcore.latex.syntax import Syntax
from pfcore.latex.traits import Trait, Traits

_DEPTH = 12
_LONGEST = 20_000
_EXPANSIONS = 500
_LOOKED = 50
_EXPANDED = ("active", "looking")
_NOWHERE = Spans(())

_QUOTED = re.compile(r'"([^"{}\\%\n]{1,200})"')
_OVERLAY = re.compile(r"<[^<>{}\n]{0,40}>")

Expanded = tuple[str, int]
"""What a macro stands for, and where the text goes on behind it."""


class Event(NamedTuple):
    """A command at `start`; `end` is behind what belongs to it.

    kind: begin, end, label, reference, range, page, cite, uses, section, input, item, appendix,
    qed, silent, macro (inactive), active, looking (one that leads to nothing but a look at what
    follows it). `name` is the command or environment, `keys` its labels or file, `note` an
    optional argument or title.
    """

    start: int
    end: int
    kind: str
    name: str
    keys: tuple[str, ...]
    note: str


_made: Callable[[tuple[int, int, str, str, tuple[str, ...], str]], Event]
_made = partial(tuple.__new__, Event)
"""An event of its fields: in half the time, where there are as many as commands in a paper."""


class Scanner:
    """Finds the events of one file's text, and of what its active macros stand for."""

    def __init__(self, syntax: Syntax, lexicon: Lexicon, *, spare: int = 1_000_000) -> None:
        self._syntax = syntax
        self._lexicon = lexicon
        self._traits = Traits(syntax, lexicon)
        self._spare = spare
        self._reaching = 0
        self._bodies: dict[tuple[str, int], tuple[Groups, list[Event]]] = {}

    def scan(self, groups: Groups, hidden: Spans = _NOWHERE, at: int | None = None) -> list[Event]:
        """The events of a text, those in hidden spans left out.

        `at` is the offset in the file where the text stands, if it is not the file's own.
        """
        return list(self._found(groups, hidden, at))

    def _found(self, groups: Groups, hidden: Spans, at: int | None) -> Iterator[Event]:
        text, inactive, last_hidden = groups.text, self._syntax.inactive, hidden.end
        for match in self._syntax.pattern.finditer(text):
            start, end = match.span()
            if start and text[start - 1] == "\\" and is_escaped(text, start):
                continue
            if start < last_hidden and hidden.covers(start):
                continue
            begun, ended, name, star = match.groups()
            if name in inactive:
                yield _made((start, end - len(star), "macro", name, (), ""))
            elif name is not None:
                yield self._command(groups, start, end, name, star, at)
            elif begun is not None:
                yield _made((start, end, "begin", begun.strip(), (), ""))
            else:
                yield _made((start, end, "end", ended.strip(), (), ""))

    def body(self, text: str, at: int) -> tuple[Groups, list[Event]]:
        """The events of a text that a macro stands for at an offset of the file."""
        key = text, self._lexicon.epoch(at)
        if key not in self._bodies:
            groups = Groups(text)
            self._bodies[key] = groups, self.scan(groups, at=at)
        return self._bodies[key]

    def _command(
        self, groups: Groups, start: int, end: int, name: str, star: str, at: int | None
    ) -> Event:
        syntax = self._syntax
        offset = start if at is None else at
        if name in syntax.active and (trait := self._traits.at(name, offset)):
            meant = self._meant(name, offset)
            if meant not in syntax.known:
                kind = "active" if trait is Trait.STRUCTURAL else "looking"
                return Event(start, end - len(star), kind, name, (), "")
            name = meant
        if name in syntax.references or name in syntax.labels:
            event = self._configured(groups, start, end, name)
        elif name in commands.SPECIAL:
            event = _READERS.get(name, _keyed)(groups, start, end, name)
        else:
            return Event(start, end - len(star), "macro", name, (), "")
        if any("\\" in key for key in event.keys):
            keys = (self._lexicon.resolve(key, offset) for key in event.keys)
            return event._replace(keys=tuple(" ".join(key.split()) for key in keys))
        return event

    def _meant(self, name: str, offset: int) -> str:
        """The command that a name was `\\let` to; empty where it has a body of its own."""
        macro = self._lexicon.meaning(name, offset)
        if macro is None:
            return name
        return macro.body.removeprefix("\\") if macro.parameters == macros.PRIMITIVE else ""

    def _configured(self, groups: Groups, start: int, end: int, name: str) -> Event:
        while bracket := groups.brackets(end):
            end = bracket[1] + 1
        argument = groups.braces(end)
        kind = "label" if name in self._syntax.labels else "reference"
        if not argument:
            return Event(start, end, "silent", name, (), "")
        inside = groups.text[slice(*argument)]
        keys = _keys(inside) if kind == "reference" else _key(inside)
        return Event(start, argument[1] + 1, kind, name, keys, "")

    def flatten(
        self, groups: Groups, listed: Iterable[Event], at: int | None = None
    ) -> Iterator[Event]:
        """What has a place in the structure, that of active macros at the place of the macro."""
        consumed = 0
        for event in listed:
            if event.start < consumed or event.kind == "macro":
                continue
            made = self.expand(groups, event, at) if event.kind == "active" else None
            if made is None:
                yield event
                continue
            body, consumed = made
            left = [_EXPANSIONS]
            offset = event.start if at is None else at
            for found in self._below(body, offset, 1, left):
                yield found._replace(start=event.start, end=consumed)

    def _below(self, body: str, at: int, depth: int, left: list[int]) -> Iterator[Event]:
        groups, listed = self.body(body, at)
        consumed = 0
        for event in listed:
            if event.start < consumed or event.kind == "macro":
                continue
            made = None
            if event.kind == "active" and depth < _DEPTH and left[0] > 0:
                made = self.expand(groups, event, at)
            if made is None:
                yield _titled(event, groups) if event.kind == "begin" else event
                continue
            left[0] -= 1
            consumed = made[1]
            yield from self._below(made[0], at, depth + 1, left)

    def expand(self, groups: Groups, event: Event, at: int | None) -> Expanded | None:
        """An active macro's text with its arguments as they stand, and where it ends."""
        offset = event.start if at is None else at
        macro = self._lexicon.meaning(event.name, offset)
        if macro is None or event.name in self._syntax.endless:
            return None
        is_other = macro.parameters == macros.PRIMITIVE
        found = ([], event.end) if is_other else macros.arguments(macro, groups, event.end)
        if found is None or self._spare < 0:
            return None
        values = [
            macros.NO_VALUE if span is None else groups.text[slice(*span)] for span in found[0]
        ]
        body = macros.filled(macro, macro.body, values, _LONGEST)
        if body is None or len(body) > _LONGEST:
            return None
        self._spare -= len(body)
        return self._behind(event, body, groups, found[1], offset)

    def _behind(self, event: Event, body: str, groups: Groups, end: int, at: int) -> Expanded:
        """A macro's text after its looks at what follows it, with what it takes from there."""
        is_looking = event.name in self._syntax.looking
        made = branches.looked(body, groups, end) if is_looking else (body, end)
        if made is None or self._reaching > _DEPTH or not (is_looking or tails.is_open(body)):
            return body, end
        self._reaching += 1
        self._spare -= _LOOKED
        found = tails.completed(*made, groups, partial(self._reached, at=at))
        self._reaching -= 1
        return found

    def _reached(self, groups: Groups, limit: int, *, at: int) -> Expanded | None:
        """The text up to where the command ends that begins before an offset and ends behind it.

        If that command is active, its text stands in its place.
        """
        reached = 0
        for event in self._found(groups, _NOWHERE, at):
            if event.start >= limit:
                break
            if event.start < reached:
                continue
            made = self.expand(groups, event, at) if event.kind in _EXPANDED else None
            reached = made[1] if made else self._end(groups, event, at)
            if reached > limit and made:
                return joined(groups.text[: event.start], made[0]), reached
        return (groups.text[:reached], reached) if reached > limit else None

    def _end(self, groups: Groups, event: Event, at: int) -> int:
        macro = self._lexicon.meaning(event.name, at) if event.kind == "macro" else None
        is_own = macro is not None and macro.parameters != macros.PRIMITIVE
        found = macros.arguments(macro, groups, event.end) if macro and is_own else None
        return found[1] if found else event.end


def _titled(event: Event, groups: Groups) -> Event:
    """The begin of an environment, with the title that the text of a macro gives to it."""
    span = groups.brackets(event.end)
    return event._replace(note=groups.text[slice(*span)]) if span else event


def _silent(groups: Groups, start: int, end: int, name: str) -> Event:
    for _ in range(commands.SILENT[name]):
        bracket = groups.brackets(end)
        argument = groups.braces(bracket[1] + 1 if bracket else end)
        if not argument:
            break
        end = argument[1] + 1
    return Event(start, end, "silent", name, (), "")


def _alone(_: Groups, start: int, end: int, name: str) -> Event:
    return Event(start, end, name, name, (), "")


def _proof(_: Groups, start: int, end: int, name: str) -> Event:
    return Event(start, end, "begin" if name == "proof" else "end", "proof", (), "")


def _mark(_: Groups, start: int, end: int, name: str) -> Event:
    return Event(start, end, "uses", name, (), "")


def _section(groups: Groups, start: int, end: int, name: str) -> Event:
    short = groups.brackets(end)
    title = groups.braces(short[1] + 1 if short else end)
    if not title:
        return Event(start, end, "silent", name, (), "")
    return Event(start, title[1] + 1, "section", name, (), groups.text[slice(*title)])


def _input(groups: Groups, start: int, end: int, name: str) -> Event:
    text = groups.text
    first = groups.braces(end) if text[end : end + 1] == "{" else None
    if first is None:
        return _bare_input(text, start, end, name)
    target, end = text[slice(*first)].strip().strip('"'), first[1] + 1
    second = groups.braces(end) if name in commands.FOLDERS else None
    if second:
        target, end = f"{target}/{text[slice(*second)].strip()}", second[1] + 1
    return Event(start, end, "input", name, (target,), "")


def _bare_input(text: str, start: int, end: int, name: str) -> Event:
    """`\\input file`, which ends at white space; a name in quotes may hold some."""
    stop = end
    while text[stop : stop + 1] == " ":
        stop += 1
    begin = stop
    if quoted := _QUOTED.match(text, begin):
        return Event(start, quoted.end(), "input", name, (quoted[1].strip(),), "")
    while stop < len(text) and stop < begin + 200 and text[stop] not in " \n\t{}\\%[]":
        stop += 1
    target = text[begin:stop]
    return Event(start, stop, "input" if target else "silent", name, (target,) * bool(target), "")


def _keyed(groups: Groups, start: int, end: int, name: str) -> Event:
    """Labels, references, citations and `\\uses`: options, then keys."""
    text = groups.text
    if overlay := _OVERLAY.match(text, end):  # beamer's `\\label<2>{a}`
        end = overlay.end()
    option = groups.brackets(end)
    note = text[slice(*option)] if option else ""
    end = option[1] + 1 if option else end
    while name in commands.CITES and option and (option := groups.brackets(end)):
        note, end = text[slice(*option)], option[1] + 1
    if name == "hyperref" and note:
        return Event(start, end, "reference", name, _key(note), "")
    argument = groups.braces(end)
    if argument is None or name == "hyperref":
        return Event(start, end, "silent", name, (), note)
    inside, end = text[slice(*argument)], argument[1] + 1
    if name in commands.RANGES:
        second = groups.braces(end)
        if second:
            inside, end = f"{inside},{text[slice(*second)]}", second[1] + 1
        return Event(start, end, "range", name, _keys(inside), "")
    kind = commands.KIND_OF.get(name, "reference")
    keys = _key(inside) if name in commands.SINGLE else _keys(inside)
    return Event(start, end, kind, name, keys, note)


def _key(text: str) -> tuple[str, ...]:
    """The one key of a command whose key may hold a comma."""
    return (" ".join(text.split()),) if text.strip() else ()


def _keys(text: str) -> tuple[str, ...]:
    if "," not in text and " " not in text and "\n" not in text:
        return (text,) if text else ()
    return tuple(" ".join(key.split()) for key in text.split(",") if key.strip())


_READERS = (
    dict.fromkeys(commands.MARKS, _mark)
    | dict.fromkeys(commands.INPUTS, _input)
    | dict.fromkeys(commands.SECTIONS, _section)
    | dict.fromkeys(("proof", "endproof"), _proof)
    | dict.fromkeys(("item", "appendix", "qed"), _alone)
    | dict.fromkeys(commands.SILENT, _silent)
)
"""What reads LaTeX's own commands, those with keys aside."""
