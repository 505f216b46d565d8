"""What the title of a proof says that it proves: labels, or kinds with numbers."""

import itertools
import re
from typing import NamedTuple

from pfcore.latex.project.kinds import named_kind
from pfcore.latex.structure.titles import REFERENCE, labels_in


class NumberedTarget(NamedTuple):
    """A result by its kind and number: "theorem", "2.1"."""

    kind: str
    number: str


_GAP = r"(?:[\s~]|\\[ ,;])+"
_NUMBER = r"(?:(?:[A-Z]\.)?\d{1,3}(?:\.\d{1,3}){0,3}|[A-Z]|[IVX]{2,5})['*′]{0,2}(?!\w|\.\d|-\w)"
_JOINT = (
    rf"(?:\s*,(?:{_GAP}(?:and|und|et))?\s*|{_GAP}(?:and|und|et|\\&|to){_GAP}|\s*(?:--?-?|–)\s*)"
)
_NAMED = re.compile(
    rf"(?P<kind>[^\W\d_]{{2,20}}\.?){_GAP}\(?(?P<numbers>{_NUMBER}(?:{_JOINT}{_NUMBER}){{0,9}})\)?"
)
_ONE = re.compile(_NUMBER)
_JOINED = re.compile(rf"{_JOINT}(?:the{_GAP})?")
_RANGE = re.compile(r"[\s~]*(?:--?-?|–|\bto\b|\bthrough\b)[\s~]*")
_MOST = 50
_IMPLIES = re.compile(
    r"\b(?:implies|imply|yields?|gives?)\b|\\(?:implies|Rightarrow|Longrightarrow)(?![A-Za-z])|⇒"
)
_MEANS = (
    r"\b(?:(?:follows?|deduced|derived)[\s~]+from|using|assuming|assumes|from|given|modulo|via|by"
    r"|with|without|under|based[\s~]+on|relying[\s~]+on|after|uses)\b"
)
_BY = re.compile(_MEANS)
_BY_AT_END = re.compile(_MEANS + r"[\s~]*(?:the[\s~]+)?(?:[^\W\d_]{2,20}\.?)?[\s~]*\(?\Z")
_ELSEWHERE = re.compile(r"\\[A-Za-z]*cite|\[")


def labels(title: str) -> tuple[str, ...]:
    """The labels of what is proved: not of what it is proved from, nor by."""
    return labels_in(_aim(title)) if "ef" in title else ()


def ranges(title: str) -> tuple[tuple[str, str], ...]:
    """Pairs of labels between which all are meant: `Theorems \\ref{a}--\\ref{c}`."""
    aim = _aim(title) if "ef" in title else ""
    found = list(REFERENCE.finditer(aim))
    return tuple(
        (one[1].rpartition(",")[2].strip(), other[1].partition(",")[0].strip())
        for one, other in itertools.pairwise(found)
        if _RANGE.fullmatch(aim, one.end(), other.start())
    )


def number_in(printed: str, kind: str) -> str:
    """The number that the name of an environment ends in: "A" of "Theorem A"; "" if in none."""
    match = _NAMED.fullmatch(printed.strip())
    is_one = match is not None and _ONE.fullmatch(match["numbers"]) is not None
    return match["numbers"] if match and is_one and named_kind(match["kind"]) == kind else ""


def named_results(title: str) -> tuple[NumberedTarget, ...]:
    """The results that are proved, by kind and number; none where another work is named."""
    aim = _aim(title)
    if _ELSEWHERE.search(aim) or REFERENCE.search(aim):
        return ()
    found: list[NumberedTarget] = []
    end = -1
    for match in _NAMED.finditer(aim):
        kind = named_kind(match["kind"])
        if kind and (not found or _JOINED.fullmatch(aim, end, match.start())):
            found += [NumberedTarget(kind, number) for number in _listed(match["numbers"])]
            end = match.end()
    return tuple(found)


def _aim(title: str) -> str:
    """What a title says up to the means: "Theorem B" of "Proof that Lemma N implies Theorem B"."""
    first = _first(title)
    if first is None or _BY_AT_END.search(title[: first.start()]):
        return ""
    implies = _IMPLIES.search(title, first.end())
    if implies and _first(title[implies.end() :]):
        return title[implies.end() :]
    means = _BY.search(title, first.end())
    return title[: means.start()] if means else title


def _first(title: str) -> re.Match[str] | None:
    """The first reference, else the first kind with a number."""
    found = (match for match in _NAMED.finditer(title) if named_kind(match["kind"]))
    return REFERENCE.search(title) or next(found, None)


def _listed(text: str) -> list[str]:
    """The numbers of a list; those between the ends of a range, too."""
    found = list(_ONE.finditer(text))
    numbers = [found[0][0]]
    for one, other in itertools.pairwise(found):
        if _RANGE.fullmatch(text[one.end() : other.start()]):
            numbers += _between(one[0], other[0])
        numbers.append(other[0])
    return numbers


def _between(first: str, last: str) -> list[str]:
    head, dot, end = last.rpartition(".")
    start = first.rpartition(".")
    if start[0] != head or not (start[2].isdigit() and end.isdigit()):
        return []
    count = int(end) - int(start[2])
    return [f"{head}{dot}{int(start[2]) + more}" for more in range(1, min(count, _MOST))]
