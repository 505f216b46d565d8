"""The web side of the App: takes deliveries from GitHub, and says whether it lives.

Nothing is reviewed here: a delivery is checked, kept, handed on and acknowledged at once.
"""

import re
from collections.abc import Callable

from flask import Flask, abort, request
from flask.typing import ResponseReturnValue

from bot import events, signature
from bot.deliveries import Deliveries, Delivery, DeliveryError
from bot.events import Event, Ignored, InstallationChanged, Refused
from bot.settings import Settings

Clock = Callable[[], float]

_GUID = re.compile(r"[0-9A-Za-z-]{8,64}")
_EVENT = re.compile(r"[a-z_]{1,64}")


Enqueue = Callable[[Delivery, Event], None]
"""Hands a delivery on for good, once for each id; raises DeliveryError where it cannot."""


def create_app(
    settings: Settings, *, deliveries: Deliveries, enqueue: Enqueue, clock: Clock
) -> Flask:
    """The application; it starts no thread and reads no environment."""
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = signature.LIMIT

    @app.post("/webhook")
    def webhook() -> ResponseReturnValue:
        body = request.get_data(cache=False)
        header = request.headers.get("X-Hub-Signature-256")
        if not signature.is_valid(body, header, settings.webhook_secret):
            abort(401)
        event = events.parse(_header("X-GitHub-Event", _EVENT), body)
        if isinstance(event, Refused):
            return event.reason, 400
        if isinstance(event, Ignored) or not _is_served(event, settings):
            return "", 204
        delivery = _delivery(_header("X-GitHub-Delivery", _GUID), event, body, clock())
        return _taken(delivery, event, deliveries, enqueue)

    @app.get("/healthz")
    def healthz() -> ResponseReturnValue:
        return "ok\n", 200, {"Content-Type": "text/plain"}

    return app


def _header(name: str, form: re.Pattern[str]) -> str:
    value = request.headers.get(name, "")
    if not form.fullmatch(value):
        abort(400)
    return value


def _is_served(event: Event, settings: Settings) -> bool:
    """Whether the account may use the App; what ends an installation counts from anyone."""
    if isinstance(event, InstallationChanged):
        return True
    return settings.serves(event.place.account)


def _delivery(guid: str, event: Event, body: bytes, now: float) -> Delivery:
    """What is kept of a request."""
    if isinstance(event, InstallationChanged):
        installation, repository = event.installation, None
    else:
        installation, repository = event.place.installation, event.place.repository_id
    return Delivery(
        guid=guid,
        event=request.headers["X-GitHub-Event"],
        installation=installation,
        repository=repository,
        received=now,
        body=body,
    )


def _taken(
    delivery: Delivery, event: Event, deliveries: Deliveries, enqueue: Enqueue
) -> ResponseReturnValue:
    """Keep a delivery, hand it on, and say so; 503 only where it was not even kept."""
    try:
        if not deliveries.keep(delivery):
            return "", 202
    except DeliveryError:
        return "", 503
    try:
        enqueue(delivery, event)
        deliveries.mark_queued(delivery.guid)
    except DeliveryError:
        # It is kept: whoever looks for what waits hands it on.
        return "", 202
    return "", 202
