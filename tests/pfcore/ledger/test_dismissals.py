"""A dismissal lives on while only the result's own proof changes, and reopens with its reason."""

from dataclasses import replace

import pytest

from pfcore.domain.values import Severity
from pfcore.ledger.dismissals import (
    CurrentResult,
    DismissedFinding,
    Reopened,
    answer,
    is_overlapping,
)
from pfcore.ledger.ledger import Dismissal, Ground, Recorded

TEXT = (
    "Lemma. The map is injective.\n\nProof. Let $x$ be in the kernel. "
    "Since the sequence is exact, $x$ lifts to $y$, and $y = 0$. Hence the claim holds."
)
QUOTE = "Since the sequence is exact, $x$ lifts to $y$"
GROUND = Ground(module="lem:a", statement="s1", rests=frozenset({"r1", "r2"}))
DISMISSAL = Dismissal(
    finding="f1", rule="gap", quote=QUOTE, ground=GROUND, reason="exact by Lemma 1"
)
NOW = CurrentResult(
    module="lem:a", statement="s1", text=TEXT, texts=frozenset({"s1", "r1", "r2", "else"})
)


def later(quote: str, *, name: str = "f9", rule: str = "gap") -> Recorded:
    return Recorded(id=name, rule=rule, severity=Severity.ERROR, message="No.", quote=quote)


@pytest.mark.parametrize(
    "quote",
    [
        QUOTE,
        "$x$ lifts to $y$, and $y = 0$",
        "the sequence is\nexact",
        "Since the sequence ... and $y = 0$",
        "Since our sequence is exact, $x$ lifts to some $y$",
    ],
)
def test_a_later_finding_on_an_overlapping_passage_is_answered(quote: str) -> None:
    assert answer(later(quote), NOW, [DISMISSAL]) == DismissedFinding(dismissal=DISMISSAL)


@pytest.mark.parametrize(
    "finding",
    [
        later("Hence the claim holds"),
        later("Let $x$ be in the kernel"),
        later(QUOTE, rule="false-claim"),
        later(""),
    ],
    ids=["elsewhere", "before", "class", "whole module"],
)
def test_another_objection_is_not(finding: Recorded) -> None:
    assert answer(finding, NOW, [DISMISSAL]) is None


def test_an_edit_of_the_same_proof_leaves_it_answered() -> None:
    edited = replace(NOW, text=TEXT.replace("Let $x$", "First, let $x$ and $x'$"))
    assert answer(later("$x$ lifts to $y$, and"), edited, [DISMISSAL]) == DismissedFinding(
        dismissal=DISMISSAL
    )


def test_a_passage_that_was_reworded_in_the_edit_is_still_the_same() -> None:
    words = "Since the sequence is exact, the element $x$ lifts to an element $y$"
    edited = replace(NOW, text=TEXT.replace(QUOTE, words))
    assert isinstance(answer(later(words), edited, [DISMISSAL]), DismissedFinding)


def test_a_proof_that_cites_one_result_more_leaves_it_answered() -> None:
    richer = replace(NOW, texts=NOW.texts | {"r3"})
    assert isinstance(answer(later(QUOTE), richer, [DISMISSAL]), DismissedFinding)


@pytest.mark.parametrize(
    "changed",
    [
        replace(NOW, texts=NOW.texts - {"r1"}),
        replace(NOW, statement="s2"),
        replace(NOW, module="lem:b", texts=NOW.texts - {"r2"}),
    ],
    ids=["something it rests on", "the statement", "renamed, too"],
)
@pytest.mark.parametrize("quote", [QUOTE, "$x$ lifts to $y$, and $y = 0$"])
def test_a_change_underneath_reopens_it_with_the_old_reason(
    changed: CurrentResult, quote: str
) -> None:
    found = answer(later(quote), changed, [DISMISSAL])
    assert isinstance(found, Reopened)
    assert found.dismissal.reason == "exact by Lemma 1"


def test_another_result_with_the_same_words_in_its_proof_is_not_answered() -> None:
    other = replace(NOW, module="lem:b", statement="s2")
    assert answer(later(QUOTE), other, [DISMISSAL]) is None


def test_a_renamed_result_is_the_same_result() -> None:
    renamed = replace(NOW, module="lem:b")
    assert isinstance(answer(later(QUOTE), renamed, [DISMISSAL]), DismissedFinding)


def test_an_id_is_enough_and_so_is_an_earlier_one() -> None:
    by_id = later("Hence the claim holds", name="f1")
    by_alias = replace(by_id, id="f5", aliases=frozenset({"f1"}))
    old = replace(DISMISSAL, finding="f0", aliases=frozenset({"f5"}))
    assert isinstance(answer(by_id, NOW, [DISMISSAL]), DismissedFinding)
    assert isinstance(answer(by_alias, NOW, [DISMISSAL]), DismissedFinding)
    assert isinstance(answer(by_alias, NOW, [old]), DismissedFinding)
    gone = replace(NOW, statement="s2", module="lem:b")
    assert isinstance(answer(by_id, gone, [DISMISSAL]), Reopened)


def test_one_that_still_covers_comes_before_one_that_did() -> None:
    stale = replace(DISMISSAL, reason="a", ground=replace(GROUND, rests=frozenset({"gone"})))
    for pair in ((stale, DISMISSAL), (DISMISSAL, stale)):
        assert answer(later(QUOTE), NOW, pair) == DismissedFinding(dismissal=DISMISSAL)


def test_objections_to_a_whole_module_are_of_one_passage() -> None:
    assert is_overlapping("", "", TEXT)
    assert not is_overlapping("", QUOTE, TEXT)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Dividing by $x$", "Dividing by $y$"), ("Hence $x > 0$", "Hence $y < 0$")],
)
def test_words_about_other_formulas_are_of_another_passage(one: str, other: str) -> None:
    assert not is_overlapping(one, other, "The proof was written anew.")
    assert is_overlapping(one, f"So {one}", "The proof was written anew.")
