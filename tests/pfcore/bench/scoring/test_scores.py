"""Saved runs scored: what counts as a rollout, as a location, and as a match."""

import re
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfcore.bench.runs.saved_run import (
    Benchmark,
    Judge,
    Method,
    Prediction,
    Rollout,
    SavedRun,
    Truth,
)
from pfcore.bench.scoring.measures import (
    by_steps,
    error_precision,
    step_precision,
    step_recall,
    tally_of_row,
    total,
)
from pfcore.bench.scoring.scaling import tallies, wilson
from pfcore.bench.scoring.scores import (
    ProofShare,
    Rules,
    proof_shares,
    run_text,
    same_words,
    scored,
)
from pfcore.reporters.printing import Style
from pfcore.verification.locations import printed_place
from tests.pfcore.bench.runs.test_saved_run import HEADER

PAPER = Truth(name="p", places=("Lemma 4", "Theorem 1"), own=(0, 1), reference=(0, 1))


def said(location: str, *names: int, strict: tuple[int, ...] | None = ()) -> Prediction:
    matches = {Judge.INCLUSIVE: names, Judge.STRICT: strict}
    return Prediction(location=location, words="No.", matches=matches)


def paper(*rollouts: tuple[Prediction, ...], truth: Truth = PAPER) -> SavedRun:
    made = tuple(
        Rollout(row="p", number=number, predictions=found)
        for number, found in enumerate(rollouts, 1)
    )
    return SavedRun(header=replace(HEADER, n=1, k=len(made)), rows=(truth,), rollouts=made)


def sums(run: SavedRun, **how):
    (row,) = scored(run, **how).rows
    return tally_of_row(row, row.united(range(len(row.rollouts))))


def test_the_same_result_and_its_proof_are_one_location_in_our_rules_alone() -> None:
    run = paper((said("Lemma 4", 0),), (said("Proof of Lemma 4.", 0), said("Lemma 7")))
    own, reference = sums(run), sums(run, rules=Rules.REFERENCE)
    assert (own.hits, own.false, own.found) == (1, 1, 1)
    assert (reference.hits, reference.false, reference.found) == (2, 1, 1)
    assert (step_precision(own), error_precision(own)) == (1 / 2, 1 / 2)
    assert (step_precision(reference), error_precision(reference)) == (2 / 3, 1 / 2)
    assert step_recall(own) == step_recall(reference) == 1 / 2


def test_only_the_first_prediction_of_a_location_counts_in_the_rules_of_the_reference() -> None:
    run = paper((said("Section 3"), said("section 3!", 0)), (said("Section 3", 1),))
    assert sums(run).found == 2
    assert sums(run, rules=Rules.REFERENCE).found == 0
    (row,) = scored(run, rules=Rules.REFERENCE).rows
    assert [total(found).found for found in tallies([row], [(0,), (1,), (1, 0)])] == [0, 1, 1]


def test_known_errors_are_those_of_the_rules() -> None:
    truth = Truth(
        name="p",
        places=("Lemma 4, main theorem", "Lemma 4", "main theorem"),
        own=(0,),
        reference=(1, 2),
    )
    run = paper((said("Lemma 4", 0, 1),), truth=truth)
    assert (sums(run).found, sums(run).missed) == (1, 0)
    reference = sums(run, rules=Rules.REFERENCE)
    assert (reference.found, reference.missed) == (1, 1)


def test_each_judge_has_its_own_matches() -> None:
    run = paper((said("Claim 2 in the proof of Theorem 1", 1, strict=()),))
    assert sums(run).found == 1
    assert sums(run, judge=Judge.STRICT).found == 0


def test_a_row_with_a_failure_is_left_out_and_says_why() -> None:
    lost = (Rollout(row="p", number=1, unreached=("the model refused",)),)
    run = SavedRun(header=HEADER, rows=(PAPER,), rollouts=lost)
    assert scored(run).rows == []
    assert scored(run).left_out == {"p": "rollout 1: the model refused"}


def test_a_row_without_all_of_its_rollouts_is_left_out() -> None:
    run = SavedRun(header=HEADER, rows=(PAPER,), rollouts=())
    assert scored(run).left_out == {"p": "0 of 1 rollouts"}


def test_a_location_that_a_judge_gave_no_verdict_on_is_no_false_alarm() -> None:
    run = paper((said("Lemma 4", 0, strict=None),))
    assert scored(run).rows
    assert scored(run, judge=Judge.STRICT).left_out == {
        "p": "rollout 1: nobody has judged its locations"
    }
    assert scored(run, judge=Judge.LABELS).rows == []


def test_proofs_are_scored_by_their_steps() -> None:
    header = replace(HEADER, benchmark=Benchmark.HARD2VERIFY, n=1, k=2)
    rollouts = (Rollout(row="b", number=1, steps=(1,)), Rollout(row="b", number=2, steps=(0, 1)))
    run = SavedRun(header=header, rows=(Truth(name="b", steps=3, wrong=(1, 2)),), rollouts=rollouts)
    found = sums(run, judge=Judge.STRICT, rules=Rules.REFERENCE)
    assert (found.hits, found.false, found.missed, found.passed) == (1, 1, 1, 0)


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("Lemma 4.3", "lemma 4.3"),
        ("LEMMA  4.3:", "lemma 4.3"),
        ("Proof of Lemma 4.3", "proof of lemma 4.3"),
        ("Théorème 2", "the ore me 2"),
        ("§3 (end)", "3 end"),
        ("", ""),
    ],
)
def test_the_reference_tells_locations_apart_by_letters_digits_and_dots(
    location: str, expected: str
) -> None:
    assert same_words(location) == expected


LOCATIONS = ("Lemma 1", "lemma 1.", "Proof of Lemma 1", "Section 2", "Theorem 9")
PREDICTIONS = st.lists(
    st.builds(
        lambda location, names: said(location, *sorted(names)),
        st.sampled_from(LOCATIONS),
        st.sets(st.integers(0, 1)),
    ),
    max_size=5,
).map(tuple)


def by_the_scripts(rollouts) -> tuple[int, int, int]:
    """TP, FP and FN of one paper as the published scripts count them, from their description.

    The union of the rollouts keeps of each location the first prediction. A prediction that names
    no known error is a false positive; each known error that some prediction names is a true one.
    """
    union: dict[str, tuple[int, ...] | None] = {}
    for predictions in rollouts:
        for item in predictions:
            union.setdefault(same_words(item.location), item.matches[Judge.INCLUSIVE])
    found = {error for names in union.values() for error in names or ()}
    return len(found), sum(not names for names in union.values()), 2 - len(found)


def by_us(rollouts) -> tuple[int, int, int, int]:
    """Predicted places that name a known error, others, known errors found and missed.

    A place names what any prediction of it names.
    """
    places: dict[str, set[int]] = {}
    for predictions in rollouts:
        for item in predictions:
            names = places.setdefault(printed_place(item.location).key, set())
            names |= set(item.matches[Judge.INCLUSIVE] or ())
    found = {error for names in places.values() for error in names}
    hits = sum(bool(names) for names in places.values())
    return hits, len(places) - hits, len(found), 2 - len(found)


@given(st.lists(PREDICTIONS, min_size=3, max_size=3))
@settings(max_examples=60)
def test_both_rules_count_what_their_descriptions_say_for_every_subset(rollouts) -> None:
    run = paper(*rollouts)
    for k in (1, 2, 3):
        for chosen in combinations(range(3), k):
            subset = [rollouts[index] for index in chosen]
            (row,) = scored(run, rules=Rules.REFERENCE).rows
            counted = tally_of_row(row, row.united(chosen))
            assert (counted.found, counted.false, counted.missed) == by_the_scripts(subset)
            true, false, missed = by_the_scripts(subset)
            if true + false:
                assert error_precision(counted) == true / (true + false)
            assert step_recall(counted) == true / (true + missed)
            (row,) = scored(run).rows
            counted = tally_of_row(row, row.united(chosen))
            found = (counted.hits, counted.false, counted.found, counted.missed)
            assert found == by_us(subset)


def test_whole_proofs_have_shares_with_n_and_both_intervals(simulated) -> None:
    run = simulated(Method.PF, Benchmark.PROOFS, rows=40, k=3, rates=(0.5, 0.1))
    rows = scored(run).rows
    found = proof_shares(rows)
    wrong = [row for row in rows if row.errors]
    flagged = sum(any(row.rollouts) for row in wrong)
    recall = found["proof_recall"]
    assert (recall.value, recall.of) == (flagged / len(wrong), len(wrong))
    assert recall.by_formula == wilson(flagged / len(wrong), len(wrong))
    assert found["proof_accuracy"].of == 40
    assert found["proof_false_alarms"].of == 40 - len(wrong)
    balanced = found["proof_balanced_accuracy"]
    alarms = found["proof_false_alarms"]
    assert recall.value is not None and alarms.value is not None
    assert balanced.value == pytest.approx((recall.value + 1 - alarms.value) / 2)
    for item in found.values():
        assert item.value is not None and item.by_formula is not None
        assert item.by_formula[0] <= item.value <= item.by_formula[1]
        assert item.by_problem is not None
        assert item.by_problem[0] <= item.value <= item.by_problem[1]


def test_where_no_proof_is_wrong_recall_is_no_number() -> None:
    rows = [by_steps("a", [True], [[]]), by_steps("b", [True], [[0]])]
    found = proof_shares(rows)
    assert found["proof_recall"] == ProofShare(None, 0, None, None)
    assert found["proof_balanced_accuracy"].by_formula is None
    assert found["proof_accuracy"].value == 0.5


def test_the_text_of_whole_proofs_says_of_how_many_each_share_is(simulated) -> None:
    run = simulated(Method.PF, Benchmark.PROOFS, rows=40, k=3, rates=(1.0, 0.0))
    text = run_text(run, Style(ascii=True))
    assert "pf on proofs: n = 40 rows, k = 3 rollouts" in text
    assert "any of 3 rollouts" in text
    assert re.search(r"accuracy \(proofs\) +100.0 % +40 +91.2-100.0", text)
    assert "20 problems drawn with replacement" in text


def test_steps_without_a_label_are_said_to_count_nowhere(simulated) -> None:
    run = simulated(rows=5, k=1)
    rows = tuple(
        replace(row, steps=(row.steps or 0) + 1, unknown=(row.steps or 0,)) for row in run.rows
    )
    text = run_text(replace(run, rows=rows), Style())
    assert "Steps after the first error have no label in 5 rows" in text
    assert "no label" not in run_text(run, Style())
