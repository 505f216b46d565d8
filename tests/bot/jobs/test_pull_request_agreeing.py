"""Which head of a fork a comment agrees to: what may not have been seen is not agreed to."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.domain.chat_commands import Command, parse_commands
from bot.domain.deliveries import Delivery
from bot.domain.job import ReplyJob, ReviewPull, review
from bot.jobs.pull_request import is_agreed, is_meant
from tests.bot.fakes import HEAD, NEXT, PLACE, World

EXAMPLES = json.loads((Path(__file__).parents[2] / "data" / "webhooks.json").read_text())
OPENED = next(
    item["payload"]
    for item in EXAMPLES["examples"]
    if (item["event"], item["payload"].get("action")) == ("pull_request", "opened")
)
SAID = 1_000_000.0
HOUR = 3600.0


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    made.forge.open(is_fork=True)
    return made


def tell(world, head, updated, received=None, *, is_begun=True):
    """A push that GitHub tells of; `received` None: at once."""
    received = updated if received is None else received
    guid = f"guid-{head[:1]}-{updated}"
    pull = OPENED["pull_request"] | {
        "updated_at": datetime.fromtimestamp(updated, UTC).isoformat(),
        "head": OPENED["pull_request"]["head"] | {"sha": head},
    }
    body = json.dumps(OPENED | {"pull_request": pull, "installation": {"id": 1}}).encode()
    kept = Delivery(
        guid=guid,
        event="pull_request",
        installation=1,
        repository=PLACE.repository_id,
        received=received,
        body=body,
    )
    world.deliveries.keep(kept)
    world.forge.push(head)
    asked = review(ReviewPull(place=PLACE, number=7, head=head, reason="push"), guid)
    world.tasks.put(asked)
    if is_begun:
        world.work()


def is_seen(world, said="/pf check", **changes):
    """Whether a comment that is written at SAID agrees to the head that is there now."""
    (command,) = parse_commands(said)
    assert isinstance(command, Command)
    job = ReplyJob(
        place=PLACE,
        guid="guid-5",
        received=SAID,
        number=7,
        comment=55,
        is_review=False,
        commands=(command,),
        sender="alice",
        association="NONE",
        is_author=False,
        head=None,
    )
    pull = world.forge.pull(7)
    is_it = is_meant(pull, command)
    return is_it and is_agreed(pull, command, replace(job, **changes), world.means)


def test_a_head_that_was_there_for_a_while_was_seen(world):
    tell(world, HEAD, SAID - 60)
    assert is_seen(world)


@pytest.mark.parametrize("ago", [59, 1, 0, -1, -HOUR])
def test_a_push_shortly_before_a_comment_or_after_it_was_not_seen(world, ago):
    tell(world, HEAD, SAID - ago)
    assert not is_seen(world)


@pytest.mark.parametrize("ago", [30, -30])
def test_a_push_over_a_head_that_was_seen_was_not_seen_itself(world, ago):
    tell(world, HEAD, SAID - HOUR)
    tell(world, NEXT, SAID - ago)
    assert not is_seen(world)


@pytest.mark.parametrize("ago", [30, -30])
def test_what_was_pushed_away_and_back_meanwhile_is_in_doubt(world, ago):
    tell(world, HEAD, SAID - HOUR)
    tell(world, NEXT, SAID - ago)
    world.forge.push(HEAD)
    assert not is_seen(world)


def test_an_older_head_that_comes_back_was_not_what_was_seen(world):
    tell(world, HEAD, SAID - 2 * HOUR)
    tell(world, NEXT, SAID - HOUR)
    assert is_seen(world)
    world.forge.push(HEAD)
    assert not is_seen(world)


def test_deliveries_that_change_places_leave_it_in_doubt(world):
    tell(world, NEXT, SAID - HOUR)
    tell(world, HEAD, SAID - 2 * HOUR, received=SAID - HOUR / 2)
    assert not is_seen(world)
    world.forge.push(NEXT)
    assert not is_seen(world)


def test_a_push_that_we_heard_of_late_was_not_seen_by_what_we_said_of_it(world):
    tell(world, HEAD, SAID - HOUR, received=SAID - 30)
    assert not is_seen(world)


@pytest.mark.parametrize("ahead", [-300.0, 300.0])
def test_a_clock_of_ours_that_is_wrong_makes_nothing_seen_that_was_not(world, ahead):
    # By GitHub's clock: the comment, and half a minute before it the push.
    tell(world, HEAD, SAID - 30, received=SAID - 30 + ahead)
    assert not is_seen(world, received=min(SAID, SAID + ahead))
    # The comment is fetched an hour late: its own time counts.
    assert not is_seen(world, received=min(SAID, SAID + HOUR + ahead))


@pytest.mark.parametrize("ahead", [-300.0, 300.0])
def test_a_clock_of_ours_that_is_wrong_makes_one_wait_longer_at_most(world, ahead):
    tell(world, HEAD, SAID - 700, received=SAID - 700 + ahead)
    assert is_seen(world, received=min(SAID, SAID + ahead))


def test_a_push_that_still_waits_for_its_turn_leaves_it_in_doubt(world):
    tell(world, HEAD, SAID - HOUR)
    tell(world, NEXT, SAID - HOUR / 2, is_begun=False)
    assert not is_seen(world)
    world.forge.push(HEAD)
    assert not is_seen(world)


def test_a_head_that_nobody_told_us_of_was_not_seen(world):
    assert not is_seen(world)
    demand = ReviewPull(place=PLACE, number=7, head=None, reason="/pf check", is_demand=True)
    world.do(review(demand, "guid-9"))
    assert not is_seen(world)


def test_who_names_the_whole_commit_means_it(world):
    assert is_seen(world, f"/pf check {HEAD}")
    assert is_seen(world, f"/pf check {HEAD.upper()} please")
    assert not is_seen(world, f"/pf check {NEXT}")


def test_a_short_name_of_a_commit_which_can_be_forged_is_not_enough(world):
    assert not is_seen(world, f"/pf check {HEAD[:12]}")
    tell(world, HEAD, SAID - HOUR)
    assert is_seen(world, f"/pf check {HEAD[:12]}")
    assert not is_seen(world, f"/pf check {NEXT[:12]}")


def test_what_is_written_beside_a_line_is_about_its_commit(world):
    assert is_seen(world, head=HEAD)
    tell(world, HEAD, SAID - HOUR)
    assert not is_seen(world, head=NEXT)


def test_where_there_is_more_than_is_looked_at_only_the_whole_commit_says_what_is_meant(world):
    tell(world, HEAD, SAID - HOUR)
    (run,) = world.records.runs.kept.values()
    for number in range(500):
        world.records.runs.begin(replace(run, id=f"10#7:{number}", created=run.created + number))
    assert not is_seen(world)
    assert is_seen(world, f"/pf check {HEAD}")
