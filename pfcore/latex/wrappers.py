"""Environments that a macro of the paper declares, as in `\\defthm{lem}{Lemma}`."""

import re
from collections.abc import Mapping, Sequence

from pfcore.latex import macros
from pfcore.latex.groups import Groups
from pfcore.latex.macros import Macro
from pfcore.latex.mask import mask
from pfcore.latex.spans import Spans
from pfcore.latex.survey import Environment, Theorem, declarations

DECLARERS = frozenset(
    """newtheorem spnewtheorem declaretheorem newmdtheoremenv newframedtheorem newshadedtheorem
    newtcbtheorem newenvironment renewenvironment newproof""".split()
)
_ROUNDS = 3


def wrappers(table: Mapping[str, Macro]) -> frozenset[str]:
    """The macros whose body declares environments."""
    return macros.reach(table, DECLARERS) - DECLARERS


def declared(
    text: str, silent: Sequence[tuple[int, int]], table: Mapping[str, Macro], names: frozenset[str]
) -> tuple[tuple[Theorem, ...], tuple[Environment, ...]]:
    """The environments that the uses of these macros in a file declare."""
    theorems: list[Theorem] = []
    environments: list[Environment] = []
    listed = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    pattern = re.compile(rf"\\({listed})(?![A-Za-z@])")
    pieces = [_uses(mask(text).text, pattern, table, Spans(silent))]
    for _ in range(_ROUNDS):
        body = "\n".join(pieces[-1])
        if not body:
            break
        found, others, _, _ = declarations(body, Groups(body))
        theorems.extend(found)
        environments.extend(others)
        pieces.append(_uses(body, pattern, table, Spans(())))
    return tuple(theorems), tuple(environments)


def _uses(
    text: str, pattern: re.Pattern[str], table: Mapping[str, Macro], hidden: Spans
) -> list[str]:
    groups = Groups(text)
    made: list[str] = []
    for match in pattern.finditer(text):
        found = None
        if not hidden.covers(match.start()):
            found = macros.arguments(table[match[1]], groups, match.end())
        if found:
            values = [macros.NO_VALUE if s is None else text[slice(*s)] for s in found[0]]
            made.append(macros.substitute(table[match[1]], values))
    return made
