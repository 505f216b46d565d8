"""The budget by itself: which cap refuses a call, and whether waiting may help."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pfcore.llm.engine.budget import Budget, BudgetRefusal
from pfcore.llm.prices import Price, most
from pfcore.llm.protocol import Request, TokenUsage

Make = Callable[..., Request]

PRICE = Price(output=10_000.0)  # a cent for each token
TODAY = TokenUsage(input=500, output=450)


@pytest.mark.parametrize(
    ("caps", "words"),
    [
        ({"dollars": 0.99}, "too small for one call: $0.99 for this run"),
        ({"dollars": 1.99, "spent": 1.0}, "spent: $1.99 for this run"),
        ({"tokens": 99}, "too small for one call: 99 tokens for this run"),
        ({"tokens": 199, "used": 100}, "spent: 199 tokens for this run"),
        ({"dollars_per_day": 5.0, "today": TODAY}, "spent: $5.00 for this day"),
        ({"tokens_per_day": 1_100, "today": TODAY}, "spent: 1,100 tokens for this day"),
        ({"dollars": 0.0}, "spent: $0.00 for this run"),
    ],
)
def test_a_refusal_names_its_cap(request_of: Make, caps: dict[str, Any], words: str) -> None:
    budget = Budget(price=PRICE, **caps)
    assert budget.hold(request_of()) == BudgetRefusal(reason=f"the budget is {words}")


def test_what_fits_exactly_fits(request_of: Make) -> None:
    count = sum((most(request_of()).input, most(request_of()).output))
    budget = Budget(price=PRICE, dollars=1.0, tokens=count, dollars_per_day=5.5, today=TODAY)
    assert budget.hold(request_of()) == most(request_of())


def test_what_is_in_flight_may_leave_room(request_of: Make) -> None:
    budget = Budget(price=PRICE, dollars=1.5)
    held = budget.hold(request_of())
    refused = budget.hold(request_of())
    assert isinstance(held, TokenUsage)
    assert isinstance(refused, BudgetRefusal)
    assert refused.for_now
    budget.settle(request_of(), held, TokenUsage(output=50))
    assert isinstance(budget.hold(request_of()), TokenUsage)


def test_the_cap_that_no_waiting_helps_against_is_named_first(request_of: Make) -> None:
    budget = Budget(price=PRICE, dollars=1.5, tokens=300)
    held = budget.hold(request_of())
    assert isinstance(held, TokenUsage)
    refused = budget.hold(request_of(limit=400))
    reason = "the budget is too small for one call: $1.50 for this run"
    assert refused == BudgetRefusal(reason=reason)


def test_a_day_counts_earlier_runs_and_this_one(request_of: Make) -> None:
    budget = Budget(price=PRICE, dollars_per_day=6.0, today=TODAY)
    held = budget.hold(request_of())
    assert isinstance(held, TokenUsage)
    assert budget.settle(request_of(), held, TokenUsage(output=60)) == pytest.approx(0.6)
    assert isinstance(budget.hold(request_of()), BudgetRefusal)
    assert budget.spent == pytest.approx(0.6)
    assert budget.used == 60


def test_small_sums_leave_no_crumbs_behind(request_of: Make) -> None:
    budget = Budget(price=Price(input=0.1, output=0.3), dollars=1.0)
    for _ in range(1000):
        held = budget.hold(request_of())
        assert isinstance(held, TokenUsage)
        budget.settle(request_of(), held, TokenUsage())
    assert (budget.spent, budget._held) == (0.0, 0.0)


def test_time_is_over_when_it_is() -> None:
    budget = Budget(seconds=30.0)
    assert [budget.is_late(elapsed) for elapsed in (0.0, 29.9, 30.0)] == [False, False, True]
    assert budget.lateness() == "the budget is spent: 30 s for this run"
    assert not Budget().is_late(1e9)


def test_what_others_leave_of_a_shared_purse_bounds_a_run(request_of: Make) -> None:
    left = [1.5]
    budget = Budget(price=PRICE, left=lambda: left[0], purse="this month")
    held = budget.hold(request_of())
    assert isinstance(held, TokenUsage)
    budget.settle(request_of(), held, held)
    assert budget.spent == pytest.approx(1.0)
    refused = budget.hold(request_of())
    assert refused == BudgetRefusal(reason="the budget is spent: $1.50 left for this month")
    left[0] = 2.0
    assert isinstance(budget.hold(request_of()), TokenUsage)


def test_a_model_with_a_price_of_its_own_costs_that(request_of: Make) -> None:
    budget = Budget(price=PRICE, others={"cheap": Price(output=100.0)}, dollars=1.0)
    dear, cheap = request_of(limit=200), replace(request_of(limit=200), model="cheap")
    assert isinstance(budget.hold(dear), BudgetRefusal)
    held = budget.hold(cheap)
    assert isinstance(held, TokenUsage)
    assert budget.settle(cheap, held, TokenUsage(output=60)) == pytest.approx(0.006)
