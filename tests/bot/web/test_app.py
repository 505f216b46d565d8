"""The web side: what is signed is kept and acknowledged, all else is turned away."""

import json
from pathlib import Path

import pytest

from bot.app_settings import AppSettings
from bot.domain.deliveries import DeliveryError
from bot.domain.events import InstallationChanged, PullChanged
from bot.storage.sql_deliveries import SqlDeliveries
from bot.web import app as signature
from bot.web.app import create_app

EXAMPLES = json.loads((Path(__file__).parents[2] / "data" / "webhooks.json").read_text())
SECRET = b"0123456789abcdef-hook"
GUID = "72d3162e-cc78-11e3-81ab-4c9367dc0958"


def example(event, action):
    for item in EXAMPLES["examples"]:
        payload = item["payload"]
        if (item["event"], payload.get("action")) == (event, action) and "installation" in payload:
            return json.dumps(payload).encode()
    raise LookupError(event, action)


OPENED = example("pull_request", "opened")


class Server:
    """The application with what it keeps and hands on."""

    def __init__(self, folder, accounts=("*",)):
        self.deliveries = SqlDeliveries(f"sqlite:///{folder / 'pf.sqlite'}")
        self.queued = []
        self.is_broken = False
        settings = AppSettings(
            app_id=1,
            private_key=folder / "key.pem",
            webhook_secret=SECRET,
            accounts=frozenset(accounts),
            database_url="sqlite:///unused",
            data=folder,
        )
        app = create_app(
            settings, deliveries=self.deliveries, enqueue=self._enqueue, clock=lambda: 42.0
        )
        self.client = app.test_client()

    def _enqueue(self, delivery, event):
        if self.is_broken:
            raise DeliveryError("the queue does not answer")
        self.queued.append((delivery, event))
        self.deliveries.mark_queued(delivery.guid)

    def post(self, body=OPENED, event="pull_request", guid=GUID, **headers):
        signed = {"X-Hub-Signature-256": signature.sign(body, SECRET)}
        named = {"X-GitHub-Event": event, "X-GitHub-Delivery": guid}
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        merged = {**signed, **named, **given}
        sent = {name: value for name, value in merged.items() if value is not None}
        return self.client.post("/webhook", data=body, headers=sent)


@pytest.fixture
def server(tmp_path):
    made = Server(tmp_path)
    yield made
    made.deliveries.close()


def test_a_signed_delivery_is_kept_handed_on_and_acknowledged(server):
    assert server.post().status_code == 202
    ((delivery, event),) = server.queued
    assert isinstance(event, PullChanged) and event.number > 0
    assert (delivery.guid, delivery.received, delivery.body) == (GUID, 42.0, OPENED)
    assert server.deliveries.get(GUID) == delivery
    assert server.deliveries.waiting(99.0) == []


def test_a_delivery_that_comes_again_is_acknowledged_and_not_handed_on(server):
    assert [server.post().status_code for _ in range(3)] == [202, 202, 202]
    assert len(server.queued) == 1


def test_what_cannot_be_handed_on_is_kept_and_waits(server):
    server.is_broken = True
    assert server.post().status_code == 202
    assert [delivery.guid for delivery in server.deliveries.waiting(99.0)] == [GUID]
    server.is_broken = False
    assert server.post().status_code == 202
    assert len(server.queued) == 1 and server.deliveries.waiting(99.0) == []


def test_what_cannot_be_kept_is_not_acknowledged(server):
    server.deliveries.close()
    assert server.post().status_code == 503
    assert server.queued == []


@pytest.mark.parametrize("header", [None, "", "sha256=00", "sha1=00", "sha256=\xe4"])
def test_without_a_good_signature_nothing_is_read_or_kept(server, header):
    assert server.post(X_Hub_Signature_256=header).status_code == 401
    assert server.deliveries.since(0.0) == frozenset()


def test_the_signature_is_of_the_bytes_that_came(server):
    signed = signature.sign(OPENED, SECRET)
    assert server.post(OPENED + b" ", X_Hub_Signature_256=signed).status_code == 401


def test_a_body_above_the_limit_is_not_even_read(server):
    body = b" " * (signature.LIMIT + 1)
    assert server.post(body, X_Hub_Signature_256="sha256=00").status_code == 413


@pytest.mark.parametrize("guid", [None, "", "short", "../../etc/passwd", "a" * 65, "a b c d e f g"])
def test_an_id_that_is_none_is_refused(server, guid):
    assert server.post(guid=guid).status_code == 400


@pytest.mark.parametrize("event", [None, "", "Pull_Request", "a" * 65, "../x"])
def test_a_name_of_an_event_that_is_none_is_refused(server, event):
    assert server.post(event=event).status_code == 400


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"action": "opened"}', b"[" * 9999])
def test_a_signed_body_that_is_no_payload_is_refused(server, body):
    assert server.post(body).status_code == 400
    assert server.deliveries.since(0.0) == frozenset()


@pytest.mark.parametrize(
    ("event", "body"), [("ping", b"{}"), ("star", b"{}"), ("pull_request", b'{"action": "locked"}')]
)
def test_what_is_of_no_interest_is_neither_kept_nor_handed_on(server, event, body):
    assert server.post(body, event=event).status_code == 204
    assert server.deliveries.since(0.0) == frozenset()


def test_accounts_beside_the_list_are_not_served(tmp_path):
    server = Server(tmp_path, accounts=["somebody"])
    assert server.post().status_code == 204
    assert server.queued == [] and server.deliveries.since(0.0) == frozenset()
    server.deliveries.close()


def test_whoever_uninstalls_is_heard(tmp_path):
    server = Server(tmp_path, accounts=["somebody"])
    body = example("installation", "deleted")
    assert server.post(body, event="installation").status_code == 202
    ((delivery, event),) = server.queued
    assert isinstance(event, InstallationChanged) and delivery.repository is None
    server.deliveries.close()


def test_it_says_that_it_lives(server):
    found = server.client.get("/healthz")
    assert (found.status_code, found.text) == (200, "ok\n")


@pytest.mark.parametrize("path", ["/", "/webhook", "/static/x", "/settings"])
def test_there_is_nothing_else_to_get(server, path):
    assert server.client.get(path).status_code in (404, 405)
