"""Addresses hold whatever names people give, and lead nowhere else."""

import pytest

from bot.domain import forge

SERVER = "https://github.com"


@pytest.mark.parametrize(
    "name", ["10#7:guid", "../..", "a/b?c#d", "-->", "<script>", "\x00", "ü", "\ud800", ""]
)
def test_the_id_of_a_run_comes_back_from_a_plain_word(name):
    path = forge.run_path(name)
    assert path.startswith("/runs/")
    word = path.removeprefix("/runs/")
    assert all(sign.isalnum() or sign in "-_" for sign in word)
    assert forge.run_id(word) == name


@pytest.mark.parametrize("word", ["a", "%%%%", "ü", "_w", "+/+/", "a b c d"])
def test_other_words_are_no_runs(word):
    assert forge.run_id(word) is None


def test_names_are_quoted():
    assert forge.repository_path("us/a?b#c") == "/repos/us/a%3Fb%23c"
    assert forge.pull_url(SERVER, "us/pa per", 7) == f"{SERVER}/us/pa%20per/pull/7"
    assert forge.commit_url(SERVER, "us/p", "abc") == f"{SERVER}/us/p/commit/abc"
    found = forge.line_url(SERVER, "us/p", "abc", 'a"b<c>#d.tex', 4)
    assert found == f"{SERVER}/us/p/blob/abc/a%22b%3Cc%3E%23d.tex?plain=1#L4"
