"""The paper's own macros: their arguments at a place of use, and their expansion.

The last command of a macro's body may take arguments from the text after the macro.

Tests for missing values and look-aheads in a body are decided, so that one branch remains.

Decisions use only what the text itself shows; TeX code is never run.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.groups import Groups, append, join_texts
from pfcore.latex.lexer.mask import leaves_a_branch

NO_VALUE = "\x06"
"""Stands for an optional argument that was not given."""

_SLOT = regex(r"#([1-9#])")

_BODY_WORTH_KEEPING = 200

PRIMITIVE = ("=",)
"""Parameters after a `\\let` to a command that is not the paper's own: it means that command."""


class Macro(NamedTuple):
    """A macro of the paper.

    Each parameter is `m` (mandatory), `s` (star), `t` followed by another optional character, `o`
    (optional without default), `O` followed by its default, `U` the same, but empty brackets stand
    for the default, `g` and `G` like `o` and `O`, but in braces, or `l` followed by literal text
    that delimits the argument before it.
    """

    parameters: tuple[str, ...]
    body: str

    @property
    def unused(self) -> frozenset[int]:
        """The indices of arguments that it does not use; empty if it has delimited arguments."""
        if not {kind[0] for kind in self.parameters} <= {"m", "o", "O"}:
            return frozenset()
        return frozenset(
            index
            for index, kind in enumerate(self.parameters)
            if kind == "m" and f"#{index + 1}" not in self.body
        )


STANDARD = {
    "texorpdfstring": Macro(("m", "m"), "#1"),
    "IfRefUndefinedExpandable": Macro(("m", "m", "m"), "#3"),
    "IfRefUndefinedBabel": Macro(("m", "m", "m"), "#3"),
}
"""LaTeX's own commands that select arguments, as macros; labels count as defined."""


_BLANK = regex(r"[ \t]*\n[ \t]*(?=\n)")


def arguments(
    macro: Macro, groups: Groups, position: int
) -> tuple[list[tuple[int, int] | None], int] | None:
    """The spans of a macro's arguments at a place of use, and their end; None if one is missing.

    A span is None for a star, a sign or an optional argument that was not given.
    """
    spans: list[tuple[int, int] | None] = []
    parameters = macro.parameters
    if not parameters:
        return spans, position
    for index, parameter in enumerate(parameters):
        kind = parameter[0]
        if kind == "l":
            if index == 0 or parameter[1:].isspace():
                position = groups.skip_space(position)
            if index == 0 or parameters[index - 1][0] == "l":
                if not groups.text.startswith(parameter[1:], position):
                    return None
                position += len(parameter) - 1
            continue
        if kind in "st":
            sign = groups.text.startswith(parameter[1:] or "*", position)
            spans.append((position, position + 1) if sign else None)
            position += sign
        elif kind in "oOUgG":
            span = (groups.braces if kind in "gG" else groups.brackets)(position)
            is_default = kind == "U" and span is not None and span[0] == span[1]
            spans.append(None if is_default else span)
            position = span[1] + 1 if span else position
        else:
            delimiter = _delimiter(parameters, index)
            span = (
                _delimited(groups, position, delimiter) if delimiter else _token(groups, position)
            )
            if span is None:
                return None
            spans.append(_bare(groups, span) if delimiter else span)
            position = span[1] + len(delimiter) if delimiter else groups.after(span)
    return spans, position


def lacking(macro: Macro, groups: Groups, position: int) -> int:
    """The number of mandatory arguments missing in a call at the end of a text; 0 if none is."""
    for index, parameter in enumerate(macro.parameters):
        position = groups.skip_space(position)
        if position >= len(groups.text):
            missing = macro.parameters[index:]
            return len(missing) if set(missing) == {"m"} else 0
        if (kind := parameter[0]) in "oOUgG":
            span = (groups.braces if kind in "gG" else groups.brackets)(position)
            position = span[1] + 1 if span else position
            continue
        span = groups.token(position) if parameter == "m" else None
        if span is None:
            return 0
        position = groups.after(span)
    return 0


def _token(groups: Groups, position: int) -> tuple[int, int] | None:
    """The span of an argument; at the end of a paragraph TeX takes that, which prints nothing."""
    blank = _BLANK.match(groups.text, position)
    return (blank.end(), blank.end()) if blank else groups.token(position)


def _delimiter(parameters: tuple[str, ...], index: int) -> str:
    following = parameters[index + 1] if index + 1 < len(parameters) else ""
    return following[1:] if following.startswith("l") else ""


def _delimited(groups: Groups, position: int, delimiter: str) -> tuple[int, int] | None:
    close = groups.text.find(delimiter, position, position + 2_000)
    return None if close < 0 else (position, close)


def _bare(groups: Groups, span: tuple[int, int]) -> tuple[int, int]:
    """A delimited argument that is one group loses its braces."""
    start, end = span
    is_group = groups.text.startswith("{", start) and groups.braces(start) == (start + 1, end - 1)
    return (start + 1, end - 1) if is_group else span


def substitute(macro: Macro, values: list[str], body: str | None = None) -> str:
    """The macro's body, or `body` if given, with the arguments substituted.

    xparse's tests for a missing value are decided.
    """
    body = macro.body if body is None else body
    if "#" not in body:
        return body
    if sum(map(len, values)) > _BODY_WORTH_KEEPING:
        return _substituted(macro.parameters, tuple(values), body)
    return _kept_substitution(macro.parameters, tuple(values), body)


def _substituted(parameters: tuple[str, ...], values: tuple[str, ...], body: str) -> str:
    pieces: list[str] = []
    is_slot = False
    for piece in _split(body):
        append(pieces, _value(piece, parameters, values) if is_slot else piece)
        is_slot = not is_slot
    made = "".join(pieces)
    if "Value" in made or "Boolean" in made:
        made = valued(made)
    return compared(made) if "blank" in made or "strempty" in made else made


@lru_cache(maxsize=2_048)
def _split(body: str) -> list[str]:
    """The texts between the slots of a body, alternating with the slots' numbers."""
    return _SLOT.split(body)


def _value(slot: str, parameters: tuple[str, ...], values: tuple[str, ...]) -> str:
    if slot == "#":
        return "#"
    index = int(slot) - 1
    if index >= len(values):
        return ""
    if values[index] != NO_VALUE:
        return values[index]
    kind = [parameter for parameter in parameters if parameter[0] != "l"][index]
    return kind[1:] if kind[0] in "OUG" else NO_VALUE


_TEST = regex(r"\\If(NoValue|Value|Boolean)(TF|T|F)(?![A-Za-z])")
_TESTS = 40


def valued(body: str) -> str:
    """Evaluate `\\IfNoValueTF` and similar tests; everything else is unchanged."""
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
        is_missing = NO_VALUE in body[slice(*tested)]
        holds = is_missing if match[1] == "NoValue" else not is_missing
        branches = {"TF": (first, second), "T": (first, None), "F": (None, first)}[match[2]]
        chosen = branches[0] if holds else branches[1]
        end = groups.after(second or first)
        inner = body[slice(*chosen)] if chosen else ""
        body = join_texts(body[: match.start()], inner, body[end:])
    return body


_BOUND = regex(r"\\(?P<kind>begin|end)\s*\{(?P<name>[^{}#\n]{1,80})\}")


def begun_once(body: str) -> str:
    """A body without the begins and ends that a branch of a condition has like the one before.

    And without a proof that an empty argument would be.
    """
    if PROOF_IF_ANY in body:
        body = _with_proof_if_any(body)
    pieces: list[str] = []
    done = 0
    before: re.Match[str] | None = None
    for match in _BOUND.finditer(body):
        between = body[before.end() : match.start()] if before else ""
        if before and before.groups() == match.groups() and leaves_a_branch(between):
            pieces.append(body[done : match.start()])
            done = match.end()
        before = match
    return join_texts(*pieces, body[done:]) if pieces else body


PROOF_IF_ANY = "\\begin{proof}\\relax "
"""Begins a proof that is none where the argument is empty that stands in it."""
_NO_PROOF = regex(r"\\begin\{proof\}\\relax \s*\\end\{proof\}")


def _with_proof_if_any(body: str) -> str:
    """A body without the proof that an empty argument would be."""
    return _NO_PROOF.sub("", body).replace(PROOF_IF_ANY, "\\begin{proof}")


_PLAIN = r"\s*\{(?P<%s>[^{}\\#]*)\}"
_UNEXPANDED = r"\s*\{(?P<empty>(?:[^{}#]|\{(?:[^{}#]|\{[^{}#]*\})*\}){0,400})\}"
COMPARISON = (
    rf"(?:ifthenelse\s*\{{\s*\\equal{_PLAIN % 'one'}{_PLAIN % 'other'}\s*\}}"
    rf"|(?:if(?:strempty|blank)|(?:IfBlank|tl_if_(?:empty|blank):n)TF){_UNEXPANDED}"
    rf"|(?:ifstrequal|str_if_eq:nnTF){_PLAIN % 'same'}{_PLAIN % 'as'}"
    rf"|ifdefstring\s*\{{\s*(?:\\protect\s*)?\\f@(?P<font>series|shape)\s*\}}{_PLAIN % 'face'})"
)
"""The pattern of a comparison of plain texts, after its backslash; `is_equal` decides it."""
_COMPARED = regex(rf"\\{COMPARISON}")
_USUAL_FONT = {"series": "m", "shape": "n"}


def is_equal(match: re.Match[str]) -> bool:
    """Whether the two texts of a comparison are equal."""
    if match["font"]:  # assume the usual font: a bold heading says the same
        return match["face"].strip() == _USUAL_FONT[match["font"]]
    pairs = (match["one"], match["other"]), (match["same"], match["as"]), (match["empty"], "")
    one, other = next((a, b) for a, b in pairs if a is not None)
    return one.replace(NO_VALUE, "").strip() == other.strip()


def decided(code: str) -> str | None:
    """Code with comparisons of plain texts decided; None if another condition is left."""
    code = compared(valued(code))
    return None if "\\if" in code else code


def compared(code: str) -> str:
    """Code with comparisons of plain texts decided; everything else is unchanged."""
    position = 0
    for _ in range(_TESTS):
        match = _COMPARED.search(code, position)
        if match is None:
            break
        groups = Groups(code)
        yes = groups.braces(match.end())
        no = groups.braces(yes[1] + 1) if yes else None
        if yes is None or no is None:
            position = match.end()
            continue
        chosen = code[slice(*(yes if is_equal(match) else no))]
        position = match.start()
        code = join_texts(code[:position], chosen, code[no[1] + 1 :])
    return code


_kept_substitution = lru_cache(maxsize=8_192)(_substituted)
"""Cached, because papers use few macros often, and mostly with few short arguments."""


def filled(macro: Macro, body: str, values: list[str], limit: int) -> str | None:
    """Another body of the macro with its arguments substituted; None if it may be too long."""
    slots = body.count("#")
    if not slots:
        return body
    if len(body) + slots * max(map(len, values), default=0) > limit:
        size = sum(body.count(f"#{n}") * len(value) for n, value in enumerate(values, 1))
        if len(body) + size > limit:
            return None
    return substitute(macro, values, body)


_CALLED = regex(r"\\([A-Za-z@]+)\*?[ \t]*")
_MOST_CALLED = 40


def expanded(text: str, meaning: Callable[[str], Macro | None], longest: int) -> str:
    """A short text with macros replaced by their expansion in braces, recursively.

    `meaning` returns the macro of a name; None leaves the name. Expansion stops before the text
    becomes longer than `longest`.
    """
    position = 0
    for _ in range(_MOST_CALLED):
        named = ((match, meaning(match[1])) for match in _CALLED.finditer(text, position))
        match, macro = next(((one, what) for one, what in named if what), (None, None))
        if match is None or macro is None:
            break
        found = arguments(macro, Groups(text), match.end())
        if found is None:
            position = match.end()
            continue
        spans, end = found
        made = substitute(macro, [NO_VALUE if one is None else text[slice(*one)] for one in spans])
        if len(made) > longest:
            break
        behind = text[end:] if macro.parameters else text[match.end() :]
        text = f"{text[: match.start()]}{{{made}}}{behind}"
        position = match.start()
    return text


LOOKING = frozenset("@ifnextchar kernel@ifnextchar @ifstar @testopt @dblarg".split())
"""Commands that look at the next token in the text after the macro that calls them."""

_LOOK = regex(r"\\((?:kernel)?@ifnextchar|@ifstar|@testopt|@dblarg)(?![A-Za-z@])")
_LOOKS = 12
_BRANCHES_WORTH_KEEPING = 400
_ARGUMENTS = {"@ifstar": 2, "@testopt": 2, "@dblarg": 1}
_BESIDE = regex(r"\\(?:expandafter|noexpand|futurelet|let\s*\\[A-Za-z@]+\s*=?)\s*\Z")
_CHOICE = regex(r"\\mathchoice(?![A-Za-z@])")
_STYLE = regex(r"\\(?:display|text|script|scriptscript)style(?![A-Za-z])|[{}\s]")
_SPACE = regex(r"[ \t]*(?:\n[ \t]*)?")
_SAME = {"\\bgroup": "{", "\\egroup": "}"}

DEFINES = regex(r"\\(?:[gex]?def|\w*commandx?\*?|\w*DocumentCommand)(?![A-Za-z])")
"""Finds commands that define macros."""

MEASURES = regex(r"\\(?:setbox|futurelet)(?![A-Za-z@])")
"""Finds code that measures or inspects its arguments, which expansion cannot decide."""

Looked = tuple[str, int]
"""A body with its branches decided, and the offset in the text after the macro."""


def one_style(body: str) -> str:
    """The body with one branch for each `\\mathchoice` whose branches differ only in size."""
    starts = [match.end() for match in _CHOICE.finditer(body)]
    for start in reversed(starts):
        values, after = _values(Groups(body), start, 4)
        if values and len({_STYLE.sub("", value) for value in values}) == 1:
            before = body[: start - len("\\mathchoice")]
            body = before + join_texts(values[1], body[after:])
    return body


def before_looks(body: str) -> str:
    """The part of a body before its first look-ahead."""
    match = _LOOK.search(body)
    return body[: match.start()] if match else body


def looked(body: str, groups: Groups, end: int) -> Looked | None:
    """The body with each look-ahead replaced by the branch that is taken.

    `end` is the end of the macro's own arguments in the text; None if a look-ahead cannot be
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
    """A body's first look-ahead, its arguments, and the offset of what follows it in the body."""

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


def _is_data(before: str) -> bool:
    """Whether a look-ahead after this is not a call: a name passed on, or part of a definition."""
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


def past_space(text: str, position: int) -> int:
    """The offset after the white space that a look-ahead skips; not past the end of a paragraph."""
    match = _SPACE.match(text, position)
    return match.end() if match else position


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


def _branch(name: str, values: Sequence[str], source: Groups, start: int) -> Looked | None:
    """The branch taken, and the offset after it: `start` if the look-ahead takes nothing."""
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


_WINDOW = 20_000
_ENDS_IN_COMMAND = regex(r"\\[A-Za-z@]+\*?\s*\Z")
_LONGEST_NAME = 80


def is_open(body: str) -> bool:
    """Whether a body ends in a command, which may take arguments after the macro."""
    return _ENDS_IN_COMMAND.search(body, max(0, len(body) - _LONGEST_NAME)) is not None


Reached = Callable[[Groups, int], tuple[str, int] | None]
"""Given a text and an offset: the last call or environment that crosses the offset, and its end.

None if nothing that begins before the offset ends after it.
"""


def completed(body: str, end: int, groups: Groups, reached: Reached) -> tuple[str, int]:
    """The body with the arguments that its last command takes, and the offset after them."""
    start = past_space(groups.text, end)
    window = groups.text[start : start + _WINDOW]
    if not window:
        return body, end
    body = body.rstrip() if is_open(body) else body
    whole = join_texts(body, window)
    found = reached(Groups(whole), len(whole) - len(window))
    return (found[0], start + found[1] - len(whole) + len(window)) if found else (body, end)
