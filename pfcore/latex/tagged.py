"""Texts between tags that say what they are, as a markup has them: they stand for environments."""

from collections.abc import Iterable
from typing import NamedTuple

from pfcore.latex.events import Event

_MARK = "<"
"""Begins the name of such an environment; no name in LaTeX begins so."""


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
    name, (start, end) = f"{_MARK}{tag}>", span
    return Frame(
        Event(0, start, "begin", name, (), label),
        Event(end, end, "end", name, (), ""),
        tuple(references),
    )


def is_tagged(env: str) -> bool:
    """Whether an environment is a text between tags."""
    return env.startswith(_MARK)


def is_proof(env: str) -> bool:
    """Whether an environment is a proof between tags."""
    return env.startswith(_MARK) and env.endswith("_PROOF>")


def kind(env: str) -> str:
    """Like theorem, of a tag that holds a statement."""
    return env[len(_MARK) :].partition("_")[0].lower()


def number(label: str) -> str:
    """The number that a label says: 1.2 of `lem:1.2`, "" of `thm`."""
    return label.partition(":")[2]
