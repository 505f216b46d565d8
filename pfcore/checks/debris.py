"""Finds in a source what was left there by mistake, by the words beside this file.

Printed text alone counts: no comment, no code, no body of a macro. What somebody else says, in
quotation marks or in code, is quoted and not left behind; and a paper on language models quotes
them also without marks, so that there only their signs count.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans
from pfcore.latex.lexer.mask import mask


class DebrisKind(StrEnum):
    """What was left: words or signs of a program, a gap, a lost reference, marks of a draft."""

    SPOKEN = "spoken"
    MARK = "mark"
    PLACEHOLDER = "placeholder"
    LOST = "lost"
    DRAFT = "draft"


class Debris(NamedTuple):
    """A passage that was left by mistake."""

    start: int
    end: int
    kind: DebrisKind


@cache
def debris_words() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """By kind and language the patterns, each with a text in which it is found."""
    import tomllib  # late: read where a file is new

    return tomllib.loads(Path(__file__).with_name("debris_words.toml").read_text("utf-8"))


class _WordPattern(NamedTuple):
    """A pattern as it is written, and letters that every text has in which it is found."""

    written: str
    needed: str


@cache
def _patterns() -> tuple[tuple[DebrisKind, re.RegexFlag, tuple[_WordPattern, ...]], ...]:
    """The patterns of each kind, those of signs apart: capitals matter in them."""
    found = []
    for kind in DebrisKind:
        for name, listed in debris_words()[kind].items():
            case = re.MULTILINE if name == "signs" else re.MULTILINE | re.IGNORECASE
            made = tuple(_WordPattern(f"(?:{_spaced(one)})", _needed(one)) for one in listed)
            found.append((kind, case, made))
    return tuple(found)


@lru_cache(maxsize=256)
def _joined(chosen: tuple[_WordPattern, ...], case: re.RegexFlag) -> re.Pattern[str]:
    return re.compile("|".join(one.written for one in chosen), case)


_CUT, _OPENS, _CLOSES = frozenset("?*{"), frozenset("(["), frozenset(")]")


def _needed(pattern: str) -> str:
    """The longest run of letters that a pattern has outside of groups, classes and options."""
    runs, depth, is_escaped = [""], 0, False
    for sign in pattern:
        if is_escaped or sign == "\\":
            is_escaped = not is_escaped
            runs.append("")
        elif sign in _OPENS or sign in _CLOSES:
            depth += 1 if sign in _OPENS else -1
            runs.append("")
        elif depth:
            continue
        elif sign == "|":
            return ""
        elif sign in _CUT:
            runs[-1] = runs[-1][:-1]
            runs.append("")
        elif sign.isascii() and sign.isalpha():
            runs[-1] += sign.lower()
        else:
            runs.append("")
    return max(runs, key=len)


_TOKEN = regex(r"\\.|\[(?:\\.|[^\]\\])+\]|(?P<space> )(?P<may_lack>\?)?|.", re.DOTALL)


def _spaced(pattern: str) -> str:
    """A pattern whose spaces, but for those in brackets, stand for any white space."""
    return "".join(
        (r"[ \t~\n]*" if match["may_lack"] else r"[ \t~\n]+") if match["space"] else match[0]
        for match in _TOKEN.finditer(pattern)
    )


_ABOUT = regex(
    r"\b(?:language models?|LLMs?|ChatGPT|GPT-?\d|chatbots?|prompt engineering|AI assistants?)\b"
)
_MANY = 3
"""So many mentions make a text one about language models."""


def is_about_models(texts: Iterable[str]) -> bool:
    """Whether the printed texts of a paper speak of language models, and not once alone."""
    count = 0
    for text in texts:
        count += sum(1 for _ in _ABOUT.finditer(text))
        if count >= _MANY:
            return True
    return False


def debris(text: str, silent: Iterable[tuple[int, int]] = ()) -> tuple[Debris, ...]:
    """The passages of one file, in order; `silent` are the spans of definitions."""
    masked = mask(text)
    body = masked.text
    hidden = Spans(silent)
    quoted = Spans(quotations(body))
    found: list[Debris] = []
    low = body.lower()
    for kind, case, listed in _patterns():
        chosen = tuple(one for one in listed if one.needed in low)
        for match in _joined(chosen, case).finditer(body) if chosen else ():
            if not match[0].strip() or hidden.covers(match.start()):
                continue
            if kind is not DebrisKind.DRAFT and quoted.covers(match.start()):
                continue
            if kind in _ANYWHERE or not is_in_formula(body, match.start()):
                found.append(Debris(*_trimmed(match), kind))
    return tuple(_apart(sorted(found)))


_ANYWHERE = frozenset({DebrisKind.MARK, DebrisKind.DRAFT})


def _trimmed(match: re.Match[str]) -> tuple[int, int]:
    words = match[0]
    return match.start() + len(words) - len(words.lstrip()), match.start() + len(words.rstrip())


def _apart(found: list[Debris]) -> Iterator[Debris]:
    """Of passages that meet, the first."""
    end = -1
    for item in found:
        if item.start >= end:
            yield item
            end = item.end


_DOLLAR = regex(r"(?<!\\)\$\$?|\\[\[\]()]")


def is_in_formula(body: str, offset: int) -> bool:
    """Whether a place lies between signs of mathematics, as its paragraph has them."""
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
    r"|foreignquote|mathtt|lstinline|UseVerb)\s*(?:\[[^\]]*\])?\{"
)
_BLOCK = regex(
    r"\\begin\s*\{(quote|quotation|displayquote|blockquote|verse|tcolorbox|promptbox|prompt|mdframed"
    r"|framed|alltt|dialogue|transcript|lstlisting|minted|Verbatim|verbatim|examplebox)\*?\}"
)
_BRACE = regex(r"\\.|[{}]", re.DOTALL)


def quotations(body: str) -> list[tuple[int, int]]:
    """The spans of a masked text that are quoted or code, sorted; no quotation has paragraphs."""
    found = [
        match.span() for match in _QUOTED.finditer(body) if "\n\n" not in match[0].replace(" ", "")
    ]
    for match in _QUOTING.finditer(body):
        found.append((match.start(), _closing(body, match.end())))
    for match in _BLOCK.finditer(body):
        end = body.find(f"\\end{{{match[1]}", match.end())
        found.append((match.start(), end if end >= 0 else match.end()))
    return sorted(found)


def _closing(body: str, start: int) -> int:
    depth = 1
    for match in _BRACE.finditer(body, start, start + 3_000):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if not depth:
            return match.end()
    return start
