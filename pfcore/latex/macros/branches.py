"""Decides which branch of a macro's body holds: tests for a missing value, looks at what follows.

What is decided is what the text itself shows; nothing is ever run.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.joining import join_texts

_TEST = re.compile(r"\\If(NoValue|Value|Boolean)(TF|T|F)(?![A-Za-z])")
_TESTS = 40

LOOKING = frozenset("@ifnextchar kernel@ifnextchar @ifstar @testopt @dblarg".split())
"""Commands that look at the next token of the text behind the macro that calls them."""

_LOOK = re.compile(r"\\((?:kernel)?@ifnextchar|@ifstar|@testopt|@dblarg)(?![A-Za-z@])")
_LOOKS = 12
_BRANCHES_WORTH_KEEPING = 400
_ARGUMENTS = {"@ifstar": 2, "@testopt": 2, "@dblarg": 1}
_BESIDE = re.compile(r"\\(?:expandafter|noexpand|futurelet|let\s*\\[A-Za-z@]+\s*=?)\s*\Z")
_CHOICE = re.compile(r"\\mathchoice(?![A-Za-z@])")
_STYLE = re.compile(r"\\(?:display|text|script|scriptscript)style(?![A-Za-z])|[{}\s]")
_SPACE = re.compile(r"[ \t]*(?:\n[ \t]*)?")
_SAME = {"\\bgroup": "{", "\\egroup": "}"}

DEFINES = re.compile(r"\\(?:[gex]?def|\w*command\*?|\w*DocumentCommand)(?![A-Za-z])")
"""Finds what defines macros."""

Looked = tuple[str, int]
"""A body with its branches taken, and where reading goes on behind the macro."""


def valued(body: str, missing: str) -> str:
    """Evaluate `\\IfNoValueTF` and its kin; anything else is left as it is.

    `missing` stands for an argument that was not given.
    """
    for _ in range(_TESTS):
        match = _TEST.search(body)
        if not match:
            return body
        groups = Groups(body)
        tested = groups.braces(match.end())
        first = groups.token(tested[1] + 1) if tested else None
        second = groups.token(groups.after(first)) if first and match[2] == "TF" else None
        if not tested or not first or (match[2] == "TF" and not second):
            return body
        is_missing = missing in body[slice(*tested)]
        holds = is_missing if match[1] == "NoValue" else not is_missing
        branches = {"TF": (first, second), "T": (first, None), "F": (None, first)}[match[2]]
        chosen = branches[0] if holds else branches[1]
        end = groups.after(second or first)
        inner = body[slice(*chosen)] if chosen else ""
        body = join_texts(body[: match.start()], inner, body[end:])
    return body


def one_style(body: str) -> str:
    """The body with one branch for a `\\mathchoice` whose branches differ in size alone."""
    starts = [match.end() for match in _CHOICE.finditer(body)]
    for start in reversed(starts):
        values, after = _values(Groups(body), start, 4)
        if values and len({_STYLE.sub("", value) for value in values}) == 1:
            before = body[: start - len("\\mathchoice")]
            body = before + join_texts(values[1], body[after:])
    return body


def before_looks(body: str) -> str:
    """What a body calls whatever follows the macro."""
    match = _LOOK.search(body)
    return body[: match.start()] if match else body


def looked(body: str, groups: Groups, end: int) -> Looked | None:
    """The body with each look-ahead replaced by the branch that is taken.

    `end` is where the macro's own arguments end in the text; None if a look-ahead cannot be
    decided without running the macro.
    """
    for _ in range(_LOOKS):
        if not _LOOK.search(body):
            return body, end
        look = _kept_branch(body) if len(body) < _BRANCHES_WORTH_KEEPING else _look(body)
        taken = _taken(look, body, groups, end) if look else None
        if taken is None:
            return None
        body, end = taken
    return None


class _LookAhead(NamedTuple):
    """A body's first look-ahead, its arguments, and where what follows it in the body begins."""

    start: int
    name: str
    values: tuple[str, ...]
    after: int
    is_last: bool


def _look(body: str) -> _LookAhead | None:
    match = _LOOK.search(body)
    if match is None or _is_data(body[: match.start()]):
        return None
    values, after = _values(Groups(body), match.end(), _ARGUMENTS.get(match[1], 3))
    if values is None:
        return None
    after = past_space(body, after)
    return _LookAhead(match.start(), match[1], tuple(values), after, not body[after:].strip())


_kept_branch = lru_cache(maxsize=2_048)(_look)


def _taken(look: _LookAhead, body: str, groups: Groups, end: int) -> Looked | None:
    """The body with its first look-ahead decided."""
    before = body[: look.start]
    if look.is_last:
        start = past_space(groups.text, end)
        branch = _branch(look.name, look.values, groups, start)
        return branch and (before + branch[0], branch[1] if branch[1] > start else end)
    branch = _branch(look.name, look.values, Groups(body), look.after)
    return branch and (before + join_texts(branch[0], body[branch[1] :]), end)


def _is_data(before: str) -> bool:
    """Whether a look-ahead behind this is no call: a name that is passed on, part of a body."""
    if _BESIDE.search(before):
        return True
    opened = before.count("{") - before.count("\\{") - before.count("}") + before.count("\\}")
    return opened > 0 and DEFINES.search(before) is not None


def _values(groups: Groups, position: int, count: int) -> tuple[list[str] | None, int]:
    values: list[str] = []
    for _ in range(count):
        position = groups.skip_space(position)
        is_braced = groups.text.startswith("{", position)
        span = groups.token(position)
        if span is None:
            return None, position
        values.append(groups.text[slice(*span)])
        position = span[1] + is_braced
    return values, position


def _branch(name: str, values: Sequence[str], source: Groups, start: int) -> Looked | None:
    """The branch taken, and where reading goes on: at the start, if it takes nothing itself."""
    text = source.text
    if name == "@ifstar":
        has_star = text.startswith("*", start)
        return values[not has_star], start + has_star
    if name.endswith("@ifnextchar"):
        return values[1 if _is_next(values[0], text, start) else 2], start
    if text.startswith("[", start):
        return values[0], start
    if name == "@testopt":
        return f"{values[0]}[{{{values[1]}}}]", start
    argument, stop = _values(source, start, 1)
    return (f"{values[0]}[{{{argument[0]}}}]{{{argument[0]}}}", stop) if argument else None


def _is_next(token: str, text: str, start: int) -> bool:
    token = _SAME.get(token, token)
    if not text.startswith(token, start):
        return False
    return not (len(token) > 1 and text[start + len(token) : start + len(token) + 1].isalpha())


def past_space(text: str, position: int) -> int:
    """Behind the white space that a look-ahead passes over: a paragraph's end is none."""
    match = _SPACE.match(text, position)
    return match.end() if match else position
