"""What is asked again, what never is, and how failures are told."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from bot.domain.comment import CommentKind, WantedComment
from bot.domain.forge import BusyError, CommitCheck, GoneError, TooManyError
from bot.domain.reconcile import Changes
from bot.github.client import NoAnswerError
from bot.github.github_app import GitHubHub
from pfcore.domain.errors import IncompleteError

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

ANSWER = "Words."


def asked(github, method, part):
    return sum(call.method == method and part in call.path for call in github.calls)


@pytest.mark.parametrize("status", [500, 502, 503, None])
def test_a_read_is_asked_again_when_its_answer_is_lost(github, forge, waits, status):
    github.fail("GET", "/pulls/1$", status=status, times=2)
    assert forge.pull(1).number == 1
    assert waits == [0.5, 1.0]


def test_a_read_is_given_up_in_the_end(github, forge, waits):
    github.fail("GET", "/pulls/1$", times=9)
    with pytest.raises(
        NoAnswerError, match=r"^#1 cannot be read: GitHub answered 502 told to fail$"
    ):
        forge.pull(1)
    assert waits == [0.5, 1.0, 2.0, 4.0]


@pytest.mark.parametrize("status", [403, 429])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_secondary_limit_is_waited_for(github, forge, waits, status, method, pull):
    github.limit(method, "/issues/1/comments$", status=status, seconds=7, times=2)
    forge.answer(1, 1, ANSWER, is_review=False)
    assert waits == [pytest.approx(7), pytest.approx(7)]


def test_a_limit_that_is_too_long_is_told_with_its_seconds(github, forge, waits):
    github.limit("GET", "/pulls/1$", seconds=3600, times=9)
    with pytest.raises(BusyError, match="GitHub requires a wait of 3,600 s") as caught:
        forge.pull(1)
    assert caught.value.seconds == pytest.approx(3600, abs=1)
    assert waits == [] and asked(github, "GET", "/pulls/1") == 1


def test_a_limit_for_the_hour_ends_when_github_says(github, forge, waits):
    reset = str(int(time.time()) + 30)
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset}
    github.fail("GET", "/pulls/1$", status=403, headers=headers)
    assert forge.pull(1).number == 1
    assert waits == [pytest.approx(31, abs=2)]


def test_a_limit_without_any_time_is_a_minute(github, forge, waits):
    github.fail("GET", "/pulls/1$", status=403, message="You have exceeded a rate limit.")
    forge.pull(1)
    assert waits == [pytest.approx(60)]


def test_a_limit_that_never_ends_is_given_up(github, forge, waits):
    github.limit("GET", "/pulls/1$", times=99)
    with pytest.raises(BusyError, match="#1 cannot be read: GitHub requires a wait of 1 s"):
        forge.pull(1)
    assert len(waits) == 4


def test_a_permission_that_is_missing_is_no_limit(github, forge, paper, waits):
    github.installations[paper.installation].permissions.pop("pull_requests")
    with pytest.raises(IncompleteError, match="403 Resource not accessible by integration"):
        forge.pull(1)
    assert waits == []


@pytest.mark.parametrize("status", [404, 410])
def test_what_is_gone_is_said_to_be_gone(github, forge, status):
    github.fail("GET", "/pulls/1$", status=status)
    with pytest.raises(GoneError):
        forge.pull(1)


def test_a_server_that_is_gone_is_said_to_be(github, waits):
    address = "http://127.0.0.1:9/api/v3"
    hub = GitHubHub(address, address, 2, github.private_key, sleep=waits.append)
    with pytest.raises(NoAnswerError, match=r"the App cannot be found: .*\(ConnectionError\)"):
        _ = hub.me


def test_an_answer_of_another_form_is_said_to_be(github, forge):
    github.fail("GET", "/pulls/1$", status=200, body={"number": "one"})
    with pytest.raises(IncompleteError, match="#1 cannot be read: unexpected answer from GitHub"):
        forge.pull(1)
    github.fail("GET", "/pulls/1/comments$", status=200, body={"no": "list"})
    with pytest.raises(IncompleteError, match="comments of #1 cannot be read: unexpected answer"):
        forge.comments(1)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_what_leads_elsewhere_is_not_taken_for_done(github, forge, paper, pull, method):
    """A repository that was renamed: PyGithub itself takes this for an answer."""
    body = {"message": "Moved Permanently", "url": "https://github.example/repositories/1"}
    headers = {"Location": body["url"]}
    github.fail(method, "/issues/1/comments$", status=307, headers=headers, body=body)
    with pytest.raises(GoneError, match="307 Moved Permanently"):
        forge.answer(1, 1, ANSWER, is_review=False)
    assert paper.comments == []


def test_a_renamed_repository_is_followed_with_all_that_was_asked(github, forge, paper, pull):
    check = CommitCheck(
        name="pf / structure", head=pull.head, key="a", title="Old", summary="s", conclusion=None
    )
    forge.conclude(check)
    github.rename(paper, "us/other")
    forge.conclude(replace(check, name="pf / proofs"))
    forge.conclude(replace(check, title="New", conclusion="failure"))
    found = [(run.name, run.output["title"], run.conclusion) for run in paper.runs]
    assert found == [("pf / structure", "New", "failure"), ("pf / proofs", "Old", None)]


def test_a_connection_is_kept(forge, pull, monkeypatch):
    made = []
    connect = socket.socket.connect

    def counted(own, place):
        made.append(place)
        connect(own, place)

    monkeypatch.setattr(socket.socket, "connect", counted)
    for _ in range(5):
        assert forge.pull(1).number == 1
    assert len(made) < 3


def test_words_of_github_are_data(github, forge):
    github.fail("GET", "/pulls/1$", status=400, message="\x1b[31mred\n" + "x" * 5_000)
    with pytest.raises(IncompleteError) as caught:
        forge.pull(1)
    assert "\x1b" not in str(caught.value) and len(str(caught.value)) < 400


def test_a_link_leads_to_no_other_server(github, forge, paper):
    link = {"Link": '<https://elsewhere.example/api?page=2>; rel="next"'}
    github.fail("GET", "/issues/1/comments$", status=200, body=[], headers=link, times=999)
    with pytest.raises(TooManyError, match="more than 10,000"):
        forge.comments(1)
    assert asked(github, "GET", "/issues/1/comments") == 100


def test_each_thread_has_its_own_connection(hub):
    """PyGithub's keeps a request until it is sent: another thread could get its answer."""
    here = hub._client._requester
    with ThreadPoolExecutor(1) as pool:
        there = pool.submit(lambda: hub._client._requester).result()
    assert here is hub._client._requester and here is not there


def test_bytes_that_are_no_text_are_not_sent(forge, paper, pull):
    wanted = WantedComment(kind=CommentKind.SUMMARY, key="summary", body="a\udcffb")
    forge.change(1, pull.head, Changes(create=(wanted,)))
    assert [item.body for item in paper.comments] == ["a?b"]
