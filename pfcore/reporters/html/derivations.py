"""Derivations of bussproofs as fractions: what is derived stands below what it is derived from."""

import re

from pfcore.latex.lexer.groups import Groups

_TREE = re.compile(r"\s*\\begin\{prooftree\}(.*?)\\end\{prooftree\}\s*", re.DOTALL)
_STEP = re.compile(
    r"\s*\\(?:(Axiom|Unary|Binary|Trinary|Quaternary)(?:Inf)?C|(Left|Right)Label)\s*(?=\{)"
)
_REST = re.compile(r"\s*(?:\\DisplayProof)?\s*\Z")
_PREMISES = {"Axiom": 0, "Unary": 1, "Binary": 2, "Trinary": 3, "Quaternary": 4}
_MOST_STEPS = 60
"""Steps of a derivation that is redrawn."""


def derived(text: str) -> str | None:
    """The tree as a formula; None if it is none, or one that says more."""
    match = _TREE.fullmatch(text)
    return _formula(match[1]) if match else None


def _formula(body: str) -> str | None:
    """The one formula that is left, when each step has taken its premises from the stack."""
    groups, position, steps = Groups(body), 0, 0
    stack: list[str] = []
    labels = {"Left": "", "Right": ""}
    while step := _STEP.match(body, position):
        span, steps = groups.braces(step.end()), steps + 1
        if span is None or steps > _MOST_STEPS:
            return None
        words, position = rf"\text{{{body[slice(*span)]}}}", span[1] + 1
        if step[2]:
            labels[step[2]] = words
            continue
        count = _PREMISES[step[1]]
        if len(stack) < count:
            return None
        premises = stack[len(stack) - count :]
        stack[len(stack) - count :] = [_inferred(premises, words, labels)]
        labels = {"Left": "", "Right": ""}
    return stack[0] if len(stack) == 1 and _REST.match(body, position) else None


def _inferred(premises: list[str], words: str, labels: dict[str, str]) -> str:
    conclusion = rf"\displaystyle {words}"
    if not premises:
        return conclusion
    above = r"\qquad ".join(premises)
    inner = rf"\displaystyle \frac{{{above}}}{{{conclusion}}}"
    left = rf"{labels['Left']}\," if labels["Left"] else ""
    right = rf"\,{labels['Right']}" if labels["Right"] else ""
    return left + inner + right
