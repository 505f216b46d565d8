"""The token opens, a ticket opens for a while, nothing else does."""

import pytest

from bot.web.access import LASTS, Doorkeeper
from pfcore.testing import FakeClock

TOKEN = b"0123456789abcdef-pages"


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def doorkeeper(clock):
    return Doorkeeper(token=TOKEN, clock=clock)


def test_only_the_token_is_the_token(doorkeeper):
    assert doorkeeper.knows(TOKEN.decode())
    for other in ("", TOKEN.decode()[:-1], TOKEN.decode() + " ", "ü", "\ud800", "x" * 10**6):
        assert not doorkeeper.knows(other)


def test_a_ticket_is_good_for_a_while(doorkeeper, clock):
    ticket = doorkeeper.ticket()
    clock.now = LASTS - 1.0
    assert doorkeeper.admits(ticket)
    clock.now = LASTS + 0.0
    assert not doorkeeper.admits(ticket)


def test_a_ticket_cannot_be_made_or_prolonged(doorkeeper, clock):
    ends, _, seal = doorkeeper.ticket().partition(".")
    for other in ("", ".", f"{int(ends) + 1}.{seal}", f"{ends}.", f"{ends}.{seal}x", "\ud800.ü"):
        assert not doorkeeper.admits(other)


def test_another_token_makes_tickets_worthless(doorkeeper, clock):
    assert not Doorkeeper(token=b"another-token-of-pages", clock=clock).admits(doorkeeper.ticket())


def test_neither_the_ticket_nor_the_doorkeeper_tells_the_token(doorkeeper):
    assert TOKEN.decode() not in doorkeeper.ticket()
    assert TOKEN.decode() not in repr(doorkeeper)
