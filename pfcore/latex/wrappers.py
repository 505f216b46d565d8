"""What a paper's macros declare and define where they are used, as in `\\defthm{lem}{Lemma}`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pfcore.latex import macros, reach
from pfcore.latex.declarations import Environment, Theorem, declarations
from pfcore.latex.groups import Groups
from pfcore.latex.macros import Definition, Macro
from pfcore.latex.mask import mask
from pfcore.latex.spans import Spans

DECLARERS = frozenset(
    """newtheorem spnewtheorem declaretheorem newmdtheoremenv newframedtheorem newshadedtheorem
    newtcbtheorem newenvironment renewenvironment newproof""".split()
)
DEFINERS = frozenset(
    """newcommand renewcommand providecommand DeclareRobustCommand newrobustcmd renewrobustcmd
    NewDocumentCommand RenewDocumentCommand DeclareDocumentCommand ProvideDocumentCommand
    def gdef edef xdef let DeclareMathOperator""".split()
)
_COMMAND = re.compile(r"\\([A-Za-z@]+)")
_OTHERWISE = re.compile(r"\s*\}\s*\{\s*")
"""Between two uses in the arguments of one command, a condition: the first one holds."""
_ROUNDS = 4
_MOST = 5_000
_LONGEST = 20_000


class Made(NamedTuple):
    """What the uses of macros in one file make: environments, and macros at these uses."""

    theorems: tuple[Theorem, ...] = ()
    environments: tuple[Environment, ...] = ()
    macros: tuple[Definition, ...] = ()


def wrappers(table: Mapping[str, Macro]) -> frozenset[str]:
    """The macros whose body declares environments or defines macros."""
    wanted = DECLARERS | DEFINERS
    return reach.leading(reach.calls(table), wanted) & table.keys() - wanted


def made(
    text: str, silent: Sequence[tuple[int, int]], table: Mapping[str, Macro], names: frozenset[str]
) -> Made:
    """What the uses of these macros in a file declare and define."""
    if not any(f"\\{name}" in text for name in names):
        return Made()
    table = {name: table[name] for name in names}
    theorems: list[Theorem] = []
    environments: list[Environment] = []
    defined: list[Definition] = []
    for start, end, body in _uses(mask(text).text, Spans(silent), table):
        groups = Groups(body)
        found = declarations(body, groups)
        theorems += found.theorems
        environments += found.environments
        defined += [
            item._replace(start=start, end=end) for item in macros.definitions(body, groups)
        ]
    return Made(tuple(theorems), tuple(environments), tuple(defined))


Use = tuple[int, int, str]
"""Where a macro is used in the file, where its last argument ends, and what it stands for."""


def _uses(text: str, hidden: Spans, table: Mapping[str, Macro]) -> Iterator[Use]:
    """The uses in a file, each followed by those in what it stands for."""
    left = _MOST
    for use in _found(text, hidden, table):
        stack = [(use, 0)]
        while stack and left > 0:
            (start, end, body), depth = stack.pop()
            yield start, end, body
            left -= 1
            if depth < _ROUNDS:
                below = list(_found(body, Spans(()), table))
                stack += [((start, end, inner), depth + 1) for _, _, inner in reversed(below)]


def _found(text: str, hidden: Spans, table: Mapping[str, Macro]) -> Iterator[Use]:
    groups = Groups(text)
    before = "", 0
    for match in _COMMAND.finditer(text):
        if match[1] not in table or hidden.covers(match.start()):
            continue
        if match[1] == before[0] and _OTHERWISE.fullmatch(text, before[1], match.start()):
            continue
        macro = table[match[1]]
        found = macros.arguments(macro, groups, match.end())
        if found is None or macro.parameters == macros.PRIMITIVE:
            continue
        values = [macros.NO_VALUE if s is None else text[slice(*s)] for s in found[0]]
        body = macros.filled(macro, macro.body, values, _LONGEST)
        before = match[1], found[1]
        if body is not None:
            yield match.start(), found[1], body
