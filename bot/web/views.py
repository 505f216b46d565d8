"""The pages: all runs, one run, one paper over time.

Lists of runs are paged: links lead on from the last run of a page. For monitoring, there are
readiness and metrics.
"""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from urllib.parse import urlencode

from flask import Flask, Response, g, render_template, request
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from bot.app_settings import AppSettings
from bot.domain import forge, review_result
from bot.domain.review_result import ReviewResult
from bot.domain.run_records import RecordError, Records, ReviewRun, RunCursor, Runs, RunState
from bot.observability import KIND, Metrics
from bot.web import access, result_graph, viewmodels
from bot.web.access import Door, Doorkeeper
from pfcore.reporters.html.page import canvas
from pfcore.reporters.html.typeset import Maths, typeset
from pfcore.reporters.printing import plural

Clock = Callable[[], float]

_MOST = 100
_HISTORY = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Half:
    """One half of a review: its result, or a sentence if it cannot be read any more."""

    title: str
    saved: ReviewResult | None
    fault: str = ""


def install_pages(
    app: Flask,
    *,
    settings: AppSettings,
    records: Records,
    clock: Clock,
    queued: Callable[[], int] | None = None,
) -> None:
    """Add the pages to an application; `queued` returns how many tasks wait, for the metrics."""
    token = settings.pages_token
    keeper = Doorkeeper(token=token, clock=clock) if token else None
    door = Door(keeper, public_url=settings.public_url)
    access.prepare(app)
    door.install(app)
    metrics = Metrics(records, caps=settings.caps, clock=clock, queued=queued)
    install_health(app, records=records, metrics=metrics, door=door, clock=clock)
    pages = _Pages(settings, records, clock)
    app.add_url_rule("/", "runs", door.guarded(pages.runs))
    app.add_url_rule("/runs/<word>", "run", door.guarded(pages.run))
    app.add_url_rule("/repos/<owner>/<name>", "repository", door.guarded(pages.repository))
    app.register_error_handler(404, lambda _: access.no_such_page())
    app.register_error_handler(RecordError, _unanswered)
    app.jinja_env.globals.update(
        typeset=partial(_typeset, maths()),
        line_url=partial(forge.line_url, settings.server_url),
        commit_url=partial(forge.commit_url, settings.server_url),
        pull_url=partial(forge.pull_url, settings.server_url),
        repository_path=forge.repository_path,
        server=settings.server_url,
        shown=viewmodels,
        plural=plural,
    )


class _Pages:
    """The views of the pages."""

    def __init__(self, settings: AppSettings, records: Records, clock: Clock) -> None:
        self._settings = settings
        self._records = records
        self._clock = clock

    def runs(self) -> ResponseReturnValue:
        """The newest runs, or older ones; all or those in one state."""
        runs = self._records.runs
        wanted = wanted_page("/", request.args)
        paged = page_of_runs(runs, wanted, _MOST)
        day, month = _beginnings(self._clock())
        beats = self._records.workers.beats()
        return render_template(
            "runs.html",
            rows=viewmodels.run_rows(paged.runs, self._settings.server_url),
            paged=paged,
            state=wanted.state,
            states=list(RunState),
            counts=runs.tally(0.0).states,
            today=runs.spent(day),
            month=runs.spent(month),
            cap=self._settings.caps.month,
            alive=max(beats.values(), default=None),
            now=self._clock(),
        )

    def run(self, word: str) -> ResponseReturnValue:
        """A run: what was read and why, findings, cost and log."""
        name = forge.run_id(word)
        run = self._records.runs.get(name) if name is not None else None
        if run is None:
            return access.no_such_page()
        number = run.number
        answers = self._records.answers.of(run.repository_id, number) if number else []
        halves = _halves(run)
        kept = [half.saved for half in halves if half.saved is not None]
        return render_template(
            "run.html",
            run=run,
            row=viewmodels.row(run, self._settings.server_url),
            halves=halves,
            front=kept[-1] if kept else None,
            answers=answers,
        )

    def repository(self, owner: str, name: str) -> ResponseReturnValue:
        """The graph of a paper, its statuses over time, its runs."""
        runs = self._records.runs
        number = runs.named(f"{owner}/{name}")
        if number is None:
            return access.no_such_page()
        latest = runs.latest(_MOST, repository_id=number)
        history = runs.on_default(number, _HISTORY)
        source, found = self._newest([*history, *latest])
        name = latest[0].repository if latest else f"{owner}/{name}"
        wanted = wanted_page(forge.repository_path(name), request.args, number)
        paged = page_of_runs(runs, wanted, _MOST)
        return render_template(
            "repository.html",
            name=name,
            rows=viewmodels.run_rows(paged.runs, self._settings.server_url),
            paged=paged,
            chart=viewmodels.chart(history),
            source=source,
            row=viewmodels.row(source, self._settings.server_url) if source else None,
            saved=found,
            paper=result_graph.paper(found) if found else result_graph.PaperGraphView(),
            canvas=Markup(canvas()),  # noqa: S704  # a constant of ours
        )

    def _newest(self, runs: list[ReviewRun]) -> tuple[ReviewRun | None, ReviewResult | None]:
        """The newest run with a graph, with the result that holds it."""
        for brief in runs:
            if brief.structure_outline is None and brief.proofs_outline is None:
                continue
            run = self._records.runs.get(brief.id)
            for half in reversed(_halves(run)) if run else ():
                if half.saved is not None and half.saved.graph:
                    return run, half.saved
        return None, None


def maths() -> Maths:
    """The renderer of formulas; if it is not installed, they are shown as LaTeX."""
    if find_spec("latex2mathml") is None:
        return lambda text, display: None
    from pfcore.reporters.html.mathml import formula_mathml

    return lambda text, display: formula_mathml(text, display=display)


def _halves(run: ReviewRun) -> list[Half]:
    texts = (("Structure", run.structure), ("Proofs", run.proofs))
    return [_half(title, text) for title, text in texts if text is not None]


def _half(title: str, text: str) -> Half:
    try:
        return Half(title=title, saved=review_result.load_result(text))
    except ValueError:
        fault = "This result cannot be shown: it was stored by another release, or is damaged."
        return Half(title=title, saved=None, fault=fault)


def _typeset(by: Maths, text: str) -> Markup:
    """A text of a paper or a model; `typeset` escapes everything but its own markup."""
    return Markup(typeset(text, by))  # noqa: S704


def _beginnings(now: float) -> tuple[float, float]:
    """The starts of the current day and month in UTC, as the caps count."""
    day = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return day.timestamp(), day.replace(day=1).timestamp()


def _unanswered(error: Exception) -> ResponseReturnValue:
    says = error.message if isinstance(error, RecordError) else ""
    return render_template("message.html", title="Not available", says=says), 503


@dataclass(frozen=True, slots=True, kw_only=True)
class RunQuery:
    """The runs that a page's address asks for, by repository if there is one."""

    path: str
    state: RunState | None = None
    repository_id: int | None = None
    before: RunCursor | None = None
    after: RunCursor | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """A page of runs, newest first, with the addresses of its neighbours, "" if there are none."""

    runs: list[ReviewRun]
    newer: str = ""
    older: str = ""


def wanted_page(path: str, asked: Mapping[str, str], repository_id: int | None = None) -> RunQuery:
    """The runs that an address asks for; invalid parts are ignored."""
    state = asked.get("state", "")
    return RunQuery(
        path=path,
        state=RunState(state) if state in set(RunState) else None,
        repository_id=repository_id,
        before=_edge(asked.get("older", "")),
        after=_edge(asked.get("newer", "")),
    )


def page_of_runs(runs: Runs, which: RunQuery, most: int) -> RunPage:
    """The page asked for; if too few runs are newer, the newest page."""
    if which.after is not None:
        found = _found(runs, which, most + 1, after=which.after)
        if len(found) > most:
            kept = found[1:]
            return RunPage(runs=kept, newer=_beside(which, newer=kept[0]), older=_next(which, kept))
    before = which.before if which.after is None else None
    found = _found(runs, which, most + 1, before=before)
    kept = found[:most]
    newer = ""
    if before is not None:
        newer = _beside(which, newer=kept[0]) if kept else _beside(which)
    return RunPage(runs=kept, newer=newer, older=_next(which, kept) if len(found) > most else "")


def _found(
    runs: Runs,
    which: RunQuery,
    most: int,
    *,
    before: RunCursor | None = None,
    after: RunCursor | None = None,
) -> list[ReviewRun]:
    return runs.latest(
        most, repository_id=which.repository_id, state=which.state, before=before, after=after
    )


def _next(which: RunQuery, kept: list[ReviewRun]) -> str:
    return _beside(which, older=kept[-1])


def _beside(which: RunQuery, **ends: ReviewRun) -> str:
    """The address of the neighbouring page next to a run; without one, that of the newest page."""
    asked = {"state": which.state.value} if which.state else {}
    asked |= {name: f"{run.created!r}~{forge.word(run.id)}" for name, run in ends.items()}
    return f"{which.path}?{urlencode(asked)}" if asked else which.path


def _edge(text: str) -> RunCursor | None:
    moment, _, word = text.partition("~")
    try:
        created = float(moment)
    except ValueError:
        return None
    name = forge.run_id(word)
    return RunCursor(created, name) if name is not None and math.isfinite(created) else None


SILENT = 120.0
"""How many seconds without a sign of life mean that no worker is running."""


def install_health(
    app: Flask,
    *,
    records: Records,
    metrics: Metrics,
    door: Door,
    clock: Callable[[], float],
) -> None:
    """Add `/readyz`, which answers yes or no to everybody, and `/metrics`, behind the door."""

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
    return [] if is_alive else ["no worker has been active lately"]
