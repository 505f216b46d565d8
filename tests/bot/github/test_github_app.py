"""The App and what was delivered to it."""

import json

import pytest

from bot.domain import events, webhooks
from bot.domain.forge import GoneError
from bot.github.github_app import GitHubHub
from pfcore.domain.errors import IncompleteError
from tests.bot.fake_github.keys import key_pair

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


def test_the_app_writes_under_a_login_of_its_own_and_asks_for_it_once(hub, github):
    github.install()
    assert [hub.me, hub.me] == ["pf-verify[bot]"] * 2
    assert [call.path for call in github.calls] == ["/app"]


def test_what_was_delivered_is_listed_from_a_moment_on(hub, github, paper, pull):
    github.clock = lambda: 1_000.0
    github.tell("ping", {"zen": "old"})
    github.clock = lambda: 2_000.0
    told = [github.tell("ping", {"zen": str(number)}) for number in range(120)]
    github.clock = hub._clock
    found = list(hub.deliveries(since=1_500.0))
    new = [item for item in found if item.event == "ping"]
    assert [item.guid for item in new] == [sent.guid for sent in reversed(told)]
    assert {item.delivered for item in new} == {2_000.0}
    assert sum(call.path == "/app/hook/deliveries" for call in github.calls) == 2


def test_what_was_missed_is_read_as_if_it_had_come(hub, github, paper, pull):
    (missed,) = [item for item in hub.deliveries(0.0) if item.event == "pull_request"]
    body = hub.delivery(missed)
    assert json.loads(body) == github.sent[-1].payload
    found = webhooks.parse_event(missed.event, body)
    assert isinstance(found, events.PullChanged) and found.head == pull.head


def test_a_delivery_that_is_no_more_is_gone(hub, github, paper, pull):
    missed = next(hub.deliveries(0.0))
    github.sent.clear()
    with pytest.raises(GoneError):
        hub.delivery(missed)


def test_another_key_is_not_taken(github, waits, paper):
    stranger = GitHubHub(
        github.url, github.server_url, 7, key_pair()[0], clock=github.clock, sleep=waits.append
    )
    with pytest.raises(IncompleteError, match="the App cannot be found: GitHub answered 401"):
        stranger.forge(paper.installation, paper.name)


@pytest.mark.parametrize(("skew", "side"), [(700, "ahead of"), (-700, "behind")])
def test_a_wrong_clock_is_said_to_be_wrong(github, hub_of, skew, side):
    github.install()
    hub = hub_of(skew=skew)
    with pytest.raises(IncompleteError, match=rf"the clock here is 700 s {side} GitHub's"):
        _ = hub.me


def test_a_key_that_is_none_is_said_to_be(github, waits):
    hub = GitHubHub(github.url, github.server_url, 2, "no key", sleep=waits.append)
    with pytest.raises(IncompleteError, match="the App's private key cannot be used"):
        _ = hub.me
    assert github.calls == [] and waits == []


def test_the_app_knows_itself_and_how_its_clock_goes(hub_of, github):
    github.hook = "https://pf.example.org/webhook"
    found = hub_of(skew=20.0).identity()
    assert (found.slug, found.owner) == (github.slug, "us")
    assert found.permissions == github.permissions
    assert found.events == tuple(github.events)
    assert found.hook == github.hook
    assert found.ahead == 20.0
