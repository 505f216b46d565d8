"""Words of definitions, and sentences that define, do in their examples what they are there for."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pfcore.latex.language import definienda
from pfcore.latex.language.definienda import SENTENCES, WORDS, defined_terms
from pfcore.latex.language.phrases import word_tables

TABLES = word_tables(WORDS)
ENTRIES = [
    (role, word, example)
    for role, languages in TABLES.items()
    for words in languages.values()
    for word, example in words.items()
]


@contextmanager
def without(role: str, word: str) -> Iterator[None]:
    """The tables without a word."""
    told = definienda._words()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(definienda, "_words", lambda: {**told, role: told[role] - {word}})
        yield


def is_by_its_word(role: str, word: str, example: str) -> bool:
    """Whether an example defines something else, or nothing, without its word."""
    found = defined_terms(example)
    with without(role, word):
        return defined_terms(example) != found


@pytest.mark.parametrize("role", TABLES)
def test_an_example_defines_by_its_word(role: str) -> None:
    entries = [(word, example) for one, word, example in ENTRIES if one == role]
    assert all(word in example.lower() for word, example in entries)
    assert not [entry for entry in entries if not is_by_its_word(role, *entry)]


@pytest.mark.parametrize("number", range(len(word_tables(SENTENCES)["sentence"])))
def test_an_example_gives_a_meaning_by_its_pattern(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = word_tables(SENTENCES)["sentence"][number]
    patterns = definienda._term_patterns()
    assert one["term"] in definienda._said(one["example"])
    others = (*patterns[:number], *patterns[number + 1 :])
    monkeypatch.setattr(definienda, "_term_patterns", lambda: others)
    assert one["term"] not in definienda._said(one["example"])
