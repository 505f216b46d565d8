"""For programs that look after programs: is it ready to work, and what has it done?"""

import time
from collections.abc import Callable

from flask import Flask, Response, g, request
from flask.typing import ResponseReturnValue

from bot.domain.run_records import RecordError, Records
from bot.observability import KIND, Metrics
from bot.web.door import Door

SILENT = 120.0
"""Seconds without a sign of life, after which no worker is taken to be there."""


def install_health(
    app: Flask,
    *,
    records: Records,
    metrics: Metrics,
    door: Door,
    clock: Callable[[], float],
) -> None:
    """Add `/readyz`, which tells nobody more than yes or no, and `/metrics`, behind the door."""

    def readyz() -> ResponseReturnValue:
        faults = _faults(records, clock())
        text = "".join(f"{fault}\n" for fault in faults) or "ok\n"
        return text, 503 if faults else 200, {"Content-Type": "text/plain"}

    def numbers() -> ResponseReturnValue:
        return metrics.text(), 200, {"Content-Type": KIND}

    @app.before_request
    def begin() -> None:
        g.began = time.perf_counter()

    @app.after_request
    def count(response: Response) -> Response:
        if request.endpoint == "webhook":
            metrics.delivered(response.status_code, time.perf_counter() - g.began)
        return response

    app.add_url_rule("/readyz", "readyz", readyz)
    app.add_url_rule("/metrics", "metrics", door.guarded(numbers))


def _faults(records: Records, now: float) -> list[str]:
    try:
        beats = records.workers.beats()
    except RecordError:
        return ["the database does not answer"]
    is_alive = any(now - beat < SILENT for beat in beats.values())
    return [] if is_alive else ["no worker was heard of lately"]
