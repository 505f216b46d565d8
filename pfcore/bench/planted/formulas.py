"""Errors in formulas: a relation turned round, an index one off, a wrong sign or constant."""

import re
from collections.abc import Iterator

from pfcore.bench.planted.operators import PassageWords, SourceEdit
from pfcore.domain.values import ModulePart

_TURNED = {
    "<": ">",
    ">": "<",
    r"\lt": r"\gt",
    r"\gt": r"\lt",
    r"\le": r"\ge",
    r"\ge": r"\le",
    r"\leq": r"\geq",
    r"\geq": r"\leq",
    r"\leqslant": r"\geqslant",
    r"\geqslant": r"\leqslant",
    r"\lesssim": r"\gtrsim",
    r"\gtrsim": r"\lesssim",
}
_RELATION = re.compile(
    r"(?<!\\left)(?<!\\right)(?<![-=])(?:[<>]|\\(?:l[te]|g[te]|[lg]eq(?:slant)?|lesssim|gtrsim)(?![A-Za-z]))"
)
_FIRST = re.compile(r"(?<=_)\{\s*[a-zA-Z]\s*=\s*(?P<number>[01])\s*\}")
_NEXT = re.compile(r"(?<=[_^])\{\s*[a-zA-Z](?P<step>\s*[+-]\s*1)\s*\}")
_SIGN = re.compile(r"(?<=[\w})\]])\s*(?P<sign>[+-])\s*(?=[\w\\({])")
_CONSTANT = re.compile(r"(?<![\w.{^\\&])(?P<number>[2-9])(?![\d.])")


def flipped_inequality(words: PassageWords) -> Iterator[SourceEdit]:
    """An inequality of a proof turned round."""
    if words.part is ModulePart.PROOF:
        for found in words.formulas(_RELATION):
            yield SourceEdit(*found.span(), _TURNED[found[0]])


def off_by_one_index(words: PassageWords) -> Iterator[SourceEdit]:
    """An index of a proof one off: i = 1 for i = 0, n for n + 1."""
    if words.part is ModulePart.PROOF:
        for found in words.formulas(_FIRST):
            yield SourceEdit(*found.span("number"), "10"[int(found["number"])])
        for found in words.formulas(_NEXT):
            yield SourceEdit(*found.span("step"), "")


def sign_or_constant(words: PassageWords) -> Iterator[SourceEdit]:
    """A plus for a minus in a proof, or a constant one too large."""
    if words.part is ModulePart.PROOF:
        for found in words.formulas(_SIGN):
            yield SourceEdit(*found.span("sign"), "-" if found["sign"] == "+" else "+")
        for found in words.formulas(_CONSTANT):
            yield SourceEdit(*found.span(), str(int(found[0]) + 1))
