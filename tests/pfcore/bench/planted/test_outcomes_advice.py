"""Which setting is recommended: the cheapest one that is not clearly worse than the best."""

import pytest

from pfcore.bench.planted.outcomes import advice, study
from pfcore.llm.prices import Price
from pfcore.verification.contract import Granularity
from tests.pfcore.bench.planted.conftest import QUICK

PRICE = Price(input=1, output=4)


def test_where_more_readings_add_nothing_one_is_recommended(bench) -> None:
    found = advice([bench(4).study(rollouts=3)], PRICE)
    assert found is not None
    assert found.chosen.rates.rollouts == 1
    assert found.share == 1
    assert found.chosen.balanced == found.best.balanced == 1


@pytest.mark.acceptance
def test_where_one_reading_finds_little_more_are_recommended(bench) -> None:
    found = advice([bench(10, most=10, recall=0.3).study(rollouts=4)], PRICE)
    assert found is not None
    assert found.chosen.rates.rollouts > 1
    assert found.chosen.rates.min_votes == 1


@pytest.mark.acceptance
def test_where_readers_cry_wolf_votes_are_recommended(bench) -> None:
    made = bench(10, most=10, recall=0.9, alarms=0.4)
    found = advice([made.study(rollouts=3)], PRICE)
    assert found is not None
    assert found.chosen.rates.min_votes > 1


def test_of_two_ways_that_find_the_same_the_cheaper_one_is_recommended(bench) -> None:
    made = bench(4)
    ways = [made.study(made.asking(item)) for item in (Granularity.FINE, Granularity.AUTHOR)]
    for price in (PRICE, Price(), None):
        found = advice(ways, price)
        assert found is not None
        assert found.chosen.study.contract.granularity is Granularity.AUTHOR


def test_what_left_mutants_out_is_not_compared(bench) -> None:
    made = bench(4)
    whole = made.study()
    fine = made.asking(Granularity.FINE)
    partial = study(made.trials, fine, made.store, 1, QUICK)
    assert partial.left_out
    found = advice([whole, partial], PRICE)
    assert found is not None
    assert found.chosen.study is whole
    assert advice([partial], PRICE) is None


def test_a_reader_who_finds_nothing_is_not_recommended(bench) -> None:
    assert advice([bench(3, recall=0.0).study()], PRICE) is None
