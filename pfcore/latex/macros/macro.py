"""The paper's own macros: their arguments at a place of use, and what they become with them."""

import re
from functools import lru_cache
from typing import NamedTuple

from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.joining import append
from pfcore.latex.macros import branches

NO_VALUE = "\x06"
"""Stands for an optional argument that was not given."""

_SLOT = re.compile(r"#([1-9#])")

_BODY_WORTH_KEEPING = 200

PRIMITIVE = ("=",)
"""Parameters of a `\\let` to a command that is not the paper's own: it stays that command."""


class Macro(NamedTuple):
    """A macro of the paper.

    Each parameter is `m` (mandatory), `s` (star), `t` followed by another sign that may stand
    there, `o` (optional without default), `O` followed by its default, or `l` followed by literal
    text that delimits the argument before it.
    """

    parameters: tuple[str, ...]
    body: str

    @property
    def unused(self) -> frozenset[int]:
        """Which of its arguments it takes and does not use; none where signs part them."""
        if not {kind[0] for kind in self.parameters} <= {"m", "o", "O"}:
            return frozenset()
        return frozenset(
            index
            for index, kind in enumerate(self.parameters)
            if kind == "m" and f"#{index + 1}" not in self.body
        )


def arguments(
    macro: Macro, groups: Groups, position: int
) -> tuple[list[tuple[int, int] | None], int] | None:
    """Spans of a macro's arguments at a place of use and where they end; None if they are missing.

    A span is None where a star, a sign or an optional argument was not given.
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
    return branches.valued(made, NO_VALUE) if "Value" in made or "Boolean" in made else made


_kept_substitution = lru_cache(maxsize=8_192)(_substituted)
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
