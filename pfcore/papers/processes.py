"""Runs one function over many items in separate processes, where that is possible and pays."""

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

_WORTH = 1_500_000
"""The number of characters from which starting processes saves time."""
_CHUNKS = 4  # for each process, so that the last ones to finish are short

_FAILURES = (OSError, ImportError, RuntimeError, TypeError, ValueError)

Shared = TypeVar("Shared")
Item = TypeVar("Item")
Make = Callable[[Shared, Sequence[Item]], dict[str, str]]
"""A function of a module: takes the shared value and some items, returns entries by key."""


@dataclass(frozen=True, slots=True)
class ProcessPool:
    """A pool of at most `jobs` processes; with one job no process is ever started."""

    jobs: int = 1
    worth: int = _WORTH

    def entries(
        self, make: "Make[Shared, Item]", shared: Shared, items: Sequence[tuple[int, Item]]
    ) -> dict[str, str]:
        """The entries that `make` returns for all items, each given with its weight.

        {} means that the caller has to do the work: there is too little, or processes failed.
        """
        weight = sum(weight for weight, _ in items)
        if self.jobs < 2 or len(items) < 2 or weight < self.worth:
            return {}
        from pickle import PicklingError

        chunks = list(_chunks(items, weight / (self.jobs * _CHUNKS)))
        try:
            return self._made(make, shared, chunks)
        except (*_FAILURES, PicklingError):
            return {}  # the caller tries again, and then a faulty item shows

    def _made(
        self, make: "Make[Shared, Item]", shared: Shared, chunks: list[list[Item]]
    ) -> dict[str, str]:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        # A forked process starts at once; with other threads running it might deadlock.
        is_copied = sys.platform == "linux" and threading.active_count() == 1
        found: dict[str, str] = {}
        with ProcessPoolExecutor(
            min(self.jobs, len(chunks)),
            mp_context=get_context("fork" if is_copied else "spawn"),
            initializer=_deaf,
        ) as pool:
            futures = [pool.submit(make, shared, chunk) for chunk in chunks]
            try:
                for future in futures:
                    found.update(future.result())
            except BaseException:  # also on an interrupt: start nothing more, and raise it again
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return found


def _chunks(items: Sequence[tuple[int, Item]], weight: float) -> Iterator[list[Item]]:
    """The items in order, in chunks of about this weight."""
    chunk: list[Item] = []
    held = 0
    for own, item in items:
        chunk.append(item)
        held += own
        if held >= weight:
            yield chunk
            chunk, held = [], 0
    if chunk:
        yield chunk


def _deaf() -> None:
    """Ignore interrupts, which the parent process handles."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
