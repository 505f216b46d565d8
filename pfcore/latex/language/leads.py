"""Sentences before a claim that mention what the claim leaves open.

An author sets up in the last lines before a theorem, or under its heading, what the theorem is
about, in any words. If nothing in the paper states, names or takes it, a reader would look up the
first sentence that mentions it: right before the claim, or else under the headings of the claim.
"""

import itertools
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
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
"""The prefix of the key of a lead, in place of a strength."""
WORD = "="
"""Follows `LED` if the claim and the sentence share only a word."""


class Lead:
    """What one claim leaves open; the sentences before it are compared with it in their order."""

    def __init__(self, claim: str) -> None:
        claim = _written(claim)
        own = bound(claim)
        used = (keys for keys in keys_of_uses(claim) if not is_bound(keys, own))
        self._open = [keys for keys in used if _is_own(head_of(keys[-1]))]
        self._sought = frozenset(key for keys in self._open for key in keys)
        self._words = f" {' '.join(normal_words(claim))} "
        self._told: set[str] = set()
        self._fresh = {word for word in self._words.split() if _is_special(word)}

    def wanted(self) -> set[str]:
        """The keys that a sentence may be the first to mention."""
        return {key for keys in self._open for key in keys if _is_close(key, keys[0])}

    def wants(self, key: str) -> bool:
        """Whether no sentence so far mentions a key."""
        return any(key in keys and _is_close(key, keys[0]) for keys in self._open)

    def words(self) -> Set[str]:
        """The words of the claim in normal form."""
        return frozenset(self._words.split())

    def fresh(self) -> Set[str]:
        """The words of the claim that an author may explain and no sentence so far mentions."""
        return self._fresh

    def is_fresh(self, word: str) -> bool:
        """Whether a word is one of these."""
        return word in self._fresh

    def first_spoken_of(self, sentence: "Spoken", *, is_about_others: bool) -> tuple[str, ...]:
        """The keys that the claim leaves open and a sentence is the first to mention.

        A sentence that introduces other things says nothing about the letters that these take.
        Words that it merely shares with the claim are marked by `WORD`: they count if they are new.
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
    """A canonical sentence with which claims are compared."""

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
    """The leads of the claims of a file; its methods are called in the order of the text.

    A claim is compared with a sentence only if the two share a symbol, a term or a new word:
    comparing each claim under a heading with each sentence there would be quadratic.
    """

    def __init__(self, listed: Sequence[PlacedLead]) -> None:
        self._ahead = sorted(listed, key=lambda one: one.start, reverse=True)
        self._begun: list[PlacedLead] = []
        self._reach = -1
        self._with_key: dict[str, list[int]] = {}
        self._with_word: dict[str, list[int]] = {}
        self._with_fresh: dict[str, list[int]] = {}
        self._known: dict[str, int] = {}
        self._left: dict[str, list[int]] = {}

    def has_around(self, start: int, end: int) -> bool:
        """Whether a sentence is right before a claim, or under its heading."""
        while self._ahead and self._ahead[-1].start <= start:
            self._begin(self._ahead.pop())
        return end <= self._reach

    def first_spoken_of(
        self, span: tuple[int, int], sentence: Spoken, *, is_about_others: bool
    ) -> tuple[str, ...]:
        """The keys that later claims leave open and this sentence is the first to mention."""
        if not self.has_around(*span):
            return ()
        start, end = span
        open_keys = [key for key in sentence.keys if not (is_about_others and is_letter(key))]
        met = {number for key in open_keys for number in self._with_key.get(key, ())}
        for term in dict.fromkeys(sentence.terms):
            listed = self._with_term(term)
            met.update(listed)
            self._left[term] = [n for n in listed if start < self._begun[n].end < end]
        fresh = [word for word in set(sentence.words) if self._with_fresh.get(word)]
        if fresh and sentence.says_something:
            met.update(number for word in fresh for number in self._with_fresh[word])
        around = [self._begun[n].lead for n in sorted(met) if end <= self._begun[n].end]
        found = [lead.first_spoken_of(sentence, is_about_others=is_about_others) for lead in around]
        self._forget(start, self._with_key, open_keys, Lead.wants)
        self._forget(start, self._with_fresh, fresh, Lead.is_fresh)
        return tuple(dict.fromkeys(itertools.chain.from_iterable(found)))

    def _begin(self, one: PlacedLead) -> None:
        number = len(self._begun)
        self._begun.append(one)
        self._reach = max(self._reach, one.end)
        for listed, keys in (
            (self._with_key, one.lead.wanted()),
            (self._with_word, one.lead.words()),
            (self._with_fresh, one.lead.fresh()),
        ):
            for key in keys:
                listed.setdefault(key, []).append(number)

    def _with_term(self, term: str) -> list[int]:
        """The leads with the rarest word of a term, except those that were told already."""
        listed = min((self._with_word.get(word, []) for word in term.split()), key=len, default=[])
        fresh = listed[bisect_left(listed, self._known.get(term, 0)) :]
        self._known[term] = len(self._begun)
        return [*self._left.get(term, ()), *fresh]

    def _forget(
        self,
        start: int,
        listed: dict[str, list[int]],
        keys: Iterable[str],
        is_wanted: Callable[[Lead, str], bool],
    ) -> None:
        """Drop from the lists of keys the leads that end by `start` or no longer want the key."""
        for key in keys:
            if key in listed:
                listed[key] = [
                    number
                    for number in listed[key]
                    if start < self._begun[number].end and is_wanted(self._begun[number].lead, key)
                ]


def stretches_above(headings: Sequence[tuple[int, int]], place: int) -> Iterator[tuple[int, int]]:
    """For each heading above a place, the stretch before the place that is right under it.

    A heading is given by its offset and its level, 0 being the outermost.
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
"""The fewest words of a sentence that may explain one of them."""


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
    """Whether a symbol may be an author's own: neither a bracket nor a common sign."""
    return head[1] not in "()[]|" and (is_letter(head) or not is_plain(head))


def _is_close(key: str, exact: str) -> bool:
    """Whether a key is the exact one, its family or a decorated head: not a letter for $B_{n}$."""
    return key == exact or "_" not in exact or not is_plain(key)
