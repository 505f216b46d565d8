"""Words of definitions, and sentences that define, do in their examples what they are there for."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pfcore.latex.language import definienda
from pfcore.latex.language.definienda import INFLECTIONS, SENTENCES, WORDS, defined_terms
from pfcore.latex.language.phrases import word_tables
from pfcore.latex.language.terms import normal_words

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


@pytest.mark.parametrize("entry", word_tables(INFLECTIONS)["irregular"], ids=lambda one: one["one"])
def test_a_word_is_known_by_its_plural(entry: dict[str, str]) -> None:
    one, many = entry["one"], entry["many"]
    assert normal_words(entry["example"]) == [many]
    assert many in definienda.inflected(one, frozenset())
    assert f"open {one}" in definienda.inflected(f"open {many}", frozenset())


@pytest.mark.parametrize("entry", word_tables(INFLECTIONS)["agreeing"], ids=lambda one: one["one"])
def test_a_french_word_is_known_by_the_form_that_agrees(entry: dict[str, str]) -> None:
    assert entry["form"] in definienda._agreeing(entry["example"])
    assert entry["example"] in definienda._agreeing(entry["form"])
