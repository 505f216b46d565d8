"""Finds arguments of commands: braces and brackets, without recursion and in linear time.

Also joins pieces of LaTeX so that a command never runs into the letters that follow it.
"""

import re
from collections.abc import Iterator

from pfcore.domain.lazy_regex import regex

_SPACE = regex(r"[ \t\n]*")
_BLANKS = (" ", "\t", "\n")
_BRACES = regex(r"\\.|[{}]", re.DOTALL)
_BRACKETS = regex(r"\\.|[{}\]]", re.DOTALL)
_SIMPLE = regex(r"\{([^{}\\]*)\}")
_COMMAND = regex(r"\\(?:[A-Za-z@]+|.)", re.DOTALL)

_BRACKET_REACH = 4_000
_PATIENCE = 50
_SHORT_REACH = 200
_UNCLOSED = -1


class Groups:
    """Finds the arguments in one text; every brace is visited once, however deeply they nest."""

    __slots__ = ("_closing", "_failures", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._closing: dict[int, int] = {}
        self._failures = 0

    def skip_space(self, position: int) -> int:
        """The first position at or after this one that is not white space."""
        match = _SPACE.match(self.text, position)
        return match.end() if match else position

    def side_by_side(self, position: int, most: int) -> Iterator[tuple[int, int]]:
        """The inner spans of up to `most` braces and brackets in a row that begin here."""
        for _ in range(most):
            span = self.brackets(position) or self.braces(position)
            if span is None:
                return
            yield span
            position = span[1] + 1

    def braces(self, position: int) -> tuple[int, int] | None:
        """Inner span of the `{…}` that begins here, white space skipped; None if there is none."""
        text = self.text
        if not text.startswith("{", position):
            if not text.startswith(_BLANKS, position):
                return None
            position = self.skip_space(position)
            if not text.startswith("{", position):
                return None
        simple = _SIMPLE.match(text, position)
        if simple:
            return simple.span(1)
        if position not in self._closing:
            self._match_from(position)
        close = self._closing[position]
        return None if close == _UNCLOSED else (position + 1, close)

    def brackets(self, position: int) -> tuple[int, int] | None:
        """Inner span of the `[…]` that begins here, white space skipped; None if there is none."""
        text = self.text
        if not text.startswith("[", position):
            if not text.startswith(_BLANKS, position):
                return None
            position = self.skip_space(position)
            if not text.startswith("[", position):
                return None
        depth = 0
        reach = _BRACKET_REACH if self._failures < _PATIENCE else _SHORT_REACH
        for match in _BRACKETS.finditer(text, position + 1, position + reach):
            token = match[0]
            if token == "{":
                depth += 1
            elif token == "}":
                depth -= 1
            elif token == "]" and depth == 0:
                return position + 1, match.start()
            if depth < 0:
                break
        self._failures += 1
        return None

    def token(self, position: int) -> tuple[int, int] | None:
        """Span of an undelimited argument: a group's inside, a command, or one character."""
        position = self.skip_space(position)
        text = self.text
        if position >= len(text) or text[position] == "}":
            return None
        if text[position] == "{":
            return self.braces(position)
        if text[position] == "\\":
            match = _COMMAND.match(text, position)
            return match.span() if match else None
        return position, position + 1

    def after(self, span: tuple[int, int]) -> int:
        """The offset after an argument: past its closing brace or bracket, if it has one."""
        start, end = span
        opened = start > 0 and self.text[start - 1] in "{["
        return end + 1 if opened and end < len(self.text) and self.text[end] in "}]" else end

    def _match_from(self, position: int) -> None:
        """Match this brace and all inside it; what stays open at the end is marked as unclosed."""
        stack: list[int] = []
        for match in _BRACES.finditer(self.text, position):
            token = match[0]
            if token == "{":
                stack.append(match.start())
            elif token == "}":
                self._closing[stack.pop()] = match.start()
                if not stack:
                    return
        for opened in stack:
            self._closing[opened] = _UNCLOSED


_ENDS_IN_COMMAND = regex(r"\\[A-Za-z@]+$")


def append(pieces: list[str], text: str) -> None:
    """Append a text, with a space between a command at the end and a letter that follows."""
    if not text:
        return
    if text[0].isalpha() and pieces:
        last = pieces[-1]
        if "\\" in last and _ENDS_IN_COMMAND.search(last[-40:]):
            pieces.append(" ")
    pieces.append(text)


def join_texts(*texts: str) -> str:
    """The concatenation of some texts, with such spaces."""
    pieces: list[str] = []
    for text in texts:
        append(pieces, text)
    return "".join(pieces)
