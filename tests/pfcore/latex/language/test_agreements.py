"""Each pattern of a sentence that agrees on something does so in its example, and alone."""

from typing import Any

import pytest

from pfcore.latex.language import agreements
from pfcore.latex.language.agreements import WORDS, agrees_by_shape, supposes_by_shape
from pfcore.latex.language.phrases import phrases_of, word_tables

DERIVED = (
    agreements._argued, agreements._adverbs, agreements._patterns, agreements._by_wanted,
    agreements._by_beginning,
    agreements._by_first, agreements._without, agreements._is_like,
)  # fmt: skip


def forget() -> None:
    for derived in DERIVED:
        cache: Any = derived
        cache.cache_clear()


SHAPES = {
    "agreed": agrees_by_shape,
    "lasting": agrees_by_shape,
    "standing": agrees_by_shape,
    "supposed": supposes_by_shape,
}
TOLD_APART = frozenset(
    ["argued", "told", "untold", "german_told", "german_untold", "french_told", "french_untold"]
)


@pytest.mark.parametrize("role", SHAPES)
def test_an_example_agrees_by_its_pattern(role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {}
    around = {name: agreements._patterns(name) for name in ("lead", "scope", "signal")}
    for pattern, example in phrases_of(WORDS)[role].items():
        made = (agreements._agreement_pattern(pattern),)
        alone = {**around, **dict.fromkeys(SHAPES, ()), role: made}
        monkeypatch.setattr(agreements, "_patterns", alone.get)
        agreements._by_beginning.cache_clear()
        agreements._by_wanted.cache_clear()
        agreements._is_like.cache_clear()
        found[pattern] = SHAPES[role](example), SHAPES[role](f"Hence {example}")
    monkeypatch.undo()
    forget()
    assert {pattern: said for pattern, said in found.items() if said != (True, False)} == {}


@pytest.mark.acceptance
@pytest.mark.parametrize("role", [role for role in word_tables(WORDS) if role not in SHAPES])
def test_a_word_makes_its_example_agree_or_not(role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told = phrases_of(WORDS)
    # All with their words first: the patterns are compiled anew after each change.
    found = {word: [agrees_by_shape(example)] for word, example in told[role].items()}
    for word, example in told[role].items():
        less = {**told, role: {key: told[role][key] for key in told[role] if key != word}}
        monkeypatch.setattr(agreements, "phrases_of", lambda _, less=less: less)
        forget()
        found[word].append(agrees_by_shape(example))
    monkeypatch.undo()
    forget()
    expected = [role not in TOLD_APART, role in TOLD_APART]
    assert {word: said for word, said in found.items() if said != expected} == {}


@pytest.mark.parametrize(
    "sentence",
    [
        "We assume familiarity with rings.",
        "These questions are old, and much has been written on them.",
        "Diese Fragen sind alt, und viel wurde darüber geschrieben.",
        "Ces questions sont anciennes, et on a beaucoup écrit sur elles.",
        "All known proofs are long.",
        "Every finite group is solvable or not, as we have seen.",
        "We work hard.",
        "Trees are beautiful.",
        "In this section, each definition is put as plainly as possible.",
        "In the sequel we will need the following lemma.",
        "The next lemma will be used throughout.",
        "By this we mean a rooted tree.",
        "Compact sets are closed.",
        "",
    ],
)
def test_a_sentence_may_agree_on_nothing(sentence: str) -> None:
    assert not agrees_by_shape(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "All rings in the present paper are commutative.",
        "We keep the notation that has been introduced in the last section.",
        "We assume that every circuit has a single output.",
        "Greek letters commonly denote ordinals.",
        "We require that all metrics verify the triangle inequality.",
        "Der Grundkörper ist wieder unendlich.",
        "If not explicitly stated to be otherwise, trees are finite.",
    ],
)
def test_words_that_tell_in_other_places_leave_an_agreement_one(sentence: str) -> None:
    assert agrees_by_shape(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Surfaces, for our purposes, have no boundary.",
        "Distances are, from here to the end, those of Definition~\\ref{d}.",
        "For the time being, and up to the end of the chapter, $f$ has no zeros.",
        "To avoid trifles, in this chapter no tree is empty.",
        "Until the end of this section we stay in the setting of Example~\\ref{e}.",
        "Polynome sind, sofern nichts anderes gesagt wird, normiert.",
        "Der Grad von $f$ ist ein für alle Mal ungerade.",
        "La mesure $m$ reste, dans tout ce qui suit, finie.",
    ],
)
def test_words_that_tell_how_far_it_holds_may_stand_anywhere(sentence: str) -> None:
    assert agrees_by_shape(sentence)
