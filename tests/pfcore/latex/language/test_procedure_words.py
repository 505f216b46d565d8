"""Each word for procedures does in its example what it does by that word."""

import pytest

from pfcore.latex.language import procedures
from pfcore.latex.language.phrases import PROCEDURE_WORDS, phrases_of, word_tables
from pfcore.latex.language.procedures import (
    STEPPED,
    beginning_of_procedure,
    given_names,
    names_in_heading,
    spoken_of,
    uses_procedure,
)
from tests.other_words import other_words

BEHIND = {"new": " The algorithm ends. Der Algorithmus endet. L'algorithme termine."}
"""What speaks of a procedure behind an example that takes one."""


def says(role: str, example: str) -> bool:
    if role in ("kind", "as_follows", "following"):
        return beginning_of_procedure(example) is not None
    if role == "about":
        return not any(names_in_heading(example))
    if role == "titled":
        return any(names_in_heading(example))
    if role == "step":
        return bool(spoken_of(STEPPED, example)) and STEPPED in dict(given_names(example))
    is_meant = uses_procedure(example + BEHIND.get(role, ""))
    return is_meant if role == "the" else not is_meant


@pytest.mark.parametrize("role", word_tables(PROCEDURE_WORDS))
def test_a_word_does_what_its_example_says(role: str) -> None:
    told = phrases_of(PROCEDURE_WORDS)[role]
    found = {phrase: [says(role, example)] for phrase, example in told.items()}
    for phrase, example in told.items():
        with other_words(PROCEDURE_WORDS, {role: told.keys() - {phrase}}, procedures):
            found[phrase].append(says(role, example))
    assert {phrase: said for phrase, said in found.items() if said != [True, False]} == {}
