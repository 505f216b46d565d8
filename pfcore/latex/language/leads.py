"""What stands before a claim and speaks of what the claim leaves open.

An author sets up in the last lines before a theorem, or under its heading, what the theorem then
speaks of, in whatever words. Where nothing in the paper states, names or takes it, the first
sentence that has it is what a reader would look up: of those right before the claim, else of those
under the headings that the claim stands under.
"""

import re
from collections.abc import Iterator, Sequence, Set
from functools import cached_property
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.language.binding import bound, is_bound
from pfcore.latex.language.continuations import everyday_words, says_something
from pfcore.latex.language.definienda import emphasised_terms
from pfcore.latex.language.notation import head_of, is_letter, is_plain, keys_of_uses
from pfcore.latex.language.terms import normal_words, special_term
from pfcore.latex.lexer.letters import with_letters

LED = "~"
"""What the key of a lead begins with, in place of its strength."""
WORD = "="
"""Behind it: a word that the claim and the sentence have, and nothing else."""


class Lead:
    """What one claim leaves open; sentences before it are held against it in their order."""

    def __init__(self, claim: str) -> None:
        claim = _written(claim)
        own = bound(claim)
        used = (keys for keys in keys_of_uses(claim) if not is_bound(keys, own))
        self._open = [keys for keys in used if _is_own(head_of(keys[-1]))]
        self._sought = frozenset(key for keys in self._open for key in keys)
        self._words = f" {' '.join(normal_words(claim))} "
        self._told: set[str] = set()
        self._fresh = {word for word in self._words.split() if _is_special(word)}

    def __bool__(self) -> bool:
        """Whether the claim may say what no sentence so far speaks of."""
        return bool(self._open or self._words.strip())

    def first_spoken_of(self, sentence: "Spoken", *, is_about_others: bool) -> tuple[str, ...]:
        """The keys of what the claim leaves open and a sentence is the first to speak of.

        One that introduces other things says nothing of the letters that these take. Words that
        only stand there and in the claim are marked by `WORD`: they count where they are new.
        """
        found: list[str] = []
        left: list[tuple[str, ...]] = []
        is_near = not self._sought.isdisjoint(sentence.keys)
        for keys in self._open if is_near else ():
            close = (key for key in keys if key in sentence.keys and _is_close(key, keys[0]))
            key = next(close, "")
            if key and not (is_about_others and is_letter(key)):
                found.append(LED + key)
            else:
                left.append(keys)
        self._open = left if is_near else self._open
        for term in sentence.terms:
            if f" {term} " in self._words and term not in self._told:
                self._told.add(term)
                found.append(LED + term)
        if self._fresh:
            words = self._fresh.intersection(sentence.words)
            if not found and words and sentence.says_something:
                found += [f"{LED}{WORD}{word}" for word in sorted(words)]
            if found:
                self._fresh -= words
        return tuple(dict.fromkeys(found))


class Spoken:
    """A canonical sentence that claims are held against."""

    def __init__(self, text: str) -> None:
        self._text = _written(text)

    @cached_property
    def keys(self) -> Set[str]:
        """The keys of its symbols."""
        return {key for keys in keys_of_uses(self._text) for key in keys}

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """Its emphasised terms."""
        return tuple(emphasised_terms(self._text))

    @cached_property
    def words(self) -> Sequence[str]:
        """Its words in normal form."""
        return normal_words(self._text)

    @cached_property
    def says_something(self) -> bool:
        """Whether it may say what one of its words means."""
        return len(self.words) >= _FEWEST and says_something(self._text)


class PlacedLead(NamedTuple):
    """A span of text before a claim, and what the claim leaves open."""

    start: int
    end: int
    lead: Lead


class Leads:
    """What stands before the claims of a file, asked for in the order of the text."""

    def __init__(self, listed: Sequence[PlacedLead]) -> None:
        self._ahead = sorted(listed, key=lambda one: one.start, reverse=True)
        self._around: list[PlacedLead] = []

    def of(self, start: int, end: int) -> list[Lead]:
        """The leads that a sentence stands in, while they want more."""
        while self._ahead and self._ahead[-1].start <= start:
            self._around.append(self._ahead.pop())
        self._around = [one for one in self._around if start < one.end]
        return [one.lead for one in self._around if end <= one.end and one.lead]


def stretches_above(headings: Sequence[tuple[int, int]], place: int) -> Iterator[tuple[int, int]]:
    """The stretches of text before a place right under each of the headings that it is under.

    A heading is its offset and its level, 0 being the outermost.
    """
    end, below = place, _BELOW_ALL
    for start, level in reversed(headings):
        if start < place and level < below:
            yield start, end
            below = level
        if start < place:
            end = start
    if below == _BELOW_ALL:
        yield 0, place


_BELOW_ALL = 99
_SHORTEST = 5
_FEWEST = 4
"""Words of a sentence that says what one of them means."""


def _is_special(word: str) -> bool:
    """Whether a word may be one that an author explains."""
    is_long = len(word) >= _SHORTEST and word.isalpha()
    return is_long and word not in everyday_words() and special_term(word) != ""


_DRAWN = regex(r"\\begin\{(tikz[a-z]{0,9})\}.*?\\end\{\1\}", re.DOTALL)


def _written(text: str) -> str:
    """A text without its drawings, whose options look like letters."""
    text = with_letters(text)
    return _DRAWN.sub(" ", text) if "\\begin{tikz" in text else text


def _is_own(head: str) -> bool:
    """Whether a symbol may be an author's own: no bracket, and no sign that everybody uses."""
    return head[1] not in "()[]|" and (is_letter(head) or not is_plain(head))


def _is_close(key: str, exact: str) -> bool:
    """Whether a key says as much as the exact one, or its family does: not a letter for $B_{n}$."""
    return key == exact or "_" not in exact or not is_plain(key)
