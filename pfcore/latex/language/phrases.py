"""Natural language as data: the words in the TOML files beside this one, each read once.

The head of each file explains its content and notation.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, reduce
from itertools import chain
from operator import or_
from pathlib import Path
from typing import Any, NamedTuple

_FOLDER = Path(__file__).parent
HEADING_WORDS, INTRODUCING_WORDS = "heading_words", "introducing_words"
HYPOTHESIS_WORDS = str(_FOLDER / "hypothesis_words")
CONVENTION_WORDS = str(_FOLDER / "convention_words")
PROCEDURE_WORDS = str(_FOLDER / "procedure_words")
"""Files whose words patterns name by their roles; the last three by their whole paths."""


@cache
def word_tables(name: str) -> Mapping[str, Any]:
    """The tables of the TOML file with this name; each entry has an example."""
    import tomllib  # late: the hook starts often, and reads words only where a file is new

    return tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))


@cache
def phrases_of(name: str, table: str = "") -> Mapping[str, Mapping[str, str]]:
    """The phrases of all languages in a file or in one of its tables, by name, in order.

    Each phrase maps to its example; there are no duplicates.
    """
    named = word_tables(name)
    return {
        key: reduce(or_, languages.values())
        for key, languages in (named[table] if table else named).items()
    }


@cache
def introducing() -> Mapping[str, Mapping[str, str]]:
    """The phrases of all languages that introduce something, by their roles."""
    return phrases_of(INTRODUCING_WORDS)


def phrase_pattern(role: str, gap: str = r"[\s~,]+") -> str:
    """A pattern for the introducing phrases of a role, with `gap` between words."""
    return alternatives(introducing()[role], gap)


def alternatives(phrases: Iterable[str], gap: str) -> str:
    """A pattern for any of some phrases, with `gap` between words; the longest come first.

    Phrases with the same first letter share it, so that a word fails at few alternatives.
    """
    begun: dict[str, list[str]] = {}
    for phrase in sorted(phrases, key=lambda phrase: (-len(phrase), phrase)):
        piece = gap.join(
            re.escape(word).replace(r"\*", r"\w*").replace("'", "['\u2019]")
            for word in phrase.split(" ")
        )
        begun.setdefault(piece[0], []).append(piece[1:])
    pieces = (f"{first}(?:{'|'.join(rest)})" for first, rest in begun.items())
    return rf"(?:{'|'.join(pieces)})"


@cache
def said_by_heading(title: str) -> frozenset[str]:
    """The roles of a heading by its words: the text under it is `general`, an `introduction`."""
    low = title.lower()
    told = phrases_of(HEADING_WORDS).items()
    return frozenset([role for role, words in told if any(word in low for word in words)])


@cache
def sought(role: str) -> tuple[str, ...]:
    """The phrases of a role in the form in which a lower-case text is searched for them."""
    return tuple(f" {phrase.rstrip('*')}" for phrase in introducing()[role])


def spaced(text: str) -> str:
    """A text in which each run of white space, ties and commas is one blank."""
    plain = text.replace("~", " ").replace(",", " ")
    made = " ".join(plain.split())
    if not made:
        return " " * bool(text)
    return f"{' ' * plain[0].isspace()}{made}{' ' * plain[-1].isspace()}"


def has_phrase(low: str, role: str) -> bool:
    """Whether a lower-case text has a phrase of a role; a loop, because this is called so often."""
    for phrase in sought(role):  # noqa: SIM110 - a generator takes twice as long
        if phrase in low:
            return True
    return False


class _Phrase(NamedTuple):
    """The words of a phrase except the one by which it is found, and its role."""

    before: tuple[str, ...]
    role: str


class WordTable:
    """Finds phrases by their last and by their first words."""

    def __init__(self, roles: Mapping[str, Iterable[str]]) -> None:
        self._endings: dict[str, list[_Phrase]] = {}
        self._openings: dict[str, list[_Phrase]] = {}
        self._stems: list[str] = []
        self._known: dict[str, str] = {}
        self._ended_by: dict[str, list[_Phrase]] = {}
        for role, phrases in roles.items():
            for phrase in phrases:
                words = tuple(phrase.split(" "))
                self._endings.setdefault(words[-1], []).append(_Phrase(words[:-1], role))
                self._openings.setdefault(words[0], []).append(_Phrase(words[1:], role))
                self._stems += (word for word in (words[0], words[-1]) if word.endswith("*"))
        self._stems = sorted({stem[:-1] for stem in self._stems}, key=len, reverse=True)

    def behind(self, words: Sequence[str]) -> Iterator[tuple[str, int]]:
        """The roles of phrases among some words, the last first, with the number of words after."""
        for index in range(len(words) - 1, -1, -1):
            word = words[index]
            ended = self._ended_by.get(word)
            if ended is None:
                listed = (self._endings.get(key, ()) for key in (word, self._stem(word)))
                ended = self._ended_by[word] = [*chain.from_iterable(listed)]
            for before, role in ended:
                start = index - len(before)
                if start >= 0 and tuple(words[start:index]) == before:
                    yield role, len(words) - 1 - index

    def ahead(self, words: Sequence[str]) -> Iterator[tuple[str, int]]:
        """The roles of phrases with which some words begin, and their lengths."""
        if not words:
            return
        for key in (words[0], self._stem(words[0])):
            for after, role in self._openings.get(key, ()):
                if tuple(words[1 : 1 + len(after)]) == after:
                    yield role, 1 + len(after)

    def _stem(self, word: str) -> str:
        if word not in self._known:
            found = next((f"{stem}*" for stem in self._stems if word.startswith(stem)), "")
            self._known[word] = found
        return self._known[word]
