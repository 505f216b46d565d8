"""Which known errors of a paper a location names: judged by a model, with the PDF or without.

The inclusive judge counts anything inside a known result as that result, the strict one only the
result itself (ArxivMathGradingBench Judge, in the paper's appendix). The question does not depend
on the rollout. Where labels are unambiguous they overrule the model: for both judges two names with
one number are one result, and for the strict one two numbers are two results.

A third matcher uses labels alone, without the paper or a model: it knows when two names are one
result, and when a place is inside another. Where only the paper could tell the place of a passage,
it calls it another place.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pfcore.verification.locations import is_result, is_unique, items, leading, printed_place
from pfcore.verification.prompt import Part
from pfcore.verification.reply_parsing import Malformed, last_json
from pfcore.verification.verify import ModuleVerifier, Unread
from pfcore.verification.whole_paper import INCLUSIVE

STRICT = "judge-strict"

_WORDS = 2_000
"""The most characters of a description."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The places with known errors, and the one that is to be matched with them.

    `words` describe the error, `title` is the paper's.
    """

    title: str
    known: tuple[str, ...]
    location: str
    words: str

    @property
    def parts(self) -> tuple[Part, ...]:
        """The question's texts.

        A numbered result identifies itself: all ways of naming it make the same question. Another
        name, or a result that contains it, is included in the question.
        """
        is_clear = is_plain(self.location)
        known = "\n".join(f"{number}. {text}" for number, text in enumerate(self.known))
        return (
            ("The paper", self.title),
            ("Known errors", known),
            (
                "The place that is named",
                printed_place(self.location).shown if is_clear else self.location,
            ),
            ("What is said of it", "" if is_clear else self.words[:_WORDS]),
        )

    def settled(self, stage: str) -> dict[int, bool]:
        """The known errors for which labels decide, and whether the location names them."""
        found = {}
        for number, known in enumerate(self.known):
            is_inside = stage == INCLUSIVE and is_surely_inside(known, self.location)
            if is_inside or is_surely_same(known, self.location):
                found[number] = True
            elif stage == STRICT and is_surely_other(known, self.location):
                found[number] = False
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """The known errors that a location names, by their numbers from 0.

    `overruled` are those for which the model contradicted an unambiguous label.
    """

    found: tuple[int, ...]
    overruled: tuple[int, ...] = ()


async def judged(reading: ModuleVerifier, stage: str, question: Question) -> Matches | Unread:
    """One judge's answer; a failure is not a mismatch. No call if labels settle all errors."""
    settled = question.settled(stage)
    sure = frozenset(number for number, is_named in settled.items() if is_named)
    if len(settled) == len(question.known):
        return Matches(found=tuple(sorted(sure)))
    said = await reading.asked(
        stage, question.parts, 1, lambda text: parse_matches(text, len(question.known))
    )
    if isinstance(said, Unread):
        return said
    about = settled.keys() & said.found
    return Matches(
        found=tuple(sorted(sure | (set(said.found) - settled.keys()))),
        overruled=tuple(sorted(about ^ sure)),
    )


def parse_matches(text: str, count: int) -> Matches | Malformed:
    """The matches in a reply about `count` known errors."""
    choice = last_json(text)
    if isinstance(choice, Malformed):
        return choice
    return matches(choice.get("matches"), count)


def matches(listed: object, count: int) -> Matches | Malformed:
    """A reply's numbers of known errors; a number out of range makes it invalid."""
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        return Malformed(reason="the JSON block has no list of matches")
    if any(isinstance(n, bool) or not isinstance(n, int) or not 0 <= n < count for n in listed):
        return Malformed(reason=f"a match is none of the numbers 0 to {count - 1}")
    return Matches(found=tuple(sorted(set(listed))))


_ALIAS = re.compile(
    r"^(?P<name>[^()]+)\((?P<sign>=|aka|also|i\.e\.,?|restat\w+\s+(?:of|as|from)\b)?\s*"
    r"(?P<other>[^()]{3,60})\)\W*$",
    re.I,
)
_NO_ALIAS = re.compile(
    r"\b(?:of|in|from|to|for|by|see|via|using|uses|proof|part|case|step)\b", re.I
)
_PROOF = re.compile(r"\b(?:proofs?|statement|argument)\s+(?:of|for)\s+(?:the\s+)?", re.I)
_IN = re.compile(r"\b(?:in|of|inside|within)\s+(?:the\s+)?", re.I)
_BESIDE = re.compile(
    r"\b(?:after|before|behind|following|preceding|above|below|outside|between|beyond|used|needed|"
    r"uses|using|use|appl\w+|like|analog\w*|similar\w*|compare|cf|see|consequence|as)\b",
    re.I,
)
_INNER = re.compile(
    r"(?:claim|step|sub-?step|case|sub-?case|equation|eqn?|formula|part|line|sentence|display|"
    r"inequality|estimate|item|assertion|paragraph|passage|induction|bound|identity|fact|"
    r"observation|end|beginning|middle|half|conclusion|hypothesis|construction|direction|"
    r"implication|converse|necessity|sufficiency)s?\b|\(\w",
    re.I,
)
_SECTION = re.compile(r"(?:(?:sub)*sect?(?:ion)?\.?|§|appendix) *(?P<number>\w+(?:\.\w+)*)")
_NUMBER = re.compile(r"(?<![\w.])(?:[A-Z]+(?![A-Za-z])|\d+)(?:\.(?:\d+|[A-Z](?![A-Za-z])))*")


class Relation(StrEnum):
    """The relation of a named place to a known one."""

    SAME = "same"
    INSIDE = "inside"
    OTHER = "other"


def relation(known: str, named: str) -> Relation:
    """Whether words name a known place, a place inside of it, or another one."""
    wanted = place_keys(known)
    found = place_keys(named)
    if wanted & found:
        return Relation.SAME
    if wanted & set(_around(named)) or any(_holds(w, f) for w in wanted for f in found):
        return Relation.INSIDE
    return Relation.OTHER


def place_keys(text: str) -> frozenset[str]:
    """The keys of all places that words name: those of a list, and their other names.

    "Section 3, Lemma 3.1" is the lemma.
    """
    found = [printed_place(item).key for piece in items(text) for item in _aliases(piece)]
    inner = [key for key in found if not _SECTION.match(key)]
    return frozenset(inner or found)


def is_plain(text: str) -> bool:
    """Whether words name a single numbered result, with no other name and nothing around it."""
    return (
        is_result(text)
        and place_keys(text) == {printed_place(text).key}
        and not list(_around(text))
    )


def is_surely_same(known: str, named: str) -> bool:
    """Whether two texts name the same place by a label that is unique in a paper."""
    return any(is_unique(key) for key in place_keys(known) & place_keys(named))


def is_surely_inside(known: str, named: str) -> bool:
    """Whether words explicitly name a passage of a known place, and not a result of its own."""
    has_result = any(is_result(key) for key in place_keys(named))
    return relation(known, named) is Relation.INSIDE and not has_result


def is_surely_other(known: str, named: str) -> bool:
    """Whether one text names only results, and the other only results with other numbers.

    A second number may matter: "Theorem 3 (Lemma 4)" may be both. "Lemma 3b" may be a part of
    Lemma 3, and "Theorem I" another notation for Theorem 1.
    """
    wanted, found = (list(map(_core, place_keys(text))) for text in (known, named))
    if not all(wanted) or not all(found):
        return False
    said = {*found, *_NUMBER.findall(named)}
    are_alike = len({core[0].isdigit() for core in (*wanted, *found)}) == 1
    return are_alike and said.isdisjoint(wanted)


def _core(key: str) -> str:
    """The number of a result without a suffix for one of its parts; "" if it is not a result."""
    found = _NUMBER.search(key.upper(), key.find(" ")) if is_result(key) else None
    return found[0] if found else ""


def _aliases(piece: str) -> Iterator[str]:
    """A name, and also the one in brackets if it is one: "Theorem 2 (Theorem B)".

    "Theorem 3 (Lemma 4)" does not say that the two are the same.
    """
    yield piece
    alias = _ALIAS.match(piece.strip())
    if alias is None or _NO_ALIAS.search(alias["other"]):
        return
    cores = [_core(printed_place(alias[name]).key) for name in ("name", "other")]
    if alias["sign"] or not all(core[:1].isdigit() for core in cores):
        yield alias["name"]
        yield alias["other"]


def _around(text: str) -> Iterator[str]:
    """The results that, according to the words, contain the place."""
    for proof in _PROOF.finditer(text):
        before = text[: proof.start()]
        if before.strip() and not _BESIDE.search(before):
            yield printed_place(leading(text[proof.end() :])).key
    for inside in _IN.finditer(text):
        before = text[: inside.start()]
        if _INNER.search(before) and not _BESIDE.search(before) and not _is_result(before):
            yield printed_place(leading(text[inside.end() :])).key


def _is_result(words: str) -> bool:
    """Whether the first of "Corollary 3 of Theorem 2" is a result of its own."""
    kind = leading(words.strip()).partition(" ")[0]
    return kind in ("Theorem", "Lemma", "Proposition", "Corollary", "Definition", "Remark")


def _holds(outer: str, inner: str) -> bool:
    """Whether a section contains a subsection or passage."""
    one, other = _SECTION.match(outer), _SECTION.match(inner)
    if one is None or other is None or one.end() < len(outer):
        return False
    return f"{other['number']}.".startswith(f"{one['number']}.")
