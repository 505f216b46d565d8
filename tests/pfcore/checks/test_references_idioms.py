"""Small documents with what LaTeX says of their labels: nothing else is told, and it is told.

Each asks at its end for a label that is nowhere, so that no reason for silence covers all.
"""

from collections.abc import Callable

import pytest

from pfcore.domain.values import Finding
from pfcore.review.review import Report
from tests.idioms import GONE, REFERENCES, Idiom, idioms, warned_of, with_a_lost_reference

EVERY = [item for path in sorted(REFERENCES.glob("*.txt")) for item in idioms(path)]
NOTED = {
    "ifdefined of a command that nothing defines, the other branch lost",
    "ifx on an empty macro",
    "labels by an environment with a key list of its own",
    "labels by a command with a key of kvoptions' kin",
}
"""Documents of which a lost label is only noted: a condition, or code that may set it."""
UNTOLD = {
    "a label only in the branch that is not read",
    "a label in the branch that is not read of a switch by a word",
    "labels of minted",
    "theorems with a label as an option, without a package for it",
}
"""Documents of which a lost label is not told: it stands somewhere and is not read there."""


@pytest.mark.parametrize("idiom", [pytest.param(item, id=item.name) for item in EVERY])
def test_what_latex_does_not_find_is_told_and_nothing_else(
    idiom: Idiom, reviewed: Callable[..., Report]
) -> None:
    report = reviewed(with_a_lost_reference(idiom).files)
    paper = next(item for item in report.papers if item.state.paper.root == "main.tex")
    found: dict[str, set[str]] = {
        rule: set() for rule in ("dangling-reference", "duplicate-label", "noted")
    }
    for item in paper.findings:
        if item.rule in found:
            is_note = item.severity.value == "note"
            found["noted" if is_note else item.rule].add(_key(item))
    lost, twice = warned_of(idiom)
    assert found["dangling-reference"] <= lost
    assert found["duplicate-label"] == twice
    assert GONE in found["dangling-reference"]
    quiet = lost - found["dangling-reference"]
    assert bool(quiet) == (idiom.name in NOTED | UNTOLD)
    assert quiet <= found["noted"] or idiom.name in UNTOLD


def _key(item: Finding) -> str:
    words = item.message.removeprefix("undefined ").removeprefix("label ")
    return words.partition(";")[0].partition(" is already")[0].strip()


def test_documents_have_names_of_their_own_and_those_that_are_listed_are_there() -> None:
    names = [item.name for item in EVERY]
    assert len(names) == len(set(names)) > 250
    assert set(names) >= NOTED | UNTOLD
