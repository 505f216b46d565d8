"""Metrics for Prometheus, in a registry of their own, without names of papers or people.

Also the server's log on standard error: one line of JSON for each event.

Of errors it has the type and where they were raised, never the message, which may quote a paper,
an address or a secret. Messages of other libraries are cut to their first line.
"""

import json
import logging
import sys
import traceback
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from types import TracebackType
from typing import IO, Any

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeHistogramMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from bot.app_settings import SpendingCaps
from bot.domain.run_records import Records, RunState, WorkTally
from pfcore.domain.errors import IncompleteError

KIND = CONTENT_TYPE_LATEST

_LONG = (1, 5, 15, 60, 180, 600, 1800, 3600, 7200)
"""The buckets for durations of runs, in seconds."""
_QUICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)
"""The buckets for durations of acknowledgements, in seconds."""


class Metrics:
    """Counts of this process, and the database's figures at the time of a request.

    `queued` returns how many tasks wait, if that is known.
    """

    def __init__(
        self,
        records: Records,
        *,
        caps: SpendingCaps,
        clock: Callable[[], float],
        queued: Callable[[], int] | None = None,
    ) -> None:
        self._registry = CollectorRegistry()
        self._deliveries = Counter(
            "pf_deliveries", "Webhook requests by status", ["status"], registry=self._registry
        )
        self._seconds = Histogram(
            "pf_delivery_seconds",
            "Time until a webhook request is answered",
            buckets=_QUICK,
            registry=self._registry,
        )
        self._registry.register(_DatabaseCollector(records, caps, clock, queued))

    def delivered(self, status: int, seconds: float) -> None:
        """Count a webhook request."""
        self._deliveries.labels(str(status)).inc()
        self._seconds.observe(seconds)

    def text(self) -> bytes:
        """All metrics in Prometheus's format."""
        return generate_latest(self._registry)


class _DatabaseCollector(Collector):
    """Metrics from the database."""

    def __init__(
        self,
        records: Records,
        caps: SpendingCaps,
        clock: Callable[[], float],
        queued: Callable[[], int] | None,
    ) -> None:
        self._records, self._caps, self._clock, self._queued = records, caps, clock, queued

    def describe(self) -> list[Metric]:
        """Return nothing, so that registering the collector does not query the database."""
        return []

    def collect(self) -> Iterator[Metric]:
        """The metrics; if the database fails, only that it is down."""
        try:
            found = list(self._found())
        except IncompleteError:
            yield GaugeMetricFamily("pf_database_up", "Whether the database answers", 0)
            return
        yield GaugeMetricFamily("pf_database_up", "Whether the database answers", 1)
        yield from found

    def _found(self) -> Iterator[Metric]:
        now = self._clock()
        runs = self._records.runs
        yield _by_state(runs.tally(0.0))
        for window, since in _windows(now):
            yield from _done(runs.tally(since), runs.spent(since), window)
        yield GaugeMetricFamily(
            "pf_cap_month_dollars", "Dollars that may be spent in a month", self._caps.month
        )
        beats = self._records.workers.beats()
        if beats:
            age = max(0.0, now - max(beats.values()))
            yield GaugeMetricFamily(
                "pf_worker_silent_seconds", "Seconds since a worker was last active", age
            )
        if self._queued is not None:
            yield GaugeMetricFamily("pf_tasks_queued", "Waiting tasks", self._queued())


def _by_state(tally: WorkTally) -> Metric:
    metric = GaugeMetricFamily("pf_runs", "Stored runs by state", labels=["state"])
    for state in RunState:
        metric.add_metric([state.value], tally.states.get(state, 0))
    return metric


def _done(tally: WorkTally, dollars: float, window: str) -> Iterator[Metric]:
    """The work since a moment, as gauges: runs get deleted, and counters must never fall."""
    yield GaugeMetricFamily(f"pf_{window}_calls", f"Model calls, this {window}", tally.calls)
    tokens = GaugeMetricFamily(
        f"pf_{window}_tokens", f"Tokens, this {window}", labels=["direction"]
    )
    tokens.add_metric(["in"], tally.input_tokens)
    tokens.add_metric(["out"], tally.output_tokens)
    yield tokens
    yield GaugeMetricFamily(f"pf_{window}_dollars", f"Dollars spent, this {window}", dollars)
    yield GaugeHistogramMetricFamily(
        f"pf_{window}_run_seconds",
        f"Duration of finished runs, this {window}",
        buckets=_buckets(tally.seconds),
        gsum_value=sum(tally.seconds),
    )


def _buckets(seconds: tuple[float, ...]) -> list[tuple[str, float]]:
    counts = [(str(float(edge)), sum(1.0 for item in seconds if item <= edge)) for edge in _LONG]
    return [*counts, ("+Inf", float(len(seconds)))]


def _windows(now: float) -> Iterator[tuple[str, float]]:
    day = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    yield "day", day.timestamp()
    yield "month", day.replace(day=1).timestamp()


_OURS = ("bot", "pfcore")
_LOUD = ("dbos", "waitress", "sqlalchemy", "urllib3", "github", "httpx2", "openai")
_EXTRA = ("run", "state", "what", "count", "error")
_LONGEST = 200
_FRAMES = 12


class JsonLines(logging.Formatter):
    """A record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line."""
        found: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": _event(record),
        }
        found |= {key: getattr(record, key) for key in _EXTRA if hasattr(record, key)}
        if record.exc_info and record.exc_info[0] is not None:
            found["error"] = record.exc_info[0].__name__
            found["where"] = _frames(record.exc_info[2])
        return json.dumps(found, ensure_ascii=True)


def start(stream: IO[str] = sys.stderr, *, level: int = logging.INFO) -> logging.Handler:
    """Write all log records from now on to a stream, as lines of JSON."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name in _OURS:
        logging.getLogger(name).setLevel(level)
    for name in _LOUD:
        adopt(name)
    return handler


def adopt(name: str) -> None:
    """Remove a library's own handlers, so that its records are written like all others."""
    logger = logging.getLogger(name)
    logger.handlers[:] = []
    logger.propagate = True
    logger.setLevel(logging.WARNING)


def _event(record: logging.LogRecord) -> str:
    if record.name.partition(".")[0] in _OURS:
        return record.getMessage()
    first = record.getMessage().partition("\n")[0]
    return first.partition("[parameters")[0][:_LONGEST]


def _frames(trace: TracebackType | None) -> list[str]:
    """The places where an error was raised, the innermost last."""
    frames = traceback.extract_tb(trace)[-_FRAMES:]
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
