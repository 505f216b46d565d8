"""Payloads become events: GitHub's own examples, and whatever else someone may send."""

import copy
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain import events, webhooks
from bot.domain.chat_commands import Command, Verb
from bot.domain.events import Commented, Ignored, InstallationAction, PullAction, RefusedDelivery

EXAMPLES = json.loads((Path(__file__).parents[2] / "data" / "webhooks.json").read_text())
SHA = "ec26c3e57ca3a959ca5aad62de7213c562f8c821"


def example(event, action=None):
    """GitHub's example of an event, as an App receives it; of some there is none."""
    if action == "edited":
        was = {"ref": {"from": "dev"}, "sha": {"from": "d" * 40}}
        return example(event, "synchronize") | {"action": action, "changes": {"base": was}}
    if action in ("labeled", "unlabeled"):
        label = {"name": "pf: do not read"}
        return example(event, "synchronize") | {"action": action, "label": label}
    for item in EXAMPLES["examples"]:
        payload = item["payload"]
        is_meant = item["event"] == event and action in (None, payload.get("action"))
        if is_meant and "installation" in payload:
            return copy.deepcopy(payload)
    raise LookupError(event, action)


def parsed(event, payload):
    return webhooks.parse_event(event, json.dumps(payload).encode())


@pytest.mark.parametrize("action", PullAction)
def test_a_pull_request_is_read(action):
    payload = example("pull_request", action)
    found = parsed("pull_request", payload)
    assert isinstance(found, events.PullChanged) and found.action is action
    pull = payload["pull_request"]
    assert (found.number, found.head) == (pull["number"], pull["head"]["sha"])
    assert (found.base, found.base_ref) == (pull["base"]["sha"], pull["base"]["ref"])
    assert found.place.repository == payload["repository"]["full_name"]
    assert found.place.account == payload["repository"]["owner"]["login"]
    assert not found.is_fork and not found.is_draft
    assert pull["updated_at"].startswith(f"{datetime.fromtimestamp(found.updated, UTC):%FT%T}")


@pytest.mark.parametrize("changes", [{}, {"title": {"from": "x"}, "body": {"from": ""}}])
def test_an_edit_that_leaves_a_pull_request_its_base_is_of_no_interest(changes):
    payload = example("pull_request", "edited") | {"changes": changes}
    assert parsed("pull_request", payload) == Ignored(reason="edit without a new base")


def test_an_edit_that_does_not_say_what_it_changed_is_none_of_githubs():
    payload = example("pull_request", "edited")
    del payload["changes"]
    assert isinstance(parsed("pull_request", payload), RefusedDelivery)


@pytest.mark.parametrize("repo", [None, {"id": 99}])
def test_a_head_elsewhere_or_nowhere_is_a_forks(repo):
    payload = example("pull_request", "opened")
    payload["pull_request"]["head"]["repo"] = repo
    payload["pull_request"]["draft"] = True
    found = parsed("pull_request", payload)
    assert found.is_fork and found.is_draft


def test_a_check_and_a_suite_are_asked_for_again():
    run = parsed("check_run", example("check_run", "rerequested"))
    assert (run.app, run.name, run.external_id, run.pulls) == (2, "randscape", None, ())
    suite = parsed("check_suite", example("check_suite", "rerequested"))
    assert (suite.app, suite.name, suite.head, suite.pulls) == (29310, None, SHA, (2,))
    assert (run.branch, run.before[:6]) == ("master", "146e86")
    assert (suite.branch, suite.before[:6]) == ("changes", "611372")


@pytest.mark.parametrize("before", [None, "", "x" * 40])
def test_checks_may_say_nothing_of_what_was_pushed(before):
    payload = example("check_suite", "rerequested")
    payload["check_suite"] |= {"head_branch": None, "before": before}
    found = parsed("check_suite", payload)
    assert (found.branch, found.before) == (None, None)


def commented(event="issue_comment", body="/pf check"):
    payload = example(event, "created")
    payload["comment"]["body"] = body
    if event == "issue_comment":
        payload["issue"]["pull_request"] = {"url": "https://api.github.com/x"}
    return payload


def test_a_command_on_a_pull_request_is_read():
    found = parsed("issue_comment", commented())
    assert found.commands == (Command(verb=Verb.CHECK),)
    assert (found.sender, found.association) == ("Codertocat", "OWNER")
    assert found.is_author and not found.is_review and found.head is None


def test_a_command_beside_a_line_names_the_commit_that_was_seen_and_not_a_later_head():
    payload = commented("pull_request_review_comment")
    payload["comment"]["original_commit_id"] = "d" * 40
    found = parsed("pull_request_review_comment", payload)
    assert found.is_review and found.head == "d" * 40


@pytest.mark.parametrize("change", [{"in_reply_to_id": 9}, {"original_commit_id": None}])
def test_an_answer_to_a_remark_names_no_commit_for_it_has_that_of_the_remark(change):
    payload = commented("pull_request_review_comment")
    payload["comment"] |= change
    found = parsed("pull_request_review_comment", payload)
    assert found.is_review and found.head is None


def edited(before, event="issue_comment", body="/pf check"):
    payload = commented(event, body) | {"action": "edited"}
    payload["changes"] = {} if before is None else {"body": {"from": before}}
    payload["comment"]["updated_at"] = "2026-01-02T03:04:05Z"
    return payload


def test_of_an_edit_only_what_is_new_counts_and_by_whoever_edited():
    payload = edited("/pf graph\nwords", body="/pf graph\n/pf pause")
    payload["sender"]["login"] = "eve"
    found = parsed("issue_comment", payload)
    assert found.commands == (Command(verb=Verb.PAUSE),) and found.is_edit
    assert (found.sender, found.association, found.is_author) == ("eve", "NONE", False)
    assert found.written == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp()


@pytest.mark.parametrize("before", ["/pf check", "/pf check\n/pf graph", "one\n/pf check\ntwo"])
def test_an_edit_that_says_nothing_new_asks_for_nothing(before):
    found = parsed("issue_comment", edited(before))
    assert found == Ignored(reason="comment without commands")


def test_an_edit_of_something_else_than_the_words_asks_for_nothing_that_was_not_asked_for():
    assert isinstance(parsed("issue_comment", edited(None)), Ignored)


def test_whoever_edits_the_words_of_a_program_is_not_listened_to():
    payload = edited("words")
    payload["comment"]["user"]["type"] = "Bot"
    assert parsed("issue_comment", payload) == Ignored(reason="comment by a bot")


def test_an_edit_beside_a_line_names_no_commit_that_was_seen():
    found = parsed("pull_request_review_comment", edited("x", "pull_request_review_comment"))
    assert found.is_review and found.is_edit and found.head is None


def reviewed(body="/pf check", **review):
    payload = example("pull_request_review_comment", "created")
    del payload["comment"]
    said = {"id": 5, "body": body, "user": payload["sender"], "commit_id": "d" * 40}
    said["submitted_at"] = "2026-01-02T03:04:05Z"
    payload["review"] = said | review
    payload["pull_request"]["updated_at"] = "2026-01-02T03:04:06Z"
    return payload | {"action": "submitted"}


def test_the_words_of_a_review_are_heard_and_say_which_commit_was_looked_at():
    found = parsed("pull_request_review", reviewed())
    assert found.commands == (Command(verb=Verb.CHECK),)
    assert found.is_mute and not found.is_review and found.head == "d" * 40
    later = reviewed() | {"action": "edited", "changes": {"body": {"from": ""}}}
    found = parsed("pull_request_review", later)
    assert found.is_edit and found.is_mute and found.head is None


@pytest.mark.parametrize("body", [None, "", "fine by me"])
def test_a_review_without_commands_asks_for_nothing(body):
    assert isinstance(parsed("pull_request_review", reviewed(body)), Ignored)


def pressed(identifier, sender="User"):
    payload = example("check_run", "rerequested") | {"action": "requested_action"}
    payload["check_run"]["external_id"] = "pull/7"
    payload["requested_action"] = {"identifier": identifier}
    payload["sender"]["type"] = sender
    return payload


def test_a_button_is_pressed():
    found = parsed("check_run", pressed("explain:abcdefgh"))
    assert isinstance(found, events.ActionPressed)
    assert (found.app, found.external_id, found.identifier) == (2, "pull/7", "explain:abcdefgh")
    assert isinstance(parsed("check_run", pressed("read", "Bot")), Ignored)
    without = pressed("read")
    del without["requested_action"]
    assert isinstance(parsed("check_run", without), RefusedDelivery)


def test_a_program_is_not_listened_to_beside_a_line_either():
    payload = commented("pull_request_review_comment")
    payload["sender"]["type"] = "Bot"
    found = parsed("pull_request_review_comment", payload)
    assert found == Ignored(reason="comment by a bot")


def test_only_people_on_pull_requests_are_listened_to():
    payload = commented()
    del payload["issue"]["pull_request"]
    assert parsed("issue_comment", payload) == Ignored(reason="comment on an issue")
    payload = commented()
    payload["comment"]["user"]["type"] = "Bot"
    assert parsed("issue_comment", payload) == Ignored(reason="comment by a bot")
    payload = commented()
    payload["sender"] = {"login": "pf-verify[bot]", "type": "Bot"}
    assert parsed("issue_comment", payload) == Ignored(reason="comment by a bot")
    payload = commented(body="what does /pf check do?")
    assert parsed("issue_comment", payload) == Ignored(reason="comment without commands")


def test_the_author_of_a_pull_request_is_known_as_such():
    payload = commented()
    payload["issue"]["user"]["login"] = "somebody-else"
    assert not parsed("issue_comment", payload).is_author


def test_an_edit_of_a_comment_that_does_not_say_what_it_changed_is_none_of_githubs():
    payload = commented() | {"action": "edited"}
    assert isinstance(parsed("issue_comment", payload), RefusedDelivery)
    payload["action"] = "deleted"
    assert isinstance(parsed("issue_comment", payload), Ignored)


def test_a_push_to_a_branch_is_read_and_one_of_a_tag_or_of_nothing_is_not():
    payload = example("push") | {"ref": "refs/heads/master", "deleted": False}
    found = parsed("push", payload)
    assert (found.branch, found.is_default) == ("master", True)
    assert not parsed("push", payload | {"ref": "refs/heads/a/b"}).is_default
    assert isinstance(parsed("push", payload | {"ref": "refs/tags/v1"}), Ignored)
    assert isinstance(parsed("push", payload | {"deleted": True}), Ignored)


@pytest.mark.parametrize(
    "action", [item for item in InstallationAction if item not in ("added", "removed")]
)
def test_an_installation_is_read(action):
    found = parsed("installation", example("installation", action))
    assert (found.action, found.removed) == (action, ())
    assert found.installation > 0 and found.account


def test_repositories_that_are_taken_away_are_named():
    found = parsed("installation_repositories", example("installation_repositories", "removed"))
    assert found.action is InstallationAction.REMOVED and found.removed == (1296269,)


def test_repositories_that_the_app_comes_to_are_named():
    payload = example("installation_repositories", "removed")
    payload["action"] = "added"
    payload["repositories_added"] = payload.pop("repositories_removed")
    found = parsed("installation_repositories", payload)
    assert (found.action, found.removed) == (InstallationAction.ADDED, ())
    assert [item.repository_id for item in found.added] == [1296269]


@pytest.mark.parametrize(
    ("event", "action"),
    [
        ("ping", None),
        ("star", "created"),
        ("", None),
        ("__class__", None),
        ("check_run", "created"),
        ("check_suite", "completed"),
        ("pull_request", "assigned"),
        ("installation_target", "renamed"),
    ],
)
def test_all_else_is_of_no_interest(event, action):
    assert isinstance(parsed(event, {"action": action} if action else {}), Ignored)


def test_every_example_is_an_event_or_of_no_interest():
    for item in EXAMPLES["examples"]:
        found = parsed(item["event"], item["payload"])
        # A repository's own webhook has no installation: nobody asked the App.
        is_ours = "installation" in item["payload"]
        assert isinstance(found, RefusedDelivery) is not (is_ours or isinstance(found, Ignored))


def changed(path, value):
    payload = example("pull_request", "opened")
    *steps, last = path.split(".")
    inner = payload
    for step in steps:
        inner = inner[step]
    inner[last] = value
    return payload


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("pull_request.head.sha", "--upload-pack=evil"),
        ("pull_request.head.sha", SHA + "\n"),
        ("pull_request.head.sha", SHA.upper()),
        ("pull_request.number", "7"),
        ("pull_request.number", -1),
        ("pull_request.number", True),
        ("pull_request.number", 1 << 70),
        ("pull_request.number", 7.0),
        ("pull_request.draft", "false"),
        ("pull_request.base.ref", "a\nb"),
        ("pull_request.base.ref", ""),
        ("pull_request", None),
        ("repository.full_name", "owner/.."),
        ("repository.full_name", "../../etc"),
        ("repository.full_name", "a/b/c"),
        ("repository.full_name", "a/b?x=1"),
        ("repository.full_name", "a/b\n"),
        ("sender.login", "a b"),
        ("installation", {"id": 0}),
        ("installation", []),
    ],
)
def test_what_is_not_githubs_is_refused_and_not_quoted(path, value):
    found = parsed("pull_request", changed(path, value))
    assert isinstance(found, RefusedDelivery)
    assert path in found.reason and "evil" not in found.reason


@pytest.mark.parametrize("name", ["-->", "`@a`", "--force", "ä/☃", "$(id)", "a'b\"c", "\u202e"])
def test_a_branch_may_be_called_nearly_anything(name):
    assert parsed("pull_request", changed("pull_request.base.ref", name)).base_ref == name


@pytest.mark.parametrize("name", ["a/.github", "a/b.c", "A_b-c/0", "a/..."])
def test_repositories_may_have_dots(name):
    found = parsed("pull_request", changed("repository.full_name", name))
    assert isinstance(found, RefusedDelivery) is (name == "a/...")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"x"',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"action": ' + b"9" * 10_000 + b"}",
        b'{"action": NaN}',
        b'{"action": "\\ud800"}',
    ],
)
@pytest.mark.parametrize("event", ["pull_request", "push", "installation"])
def test_bodies_that_are_no_payload_are_refused(event, body):
    assert isinstance(webhooks.parse_event(event, body), RefusedDelivery)


NAMES = st.sampled_from([item["event"] for item in EXAMPLES["examples"]])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


@given(NAMES, st.binary(max_size=300))
def test_no_bytes_raise(event, body):
    assert isinstance(webhooks.parse_event(event, body), RefusedDelivery | Ignored)


@given(st.sampled_from(EXAMPLES["examples"]), st.data())
def test_no_change_of_a_payload_raises(item, data):
    payload = inner = copy.deepcopy(item["payload"])
    for _ in range(data.draw(st.integers(0, 3))):
        below = sorted(key for key, value in inner.items() if isinstance(value, dict))
        if below:
            inner = inner[data.draw(st.sampled_from(below))]
    key = data.draw(st.sampled_from(sorted(inner))) if inner else "action"
    inner[key] = data.draw(JSON)
    found = parsed(item["event"], payload)
    assert isinstance(found, events.Event | RefusedDelivery | Ignored)
    assert "Error" not in getattr(found, "reason", "")


@pytest.mark.parametrize("action", events.RepositoryAction)
def test_what_becomes_of_a_repository_is_read(action):
    payload = {key: example("push")[key] for key in ("installation", "repository", "sender")}
    changes = {"default_branch": {"from": "master"}} if action == "edited" else {}
    found = parsed("repository", {**payload, "action": action, "changes": changes})
    assert found == events.RepositoryChanged(place=found.place, action=action)
    assert found.place.repository == payload["repository"]["full_name"]


@pytest.mark.parametrize(
    ("action", "changes"),
    [("edited", {"description": {"from": ""}}), ("archived", {}), ("created", {}), ("", {})],
)
def test_of_a_repository_nothing_else_is_of_interest(action, changes):
    payload = {**example("push"), "action": action, "changes": changes}
    assert isinstance(parsed("repository", payload), Ignored)


@pytest.mark.parametrize(
    "event",
    ["issue_comment", "pull_request_review_comment"],
)
def test_who_mentions_the_app_is_heard_by_its_name_alone(event):
    payload = example(event, "created")
    payload["comment"] |= {"body": "@pf-us check"}
    if event == "issue_comment":
        payload["issue"]["pull_request"] = {"url": "x"}
    body = json.dumps(payload).encode()
    found = webhooks.parse_event(event, body, "pf-us")
    assert isinstance(found, Commented)
    assert found.commands == (Command(verb=Verb.CHECK),)
    assert isinstance(webhooks.parse_event(event, body), Ignored)
