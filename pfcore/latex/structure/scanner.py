"""One pass over a masked text: every relevant command, with its arguments, in order.

It also decides which of the paper's macros are active at each place of a file.
"""

import re
from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import partial
from heapq import merge

from pfcore.domain.spans import Spans
from pfcore.latex.lexer import commands
from pfcore.latex.lexer.commands import CommandEvent, event_of
from pfcore.latex.lexer.groups import Groups, join_texts
from pfcore.latex.lexer.mask import is_escaped
from pfcore.latex.macros import macro as macros
from pfcore.latex.macros import macro_table
from pfcore.latex.macros.macro import LOOKING
from pfcore.latex.macros.macro_table import Lexicon
from pfcore.latex.project.syntax import Syntax

_DEPTH = 40
_LONGEST = 20_000
_EXPANSIONS = 500
_LOOKED = 50
_EXPANDED = ("active", "looking")
_NOWHERE = Spans(())

Expanded = tuple[str, int]
"""A macro's expansion, and the offset where the text continues after it."""


class CommandScanner:
    """Finds the events of one file's text, and of the expansions of its active macros."""

    def __init__(self, syntax: Syntax, lexicon: Lexicon, *, spare: int = 1_000_000) -> None:
        self._syntax = syntax
        self._lexicon = lexicon
        self._traits = Traits(syntax, lexicon)
        self._spare = spare
        self._reaching = 0
        self._bodies: dict[tuple[str, int], tuple[Groups, list[CommandEvent]]] = {}

    def scan(
        self, groups: Groups, hidden: Spans = _NOWHERE, at: int | None = None
    ) -> list[CommandEvent]:
        """The events of a text, except those in hidden spans.

        `at` is the text's offset in the file, if the text is not the file's own.
        """
        return sorted((*self._structural(groups, hidden, at), *self._passive(groups, hidden)))

    def structure(self, groups: Groups, hidden: Spans) -> list[CommandEvent]:
        """The events of a file's text, except passive ones."""
        return list(self._structural(groups, hidden, None))

    def passive(self, groups: Groups, hidden: Spans) -> list[CommandEvent]:
        """The events of inactive macros, needed only for rendering a text."""
        return list(self._passive(groups, hidden))

    def _structural(self, groups: Groups, hidden: Spans, at: int | None) -> Iterator[CommandEvent]:
        inactive = self._syntax.inactive
        begun_plainly: set[str] = set()
        for match in _uncovered(self._syntax.structure, groups.text, hidden):
            start, end = match.span()
            begun, ended, name, star = match.groups()
            if name is None and groups.text.endswith("\\string", max(0, start - 7), start):
                continue
            if begun is not None:
                begun = begun.strip()
                is_named = begun.rstrip("*") in commands.HEADINGS
                heading = self._heading(groups, start, end, begun) if is_named else None
                if is_named and not heading:
                    begun_plainly.add(begun)
                yield heading or event_of((start, end, "begin", begun, (), ""))
            elif ended is not None:
                ended = ended.strip()
                is_named = ended.rstrip("*") in commands.HEADINGS and ended not in begun_plainly
                kind = "silent" if is_named and not self._is_own(ended) else "end"
                yield event_of((start, end, kind, ended, (), ""))
            elif name not in inactive:
                yield self._command(groups, start, end, name, star, at)

    def _heading(self, groups: Groups, start: int, end: int, name: str) -> CommandEvent | None:
        r"""A heading written as an environment: `\begin{section}{Title}`."""
        if self._is_own(name) or groups.text[end : end + 1] not in ("{", "["):
            return None
        event = commands.own(groups, start, end, name.rstrip("*"))
        return event if event.kind == "section" else None

    def _is_own(self, name: str) -> bool:
        """Whether the paper itself defines an environment with this name."""
        syntax = self._syntax
        known = (syntax.theorems, syntax.kinds, syntax.arguments, syntax.sayings, syntax.titles)
        return any(name in listed for listed in known)

    def _passive(self, groups: Groups, hidden: Spans) -> Iterator[CommandEvent]:
        inactive = self._syntax.inactive
        if not inactive:
            return
        for match in _uncovered(self._syntax.passive, groups.text, hidden):
            name = match[3]
            if name in inactive:
                yield event_of((match.start(), match.end(3), "macro", name, (), ""))

    def body(self, text: str, at: int) -> tuple[Groups, list[CommandEvent]]:
        """The events of a macro's expansion at an offset of the file."""
        key = text, self._lexicon.epoch(at)
        if key not in self._bodies:
            groups = Groups(text)
            self._bodies[key] = groups, self.scan(groups, at=at)
        return self._bodies[key]

    def _command(
        self, groups: Groups, start: int, end: int, name: str, star: str, at: int | None
    ) -> CommandEvent:
        syntax = self._syntax
        offset = start if at is None else at
        if name in syntax.plain:
            return self._resolved(commands.own(groups, start, end, name), offset)
        if name in syntax.active and (trait := self._traits.at(name, offset)):
            meant = self._meant(name, offset)
            if meant not in syntax.known:
                kind = "active" if trait is Trait.STRUCTURAL else "looking"
                return event_of((start, end - len(star), kind, name, (), ""))
            name = meant
        if name in syntax.references or name in syntax.labels:
            event = commands.configured(groups, start, end, name, is_label=name in syntax.labels)
        elif name in commands.SPECIAL:
            event = commands.own(groups, start, end, name)
        else:
            return event_of((start, end - len(star), "macro", name, (), ""))
        return self._resolved(event, offset)

    def _resolved(self, event: CommandEvent, offset: int) -> CommandEvent:
        """An event with the macros in its keys replaced."""
        if not event.keys or not any("\\" in key for key in event.keys):
            return event
        keys = (self._lexicon.resolve(key, offset) for key in event.keys)
        return event._replace(keys=tuple(" ".join(key.split()) for key in keys))

    def _meant(self, name: str, offset: int) -> str:
        """The command to which a name was `\\let`; "" if it has its own body."""
        macro = self._lexicon.meaning(name, offset)
        if macro is None:
            return name
        return macro.body.removeprefix("\\") if macro.parameters == macros.PRIMITIVE else ""

    def flatten(
        self, groups: Groups, listed: Iterable[CommandEvent], at: int | None = None
    ) -> Iterator[CommandEvent]:
        """The structural events; those from active macros have the place of the macro."""
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

    def _below(self, body: str, at: int, depth: int, left: list[int]) -> Iterator[CommandEvent]:
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

    def expand(self, groups: Groups, event: CommandEvent, at: int | None) -> Expanded | None:
        """The expansion of an active macro, with its arguments unexpanded, and where it ends."""
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
        if "\\if" in body:
            body = macros.compared(body)
        if body.count("\\begin") > 1:
            body = macros.begun_once(body)
        self._spare -= len(body)
        return self._behind(event, body, groups, found[1], offset)

    def _behind(
        self, event: CommandEvent, body: str, groups: Groups, end: int, at: int
    ) -> Expanded:
        """A macro's text after its look-ahead, with what it takes from the following text."""
        is_looking = event.name in self._syntax.looking
        made = macros.looked(body, groups, end) if is_looking else (body, end)
        if made is None or self._reaching > _DEPTH or not (is_looking or macros.is_open(body)):
            return body, end
        self._reaching += 1
        self._spare -= _LOOKED
        found = macros.completed(*made, groups, partial(self._reached, at=at))
        self._reaching -= 1
        return found

    def _reached(self, groups: Groups, limit: int, *, at: int) -> Expanded | None:
        """The text up to the end of the command that begins before `limit` and ends after it.

        An active command is replaced by its expansion.
        """
        reached = 0
        found = merge(self._structural(groups, _NOWHERE, at), self._passive(groups, _NOWHERE))
        for event in found:
            if event.start >= limit:
                break
            if event.start < reached:
                continue
            made = self.expand(groups, event, at) if event.kind in _EXPANDED else None
            reached = made[1] if made else self._end(groups, event, at)
            if reached > limit and made:
                return join_texts(groups.text[: event.start], made[0]), reached
        return (groups.text[:reached], reached) if reached > limit else None

    def _end(self, groups: Groups, event: CommandEvent, at: int) -> int:
        macro = self._lexicon.meaning(event.name, at) if event.kind == "macro" else None
        is_own = macro is not None and macro.parameters != macros.PRIMITIVE
        found = macros.arguments(macro, groups, event.end) if macro and is_own else None
        return found[1] if found else event.end


def _titled(event: CommandEvent, groups: Groups) -> CommandEvent:
    """The begin of an environment, with the title that a macro's text gives to it."""
    span = groups.brackets(event.end)
    return event._replace(note=groups.text[slice(*span)]) if span else event


def _uncovered(pattern: re.Pattern[str], text: str, hidden: Spans) -> Iterator[re.Match[str]]:
    """The matches of a pattern of commands outside hidden spans."""
    last_hidden = hidden.end
    for match in pattern.finditer(text):
        start = match.start()
        if start and text[start - 1] == "\\" and is_escaped(text, start):
            continue
        if start >= last_hidden or not hidden.covers(start):
            yield match


class Trait(IntEnum):
    """What a macro leads to: nothing relevant, a look ahead, or structure."""

    PLAIN = 0
    LOOKING = 1
    STRUCTURAL = 2


class Traits:
    """The traits of macros; a redefined macro has those of its meaning at each place.

    So a definition in one proof activates nothing in another one.
    """

    __slots__ = ("_has_varying", "_known", "_lexicon", "_looking", "_structural", "_syntax")

    def __init__(self, syntax: Syntax, lexicon: Lexicon) -> None:
        self._syntax = syntax
        self._lexicon = lexicon
        self._has_varying = not syntax.varying.isdisjoint(syntax.active)
        self._structural = macro_table.spelt(syntax.wanted - LOOKING)
        self._looking = macro_table.spelt(LOOKING)
        self._known: dict[tuple[str, int], Trait] = {}

    def at(self, name: str, offset: int) -> Trait:
        """The trait of a macro by its meaning at an offset of the file."""
        syntax = self._syntax
        if name not in syntax.active:
            return Trait.PLAIN
        if not self._has_varying:
            return Trait.STRUCTURAL if name in syntax.structural else Trait.LOOKING
        key = name, self._lexicon.epoch(offset)
        if key not in self._known:
            self._known[key] = self._found(name, offset)
        return self._known[key]

    def _found(self, name: str, offset: int) -> Trait:
        """Follow the macro's calls, through other macros that are active anywhere."""
        active, stack, seen = self._syntax.active, [name], {name}
        best = Trait.PLAIN
        while stack:
            macro = self._lexicon.meaning(stack.pop(), offset)
            called = macro_table.called_commands(macro) if macro else frozenset[str]()
            if not called.isdisjoint(self._structural):
                return Trait.STRUCTURAL
            if not called.isdisjoint(self._looking):
                best = Trait.LOOKING
            more = (called & active) - seen
            seen |= more
            stack += more
        return best
