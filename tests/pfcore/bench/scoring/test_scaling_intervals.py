"""Intervals by formula, against values that are known and against their definitions."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.bench.scoring.measures import PAPERS, STEPS, WHOLE
from pfcore.bench.scoring.scaling import NUMBERS, PAIRS, PARTS, SHARES, poisson, wilson

Z = 1.959964


def test_wilsons_interval_has_the_values_that_textbooks_give() -> None:
    assert wilson(0.5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    assert wilson(1.0, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)
    assert wilson(0.0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)


@given(st.floats(0, 1), st.integers(1, 500))
def test_the_ends_are_as_far_from_the_share_as_their_own_deviation_allows(share, of) -> None:
    for end in wilson(share, of):
        assert (share - end) ** 2 <= Z**2 * end * (1 - end) / of + 1e-6


@given(st.floats(0, 50), st.integers(1, 500))
def test_the_ends_of_a_rate_are_as_far_from_it_as_their_own_deviation(rate, units) -> None:
    for end in poisson(rate, units):
        assert abs(rate - end) == pytest.approx(Z * math.sqrt(end / units), abs=1e-4)


def test_every_measure_has_an_interval_by_formula() -> None:
    assert (
        STEPS.keys() | PAPERS.keys() | WHOLE.keys()
    ) <= SHARES.keys() | NUMBERS.keys() | PAIRS.keys()
    assert {name for pair in PAIRS.values() for name in pair[:2]} == PARTS.keys() <= SHARES.keys()
