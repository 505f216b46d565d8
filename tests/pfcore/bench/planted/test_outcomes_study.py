"""Planted errors read by simulated readers of known rates: what is measured is what they do."""

import asyncio
from itertools import pairwise

import pytest

from pfcore.bench.planted.outcomes import study
from pfcore.bench.planted.planting import OPERATORS, questions
from pfcore.llm.prices import Price
from pfcore.review.reading_session import read_modules
from pfcore.testing import KnownReader
from pfcore.verification.contract import Granularity

pytestmark = pytest.mark.acceptance


def values(rates, *names):
    return [rates.measures[name].value for name in names]


@pytest.mark.parametrize("granularity", Granularity)
def test_a_perfect_reader_finds_all_errors_at_their_places_and_nothing_else(bench, granularity):
    made = bench(4)
    found = made.study(made.asking(granularity), rollouts=2)
    assert {item.mutant.operator for trial in made.trials for item in trial.planted} == {*OPERATORS}
    assert not found.left_out
    assert found.errors > found.proofs >= 3
    assert [(item.rollouts, item.min_votes) for item in found.rates] == [(1, 1), (2, 1), (2, 2)]
    for rates in found.rates:
        assert values(rates, "recall", "anywhere", "precision", "balanced") == [1, 1, 1, 1]
        assert values(rates, "flagged", "alarms") == [0, 0]
    assert found.operators(1) == dict.fromkeys(found.operators(1), (2, 2))


def test_one_who_only_cries_wolf_has_objections_anywhere_and_few_at_the_errors(bench):
    (rates,) = bench(8, recall=0.0, alarms=1.0).study().rates
    assert values(rates, "flagged", "alarms") == [1, 1]
    anywhere, recall, precision = values(rates, "anywhere", "recall", "precision")
    assert anywhere > 0.6
    assert 0.4 > recall > precision


def test_what_is_said_of_the_original_as_well_finds_no_error_wherever_it_stands(bench):
    made = bench(4)
    reader = KnownReader(lambda text: "of some use here", recall=1.0, alarms=0.0, store=made.store)
    jobs = questions(made.trials, [made.asking()], made.store, 1)
    asyncio.run(read_modules(jobs, reader, at_once=1, observe=lambda done: None))
    (rates,) = study(made.trials, made.asking(), made.store, 1).rates
    assert values(rates, "flagged", "alarms") == [1, 1]
    assert values(rates, "recall", "anywhere", "precision", "balanced") == [0, 0, 0, 0]


def test_one_who_says_nothing_has_no_precision(bench):
    (rates,) = bench(3, recall=0.0).study().rates
    assert values(rates, "recall", "precision", "flagged") == [0, None, 0]


@pytest.mark.acceptance
def test_recall_and_alarms_grow_with_k_as_the_theory_of_independent_rollouts_says(bench):
    made = bench(14, most=14, recall=0.4, alarms=0.1)
    found = made.study(rollouts=4)
    pessimistic = [item for item in found.rates if item.min_votes == 1]
    assert found.errors > 80
    for rates in pessimistic:
        recall, flagged = rates.measures["recall"], rates.measures["flagged"]
        assert recall.low <= 1 - 0.6**rates.rollouts <= recall.high
        assert flagged.low <= 1 - 0.9**rates.rollouts <= flagged.high
    for one, other in pairwise(pessimistic):
        for name in ("recall", "anywhere", "flagged", "alarms"):
            assert one.measures[name].value < other.measures[name].value
    for votes in (1, 2, 3):
        few, many = found.at(4, votes), found.at(4, votes + 1)
        assert few.measures["recall"].value > many.measures["recall"].value
    assert found.at(5, 1) is None


def test_intervals_hold_the_value_and_are_never_without_width(bench):
    for item in bench(4).study().rates[0].measures.values():
        assert item.low <= item.value <= item.high
    share = bench(4).study().rates[0].measures["recall"]
    assert 0.6 < share.low < 1 == share.high


def test_what_was_not_read_is_left_out_with_its_reason_and_never_a_pass(bench):
    made = bench(4)
    asking = made.asking()
    reader = made.read(asking)
    lost = made.trials[0].planted[0]
    texts = {action.key(): action.request.text for action in reader.asked}
    for key in [key for key, text in texts.items() if lost.task.text in text]:
        del made.store.replies[key]
    found = study(made.trials, asking, made.store, 1)
    assert found.left_out == {(lost.mutant.operator, lost.mutant.module): "not read"}
    assert found.errors == sum(len(trial.planted) for trial in made.trials) - 1
    assert found.rates[0].measures["recall"].value == 1


def test_without_any_reply_there_are_no_rates(bench):
    made = bench(3)
    found = study(made.trials, made.asking(), made.store, 1)
    assert (found.rates, found.errors, found.readings, found.tokens(1)) == ((), 0, 0, 0)
    assert len(found.left_out) == sum(len(trial.planted) for trial in made.trials)


def test_what_a_text_takes_is_counted_by_stage_and_grows_with_k(bench):
    found = bench(3).study(rollouts=2)
    assert set(found.taken) == {"verify", "calibrate"}
    texts = found.errors + found.proofs
    assert found.readings == 2 * texts
    assert found.taken["verify"].calls == 2 * texts
    assert found.taken["calibrate"].calls == 2 * found.errors
    assert found.tokens(2) == 2 * found.tokens(1) > 1000
    assert found.dollars(2, Price(input=1)) == 2 * found.dollars(1, Price(input=1)) > 0
    assert found.served == ("m",)
