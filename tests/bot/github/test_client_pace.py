"""How fast GitHub is asked."""

import pytest

from bot.domain.forge import BusyError
from bot.github.client import RequestPace


@pytest.fixture
def waited():
    return []


@pytest.fixture
def pace(waited):
    return RequestPace(lambda: 100.0 + sum(waited), waited.append, between=1.0, longest=60.0)


def test_reads_do_not_wait(pace, waited):
    for _ in range(5):
        pace.turn(is_write=False)
    assert waited == []


def test_writes_come_a_second_apart(pace, waited):
    for _ in range(3):
        pace.turn(is_write=True)
    assert waited == [1.0, 1.0]


def test_turns_are_given_before_they_are_waited_for(waited):
    """Threads that come at once do not go at once."""
    pace = RequestPace(lambda: 100.0, waited.append, between=1.0)
    for _ in range(3):
        pace.turn(is_write=True)
    assert waited == [1.0, 2.0]


def test_silence_that_github_asks_for_is_kept_by_all(pace, waited):
    pace.hold(20.0)
    pace.turn(is_write=False)
    pace.turn(is_write=True)
    assert waited == [20.0]


def test_a_wait_that_is_too_long_is_not_begun(pace, waited):
    pace.hold(61.0)
    with pytest.raises(BusyError) as caught:
        pace.turn(is_write=False)
    assert caught.value.seconds == 61.0
    assert waited == []


def test_a_clock_that_is_set_back_keeps_nobody_waiting_for_longer(waited):
    now = [5_000.0]
    pace = RequestPace(lambda: now[0], waited.append, between=1.0, longest=60.0)
    pace.turn(is_write=True)
    pace.hold(20.0)
    now[0] = 1_000.0
    pace.turn(is_write=True)
    assert waited == [20.0]
