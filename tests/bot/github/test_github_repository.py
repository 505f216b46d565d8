"""What is asked about a repository, and in whose name."""

import pytest

from bot.domain.chat_commands import Permission
from bot.domain.forge import GoneError
from pfcore.domain.errors import IncompleteError
from tests.conftest import git

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

A, B = "a" * 40, "b" * 40


def test_a_pull_request_is_read(forge, paper, pull):
    found = forge.pull(1)
    assert (found.number, found.head, found.base) == (1, pull.head, paper.tip("main"))
    assert (found.base_ref, found.author) == ("main", "us")
    assert found.is_open and not found.is_draft and not found.is_fork


def test_a_pull_request_of_a_fork_is_told_to_be_one(github, forge, paper):
    github.open(paper, head=A, base=B, fork="mallory", author="mallory", is_draft=True, shown={})
    found = forge.pull(2)
    assert found.is_fork and found.is_draft and found.author == "mallory"


def test_a_fork_that_was_deleted_is_one(github, forge, pull):
    shown = {"number": 1, "draft": False, "state": "closed", "user": None}
    head, base = {"sha": A, "ref": "x", "repo": None}, {"sha": B, "ref": "y", "repo": {"id": 5}}
    github.fail("GET", "/pulls/1$", status=200, body={**shown, "head": head, "base": base})
    found = forge.pull(1)
    assert found.is_fork and not found.is_open and found.author == ""


def test_open_pull_requests_are_listed_with_their_heads(github, forge, paper, pull):
    for number in range(2, 123):
        head = A if number in (3, 119, 122) else B
        made = github.open(paper, head=head, base=B, shown={}, fork="x" if number > 100 else None)
        made.is_open = number != 3
    found = {item.number: item for item in forge.pulls()}
    assert sorted(found) == [1, 2, *range(4, 123)]
    assert [number for number, item in found.items() if item.head == A] == [119, 122]
    assert (found[1].branch, found[1].is_fork, found[119].is_fork) == (pull.branch, False, True)


def test_a_default_branch_may_have_any_name(github, forge, paper):
    name = "feature/ü -->#1?x=%2F"
    paper.default_branch = name
    paper.tips[name] = A
    assert (forge.default_branch().name, forge.default_branch().tip) == (name, A)


def test_where_a_head_parted_is_asked(github, forge, paper, pull):
    before = pull.base
    github.push(paper, {"other.tex": "x"})
    assert forge.merge_base(paper.tip("main"), pull.head) == before


def test_commits_that_have_nothing_in_common_have_no_merge_base(forge, paper):
    paper.git = None
    with pytest.raises(GoneError, match="bbbbbbbbbb cannot be compared with aaaaaaaaaa"):
        forge.merge_base(A, B)


@pytest.mark.parametrize("role", Permission)
def test_what_a_person_may_do_is_told_by_the_role(forge, paper, role):
    paper.people["bob"] = role
    assert forge.permission("bob") is role


def test_a_role_that_an_organisation_has_made_counts_as_what_it_is_based_on(forge, github):
    body = {"permission": "write", "role_name": "Referee", "user": None}
    github.fail("GET", "/permission$", status=200, body=body)
    assert forge.permission("bob") is Permission.WRITE


@pytest.mark.parametrize("login", ["nobody", "../../x", "robot[bot]"])
def test_of_someone_unknown_nothing_is_known(forge, login):
    assert forge.permission(login) is None


def test_a_permission_that_could_not_be_asked_for_is_no_permission(github, forge):
    github.fail("GET", "/permission$", times=9)
    with pytest.raises(IncompleteError, match="permissions cannot be read"):
        forge.permission("alice")


@pytest.mark.parametrize("is_review", [True, False])
def test_a_reaction_is_put_once(github, forge, paper, pull, is_review):
    said = github.say(paper, pull, "/pf check", by="alice")
    if is_review:
        paper.comments, paper.remarks = [], [said]
    github.fail("POST", "/reactions$", after=True)
    for _ in range(2):
        forge.react(said.id, "eyes", is_review=is_review)
    assert said.reactions == [("pf-verify[bot]", "eyes")]


def test_a_comment_that_is_gone_gets_no_reaction(forge):
    with pytest.raises(GoneError):
        forge.react(7, "eyes", is_review=False)


def test_an_issue_is_opened_once_and_changed(github, forge, paper):
    github.fail("POST", "/issues$", after=True)
    forge.open_issue("Open findings", "One.", "pf-verify")
    (known,) = forge.issues("pf-verify")
    assert (known.body, known.is_ours, known.is_open) == ("One.", True, True)
    forge.change_issue(known.id, "None.", is_open=False)
    (issue,) = paper.issues.values()
    assert (issue.title, issue.body, issue.state) == ("Open findings", "None.", "closed")
    assert list(forge.issues("another")) == []


def test_commits_are_fetched_from_the_origin(forge, pull, tmp_path):
    (tmp_path / "cache").mkdir()
    git(tmp_path / "cache", "init", "--quiet", "--bare")
    git(tmp_path / "cache", "fetch", "--quiet", "--depth=1", forge.origin().url, pull.head)
    assert "another line 20" in git(tmp_path / "cache", "show", f"{pull.head}:main.tex")
