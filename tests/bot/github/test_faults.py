"""Whatever is lost on the way, and however often one begins anew: each thing is said once."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from bot.domain import comment
from bot.domain.comment import (
    Annotation,
    CommentKind,
    ObjectionSource,
    ReviewComments,
    WantedComment,
)
from bot.domain.forge import CommitCheck
from bot.domain.reconcile import Changes, reconcile
from pfcore.domain.errors import IncompleteError

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

LIMIT = "You have exceeded a secondary rate limit."
NOTES = tuple(
    Annotation(
        path="main.tex", start_line=line, end_line=line, level="notice", title="t", message="m"
    )
    for line in range(1, 71)
)


def wanted(key, kind, line=None):
    body = comment.marked("It does not follow.", key=key, source=ObjectionSource.CHECK)
    path = None if kind is CommentKind.SUMMARY else "main.tex"
    return WantedComment(kind=kind, key=key, body=body, path=path, line=line)


WORDS = ReviewComments(
    comments=(
        wanted("aaaaaaaa", CommentKind.INLINE, 20),
        wanted("bbbbbbbb", CommentKind.INLINE, 21),
        wanted("cccccccc", CommentKind.FILE),
        wanted(comment.SUMMARY, CommentKind.SUMMARY),
    ),
    settled=frozenset(ObjectionSource),
)


FIXED = replace(WORDS, comments=WORDS.comments[1:])


@pytest.fixture
def breaking(github):
    """Lets a third of all requests fail, in ways that a seed decides; counts the failures."""

    def begin(seed):
        random = Random(seed)
        met: Counter[str] = Counter()

        def before(call):
            if random.random() > 1 / 3:
                return
            kind = random.choice(["502 before", "502 after", "drop before", "drop after", "limit"])
            met[kind] += 1
            if kind == "limit":
                headers = {"Retry-After": str(random.choice([1, 30, 400]))}
                github.fail(call.method, ".", status=403, headers=headers, message=LIMIT)
            else:
                status = 502 if kind.startswith("502") else None
                github.fail(call.method, ".", status=status, after=kind.endswith("after"))

        github.before = before
        return met

    return begin


@pytest.mark.parametrize("seed", range(8))
def test_each_thing_is_said_once(github, hub, pull, waits, breaking, seed):
    paper = github.repositories["us/paper"]
    met = breaking(seed)

    def tell(words, conclusion):
        """The work of a job, which begins anew after each failure, in another process."""
        forge = hub.forge(paper.installation, paper.name)
        forge.conclude(check(conclusion))
        changes = reconcile(forge.comments(1), words, head=pull.head)
        forge.change(1, pull.head, changes)
        forge.answer(1, 5, "Because.", is_review=False)
        return changes

    def check(conclusion):
        values = {"name": "pf / proofs", "head": pull.head, "key": "1", "title": "t"}
        return CommitCheck(**values, summary="s", conclusion=conclusion, annotations=NOTES)

    def until_done(words, conclusion):
        for _ in range(200):
            try:
                return tell(words, conclusion)
            except IncompleteError:
                waits.append(600.0)
        raise AssertionError("it never ends")

    until_done(WORDS, "failure")
    until_done(WORDS, "failure")
    until_done(FIXED, "success")
    github.before = lambda call: None
    assert until_done(FIXED, "success") == Changes()
    said = [comment.read_mark(item.body) for item in (*paper.remarks, *paper.summaries)]
    states = Counter((mark.key, mark.state.value) for mark in said if mark is not None)
    assert states == {
        ("aaaaaaaa", "resolved"): 1,
        ("bbbbbbbb", "open"): 1,
        ("cccccccc", "open"): 1,
        (comment.SUMMARY, "open"): 1,
    }
    assert sum(item.body.startswith("Because.") for item in paper.comments) == 1
    assert [(run.conclusion, len(run.annotations)) for run in paper.runs] == [("success", 70)]
    assert len(paper.reviews) == 1
    assert sum(met.values()) >= 5
