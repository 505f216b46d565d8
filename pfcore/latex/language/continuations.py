"""Which sentences near one that introduces something say more about it.

An author names an object in one sentence and describes it in the next: "Let $f$ be a map. It has
no zeros, and these …". A sentence alone does not show what "it" and "these" are.
"""

import re
from collections.abc import Sequence
from functools import cache
from operator import itemgetter

from pfcore.domain.lazy_regex import regex
from pfcore.latex.language.notation import keys_of_uses
from pfcore.latex.language.phrases import alternatives, phrases_of
from pfcore.latex.language.terms import normal_words

CONTINUATION_WORDS = "continuation_words"
_MOST_AHEAD = 2
_MOST_BACK = 2
_LONGEST = 100
"""The most words of a sentence, a formula being one; a longer one is an argument."""
_NEAR = 10
_SHORTEST = 8
"""The most words of a sentence that only announces the next ones: "as follows."."""
_FORMULA = regex(r"\$[^$]{1,2000}\$|\\\([^$]{1,2000}?\\\)")
_CITES = regex(r"\\cite|\x02\d+\x03")
"""A citation, or a reference in a canonical text."""
_PARAGRAPH_END = regex(
    r"\n[ \t]*\n|\\par(?![A-Za-z])|\\(?:begin|end|item|section|paragraph)(?![A-Za-z])"
)
_SUBJECT = regex(
    r"(?!(?:Then|Hence|Thus|So|Since|If|As|Therefore|Because|Indeed|For|When|Note|Dann|Also|Daher|Da"
    r"|Wenn|Alors|Donc|Si|Comme|Ainsi) )"
    r"(?:(?:The|Each|Every|All|D(?:er|ie|as)|Jede[rs]?|L[ea]s?|Chaque) )?(?:[^\W\d_]+ ){0,2}?"
    r"(?P<formula>\$[^$]{1,60}\$|\\\([^$]{1,60}?\\\)) (?:is|are|has|have|can|may|must|consists?"
    r"|contains?|maps?|ist|sind|hat|haben|est|sont|a|ont)(?!\w)"
)


def passages(text: str, sentences: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """For each sentence of a stretch of prose, the span of all that belongs to it.

    This includes the sentences before it to which its first words point, and the sentences of its
    paragraph that continue it.
    """
    said: list[str] = []
    lengths: list[int] = []
    is_more: list[bool] = []
    is_told: list[bool] = []
    last_end = 0
    for start, end in sentences:
        own = " ".join(text[start:end].replace("~", " ").split())
        length = len(_FORMULA.sub("$", own).split())
        is_apart = not said or length > _LONGEST
        is_apart = is_apart or _PARAGRAPH_END.search(text, last_end, start) is not None
        is_apart = is_apart or _HAS_NAME.match(own) is not None
        is_told.append(not is_apart and (is_told[-1] or _announces(said[-1])))
        is_more.append(is_told[-1] or (not is_apart and _goes_on(said[-1], own)))
        said.append(own)
        lengths.append(length)
        last_end = end
    count = len(said)
    found: list[tuple[int, int]] = []
    for index in range(count):
        back = index
        while is_more[back] and (index - back < _MOST_BACK or is_told[back]):
            back -= 1
        ahead = index + 1
        while ahead < count and is_more[ahead] and (ahead - index <= _MOST_AHEAD or is_told[ahead]):
            ahead += 1
        is_short = sum(lengths[back:ahead]) <= 2 * _LONGEST
        first, last = (back, ahead - 1) if is_short else (index, index)
        found.append((sentences[first][0], sentences[last][1]))
    return found


def _announces(sentence: str) -> bool:
    """Whether a sentence announces that the next ones explain: "It works as follows: first"."""
    return _announced().search(sentence) is not None


@cache
def _announced() -> re.Pattern[str]:
    return re.compile(
        rf"{_any('announces').pattern}[\s~]*(?:[\w-]+[\s~]+){{0,2}}[\w-]*[.:]", re.IGNORECASE
    )


def _goes_on(before: str, own: str) -> bool:
    """Whether a sentence says more about what the one before it introduces."""
    if _NAMES_IT.match(own) or _IS_DISPLAY.match(own) or _RUN_IN.fullmatch(before):
        return True
    if _any("alike").match(own) or (len(own.split()) <= _SHORTEST and _announces(own)):
        return True
    lead = _any("adds").match(own)
    near = " ".join(_FORMULA.sub("$", own[lead.end() :]).split()[:_NEAR]) if lead else ""
    adds = _any("opens").match(own) or _any("back").search(near) or _has_subject_of(before, own)
    return bool(adds) and not _idle().search(own)


def _has_subject_of(before: str, own: str) -> bool:
    """Whether a sentence begins with a symbol of the one before it, however it is typeset."""
    subject = _SUBJECT.match(own)
    used = keys_of_uses(subject["formula"]) if subject else ()
    return bool(used) and used[0][0] in map(itemgetter(0), keys_of_uses(before))


def says_something(sentence: str) -> bool:
    """Whether a canonical sentence may explain its words: it neither argues nor cites."""
    if _CITES.search(sentence) or _any("argues").match(sentence.lstrip()):
        return False
    return _idle().search(sentence) is None


@cache
def everyday_words() -> frozenset[str]:
    """Everyday words of German and French sentences, in normal form."""
    return frozenset(normal_words(" ".join(phrases_of(CONTINUATION_WORDS)["everyday"])))


@cache
def _any(role: str) -> re.Pattern[str]:
    """A pattern for the phrases of a role."""
    words = alternatives(phrases_of(CONTINUATION_WORDS)[role], r"[\s~]+")
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


@cache
def _idle() -> re.Pattern[str]:
    return re.compile(rf"{_any('idle').pattern}|\\cite", re.IGNORECASE)


_RUN_IN = regex(
    r"(?:\\noindent\s)?\\(?:text(?:bf|it|sc|sl|sf)|emph|underline)\s?\{[^{}]{2,80}\}[\s.:]{0,3}"
)
"""A run-in heading."""
_HAS_NAME = regex(r"(?:\\text[a-z]{2}\s?\{|\\emph\s?\{)\(")
"""The beginning of a sentence that has its own name: "(A1)"."""
_IS_DISPLAY = regex(
    r"\\\[|\$\$|\\begin\s?\{(?:equation|align|gather|multline|eqnarray|displaymath)\*?\}"
)
_NAMES_IT = regex(
    r"(?:It|They|This|These|Er|Sie|Es|Diese[rs]?|Dies|Il|Elle|Ils|Elles|Cela)(?:\s+\w+){0,3}?\s+"
    r"(?:called|denoted|written|known\s+(?:as|under)|named|termed|heißt|heißen|heisst|heissen|genannt|bezeichnet"
    r"|noté\w*|appelé\w*|dite?s?|s'appelle\w*)(?!\w)"
    r"|We\s+(?:will\s+|shall\s+)?(?:call|denote|write|abbreviate)\s+(?:it|this|these|them)(?!\w)"
    r"|Wir\s+(?:nennen|bezeichnen|schreiben)\s+(?:es|sie|ihn|dies\w*)(?!\w)"
    r"|(?:On|Nous)\s+(?:l[ea]\s+|les\s+|l')(?:note|appelle)\w*"
)
"""The beginning of a sentence that names the subject of the one before it."""
