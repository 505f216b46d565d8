"""A paper that is too much for a process is that process's end, and nobody else's."""

import json
import os
import select

import pytest

from bot.reviewing.sandbox import ProcessBounds, carried_out, run_apart
from pfcore.domain.errors import IncompleteError, UsageError
from tests.bot import strange_work as work

ENOUGH = ProcessBounds()


def test_what_a_process_of_its_own_finds_comes_back_as_text():
    assert run_apart(ENOUGH, work.echo, "ä", times=3) == "äää"


def test_what_it_raises_is_raised_here():
    with pytest.raises(UsageError, match="no such finding"):
        run_apart(ENOUGH, work.refuse, "no such finding")


def test_a_process_that_dies_is_an_incomplete_review():
    with pytest.raises(IncompleteError, match=r"signal 9, .* memory"):
        run_apart(ENOUGH, work.be_killed)


def test_a_process_that_cannot_work_is_not_the_papers_fault():
    with pytest.raises(IncompleteError, match="without output, with status 9"):
        run_apart(ENOUGH, work.die)


def test_a_paper_gets_no_more_memory_than_it_may_have():
    with pytest.raises(IncompleteError, match="memory"):
        run_apart(ProcessBounds(memory=2_000_000_000), work.eat)


@pytest.mark.acceptance
def is_left(held, ended):
    """Whether somebody could still write, a minute later at most."""
    while True:
        try:
            if not os.read(held, 20):
                return False
        except BlockingIOError:
            if not ended.poll(60_000):
                return True


def test_a_paper_that_takes_too_long_is_ended_with_all_it_has_started(tmp_path):
    place = tmp_path / "held"
    os.mkfifo(place)
    held = os.open(place, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(IncompleteError, match="longer than 4 seconds"):
        run_apart(ProcessBounds(seconds=4), work.sleep_on, str(place))
    ended = select.poll()
    ended.register(held, select.POLLIN | select.POLLHUP)
    assert is_left(held, ended) is False
    os.close(held)


@pytest.mark.parametrize(
    ("done", "kind", "words"),
    [
        (work.echo, "", "x"),
        (work.refuse, "UsageError", "x"),
        (work.give_up, "IncompleteError", "x"),
        (work.stumble, "RuntimeError", "KeyError: 'x'"),
        (lambda _: work.run_out(), "IncompleteError", "memory"),
    ],
)
def test_every_end_has_its_words(done, kind, words):
    told = json.loads(carried_out(done, ("x",), {}))
    assert told[0] == kind and words in told[1]


def test_an_unforeseen_end_keeps_its_traceback():
    with pytest.raises(RuntimeError, match="in stumble"):
        run_apart(ENOUGH, work.stumble, "x")
