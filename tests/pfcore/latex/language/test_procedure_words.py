"""Each word for procedures does in its example what it does by that word."""

from typing import Any

import pytest

from pfcore.latex.language import procedures
from pfcore.latex.language.phrases import phrases_of, word_tables
from pfcore.latex.language.procedures import (
    STEPPED,
    WORDS,
    beginning_of_procedure,
    given_names,
    names_in_heading,
    spoken_of,
    uses_procedure,
)

BEHIND = {"new": " The algorithm ends. Der Algorithmus endet. L'algorithme termine."}
"""What speaks of a procedure behind an example that takes one."""


def forget() -> None:
    made = (procedures._announcing, procedures._meant, procedures._about_one, procedures._step)
    for derived in (procedures._any, *made):
        cache: Any = derived
        cache.cache_clear()


def says(role: str, example: str) -> bool:
    if role in ("kind", "as_follows", "following"):
        return beginning_of_procedure(example) is not None
    if role == "about":
        return not any(names_in_heading(example))
    if role == "step":
        return bool(spoken_of(STEPPED, example)) and STEPPED in dict(given_names(example))
    is_meant = uses_procedure(example + BEHIND.get(role, ""))
    return is_meant if role == "the" else not is_meant


@pytest.mark.parametrize("role", word_tables(WORDS))
def test_a_word_does_what_its_example_says(role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told = phrases_of(WORDS)
    forget()
    found = {phrase: [says(role, example)] for phrase, example in told[role].items()}
    for phrase, example in told[role].items():
        less = {**told, role: {key: told[role][key] for key in told[role] if key != phrase}}
        monkeypatch.setattr(procedures, "phrases_of", lambda _, less=less: less)
        forget()
        found[phrase].append(says(role, example))
    monkeypatch.undo()
    forget()
    assert {phrase: said for phrase, said in found.items() if said != [True, False]} == {}
