"""Contains a fault of our own, so that a block, a file or a check that meets it costs that alone.

What nobody foresaw is caught here and nowhere else in the core; whoever asks says what is done
without the value, and names what could not be looked at: it is never a pass.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from pfcore.domain.errors import PfError

Value = TypeVar("Value")

_PACKAGE = "pfcore"


class Failure(NamedTuple):
    """Why there is no value: the error's kind and words, and the line of ours that raised it."""

    cause: str


class Fault(NamedTuple):
    """What could not be looked at for a fault of ours; line 0 is the whole file.

    `what` is a word for it: the kind of a block, "file", "check cycle".
    """

    path: str
    line: int
    what: str
    cause: str


@dataclass(slots=True)
class Faults:
    """The faults that one paper has met so far, each once, in the order in which they came up."""

    listed: dict[Fault, None] = field(default_factory=dict)

    def add(self, fault: Fault) -> None:
        """Note a fault."""
        self.listed[fault] = None


def attempt(run: Callable[[], Value]) -> Value | Failure:
    """The value; a failure in its place where anything but a foreseen error was raised."""
    try:
        return run()
    except PfError:
        raise
    except Exception as error:  # noqa: BLE001 - the one place; what failed is named and no pass
        return Failure(describe(error))


def describe(error: Exception) -> str:
    """`KeyError: 'x' (graph/terms.py:49)`, in one line."""
    import traceback

    words = " ".join(traceback.format_exception_only(error)[-1].split())[:200]
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{name}:{frame.lineno}" for frame in frames if (name := _own(frame.filename))]
    return f"{words} ({places[-1]})" if places else words


def unreadable(cause: str) -> str:
    """The reason why there is no verdict where a fault of ours is in the way."""
    return f"pf-verify could not read it (please report this): {cause}"


def _own(path: str) -> str:
    """A file of ours below its package; "" for any other."""
    _, _, inner = path.replace("\\", "/").rpartition(f"/{_PACKAGE}/")
    return inner
