"""Contains internal errors, so that only the block, file or check that meets one is lost.

Unforeseen exceptions are caught here and nowhere else in the core. The caller decides how to go
on without the value, and reports what was skipped; a skipped part never counts as a pass.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from pfcore.domain.errors import PfError

Value = TypeVar("Value")

_PACKAGE = "pfcore"


class Failure(NamedTuple):
    """Why there is no value: the exception's type, its message and where pfcore raised it."""

    cause: str


class Fault(NamedTuple):
    """A part of the paper that was skipped because of an internal error; line 0 is the whole file.

    `what` says what was skipped: the kind of a block, "file", "check cycle".
    """

    path: str
    line: int
    what: str
    cause: str


@dataclass(slots=True)
class Faults:
    """The distinct faults met in one paper so far, in order of occurrence."""

    listed: dict[Fault, None] = field(default_factory=dict)

    def add(self, fault: Fault) -> None:
        """Note a fault."""
        self.listed[fault] = None


def attempt(run: Callable[[], Value]) -> Value | Failure:
    """The value of `run()`, or a Failure if it raised anything but a PfError."""
    try:
        return run()
    except PfError:
        raise
    except Exception as error:  # noqa: BLE001 - the only place; the caller reports the failure
        return Failure(describe(error))


def describe(error: Exception) -> str:
    """`KeyError: 'x' (graph/terms.py:49)`, in one line."""
    import traceback

    words = " ".join(traceback.format_exception_only(error)[-1].split())[:200]
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{name}:{frame.lineno}" for frame in frames if (name := _own(frame.filename))]
    return f"{words} ({places[-1]})" if places else words


def unreadable(cause: str) -> str:
    """The reason given where an internal error prevents a verdict."""
    return f"pf-verify could not read it (please report this): {cause}"


def _own(path: str) -> str:
    """The path of a file inside our package, relative to it; "" for any other file."""
    _, _, inner = path.replace("\\", "/").rpartition(f"/{_PACKAGE}/")
    return inner
