"""What a scan of a text finds: commands with what belongs to them."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple


class CommandEvent(NamedTuple):
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


event_of: Callable[[tuple[int, int, str, str, tuple[str, ...], str]], CommandEvent]
event_of = partial(tuple.__new__, CommandEvent)
"""An event of its fields: in half the time, where there are as many as commands in a paper."""
