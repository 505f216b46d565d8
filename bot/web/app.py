"""The web side of the App: takes deliveries from GitHub, and answers whether it is alive.

Nothing is reviewed here: a delivery is checked, stored, handed on and acknowledged at once.

An HMAC of the raw bytes proves that a delivery comes from GitHub.
"""

import hashlib
import hmac
import re
from collections.abc import Callable

from flask import Flask, abort, request
from flask.typing import ResponseReturnValue

from bot.app_settings import AppSettings
from bot.domain import webhooks
from bot.domain.deliveries import Deliveries, Delivery, DeliveryError
from bot.domain.events import Event, Ignored, RefusedDelivery
from bot.jobs.deliver import delivery, is_served

Clock = Callable[[], float]

_GUID = re.compile(r"[0-9A-Za-z-]{8,64}")
_EVENT = re.compile(r"[a-z_]{1,64}")

Enqueue = Callable[[Delivery, Event], None]
"""Hands a delivery on, now or soon, and then marks it; raises DeliveryError on failure."""


def create_app(
    settings: AppSettings, *, deliveries: Deliveries, enqueue: Enqueue, clock: Clock
) -> Flask:
    """The application; it starts no thread and reads no environment."""
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = LIMIT

    @app.post("/webhook")
    def webhook() -> ResponseReturnValue:
        body = request.get_data(cache=False)
        header = request.headers.get("X-Hub-Signature-256")
        if not is_valid(body, header, settings.webhook_secret):
            abort(401)
        name = _header("X-GitHub-Event", _EVENT)
        event = webhooks.parse_event(name, body, settings.slug)
        if isinstance(event, RefusedDelivery):
            return event.reason, 400
        if isinstance(event, Ignored) or not is_served(event, settings):
            return "", 204
        guid = _header("X-GitHub-Delivery", _GUID)
        kept = delivery(event, guid=guid, name=name, body=body, now=clock())
        return _taken(kept, event, deliveries, enqueue)

    @app.get("/healthz")
    def healthz() -> ResponseReturnValue:
        return "ok\n", 200, {"Content-Type": "text/plain"}

    return app


def _header(name: str, form: re.Pattern[str]) -> str:
    value = request.headers.get(name, "")
    if not form.fullmatch(value):
        abort(400)
    return value


def _taken(
    kept: Delivery, event: Event, deliveries: Deliveries, enqueue: Enqueue
) -> ResponseReturnValue:
    """Store a delivery and have it handed on; 503 only if it could not be stored."""
    try:
        if not deliveries.keep(kept):
            return "", 202
    except DeliveryError:
        return "", 503
    try:
        enqueue(kept, event)
    except DeliveryError:
        # It is stored, so that the upkeep will hand it on.
        return "", 202
    return "", 202


LIMIT = 25 * 1024 * 1024
"""The maximal size of a delivery in bytes, which is also GitHub's limit."""

_SCHEME = b"sha256="


def sign(body: bytes, secret: bytes) -> str:
    """The header X-Hub-Signature-256 of a body."""
    return (_SCHEME + _digest(body, secret)).decode()


def is_valid(body: bytes, header: str | None, secret: bytes) -> bool:
    """Whether the header signs these bytes; the time does not depend on the first difference.

    False without a secret, and for a body above the limit.
    """
    if header is None or not secret or len(body) > LIMIT:
        return False
    # Bytes are compared because compare_digest refuses a non-ASCII str, which a header may be.
    given = header.encode("utf-8", "surrogatepass")
    return hmac.compare_digest(given, _SCHEME + _digest(body, secret))


def _digest(body: bytes, secret: bytes) -> bytes:
    return hmac.new(secret, body, hashlib.sha256).hexdigest().encode()
