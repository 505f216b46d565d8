"""What stands right before a claim and speaks of the symbols that the claim leaves open.

An author sets up in the last lines before a theorem what the theorem then speaks of, in whatever
words. Where nothing in the paper states, names or takes such a symbol, the first sentence there
that has it is what a reader would look up. It answers for that claim alone.
"""

import re

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
    """The sentences right before one claim, asked in the order of the text."""

    def __init__(self, claim: str) -> None:
        claim = _written(claim)
        own = bound(claim)
        used = (keys for keys in keys_of_uses(claim) if not is_bound(keys, own))
        self._open = [keys for keys in used if _is_own(head_of(keys[-1]))]
        self._words = f" {' '.join(normal_words(claim))} "
        self._told: set[str] = set()
        self._fresh = {word for word in self._words.split() if _is_special(word)}

    def __bool__(self) -> bool:
        """Whether the claim may say what no sentence so far speaks of."""
        return bool(self._open or self._words.strip())

    def first_spoken_of(self, sentence: str, *, is_about_others: bool) -> tuple[str, ...]:
        """The keys of what the claim leaves open and a sentence is the first to speak of.

        One that introduces other things says nothing of the letters that these take. Words that
        only stand there and in the claim are marked by `WORD`: they count where they are new.
        """
        sentence = _written(sentence)
        there = {key for keys in keys_of_uses(sentence) for key in keys}
        found: list[str] = []
        left: list[tuple[str, ...]] = []
        for keys in self._open:
            close = (key for key in keys if key in there and _is_close(key, keys[0]))
            key = next(close, "")
            if key and not (is_about_others and is_letter(key)):
                found.append(LED + key)
            else:
                left.append(keys)
        self._open = left
        for term in emphasised_terms(sentence):
            if f" {term} " in self._words and term not in self._told:
                self._told.add(term)
                found.append(LED + term)
        if self._fresh:
            words = normal_words(sentence)
            there = self._fresh.intersection(words)
            if not found and len(words) >= _FEWEST and says_something(sentence):
                found += [f"{LED}{WORD}{word}" for word in sorted(there)]
            if found:
                self._fresh -= there
        return tuple(dict.fromkeys(found))


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
