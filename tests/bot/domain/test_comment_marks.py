"""Hidden marks: found again where we wrote them, never where somebody else's words are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain import comment
from bot.domain.comment import CommentState, ObjectionSource

ID = "ab2cd3ef"
BODY = comment.marked("words", key=ID, source=ObjectionSource.CHECK)


def test_a_mark_is_read_back():
    found = comment.read_mark(BODY)
    assert found is not None
    assert (found.key, found.source, found.state) == (ID, ObjectionSource.CHECK, CommentState.OPEN)
    assert comment.without_mark(BODY) == "words"


def test_the_mark_tells_which_words_it_stood_under():
    other = comment.marked("other words", key=ID, source=ObjectionSource.CHECK)
    assert comment.read_mark(other) != comment.read_mark(BODY)


def test_a_server_may_change_the_ends_of_lines():
    assert comment.read_mark(BODY.replace("\n", "\r\n") + "\r\n") == comment.read_mark(BODY)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "words",
        BODY + "\nmore",
        BODY.replace(ID, "x --> y"),
        BODY.replace(ID, "AB2CD3EF"),
        BODY.replace("state=open", "state=gone"),
        "> " + BODY.rpartition("\n")[2],
    ],
)
def test_all_else_is_no_mark(body):
    assert comment.read_mark(body) is None


@pytest.mark.parametrize("key", ["review", "branch", "review (part%20one)"])
def test_a_report_is_known_by_what_it_is_about_and_by_its_words(key):
    found = comment.read_mark(comment.report_body("words", key))
    assert found is not None and (found.key, found.state) == (key, CommentState.OPEN)
    assert found == comment.read_mark(f"{comment.report_body('words', key)}\n")
    assert found != comment.read_mark(comment.report_body("other words", key))


@given(st.text(max_size=80))
def test_no_words_forge_a_mark_or_hide_anything(text):
    body = comment.marked(text + "\n" + BODY, key="abcdefgh", source=ObjectionSource.READING)
    found = comment.read_mark(body)
    assert found is not None and (found.key, found.source) == ("abcdefgh", ObjectionSource.READING)
    assert body.count("<!--") == 1
