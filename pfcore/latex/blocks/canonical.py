"""The canonical text of a block: what a reader of the PDF reads, however it is typed.

Comments, labels, layout and build marks are removed, the paper's macros are expanded, white space
is folded, references and labels are marks to be filled in by the rendering.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Mention
from pfcore.latex.blocks.expansion import Expander
from pfcore.latex.language import mentions, worded_references
from pfcore.latex.lexer.commands import CommandEvent
from pfcore.latex.lexer.groups import Groups, append
from pfcore.latex.lexer.letters import behind_word, letters_in_place, with_letters
from pfcore.latex.lexer.whitespace import (
    ANCHOR,
    IDLE,
    IDLE_END,
    MENTION,
    NAME,
    bare,
    fold,
)
from pfcore.latex.macros import macro as macros
from pfcore.latex.macros.macro import Macro
from pfcore.latex.macros.macro_table import Lexicon
from pfcore.latex.project.syntax import Syntax
from pfcore.latex.structure.scanner import CommandScanner

__all__ = ["ANCHOR", "MENTION", "Canonical", "Canonicaliser", "Part", "View", "bare", "fold"]

_DEEPEST = 40
_LONGEST = 20_000
_BLOCK_LIMIT = 400_000
_OPTIONS = frozenset({"[0]", "[1]", "[2]", "[3]", "[4]"})
"""Options that say how desirable a page break is."""
_CONTROLS = regex(r"[\x00-\x1f\x7f]")


Part = tuple[int, int] | str
"""A span of the text, or inserted words."""


@dataclass(kw_only=True)
class Canonical:
    """A canonical text with marks, and the mentions and anchors of the marks."""

    text: str
    mentions: list[Mention] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)


class View:
    """A text with its events; `at` is the use of an active macro whose expansion the text is.

    `more` finds events that are needed only for rendering.
    """

    __slots__ = ("_cues", "_listed", "_more", "_starts", "_words", "at", "groups", "text")

    def __init__(
        self,
        groups: Groups,
        listed: Sequence[CommandEvent],
        *,
        at: CommandEvent | None = None,
        text: str = "",
        more: Callable[[], Sequence[CommandEvent]] = tuple,
    ) -> None:
        self.groups = groups
        self.text = text or groups.text
        self.at = at
        self._listed = listed
        self._more = more
        self._starts: list[int] | None = None
        self._cues: list[int] | None = None
        self._words: str | None = None

    @property
    def words(self) -> str:
        """The text with its letters in place, for looking at words."""
        if self._words is None:
            self._words = letters_in_place(self.text)
        return self._words

    def events(self, start: int) -> tuple[Sequence[CommandEvent], int]:
        """All events, and the index of the first one at or after an offset."""
        if self._starts is None:
            self._listed = sorted((*self._listed, *self._more()), key=itemgetter(0))
            self._starts = [event.start for event in self._listed]
        return self._listed, bisect_left(self._starts, start)

    def cue(self, start: int) -> int:
        """The next place where a reference in words may be; it is usually far away."""
        if self.at is not None:
            return start  # a short text: searching all of it first does not pay
        if self._cues is None:
            self._cues = worded_references.cues(self.words)
        index = bisect_left(self._cues, start)
        return self._cues[index] if index < len(self._cues) else len(self.text)


class Canonicaliser:
    """Renders spans of one file's masked text."""

    def __init__(
        self, view: View, syntax: Syntax, lexicon: Lexicon, scanner: CommandScanner
    ) -> None:
        self._view = view
        self._scanner = scanner
        self._lexicon = lexicon
        self._expander = Expander(syntax, lexicon)
        self._spare = 2_000_000 + 20 * len(view.text)

    def raw(self, start: int, end: int) -> str:
        """A span of the source text, on one line and without control characters."""
        text = self._view.text[start:end]
        return " ".join(_CONTROLS.sub(" ", text).split())

    def block(self, parts: Sequence[Part], *, is_told: bool = True) -> Canonical:
        """The canonical text of some spans, with words inserted between them.

        Without `is_told`, the forms of mentions, and mentions by kind alone, are left out.
        """
        made = Canonical(text="")
        spans = [part for part in parts if isinstance(part, tuple)]
        length = sum(end - start for start, end in spans)
        budget = min(_BLOCK_LIMIT + 20 * length, self._spare)
        run = _CanonicalRenderer(made, self._scanner, self._lexicon, self._expander, budget)
        run.speaks_of_steps = any(
            worded_references.cue(of_steps=True).search(self._view.words, *span)
            for span, before in zip(parts, ("", *parts), strict=False)
            if isinstance(span, tuple) and before != f"{NAME}("
        )
        pieces: list[str] = []
        for part in parts:
            if isinstance(part, str):
                run.is_name = part.startswith(NAME)
                pieces.append(part)
            else:
                run.render(self._view, *part, pieces)
        self._spare -= budget - run.budget
        made.text = fold("".join(pieces))
        run.forget_dropped()
        if len(made.mentions) > 1:
            made.text, made.mentions = worded_references.join_ranges(
                made.text, made.mentions, run.plural
            )
        if made.mentions and is_told:
            words = with_letters(made.text)
            made.mentions = mentions.complete_mentions(words, made.mentions)
        if is_told and spans:
            made.mentions += [
                Mention("hedged", (kind,), worded_references.KIND, at, at)
                for kind, number in worded_references.kinds_alone(made.text)
                for at in (made.mentions[number].start + 1 if number >= 0 else spans[0][0],)
            ]
        return made


class _CanonicalRenderer:
    """The rendering of one block: its results so far, and its remaining budget."""

    def __init__(
        self,
        made: Canonical,
        scanner: CommandScanner,
        lexicon: Lexicon,
        expander: Expander,
        budget: int,
    ) -> None:
        self.budget = budget
        self.speaks_of_steps = False
        self.is_name = False
        self.plural: set[int] = set()
        self._made = made
        self._scanner = scanner
        self._lexicon = lexicon
        self._expander = expander
        self._depth = 0

    def render(self, view: View, start: int, end: int, pieces: list[str]) -> None:
        """Append the rendering of a span of a view."""
        events, index = view.events(start)
        position, cue = start, -1
        while index < len(events) and (event := events[index]).start < end:
            index += 1
            if event.start < position:
                continue
            if event.start > position:
                cue = self._words(view, position, event.start, cue, pieces)
            position = self._emit(view, event, max(end, event.end), pieces)
        if position < end:
            self._words(view, position, end, cue, pieces)

    def forget_dropped(self) -> None:
        """Remove mentions that are only in arguments that macros drop.

        References by labels in them are a note of what is used; they are kept, at the end.
        """
        made = self._made
        made.text, kept = _renumbered(MENTION, made.text, len(made.mentions))
        if len(kept) < len(made.mentions):
            there = frozenset(kept)
            dropped = (one for i, one in enumerate(made.mentions) if i not in there)
            notes = [one for one in dropped if one.note not in worded_references.WORDED]
            made.mentions = [*(made.mentions[index] for index in kept), *notes]
            self.plural = {new for new, index in enumerate(kept) if index in self.plural}
        made.text, kept = _renumbered(ANCHOR, made.text, len(made.anchors))
        if len(kept) < len(made.anchors):
            made.anchors = [made.anchors[index] for index in kept]

    def _words(self, view: View, start: int, end: int, cue: int, pieces: list[str]) -> int:
        """Append plain text, with references in words as mentions; returns the next cue."""
        if cue < start:
            cue = view.cue(start)
        if cue >= end or self.is_name:
            append(pieces, view.text[start:end])
            return cue
        for found in worded_references.find_worded_references(
            view.words, start, end, with_steps=self.speaks_of_steps
        ):
            append(pieces, view.text[start : found.start])
            start = behind_word(view.text, view.words, found.end)
            place = (view.at.start, view.at.end) if view.at else (found.start, start)
            self._mention(pieces, (found.words,), found.note, place)
        append(pieces, view.text[start:end])
        return cue

    def _emit(self, view: View, event: CommandEvent, limit: int, pieces: list[str]) -> int:
        """Append the rendering of an event; return where to continue, at most at the limit."""
        kind = event.kind
        if kind == "macro":
            return self._emit_macro(view, event, limit, pieces)
        if kind in ("active", "looking"):
            return self._emit_active(view, event, limit, pieces)
        if kind in ("reference", "range"):
            self._emit_reference(view, event, pieces)
        elif kind == "label":
            if self.is_name:
                return event.end
            pieces.append("".join(self._anchor(key) for key in event.keys))
        elif kind == "page":
            pieces.append("[page]")
        elif kind in ("uses", "silent"):
            pieces.append(f" {IDLE}{event.note}{IDLE_END}" if event.note in _OPTIONS else " ")
        else:
            append(pieces, view.text[event.start : event.end])
        return event.end

    def _anchor(self, key: str) -> str:
        self._made.anchors.append(key)
        return f"\x04{len(self._made.anchors) - 1}\x05"

    def _emit_reference(self, view: View, event: CommandEvent, pieces: list[str]) -> None:
        place = view.at or event
        span = place.start, place.end
        self._mention(pieces, event.keys, event.name, span, is_range=event.kind == "range")

    def _mention(
        self,
        pieces: list[str],
        keys: tuple[str, ...],
        note: str,
        place: tuple[int, int],
        *,
        is_range: bool = False,
    ) -> None:
        made = self._made
        words = mentions.before(pieces)
        count = mentions.announced(words)
        if count and worded_references.is_plural(words[-count:]):
            self.plural.add(len(made.mentions))
        mentions.drop(pieces, count)
        pieces.append(f" \x02{len(made.mentions)}\x03")
        made.mentions.append(Mention("range" if is_range else "reference", keys, note, *place))

    def _emit_macro(self, view: View, event: CommandEvent, limit: int, pieces: list[str]) -> int:
        offset = view.at.start if view.at else event.start
        constant = self._expander.constant(event.name, offset)
        if constant is not None and self.budget >= 0:
            self.budget -= len(constant)
            append(pieces, constant)
            return event.end
        macro = self._expander.meaning(event.name, offset)
        if macro is None:
            append(pieces, view.text[event.start : event.end])
            return event.end
        if macro.parameters == macros.PRIMITIVE:
            append(pieces, macro.body)
            return event.end
        found = macros.arguments(macro, view.groups, event.end)
        if found is None or found[1] > limit or self._is_spent():
            append(pieces, self._expander.opaque(macro, offset, with_slots=False))
            return event.end
        self._depth += 1
        values = [self._argument(view, span) for span in found[0]]
        self._depth -= 1
        template = self._expander.template(event.name, macro, offset)
        body = macros.filled(macro, template, values, max(self.budget, 0))
        if body is None:
            body = self._expander.opaque(macro, offset, with_slots=False)
        self.budget -= len(body)
        append(pieces, body.replace(macros.NO_VALUE, ""))
        return found[1]

    def _argument(self, view: View, span: tuple[int, int] | None) -> str:
        if span is None:
            return macros.NO_VALUE
        pieces: list[str] = []
        self.render(view, *span, pieces)
        return "".join(pieces)

    def _emit_active(self, view: View, event: CommandEvent, limit: int, pieces: list[str]) -> int:
        """Render the expansion of an active macro; all places in it are the macro's."""
        place = view.at or event
        made = self._scanner.expand(view.groups, event, place.start)
        if made is None or made[1] > limit or self._is_spent():
            macro = self._lexicon.meaning(event.name, place.start)
            append(pieces, self._opaque(macro, place.start, event.name))
            return event.end
        body, end = made
        self.budget -= len(body) + 50
        groups, listed = self._scanner.body(body, place.start)
        at = place if view.at else event._replace(end=end)
        inner = View(groups, listed, at=at)
        below: list[str] = []
        self._depth += 1
        self.render(inner, 0, len(body), below)
        self._depth -= 1
        append(pieces, "".join(below).replace(macros.NO_VALUE, ""))
        return end

    def _is_spent(self) -> bool:
        return self.budget < 0 or self._depth > _DEEPEST

    def _opaque(self, macro: Macro | None, offset: int, name: str) -> str:
        if macro is None:
            return f"\\{name}"
        return self._expander.opaque(macro, offset, with_slots=False)


def _renumbered(mark: re.Pattern[str], text: str, count: int) -> tuple[str, list[int]]:
    """A text with its marks renumbered without gaps, and their old numbers."""
    there = {int(number) for number in mark.findall(text)} if count else set[int]()
    kept = sorted(there)
    if len(kept) == count:
        return text, kept
    new = {index: position for position, index in enumerate(kept)}
    return mark.sub(lambda found: f"{found[0][0]}{new[int(found[1])]}{found[0][-1]}", text), kept
