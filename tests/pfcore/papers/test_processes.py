"""Workers: many items at once in other processes, or nothing at all."""

import os
import threading
from collections.abc import Callable, Sequence

import pytest

from pfcore.latex import reader
from pfcore.latex.project.recipes import ParseJob, SplicedSource
from pfcore.latex.project.syntax import Declared, Syntax, build
from pfcore.papers.processes import ProcessPool

ITEMS = [(1, number) for number in range(9)]


def squares(start: int, numbers: Sequence[int]) -> dict[str, str]:
    return {str(number): f"{start + number**2} {os.getpid()}" for number in numbers}


def dies(shared: int, numbers: Sequence[int]) -> dict[str, str]:
    os._exit(shared)


def stumbles(shared: int, numbers: Sequence[int]) -> dict[str, str]:
    raise ValueError(f"{shared} {numbers}")


def test_what_all_make_comes_together_from_other_processes() -> None:
    found = ProcessPool(2, worth=1).entries(squares, 1, ITEMS)
    assert {key: text.split()[0] for key, text in found.items()} == {
        str(number): str(1 + number**2) for number in range(9)
    }
    assert str(os.getpid()) not in {text.split()[1] for text in found.values()}


@pytest.mark.parametrize(
    ("workers", "items"),
    [
        (ProcessPool(), ITEMS),
        (ProcessPool(1, worth=0), ITEMS),
        (ProcessPool(2), ITEMS),
        (ProcessPool(2, worth=10), ITEMS),
        (ProcessPool(2, worth=1), ITEMS[:1]),
        (ProcessPool(2, worth=0), []),
    ],
)
def test_little_is_left_to_the_one_who_asks(
    workers: ProcessPool, items: list[tuple[int, int]]
) -> None:
    assert workers.entries(squares, 1, items) == {}


@pytest.mark.parametrize("make", [dies, stumbles])
def test_what_goes_wrong_there_is_left_to_the_one_who_asks(
    make: Callable[[int, Sequence[int]], dict[str, str]],
) -> None:
    assert ProcessPool(2, worth=1).entries(make, 1, ITEMS) == {}


def test_what_cannot_be_sent_is_left_to_the_one_who_asks() -> None:
    assert ProcessPool(2, worth=1).entries(squares, threading.Lock(), ITEMS) == {}  # type: ignore[arg-type]


@pytest.mark.acceptance
def test_beside_threads_processes_start_from_nothing() -> None:
    """A copy of a process with threads could wait for a lock that nobody holds."""
    syntax: Syntax = build(Declared())
    text = "\\begin{lemma} Clear. \\end{lemma}"
    jobs = [ParseJob(f"k{number}", SplicedSource(f"{text} {number}"), False) for number in range(3)]
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        found = ProcessPool(2, worth=1).entries(
            reader.all_entries, syntax, [(1, job) for job in jobs]
        )
    finally:
        done.set()
        thread.join()
    assert found == reader.all_entries(syntax, jobs)
    assert sorted(found) == sorted(
        f"{what}:{job.key}" for job in jobs for what in ("reading", "texts", "references")
    )
