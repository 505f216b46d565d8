"""The paper's own macros: their definitions, and their expansion within limits."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from pfcore.latex import branches
from pfcore.latex.groups import Groups
from pfcore.latex.joining import append

NO_VALUE = "\x06"
"""Stands for an optional argument that was not given."""

_DEFINER = re.compile(
    r"\\(?:"
    r"(?P<new>(?:re|provide)?newcommand|renewcommand|providecommand|DeclareRobustCommand"
    r"|newrobustcmd|renewrobustcmd|providerobustcmd)\*?"
    r"|(?P<xparse>(?:New|Renew|Provide|Declare)(?:Expandable)?DocumentCommand)"
    r"|(?P<definition>[gex]?def)(?=\s*\\)"
    r"|(?P<let>let)(?=\s*\\)"
    r"|(?P<operator>DeclareMathOperator\*?)"
    r"|(?P<paired>DeclarePairedDelimiter)(?=[\s{\\])"
    r")(?![A-Za-z])"
)
_NAME = re.compile(r"\s*\{?\s*\\([A-Za-z@]+)\s*\}?")
_NUMBER = re.compile(r"\s*\[(\d)\]")
_PARAMETERS = re.compile(r"((?:[^{}\\]|\\[^{}]){0,200}?)\s{0,20}(?=\{)")
_LET = re.compile(r"\s*\\([A-Za-z@]+)\s*=?\s*(\\(?:[A-Za-z@]+|.)|.)", re.DOTALL)
_SLOT = re.compile(r"#([1-9#])")
_XPARSE = re.compile(r"\s*(?:([mos])|O\s*\{([^{}]*)\}|([^\s]))")
_PREFIX = re.compile(r"(?:\\(?:global|long|outer|protected)\s*)+\Z")
_LONGEST_PREFIX = 60
_COMMENT = re.compile(r"(?<!\\)%[^\n]*\n?[ \t]*")

_WORTH_KEEPING = 200

PRIMITIVE = ("=",)
"""Parameters of a `\\let` to a command that is not the paper's own: it stays that command."""


class Macro(NamedTuple):
    """A macro of the paper.

    Each parameter is `m` (mandatory), `s` (star), `o` (optional without default), `O` followed
    by its default, or `l` followed by literal text that delimits the argument before it.
    """

    parameters: tuple[str, ...]
    body: str


class Definition(NamedTuple):
    """A macro definition as it stands in a file: from its command to the end of its body.

    `is_global` says that it outlives the group in which it stands.
    """

    start: int
    end: int
    name: str
    macro: Macro
    provides: bool
    is_global: bool = False

    def whole(self, text: str) -> tuple[int, int]:
        """The span of the definition with what stands before its command, as in `\\long\\def`."""
        return _prefixed(text, self.start), self.end


def definitions(text: str, groups: Groups) -> list[Definition]:
    """All macro definitions of a masked text, in order; definitions inside bodies are not seen."""
    found: list[Definition] = []
    position = 0
    while match := _DEFINER.search(text, position):
        made = _definition(match, groups)
        if made is None:
            position = match.end()
            continue
        found.append(made._replace(is_global=_is_global(match)))
        position = max(made.end, match.end())
    return found


def _is_global(match: re.Match[str]) -> bool:
    """`\\newcommand` and its kin know no `\\global`."""
    if not match["definition"] and not match["let"]:
        return False
    prefix = match.string[_prefixed(match.string, match.start()) : match.start()]
    return match["definition"] in ("gdef", "xdef") or "\\global" in prefix


def _prefixed(text: str, start: int) -> int:
    """Where a definition begins with what stands before its command and belongs to it."""
    prefix = _PREFIX.search(text, max(0, start - _LONGEST_PREFIX), start)
    return prefix.start() if prefix else start


def _definition(match: re.Match[str], groups: Groups) -> Definition | None:
    readers: dict[str, Callable[[re.Match[str], Groups], Definition | None]] = {
        "new": _new_command,
        "xparse": _document_command,
        "definition": _def,
        "let": _let,
        "operator": _operator,
        "paired": _paired,
    }
    return readers[match.lastgroup or "new"](match, groups)


def _new_command(match: re.Match[str], groups: Groups) -> Definition | None:
    name = _NAME.match(groups.text, match.end())
    if not name:
        return None
    position = name.end()
    parameters: tuple[str, ...] = ()
    number = _NUMBER.match(groups.text, position)
    if number:
        position = number.end()
        parameters = ("m",) * int(number[1])
        default = groups.brackets(position)
        if default and parameters:
            parameters = ("O" + groups.text[slice(*default)], *parameters[1:])
            position = default[1] + 1
    provides = match["new"].startswith("provide")
    return _with_body(match, groups, name[1], parameters, position, provides=provides)


def _document_command(match: re.Match[str], groups: Groups) -> Definition | None:
    name = _NAME.match(groups.text, match.end())
    specification = groups.braces(name.end()) if name else None
    if not name or not specification:
        return None
    parameters: list[str] = []
    for simple, default, other in _XPARSE.findall(groups.text[slice(*specification)]):
        if other and other not in "+!>":
            return None
        if not other:
            parameters.append(simple or "O" + default)
    provides = match["xparse"].startswith("Provide")
    position = specification[1] + 1
    return _with_body(match, groups, name[1], tuple(parameters), position, provides=provides)


def _def(match: re.Match[str], groups: Groups) -> Definition | None:
    name = _NAME.match(groups.text, match.end())
    pattern = _PARAMETERS.match(groups.text, name.end()) if name else None
    if not name or name[1] == "csname" or not pattern or len(pattern[1]) > 200:
        return None
    parameters: list[str] = []
    for piece in re.split(r"(#[1-9])", pattern[1]):
        if piece.startswith("#"):
            parameters.append("m")
        elif piece:
            parameters.append("l" + piece)
    return _with_body(match, groups, name[1], tuple(parameters), pattern.end(), provides=False)


def _let(match: re.Match[str], groups: Groups) -> Definition | None:
    parts = _LET.match(groups.text, match.end())
    if not parts or parts[1] == "csname":
        return None
    macro = Macro(PRIMITIVE, parts[2])
    return Definition(match.start(), parts.end(), parts[1], macro, False)


def _operator(match: re.Match[str], groups: Groups) -> Definition | None:
    name = _NAME.match(groups.text, match.end())
    body = groups.braces(name.end()) if name else None
    if not name or not body:
        return None
    star = "*" if match["operator"].endswith("*") else ""
    text = f"\\operatorname{star}{{{_clean(groups.text[slice(*body)])}}}"
    return Definition(match.start(), body[1] + 1, name[1], Macro((), text), False)


def _paired(match: re.Match[str], groups: Groups) -> Definition | None:
    name = _NAME.match(groups.text, match.end())
    left = groups.token(name.end()) if name else None
    right = groups.token(groups.after(left)) if left else None
    if not name or not left or not right:
        return None
    opening, closing = groups.text[slice(*left)], groups.text[slice(*right)]
    macro = Macro(("s", "O", "m"), f"{opening} #3 {closing}")
    return Definition(match.start(), groups.after(right), name[1], macro, False)


def _with_body(
    match: re.Match[str],
    groups: Groups,
    name: str,
    parameters: tuple[str, ...],
    position: int,
    *,
    provides: bool,
) -> Definition | None:
    body = groups.braces(position)
    if body is None:
        return None
    macro = Macro(parameters, _clean(groups.text[slice(*body)]))
    return Definition(match.start(), body[1] + 1, name, macro, provides)


def _clean(body: str) -> str:
    made = _COMMENT.sub("", body).strip("\n")
    return branches.one_style(made) if "\\mathchoice" in made else made


def arguments(
    macro: Macro, groups: Groups, position: int
) -> tuple[list[tuple[int, int] | None], int] | None:
    """Spans of a macro's arguments at a place of use and where they end; None if they are missing.

    A span is None where a star or an optional argument was not given.
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
        if kind == "s":
            star = groups.text.startswith("*", position)
            spans.append((position, position + 1) if star else None)
            position += star
        elif kind in "oO":
            span = groups.brackets(position)
            spans.append(span)
            position = span[1] + 1 if span else position
        else:
            delimiter = _delimiter(parameters, index)
            span = _delimited(groups, position, delimiter) if delimiter else groups.token(position)
            if span is None:
                return None
            spans.append(_bare(groups, span) if delimiter else span)
            position = span[1] + len(delimiter) if delimiter else groups.after(span)
    return spans, position


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
    """A body with the arguments put in, the macro's own if none is given.

    xparse's tests for a missing value are decided.
    """
    body = macro.body if body is None else body
    if "#" not in body:
        return body
    if sum(map(len, values)) > _WORTH_KEEPING:
        return _substituted(macro.parameters, tuple(values), body)
    return _kept(macro.parameters, tuple(values), body)


def _substituted(parameters: tuple[str, ...], values: tuple[str, ...], body: str) -> str:
    pieces: list[str] = []
    is_slot = False
    for piece in _split(body):
        append(pieces, _value(piece, parameters, values) if is_slot else piece)
        is_slot = not is_slot
    made = "".join(pieces)
    return branches.valued(made, NO_VALUE) if "Value" in made or "Boolean" in made else made


_kept = lru_cache(maxsize=8_192)(_substituted)
"""Papers use few macros often, and mostly with few short arguments."""


@lru_cache(maxsize=2_048)
def _split(body: str) -> list[str]:
    """What stands between the slots of a body, and their numbers in between."""
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
    return kind[1:] if kind[0] == "O" else NO_VALUE


def filled(macro: Macro, body: str, values: list[str], limit: int) -> str | None:
    """Another body of the macro with its arguments put in; None if that might be too long."""
    slots = body.count("#")
    if not slots:
        return body
    if len(body) + slots * max(map(len, values), default=0) > limit:
        return None
    return substitute(macro, values, body)
