"""The glossary: each of our own words once, in one sentence, and none that no page uses."""

import re
from collections import Counter

import pytest

from tests.messages import PAGES, prose

GLOSSARY = next(page for page in PAGES if page.stem == "glossary").read_text("utf-8")
ENTRIES = re.findall(r"^\| ([a-z][a-z ]*) \| (.*) \|$", GLOSSARY, re.MULTILINE)
WORDS = [word for word, _ in ENTRIES if word != "word"]
OTHERS = {page.stem: prose(page.read_text("utf-8")) for page in PAGES if page.stem != "glossary"}
OWN = (
    *("affected", "backlog", "blueprint", "bundle", "conditional", "context", "contract"),
    *("dismissed", "flagged", "formal", "gate", "guessed", "hub", "ledger", "module"),
    *("objection", "omitted", "reading", "rollout", "root", "structure", "threshold"),
    *("unread", "unreached", "verdict"),
)
"""The words that mean with us what they do not mean to everybody who knows git and LaTeX."""


def _uses(word: str, text: str) -> bool:
    plural = rf"{word[:-1]}ies" if word.endswith("y") else rf"{word}s"
    return re.search(rf"(?<![\w/-])(?:{word}|{plural})(?![\w/-])", text, re.IGNORECASE) is not None


@pytest.mark.parametrize("word", WORDS)
def test_each_word_of_the_glossary_is_used_in_a_page(word):
    assert [name for name, text in OTHERS.items() if _uses(word, text)]


@pytest.mark.parametrize("word", OWN)
def test_each_of_our_own_words_that_a_page_uses_is_in_the_glossary(word):
    assert [name for name, text in OTHERS.items() if _uses(word, text)], "no longer ours"
    assert word in WORDS


def test_each_word_stands_once_with_one_sentence():
    assert [word for word, number in Counter(WORDS).items() if number > 1] == []
    assert len(WORDS) > 25
    for word, meaning in ENTRIES:
        if word != "word":
            assert meaning.endswith(".") and ". " not in meaning, word
            assert len(meaning.split()) <= 30, word


def test_a_word_is_found_in_its_plural_and_not_in_another_word():
    assert _uses("dependency", "603 dependencies") and _uses("hub", "It names *hubs*.")
    assert not _uses("root", "rooted trees") and not _uses("unread", "unreadable")
