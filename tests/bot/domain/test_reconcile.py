"""What was said and what is to be said: nothing twice, nothing lost, no reply deleted."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain import comment
from bot.domain.comment import (
    CommentKind,
    CommentState,
    ObjectionSource,
    ReviewComments,
    WantedComment,
)
from bot.domain.reconcile import Existing, reconcile

HEAD = "abc1234567890" + "0" * 27
A, B = "aaaaaaaa", "bbbbbbbb"
ALL = frozenset(ObjectionSource)


def wanted(key=A, text="words", *, kind=CommentKind.INLINE, source=ObjectionSource.READING, **more):
    body = comment.marked(text, key=key, source=source)
    path = None if kind is CommentKind.SUMMARY else "main.tex"
    return WantedComment(kind=kind, key=key, body=body, path=path, **more)


def mark_of(body):
    mark = comment.read_mark(body)
    assert mark is not None
    return mark


def state(edit):
    return mark_of(edit.body).state


def existing(
    number=1,
    key=A,
    text="words",
    *,
    kind=CommentKind.INLINE,
    source=ObjectionSource.READING,
    **more,
):
    body = comment.marked(text, key=key, source=source)
    return Existing(id=number, kind=kind, body=body, **({"is_ours": True} | more))


def said(*comments, settled=ALL, answered=None, open=()):
    ids = frozenset(item.key for item in comments) | frozenset(open)
    return ReviewComments(comments=comments, settled=settled, answered=answered or {}, open=ids)


def changes(before, words):
    return reconcile(before, words, head=HEAD)


def is_nothing(found):
    return not (found.create or found.edit or found.close or found.delete)


def test_what_was_never_said_is_said():
    assert changes([], said(wanted())).create == (wanted(),)


def test_what_was_said_is_not_said_again():
    assert is_nothing(changes([existing()], said(wanted())))


def test_other_words_are_an_edit_of_the_same_comment():
    (edit,) = changes([existing(7)], said(wanted(text="other"))).edit
    assert (edit.id, edit.body) == (7, wanted(text="other").body)


def test_a_comment_stays_where_it_stands_when_its_line_left_the_diff():
    moved = wanted(kind=CommentKind.FILE)
    assert is_nothing(changes([existing()], said(moved)))


def test_an_earlier_id_is_still_the_same_finding():
    (edit,) = changes([existing(7, B)], said(wanted(A, aliases=frozenset({B})))).edit
    assert edit.id == 7 and f"id={A}" in edit.body


@pytest.mark.parametrize("forged", [existing(is_ours=False), existing(5, B, is_ours=False)])
def test_marks_of_others_count_for_nothing(forged):
    found = changes([forged], said(wanted()))
    assert found.create == (wanted(),) and not (found.edit or found.close or found.delete)


def test_our_own_words_without_a_mark_are_left_alone():
    found = changes([Existing(id=1, kind=CommentKind.INLINE, body="hello", is_ours=True)], said())
    assert is_nothing(found)


def test_what_is_gone_is_marked_resolved_once():
    before = existing(7, text="a gap")
    (edit,) = changes([before], said()).close
    assert "**Resolved** in abc1234567." in edit.body and "a gap" in edit.body
    assert state(edit) is CommentState.RESOLVED
    assert is_nothing(changes([replace(before, body=edit.body)], said()))


def test_what_comes_back_is_said_in_its_old_place():
    (closed,) = changes([existing(7)], said()).close
    (edit,) = changes([replace(existing(7), body=closed.body)], said(wanted())).edit
    assert (edit.id, edit.body) == (7, wanted().body)


def test_what_is_answered_shows_the_answer_as_words():
    words = said(answered={A: "by @bob <!-- x -->"})
    (edit,) = changes([existing()], words).close
    assert "**Answered:** by" in edit.body and "@bob" not in edit.body
    assert state(edit) is CommentState.ANSWERED
    after = replace(existing(), body=edit.body)
    assert is_nothing(changes([after], words))
    (resolved,) = changes([after], said()).close
    assert resolved.body.count("<details>") == 1 and "Resolved" in resolved.body


def test_what_is_still_open_and_only_not_told_is_left_alone():
    assert is_nothing(changes([existing()], said(open=[A])))


def test_the_silence_of_a_reader_who_did_not_finish_resolves_nothing():
    before = [existing(1, A), existing(2, B, source=ObjectionSource.CHECK)]
    (edit,) = changes(before, said(settled=frozenset({ObjectionSource.CHECK}))).close
    assert edit.id == 2


def test_a_summary_is_made_once_and_then_edited():
    summary = wanted(comment.SUMMARY, "one", kind=CommentKind.SUMMARY)
    assert changes([], said(summary)).create == (summary,)
    there = existing(3, comment.SUMMARY, "none", kind=CommentKind.SUMMARY)
    assert [edit.id for edit in changes([there], said(summary)).edit] == [3]


def test_with_nothing_to_say_no_summary_is_made_and_an_old_one_says_so():
    quiet = wanted(comment.SUMMARY, "fine", kind=CommentKind.SUMMARY, is_optional=True)
    assert is_nothing(changes([], said(quiet)))
    there = existing(3, comment.SUMMARY, "2 findings", kind=CommentKind.SUMMARY)
    assert [edit.body for edit in changes([there], said(quiet)).edit] == [quiet.body]


def test_what_a_crash_said_twice_is_said_once_and_answers_are_kept():
    twice = [existing(1), existing(2)]
    assert [item.id for item in changes(twice, said(wanted())).delete] == [2]
    answered = [existing(1), existing(2, has_replies=True)]
    assert [item.id for item in changes(answered, said(wanted())).delete] == [1]
    both = [existing(1, has_replies=True), existing(2, has_replies=True)]
    assert is_nothing(changes(both, said(wanted())))


KEYS = st.sampled_from([A, B, "cccccccc"])
COMMENTS = st.lists(
    st.builds(
        existing,
        st.integers(1, 50),
        KEYS,
        st.sampled_from(["words", "other"]),
        source=st.sampled_from(ObjectionSource),
        has_replies=st.booleans(),
        is_ours=st.booleans(),
    ),
    max_size=8,
    unique_by=lambda item: item.id,
)
WORDS = st.builds(
    lambda comments, open, answered, settled: said(
        *comments, open=open, answered=dict.fromkeys(answered, "no"), settled=settled
    ),
    st.lists(st.builds(wanted, KEYS), max_size=3, unique_by=lambda item: item.key),
    st.sets(KEYS),
    st.sets(KEYS),
    st.frozensets(st.sampled_from(ObjectionSource)),
)


def applied(before, found):
    gone = {item.id for item in found.delete}
    bodies = {edit.id: edit.body for edit in (*found.edit, *found.close)}
    kept = [replace(one, body=bodies.get(one.id, one.body)) for one in before if one.id not in gone]
    made = [
        Existing(id=100 + number, kind=item.kind, body=item.body, is_ours=True)
        for number, item in enumerate(found.create)
    ]
    return kept + made


@given(COMMENTS, WORDS)
def test_done_once_there_is_nothing_left_to_do(before, words):
    found = changes(before, words)
    assert is_nothing(changes(applied(before, found), words))


@given(COMMENTS, WORDS, st.data())
def test_done_in_part_and_begun_again_it_ends_the_same(before, words, data):
    found = changes(before, words)
    part = replace(
        found,
        create=found.create[: data.draw(st.integers(0, 3))],
        edit=found.edit[: data.draw(st.integers(0, 3))],
        close=found.close[: data.draw(st.integers(0, 3))],
        delete=found.delete[: data.draw(st.integers(0, 3))],
    )
    between = applied(before, part)
    after = applied(between, changes(between, words))
    assert sorted(item.body for item in after) == sorted(
        item.body for item in applied(before, found)
    )


@given(COMMENTS, WORDS)
def test_nothing_of_others_and_nothing_with_answers_is_touched_wrongly(before, words):
    found = changes(before, words)
    by_id = {item.id: item for item in before}
    assert not any(item.has_replies or not item.is_ours for item in found.delete)
    assert all(by_id[edit.id].is_ours for edit in (*found.edit, *found.close))


def outdated(number=1, **more):
    url, node = f"https://github.example/c/{number}", f"node {number}"
    return existing(number, is_outdated=True, url=url, node=node, **more)


def test_what_stands_is_said_anew_where_the_line_of_its_comment_was_edited():
    found = changes([outdated()], said(wanted()))
    assert [item.key for item in found.create] == [A]
    assert not (found.edit or found.close or found.delete)


def test_what_is_said_anew_leads_to_where_it_stood_whatever_it_says_later():
    (made,) = changes([outdated(1), outdated(2)], said(wanted())).create
    back = "[an earlier comment](https://github.example/c/2), whose line was edited"
    assert back in made.body and "/c/1" not in made.body
    new = Existing(id=3, kind=made.kind, body=made.body, is_ours=True)
    assert is_nothing(changes([new], said(wanted())))
    (edit,) = changes([new], said(wanted(text="others"))).edit
    assert "others" in edit.body and edit.body.count(back) == 1
    new = replace(new, body=edit.body)
    assert is_nothing(changes([new], said(wanted(text="others"))))
    assert changes([new], said()).close[0].body.startswith("**Resolved**")


def test_no_way_back_is_kept_that_is_not_the_last_that_a_comment_says():
    forged = "Moved from [an earlier comment](https://evil.example/), whose line was edited."
    before = existing(text=f"<sub>{forged}</sub>\n\nand more")
    (edit,) = changes([before], said(wanted())).edit
    assert edit.body == wanted().body


def test_the_comment_that_was_left_behind_leads_to_the_new_one_and_stays():
    new = existing(2, url="https://github.example/c/2")
    found = changes([outdated(has_replies=True), new], said(wanted()))
    assert not (found.create or found.close or found.delete)
    (edit,) = found.edit
    assert edit.id == 1 and "(https://github.example/c/2)" in edit.body
    assert state(edit) is CommentState.MOVED and edit.minimised == "node 1"

    left = replace(outdated(has_replies=True), body=edit.body)
    assert is_nothing(changes([left, new], said(wanted())))
    closed = changes([left, new], said()).close
    assert [item.id for item in closed] == [2, 1], "both end"
    assert all(item.body.startswith("**Resolved**") for item in closed)
    assert "still open" not in closed[1].body


def test_what_was_moved_ends_in_other_words_and_later_too():
    old, made = kin(1, A, state=CommentState.MOVED, is_outdated=True), kin(2, B, was=A)
    assert changes([old, made], said(wanted_kin(B))).close == ()
    assert changes([old, made], said(open=[B])).close == ()
    assert [item.id for item in changes([old, made], said()).close] == [2, 1]
    done = kin(2, B, was=A, state=CommentState.RESOLVED)
    assert [item.id for item in changes([old, done], said()).close] == [1]
    assert changes([old, made], said(settled=())).close == ()


def test_what_is_left_behind_a_second_time_leads_on():
    left = changes([outdated(), existing(2)], said(wanted())).edit[0]
    before = [replace(outdated(), body=left.body), outdated(2)]
    assert [item.key for item in changes(before, said(wanted())).create] == [A]


def test_what_is_gone_is_resolved_though_its_line_was_edited():
    (closed,) = changes([outdated()], said()).close
    assert state(closed) is CommentState.RESOLVED


def test_an_outdated_comment_that_was_ended_speaks_again_at_a_new_place():
    (closed,) = changes([outdated()], said()).close
    again = replace(outdated(), body=closed.body)
    assert [item.key for item in changes([again], said(wanted())).create] == [A]


K = "kinkinka"


def kin(number, key, text="words", *, was="", state=CommentState.OPEN, **more):
    """A comment about an objection that has others of its kin."""
    reading = ObjectionSource.READING
    body = comment.marked(text, key=key, source=reading, kin=K, was=was, state=state)
    return Existing(id=number, kind=CommentKind.INLINE, body=body, is_ours=True, **more)


def wanted_kin(key, text="words"):
    body = comment.marked(text, key=key, source=ObjectionSource.READING, kin=K)
    return WantedComment(kind=CommentKind.INLINE, key=key, body=body, path="main.tex")


def test_an_objection_in_other_words_takes_the_place_of_the_one_that_is_lost():
    found = changes([kin(1, A)], said(wanted_kin(B, "others")))
    assert [item.id for item in found.edit] == [1] and not (found.create or found.close)
    assert mark_of(found.edit[0].body).key == B


def test_where_the_line_was_edited_the_new_comment_says_which_one_it_stands_for():
    old = kin(1, A, is_outdated=True)
    found = changes([old], said(wanted_kin(B)))
    assert not (found.edit or found.close)
    (made,) = found.create
    assert mark_of(made.body).was == A

    new = Existing(id=2, kind=CommentKind.INLINE, body=made.body, is_ours=True, url="there")
    (moved,) = changes([old, new], said(wanted_kin(B))).edit
    assert moved.id == 1 and state(moved) is CommentState.MOVED


def test_of_two_of_a_kin_one_that_is_mended_is_resolved():
    found = changes([kin(1, A), kin(2, B)], said(wanted_kin("cccccccc", "others")))
    assert [item.id for item in found.edit] == [1]
    assert [(item.id, state(item)) for item in found.close] == [(2, CommentState.RESOLVED)]


def test_what_stands_and_is_told_elsewhere_resolves_nothing():
    words = replace(said(), kins={"cccccccc": K}, open=frozenset({"cccccccc"}))
    found = changes([kin(1, A), kin(2, B)], words)
    assert [item.id for item in found.close] == [2]
    assert len(changes([kin(1, A), kin(2, B)], said()).close) == 2


def test_what_was_resolved_before_is_not_taken_for_what_comes_later():
    found = changes([kin(1, A, state=CommentState.RESOLVED)], said(wanted_kin(B)))
    assert [item.key for item in found.create] == [B]
