"""A text being scanned: that of a file, or of a macro expanded at a place of a file.

Also the state of the scanner: the steps found so far, and the open displays.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.macros import macro
from pfcore.latex.macros.definitions import Definition, definitions
from pfcore.latex.numbering.counter_state import CounterStep
from pfcore.latex.numbering.counting_commands import DISPLAYS, MORE_TESTS, TESTS
from pfcore.latex.project.declarations import declarations

_CONDITION = regex(r"\\(if[A-Za-z@]*|else|or|fi)(?![A-Za-z@])")
_NO_CONDITIONS = (
    TESTS
    | MORE_TESTS
    | frozenset("iff ifdefined@ ifpackageloaded ifrefundefined ifxetexorluatex".split())
)
_DEFINER = regex(r"command|def|let|Command|environment|Environment")
_BRACES = regex(r"\\.|[{}]", re.DOTALL)
_REACH = 60_000
_BEFORE = 12
_WORD = regex(r"\s*[A-Za-z@*-]{0,40}\s*")
"""The body of a macro that names a class or a counter."""


class ConditionPart(NamedTuple):
    """A part of a condition: `if`, `or`, `else` or `fi`, and where the condition begins.

    `passed` is the number of `\\or` of an `\\ifcase` before it.
    """

    op: str
    opened: int
    passed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScannedText:
    """A text; `at` is its offset in the file, or None if it is the file itself.

    `tail` is the character after it; `opened` are the environments being expanded.
    """

    groups: Groups
    hidden: Spans
    definitions: Mapping[int, Definition]
    conditions: Mapping[int, ConditionPart]
    at: int | None = None
    depth: int = 0
    serial: int = 0
    tail: str = ""
    opened: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """The text."""
        return self.groups.text

    def offset(self, position: int) -> int:
        """The offset of a position in the file."""
        return position if self.at is None else self.at

    def scope(self, item: Definition) -> tuple[str, str]:
        """The mode of a definition (global, now or neither), and the closing brace that ends it."""
        head = self.text[item.start : item.start + 5]
        modes = (("global", item.is_global), ("now", head in ("\\edef", "\\xdef")))
        closing = "" if item.is_global or self.at is not None else self.closing(item.end)
        return " ".join(mode for mode, holds in modes if holds), closing

    def closing(self, position: int) -> str:
        """The offset of the brace that ends the group around a position; "" if there is none."""
        depth = 0
        for match in _BRACES.finditer(self.text, position, position + _REACH):
            depth += (match[0] == "{") - (match[0] == "}")
            if depth < 0:
                return str(match.start())
        return ""


def passage(
    text: str, silent: Sequence[tuple[int, int]], definitions: Sequence[Definition]
) -> ScannedText:
    """A whole file."""
    hidden = Spans(silent)
    return ScannedText(
        groups=Groups(text),
        hidden=hidden,
        definitions={item.start: item for item in definitions},
        conditions=_conditions(text, hidden),
    )


def inner(
    here: ScannedText, body: str, at: int, *, tail: str, opened: str, serial: int
) -> ScannedText:
    """The expansion of a macro or of an environment's begin; `serial` distinguishes passages."""
    groups = Groups(body)
    defined = definitions(body, groups) if _DEFINER.search(body) else []
    spans = [(item.start, item.end) for item in defined]
    if defined or "nvironment" in body:
        spans += declarations(body, groups).silent
    hidden = Spans(spans)
    return ScannedText(
        groups=groups,
        hidden=hidden,
        definitions={item.start: item for item in defined},
        conditions=_conditions(body, hidden),
        at=here.offset(at),
        depth=here.depth + 1,
        serial=serial,
        tail=tail,
        opened=here.opened | {opened} if opened else here.opened,
    )


def _conditions(text: str, hidden: Spans) -> dict[int, ConditionPart]:
    """The parts of complete conditions by offset; incomplete ones are ignored."""
    if "\\if" not in text:
        return {}
    stack: list[tuple[int, bool, list[tuple[str, int]]]] = []
    found: dict[int, ConditionPart] = {}
    for match in _CONDITION.finditer(text):
        word, at = match[1], match.start()
        if hidden.covers(at) or text[max(0, at - 6) : at].rstrip().endswith(("\\newif", "\\let")):
            continue
        opened, is_case, middle = stack[-1] if stack else (-1, False, [])
        if word == "fi" and stack:
            stack.pop()
            found[opened] = ConditionPart("if", opened)
            for passed, (op, place) in enumerate(middle, 1):
                found[place] = ConditionPart(op, opened, passed if op == "or" else passed - 1)
            passed = sum(op == "or" for op, _ in middle)
            found[at] = ConditionPart("fi", opened, passed)
        elif word in ("else", "or"):
            is_over = any(op == "else" for op, _ in middle)
            if stack and not is_over and (word == "else" or is_case):
                middle.append((word, at))
        elif word != "fi" and word not in _NO_CONDITIONS:
            stack.append((at, word == "ifcase", []))
    return found


_TOUCHING = frozenset({"setcounter", "addtocounter", "stepcounter", "refstepcounter", "taint"})
_NAMING = frozenset({"define", "let", "form"})
SWITCHING = frozenset({"switch", "let switch"})
"""Steps that set a switch."""


def touched(hooked: Sequence[CounterStep]) -> list[str]:
    """The counters whose value or printed form some steps change."""
    found = [step.args[0] for step in hooked if step.op in _TOUCHING]
    found += [
        step.args[0].removeprefix("the").removeprefix("c@") for step in hooked if step.op in _NAMING
    ]
    found += [step.args[0] for step in hooked if step.op == "section"]
    found += [step.args[0] for step in hooked if step.op in ("numberwithin", "counterwithin")]
    begun = {step.args[0] for step in hooked if step.op == "begin"}
    found += ["equation" for name in begun if name in DISPLAYS]
    found += [name for name in begun if name not in DISPLAYS]
    return sorted(set(found))


class Finder:
    """Collects steps; `displays` has the counts of open braces and environments of a display.

    `words` are macros that are used to name a class or a counter, `told` those of them whose
    definition became a step.
    """

    def __init__(self) -> None:
        self.found: list[CounterStep] = []
        self.displays: list[list[int]] = []
        self.words: frozenset[str] = frozenset()
        self.told: set[str] = set()
        self._name = ""

    def emit(self, here: ScannedText, at: int, op: str, *args: str) -> None:
        """Add a step."""
        self.found.append(CounterStep(here.offset(at), op, args))

    def test(self, here: ScannedText, at: int, position: int) -> None:
        """Add the steps of a condition's beginning, middle or end, if the condition is complete."""
        role = here.conditions.get(at)
        if role is None:
            return
        first = f"{here.serial}.{role.opened}"
        marks = [first, *(f"{first}.{passed}" for passed in range(1, role.passed + 1))]
        if role.op == "fi":
            for mark in reversed(marks):
                self.emit(here, at, "fi", mark)
        elif role.op == "or":
            self.emit(here, at, "else", marks[-2])
            self.emit(here, at, "if", marks[-1], "ifcase")
        elif role.op == "else":
            self.emit(here, at, "else", marks[-1])
        else:
            is_negated = here.text[max(0, at - _BEFORE) : at].rstrip().endswith("\\unless")
            snippet = here.text[at + 1 : position + 60]
            self.emit(here, at, "if", marks[0], f"unless {snippet}" if is_negated else snippet)

    def sign(self, here: ScannedText, sign: str, at: int) -> None:
        """End a row, or begin or end a display."""
        if sign == "\\":
            if self.displays and self.displays[-1] == [0, 0]:
                self.emit(here, at, "row")
        elif sign == "[":
            self.open(here, "displaymath", at)
        elif sign == "]" and self.displays:
            self.close(here, "displaymath", at)

    def open(self, here: ScannedText, name: str, at: int) -> None:
        """Begin a display, perhaps inside another."""
        self.emit(here, at, "begin", name)
        if self.displays:
            self.displays[-1][1] += 1
        else:
            self._name = name
            self.displays.append([0, 0])

    def close(self, here: ScannedText, name: str, at: int) -> None:
        """End a display."""
        if self.displays:
            self.displays[-1][1] -= 1
            if self.displays[-1][1] < 0:
                self.displays.pop()
                name = self._name
        self.emit(here, at, "end", name)

    def define(self, here: ScannedText, item: Definition) -> int:
        """Add steps for definitions of switches, words, and printed forms and names of counters."""
        if item.name.startswith("if"):
            self.emit(here, item.start, "let switch", item.name[2:], item.macro.body)
        is_word = item.name in self.words and not item.macro.parameters
        if is_word and _WORD.fullmatch(item.macro.body):
            self.told.add(item.name)
            self.emit(here, item.start, "word", item.name, item.macro.body.strip())
        if item.name.startswith(("the", "p@", "c@")) or item.name == "@thmcountersep":
            is_let = item.macro.parameters == macro.PRIMITIVE
            if is_let or not item.macro.parameters:
                mode, closing = here.scope(item)
                op = "let" if is_let else "define"
                self.emit(here, item.start, op, item.name, item.macro.body, mode, closing)
                if closing:
                    self.found.append(CounterStep(int(closing), "close", (closing,)))
        return item.end
