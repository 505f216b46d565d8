"""The frame of a text that stands between tags: it is read as one environment."""

from collections.abc import Iterable
from typing import NamedTuple

from pfcore.latex.lexer.event import CommandEvent
from pfcore.latex.tagged import environment


class TagFrame(NamedTuple):
    """The tags around a text as its outermost environment, and the references in its words."""

    begin: CommandEvent
    end: CommandEvent
    references: tuple[CommandEvent, ...]

    def around(self, events: Iterable[CommandEvent]) -> list[CommandEvent]:
        """The events of the text with those of the frame."""
        inner = sorted((*events, *self.references), key=lambda event: event.start)
        return [self.begin, *inner, self.end]


def frame(
    tag: str, label: str, span: tuple[int, int], references: Iterable[CommandEvent] = ()
) -> TagFrame:
    """The frame of a tag; `span` is what it holds, from behind the opening tag; "" is no label."""
    name, (start, end) = environment(tag), span
    return TagFrame(
        CommandEvent(0, start, "begin", name, (), label),
        CommandEvent(end, end, "end", name, (), ""),
        tuple(references),
    )
