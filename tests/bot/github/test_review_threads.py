"""Comments: each is made once, stands where it can, and is found again."""

import pytest

from bot.domain import comment as marks
from bot.domain.comment import CommentKind, ObjectionSource, ReviewComments, WantedComment
from bot.domain.forge import GoneError, MovedError
from bot.domain.reconcile import Changes, EditComment, reconcile

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.sampled(2),
    pytest.mark.allow_hosts(["127.0.0.1"]),
]


def wanted(key, *, line=None, path="main.tex", words="It does not follow.", start=None):
    kind = CommentKind.INLINE if line else CommentKind.FILE
    if key == marks.SUMMARY:
        kind, path = CommentKind.SUMMARY, None
    body = marks.marked(words, key=key, source=ObjectionSource.READING)
    return WantedComment(kind=kind, key=key, body=body, path=path, line=line, start_line=start)


INLINE = wanted("aaaaaaaa", line=20)
SPAN = wanted("bbbbbbbb", line=22, start=19)
OUTSIDE = wanted("cccccccc", line=2)
ON_FILE = wanted("dddddddd")
ELSEWHERE = wanted("eeeeeeee", line=3, path="other.tex")
SUMMARY = wanted(marks.SUMMARY)
ALL = ReviewComments(comments=(INLINE, SPAN, ON_FILE, SUMMARY))


def tell(forge, pull, words):
    """Bring a pull request to what is to be said."""
    changes = reconcile(forge.comments(1), words, head=pull.head)
    forge.change(1, pull.head, changes)
    return changes


def keys(comments):
    return [key_of(item) for item in comments]


def key_of(comment):
    mark = marks.read_mark(comment.body)
    assert mark is not None
    return mark.key


def posted(github):
    paths = [call.path.rpartition("/")[2] for call in github.calls if call.method == "POST"]
    return [path for path in paths if path != "access_tokens"]


def test_what_is_new_is_one_review_then_files_then_the_summary(github, forge, paper, pull):
    tell(forge, pull, ALL)
    assert posted(github) == ["reviews", "comments"]
    (review,) = paper.reviews
    assert review.commit == pull.head and review.body == SUMMARY.body
    assert [(item.line, item.start_line, item.subject) for item in paper.remarks] == [
        (20, None, "line"),
        (22, 19, "line"),
        (None, None, "file"),
    ]
    assert keys(paper.summaries) == [marks.SUMMARY]


def test_nothing_is_said_twice(github, forge, paper, pull):
    tell(forge, pull, ALL)
    assert tell(forge, pull, ALL) == Changes()
    forge.change(1, pull.head, Changes(create=ALL.comments))
    assert (len(paper.remarks), len(paper.summaries), len(paper.reviews)) == (3, 1, 1)


def test_a_finding_that_was_told_under_an_earlier_id_is_not_told_again(forge, paper, pull):
    tell(forge, pull, ReviewComments(comments=(INLINE,)))
    again = WantedComment(
        kind=CommentKind.INLINE,
        key="zzzzzzzz",
        body=wanted("zzzzzzzz").body,
        path="main.tex",
        line=20,
        aliases=frozenset({"aaaaaaaa"}),
    )
    forge.change(1, pull.head, Changes(create=(again,)))
    assert keys(paper.remarks) == ["aaaaaaaa"]


def test_a_comment_of_ours_is_known_and_others_marks_count_for_nothing(github, forge, paper, pull):
    github.say(paper, pull, SUMMARY.body, by="mallory")
    github.say(paper, pull, SUMMARY.body, by="pf-verify")
    assert [item.is_ours for item in forge.comments(1)] == [False, False]
    tell(forge, pull, ALL)
    assert [item.author for item in paper.summaries] == ["mallory", "pf-verify", "pf-verify[bot]"]
    assert [item.is_ours for item in forge.comments(1)] == [False, False, True, True, True, True]


def test_a_person_with_the_login_of_a_program_is_no_program(github, forge, pull):
    user = {"login": "pf-verify[bot]", "type": "User"}
    body = [{"id": 5, "body": SUMMARY.body, "user": user}]
    github.fail("GET", "/issues/1/comments$", status=200, body=body)
    assert [item.is_ours for item in forge.comments(1)] == [False]


def test_a_comment_whose_author_is_gone_is_nobodys(github, forge, pull):
    body = [{"id": 5, "body": None, "user": None}]
    github.fail("GET", "/issues/1/comments$", status=200, body=body)
    (found,) = forge.comments(1)
    assert (found.is_ours, found.body, found.kind) == (False, "", CommentKind.SUMMARY)


def test_a_comment_on_a_line_that_was_fixed_is_found_and_closed(github, forge, paper, pull):
    tell(forge, pull, ALL)
    fixed = "\n".join(f"fixed {number}" for number in range(40))
    github.push(paper, {"main.tex": fixed}, branch="change")
    assert paper.remarks[0].line is None
    words = ReviewComments(comments=(SUMMARY,), settled=frozenset(ObjectionSource))
    tell(forge, pull, words)
    assert all("**Resolved**" in item.body for item in paper.remarks)
    assert tell(forge, pull, words) == Changes()


def test_replies_of_people_are_seen(github, forge, paper, pull):
    tell(forge, pull, ALL)
    github.say(paper, pull, "Why?", by="alice", to=paper.remarks[1].id)
    found = [item for item in forge.comments(1) if item.has_replies]
    assert [item.id for item in found] == [paper.remarks[1].id]


def test_what_stands_twice_is_deleted_once(github, forge, paper, pull):
    tell(forge, pull, ReviewComments(comments=(ON_FILE, SUMMARY)))
    tell(forge, pull, ALL)
    for things in (paper.comments, paper.remarks):
        twin = type(things[0])(99_000 + len(things), 1, "pf-verify[bot]", things[0].body)
        twin.path = things[0].path
        things.append(twin)
    changes = reconcile(forge.comments(1), ALL, head=pull.head)
    assert len(changes.delete) == 2
    github.fail("DELETE", "comments/", after=True, times=2)
    forge.change(1, pull.head, changes)
    assert (len(paper.summaries), len(paper.remarks)) == (1, 3)


def test_a_comment_that_someone_deleted_is_not_changed(forge, paper, pull):
    edit = EditComment(id=7, kind=CommentKind.INLINE, body="x")
    forge.change(1, pull.head, Changes(edit=(edit,), create=(SUMMARY,)))
    assert keys(paper.summaries) == [marks.SUMMARY]


@pytest.mark.parametrize("kind", [CommentKind.INLINE, CommentKind.SUMMARY, CommentKind.REVIEW])
def test_a_comment_is_changed_in_place(github, forge, paper, pull, kind):
    if kind is CommentKind.SUMMARY:
        tell(forge, pull, ReviewComments(comments=(SUMMARY,)))
    tell(forge, pull, ALL)
    (known, *_) = [item for item in forge.comments(1) if item.kind is kind]
    github.fail("PUT" if kind is CommentKind.REVIEW else "PATCH", "/1?", after=True)
    forge.change(1, pull.head, Changes(edit=(EditComment(id=known.id, kind=kind, body="new"),)))
    assert [item.body for item in forge.comments(1) if item.id == known.id] == ["new"]


@pytest.mark.parametrize("status", [502, None])
@pytest.mark.parametrize("is_done", [True, False])
@pytest.mark.parametrize("path", ["/reviews$", "/pulls/1/comments$", "/issues/1/comments$"])
def test_a_lost_answer_repeats_nothing(github, forge, pull, status, is_done, path):
    paper = github.repositories["us/paper"]
    github.fail("POST", path, status=status, after=is_done)
    tell(forge, pull, ALL)
    assert sorted(keys(paper.remarks)) == ["aaaaaaaa", "bbbbbbbb", "dddddddd"]
    assert keys(paper.summaries) == [marks.SUMMARY]
    assert len(paper.reviews) == 1


MANY = tuple(wanted(f"{letter * 8}", line=20) for letter in "fghijklm")
LATER = wanted("nnnnnnnn", line=23)


STAND = (*MANY, LATER)
REFUSED = [
    ((OUTSIDE,), 9),
    ((ELSEWHERE, wanted("oooooooo", line=4, path="other.tex")), 9),
    ((OUTSIDE, wanted("oooooooo", line=3)), 5),
    ((OUTSIDE, ELSEWHERE), 5),
]


@pytest.mark.parametrize(
    ("comments", "refused", "beside"),
    [
        case
        for some, beside in REFUSED
        for case in (((*STAND, *some), some, beside), ((*some, *STAND), some, beside))
    ],
)
def test_what_github_refuses_beside_its_line_is_in_the_words_of_the_one_review(
    forge, paper, pull, comments, refused, beside
):
    words = ReviewComments(comments=(*comments, SUMMARY))
    tell(forge, pull, words)
    (review,) = paper.reviews
    assert paper.comments == [] and {item.review for item in paper.remarks} == {review.id}
    assert {item.subject for item in paper.remarks} == {"line"}
    assert len(paper.remarks) >= beside
    told = set(keys(paper.remarks))
    assert "**GitHub does not accept comments on these lines:**" in review.body
    lost = [item for item in comments if item.key not in told]
    assert set(refused) <= set(lost)
    assert review.body.count("It does not follow.") == 1 + len(lost)
    assert all(f"<code>{item.path}</code>" in review.body for item in lost)
    (known,) = [item for item in forge.comments(1) if item.kind is CommentKind.REVIEW]
    assert marks.read_mark(known.body) == marks.read_mark(SUMMARY.body), "nothing is to be edited"


def test_where_nothing_can_stand_beside_its_line_one_comment_tells_all(forge, paper, pull):
    words = ReviewComments(comments=(OUTSIDE, ELSEWHERE, SUMMARY))
    tell(forge, pull, words)
    (said,) = paper.comments
    assert paper.remarks == [] and paper.reviews == []
    assert said.body.count("It does not follow.") == 3
    tell(forge, pull, words)
    assert [item.body for item in paper.comments] == [said.body]


def test_what_is_refused_later_is_told_by_an_edit_of_the_summary(forge, paper, pull):
    tell(forge, pull, ReviewComments(comments=(SUMMARY,)))
    words = ReviewComments(comments=(OUTSIDE, ELSEWHERE, SUMMARY))
    for _ in range(2):
        tell(forge, pull, words)
        (said,) = paper.comments
        assert said.body.count("It does not follow.") == 3 and paper.reviews == []
    tell(forge, pull, ReviewComments(comments=(wanted(marks.SUMMARY, words="All is well."),)))
    assert "not accept comments" not in paper.comments[0].body


def test_without_a_summary_each_that_is_refused_stands_on_the_whole(forge, paper, pull):
    words = ReviewComments(comments=(INLINE, OUTSIDE, ELSEWHERE))
    tell(forge, pull, words)
    assert keys(paper.remarks) == ["aaaaaaaa"]
    assert keys(paper.comments) == ["cccccccc", "eeeeeeee"]
    assert tell(forge, pull, words) == Changes()


@pytest.mark.parametrize("comment", [OUTSIDE, INLINE, ON_FILE, SUMMARY])
def test_nothing_is_said_about_a_head_that_is_another_by_now(github, forge, paper, pull, comment):
    head = pull.head
    github.push(paper, {"main.tex": "something else\n"}, branch="change")
    with pytest.raises(MovedError, match="#1 has a newer commit"):
        forge.change(1, head, Changes(create=(comment,)))
    assert paper.remarks == [] and paper.comments == []


def test_a_push_in_the_middle_leaves_nothing_on_the_wrong_lines(github, forge, paper, pull):
    head = pull.head

    def push(call):
        if call.path.endswith("/reviews") and call.method == "POST" and pull.head == head:
            github.push(paper, {"main.tex": "something else\n"}, branch="change")

    github.before = push
    with pytest.raises(MovedError):
        forge.change(1, head, Changes(create=(INLINE, SUMMARY)))
    assert paper.remarks == [] and paper.comments == []


def test_a_pull_request_that_is_gone_is_said_to_be(forge, paper, pull):
    paper.pulls.clear()
    with pytest.raises(GoneError, match="#1"):
        forge.change(1, pull.head, Changes(create=(SUMMARY,)))


@pytest.mark.parametrize("status", [502, None])
@pytest.mark.parametrize("is_review", [True, False])
def test_an_answer_is_given_once(github, forge, paper, pull, status, is_review):
    tell(forge, pull, ALL)
    first = paper.remarks[0].id if is_review else None
    said = github.say(paper, pull, "/pf explain", by="alice", to=first)
    github.fail("POST", "comments", status=status, after=True)
    for _ in range(2):
        forge.answer(1, said.id, "Because.", is_review=is_review)
    things = paper.remarks if is_review else paper.comments
    (answer,) = [item for item in things if item.body.startswith("Because.")]
    assert answer.reply_to == first
    assert tell(forge, pull, ALL) == Changes()


def test_two_comments_are_answered_with_the_same_words(github, forge, paper, pull):
    for comment in (5, 6):
        forge.answer(1, comment, "Because.", is_review=False)
    assert len(paper.comments) == 2


def test_an_answer_stays_as_it_was_first_said_and_forged_ones_count_for_nothing(
    github, forge, paper, pull
):
    github.say(paper, pull, marks.answering("mine", 5), by="mallory")
    for words in ("Because.", marks.answering("Because of that.", 5)):
        forge.answer(1, 5, words, is_review=False)
    assert [item.body for item in paper.comments][1:] == [marks.answering("Because.", 5)]


def test_a_mark_inside_of_an_answer_is_words(forge, paper, pull):
    forge.answer(1, 5, marks.answering("Because.", 6), is_review=False)
    forge.answer(1, 6, "Another.", is_review=False)
    first, second = paper.comments
    assert "&lt;!-- pf-verify:answer to=6 -->" in first.body
    assert (marks.answered_comment(first.body), marks.answered_comment(second.body)) == (5, 6)
