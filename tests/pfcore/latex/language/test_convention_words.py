"""Each word that keeps a sentence from being a convention or definition does so in its example."""

import re
from contextlib import AbstractContextManager

import pytest

from pfcore.latex.language import conventions, hypotheses
from pfcore.latex.language.conventions import all_conventions, definitions, standing, unit_of
from pfcore.latex.language.hypotheses import named_passages
from pfcore.latex.language.phrases import CONVENTION_WORDS, phrases_of, word_tables
from tests.other_words import other_words

TABLES = word_tables(CONVENTION_WORDS)
WORDS = phrases_of(CONVENTION_WORDS)
ENTRIES = [
    (role, word, example)
    for role, languages in TABLES.items()
    for words in languages.values()
    for word, example in words.items()
]
UNITS = {f"for_{unit}": unit for unit in ("document", "chapter", "section", "subsection")}
FOUND_BY = {"considered", "always", "idle", "limits", "announces", "property", "plural", "binding"}
BEGINS = ("All ", "Alle ", "Tous les ", "Toutes les ")


def is_found(role: str, example: str) -> bool:
    """Whether an example is a definition, or else a convention; or lacks a name, or its list."""
    if role == "named":
        passages, _ = named_passages(example, [(0, len(example))], [], bool)
        return not passages
    if role == "lists":
        return all_conventions(example)[0].end != len(example)
    return bool(list(definitions(example)) if role == "vague" else standing(example))


def told(role: str, *words: str) -> AbstractContextManager[None]:
    """The tables with only these words in a role."""
    return other_words(CONVENTION_WORDS, {role: words}, conventions, hypotheses)


def is_none_by_its_word(role: str, word: str, example: str) -> bool:
    """Whether an example is nothing, and is something without its word."""
    begin = next((one for one in BEGINS if example.startswith(one)), "")
    place = {"no_noun": len(begin), "no_adjective": example.find(" are ") + len(" are ")}.get(role)
    others = [other for other in WORDS[role] if other != word]
    if place is not None:  # one large pattern for all: only this word of the role is at the place
        by_others = re.compile(rf"(?:{'|'.join(others)})\b").match(example, place)
        if by_others or not re.compile(rf"(?:{word})\b").match(example, place):
            return False
        others = ["(?!)"]
    with told(role, *others):
        return is_found(role, example)


@pytest.mark.acceptance
@pytest.mark.parametrize("role", sorted(TABLES.keys() & FOUND_BY))
def test_an_example_is_a_convention_by_its_word(role: str) -> None:
    find = conventions.conventions if role == "binding" else standing
    for word, example in ((word, example) for one, word, example in ENTRIES if one == role):
        found = find(example)
        with told(role, *(other for other in WORDS[role] if other != word), "(?!)"):
            without = find(example)
        assert (len(found), word) == (1, word)
        assert (found != without, word) == (True, word)


@pytest.mark.parametrize("role", sorted(TABLES.keys() - FOUND_BY - UNITS.keys() - {"presents"}))
def test_an_example_is_none_by_its_word(role: str) -> None:
    entries = [(word, example) for one, word, example in ENTRIES if one == role]
    assert not [example for _, example in entries if is_found(role, example)]
    assert not [entry for entry in entries if not is_none_by_its_word(role, *entry)]


@pytest.mark.parametrize("role", UNITS)
def test_a_sentence_names_its_unit_by_its_word(role: str) -> None:
    for word, example in ((word, example) for one, word, example in ENTRIES if one == role):
        with told(role, *(other for other in WORDS[role] if other != word), "(?!)"):
            without = unit_of(example)
        assert (unit_of(example), without, word) == (UNITS[role], "", word)


def test_what_a_section_presents_is_not_for_it_alone() -> None:
    for word, example in ((word, example) for role, word, example in ENTRIES if role == "presents"):
        others = [other for other in WORDS["presents"] if other != word]
        with told("presents", *others):
            without = unit_of(example)
        assert (unit_of(example), without, word) == ("", "section", word)


def test_every_role_is_asked_for() -> None:
    others = {"no_noun", "no_adjective", "argues", "vague", "named", "lists", "ends"}
    assert set(TABLES) == others | FOUND_BY | UNITS.keys() | {"presents"}
