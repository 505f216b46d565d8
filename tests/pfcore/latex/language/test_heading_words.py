"""Each word of headings says in its example what it says by that word."""

import pytest

from pfcore.latex.language import phrases
from pfcore.latex.language.phrases import (
    HEADING_WORDS,
    phrases_of,
    said_by_heading,
    word_tables,
)

ENTRIES = [
    (role, word, example)
    for role, languages in word_tables(HEADING_WORDS).items()
    for words in languages.values()
    for word, example in words.items()
]


def said(title: str) -> frozenset[str]:
    said_by_heading.cache_clear()
    return said_by_heading(title)


@pytest.mark.parametrize(("role", "word", "example"), ENTRIES)
def test_a_heading_says_what_it_says_by_its_word(
    role: str, word: str, example: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert role in said(example)
    told = phrases_of(HEADING_WORDS)
    less = {**told, role: {key: told[role][key] for key in told[role] if key != word}}
    monkeypatch.setattr(phrases, "phrases_of", lambda _: less)
    assert role not in said(example)
    monkeypatch.undo()
    said_by_heading.cache_clear()


def test_a_heading_may_say_nothing() -> None:
    assert not said("Proof of the theorem")
