"""Reads .aux files: the number of each label, cleveref's kind, and further .aux files."""

import re
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.numbering import counters
from pfcore.latex.numbering.counter_state import Number

_COMMAND = regex(r"\\(newlabel|@input)\s*\{([^{}\n]{1,300})\}")
_KIND = regex(r"\[([^\[\]]*)\]")
_MEMOIR = regex(r"^[\s{]*\\M@TitleReference\s*\{([^{}]*)\}.*$", re.DOTALL)
_OWN = ("@cref", "@plus", "@@data", "@xvr", "@vr")


class Aux(NamedTuple):
    """The labels of an .aux file, and the .aux files that it inputs."""

    labels: dict[str, Number]
    inputs: tuple[str, ...]


def parse_aux_file(text: str) -> Aux:
    """Read an .aux file; only labels and inputs are used."""
    labels: dict[str, Number] = {}
    kinds: dict[str, str] = {}
    inputs: list[str] = []
    groups = Groups(text)
    for match in _COMMAND.finditer(text):
        if match[1] == "@input":
            inputs.append(match[2].strip())
            continue
        fields = _fields(groups, match.end())
        key = match[2]
        if key.endswith("@cref") and fields:
            found = _KIND.match(fields[0])
            kinds[key.removesuffix("@cref")] = found[1] if found else ""
        elif fields and not key.endswith(_OWN) and not key.startswith("thmt@@"):
            labels[key] = _number(fields, labels.get(key))
    for key, kind in kinds.items():
        if key in labels and kind:
            labels[key] = labels[key]._replace(kind=kind)
    return Aux(labels, tuple(inputs))


def _fields(groups: Groups, position: int) -> list[str]:
    outer = groups.braces(position)
    if outer is None:
        return []
    inner = Groups(groups.text[slice(*outer)])
    fields: list[str] = []
    at = 0
    while span := inner.braces(at):
        fields.append(inner.text[slice(*span)])
        at = span[1] + 1
    return fields


def _number(fields: list[str], known: Number | None) -> Number:
    """The number; its kind is that of hyperref's anchor. A label with two numbers is uncertain."""
    text, certain = counters.without_fonts(_MEMOIR.sub(r"\1", fields[0]))
    anchor = fields[3] if len(fields) > 3 else ""
    kind = anchor.partition(".")[0]
    agrees = known is None or known.text == text
    return Number(text, kind, certain and agrees)
