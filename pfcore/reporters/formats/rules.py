"""What findings are called and why they matter: the checks, and the classes of objections."""

from typing import NamedTuple

from pfcore.checks.registry import ALL
from pfcore.domain.values import Severity

CLASSES = {
    "false-claim": "a statement or a step is not true",
    "gap": "a step does not follow from what is given",
    "misuse": "a result or definition is used beyond what it says",
    "computation": "a sign, a constant, an index or an estimate is not right",
    "missing-case": "a case is not covered",
    "quantifier": "order, dependence or uniformity of quantifiers is not respected",
    "circular": "what is to be proved is used",
    "wrong-target": "something else is proved than what is stated",
    "ambiguity": "a symbol or term has two meanings",
}
"""The classes of objections that come from reading a proof, in the words of the readers."""


class Rule(NamedTuple):
    """A kind of finding; `is_read` says that it is a judgement on a proof that was read."""

    id: str
    rationale: str
    severity: Severity
    is_read: bool


def rules() -> list[Rule]:
    """All that a finding may be an instance of, each id once: the checks, then the classes."""
    found = {
        check.id: Rule(check.id, check.rationale, check.severity, is_read=False) for check in ALL
    }
    for name, words in CLASSES.items():
        found.setdefault(name, Rule(name, words, Severity.ERROR, is_read=True))
    return list(found.values())
