"""Measures on an example worked by hand, and against the definitions by brute force."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.bench.scoring.measures import (
    PAPERS,
    STEPS,
    WHOLE,
    Flags,
    ScoredRow,
    by_steps,
    tally_of_row,
    total,
    union,
)

# Steps 1 and 3 of the first proof are wrong and steps 1 and 2 are flagged; the second is right and
# its last step flagged; the third is wrong from its first step on, and all of that is found; the
# fourth is right, and passes.
BY_HAND = (
    by_steps("a", [True, False, True, False], [[1, 2]]),
    by_steps("b", [True, True], [[1]]),
    by_steps("c", [False, False], [[0, 1]]),
    by_steps("d", [True], [[]]),
)
EXPECTED = {
    "step_precision": 3 / 5,
    "step_recall": 3 / 4,
    "proof_precision": 2 / 3,
    "proof_recall": 1.0,
    "coverage": 1 / 2,
    "false_errors": 2 / 4,
    "step_balanced_accuracy": (3 / 4 + 3 / 5) / 2,
    "step_balanced_f1": 2 / (4 / 3 + 5 / 3),
    "proof_balanced_accuracy": 3 / 4,
    "proof_balanced_f1": 2 / 3,
    "first_error": 1.0,
    "first_error_balanced_accuracy": 3 / 4,
    "first_error_balanced_f1": 2 / 3,
}


def measured(rows):
    sums = total(tally_of_row(row, row.rollouts[0]) for row in rows)
    return {name: measure(sums) for name, measure in STEPS.items()}


def test_measures_are_what_the_definitions_give_by_hand() -> None:
    assert measured(BY_HAND) == pytest.approx(EXPECTED)


def test_whole_proofs_are_counted_as_right_and_wrong() -> None:
    rows = [
        *(by_steps(f"found {n}", [False], [[0]]) for n in range(3)),
        by_steps("missed", [False], [[]]),
        by_steps("passed", [True], [[]]),
        by_steps("alarm", [True], [[0]]),
    ]
    sums = total(tally_of_row(row, row.rollouts[0]) for row in rows)
    assert {name: measure(sums) for name, measure in WHOLE.items()} == pytest.approx({
        "proof_accuracy": 4 / 6,
        "proof_recall": 3 / 4,
        "proof_false_alarms": 1 / 2,
        "proof_balanced_accuracy": (3 / 4 + 1 / 2) / 2,
        "proof_precision": 3 / 4,
    })  # fmt: skip


def test_a_step_without_a_label_counts_for_nothing_but_that_something_was_flagged() -> None:
    labels = [True, False, None, None]
    sums = tally_of_row(*_one(labels, [0, 1, 2]))
    assert (sums.hits, sums.false, sums.found, sums.missed, sums.passed) == (1, 1, 1, 0, 0)
    after = tally_of_row(*_one(labels, [3]))
    assert (after.hits, after.false, after.missed, after.passed) == (0, 0, 1, 1)
    assert (after.flawed_flagged, after.located, after.covered) == (1, 0, 0)
    silent = tally_of_row(*_one(labels, []))
    assert (silent.flawed_passed, silent.passed) == (1, 1)


def _one(labels: list[bool | None], flagged: list[int]) -> tuple[ScoredRow, Flags]:
    row = by_steps("a", labels, [flagged])
    return row, row.rollouts[0]


def test_a_wrong_step_is_no_unknown_one() -> None:
    with pytest.raises(ValueError, match="known to be wrong, and not known"):
        ScoredRow(name="a", errors=frozenset({1}), rollouts=(), steps=2, unknown=frozenset({1}))


def test_a_step_before_the_first_wrong_one_spoils_the_first_error() -> None:
    early = by_steps("a", [True, False], [[0, 1]])
    assert measured([early])["first_error"] == 0
    assert measured([early])["coverage"] == 1


def test_nothing_is_not_a_number() -> None:
    values = measured([])
    assert set(values.values()) == {None}
    perfect = measured([by_steps("a", [True], [[]])])
    assert perfect["step_precision"] is None
    assert perfect["false_errors"] == 0
    useless = measured([by_steps("a", [False], [[]]), by_steps("b", [True], [[0]])])
    assert useless["proof_balanced_f1"] == 0


def test_two_places_inside_one_known_error_find_it_once() -> None:
    inside, outside = frozenset({0}), frozenset[int]()
    flags: Flags = {"claim 2": inside, "step 3": inside, "lemma 9": outside}
    paper = ScoredRow(name="p", errors=frozenset({0, 1}), rollouts=(flags,))
    sums = tally_of_row(paper, flags)
    assert {name: measure(sums) for name, measure in PAPERS.items()} == pytest.approx(
        {
            "step_precision": 2 / 3,
            "error_precision": 1 / 2,
            "step_recall": 1 / 2,
            "coverage": 0,
            "false_errors": 1,
        }
    )


def test_a_place_that_runs_judge_differently_counts_once_and_names_what_any_says() -> None:
    both = union([{"lemma 1": frozenset({0})}, {"lemma 1": frozenset({1})}])
    assert both == {"lemma 1": frozenset({0, 1})}


def test_predictions_about_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="not known"):
        ScoredRow(name="p", errors=frozenset(), rollouts=({"x": frozenset({0})},))
    with pytest.raises(ValueError, match="not there"):
        by_steps("p", [True], [[1]])


PROOFS = st.lists(
    st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=5), max_size=6
)


def rows_of(proofs):
    return [
        by_steps(
            str(number),
            [right for right, _ in steps],
            [[index for index, (_, flagged) in enumerate(steps) if flagged]],
        )
        for number, steps in enumerate(proofs)
    ]


@given(PROOFS)
def test_measures_agree_with_the_definitions_word_for_word(proofs) -> None:
    values = measured(rows_of(proofs))
    wrong = [{i for i, (right, _) in enumerate(steps) if not right} for steps in proofs]
    flagged = [{i for i, (_, flag) in enumerate(steps) if flag} for steps in proofs]
    pairs = list(zip(wrong, flagged, strict=True))
    true = sum(len(y & z) for y, z in pairs)
    expected = {
        "step_precision": (true, sum(len(z) for z in flagged)),
        "step_recall": (true, sum(len(y) for y in wrong)),
        "proof_precision": (sum(bool(y and z) for y, z in pairs), sum(map(bool, flagged))),
        "proof_recall": (sum(bool(y and z) for y, z in pairs), sum(map(bool, wrong))),
        "coverage": (sum(bool(y) and y <= z for y, z in pairs), sum(map(bool, wrong))),
        "false_errors": (sum(len(z - y) for y, z in pairs), len(pairs)),
        "first_error": (
            sum(bool(y and z) and min(y) == min(z) for y, z in pairs),
            sum(map(bool, wrong)),
        ),
    }
    for name, (part, whole) in expected.items():
        assert values[name] == (part / whole if whole else None), name


@given(PROOFS)
def test_all_but_the_false_errors_are_shares(proofs) -> None:
    for name, value in measured(rows_of(proofs)).items():
        if value is not None and name != "false_errors":
            assert 0 <= value <= 1


@given(PROOFS)
def test_balanced_measures_do_not_care_which_class_is_called_positive(proofs) -> None:
    swapped = [[(not right, not flagged) for right, flagged in steps] for steps in proofs]
    one, other = measured(rows_of(proofs)), measured(rows_of(swapped))
    for name in ("step_balanced_accuracy", "step_balanced_f1"):
        pair = one[name], other[name]
        assert pair == (None, None) or math.isclose(*pair)


@given(st.permutations(BY_HAND))
def test_the_order_of_the_rows_does_not_matter(rows) -> None:
    assert measured(rows) == measured(BY_HAND)
