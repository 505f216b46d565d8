"""The frame of a text that stands between tags: it is read as one environment."""

from collections.abc import Iterable
from typing import NamedTuple

from pfcore.latex.structure.scanner import Event
from pfcore.latex.tagged import environment


class Frame(NamedTuple):
    """The tags around a text as its outermost environment, and the references in its words."""

    begin: Event
    end: Event
    references: tuple[Event, ...]

    def around(self, events: Iterable[Event]) -> list[Event]:
        """The events of the text with those of the frame."""
        inner = sorted((*events, *self.references), key=lambda event: event.start)
        return [self.begin, *inner, self.end]


def frame(tag: str, label: str, span: tuple[int, int], references: Iterable[Event] = ()) -> Frame:
    """The frame of a tag; `span` is what it holds, from behind the opening tag; "" is no label."""
    name, (start, end) = environment(tag), span
    return Frame(
        Event(0, start, "begin", name, (), label),
        Event(end, end, "end", name, (), ""),
        tuple(references),
    )
