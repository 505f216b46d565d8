"""What numbering a paper is made of: the steps of a file, and the numbers that come of them."""

import json
from typing import NamedTuple


class CounterStep(NamedTuple):
    """Something that happens to counters or labels at an offset of a file.

    The operations are those of `simulate`; a step of a macro stands where the macro is used.
    """

    offset: int
    op: str
    args: tuple[str, ...] = ()


class Number(NamedTuple):
    """A number as printed, what kind of thing bears it, and whether it is beyond doubt.

    `kind` is the environment of a statement, else LaTeX's counter: equation, section, enumi.
    """

    text: str
    kind: str
    certain: bool


NOWHERE = Number("", "", False)


def decode(text: str) -> tuple[CounterStep, ...]:
    """Steps from their JSON; ValueError if they are none."""
    try:
        return tuple(CounterStep(offset, op, tuple(args)) for offset, op, args in json.loads(text))
    except TypeError as error:
        raise ValueError("no steps") from error
