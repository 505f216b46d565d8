"""Which comments speak of a correction, and what a reply about one says."""

from dataclasses import replace
from datetime import date

import pytest

from pfcore.bench.runs.collected_papers import (
    ArxivEntry,
    Classified,
    Correction,
    is_candidate,
    is_permissive,
    parse_comment_class,
)
from pfcore.verification.reply_parsing import Malformed

ENTRY = ArxivEntry(
    id="2501.00001",
    version=2,
    title="T",
    category="math.NT",
    published=date(2025, 1, 2),
    abstract="",
    comment="14 pages. Minor corrections to Theorem 1.5 and Lemma 2.1.",
)


WORDS = "correct errat error fix mistake bug flaw wrong revised amendment".split()
"""What speaks of a correction in the paper's first expression."""


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("result", ["lemma", "theorem", "proposition"])
def test_every_word_of_both_expressions_counts(word: str, result: str) -> None:
    assert is_candidate(replace(ENTRY, comment=f"{word.upper()} in {result.title()} 2"))
    assert not is_candidate(replace(ENTRY, comment=f"{word} in Section 2"))
    assert not is_candidate(replace(ENTRY, comment=f"{result} 2 is new"))


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("14 pages, 1 figure, Minor corrections to Theorem 1.5 and Lemma 2.1.", True),
        ("The proof of LEMMA 5 is INCORRECT", True),
        ("Erratum: proposition 3", True),
        ("Revised version, 20 pages", False),
        ("Theorem 2 is new; more references", False),
        ("", False),
    ],
)
def test_the_two_expressions_of_the_paper_are_both_wanted(comment: str, expected: bool) -> None:
    assert is_candidate(replace(ENTRY, comment=comment)) is expected


def test_a_first_version_corrects_nothing() -> None:
    assert not is_candidate(replace(ENTRY, version=1))


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        ("http://creativecommons.org/licenses/by/4.0/", True),
        ("https://creativecommons.org/licenses/by-sa/4.0/", True),
        ("http://creativecommons.org/publicdomain/zero/1.0/", True),
        ("http://creativecommons.org/licenses/by-nc-nd/4.0/", False),
        ("http://arxiv.org/licenses/nonexclusive-distrib/1.0/", False),
        ("http://evil.example/creativecommons.org/licenses/by/4.0/", False),
        ("", False),
    ],
)
def test_only_licences_that_let_anybody_pass_a_paper_on_will_do(licence, expected) -> None:
    assert is_permissive(licence) is expected


def said(word: str, *places: str) -> str:
    listed = "".join(f"<place>{place}</place>" for place in places)
    return f'So.\n<places>{listed}</places>\n```json\n{{"correction": "{word}"}}\n```'


def test_a_reply_has_a_class_and_places_in_the_words_of_the_comment() -> None:
    found = parse_comment_class(
        said("minor", "Theorem  1.5", "Lemma 2.1", "Lemma 2.1"), ENTRY.comment
    )
    assert found == Classified(correction=Correction.MINOR, places=("Theorem 1.5", "Lemma 2.1"))


def test_a_place_that_the_comment_does_not_name_is_left_out() -> None:
    found = parse_comment_class(said("major", "Theorem 7", "Lemma 2.1"), ENTRY.comment)
    assert found == Classified(correction=Correction.MAJOR, places=("Lemma 2.1",))


@pytest.mark.parametrize(
    "text", ["minor", said("small"), '```json\n{"correction": ["minor"]}\n```']
)
def test_a_reply_without_a_class_is_none(text: str) -> None:
    assert isinstance(parse_comment_class(text, ENTRY.comment), Malformed)
