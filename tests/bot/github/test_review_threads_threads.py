"""Threads: resolved where the matter has ended, if the owner wants that and grants it."""

import pytest
from graphql import build_schema, parse, validate

from bot.domain import comment
from bot.domain.comment import CommentKind, CommentState, ObjectionSource
from bot.domain.reconcile import Changes, EditComment
from bot.github.review_threads import MINIMISE, REOPEN, RESOLVE, THREADS
from pfcore.domain.errors import IncompleteError
from tests.bot.fake_github.description import FIXTURES
from tests.bot.fake_github.state import FULL, Comment, numbers

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


@pytest.fixture
def forge(hub_of, paper, pull, github):
    github.installations[paper.installation].permissions = FULL | {"contents": "write"}
    return hub_of(is_resolving=True).forge(paper.installation, paper.name)


def remark(paper, state=CommentState.OPEN, **more):
    body = comment.marked("x", key="aaaaaaaa", source=ObjectionSource.CHECK, state=state)
    made = Comment(next(numbers), 1, "pf-verify[bot]", body, path="main.tex", **more)
    paper.remarks.append(made)
    return made


def closing(*comments):
    edits = tuple(
        EditComment(id=it.id, kind=CommentKind.INLINE, body="Resolved.") for it in comments
    )
    return Changes(close=edits)


@pytest.mark.parametrize("document", [THREADS, RESOLVE, REOPEN, MINIMISE])
def test_what_is_asked_is_in_github_s_schema(document):
    schema = build_schema((FIXTURES / "graphql.graphql").read_text(encoding="utf-8"))
    assert validate(schema, parse(document)) == []


def test_threads_of_what_has_ended_are_resolved(forge, paper, pull):
    many = [remark(paper) for _ in range(150)]
    remark(paper, reply_to=many[120].id)
    forge.change(1, pull.head, closing(many[3], many[120]))
    assert [it.id for it in many if it.is_resolved] == [many[3].id, many[120].id]


def test_a_thread_is_resolved_once(github, forge, paper, pull):
    ended = remark(paper)
    for _ in range(2):
        forge.change(1, pull.head, closing(ended))
    said = [call.body["query"] for call in github.calls if call.path == "/graphql"]
    assert [text.strip().split()[0] for text in said] == ["query", "mutation", "query"]


def test_a_thread_that_we_resolved_is_opened_when_its_matter_comes_back(github, forge, paper, pull):
    ours = remark(paper, CommentState.RESOLVED, is_resolved=True)
    a_persons = remark(paper, is_resolved=True)
    body = comment.marked("new", key="aaaaaaaa", source=ObjectionSource.CHECK)
    edits = tuple(
        EditComment(id=it.id, kind=CommentKind.INLINE, body=body) for it in (ours, a_persons)
    )
    forge.change(1, pull.head, Changes(edit=edits))
    assert not ours.is_resolved and a_persons.is_resolved


def test_a_comment_on_the_whole_has_no_thread(github, forge, paper, pull):
    other = remark(paper)
    edit = EditComment(id=other.id, kind=CommentKind.SUMMARY, body="Resolved.")
    forge.change(1, pull.head, Changes(close=(edit,), edit=(edit,)))
    assert not other.is_resolved


def test_what_was_left_behind_is_minimised_by_whoever_may_comment(github, hub_of, paper, pull):
    github.installations[paper.installation].permissions = FULL
    left = remark(paper)
    forge = hub_of().forge(paper.installation, paper.name)
    (known,) = forge.comments(1)
    edit = EditComment(id=left.id, kind=known.kind, body="Moved.", minimised=known.node)
    forge.change(1, pull.head, Changes(edit=(edit,)))
    assert (left.body, left.is_minimised) == ("Moved.", True)


@pytest.mark.parametrize("errors", [[{"message": "Resource not accessible"}], None])
def test_what_cannot_be_minimised_is_edited_all_the_same(github, forge, paper, pull, errors):
    left = remark(paper)
    github.fail("POST", "/graphql", status=200, body={"data": None, "errors": errors})
    edit = EditComment(id=left.id, kind=CommentKind.INLINE, body="Moved.", minimised="unknown")
    forge.change(1, pull.head, Changes(edit=(edit,)))
    assert (left.body, left.is_minimised) == ("Moved.", False)


def test_nothing_is_asked_where_nothing_has_ended(github, forge, pull):
    forge.change(1, pull.head, Changes())
    assert "/graphql" not in [call.path for call in github.calls]


def test_threads_stay_open_unless_the_owner_wants_it(github, hub_of, paper, pull):
    ended = remark(paper)
    forge = hub_of().forge(paper.installation, paper.name)
    forge.change(1, pull.head, closing(ended))
    assert not ended.is_resolved and ended.body == "Resolved."


def test_without_the_permission_that_is_said(github, hub_of, paper, pull):
    ended = remark(paper)
    forge = hub_of(is_resolving=True).forge(paper.installation, paper.name)
    with pytest.raises(
        IncompleteError, match="threads of #1 cannot be resolved or reopened: GitHub rejected"
    ):
        forge.change(1, pull.head, closing(ended))
    assert ended.body == "Resolved."


def test_a_repository_that_is_gone_has_no_threads(github, forge, paper, pull):
    ended = remark(paper)
    body = {"data": {"repository": None}}
    github.fail("POST", "/graphql", status=200, body=body)
    with pytest.raises(IncompleteError, match="unexpected answer from GitHub"):
        forge.change(1, pull.head, closing(ended))


def test_threads_that_never_end_are_given_up_and_that_is_logged(github, forge, paper, pull, caplog):
    ended = remark(paper)
    page = {"nodes": [], "pageInfo": {"hasNextPage": True, "endCursor": "1"}}
    body = {"data": {"repository": {"pullRequest": {"reviewThreads": page}}}}
    github.fail("POST", "/graphql", status=200, body=body, times=999)
    forge.change(1, pull.head, closing(ended))
    assert sum(call.path == "/graphql" for call in github.calls) == 50
    assert "too many threads; the rest are left unchanged" in caplog.text
