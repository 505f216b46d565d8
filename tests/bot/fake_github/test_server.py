"""The fake GitHub itself: it keeps, refuses, fails and tells as GitHub does."""

import json
import time
import urllib.error
import urllib.request
from typing import Any

import jwt
import pytest

from bot.domain import webhooks
from bot.web import app

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

PAPER = "".join(f"line {number}\n" for number in range(1, 41))
CHANGED = PAPER.replace("line 20\n", "another line 20\n")


@pytest.fixture
def ask(github):
    """Asks the fake as a program does; with a token of the only installation."""

    def go(method, path, body=None, *, bearer=None):
        headers = {"Authorization": f"Bearer {bearer or token()}"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(github.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request) as response:
                text = response.read()
                return response.status, json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    def token():
        if "made" not in known:
            (installation,) = github.installations
            path = f"/app/installations/{installation}/access_tokens"
            status, said = go("POST", path, {}, bearer=signed(github))
            assert status == 201
            known["made"] = said["token"]
        return known["made"]

    known: dict[str, str] = {}
    return go


def signed(github, **claims):
    now = int(time.time())
    said = {"iss": str(github.app), "iat": now - 10, "exp": now + 500, **claims}
    return jwt.encode(said, github.private_key, "RS256")


@pytest.fixture
def paper(github):
    return github.repository(files={"main.tex": PAPER}, people={"alice": "write"})


@pytest.fixture
def pull(github, paper):
    paper.commit({"main.tex": CHANGED}, on="change")
    return github.open(paper)


def told(sent) -> Any:
    """What a delivery says."""
    return webhooks.parse_event(sent.event, sent.body)


def placed(line, **more):
    return {"path": "main.tex", "line": line, "side": "RIGHT", "body": "Why?", **more}


def test_the_app_is_known_by_its_key(github, ask):
    assert ask("GET", "/app", bearer=signed(github))[1]["slug"] == "pf-verify"
    assert ask("GET", "/app", bearer=signed(github, iss="7"))[0] == 401
    assert ask("GET", "/app", bearer=signed(github, exp=int(time.time()) + 1000))[0] == 401
    assert ask("GET", "/app", bearer="nonsense")[0] == 401


def test_a_token_opens_what_was_granted_and_ends(github, paper, pull, ask):
    assert ask("GET", "/repos/us/paper/pulls/1")[0] == 200
    assert ask("GET", "/repos/us/other/pulls/1")[0] == 404
    github.installations[paper.installation].permissions["pull_requests"] = "read"
    assert ask("POST", "/repos/us/paper/issues/1/comments", {"body": "x"})[0] == 403
    github.clock = lambda: time.time() + 3_601
    assert ask("GET", "/repos/us/paper/pulls/1")[0] == 401


def test_a_review_with_a_line_outside_the_diff_is_refused_whole(paper, pull, ask):
    path = "/repos/us/paper/pulls/1/reviews"
    comments = [placed(20), placed(2)]
    status, said = ask("POST", path, {"event": "COMMENT", "comments": comments})
    assert (status, said["errors"]) == (422, ["Line could not be resolved"])
    assert paper.remarks == [] and paper.reviews == []
    assert ask("POST", path, {"event": "COMMENT", "comments": comments[:1]})[0] == 200
    path = "/repos/us/paper/pulls/1/comments"
    assert ask("POST", path, placed(2, commit_id=pull.head))[0] == 422
    on_file = {"path": "main.tex", "subject_type": "file", "commit_id": pull.head, "body": "x"}
    assert ask("POST", path, on_file)[1]["subject_type"] == "file"
    assert ask("POST", path, on_file | {"path": "other.tex"})[0] == 422
    assert [item.line for item in paper.remarks] == [20, None]


def test_a_commit_that_was_pushed_away_cannot_be_commented_on(github, paper, pull, ask):
    before = pull.head
    path = "/repos/us/paper/pulls/1/comments"
    on_file = {"path": "main.tex", "subject_type": "file", "body": "x"}
    github.push(paper, {"main.tex": "more\n" + CHANGED}, branch="change")
    assert ask("POST", path, on_file | {"commit_id": before})[0] == 201
    elsewhere = paper.commit({"main.tex": "new\n" + PAPER}, on="elsewhere")
    github.push(paper, branch="change", head=elsewhere)
    assert ask("POST", path, on_file | {"commit_id": before})[0] == 422
    assert ask("POST", path, on_file | {"commit_id": elsewhere})[0] == 201


def test_a_push_outdates_what_stood_on_a_changed_line(github, paper, pull, ask):
    comments = [placed(20), placed(22)]
    body = {"event": "COMMENT", "comments": comments}
    ask("POST", "/repos/us/paper/pulls/1/reviews", body)
    github.push(paper, {"main.tex": "new\n" + PAPER}, branch="change")
    assert [item.line for item in paper.remarks] == [None, 23]
    assert [sent.event for sent in github.sent[-2:]] == ["push", "pull_request"]
    found = told(github.sent[-1])
    assert (found.action, found.head) == ("synchronize", paper.tip("change"))


def test_deliveries_are_signed_and_listed_the_newest_first(github, paper, pull, ask):
    sent = github.sent[-1]
    assert app.is_valid(sent.body, sent.headers["X-Hub-Signature-256"], github.secret)
    _, found = ask("GET", "/app/hook/deliveries?per_page=1", bearer=signed(github))
    assert [item["guid"] for item in found] == [sent.guid]
    path = f"/app/hook/deliveries/{sent.id}"
    assert ask("GET", path, bearer=signed(github))[1]["request"]["payload"] == sent.payload
    assert ask("POST", f"{path}/attempts", bearer=signed(github))[0] == 202
    assert [item.guid for item in github.sent[-2:]] == [sent.guid] * 2


def test_what_people_do_is_told_as_events(github, paper, pull):
    github.say(paper, pull, "/pf check", by="alice")
    said = told(github.sent[-1])
    assert (said.sender, said.number, said.is_author) == ("alice", 1, False)
    github.rerequest(paper, None, pull.head)
    assert told(github.sent[-1]).head == pull.head
    github.close(paper, pull, merge=True)
    closed, pushed = map(told, github.sent[-2:])
    assert closed.action == "closed" and pushed.is_default
    github.uninstall(paper.installation)
    assert told(github.sent[-1]).action == "deleted"


def test_an_app_is_suspended_and_loses_repositories(github, paper, ask):
    path = f"/app/installations/{paper.installation}/access_tokens"
    github.suspend(paper.installation)
    assert told(github.sent[-1]).action == "suspend"
    assert ask("POST", path, {}, bearer=signed(github))[0] == 403
    github.suspend(paper.installation, again=True)
    assert told(github.sent[-1]).action == "unsuspend"
    assert ask("GET", "/repos/us/paper")[0] == 200
    github.withdraw(paper)
    assert told(github.sent[-1]).removed == (paper.id,)
    assert ask("GET", "/repos/us/paper")[0] == 404


def test_a_fork_is_told_to_be_one(github, paper):
    head = paper.commit({"main.tex": CHANGED}, on="elsewhere")
    github.open(paper, "main", head=head, fork="mallory", author="mallory")
    assert told(github.sent[-1]).is_fork
    assert paper.git.git("rev-parse", "refs/pull/1/head") == head


def test_annotations_are_added_fifty_at_a_time(github, paper, pull, ask):
    path = "/repos/us/paper/check-runs"
    one = {"path": "main.tex", "start_line": 1, "end_line": 1, "message": "m"}
    many = [one | {"annotation_level": "notice", "message": str(number)} for number in range(51)]
    output = {"title": "t", "summary": "s"}
    made = {"name": "pf / proofs", "head_sha": pull.head}
    assert ask("POST", path, made | {"output": output | {"annotations": many}})[0] == 422
    assert "is too long" in github.judge.problems.pop()
    _, run = ask("POST", path, made | {"output": output | {"annotations": many[:50]}})
    last = {"output": output | {"annotations": many[50:]}, "conclusion": "success"}
    run = ask("PATCH", f"{path}/{run['id']}", last)[1]
    assert (run["status"], run["output"]["annotations_count"]) == ("completed", 51)
    found = ask("GET", f"{path}/{run['id']}/annotations?per_page=50&page=2")[1]
    assert [item["message"] for item in found] == ["50"]


def test_a_body_that_is_too_long_is_refused(paper, pull, ask):
    path = "/repos/us/paper/issues/1/comments"
    assert ask("POST", path, {"body": "x" * 65_536})[0] == 201
    assert ask("POST", path, {"body": "x" * 65_537})[0] == 422


def test_it_fails_when_it_is_told_to(github, paper, pull, ask):
    path = "/repos/us/paper/issues/1/comments"
    github.fail("POST", "/comments$", after=True)
    assert ask("POST", path, {"body": "one"})[0] == 502
    github.fail("POST", "/comments$", status=None, after=True)
    with pytest.raises(OSError, match="closed connection"):
        ask("POST", path, {"body": "two"})
    github.limit("POST", "/comments$")
    assert ask("POST", path, {"body": "three"})[0] == 403
    assert [item.body for item in paper.comments] == ["one", "two"]


def test_reactions_are_put_once(github, paper, pull, ask):
    said = github.say(paper, pull, "/pf help", by="alice")
    path = f"/repos/us/paper/issues/comments/{said.id}/reactions"
    assert [ask("POST", path, {"content": "eyes"})[0] for _ in range(2)] == [201, 200]
    assert said.reactions == [("pf-verify[bot]", "eyes")]


def test_where_a_head_parted_is_compared(github, paper, pull, ask):
    before = pull.base
    github.push(paper, {"other.tex": "x"})
    path = f"/repos/us/paper/compare/{paper.tip('main')}...{pull.head}"
    assert ask("GET", path)[1]["merge_base_commit"]["sha"] == before
    assert ask("GET", "/repos/us/paper/branches/main")[1]["commit"]["sha"] == paper.tip("main")


def test_what_people_may_do_is_said(github, paper, ask):
    path = "/repos/us/paper/collaborators/{}/permission"
    github.people.add("bob")
    assert ask("GET", path.format("alice"))[1]["role_name"] == "write"
    assert ask("GET", path.format("bob"))[1]["role_name"] == "read"
    assert ask("GET", path.format("nobody"))[0] == 404
