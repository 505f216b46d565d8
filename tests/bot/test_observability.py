"""The numbers that Prometheus reads: of runs, money, time and deliveries; of nobody's names."""

from dataclasses import replace

import pytest
from prometheus_client.parser import text_string_to_metric_families

from bot.app_settings import SpendingCaps
from bot.domain.run_records import RecordError, RunState
from bot.observability import Metrics
from pfcore.testing import FakeClock
from tests.bot.memory_records import MemoryRecords
from tests.bot.web.world import DAY, NOW, PULL


@pytest.fixture
def clock():
    made = FakeClock()
    made.now = NOW
    return made


@pytest.fixture
def records(clock):
    return MemoryRecords(clock)


def read(metrics):
    """Each sample by its name and its labels."""
    families = text_string_to_metric_families(metrics.text().decode())
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in families
        for sample in family.samples
    }


def test_runs_are_counted_by_state_and_time_by_what_they_took(records, clock):
    runs = records.runs
    runs.begin(replace(PULL, started=NOW - 590))
    runs.change(
        PULL.id, state=RunState.DONE, ended=NOW - 500, calls=4, input_tokens=100, dollars=0.5
    )
    runs.begin(replace(PULL, id="before", created=NOW - 3 * DAY, dollars=1.0, output_tokens=7))
    found = read(Metrics(records, caps=SpendingCaps(), clock=clock))
    assert found["pf_runs", "done"] == found["pf_runs", "queued"] == 1
    assert found["pf_runs", "failed"] == 0
    assert (found["pf_day_calls",], found["pf_day_tokens", "in"]) == (4, 100)
    assert (found["pf_day_dollars",], found["pf_month_dollars",]) == (0.5, 1.5)
    assert found["pf_month_tokens", "out"] == 7
    assert found["pf_cap_month_dollars",] == 100
    assert found["pf_day_run_seconds_bucket", "60.0"] == 0
    assert found["pf_day_run_seconds_bucket", "180.0"] == 1
    assert found["pf_database_up",] == 1


def test_deliveries_are_counted_by_how_they_were_answered(records, clock):
    metrics = Metrics(records, caps=SpendingCaps(), clock=clock)
    for status, seconds in ((202, 0.004), (202, 0.2), (401, 0.001)):
        metrics.delivered(status, seconds)
    found = read(metrics)
    assert found["pf_deliveries_total", "202"] == 2
    assert found["pf_deliveries_total", "401"] == 1
    assert found["pf_delivery_seconds_count",] == 3
    assert found["pf_delivery_seconds_bucket", "0.005"] == 2


def test_workers_and_tasks_are_told_where_somebody_knows(records, clock):
    assert ("pf_worker_silent_seconds",) not in read(
        Metrics(records, caps=SpendingCaps(), clock=clock)
    )
    records.workers.beat("one")
    clock.now += 30
    found = read(Metrics(records, caps=SpendingCaps(), clock=clock, queued=lambda: 3))
    assert found["pf_worker_silent_seconds",] == 30
    assert found["pf_tasks_queued",] == 3


def test_two_have_nothing_in_common(records, clock):
    one, other = (Metrics(records, caps=SpendingCaps(), clock=clock) for _ in range(2))
    one.delivered(202, 0.1)
    assert ("pf_deliveries_total", "202") not in read(other)


def test_without_the_database_that_is_what_is_told(records, clock):
    class Broken:
        def tally(self, since):
            raise RecordError("the App's database does not answer")

    records.runs = Broken()
    found = read(Metrics(records, caps=SpendingCaps(), clock=clock))
    assert found["pf_database_up",] == 0
    assert not any(name.startswith("pf_runs") for name, *_ in found)


def test_no_name_is_told(records, clock):
    records.runs.begin(replace(PULL, reason="by alice"))
    text = Metrics(records, caps=SpendingCaps(), clock=clock).text().decode()
    assert "us/paper" not in text and "alice" not in text
