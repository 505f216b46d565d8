"""Finds text left in a source by mistake, with the patterns of `debris_words.toml`.

Only printed text counts: no comments, no code, no bodies of macros. Text in quotation marks or in
code is quoted, not left behind. A paper on language models also quotes them without quotation
marks, so that there only the signs of a program count.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pfcore.checks.debris_contexts import (
    begins_a_paragraph,
    closing_brace,
    emphasized,
    tokens,
)
from pfcore.domain.lazy_regex import regex, word_tables
from pfcore.domain.spans import Spans
from pfcore.latex.language.definienda import abbreviations
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.mask import mask


class DebrisKind(StrEnum):
    """A kind: words or signs of a program, gap, hidden for review, lost reference, draft mark.

    An opening is a sentence with which a program begins its reply; a doubtful passage may be a gap
    or intended.
    """

    OPENING = "opening"
    SPOKEN = "spoken"
    MARK = "mark"
    PLACEHOLDER = "placeholder"
    BLIND = "blind"
    LOST = "lost"
    DRAFT = "draft"
    DOUBTFUL = "doubtful"


class Debris(NamedTuple):
    """A passage that was left by mistake."""

    start: int
    end: int
    kind: DebrisKind


WORDS = str(Path(__file__).with_name("debris_words"))
"""The table of patterns, by kind and language, each with a text that it matches."""

_Needs = tuple[frozenset[str], ...]
"""A matching text, in lower case and with single spaces, contains a member of each set."""


class _WordPattern(NamedTuple):
    """A compiled pattern, and what every text that it matches must contain."""

    compiled: re.Pattern[str]
    needed: _Needs


@cache
def _patterns() -> tuple[tuple[DebrisKind, _WordPattern], ...]:
    """All patterns; only those of signs are case-sensitive."""
    found = []
    for kind in DebrisKind:
        for name, listed in word_tables(WORDS)[kind].items():
            case = re.MULTILINE if name == "signs" else re.MULTILINE | re.IGNORECASE
            for written in listed:
                needed = _needed(written)
                found.append((kind, _WordPattern(regex(_spaced(written), case), needed)))
    return tuple(found)


_PART = regex(
    r"\(\?(?P<looks>[=!<][=!]?)|(?P<opens>\((?:\?:)?)|(?P<closes>\))|(?P<or>\|)"
    r"| \?|(?P<many>[?*+]|\{(?P<least>\d+)[^}]*\})"
    r"|\\x[0-9a-f]{2}|\\[a-zA-Z]|\[(?:\\.|[^\]\\])+\]|[.^$]|\\?(?P<sign>.)",
    re.DOTALL,
)


def _needed(pattern: str) -> _Needs:
    """What a text must contain to match: runs of characters, or one of a group's branches."""
    branches = _branches(_PART.finditer(pattern))
    return branches[0] if len(branches) == 1 else tuple(filter(None, [_one_of(branches)]))


def _branches(parts: Iterator[re.Match[str]]) -> list[_Needs]:
    """What each branch of a group needs, up to its closing bracket."""
    found: list[list[frozenset[str]]] = [[]]
    run, last = "", _NOTHING
    for part in parts:
        if part["many"]:
            least = int(part["least"] or part["many"] == "+")
            again = run[-1:] * least
            found[-1] += [frozenset(filter(None, [run[:-1] + again])), last if least else _NOTHING]
            run, last = "", _NOTHING
        elif part["sign"] and part["sign"].isascii():
            found[-1].append(last)
            run, last = run + part["sign"].lower(), _NOTHING
        else:
            found[-1] += [frozenset(filter(None, [run])), last]
            run, last = "", _NOTHING
            if part["opens"]:
                last = _one_of(_branches(parts))
            elif part["looks"]:
                _branches(parts)
            elif part["or"]:
                found.append([])
            elif part["closes"]:
                break
    found[-1] += [frozenset(filter(None, [run])), last]
    return [tuple(filter(None, branch)) for branch in found]


_NOTHING: frozenset[str] = frozenset()


def _one_of(branches: list[_Needs]) -> frozenset[str]:
    """The longest need of each branch, one of which must occur; empty if one needs nothing."""
    best = [
        max(branch, key=lambda one: min(map(len, one)), default=_NOTHING) for branch in branches
    ]
    return _NOTHING.union(*best) if all(best) else _NOTHING


_WHITE = regex(r"[ \t~\n]+")
_TOKEN = regex(r"\\.|\[(?:\\.|[^\]\\])+\]|(?P<space> )(?P<may_lack>\?)?|.", re.DOTALL)


_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": r"\^",
    "\u0303": "~",
    "\u0308": '"',
    "\u0327": "c",
}
"""TeX's command for each combining accent."""


def _spaced(pattern: str) -> str:
    """A pattern whose spaces, except those in brackets, match any white space.

    A letter with an accent matches every way to type it: `é`, `\\'e`, `{\\'e}`, `\\'{e}`.
    """
    made: list[str] = []
    for match in _TOKEN.finditer(pattern):
        letter = match[0]
        apart = unicodedata.normalize("NFD", letter)
        if match["space"]:
            made.append(r"[ \t~\n]*" if match["may_lack"] else r"[ \t~\n]+")
        elif letter == "ß":
            made.append(r'(?:ß|\\ss(?:\{\}|[ ])|\{\\ss\}|"s)')
        elif len(apart) == 2 and apart[1] in _ACCENTS:
            base = r"(?:i|\\i[ ]?)" if apart[0] == "i" else apart[0]
            sign = _ACCENTS[apart[1]]
            short = f'|"{base}' if sign == '"' else ""  # babel's German shorthand
            typed = rf"\{{?\\{sign}[ ]?\{{?{base}(?:\{{\}})?\}}?\}}?"
            made.append(f"(?:{letter}|{apart}|{typed}{short})")
        else:
            made.append(letter)
    return "".join(made)


_ABOUT = regex(
    r"\b(?:language models?|LLMs?|ChatGPT|GPT-?\d|chatbots?|prompt engineering|AI assistants?)\b"
)
_MODEL = regex(
    r"\b(?:AI|KI|IA|GPT|ChatGPT|Claude|Gemini|Copilot)\b|(?i:language model|sprachmodell"
    r"|mod[èe]le de lang|modelo de lenguaje|modello linguistico|intelligen[ctz]|knowledge|training"
    r"|regenerate|\bof my (?:last|latest|most recent) (?:update|cut-?off)|\bmein\w+ (?:letzten )?"
    r"(?:wissens|kenntnis|trainings)|\bma (?:derni\S+|plus r\S+) (?:mise|connaissance|formation))"
)
_MANY = 3
"""The number of mentions that make a paper one about language models."""


def names_a_model(text: str) -> bool:
    """Whether a passage names a program as its author, or mentions the program's knowledge."""
    return _MODEL.search(_WHITE.sub(" ", text)) is not None


def is_about_models(texts: Iterable[str]) -> bool:
    """Whether the printed texts of a paper mention language models at least `_MANY` times."""
    count = 0
    for text in texts:
        count += sum(1 for _ in _ABOUT.finditer(text))
        if count >= _MANY:
            return True
    return False


class _LetterRows(dict[str, bool]):
    """Whether a text contains a string; searched only if the text has all of its trigrams."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._threes = set(map("".join, zip(text, text[1:], text[2:], strict=False)))

    def __missing__(self, run: str) -> bool:
        found = self._threes.issuperset(_threes(run)) and run in self._text
        self[run] = found
        return found

    def __contains__(self, run: object) -> bool:
        return self[str(run)]


@cache
def _threes(run: str) -> frozenset[str]:
    """The trigrams of a string; none if it is shorter."""
    return frozenset(run[n : n + 3] for n in range(len(run) - 2))


def debris(text: str, silent: Iterable[tuple[int, int]] = ()) -> tuple[Debris, ...]:
    """The passages left by mistake in a file, in order; `silent` are the spans of definitions."""
    body = mask(text).text
    low = _WHITE.sub(" ", body.lower())
    has = _LetterRows(low)
    matches = [
        (kind, match)
        for kind, one in _patterns()
        if all(any(map(has.__contains__, of)) for of in one.needed)
        for match in one.compiled.finditer(body)
        if match[0].strip()
    ]
    if not matches:
        return ()
    hidden = Spans([*silent, *_messages(body)])
    quoted, short = Spans(quotations(body)), frozenset(abbreviations(body))
    shown = Spans(sorted(emphasized(body)))
    gaps = (match.span() for kind, match in matches if kind is DebrisKind.PLACEHOLDER)
    meant = tokens(body, gaps)
    found: list[Debris] = []
    for kind, match in matches:
        if hidden.covers(match.start()):
            continue
        is_address = match.start() > 0 and body[match.start() - 1] in "?&"
        if not (is_address or kind is DebrisKind.DRAFT) and quoted.covers(match.start()):
            continue
        if kind is DebrisKind.PLACEHOLDER and _NO_CAPITAL.sub("", match[0]) in short:
            continue
        start, end = _trimmed(match)
        if kind is DebrisKind.SPOKEN and shown.covers(start) and shown.covers(end):
            continue
        if kind is DebrisKind.OPENING and not begins_a_paragraph(body, start):
            continue
        is_meant = kind is DebrisKind.PLACEHOLDER and body[start:end] in meant
        if kind in _ANYWHERE or not is_in_formula(body, start):
            found.append(Debris(start, end, DebrisKind.DOUBTFUL if is_meant else kind))
    return tuple(_apart(sorted(found, key=lambda item: (item.start, -item.end))))


_MESSAGE = regex(
    r"\\(?:(?:Class|Package|Generic|@latex@?)(?:Error|Warning|WarningNoLine|Info|Note)"
    r"|typeout|message|errmessage|wlog)(?![A-Za-z])"
)
_MOST_PARTS = 3


def _messages(body: str) -> Iterator[tuple[int, int]]:
    """The spans of messages that TeX shows while it runs and does not print."""
    groups = Groups(body)
    for match in _MESSAGE.finditer(body):
        for start, end in groups.side_by_side(match.end(), _MOST_PARTS):
            yield start - 1, end + 1


_NO_CAPITAL = regex(r"[^A-Z]")
_ANYWHERE = frozenset({DebrisKind.MARK, DebrisKind.DRAFT})


def _trimmed(match: re.Match[str]) -> tuple[int, int]:
    words = match[0]
    return match.start() + len(words) - len(words.lstrip()), match.start() + len(words.rstrip())


def _apart(found: list[Debris]) -> Iterator[Debris]:
    """The first of overlapping passages; a doubtful one is dropped if it overlaps a certain one."""
    certain = Spans(item[:2] for item in found if item.kind is not DebrisKind.DOUBTFUL)
    end = -1
    for item in found:
        is_doubtful = item.kind is DebrisKind.DOUBTFUL
        is_told = is_doubtful and (certain.covers(item.start) or certain.covers(item.end - 1))
        if item.start >= end and not is_told:
            yield item
            end = item.end


_DOLLAR = regex(r"(?<!\\)\$\$?|\\[\[\]()]")


def is_in_formula(body: str, offset: int) -> bool:
    """Whether a place is inside mathematics, going by the delimiters of its paragraph."""
    begin = body.rfind("\n\n", 0, offset) + 1
    depth = 0
    for match in _DOLLAR.finditer(body, begin, offset):
        if match[0] in ("\\(", "\\["):
            depth = 1
        elif match[0] in ("\\)", "\\]"):
            depth = 0
        else:
            depth = 1 - depth
    return bool(depth)


_QUOTED = regex(
    r"``.{0,1500}?''|[“„«‹].{0,1500}?[”“»›]|(?<![\\\w`])\"[^\"\n]{1,600}\"(?!\w)"
    r"|(?<![\w`])`[^`'\n]{2,400}'(?![\w'])",
    re.DOTALL,
)
_QUOTING = regex(
    r"\\(?:enquote\*?|texttt|textquote|blockquote|say|qq|quoted|textcquote|code|prompt|response"
    r"|foreignquote|mathtt|lstinline|UseVerb|[hv]?phantom|settowidth)\s*(?:\[[^\]]*\])?\{"
)
_BLOCK = regex(
    r"\\begin\s*\{(quote|quotation|displayquote|blockquote|verse|tcolorbox|promptbox|prompt|mdframed"
    r"|framed|alltt|dialogue|transcript|lstlisting|minted|Verbatim|verbatim"
    r"|[A-Za-z]*(?:[bB]ox|[pP]rompt|[cC]hat|[dD]ialogu?e?|[tT]ranscript|[cC]onversation)[a-z]*)\*?\}"
)


def quotations(body: str) -> list[tuple[int, int]]:
    """The quoted and code spans of a masked text, sorted; a quotation stays in one paragraph."""
    found = [
        match.span() for match in _QUOTED.finditer(body) if "\n\n" not in match[0].replace(" ", "")
    ]
    for match in _QUOTING.finditer(body):
        found.append((match.start(), closing_brace(body, match.end())))
    for match in _BLOCK.finditer(body):
        end = body.find(f"\\end{{{match[1]}", match.end())
        found.append((match.start(), end if end >= 0 else match.end()))
    return sorted(found)
