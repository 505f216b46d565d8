"""What a run uses is known to others while it goes on."""

from dataclasses import replace

import pytest

from bot.domain.run_records import ReviewRun
from bot.domain.worker_context import ReaderUsage
from bot.jobs.run_lifecycle import Money
from tests.bot.fakes import HEAD, World

RUN = ReviewRun(
    id="10#7:guid-1",
    installation=1,
    repository_id=10,
    repository="us/paper",
    number=7,
    head=HEAD,
    base="",
    reason="pull request opened",
    created=1_000_000.0,
)


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


@pytest.fixture
def terms(world):
    world.records.runs.begin(RUN)
    still = replace(world.means, clock=lambda: 1_000_000.0)
    return Money(still, RUN, lambda: True).terms()


def spent(world):
    return world.records.runs.spent(0.0)


def test_cents_are_written_down_now_and_then_and_more_at_once(world, terms):
    terms.note(ReaderUsage(dollars=0.04))
    assert spent(world) == 0.0
    terms.note(ReaderUsage(dollars=0.06))
    assert spent(world) == 0.06
    terms.note(ReaderUsage(dollars=0.1))
    assert spent(world) == 0.06
    assert (terms.today(), terms.left()) == (0.0, 25.0)
