"""Chains of equalities in the mathematics of a LaTeX source, member by member."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pfcore.checks.algebra.tokens import DISPLAYS, Lexer, MathToken, Meaning, Unit, units
from pfcore.latex.lexer.groups import Groups

_LONGEST_UNIT = 20_000
_ONWARD = frozenset({"+", "-", "*", "/", "\\cdot", "\\times"})
_BREAKS = frozenset({"gap", "stop", "row"})


class Chain(NamedTuple):
    """The members of a chain, and the commands of its unit that no formula may hold."""

    members: tuple[tuple[MathToken, ...], ...]
    unit: Unit
    commands: frozenset[str]


def chains(text: str, meaning: Meaning) -> Iterator[Chain]:
    """The chains with three members or more, of a masked text; a display closes before its end."""
    groups = Groups(text)
    for unit in units(text):
        if unit.name not in DISPLAYS or not _is_promising(text, unit):
            continue
        lexer = Lexer(meaning)
        lexer.read(groups, unit)
        split = _Splitter(lexer.tokens, is_multiline=unit.name.startswith("multline"))
        commands = frozenset(lexer.commands)
        for members in split.chains():
            if len(members) > 2:
                yield Chain(tuple(tuple(member) for member in members), unit, commands)


def _is_promising(text: str, unit: Unit) -> bool:
    first = text.find("=", unit.start, unit.end)
    is_short = unit.end - unit.start <= _LONGEST_UNIT
    return is_short and first >= 0 and text.find("=", first + 1, unit.end) >= 0


class _Splitter:
    """Chains from tokens: across rows where they go on, broken by other relations and by words."""

    def __init__(self, tokens: Sequence[MathToken], *, is_multiline: bool) -> None:
        self._tokens = _without_second_marks(tokens)
        self._is_table, has_mark = _shape(self._tokens)
        self._goes_on = is_multiline or has_mark
        self._is_multiline = is_multiline
        self._members: list[list[MathToken]] = [[]]
        self._done: list[list[list[MathToken]]] = []

    def chains(self) -> list[list[list[MathToken]]]:
        """The members of each chain."""
        index = depth = 0
        while index < len(self._tokens):
            token = self._tokens[index]
            index += 1
            depth += (token.text == "{") - (token.text == "}")
            if token.kind in _BREAKS or token.text == "&":
                index = self._break(index - 1, depth)
            elif token.kind == "equals" and depth <= 0:
                self._members.append([])
            elif token.kind == "relation" and depth <= 0:
                self._flush()
            elif token.kind in ("equals", "relation"):
                self._spoil(token)
            else:
                self._members[-1].append(token)
        self._flush()
        return self._done

    def _flush(self) -> None:
        self._done.append(self._members)
        self._members = [[]]

    def _spoil(self, token: MathToken) -> None:
        self._members[-1].append(token._replace(kind="bad"))

    def _break(self, index: int, depth: int) -> int:
        """End the chain at a run of rows, words and gaps, unless it goes on behind them."""
        start = index
        kinds: set[str] = set()
        while index < len(self._tokens):
            token = self._tokens[index]
            if token.kind not in _BREAKS and token.text != "&":
                break
            kinds.add(token.kind if token.text != "&" else "mark")
            index += 1
        following = self._tokens[index] if index < len(self._tokens) else None
        first = self._tokens[start]
        if depth > 0:
            self._spoil(first)
        elif (self._is_table and kinds & {"mark", "row"}) or following is None:
            self._flush()
        elif kinds == {"mark"} or self._is_continued(kinds, following):
            pass
        elif self._is_torn(kinds, following):
            self._spoil(first)
        else:
            self._flush()
        return index

    def _is_continued(self, kinds: set[str], following: MathToken) -> bool:
        """Whether the member, or the chain, certainly goes on."""
        if following.kind in ("equals", "relation"):
            return True
        if "stop" in kinds:
            return False
        last = self._members[-1][-1].text if self._members[-1] else "="
        if "row" not in kinds:
            return following.text in _ONWARD or last in _ONWARD
        is_inside = "mark" in kinds or self._is_multiline
        if last in _ONWARD or (last == "=" and len(self._members) > 1):
            return is_inside or following.text not in _ONWARD
        return following.text in _ONWARD and self._goes_on and is_inside

    def _is_torn(self, kinds: set[str], following: MathToken) -> bool:
        """Whether the member may go on in a way that is not certain."""
        if following.text in _ONWARD or following.text in ("^", "_", "!", ")", "]"):
            return True
        return "row" in kinds and ("mark" in kinds or self._is_multiline)


def _without_second_marks(tokens: Sequence[MathToken]) -> list[MathToken]:
    """The tokens with `& = &` turned into `& =`."""
    kept: list[MathToken] = []
    for token in tokens:
        is_second = (
            token.text == "&"
            and len(kept) > 1
            and kept[-1].kind in ("equals", "relation")
            and kept[-2].text == "&"
        )
        if not is_second:
            kept.append(token)
    return kept


def _shape(tokens: Sequence[MathToken]) -> tuple[bool, bool]:
    """Whether a row has several columns, and whether relations stand behind the marks.

    Columns that hold nothing but words do not count.
    """
    most = marks = 0
    has_mark = False
    after = None
    for token in tokens:
        if token.kind == "row":
            marks = 0
        elif token.text == "&":
            marks += 1
        elif token.kind not in _BREAKS:
            most = max(most, marks)
            has_mark = has_mark or (after == "&" and token.kind in ("equals", "relation"))
        after = token.text
    return most > 1, has_mark
