"""Sums of a day in names: added up, once for each run, and by the holder of the key alone."""

from pathlib import Path

import pytest

from pfcore.cli.day_spending import PREFIX, spending_name, spent_by
from pfcore.cli.pricing import Cap, budget
from pfcore.domain.paper_settings import PaperSettings
from pfcore.llm.model_settings import choose
from pfcore.llm.store import open_store

DAY, KEY = "2026-01-31", "sk-test"


def name(dollars: float = 1.25, run: str = "12.1 .", key: str = KEY, day: str = DAY) -> str:
    return spending_name(day=day, dollars=dollars, run=run, key=key)


def spent(*names: str) -> float:
    return spent_by(names, day=DAY, key=KEY)


def test_the_runs_of_a_day_are_added_up_each_once() -> None:
    assert spent(name(), name(run="13.1 ."), name(), name(0.5, day="2026-01-30")) == 2.5
    assert spent(name(1.0), name(2.0)) == 2.0, "of one run the larger sum"
    assert spent() == 0.0


@pytest.mark.parametrize(
    "forged",
    [
        name(99.0, key="another"),
        name().replace("-1250000-", "-9250000-"),
        name().replace(DAY, "2026-02-01"),
        f"{PREFIX}{DAY}-99000000-0000000000000000-",
        f"{PREFIX}{DAY}-99000000",
        "",
        f"{name()}\n",
        name()[:-1],
    ],
)
def test_without_the_key_nobody_makes_a_sum(forged: str) -> None:
    assert spent(forged) == 0.0


def test_a_name_holds_neither_the_key_nor_a_comma() -> None:
    assert KEY not in name() and "," not in name() and len(name()) < 200


def test_what_was_spent_elsewhere_counts_for_the_day(tmp_path: Path) -> None:
    choice = choose("gpt-5.4-mini", {"PF_BASE_URL": "http://127.0.0.1:9/v1"})
    assert choice is not None
    store = open_store(str(tmp_path / "replies.sqlite"), lambda: 0.0)
    try:
        made = budget(Cap(), choice, PaperSettings(), store, 0.0, elsewhere=4.0)
        assert made.day_spent() == 4.0
        assert budget(Cap(), choice, PaperSettings(), store, 0.0).day_spent() == 0.0
    finally:
        store.close()
