"""Each phrase around a reference means in its example what it means by that phrase."""

import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pfcore.domain.values import Mention
from pfcore.latex.language import mentions, phrases
from pfcore.latex.language.mentions import Phrases, complete_mentions

TABLES = phrases.word_tables(mentions._PHRASES)
ENTRIES = [
    (f"{place}.{name}.{language}", phrase, example)
    for place, names in TABLES.items()
    for name, languages in names.items()
    for language, listed in languages.items()
    for phrase, example in listed.items()
]
MACHINES: list[Any] = [one for one in vars(mentions).values() if isinstance(one, Phrases)]
FORMS = {
    "before.notation": "notation", "before.likeness": "proof", "before.aside": "aside",
    "before.proof": "proof", "before.hedged": "hedged", "behind.aside": "aside",
    "behind.hedged": "hedged", "more.aside": "aside", "with.hedged": "hedged",
    "follows.aside": "aside", "were.aside": "aside", "ahead.hedged": "hedged",
    "denied.hedged": "hedged", "supposed.inductive": "inductive", "softened.hedged": "hedged",
    "shown.proof": "proof",
}  # fmt: skip
"""What a table makes of a reference, where it does not leave that to another table."""


def forms(example: str) -> tuple[str, ...]:
    """How the references of an example are meant, those beside them aside."""
    pieces = re.split("[@&]", example)
    text = "".join(f"{piece}\x02{number}\x03" for number, piece in enumerate(pieces[:-1]))
    found = [Mention("reference", ("a",), "ref", 0, 0) for _ in pieces[1:]]
    made = zip(
        re.findall("[@&]", example), complete_mentions(text + pieces[-1], found), strict=True
    )
    return tuple(one.form for mark, one in made if mark == "@")


@contextmanager
def without(table: str, phrase: str) -> Iterator[None]:
    """The tables without a phrase."""
    place, name, language = table.split(".")
    listed = TABLES[place][name]
    left = {word: example for word, example in listed[language].items() if word != phrase}
    less = {**TABLES, place: {**TABLES[place], name: {**listed, language: left}}}
    cached: Any = (phrases.phrases_of, mentions._class_lines)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(phrases, "word_tables", lambda _: less)
        for machine in MACHINES:
            if place in ("class", machine._read.args[1]):
                patched.setattr(machine, "_start", None)
                patched.setattr(machine, "_states", {})
        for one in cached:
            one.cache_clear()
        yield
    for one in cached:
        one.cache_clear()


def is_by_its_phrase(table: str, phrase: str, example: str) -> bool:
    """Whether an example means what its table says, and something else without its phrase."""
    found = forms(example)
    expected = FORMS.get(table.rpartition(".")[0], found[0])
    with without(table, phrase):
        return set(found) == {expected} and forms(example) != found


@pytest.mark.parametrize("table", dict.fromkeys(table for table, _, _ in ENTRIES))
def test_an_example_means_what_it_means_by_its_phrase(table: str) -> None:
    entries = [(phrase, example) for one, phrase, example in ENTRIES if one == table]
    assert not [entry for entry in entries if not is_by_its_phrase(table, *entry)]


def test_every_phrase_is_well_formed() -> None:
    tokens = {token for _, phrase, _ in ENTRIES for token in phrase.split()}
    classed = {token for token in tokens if not {"<", ">"}.isdisjoint(token)}
    assert {token.strip("?<>") for token in classed} == set(TABLES["class"])
    assert all(re.fullmatch(r"<\w+>\??", token) for token in classed)
    assert all(re.fullmatch(r"\.\.\.\d", token) for token in tokens if token.startswith("..."))


def test_the_places_are_those_that_are_looked_at() -> None:
    assert {*TABLES} - {"class"} == {machine._read.args[1] for machine in MACHINES}


MEANT = tomllib.loads(
    (Path(__file__).parents[3] / "data" / "wordings" / "meant.toml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_what_is_only_spoken_of_is_not_used(language: str) -> None:
    found = {words: forms(f"{words} Count.") for words in MEANT["spoken"][language]}
    assert len(found) >= 60
    assert not {words: form for words, form in found.items() if form[0] not in ("aside", "hedged")}


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_what_is_used_is_not_only_spoken_of(language: str) -> None:
    found = {words: forms(f"{words} Count.") for words in MEANT["used"][language]}
    assert len(found) >= 60
    assert not {words: form for words, form in found.items() if form[0] in ("aside", "hedged")}


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_what_is_proved_likewise_needs_the_proof(language: str) -> None:
    found = {words: forms(f"{words} Count.") for words in MEANT["proved"][language]}
    assert {words: form for words, form in found.items() if form != ("proof",)} == {}
