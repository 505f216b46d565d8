"""Averages over subsets of the rollouts, their intervals, and how often rollouts disagree."""

import math
from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfcore.bench.scoring import measures
from pfcore.bench.scoring.measures import (
    PAPERS,
    STEPS,
    Flags,
    ScoredRow,
    Votes,
    by_steps,
    flip_rate,
    step_recall,
    tally_of_row,
    total,
    union,
)
from pfcore.bench.scoring.scaling import Sampling, at, curve, rollouts_of, subsets

QUICK = Sampling(resamples=20)
N = 4


@st.composite
def data(draw):
    """Proofs with labelled steps, and N rollouts of each."""
    proofs = draw(st.lists(st.lists(st.booleans(), min_size=1, max_size=4), min_size=1, max_size=4))
    return [
        by_steps(
            str(number),
            labels,
            [draw(st.sets(st.integers(0, len(labels) - 1))) for _ in range(N)],
        )
        for number, labels in enumerate(proofs)
    ]


def values(rows, k):
    return {name: item.value for name, item in at(rows, k, STEPS, QUICK).items()}


@given(data())
@settings(max_examples=40)
def test_with_all_rollouts_the_average_is_the_value_itself(rows) -> None:
    sums = total(tally_of_row(row, union(row.rollouts)) for row in rows)
    assert values(rows, N) == {name: measure(sums) for name, measure in STEPS.items()}


@given(data())
@settings(max_examples=40)
def test_more_rollouts_never_find_less_nor_flag_less(rows) -> None:
    found = [values(rows, k) for k in range(1, N + 1)]
    for name in ("step_recall", "proof_recall", "coverage", "false_errors"):
        along = [item[name] for item in found]
        if None not in along:
            assert all(a <= b + 1e-12 for a, b in pairwise(along)), name


@given(data(), st.integers(1, N))
@settings(max_examples=40)
def test_recall_at_k_is_that_of_the_closed_formula(rows, k) -> None:
    """An error that m of n rollouts find is in C(n,k) − C(n−m,k) of the C(n,k) subsets."""
    chances = [
        1 - math.comb(N - m, k) / math.comb(N, k)
        for row in rows
        for error in row.errors
        for m in [sum(error in flags for flags in row.rollouts)]
    ]
    value = values(rows, k)["step_recall"]
    assert value == (pytest.approx(sum(chances) / len(chances)) if chances else None)


@pytest.mark.acceptance
@given(data(), st.integers(1, N))
@settings(max_examples=40)
def test_every_measure_at_k_is_the_mean_over_all_subsets(rows, k) -> None:
    for name, measure in STEPS.items():
        each = []
        for chosen in combinations(range(N), k):
            flagged = [set().union(*(row.rollouts[i] for i in chosen)) for row in rows]
            again = [
                by_steps(row.name, [i not in row.errors for i in range(row.steps)], [flags])
                for row, flags in zip(rows, flagged, strict=True)
            ]
            each.append(measure(total(tally_of_row(row, row.rollouts[0]) for row in again)))
        defined = [value for value in each if value is not None]
        expected = pytest.approx(sum(defined) / len(defined)) if defined else None
        assert values(rows, k)[name] == expected, name


@given(data(), st.permutations(range(N)))
@settings(max_examples=30)
def test_the_order_of_the_rollouts_does_not_matter(rows, order) -> None:
    mixed = [
        ScoredRow(
            name=row.name,
            errors=row.errors,
            rollouts=tuple(row.rollouts[i] for i in order),
            steps=row.steps,
        )
        for row in rows
    ]
    for k in range(1, N + 1):
        assert values(mixed, k) == pytest.approx(values(rows, k), nan_ok=True)


def test_an_interval_holds_the_value_narrows_with_rows_and_is_the_same_for_a_seed() -> None:
    def rows(count):
        return [by_steps(str(n), [False], [[0]] if n % 2 else [[]]) for n in range(count)]

    def width(item):
        return item.high - item.low

    few, many = (at(rows(n), 1, STEPS)["step_recall"] for n in (10, 200))
    assert few == at(rows(10), 1, STEPS)["step_recall"]
    assert few != at(rows(10), 1, STEPS, Sampling(seed=5, resamples=7))["step_recall"]
    assert few.value == 0.5
    assert few.low < few.value < few.high  # type: ignore[operator]
    assert width(many) < width(few) / 3
    assert width(many) == pytest.approx(2 * 1.96 * 0.5 / math.sqrt(200), rel=0.2)


def test_where_all_rows_agree_an_interval_still_has_a_width() -> None:
    rows = [by_steps(str(n), [False, True, True], [[0]]) for n in range(12)]
    rows += [by_steps(f"clean {n}", [True], [[]]) for n in range(6)]
    found = at(rows, 1, STEPS, QUICK)
    assert {name for name, item in found.items() if item.value == 1} == set(STEPS) - {
        "false_errors"
    }
    assert found["step_recall"].high == found["step_recall"].value == 1.0
    assert found["step_recall"].low == pytest.approx(12 / (12 + 1.96**2), abs=1e-3)
    assert found["false_errors"][:2] == (0.0, 0.0)
    assert found["false_errors"].high == pytest.approx(1.96**2 / 18, abs=1e-3)
    worst = (12 / (12 + 1.96**2), 6 / (6 + 1.96**2))
    assert found["proof_balanced_accuracy"].low == pytest.approx(sum(worst) / 2, abs=1e-3)
    assert found["first_error_balanced_f1"].low == pytest.approx(
        2 * worst[0] * worst[1] / sum(worst), abs=1e-3
    )
    for _, low, high in found.values():
        assert low is not None
        assert high is not None
        assert low < high


def test_a_mean_over_many_rollouts_has_the_interval_of_as_many_trials() -> None:
    rows = [by_steps(str(n), [False, True], [[0]] * 4) for n in range(10)]
    for k in (1, 2, 4):
        found = at(rows, k, STEPS, QUICK)["step_recall"]
        trials = 10 * 4 / k
        assert found.low == pytest.approx(trials / (trials + 1.96**2), abs=1e-3)


def test_no_interval_is_asked_for_and_none_is_given() -> None:
    rows = [by_steps(str(n), [False], [[0]]) for n in range(4)]
    assert at(rows, 1, STEPS, Sampling(resamples=0))["step_recall"] == (1.0, None, None)


def test_what_is_never_defined_has_no_value_and_no_interval() -> None:
    found = at([by_steps("a", [True], [[]])], 1, STEPS, QUICK)["step_recall"]
    assert found == (None, None, None)
    assert at([], 0, {"recall": step_recall})["recall"] == (None, None, None)


def test_a_curve_has_every_k() -> None:
    one: Flags = {"lemma 1": frozenset({0})}
    other: Flags = {"lemma 2": frozenset()}
    paper = ScoredRow(name="p", errors=frozenset({0}), rollouts=(one, other))
    found = curve([paper], PAPERS, QUICK)
    assert {k: item["step_recall"].value for k, item in found.items()} == {1: 0.5, 2: 1.0}
    assert {k: item["false_errors"].value for k, item in found.items()} == {1: 0.5, 2: 1.0}


def test_rows_with_other_numbers_of_rollouts_are_refused() -> None:
    with pytest.raises(ValueError, match="as many rollouts"):
        rollouts_of([by_steps("a", [True], [[]]), by_steps("b", [True], [])])


def test_of_too_many_subsets_a_sample_is_taken() -> None:
    found = subsets(20, 10)
    assert len(set(found)) == len(found) == 256
    assert found == subsets(20, 10) != subsets(20, 10, seed=1)
    assert all(len(set(item)) == 10 and max(item) < 20 for item in found)


@given(st.lists(st.booleans(), min_size=2, max_size=8))
def test_a_flip_rate_is_the_share_of_pairs_that_disagree(flags) -> None:
    pairs = list(combinations(flags, 2))
    rate = flip_rate([Votes(sum(flags), len(flags))])
    assert rate == pytest.approx(sum(a != b for a, b in pairs) / len(pairs))
    assert rate == flip_rate([Votes(len(flags) - sum(flags), len(flags))])


def test_flips_are_counted_by_proof_by_step_and_by_known_error() -> None:
    row = by_steps("a", [True, False, False], [[1], [0, 1]])
    assert measures.of_proofs([row]) == [Votes(2, 2)]
    assert measures.of_steps([row]) == [Votes(1, 2), Votes(2, 2), Votes(0, 2)]
    assert measures.of_errors([row]) == [Votes(2, 2), Votes(0, 2)]
    assert flip_rate(measures.of_steps([row])) == pytest.approx(1 / 3)
    assert flip_rate([Votes(1, 1)]) is None


def test_rows_of_one_problem_are_drawn_together() -> None:
    rows = [
        by_steps(f"{problem}-{number}", [False], [[0] if problem < 4 else []], f"p{problem}")
        for problem in range(8)
        for number in range(25)
    ]
    alone = [replace(row, group="") for row in rows]
    measure = {"proof_recall": STEPS["proof_recall"]}
    together = at(rows, 1, measure)["proof_recall"]
    apart = at(alone, 1, measure)["proof_recall"]
    assert together.value == apart.value == 0.5
    assert together.low is not None and together.high is not None
    assert apart.low is not None and apart.high is not None
    assert together.high - together.low > 2 * (apart.high - apart.low)
