"""Each phrase that introduces something does so in its example, which says nothing without it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from pfcore.latex.language import definienda, introduced_symbols, introductions, phrases
from pfcore.latex.language.formula_keys import EQUATES, MENTIONS, NAMES, STATES, SUPPOSES, TAKES
from pfcore.latex.language.introductions import (
    CuedText,
    agrees,
    introduced,
    points,
    set_ups,
    supposes_the_same,
)
from pfcore.latex.language.phrases import INTRODUCING_WORDS, phrases_of, word_tables

LANGUAGES = ("english", "german", "french")
ROLES: Mapping[str, Mapping[str, Mapping[str, str]]] = word_tables(INTRODUCING_WORDS)
ENTRIES = [
    (role, phrase, example)
    for role, languages in ROLES.items()
    for phrases in languages.values()
    for phrase, example in phrases.items()
]
STRENGTHS = {
    "take": TAKES, "name": NAMES, "by": NAMES, "naming": NAMES, "means": NAMES, "is": NAMES,
    "where": NAMES, "suppose": SUPPOSES, "each": SUPPOSES, "called": STATES, "if_so": STATES,
    "mean": STATES, "joining": TAKES, "taken_as": TAKES, "for": NAMES, "saying": NAMES,
    "cue": NAMES, "tells": STATES, "defines": STATES, "break": STATES, "lead": STATES,
    "small": NAMES, "german": STATES, "french": STATES, "surely": TAKES, "then": NAMES,
    "definite": NAMES, "setter": NAMES, "particle": STATES, "being": NAMES, "verb_last": NAMES,
    "having": STATES, "filler": STATES, "further": STATES, "letting": EQUATES, "amount": EQUATES,
    "any_one": NAMES, "article": EQUATES, "indefinite": EQUATES, "named_by": NAMES,
    "by_doing": NAMES, "relating": NAMES, "named_as": NAMES,
}  # fmt: skip
"""How strongly each role introduces something."""
HINDERS = {
    "of": NAMES, "noun": NAMES, "no_term": STATES, "common": STATES, "vague": STATES,
    "possible": TAKES, "clause": TAKES, "intending": NAMES, "later": NAMES, "example": NAMES,
    "idle": STATES, "for_which": NAMES, "opens_example": TAKES, "no_meaning": NAMES,
    "equality": EQUATES, "relative": NAMES, "place": NAMES, "closer": TAKES, "headed": STATES,
    "elsewhere": TAKES, "stressing": STATES, "done": STATES, "given_at": NAMES,
}  # fmt: skip
"""How strongly something would be introduced without each role."""
DERIVED = (
    introduced_symbols._table, phrases.sought, introductions._cues,
    definienda._around_terms, definienda._term_patterns, definienda._particles,
    definienda._common,
    definienda._languages, definienda._second, introductions._cued_pairs,
    introductions._around_names, introductions._set_up, introduced_symbols._whole,
    introductions._introduced,
)  # fmt: skip


def test_no_role_has_phrases_with_one_first_letter_in_two_sizes() -> None:
    """So patterns may try the phrases of a role by their first letters."""
    begun = {role: {phrase[0] for phrase in phrases_of(INTRODUCING_WORDS)[role]} for role in ROLES}
    mixed = {
        role: letter
        for role, letters in begun.items()
        for letter in letters
        if not letter.isalpha() or letter.swapcase() in letters
    }
    assert mixed == {}


def brought_in(text: str) -> dict[str, int]:
    """What a text brings in strongly, if it is looked at."""
    found = introduced(text) if CuedText(text).has(0, len(text)) else {}
    return {key: how for key, how in found.items() if how > MENTIONS}


@contextmanager
def without(role: str, phrase: str) -> Iterator[None]:
    """The tables without a phrase."""
    told = phrases_of(INTRODUCING_WORDS)
    roles = {**told, role: {key: told[role][key] for key in told[role] if key != phrase}}
    with pytest.MonkeyPatch.context() as patched:
        for reads in (phrases, introductions, introduced_symbols, definienda):
            patched.setattr(reads, "introducing", lambda: roles)
        _forget()
        yield
    _forget()


def _forget() -> None:
    for derived in DERIVED:
        cache: Any = derived
        cache.cache_clear()


OF_DEFINITIONS = {"then", "definite"}
WEAKLY = {"article", "equality", "indefinite", "amount"}
"""What they do is too weak to make a sentence one that is looked at for words."""
SAYS = {"agree": agrees, "point": points, "described": points, "same": supposes_the_same,
        "set_up": lambda text: [*set_ups(text.replace("@", "\x022\x03"))] != []}  # fmt: skip


def effect(role: str, example: str) -> object:
    """What an example is understood to say."""
    if role in OF_DEFINITIONS:
        return introduced(example, is_definition=True)
    if role in WEAKLY:
        return introduced(example)
    return SAYS[role](example) if role in SAYS else brought_in(example)


def is_by_its_phrase(role: str, phrase: str, example: str, found: object) -> bool:
    """Whether what an example says is what its role says, and something else without its phrase."""
    with without(role, phrase):
        other = effect(role, example)
    if role in SAYS:
        return found is True and other is False
    strengths, least = (other, HINDERS[role]) if role in HINDERS else (found, STRENGTHS[role])
    return other != found and isinstance(strengths, dict) and least in strengths.values()


@pytest.mark.acceptance
@pytest.mark.parametrize("role", ROLES)
def test_an_example_says_what_it_says_by_its_phrase(role: str) -> None:
    entries = [(phrase, example) for one, phrase, example in ENTRIES if one == role]
    for phrase, example in entries:
        assert phrase.rstrip("*") in example.lower().replace(",", "")
    # All with their phrases first: the patterns of tables are compiled anew after each change.
    found = [(*entry, effect(role, entry[1])) for entry in entries]
    assert not [entry for entry in found if not is_by_its_phrase(role, *entry)]


def test_every_role_has_phrases_in_small_letters() -> None:
    assert set(ROLES) == {*STRENGTHS, *HINDERS, *SAYS}
    assert all(set(languages) <= set(LANGUAGES) for languages in ROLES.values())
    assert all(phrase == phrase.lower().strip() for _, phrase, _ in ENTRIES)
