"""What was kept and not handed on, and what did not reach us."""

import json
from pathlib import Path

import pytest

from bot.domain import webhooks
from bot.domain.deliveries import Delivery, DeliveryError
from bot.domain.forge import BusyError, GoneError, Missed, TooManyError
from bot.jobs.deliver import Intake, handing, soon
from pfcore.domain.errors import IncompleteError
from tests.bot.fakes import World, anything

EXAMPLES = json.loads((Path(__file__).parents[2] / "data" / "webhooks.json").read_text())

DAY = 24 * 3600.0


def body(event, action):
    for item in EXAMPLES["examples"]:
        if (item["event"], item["payload"].get("action")) == (event, action):
            return json.dumps(item["payload"] | {"installation": {"id": 1}}).encode()
    raise LookupError(event, action)


OPENED = body("pull_request", "opened")
CLOSED = body("pull_request", "closed")


@pytest.fixture
def world(tmp_path):
    return World(tmp_path, accounts=frozenset("*"))


@pytest.fixture
def intake(world):
    return Intake(
        world.settings,
        hub=world.hub,
        deliveries=world.deliveries,
        tasks=world.tasks,
        clock=world.clock,
    )


def keep(world, guid, raw=OPENED, event="pull_request"):
    kept = Delivery(guid=guid, event=event, installation=1, repository=10, received=5.0, body=raw)
    world.deliveries.keep(kept)


def miss(world, ident, raw=OPENED, event="pull_request", delivered=50.0):
    missed = Missed(id=ident, guid=f"guid-{ident}", event=event, delivered=delivered)
    world.hub.missed.insert(0, (missed, raw))


def test_what_a_crash_left_is_handed_on_once(world, intake):
    keep(world, "guid-1")
    assert intake.hand_on(4.0) == 0
    assert intake.hand_on(9.0) == 1
    assert intake.hand_on(9.0) == 0
    assert len(world.tasks.tasks) == 1


def test_what_cannot_be_read_any_more_does_not_wait_for_ever(world, intake):
    keep(world, "guid-1", b"{")
    assert intake.hand_on(9.0) == 1
    assert world.tasks.tasks == [] and intake.hand_on(9.0) == 0


def test_a_queue_that_fails_leaves_them_waiting(world, intake):
    keep(world, "guid-1")
    world.tasks.is_broken = True
    with pytest.raises(DeliveryError):
        intake.hand_on(9.0)
    world.tasks.is_broken = False
    assert intake.hand_on(9.0) == 1


def test_what_did_not_reach_us_is_fetched_the_oldest_first(world, intake):
    miss(world, 1)
    miss(world, 2, CLOSED)
    assert intake.fetch(0.0) == 2
    assert [task.id[-6:] for task in world.tasks.tasks] == ["guid-1", "guid-2"]
    assert world.deliveries.get("guid-1").body == OPENED
    assert intake.fetch(0.0) == 0


def test_what_is_known_or_too_old_or_of_no_interest_is_not_fetched(world, intake):
    keep(world, "guid-1")
    miss(world, 1, b"not even looked at", delivered=3.0)
    miss(world, 2, event="star")
    miss(world, 3, b'{"action": "locked"}')
    miss(world, 4, delivered=1.0)
    assert intake.fetch(2.0) == 0
    assert world.tasks.tasks == []


def test_what_was_looked_at_is_not_fetched_again(world, intake):
    miss(world, 1, b'{"action": "locked"}')
    intake.fetch(0.0)
    world.hub.delivery = None
    assert intake.fetch(0.0) == 0


def test_what_github_has_forgotten_keeps_nobody_waiting(world, intake):
    miss(world, 1)
    miss(world, 2, CLOSED)
    told = world.hub.delivery

    def delivery(missed):
        if missed.id == 1:
            raise GoneError("404")
        return told(missed)

    world.hub.delivery = delivery
    assert intake.fetch(0.0) == 1
    assert [task.id[-6:] for task in world.tasks.tasks] == ["guid-2"]
    assert intake.fetch(0.0) == 0


def test_what_cannot_be_read_is_asked_for_again_and_keeps_nothing_else(world, intake, caplog):
    now = world.clock()
    miss(world, 1, delivered=now)
    miss(world, 2, CLOSED, delivered=now)
    told, broken = world.hub.delivery, {1}

    def delivery(missed):
        if missed.id in broken:
            raise IncompleteError("a delivery cannot be read: GitHub answered 502")
        return told(missed)

    world.hub.delivery = delivery
    assert intake.fetch(0.0) == 1
    assert "deliveries cannot be read" in caplog.text
    assert intake.fetch(now + 60.0) == 0  # it is listed no more, and not forgotten
    broken.clear()
    assert intake.fetch(now + 60.0) == 1
    assert [task.id[-6:] for task in world.tasks.tasks] == ["guid-2", "guid-1"]
    assert intake.fetch(0.0) == 0


def test_what_could_not_be_read_for_days_is_given_up_as_github_has_it_no_more(world, intake):
    miss(world, 1, delivered=world.clock() - 4 * DAY)
    asked = []

    def delivery(missed):
        asked.append(missed.id)
        raise IncompleteError("a delivery cannot be read: GitHub answered 502")

    world.hub.delivery = delivery
    assert intake.fetch(0.0) == 0
    assert intake.fetch(world.clock()) == 0
    assert asked == [1]


def test_while_github_wants_silence_nothing_more_is_asked(world, intake):
    miss(world, 1)
    miss(world, 2)

    def delivery(missed):
        raise BusyError("a wait of 900 s", seconds=900.0)

    world.hub.delivery = delivery
    with pytest.raises(BusyError):
        intake.fetch(0.0)


def test_where_github_lists_more_than_is_looked_at_the_newest_are_taken(world, intake, caplog):
    miss(world, 1)
    miss(world, 2, CLOSED)

    def endless(since):
        yield from (item for item, _ in world.hub.missed)
        raise TooManyError("deliveries cannot be listed: more than 10,000")

    world.hub.deliveries = endless
    assert intake.fetch(0.0) == 2
    assert intake.fetch(0.0) == 0
    assert "older deliveries are skipped" in caplog.text


def test_a_redelivery_counts_once(world, intake):
    miss(world, 1)
    miss(world, 1)
    assert intake.fetch(0.0) == 1


def test_accounts_beside_the_list_are_not_served(tmp_path):
    world = World(tmp_path)
    intake = Intake(
        world.settings,
        hub=world.hub,
        deliveries=world.deliveries,
        tasks=world.tasks,
        clock=world.clock,
    )
    miss(world, 1)
    assert intake.fetch(0.0) == 0
    assert world.deliveries.kept == {}


def test_what_is_handed_on_soon_is_handed_on_and_marked(world):
    hand_on = handing(world.means.tasks, world.deliveries, world.settings)
    event = anything(webhooks.parse_event("pull_request", OPENED))
    with soon(hand_on) as put:
        for number in range(9):
            keep(world, f"guid-{number}")
            put(world.deliveries.get(f"guid-{number}"), event)
    assert len(world.tasks.tasks) == 9
    assert world.deliveries.waiting(99.0) == []


def test_what_cannot_be_handed_on_soon_waits(world):
    world.tasks.is_broken = True
    keep(world, "guid-1")
    event = anything(webhooks.parse_event("pull_request", OPENED))
    with soon(handing(world.means.tasks, world.deliveries, world.settings)) as put:
        put(world.deliveries.get("guid-1"), event)
    assert [item.guid for item in world.deliveries.waiting(99.0)] == ["guid-1"]
