"""Ready or not, and numbers for who has the token."""

import pytest

from bot.domain.run_records import RecordError
from bot.storage.sql_deliveries import SqlDeliveries
from bot.web.app import create_app
from bot.web.views import install_pages
from pfcore.testing import FakeClock
from tests.bot.memory_records import MemoryRecords
from tests.bot.web.world import NOW, TOKEN, settings

BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def clock():
    made = FakeClock()
    made.now = NOW
    return made


@pytest.fixture
def records(clock):
    return MemoryRecords(clock)


@pytest.fixture
def app(tmp_path, clock, records):
    """The whole web side."""
    chosen = settings(tmp_path)
    deliveries = SqlDeliveries(f"sqlite:///{tmp_path / 'deliveries'}")
    made = create_app(chosen, deliveries=deliveries, enqueue=lambda *_: None, clock=clock)
    install_pages(made, settings=chosen, records=records, clock=clock)
    yield made
    deliveries.close()


def test_it_is_ready_while_a_worker_is_heard_of(app, records, clock):
    client = app.test_client()
    assert client.get("/readyz").status_code == 503
    records.workers.beat("one")
    assert (client.get("/readyz").data, client.get("/readyz").status_code) == (b"ok\n", 200)
    clock.now += 121
    answer = client.get("/readyz")
    assert (answer.status_code, answer.data) == (503, b"no worker has been active lately\n")


def test_without_its_database_it_lives_but_is_not_ready(app, records):
    class Broken:
        def beats(self):
            raise RecordError("the App's database does not answer (postgresql://…)")

    records.workers = Broken()
    client = app.test_client()
    assert client.get("/healthz").status_code == 200
    answer = client.get("/readyz")
    assert (answer.status_code, answer.data) == (503, b"the database does not answer\n")


def test_numbers_are_behind_the_door(app):
    client = app.test_client()
    assert client.get("/metrics").status_code == 401
    answer = client.get("/metrics", headers=BEARER)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/plain")
    assert b"pf_runs" in answer.data


def test_webhook_requests_are_counted(app):
    client = app.test_client()
    for _ in range(2):
        assert client.post("/webhook", data=b"{}").status_code == 401
    client.get("/healthz")
    numbers = client.get("/metrics", headers=BEARER).get_data(as_text=True)
    assert 'pf_deliveries_total{status="401"} 2.0' in numbers
    assert "pf_delivery_seconds_count 2.0" in numbers


def test_a_webhook_is_answered_as_before(app):
    answer = app.test_client().post("/webhook", data=b"{}", headers={"X-Hub-Signature-256": "x"})
    assert answer.status_code == 401
    assert app.test_client().get("/webhook").status_code == 405
