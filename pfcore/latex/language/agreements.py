"""Sentences by which a text agrees on something without a key: "We work over a perfect field".

Such a sentence binds everything after it in its section. The patterns are in
`agreement_words.toml`, in three languages.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import dropwhile, pairwise
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.language.phrases import phrases_of
from pfcore.latex.lexer.letters import with_letters

WORDS = "agreement_words"

_LONGEST = 500
_FURTHEST = 14
"""The most tokens that "..." in a pattern matches."""
_MOST_ADVERBS = 5
_LAST, _FIRST_WORDS = 4, 2_000
"""Cache sizes: a sentence is asked about twice, and many begin with the same word."""
_ELLIPSIS, _ADVERBS, _NO_FORMULA, _END = "...", "~", "none", "."
_FORMULA = regex(r"\$\$?[^$]{1,300}\$\$?|\\\([^$]{1,200}?\\\)|\\\[[^$]{1,400}?\\\]", 16)
_TOKEN = regex(r"\x00|[^\W\d_][\w-]*|\d+|[,:()?]|\\[A-Za-z]+")
_LIST = regex(r"<(\w+)>")
_LAYOUT = regex(r"\A\s*(?:\\(?:noindent|indent|par|(?:small|med|big)skip)(?![A-Za-z])\s*)+")
_STOPS = frozenset((",", ":", "(", ")", "and", "und", "et"))
_SCOPES = {"scope": ("agreed", "lasting", "standing"), "signal": ("standing",)}
"""Words of reach or generality, with the roles that the rest of the sentence may then have."""
_CITES = ("\\cite", "\\citep", "\\citet", "\\parencite", "?")


class _PatternToken(NamedTuple):
    """What a token may be: one of some words, a word with one of some stems, or any word."""

    words: frozenset[str]
    stems: tuple[str, ...]
    ends: tuple[str, ...]
    is_any: bool
    may_miss: bool
    is_none: bool

    def holds(self, word: str) -> bool:
        """Whether a token of a sentence may stand there."""
        if word in self.words:
            return not self.is_none
        if not word[:1].isalpha():
            return False
        is_listed = self.is_any or word.startswith(self.stems)
        is_listed = is_listed or any(end in word for end in self.ends)
        return is_listed is not self.is_none


class _AgreementPattern(NamedTuple):
    """The tokens with which a sentence begins, and words that must occur in it.

    It contains a word of each set in `needed`, which rules out most sentences quickly.
    """

    tokens: tuple[_PatternToken | str, ...]
    wants: _PatternToken
    needed: tuple[frozenset[str], ...]
    is_free: bool


def agrees_by_shape(sentence: str) -> bool:
    """Whether a sentence agrees on something, according to one of the patterns.

    Words of reach or generality, "from here on", "always", may be anywhere; because of them the
    rest of the sentence may agree on something where it would not alone.
    """
    if len(sentence) > _LONGEST or "\\begin" in sentence:
        return False
    tokens = _tokens(sentence)
    told = _behind_lead(tokens)
    is_like = _is_like("agreed", tokens) or _is_like("agreed", told)
    is_like = is_like or any(
        _is_like(role, left)
        for scope, roles in _SCOPES.items()
        if (left := _without(scope, told))
        for role in roles
    )
    return is_like and not _is_argued(tokens)


def supposes_by_shape(sentence: str) -> bool:
    """Whether a sentence supposes something about its symbols, for all later uses of them."""
    if len(sentence) > _LONGEST or "$" not in sentence or "\\begin" in sentence:
        return False
    tokens = _tokens(sentence)
    is_like = _is_like("supposed", tokens) or _is_like("agreed", tokens)
    return is_like and not _is_argued(tokens)


def _behind_lead(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The tokens after those that give the purpose of a commitment: "To avoid them, …"."""
    listed = _by_first("lead").get(tokens[0], ()) if tokens else ()
    ends = [end for one in listed for end in _ends(one.tokens, tokens, 0)]
    return tokens[min(ends, default=0) :]


@lru_cache(maxsize=_LAST)
def _without(scope: str, tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The tokens of a sentence without the words of a scope; none if it has no such words."""
    by_first = _by_first(scope)
    if by_first.keys().isdisjoint(tokens):
        return ()
    words = frozenset(tokens)
    left: list[str] = []
    place = 0
    while place < len(tokens):
        ends = [
            end
            for one in by_first.get(tokens[place], ())
            if not any(map(words.isdisjoint, one.needed))
            for end in _ends(one.tokens, tokens, place)
        ]
        end = max(ends, default=place)
        if end == place:
            left.append(tokens[place])
        elif left[-1:] == [","] == list(tokens[end : end + 1]):  # it was between two commas
            left.pop()
            end += 1
        place = max(end, place + 1)
    if len(left) == len(tokens):
        return ()
    return tuple(dropwhile(_STOPS.__contains__, left))


@cache
def _by_first(scope: str) -> Mapping[str, Sequence[_AgreementPattern]]:
    """The words of a scope, as patterns, by their possible first words."""
    found: dict[str, list[_AgreementPattern]] = {}
    for one in _patterns(scope):
        for first in one.tokens:
            for word in first.words if isinstance(first, _PatternToken) else ():
                found.setdefault(word, []).append(one)
            if not (isinstance(first, _PatternToken) and first.may_miss):
                break
    return found


@lru_cache(maxsize=_LAST)
def _is_like(role: str, tokens: tuple[str, ...]) -> bool:
    """Whether a sentence, given as tokens, begins like a pattern of a role."""
    words = frozenset(tokens)
    has_formula = "$" in words
    listed = (one for one in _candidates(role, tokens) if not (has_formula and one.is_free))
    likely = (one for one in listed if not any(map(words.isdisjoint, one.needed)))
    return any(_ends(one.tokens, tokens, 0) for one in likely)


def _candidates(role: str, tokens: Sequence[str]) -> Iterator[_AgreementPattern]:
    """The patterns of a role with which a sentence may begin and whose wanted word it contains."""
    by_word, by_stem = _by_wanted(role, tokens[0]) if tokens else ({}, ())
    for token in dict.fromkeys(tokens):
        yield from by_word.get(token, ())
        for one in by_stem:
            if one.wants.holds(token):
                yield one


@lru_cache(maxsize=_FIRST_WORDS)
def _by_wanted(
    role: str, first: str
) -> tuple[Mapping[str, Sequence[_AgreementPattern]], Sequence[_AgreementPattern]]:
    """The patterns of a role that may begin with a word, by the words that each wants."""
    by_word: dict[str, list[_AgreementPattern]] = {}
    by_stem = []
    begun, others = _by_beginning(role)
    for one in (*begun.get(first, ()), *others):
        begin = one.tokens[0]
        if isinstance(begin, _PatternToken) and not begin.may_miss and not begin.holds(first):
            continue
        for word in one.wants.words:
            by_word.setdefault(word, []).append(one)
        if one.wants.stems or one.wants.ends:
            by_stem.append(one)
    return by_word, by_stem


@cache
def _by_beginning(
    role: str,
) -> tuple[Mapping[str, Sequence[_AgreementPattern]], Sequence[_AgreementPattern]]:
    """The patterns of a role by their first words, and those that do not begin with plain words."""
    found: dict[str, list[_AgreementPattern]] = {}
    others = []
    for one in _patterns(role):
        begin = one.tokens[0]
        words = begin.words if isinstance(begin, _PatternToken) else frozenset()
        if begin != _PatternToken(words, (), (), is_any=False, may_miss=False, is_none=False):
            others.append(one)
            continue
        for word in words:
            found.setdefault(word, []).append(one)
    return found, others


@lru_cache(maxsize=_LAST)
def _tokens(sentence: str) -> tuple[str, ...]:
    plain = _FORMULA.sub("\x00", with_letters(sentence)).replace("\u2019", "'").lower()
    found = _TOKEN.findall(_LAYOUT.sub("", plain.replace("'", " ").replace("~", " ")))
    return tuple(["$" if token == "\x00" else token for token in found])


def _is_argued(tokens: Sequence[str]) -> bool:
    """Whether words show that the sentence is about the reader or the text, cites, or argues."""
    argued = _argued()
    pairs = map(" ".join, pairwise(tokens))
    return any(argued.holds(token) or token in _CITES for token in (*tokens, *pairs))


@cache
def _argued() -> _PatternToken:
    return _pattern_token("|".join(phrases_of(WORDS)["argued"]))


@cache
def _adverbs() -> frozenset[str]:
    return frozenset(phrases_of(WORDS)["adverb"])


@cache
def _patterns(role: str) -> tuple[_AgreementPattern, ...]:
    return tuple(map(_agreement_pattern, phrases_of(WORDS)[role]))


def _agreement_pattern(written: str) -> _AgreementPattern:
    pieces = written.split(" ")
    tokens = tuple(
        piece if piece in (_ELLIPSIS, _ADVERBS, _END) else _pattern_token(_with_lists(piece))
        for piece in pieces
        if piece != _NO_FORMULA
    )
    told = [
        one
        for one in tokens
        if isinstance(one, _PatternToken) and not (one.is_any or one.may_miss or one.is_none)
    ]
    wants = min(  # long words are rare
        told,
        key=lambda one: (
            bool(one.stems or one.ends),
            len(one.words),
            -max(map(len, one.words), default=0),
        ),
    )
    needed = tuple(one.words for one in told if not (one.stems or one.ends))
    return _AgreementPattern(tokens, wants, needed, _NO_FORMULA in pieces)


def _with_lists(piece: str) -> str:
    """A piece of a pattern in which the name of a list, `<kind>`, is replaced by its words."""
    return _LIST.sub(lambda named: "|".join(phrases_of(WORDS)[named[1]]), piece)


def _pattern_token(written: str) -> _PatternToken:
    may_miss = written.endswith("?") and len(written) > 1
    is_none = written.startswith("!")
    words = written.removesuffix("?" if may_miss else "").removeprefix("!").split("|")
    return _PatternToken(
        words=frozenset(word for word in words if "*" not in word),
        stems=tuple(
            word[:-1]
            for word in words
            if word.endswith("*") and len(word) > 1 and not word.startswith("*")
        ),
        ends=tuple(word.strip("*") for word in words if word.startswith("*") and len(word) > 1),
        is_any="*" in words,
        may_miss=may_miss,
        is_none=is_none,
    )


def _ends(pattern: Sequence[_PatternToken | str], tokens: Sequence[str], start: int) -> set[int]:
    """The places after the matches of a pattern that begin at a token of a sentence."""
    places = {start}
    for token in pattern:
        if isinstance(token, str):
            places = {end for place in places for end in _behind_sign(token, tokens, place)}
        else:
            held = {n + 1 for n in places if n < len(tokens) and token.holds(tokens[n])}
            places = places | held if token.may_miss else held
        if not places:
            break
    return places


def _behind_sign(sign: str, tokens: Sequence[str], place: int) -> Iterable[int]:
    """The places after the tokens that a sign of a pattern ("...", "~", ".") may match."""
    if sign == _END:
        return (place,) if place == len(tokens) else ()
    if sign == _ELLIPSIS:
        return range(place, min(len(tokens), place + _FURTHEST) + 1)
    end = place
    while end < len(tokens) and end - place < _MOST_ADVERBS and tokens[end] in _adverbs():
        end += 1
    return range(place, end + 1)
