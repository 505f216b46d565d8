r"""Conditions that the source itself decides: `\ifdefined\full`, `\ifnum\short=1`.

A command is certainly defined if a preamble defines it once, unconditionally; it is certainly
undefined if the source names it only in conditions. Comparisons of macros or numbers are decided
if both are so defined. The branch not taken is never read. For other conditions both branches are
read, except a second branch whose labels all occur in the first: it is an alternative wording.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.mask import conditions, is_balanced, is_condition
from pfcore.latex.macros.macro import PRIMITIVE, Macro

_NAME = r"[A-Za-z@]{1,60}"
_TEST = regex(
    rf"\\(?:ifdefined\s*\\(?P<defined>{_NAME})(?![A-Za-z@])"
    rf"|ifcsname\s+(?P<named>{_NAME})\s*\\endcsname"
    rf"|ifx\s*\\(?P<missing>{_NAME})\s*\\@?undefined(?![A-Za-z@])"
    rf"|ifx\s*\\@?undefined\s*\\(?P<absent>{_NAME})(?![A-Za-z@])"
    rf"|ifx\s*\\(?P<one>{_NAME})\s*\\(?P<other>{_NAME})(?![A-Za-z@])"
    rf"|ifnum\s*(?P<left>-?\d{{1,9}}|\\{_NAME})\s*(?P<sign>[<>=])\s*(?P<right>-?\d{{1,9}}|\\{_NAME})"
    r"(?![\d\\A-Za-z@]))"
)
"""Conditions that end with a `\\fi`."""
_ASKED = regex(
    rf"\\(?P<how>ifdef|ifundef|ifcsdef|ifcsundef|@ifundefined)\s*\{{?\s*\\?(?P<name>{_NAME})\s*\}}?"
    r"(?=\s*\{)"
)
"""Conditions that take their branches as arguments."""
_HOLDS_SOMETHING = regex(r"\\(?:begin|label|input|include|subfile|import)(?![A-Za-z])")
_LABEL = regex(r"\\label\s*\{([^{}]*)\}")
_WORD = regex(r"\\(if[A-Za-z@]*|else|fi)(?![A-Za-z@])")
_OF_TEX = regex(
    r"(?:pdf|xe|lua|directlua|hcode|umath|tex|e?p?tex|kanji|uptex|font|if|ieee|beamer|plastex|bib"
    r"|chapter|part|section|new|the|math|text|l@|c@|mod|fmt|ver@|documentclass|latex|disable|int"
    r"|proof|theorem|lemma|hyper|href|url|cref|autoref|color|define|set|use|babel|english|german"
    r"|french|tikz|iff|label|caption|includegraphics|r@|strut|big|small)",
    re.IGNORECASE,
)
"""Prefixes of names that engines, formats, classes and packages may define."""
_BRACE = regex(r"\\.|[{}]", re.DOTALL)
_CHAIN = 8


class Sources(NamedTuple):
    """The facts about macros in a document's files.

    `order` lists all files in reading order, `text` returns the masked text of one; `early` are
    those read before the document begins, with the offset where it begins, or -1; `places` are the
    definitions of macros, by name: file and offset. `made` are names that something else defines.
    """

    order: Sequence[str]
    text: Callable[[str], str]
    early: Mapping[str, int]
    places: Mapping[str, Sequence[tuple[str, int]]]
    macros: Mapping[str, Macro]
    made: frozenset[str]


def tests(text: str) -> Iterator[str]:
    """The questions of the conditions in a masked text, as keys, without duplicates."""
    found = [key for match in _TEST.finditer(text) for key in _keys(match)]
    found += [f"defined {match['name']}" for match in _ASKED.finditer(text)]
    yield from dict.fromkeys(found)


def _keys(match: re.Match[str]) -> list[str]:
    key = _key(match)[0]
    return [key] if key else []


def _key(match: re.Match[str]) -> tuple[str, bool]:
    """The question of a condition, and the answer for which it holds."""
    if name := match["defined"] or match["named"]:
        return f"defined {name}", True
    if name := match["missing"] or match["absent"]:
        return f"defined {name}", False
    if match["one"]:
        return f"same {match['one']} {match['other']}", True
    return f"number {match['left']} {match['sign']} {match['right']}", True


def decided(asked: Iterable[str], sources: Callable[[], Sources]) -> dict[str, bool]:
    """The answers to the questions that the source decides; `sources` is called only if needed."""
    listed = list(dict.fromkeys(asked))
    if not listed:
        return {}
    deciding = _Deciding(sources())
    answers = {key: deciding.answer(key) for key in listed}
    return {key: value for key, value in answers.items() if value is not None}


class _Deciding:
    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def answer(self, key: str) -> bool | None:
        kind, *words = key.split(" ")
        if kind == "defined":
            return self._is_defined(words[0])
        if kind == "same":
            one, other = map(self._meant, words)
            return None if one is None or other is None else one == other
        left, right = self._number(words[0]), self._number(words[2])
        if left is None or right is None:
            return None
        return {"<": left < right, ">": left > right, "=": left == right}[words[1]]

    def _is_defined(self, name: str) -> bool | None:
        if self._meant(name) is not None:
            return True
        if name in self._sources.places or name in self._sources.made or _OF_TEX.match(name):
            return None
        said = re.compile(rf"(?<![A-Za-z@]){name}(?![A-Za-z@])")
        for text in map(self._sources.text, self._sources.order):
            asked = {m.span(group) for m in _TEST.finditer(text) for group in _GROUPS if m[group]}
            asked |= {m.span("name") for m in _ASKED.finditer(text)}
            if any(m.span() not in asked for m in said.finditer(text)):
                return None
        return False

    def _meant(self, name: str) -> Macro | None:
        """The meaning of a macro that a preamble defines once and unconditionally; else None."""
        places = self._sources.places.get(name, ())
        if len(places) != 1 or name in self._sources.made:
            return None
        path, offset = places[0]
        body = self._sources.early.get(path)
        if body is None or 0 <= body <= offset:
            return None
        text = self._sources.text(path)
        is_asked = any(start <= offset < end for start, end in conditions(text))
        is_inside = sum({"{": 1, "}": -1}.get(s, 0) for s in _BRACE.findall(text, 0, offset)) != 0
        macro = self._sources.macros.get(name)
        is_plain = macro is not None and macro.parameters != PRIMITIVE
        return macro if is_plain and not is_asked and not is_inside else None

    def _number(self, word: str) -> int | None:
        for _ in range(_CHAIN):
            if not word.startswith("\\"):
                return int(word) if re.fullmatch(r"-?\d{1,9}", word) else None
            macro = self._meant(word[1:])
            if macro is None or macro.parameters:
                return None
            word = macro.body.strip()
        return None


_GROUPS = ("defined", "named", "missing", "absent")


def untaken(text: str, known: Mapping[str, bool]) -> Iterator[tuple[int, int]]:
    r"""The branches of a masked text that known answers exclude, if their braces are balanced.

    `known` has the answers by question, and the switches that always hold: "iffull".
    """
    if "\\fi" in text:
        yield from ((start, end) for start, end, _ in _of_tex(text, known))
    if any(f"\\{how}" in text for how in ("ifdef", "ifundef", "ifcs", "@ifundefined")):
        groups = Groups(text)
        for match in _ASKED.finditer(text):
            value = known.get(f"defined {match['name']}")
            yes = groups.braces(match.end())
            no = groups.braces(yes[1] + 1) if yes else None
            if value is None or not yes or not no:
                continue
            gone, other = (no, yes) if value != ("undef" in match["how"]) else (yes, no)
            if value or _HOLDS_SOMETHING.search(text, *other):
                yield gone


def alternatives(text: str, known: Mapping[str, bool]) -> list[tuple[int, int]]:
    """The branches left out because the branches before them have the same labels."""
    if "\\else" not in text or "\\label" not in text:
        return []
    return [(start, end) for start, end, is_other in _of_tex(text, known) if is_other]


def _of_tex(text: str, known: Mapping[str, bool]) -> Iterator[tuple[int, int, bool]]:
    """The branches left out, and whether each is an alternative wording."""
    stack: list[_Condition] = []
    for match in _WORD.finditer(text):
        word = match[1]
        if not is_condition(text, match.start(), word):
            continue
        if word not in ("else", "fi"):
            asked = _TEST.match(text, match.start())
            stack.append(_Condition(*(_key(asked) if asked else (word, True))))
            stack[-1].marks.append(asked.end() if asked else match.end())
        elif stack:
            stack[-1].marks += match.span()
            if word == "fi":
                yield from stack.pop().left_out(text, known)


@dataclass(slots=True)
class _Condition:
    """An open condition: its question, the answer for which it holds, and its marks.

    The marks are the offsets where its branches begin and end, so far.
    """

    key: str
    holds: bool
    marks: list[int] = field(default_factory=list)

    def left_out(self, text: str, known: Mapping[str, bool]) -> Iterator[tuple[int, int, bool]]:
        """The branch that is not read, if known."""
        spans = [*zip(self.marks[::2], self.marks[1::2], strict=False)]
        codes = [text[slice(*span)] for span in spans]
        value = known.get(self.key)
        if value is None:
            first, *others = ({*_LABEL.findall(code)} for code in codes)
            if len(others) == 1 and others[0] and others[0] <= first and is_balanced(codes[1]):
                yield *spans[1], True
            return
        gone = 1 if value == self.holds else 0
        is_there = gone < len(spans) and is_balanced(codes[gone])
        if is_there and (value or _is_read_instead(self.key, codes[1 - gone :][:1])):
            yield *spans[gone], False


def _is_read_instead(key: str, codes: Sequence[str]) -> bool:
    """Whether something is read in place of a branch left out because a command is undefined.

    The command could be defined outside the sources, on the command line, for a longer version.
    """
    return not key.startswith("defined ") or any(map(_HOLDS_SOMETHING.search, codes))
