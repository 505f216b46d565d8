"""A statement or proof as text that may be changed: its words, its formulas, its sentences."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from pfcore.domain.values import Module, ModulePart, Passage
from pfcore.graph.paper_state import PaperState
from pfcore.latex.lexer.mask import mask

_FORMULA = re.compile(
    r"(?<!\\)\$\$.+?(?<!\\)\$\$|(?<![\\$])\$[^$]+?(?<!\\)\$|(?<!\\)\\\[.+?\\\]|(?<!\\)\\\(.+?\\\)"
    r"|\\begin\{(equation|align|gather|multline|eqnarray|alignat|flalign)(\*?)\}"
    r".+?\\end\{\1\2\}",
    re.DOTALL,
)
_APART = re.compile(
    r"\\(?:label|tag|[A-Za-z]*ref|cite\w*|text\w*|mbox|operatorname|begin|end|[hv]space|uses|lean"
    r"|includegraphics|input|url|href|footnote)\*?\s*(?:\[[^\][]*\])?\{[^{}]*\}"
    r"|\\\\\s*\[[^\][]*\]"
)
"""Arguments that are no mathematics: labels, words, lengths."""

_STOP = re.compile(r"(?<=[a-z)\]}$])\.(?=\s|\Z)|\n[ \t]*\n|\\item\b|\\\]|\\(?:begin|end)\{[^{}]*\}")


_LEADING = re.compile(
    r"(?:\s|\\(?:label|lean|uses|index|proves|[a-z]+ok|notready)\b(?:\{[^{}]*\})?|\[[^\][]*\])*"
)
"""What may stand before the first sentence: a title, labels, marks of a blueprint."""


class SourceEdit(NamedTuple):
    """A passage of a file, and what is to stand there instead."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, kw_only=True)
class PassageWords:
    """A passage of a module; offsets are those of its file."""

    state: PaperState
    module: Module
    part: ModulePart
    passage: Passage

    @cached_property
    def text(self) -> str:
        """The file's text without comments, up to the passage's end."""
        where = self.passage.location
        return mask(self.state.paper.source(where.path)).text[: where.end]

    @property
    def start(self) -> int:
        """Where the passage begins in its file."""
        return self.passage.location.start

    @cached_property
    def maths(self) -> str:
        """The text with all blanked but formulas, and in these what is no mathematics."""
        kept = [" "] * len(self.text)
        for found in _FORMULA.finditer(self.text, self.start):
            formula = _APART.sub(lambda apart: " " * len(apart[0]), found[0])
            kept[found.start() : found.end()] = formula
        return "".join(kept)

    def formulas(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Where a pattern matches in formulas."""
        return pattern.finditer(self.maths, self.start)

    def words(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Where a pattern matches in the source."""
        return pattern.finditer(self.text, self.start)

    @cached_property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """The sentences, from their first character to behind their stop."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[tuple[int, int]]:
        covered = {i for found in self.words(_FORMULA) for i in range(found.start(), found.end())}
        start = self.start
        for stop in self.words(_STOP):
            if stop.start() in covered and stop[0] != "\\]":
                continue
            yield from self._stripped(start, stop.end() if stop[0] == "." else stop.start())
            start = stop.end()
        yield from self._stripped(start, len(self.text))

    def _stripped(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        leading = _LEADING.match(self.text, start, end)
        start = leading.end() if leading else start
        if text := self.text[start:end].rstrip():
            yield start, start + len(text)


Operator = Callable[[PassageWords], Iterator[SourceEdit]]


def passages(state: PaperState, module: Module) -> list[PassageWords]:
    """The statement and the proofs of a module."""
    listed = [
        (ModulePart.STATEMENT, module.statement),
        *((ModulePart.PROOF, item) for item in module.proofs),
    ]
    return [
        PassageWords(state=state, module=module, part=part, passage=passage)
        for part, passage in listed
    ]
