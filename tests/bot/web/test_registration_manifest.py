"""The manifest asks for the least, and goes where GitHub takes it."""

import json

import pytest

from bot.web.registration import NOWHERE, Wish, form_url, is_organisation, manifest, permissions

BACK = "http://127.0.0.1:8080/setup/back"


def test_nothing_is_written_but_comments_and_checks():
    made = json.loads(manifest(Wish(public_url="https://pf.example.org"), redirect_url=BACK))
    assert made["default_permissions"] == {
        "contents": "read",
        "pull_requests": "write",
        "checks": "write",
        "issues": "write",
        "merge_queues": "read",
        "metadata": "read",
    }
    assert made["default_events"] == [
        "issue_comment",
        "merge_group",
        "pull_request",
        "pull_request_review",
        "pull_request_review_comment",
        "push",
        "repository",
    ]
    assert made["public"] is False
    assert made["redirect_url"] == BACK
    assert made["hook_attributes"] == {"url": "https://pf.example.org/webhook", "active": True}


def test_only_who_wants_threads_resolved_lets_contents_be_written():
    made = json.loads(manifest(Wish(may_resolve=True), redirect_url=BACK))
    assert made["default_permissions"]["contents"] == "write"
    assert [item.name for item in permissions(may_resolve=True)] == [
        item.name for item in permissions(may_resolve=False)
    ]


def test_what_is_fetched_is_sent_nowhere():
    made = json.loads(manifest(Wish(), redirect_url=BACK))
    assert made["hook_attributes"]["url"] == f"{NOWHERE}/webhook"
    assert NOWHERE.endswith(".invalid")


def test_the_name_is_short_enough_for_github():
    made = json.loads(manifest(Wish(organisation="a" * 90), redirect_url=BACK))
    assert len(made["name"]) <= 34


@pytest.mark.parametrize(
    ("server", "organisation", "place"),
    [
        ("https://github.com", None, "https://github.com/settings/apps/new?state=s%2Ft"),
        (
            "https://ghe.example.org",
            "a-university",
            "https://ghe.example.org/organizations/a-university/settings/apps/new?state=s%2Ft",
        ),
    ],
)
def test_the_form_goes_to_the_person_or_the_organisation(server, organisation, place):
    assert form_url(server, Wish(organisation=organisation), "s/t") == place


@pytest.mark.parametrize("name", ["", "../..", "a b", "a/b", "-a", "<script>", "ü", "a" * 200])
def test_what_is_no_organisation_is_known(name):
    assert not is_organisation(name)
    assert is_organisation("a-University-2")
