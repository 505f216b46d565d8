"""Each word of binding does in its example what it does by that word."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pfcore.latex.language import binding
from pfcore.latex.language.binding import WORDS, bound, longest_terms
from pfcore.latex.language.phrases import phrases_of, word_tables
from pfcore.latex.language.terms import normal_words

TABLES = word_tables(WORDS)
ENTRIES = [
    (role, word, example)
    for role, languages in TABLES.items()
    for words in languages.values()
    for word, example in words.items()
]
FREES = {"no_taking_behind", "parting", "one_of_all", "being", "borrowed"}
"""By these words a symbol is free, by all others it is bound."""
SAID = {"idiom", "adverbial"}
"""By these words no term is meant."""


@contextmanager
def without(role: str, word: str) -> Iterator[None]:
    """The tables without a word."""
    told = phrases_of(WORDS)
    roles = {**told, role: {key: told[role][key] for key in told[role] if key != word}}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(binding, "_lists", lambda: roles)
        binding._borrowed.cache_clear()
        yield
    binding._borrowed.cache_clear()


def is_by_its_word(role: str, word: str, example: str) -> bool:
    """Whether an example binds more with its word than without, or less where it is to free."""
    found = bound(example)
    with without(role, word):
        other = bound(example)
    return found < other if role in FREES else found > other


@pytest.mark.parametrize("role", sorted(TABLES.keys() - SAID))
def test_an_example_binds_or_frees_by_its_word(role: str) -> None:
    entries = [(word, example) for one, word, example in ENTRIES if one == role]
    assert all(word in example.lower() for word, example in entries)
    assert not [entry for entry in entries if not is_by_its_word(role, *entry)]


def test_no_word_of_an_idiom_is_a_term() -> None:
    for role, idiom, example in ENTRIES:
        if role in SAID:
            assert idiom in example.lower()
            terms = {word: ((word,),) for word in normal_words(idiom)}
            assert longest_terms(example, terms) == []
            assert longest_terms(f"It {' or '.join(terms)} it.", terms) == sorted(terms)


def test_behind_a_word_of_being_an_adverb_is_an_adjective() -> None:
    terms = {"even": (("even",),)}
    assert longest_terms("The sum is even if it is finite.", terms) == ["even"]
    assert longest_terms("All sums are even when finite.", terms) == ["even"]
    assert longest_terms("The sum is finite, even if it is odd.", terms) == []


def test_every_role_is_asked_for() -> None:
    assert set(TABLES) == FREES | SAID | {
        "taking", "taking_stem", "taking_pair", "article", "supposing", "ranging", "letting",
        "joining",
    }  # fmt: skip
