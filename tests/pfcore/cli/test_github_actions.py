"""What started a job, and whom it trusts."""

import json
from dataclasses import replace

import pytest

from pfcore.cli.github_actions import ActionsEvent, ActionsEventKind, event
from pfcore.domain.errors import UsageError

A, B, ZERO = "a" * 40, "b" * 40, "0" * 40
OURS = {"id": 1, "full_name": "us/paper", "default_branch": "main"}


def pull(head_repo):
    return {
        "repository": OURS,
        "pull_request": {
            "number": 7,
            "head": {"sha": A, "ref": "$(rm -rf .)", "repo": head_repo},
            "base": {"sha": B},
        },
    }


def push(ref, before=B):
    return {"repository": OURS, "ref": ref, "before": before, "after": A}


@pytest.fixture
def read(tmp_path):
    def run(name, payload, **environ):
        path = tmp_path / "event.json"
        path.write_text(json.dumps(payload), encoding="utf-8")
        return event({"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(path), **environ})

    return run


@pytest.mark.parametrize(
    ("repo", "kind"),
    [
        (OURS, ActionsEventKind.PULL_REQUEST),
        ({"id": 1, "full_name": "us/before"}, ActionsEventKind.PULL_REQUEST),
        ({"id": 2, "full_name": "you/paper"}, ActionsEventKind.FORK),
        ({"id": 2, "full_name": "us/paper"}, ActionsEventKind.FORK),
        (None, ActionsEventKind.FORK),
    ],
)
def test_a_pull_request_trusts_its_base(read, repo, kind):
    found = read("pull_request", pull(repo))
    assert found == ActionsEvent(kind=kind, head=A, trusted=B, before=B, number=7)


@pytest.mark.parametrize(
    ("more", "left"),
    [
        ({"action": "synchronize", "before": B, "after": A}, B),
        ({"action": "synchronize"}, None),
        ({"action": "opened", "before": B}, None),
        ({"action": "synchronize", "before": "main"}, None),
    ],
)
def test_a_pull_request_that_is_pushed_to_leaves_a_commit(read, more, left):
    assert read("pull_request", pull(OURS) | more).left == left


@pytest.mark.parametrize(
    ("said", "is_withheld"),
    [
        ({"labels": [{"name": "pf: do not read"}]}, True),
        ({"labels": [{"name": "do not read"}], "body": None}, False),
        ({"body": "Typos.\n\npf: do not read\n", "author_association": "COLLABORATOR"}, True),
        ({"body": "pf: do not read", "author_association": "CONTRIBUTOR"}, False),
        ({"body": "pf: do not read"}, False),
        ({"body": "what “pf: do not read” means", "author_association": "OWNER"}, False),
    ],
)
def test_somebody_who_may_write_says_that_nothing_is_to_be_read(read, said, is_withheld):
    payload = pull(OURS)
    payload["pull_request"] |= said
    assert read("pull_request", payload).is_withheld is is_withheld


def test_a_push_to_the_default_branch_is_trusted_itself(read):
    found = read("push", push("refs/heads/main"))
    assert found == ActionsEvent(
        kind=ActionsEventKind.PUSH, head=A, trusted=A, before=B, is_default=True, was=B
    )


def test_a_first_push_has_nothing_before_it(read):
    assert read("push", push("refs/heads/main", ZERO)).before is None


@pytest.mark.parametrize(("before", "was"), [(B, B), (ZERO, None)])
@pytest.mark.parametrize("ref", ["refs/heads/main", "refs/heads/idea"])
def test_a_push_says_what_its_branch_was_at_and_when(read, ref, before, was):
    payload = push(ref, before)
    payload["repository"] = {**payload["repository"], "pushed_at": 1_557_933_565}
    found = read("push", payload)
    assert (found.was, found.pushed) == (was, 1_557_933_565.0)


def test_a_push_to_another_branch_trusts_the_default_branch(read):
    found = read("push", push("refs/heads/idea"))
    assert (found.trusted, found.is_default) == ("refs/remotes/origin/main", False)


def test_a_tag_is_not_the_default_branch(read):
    assert not read("push", push("refs/tags/main")).is_default


@pytest.mark.parametrize(
    ("ref", "head"), [("refs/tags/arxiv-1", B), ("refs/heads/idea", A), ("refs/heads/main", A)]
)
def test_of_a_tag_with_words_of_its_own_the_commit_is_meant(read, ref, head):
    payload = push(ref) | {"head_commit": {"id": B}}
    assert read("push", payload).head == head


def test_a_tag_of_which_github_names_no_commit_is_taken_as_it_is(read):
    assert read("push", push("refs/tags/v1") | {"head_commit": None}).head == A


def test_a_merge_queue_trusts_what_it_merges_into(read):
    found = read("merge_group", {"merge_group": {"head_sha": A, "base_sha": B}})
    assert (found.head, found.trusted, found.before) == (A, B, B)


def test_a_maintainer_names_the_commit_that_was_looked_at(read):
    found = read("workflow_dispatch", {"inputs": {"head": f" {A} "}}, GITHUB_SHA=B)
    assert found == ActionsEvent(kind=ActionsEventKind.DISPATCH, head=A, trusted=B, before=B)


@pytest.mark.parametrize("payload", [{}, {"inputs": None}, {"inputs": {"head": ""}}])
def test_a_maintainer_who_names_none_means_the_whole_paper(read, payload):
    found = read("workflow_dispatch", payload, GITHUB_SHA=B)
    assert (found.head, found.trusted, found.before) == (B, B, None)
    assert not found.is_default


@pytest.mark.parametrize(
    ("ref", "is_default"), [("refs/heads/main", True), ("refs/heads/x", False)]
)
def test_the_whole_paper_is_that_of_the_branch_that_was_chosen(read, ref, is_default):
    found = read("workflow_dispatch", {"repository": OURS}, GITHUB_SHA=B, GITHUB_REF=ref)
    assert found.is_default is is_default


@pytest.mark.parametrize("head", ["main", A[:12], "--upload-pack=x", f"{A}\nprivate=false"])
def test_what_may_move_or_is_no_commit_is_refused(read, head):
    with pytest.raises(UsageError, match="full commit id"):
        read("workflow_dispatch", {"inputs": {"head": head}}, GITHUB_SHA=B)


TAG = {"GITHUB_SHA": A, "GITHUB_REF": "refs/tags/v1"}


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("release", {"action": "published", "release": {"tag_name": "v1"}}),
        ("create", {"ref": "v1", "ref_type": "tag"}),
    ],
)
def test_of_a_release_and_of_a_new_tag_the_whole_paper_is_meant(read, name, payload):
    found = read(name, {"repository": OURS, **payload}, **TAG)
    assert found == ActionsEvent(
        kind=ActionsEventKind.TAG, head=A, trusted="refs/remotes/origin/main", before=None
    )


def test_a_new_branch_counts_as_its_push_would(read):
    payload = {"repository": OURS, "ref": "idea", "ref_type": "branch"}
    found = read("create", payload, GITHUB_SHA=A, GITHUB_REF="refs/heads/idea")
    assert found == replace(read("push", push("refs/heads/idea")), was=None)


def test_a_program_that_asks_for_a_run_means_the_whole_paper(read):
    payload = {"repository": OURS, "action": "nightly", "client_payload": {"head": B}}
    found = read("repository_dispatch", payload, GITHUB_SHA=A, GITHUB_REF="refs/heads/main")
    assert (found.head, found.before, found.is_default) == (A, None, True)


def test_a_release_without_a_commit_is_refused(read):
    with pytest.raises(UsageError, match="has no commit"):
        read("release", {"repository": OURS}, GITHUB_REF="refs/tags/v1")


@pytest.mark.parametrize(
    "name", ["", "delete", "issue_comment", "pull_request_target", "status", "workflow_run"]
)
def test_other_events_are_refused(read, name):
    with pytest.raises(UsageError, match="is not reviewed"):
        read(name, {"repository": OURS}, **TAG)


def test_a_branch_that_was_deleted_has_no_commit(read):
    with pytest.raises(UsageError, match="has no commit"):
        read("push", {**push("refs/heads/main"), "after": ZERO})


@pytest.mark.parametrize("text", ["", "[]", "{"])
def test_an_event_that_is_none_is_refused(tmp_path, text):
    with pytest.raises(UsageError, match=r"is not set: pf ci runs in GitHub Actions only$"):
        event({"GITHUB_EVENT_NAME": "push"})
    (tmp_path / "event.json").write_text(text)
    where = {"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": str(tmp_path / "event.json")}
    with pytest.raises(UsageError, match="has no valid event"):
        event(where)
