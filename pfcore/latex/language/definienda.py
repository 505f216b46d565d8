r"""What the sentences of a definition give a meaning to: what they mark, or say by their form.

"A normal series in $G$ is a chain" gives one to its subject, "A type is countable if" to its
predicate. The words are in `definition_words.toml`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from typing import NamedTuple

from pfcore.latex.language.introductions import (
    WORDS as INTRODUCING,
)
from pfcore.latex.language.introductions import forms_of_term, sentences
from pfcore.latex.language.notation import formulas
from pfcore.latex.language.phrases import phrases_of
from pfcore.latex.lexer.letters import with_letters

WORDS = "definition_words"

_TOKEN = re.compile(r"\x00(?:-[^\W\d_][\w-]*)?|[^\W\d_][\w-]*|[,;:()]")
_COMMAND = re.compile(
    r"\\(?:begin|end|cite\w*|index|marginpar|label|[a-zA-Z]{0,6}ref)\*?\s*(?:\[[^\[\]]*\]){0,2}\{[^{}]*\}"
    r"|\\[A-Za-z@]+\*?"
)
_TITLE = re.compile(r"\s*\{{0,2}\([^()]{0,200}(?:\([^()]{0,60}\)[^()]{0,60})?\)\}{0,2}(?=\s)")
_FORMULA = "\x00"
_MOST_BETWEEN = 14
_LONGEST = 5


class _Token(NamedTuple):
    """A word, a formula or a stop of a sentence: in small letters, and where it stands."""

    word: str
    start: int
    end: int


@cache
def _words() -> Mapping[str, frozenset[str]]:
    around = phrases_of(INTRODUCING)
    told = {**phrases_of(WORDS), **{role: around[role] for role in ("lead", "break", "no_term")}}
    return {role: frozenset(listed) for role, listed in told.items()}


_MARK = re.compile(
    r"\\(?:node(?:\s*\[[^\[\]]{0,300}\])?|(?:text)?color(?:box)?\{[^{}]{1,40}\}"
    r"|fcolorbox\{[^{}]{1,40}\}\{[^{}]{1,40}\}|uline|hl|intro(?:\[[^\[\]]{0,80}\])?"
    r"|[A-Za-z]{0,12}(?:def|dfn|term|notion|concept|begriff)[A-Za-z]{0,12})"
    r"\s*\{(?P<term>(?:[^{}]|\{[^{}]*\}){2,80})\}"
    r"|\{\s*(?:\\index\{[^{}]{1,80}\}\s*)?\\color\s*\{[^{}]{1,40}\}(?P<coloured>[^{}$]{2,80})\}"
    r"|\\index\s*\{(?:[^{}|@!]{0,60}[@!]){0,3}(?P<listed>[^{}|@!$\\]{2,60})(?:\|[^{}]{0,20})?\}"
    r"|\((?:or|oder|ou|also called|auch)[\s~]+(?:(?:an?|to be|eine?|une?)[\s~]+)?"
    r"(?P<other>[^()$\\]{3,40})\)"
)


def marked_terms(text: str) -> tuple[str, ...]:
    r"""The terms that a definition marks by a colour, a box, or a command named for it."""
    if not _MARK.search(text):
        return ()
    plain = _without_formulas(with_letters(text))
    found = (forms_of_term(match[match.lastgroup or 0], plain) for match in _MARK.finditer(plain))
    return tuple(dict.fromkeys(chain.from_iterable(found)))


def defined_terms(text: str) -> tuple[str, ...]:
    """The terms that a definition's own sentences give a meaning to, in normal form."""
    found: list[str] = []
    title = _TITLE.match(text)
    for number, sentence in enumerate(sentences(text[title.end() :] if title else text)):
        found += _Sentence(sentence, is_first=not number).found()
    return tuple(dict.fromkeys(found))


class _Sentence:
    """One sentence as tokens; a formula is one, with the word that a hyphen joins to it."""

    def __init__(self, sentence: str, *, is_first: bool) -> None:
        self._is_first = is_first
        plain = _without_formulas(with_letters(sentence))
        self._text = _COMMAND.sub(lambda match: " " * len(match[0]), plain)
        self._tokens = [
            _Token(match[0].lower(), match.start(), match.end())
            for match in _TOKEN.finditer(self._text)
        ]
        self._words = [token.word for token in self._tokens]
        telling = (i for i, word in enumerate(self._words) if word in _words()["telling"])
        self._last_telling = max(telling, default=-1)

    def found(self) -> Iterator[str]:
        """The terms, each as it may be written."""
        named = list(self._named())
        if named:
            yield from named
            return
        for start in self._starts():
            listed = list(self._clause(start))
            if listed:
                yield from listed
                return

    def _named(self) -> Iterator[str]:
        """What a verb of naming is followed by, formulas aside: "heißt $f$ die Ableitung"."""
        words = self._words
        for index, word in enumerate(words):
            behind = index + 1
            is_passive = word in _words()["passive"] and index < self._last_telling
            is_told_to_be = word in _words()["to_be"] and words[behind : behind + 1] == ["the"]
            if word in _words()["calling"]:
                while behind < len(words) and words[behind] in (_FORMULA, *_words()["object"]):
                    behind += 1
            if word in _words()["calling"] or is_passive or is_told_to_be:
                yield from self._phrase(behind, len(words))
        if _is_any("as_what", words[:1]) and _is_any("being", words):
            yield from self._phrase(1, len(words))

    def _starts(self) -> Iterator[int]:
        """Where a clause may begin that defines: behind "we say that", at the begin, at a comma."""
        words = self._words
        for index in range(1, len(words)):
            if words[index - 1] in _words()["saying"]:
                yield index + (words[index] == ",")
        yield 0
        for index, word in enumerate(words[:-1]):
            if word == "," and words[index + 1] in (_FORMULA, *_words()["lead"]):
                yield index + 1

    def _clause(self, start: int) -> Iterator[str]:
        tokens = self._tokens
        while start < len(tokens) and tokens[start].word in _words()["opening"]:
            start += 1
        copula = self._copula(start)
        if copula is None:
            yield from self._verb(start)
            return
        condition = self._condition(copula + 1)
        if condition is not None:
            is_verb_last = all(token.word == "," for token in tokens[copula + 1 : condition])
            yield from self._ending(start, copula) if is_verb_last else ()
            yield from self._predicates(copula + 1, condition)
        else:
            yield from self._subject(start, copula)

    def _copula(self, start: int) -> int | None:
        """The verb of a clause that begins somewhere."""
        for index in range(start + 1, min(len(self._tokens), start + _MOST_BETWEEN)):
            word = self._tokens[index].word
            if word in _words()["being"] or word in _words()["having"]:
                return index
            if word in ";:" or word in _words()["condition"]:
                return None
        return None

    def _condition(self, start: int) -> int | None:
        """Where behind a verb a condition begins: "if", also behind a comma."""
        for index in range(start, min(len(self._tokens), start + _MOST_BETWEEN)):
            word = self._tokens[index].word
            if word in _words()["condition"]:
                return index
            if word in ";:" or (word == "," and not self._is_if(index + 1)):
                return None
        return None

    def _is_if(self, index: int) -> bool:
        return index < len(self._tokens) and self._tokens[index].word in _words()["condition"]

    def _predicates(self, start: int, end: int) -> Iterator[str]:
        """What is said of the subject, and what "resp." puts beside it in brackets."""
        yield from self._phrase(start, end)
        for index in range(start, end - 1):
            if self._tokens[index].word == "(" and self._tokens[index + 1].word == "resp":
                yield from self._phrase(index + 2, end)

    def _verb(self, start: int) -> Iterator[str]:
        """What something does, where that is said under a condition: "$f$ converges to $g$ if"."""
        condition = self._condition(start)
        if condition is None:
            return
        words = self._words[start:condition]
        is_subject = bool(words) and words[0] in (_FORMULA, *_words()["lead"])
        if is_subject and _FORMULA in words:
            yield from self._phrase(start + words.index(_FORMULA) + 1, condition)

    def _ending(self, start: int, verb: int) -> Iterator[str]:
        """What stands right before a verb at the end of its clause: "that $f$ tame is, if"."""
        begin = verb
        while begin > start and not _is_end(self._tokens[begin - 1].word):
            begin -= 1
        yield from self._phrase(begin, verb)

    def _subject(self, start: int, verb: int) -> Iterator[str]:
        """The subject, where an article is before it and behind the verb, or it is many.

        Also where its name and a formula are all of it: "The direct sum $s+t$ has".
        """
        words = self._words
        behind = words[verb + 1 : verb + 2]
        is_one = words[start] in _words()["lead"]
        is_named = words[start] in _words()["definite"] and words[verb - 1] == _FORMULA
        is_told = words[verb] in _words()["being"] and (
            _FORMULA in behind or _is_any("telling", (words[verb], *behind), "lead")
        )
        is_many = self._is_first and not start and words[verb] in _words()["many"]
        is_all = is_named and not _is_any("break", words[start:verb])
        if (is_one and is_told) or is_many or is_all:
            yield from self._phrase(start, verb)

    def _phrase(self, start: int, end: int) -> Iterator[str]:
        """The term with which some tokens begin, articles and verbs before it left out."""
        words = self._words
        while start < end and _is_any("lead", words[start : start + 1], "no_term"):
            start += 1
        if words[start : start + 3 : 2] == ["(", ")"]:  # "(closed) ball"
            yield from self._phrase(start + 1, start + 2)
            start += 3
        kept: list[_Token] = []
        for token in self._tokens[start : min(end, start + _LONGEST + 1)]:
            if _is_end(token.word) or token.word in _words()["lead"]:
                break
            kept.append(token)
        if kept and len(kept) <= _LONGEST and kept[0].word not in _words()["pronoun"]:
            phrase = self._text[kept[0].start : kept[-1].end].replace(_FORMULA, "")
            yield from forms_of_term(phrase, self._text)


def _is_any(role: str, words: Iterable[str], other: str = "") -> bool:
    """Whether one of some words has a role, or another one."""
    known = _words()[role] | (_words()[other] if other else frozenset())
    return not known.isdisjoint(words)


def _is_end(word: str) -> bool:
    """Whether a term ends where a token stands."""
    return word in ",;:()" or word == _FORMULA or word in _words()["break"]


def _without_formulas(sentence: str) -> str:
    pieces: list[str] = []
    end = 0
    for formula in formulas(sentence):
        pieces += (sentence[end : formula.start], _FORMULA)
        end = formula.end
    return "".join([*pieces, sentence[end:]])
