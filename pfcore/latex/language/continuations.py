"""Which sentences beside one that brings something in say more of it.

An author names a thing in one sentence and says in the next one what it is or has: "Let $f$ be a
map. It has no zeros, and these …". A sentence alone is cut off from what "it" and "these" are.
"""

import re
from collections.abc import Sequence
from functools import cache

from pfcore.domain.lazy_regex import regex
from pfcore.latex.language.phrases import phrases_of
from pfcore.latex.language.terms import normal_words

CONTINUATION_WORDS = "continuation_words"
_MOST_AHEAD = 2
_MOST_BACK = 2
_LONGEST = 600
"""Characters: what is longer is an argument."""
_NEAR = 60
_CITES = regex(r"\\cite|\x02\d+\x03")
"""Another work, or a place that canonical texts refer to."""
_MOST_FORMULA = 40
_PARAGRAPH_END = regex(
    r"\n[ \t]*\n|\\par(?![A-Za-z])|\\(?:begin|end|item|section|paragraph)(?![A-Za-z])"
)
_SUBJECT = regex(
    r"(?!(?:Then|Hence|Thus|So|Since|If|As|Therefore|Because|Indeed|For|When|Note|Dann|Also|Daher|Da|Wenn"
    r"|Alors|Donc|Si|Comme|Ainsi)(?!\w))(?:(?:The|Each|Every|All|D(?:er|ie|as)|Jede[rs]?|L[ea]s?|Chaque)\s+)?(?:[^\W\d_]+\s+){0,2}?"
    r"(?P<formula>\$[^$\s]{1,40}\$)\s+(?:is|are|has|have|can|may|must|consists?|contains?|maps?"
    r"|ist|sind|hat|haben|est|sont|a|ont)(?!\w)"
)


def passages(text: str, sentences: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """For each sentence of a stretch of prose the span of all that belongs to it.

    Before it what its own first words point to; behind it those sentences of its paragraph that go
    on with it.
    """
    count = len(sentences)
    goes_on = [False] * count
    for index in range(1, count):
        goes_on[index] = _goes_on(text, sentences[index - 1], sentences[index])
    found: list[tuple[int, int]] = []
    for index, (start, end) in enumerate(sentences):
        back = index
        while goes_on[back] and index - back < _MOST_BACK:
            back -= 1
        ahead = index + 1
        while ahead < count and goes_on[ahead] and ahead - index <= _MOST_AHEAD:
            ahead += 1
        first, last = sentences[back][0], sentences[ahead - 1][1]
        found.append((first, last) if last - first <= 2 * _LONGEST else (start, end))
    return found


def _goes_on(text: str, before: tuple[int, int], own: tuple[int, int]) -> bool:
    """Whether a sentence says more of what the one before it brings in."""
    start, end = own
    if end - start > _LONGEST or _PARAGRAPH_END.search(text, before[1], start):
        return False
    if names_the_last(text, start, end):
        return True
    if _opens().match(text, start, end) or _adds(text, start, end):
        return not _idle().search(text, start, end)
    subject = _SUBJECT.match(text, start, end)
    if subject is None or subject["formula"] not in text[before[0] : before[1]]:
        return False
    return not _idle().search(text, start, end)


def says_something(sentence: str) -> bool:
    """Whether a canonical sentence may say what its words mean: no argument, and nothing cited."""
    if _CITES.search(sentence) or _any("argues").match(sentence.lstrip()):
        return False
    return _idle().search(sentence) is None


@cache
def everyday_words() -> frozenset[str]:
    """Words, in normal form, that are in everybody's German and French sentences."""
    return frozenset(normal_words(" ".join(phrases_of(CONTINUATION_WORDS)["everyday"])))


def _adds(text: str, start: int, end: int) -> bool:
    lead = _any("adds").match(text, start, end)
    return (
        lead is not None
        and _any("back").search(text, lead.end(), min(end, start + _NEAR)) is not None
    )


@cache
def _any(role: str) -> re.Pattern[str]:
    """A pattern for the phrases of a role."""
    listed = sorted(phrases_of(CONTINUATION_WORDS)[role], key=lambda phrase: (-len(phrase), phrase))
    pieces = "|".join(
        re.escape(phrase).replace(r"\*", r"\w*").replace(r"\ ", r"[\s~]+").replace("'", "['\u2019]")
        for phrase in listed
    )
    return re.compile(rf"(?<!\w)(?:{pieces})(?!\w)", re.IGNORECASE)


def _opens() -> re.Pattern[str]:
    return _any("opens")


@cache
def _idle() -> re.Pattern[str]:
    return re.compile(rf"{_any('idle').pattern}|\\cite", re.IGNORECASE)


_NAMES_IT = regex(
    r"(?:It|They|This|These|Er|Sie|Es|Diese[rs]?|Dies|Il|Elle|Ils|Elles|Cela)(?:\s+\w+){0,3}?\s+"
    r"(?:called|denoted|written|known\s+(?:as|under)|named|termed|heißt|heißen|heisst|heissen|genannt|bezeichnet"
    r"|noté\w*|appelé\w*|dite?s?|s'appelle\w*)(?!\w)"
    r"|We\s+(?:will\s+|shall\s+)?(?:call|denote|write|abbreviate)\s+(?:it|this|these|them)(?!\w)"
    r"|Wir\s+(?:nennen|bezeichnen|schreiben)\s+(?:es|sie|ihn|dies\w*)(?!\w)"
    r"|(?:On|Nous)\s+(?:l[ea]\s+|les\s+|l')(?:note|appelle)\w*"
)


def names_the_last(text: str, start: int, end: int) -> bool:
    """Whether a sentence names what the one before it speaks of."""
    return _NAMES_IT.match(text, start, end) is not None
