"""Runs one function over many items in processes of their own, where that pays and can be done."""

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

_WORTH = 1_500_000
"""Characters to be read that take longer than starting processes does."""
_CHUNKS = 4  # for each process: what is left at the end is short

_FAILURES = (OSError, ImportError, RuntimeError, TypeError, ValueError)

Shared = TypeVar("Shared")
Item = TypeVar("Item")
Make = Callable[[Shared, Sequence[Item]], dict[str, str]]
"""A function of a module: from what all items share and some items to entries by key."""


@dataclass(frozen=True, slots=True)
class ProcessPool:
    """At most so many processes at once; one means that nothing is ever started."""

    jobs: int = 1
    worth: int = _WORTH

    def entries(
        self, make: "Make[Shared, Item]", shared: Shared, items: Sequence[tuple[int, Item]]
    ) -> dict[str, str]:
        """What `make` gives for all items, each with its weight; {} where it is to be done here.

        That is so where there is too little to do, and where processes cannot be had.
        """
        weight = sum(weight for weight, _ in items)
        if self.jobs < 2 or len(items) < 2 or weight < self.worth:
            return {}
        from pickle import PicklingError

        chunks = list(_chunks(items, weight / (self.jobs * _CHUNKS)))
        try:
            return self._made(make, shared, chunks)
        except (*_FAILURES, PicklingError):
            return {}  # done again here: what is wrong with the items themselves shows there

    def _made(
        self, make: "Make[Shared, Item]", shared: Shared, chunks: list[list[Item]]
    ) -> dict[str, str]:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        # A copy of this process starts at once; beside other threads it might never finish.
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
            except BaseException:  # an interrupt, too: nothing more is begun, and it goes on
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return found


def _chunks(items: Sequence[tuple[int, Item]], weight: float) -> Iterator[list[Item]]:
    """The items in order, in runs of about this weight."""
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
    """Leave it to the first process what an interrupt means."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
