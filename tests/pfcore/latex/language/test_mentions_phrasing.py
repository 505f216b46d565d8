"""Phrases in words, as patterns next to a reference."""

import pytest

from pfcore.latex.language.mentions import Phrases
from pfcore.latex.language.phrases import phrases_of, word_tables

TABLES = {
    place: phrases_of("reference_phrases", place)
    for place in word_tables("reference_phrases")
    if place != "class"
}


def reverse(words: str) -> str:
    return "".join([f"{word} " for word in reversed(words.split())])


@pytest.mark.parametrize(
    ("phrase", "words", "fits"),
    [
        ("see also", "see also", True),
        ("see also", "as we see also", True),
        ("see also", "see", False),
        ("see also", "oversee also", False),
        ("unlike in|for?", "unlike", True),
        ("unlike in|for?", "unlike for", True),
        ("unlike in|for?", "unlike to", False),
        ("prov* in", "is proven in", True),
        ("will ...2 in", "will be shown in", True),
        ("will ...2 in", "will be shown later in", False),
        ("will ...2 in", "will , see @ in", False),
        ("not <filler>? use", "not even use", True),
        ("not <filler>? use", "not want to use", True),
        ("not <filler>? use", "not want use", False),
    ],
)
def test_a_phrase_before_a_reference_ends_there(phrase: str, words: str, *, fits: bool) -> None:
    tables = Phrases(lambda: {"one": ["never this", phrase], "other": [phrase]}, behind=False)
    assert tables.table(reverse(words)) == ("one" if fits else "")


def test_a_phrase_behind_a_reference_begins_there() -> None:
    tables = Phrases(lambda: {"one": ["...1 will improve"], "other": ["later? is"]}, behind=True)
    assert [tables.table(words) for words in ("then will improve ", "is ", "that later is ")] == [
        "one",
        "other",
        "",
    ]
    assert tables.beyond("later is shown ") == "shown "
    assert tables.beyond("later was shown ") is None


@pytest.mark.parametrize("place", TABLES)
@pytest.mark.parametrize("behind", [False, True])
def test_every_word_of_a_phrase_may_be_met(place: str, *, behind: bool) -> None:
    names = TABLES[place]
    phrases = [phrase for listed in names.values() for phrase in listed]
    words = {word.strip("?*") for token in " ".join(phrases).split() for word in token.split("|")}
    found = Phrases(lambda: names, behind=behind)
    assert all(found.table(f"{word} ") in ("", *names) for word in words)
