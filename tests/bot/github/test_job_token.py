"""PyGithub against a server: what is asked, and what is not asked twice."""

import pytest

from bot.domain.comment import CommentKind, WantedComment
from bot.domain.forge import CommitCheck
from bot.domain.reconcile import Changes, EditComment
from bot.github.job_token import JobHub
from bot.publishing.action_report import record
from pfcore.domain.errors import IncompleteError, UsageError
from tests.bot.conftest import HEAD, ME, OTHER, line

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

LINE, OLD = line("new"), line("old")


@pytest.fixture
def hub(world):
    return JobHub(world.api, "us/paper", "a-token", pause=None)


def new(body):
    """A comment that is to be made."""
    return Changes(create=(WantedComment(kind=CommentKind.SUMMARY, key="review", body=body),))


def check(key, conclusion):
    return CommitCheck(
        name="pf / proofs",
        head=HEAD,
        key=key,
        title="title",
        summary="summary",
        conclusion=conclusion,
    )


def test_pull_requests_are_found_by_their_head(hub, world):
    world.pulls = [
        {"number": 7, "head": {"sha": HEAD}},
        {"number": 8, "head": {"sha": "b" * 40}},
    ]
    assert [pull.number for pull in hub.pulls_at(HEAD)] == [7]


def test_whose_a_pull_request_is_follows_from_its_branch_and_its_author(hub, world):
    def at(number, repo, author):
        head = {"sha": HEAD, "repo": repo and {"id": repo, "full_name": "us/paper"}}
        return {"number": number, "head": head, "author_association": author}

    world.pulls = [
        at(1, 1, "NONE"), at(2, 2, "COLLABORATOR"), at(3, 2, "CONTRIBUTOR"), at(4, None, "OWNER"),
    ]  # fmt: skip
    found = [(pull.number, pull.is_own, pull.is_known) for pull in hub.pulls_at(HEAD)]
    assert found == [(1, True, False), (2, False, True), (3, False, False), (4, False, True)]


def test_a_branch_of_a_repository_that_was_renamed_meanwhile_is_its_own(hub, world):
    renamed = {"id": 1, "full_name": "them/treatise"}
    base = {"ref": "main", "sha": "b" * 40, "repo": renamed}
    world.pulls = [{"number": 7, "head": {"sha": HEAD, "repo": renamed}, "base": base}]
    assert [pull.is_own for pull in hub.pulls_at(HEAD)] == [True]


def test_checks_of_jobs_are_those_that_github_s_actions_made(hub, world):
    hub.conclude(check("key", "success"))
    made = {"name": "x", "head_sha": HEAD, "started_at": "2026-01-31T00:01:00Z"}
    late = {"id": 950, "status": "in_progress", "conclusion": None, "external_id": ""}
    world.runs.append({**made, **late, "app": {"slug": "other"}})
    world.runs.append({**made, **late, "id": 951, "app": world.runs[0]["app"]})
    found = [(item.id, item.name, item.key, item.conclusion) for item in hub.job_checks(HEAD)]
    assert found == [(951, "x", "", None), (900, "pf / proofs", "key", "success")]
    assert hub.job_checks(HEAD)[0].began - hub.job_checks(HEAD)[1].began == 60


def test_the_branches_at_a_commit_are_named(hub, world):
    world.branches = {"idea": HEAD, "main": "b" * 40}
    assert hub.branches_at(HEAD) == ["idea"]


def test_comments_are_ours_by_their_author(hub, world):
    world.comments = [
        {"id": 1, "user": OTHER, "body": "x"},
        {"id": 2, "user": None, "body": None},
        {"id": 3, "user": ME, "body": "y"},
    ]
    assert [(item.id, item.body, item.is_ours) for item in hub.comments(7)] == [
        (1, "x", False),
        (2, "", False),
        (3, "y", True),
    ]


def test_a_comment_is_made_and_changed(hub, world):
    hub.change(7, HEAD, new("one"))
    edit = EditComment(id=500, kind=CommentKind.SUMMARY, body="two")
    hub.change(7, HEAD, Changes(edit=(edit,)))
    assert [item["body"] for item in world.comments] == ["two"]


def test_a_check_of_the_same_job_is_changed_and_not_made_again(hub, world):
    for conclusion in ("neutral", "success"):
        hub.conclude(check("key", conclusion))
    hub.conclude(check("another", "failure"))
    assert [run["conclusion"] for run in world.runs] == ["success", "failure"]
    assert world.runs[0]["head_sha"] == HEAD


def test_a_check_that_is_not_over_is_none_of_a_job(hub, world):
    with pytest.raises(ValueError, match="must have a conclusion"):
        hub.conclude(check("key", None))
    assert world.calls == []


def test_an_issue_is_opened_and_closed(hub, world):
    hub.open_issue("title", "body", "pf-verify")
    hub.change_issue(40, "other", is_open=False)
    (issue,) = hub.issues("pf-verify")
    assert (issue.is_ours, issue.body, issue.is_open) == (True, "other", False)


@pytest.mark.parametrize("old", [None, "", OLD])
def test_lines_are_added_to_a_ledger(hub, world, old):
    if old is not None:
        world.files["pf.lock"] = old.encode()
    assert record({"pf.lock": LINE}, "main", hub) == "committed pf.lock"
    assert set(world.files["pf.lock"].decode().splitlines(keepends=True)) == {LINE, old or LINE}
    assert record({"pf.lock": LINE}, "main", hub) == "pf.lock is up to date"


def test_what_another_has_committed_meanwhile_is_kept(hub, world):
    world.files["pf.lock"] = b""

    def meanwhile(method, path):
        if method == "PUT" and not world.files["pf.lock"]:
            world.files["pf.lock"] = OLD.encode()

    world.before = meanwhile
    record({"pf.lock": LINE}, "main", hub)
    assert sorted(world.files["pf.lock"].decode().splitlines(keepends=True)) == sorted([LINE, OLD])


@pytest.mark.parametrize(
    ("path", "text"),
    [("main.tex", LINE), ("../pf.lock", LINE), ("/pf.lock", LINE), ("pf.lock", "no line")],
)
def test_nothing_else_is_written_than_a_ledger(hub, world, path, text):
    with pytest.raises(UsageError):
        record({path: text}, "main", hub)
    assert world.calls == []


def test_a_branch_that_is_protected_is_said_to_be(hub, world):
    world.before = lambda method, path: 409 if method == "PUT" else None
    with pytest.raises(IncompleteError, match=r"pf\.lock cannot be committed: GitHub answered 409"):
        record({"pf.lock": LINE}, "main", hub)


@pytest.mark.parametrize("status", [502, 403])
def test_a_write_is_never_tried_again(hub, world, status):
    world.before = lambda method, path: status if method == "POST" else None
    with pytest.raises(IncompleteError, match=f"#7 cannot be commented on.*{status}"):
        hub.change(7, HEAD, new("one"))
    assert [call for call in world.calls if call[0] == "POST"] == [("POST", "/issues/7/comments")]


MANY = 10_001


def test_a_list_that_has_no_end_in_sight_is_given_up(hub, world):
    world.pulls = [{"number": 7, "head": {"sha": "b" * 40}}] * MANY
    with pytest.raises(IncompleteError, match="more than 10,000"):
        hub.pulls_at(HEAD)


@pytest.mark.parametrize("ask", ["keys", "conclude"])
def test_so_are_the_checks_of_a_commit(hub, world, ask):
    run = {"id": 1, "name": "n", "head_sha": HEAD, "external_id": "x", "status": "completed"}
    world._listed = lambda head: {"total_count": MANY, "check_runs": [run] * MANY}
    with pytest.raises(IncompleteError, match="more than 10,000"):
        hub.keys("n", HEAD) if ask == "keys" else hub.conclude(check("key", "success"))


def test_caches_are_listed_page_by_page_as_far_as_is_wanted(hub, world):
    world.caches = [f"pf-{number:04}" for number in range(250)]
    assert hub.caches("pf-", 1_000) == world.caches
    assert hub.caches("pf-", 200) == world.caches[:200]
    assert hub.caches("other", 200) == []
    assert len(world.calls) == 3 + 2 + 1


def test_what_was_refused_for_a_moment_is_asked_for_again(world):
    waits, refusals = list[float](), iter((403, 429))
    world.retry_after = "2"
    world.before = lambda method, path: next(refusals, None) if method == "POST" else None
    hub = JobHub(world.api, "us/paper", "a-token", pause=None, sleep=waits.append)
    hub.change(7, HEAD, new("one"))
    hub.conclude(check("key", "success"))
    assert [item["body"] for item in world.comments] == ["one"]
    assert len(world.runs) == 1 and waits == [2.0, 2.0]


@pytest.mark.parametrize(("retry_after", "count"), [("2", 3), ("3600", 1), ("soon", 1)])
def test_what_stays_refused_is_given_up(world, retry_after, count):
    waits = list[float]()
    world.retry_after = retry_after
    world.before = lambda method, path: 403 if method == "POST" else None
    hub = JobHub(world.api, "us/paper", "a-token", pause=None, sleep=waits.append)
    with pytest.raises(IncompleteError, match="#7 cannot be commented on"):
        hub.change(7, HEAD, new("one"))
    assert world.calls == [("POST", "/issues/7/comments")] * count
    assert waits == [2.0] * (count - 1)


def test_a_token_that_is_not_taken_has_nothing_to_do_with_the_clock(hub, world):
    world.before = lambda method, path: 401
    with pytest.raises(IncompleteError) as caught:
        hub.comments(7)
    assert "GitHub answered 401" in str(caught.value) and "clock" not in str(caught.value)


def test_a_server_that_is_gone_is_said_to_be(world):
    hub = JobHub("http://127.0.0.1:9/api/v3", "us/paper", "a-token", pause=None)
    with pytest.raises(IncompleteError, match="#7 cannot be commented on"):
        hub.change(7, HEAD, new("one"))
