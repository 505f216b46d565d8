"""The publisher against emulate, a server that speaks GitHub's interface and is not ours."""

import re
from collections.abc import Iterator

import pytest

from bot.domain.comment import CommentKind, WantedComment
from bot.domain.reconcile import Changes, EditComment
from bot.github.job_token import JobHub
from bot.publishing.action_report import ActionReview, record, tell_check, tell_issue
from pfcore.reporters.formats.publication import Conclusion
from tests.acceptance.emulated import asked, emulated, opened
from tests.bot.conftest import line, made

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

_SEED = {
    "tokens": {"bot-token": {"login": "pf-bot", "scopes": ["repo"]}},
    "github": {
        "users": [{"login": "pf-bot", "name": "Bot"}],
        "repos": [{"owner": "pf-bot", "name": "paper", "auto_init": True}],
    },
}


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with one repository."""
    place, folder = tmp_path_factory.getbasetemp().parent, tmp_path_factory.mktemp("emulate")
    with emulated(place, folder, _SEED, "/repos/pf-bot/paper") as address:
        yield address


@pytest.fixture
def hub(api: str) -> JobHub:
    return JobHub(api, "pf-bot/paper", "bot-token", me="pf-bot", pause=None)


@pytest.fixture
def head(api: str) -> str:
    found: str = asked(f"{api}/repos/pf-bot/paper/commits")[0]["sha"]
    assert re.fullmatch("[0-9a-f]{40}", found)
    return found


def _told(head: str, **changes: object) -> ActionReview:
    shown = made(head=head, **changes)
    return ActionReview(
        structure=shown,
        proofs=shown,
        is_expected=True,
        is_awaited=True,
        is_advisory=True,
        page="p",
    )


def test_one_issue_is_opened_changed_and_closed(hub: JobHub, head: str) -> None:
    quiet = {"conclusion": Conclusion.CLEAN, "is_quiet": True, "is_open": False, "summary": "Ok."}
    assert tell_issue(_told(head), hub) == "an issue was opened"
    assert tell_issue(_told(head, summary="Another."), hub).endswith("is up to date")
    (issue,) = hub.issues("pf-verify")
    assert issue.body.startswith("Another.")
    tell_issue(_told(head, **quiet), hub)
    assert [item.is_open for item in hub.issues("pf-verify")] == [False]


def test_a_comment_is_changed_in_place(hub: JobHub, api: str) -> None:
    head = opened(api, "pf-bot/paper", "bot-token")
    (number,) = [pull.number for pull in hub.pulls_at(head) if pull.is_own]
    new = WantedComment(kind=CommentKind.SUMMARY, key="review", body="one")
    hub.change(number, head, Changes(create=(new,)))
    (remark,) = hub.comments(number)
    edit = EditComment(id=remark.id, kind=remark.kind, body="two")
    hub.change(number, head, Changes(edit=(edit,)))
    assert [(item.is_ours, item.body) for item in hub.comments(number)] == [(True, "two")]


def test_a_check_is_concluded_once_for_each_run(hub: JobHub, head: str) -> None:
    for key in ("one", "one", "two"):
        assert tell_check(_told(head), key, hub) == "pf / proofs: neutral"


def test_ledgers_are_united_in_commits(hub: JobHub) -> None:
    assert record({"pf.lock": line("m")}, "main", hub) == "committed pf.lock"
    assert record({"pf.lock": line("n")}, "main", hub) == "committed pf.lock"
    assert record({"pf.lock": line("m")}, "main", hub) == "pf.lock is up to date"
    assert sorted(hub.held("pf.lock", "main").text.splitlines(keepends=True)) == sorted(
        [line("m"), line("n")]
    )
