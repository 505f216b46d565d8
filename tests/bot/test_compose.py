"""The App put together: its files, its web side and its worker in this process."""

import http.client
import json
import socket
import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from bot import compose
from bot.app_settings import AppSettings
from bot.domain.deliveries import DeliveryError
from bot.web import app as signature
from pfcore.domain.errors import PfError, UsageError
from tests.bot.fake_github.keys import key_pair
from tests.bot.fakes import HEAD, FakeForge, FakeHub, FakeReviewer

EXAMPLES = json.loads((Path(__file__).parents[1] / "data" / "webhooks.json").read_text())
SECRET = b"0123456789abcdef-hook"
QUICK = compose.ServerIntervals(beat=0.1, watch=0.1, hand_on=0.1, fetch=0.1, forget=0.1, grace=0)

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


@pytest.fixture
def settings(tmp_path):
    key = tmp_path / "key.pem"
    key.write_text(key_pair()[0])
    key.chmod(0o600)
    return AppSettings(
        app_id=1,
        private_key=key,
        webhook_secret=SECRET,
        accounts=frozenset("*"),
        database_url=f"sqlite:///{tmp_path / 'data' / 'pf-verify.sqlite'}",
        data=tmp_path / "data",
    )


def opened():
    """A pull request that was opened, as GitHub tells it, and its number."""
    for item in EXAMPLES["examples"]:
        payload = item["payload"]
        if (item["event"], payload.get("action")) == ("pull_request", "opened"):
            return json.dumps(payload | {"installation": {"id": 1}}).encode(), payload["number"]
    raise LookupError


def post(port, body):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    headers = {
        "X-Hub-Signature-256": signature.sign(body, SECRET),
        "X-GitHub-Event": "pull_request",
        "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
    }
    connection.request("POST", "/webhook", body, headers)
    status = connection.getresponse().status
    connection.close()
    return status


def test_a_delivery_is_taken_over_the_network_and_worked_on(settings):
    body, number = opened()
    head = json.loads(body)["pull_request"]["head"]["sha"]
    forge, reviewer = FakeForge(), FakeReviewer()
    forge.open(number, head)
    with (
        compose.kept(settings) as kept,
        compose.working(settings, kept, hub=FakeHub(forge), reviewer=reviewer, pace=QUICK) as name,
        compose.web(settings, kept) as app,
        compose.listening(app, "127.0.0.1", 0) as port,
    ):
        assert post(port, body) == 202
        assert name.endswith("-0")
        _until(lambda: [run.state.value for run in kept.records.runs.latest(9)] == ["done"])
        assert name in kept.records.workers.beats()
    assert {check.conclusion for check in forge.checks.values()} == {"success"}
    assert HEAD not in repr(settings)


def test_a_look_at_github_that_takes_long_keeps_no_worker_from_saying_that_it_lives(settings):
    looks, go_on = threading.Event(), threading.Event()

    class SlowHub(FakeHub):
        def deliveries(self, since):
            looks.set()
            go_on.wait(30)
            return iter(())

    hub = SlowHub(FakeForge())
    with (
        compose.kept(settings) as kept,
        compose.working(settings, kept, hub=hub, reviewer=FakeReviewer(), pace=QUICK) as name,
    ):
        try:
            assert looks.wait(30)
            sign = kept.records.workers.beats()[name]
            _until(lambda: kept.records.workers.beats()[name] != sign)
        finally:
            go_on.set()


def _until(is_so):
    """Look until it is so; the worker is another thread."""
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_what_is_asked_when_the_web_side_ends_is_answered_whole_and_without_a_complaint(caplog):
    body, begun = b"x" * 5_000_000, threading.Event()

    def app(environ, start_response):
        begun.set()
        _until(lambda: not _is_listening(environ["SERVER_PORT"]))
        start_response("200 OK", [("Content-Length", str(len(body)))])
        return [body]

    answers = []

    def ask(port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", "/")
        answers.append(connection.getresponse().read())
        connection.close()

    with compose.listening(app, "127.0.0.1", 0) as port:
        asking = threading.Thread(target=ask, args=(port,))
        asking.start()
        assert begun.wait(30)
    asking.join(30)
    assert answers == [body]
    # That a request waits for a thread to wake up is said of the machine, not of the answer.
    complaints = [record for record in caplog.records if record.name != "waitress.queue"]
    assert complaints == []


def _asked(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request("GET", "/")
    said = connection.getresponse().read()
    connection.close()
    return said


@pytest.mark.parametrize("sent", [b"", b"POST /webhook HTTP/1.1\r\nContent-Length: 9\r\n\r\n1"])
def test_connections_that_ask_nothing_keep_nobody_out(sent):
    def app(environ, start_response):
        start_response("200 OK", [("Content-Length", "2")])
        return [b"ok"]

    with ExitStack() as opened, compose.listening(app, "127.0.0.1", 0) as port:
        for _ in range(150):
            idle = opened.enter_context(socket.create_connection(("127.0.0.1", port), 5))
            idle.sendall(sent)
        assert [_asked(port) for _ in range(5)] == 5 * [b"ok"]


def test_who_is_being_answered_is_not_sent_away_for_others():
    begun, crowded, answers = threading.Event(), threading.Event(), []

    def app(environ, start_response):
        begun.set()
        assert crowded.wait(30)
        start_response("200 OK", [("Content-Length", "2")])
        return [b"ok"]

    with ExitStack() as opened, compose.listening(app, "127.0.0.1", 0) as port:
        asking = threading.Thread(target=lambda: answers.append(_asked(port)))
        asking.start()
        assert begun.wait(30)
        idle = [
            opened.enter_context(socket.create_connection(("127.0.0.1", port), 5))
            for _ in range(150)
        ]
        idle[0].settimeout(10)
        assert idle[0].recv(1) == b""  # sent away, as others came
        crowded.set()
        asking.join(30)
    assert answers == [b"ok"]


def _is_listening(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", int(port))) == 0


def test_the_queues_and_the_deliveries_have_files_of_their_own(settings, tmp_path):
    with compose.kept(settings):
        found = {item.name for item in (tmp_path / "data").glob("*.sqlite")}
    assert found == {"pf-verify.sqlite", "pf-verify-work.sqlite", "pf-verify-deliveries.sqlite"}


def test_several_parts_may_start_at_once(settings):
    opened_, faults = [], []

    def start():
        try:
            with compose.kept(settings) as kept:
                opened_.append(kept)
        except PfError as error:
            faults.append(error)

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened_) == 4 and faults == []


def test_in_postgres_all_is_in_one_database(settings):
    url = "postgresql+psycopg://pf:secret@db/pf"
    assert compose.work_url(replace(settings, database_url=url)) == "postgresql://pf:secret@db/pf"


def test_workers_of_a_machine_have_names_of_their_own_and_keep_them(settings):
    with compose._name(settings.data) as first, compose._name(settings.data) as second:
        assert (first[-2:], second[-2:]) == ("-0", "-1")
    with compose._name(settings.data) as again:
        assert again == first


def test_too_many_workers_are_refused(settings):
    with ExitStack() as taken:
        for _ in range(100):
            taken.enter_context(compose._name(settings.data))
        with pytest.raises(UsageError, match="workers"):
            taken.enter_context(compose._name(settings.data))


def test_the_model_is_the_operators_and_github_is_known_by_its_key(settings, tmp_path):
    home = {"HOME": str(tmp_path)}
    assert not compose.reviewer_of(settings, home).has_model
    assert compose.reviewer_of(settings, home | {"PF_MODEL": "m"}).has_model
    compose.hub_of(settings)


def test_a_database_that_does_not_answer_is_named_without_its_address(settings):
    elsewhere = replace(settings, database_url="postgresql://pf:secret123@127.0.0.1:9/none")
    with pytest.raises(DeliveryError) as caught, compose.kept(elsewhere):
        pass
    assert "secret123" not in str(caught.value)
    with pytest.raises(DeliveryError):
        compose._deliveries(elsewhere)
