"""The pages: all runs, one run, one paper over time."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec

from flask import Flask, render_template, request
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from bot.app_settings import AppSettings
from bot.domain import addresses, review_result
from bot.domain.review_result import ReviewResult
from bot.domain.run_records import RecordError, Records, ReviewRun, RunState
from bot.observability import Metrics
from bot.web import access, charts, health, paging, result_graph, viewmodels
from bot.web.door import Door
from bot.web.doorkeeper import Doorkeeper
from pfcore.reporters.html.canvas import canvas
from pfcore.reporters.html.typeset import Maths, typeset

Clock = Callable[[], float]

_MOST = 100
_HISTORY = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Half:
    """One half of a review: its result, or a sentence where it cannot be read any more."""

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
    """Add the pages to an application; `queued` tells how many tasks wait, for the metrics."""
    token = settings.pages_token
    keeper = Doorkeeper(token=token, clock=clock) if token else None
    door = Door(keeper, public_url=settings.public_url)
    access.prepare(app)
    door.install(app)
    metrics = Metrics(records, caps=settings.caps, clock=clock, queued=queued)
    health.install_health(app, records=records, metrics=metrics, door=door, clock=clock)
    pages = _Pages(settings, records, clock)
    app.add_url_rule("/", "runs", door.guarded(pages.runs))
    app.add_url_rule("/runs/<word>", "run", door.guarded(pages.run))
    app.add_url_rule("/repos/<owner>/<name>", "repository", door.guarded(pages.repository))
    app.register_error_handler(404, lambda _: access.no_such_page())
    app.register_error_handler(RecordError, _unanswered)
    app.jinja_env.globals.update(
        typeset=partial(_typeset, maths()),
        line_url=partial(addresses.line_url, settings.server_url),
        commit_url=partial(addresses.commit_url, settings.server_url),
        pull_url=partial(addresses.pull_url, settings.server_url),
        repository_path=addresses.repository_path,
        server=settings.server_url,
        shown=viewmodels,
    )


class _Pages:
    """What the pages answer."""

    def __init__(self, settings: AppSettings, records: Records, clock: Clock) -> None:
        self._settings = settings
        self._records = records
        self._clock = clock

    def runs(self) -> ResponseReturnValue:
        """The newest runs, or older ones; all or those in one state."""
        runs = self._records.runs
        wanted = paging.wanted_page("/", request.args)
        paged = paging.page_of_runs(runs, wanted, _MOST)
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
        """What was read and why, what was found, what it cost, what was logged."""
        name = addresses.run_id(word)
        run = self._records.runs.get(name) if name is not None else None
        if run is None:
            return access.no_such_page()
        number = run.number
        answers = self._records.answers.of(run.repository_id, number) if number else []
        return render_template(
            "run.html",
            run=run,
            row=viewmodels.row(run, self._settings.server_url),
            halves=_halves(run),
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
        wanted = paging.wanted_page(addresses.repository_path(name), request.args, number)
        paged = paging.page_of_runs(runs, wanted, _MOST)
        return render_template(
            "repository.html",
            name=name,
            rows=viewmodels.run_rows(paged.runs, self._settings.server_url),
            paged=paged,
            chart=charts.chart(history),
            source=source,
            row=viewmodels.row(source, self._settings.server_url) if source else None,
            saved=found,
            paper=result_graph.paper(found) if found else result_graph.PaperGraphView(),
            canvas=Markup(canvas()),  # noqa: S704  # a constant of ours
        )

    def _newest(self, runs: list[ReviewRun]) -> tuple[ReviewRun | None, ReviewResult | None]:
        """The first of some runs that has a graph."""
        for brief in runs:
            if brief.structure_outline is None and brief.proofs_outline is None:
                continue
            run = self._records.runs.get(brief.id)
            for half in reversed(_halves(run)) if run else ():
                if half.saved is not None and half.saved.graph:
                    return run, half.saved
        return None, None


def maths() -> Maths:
    """What makes formulas; where it is not installed they are shown as LaTeX."""
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
        fault = "This result was kept by another release, or is damaged: it cannot be shown."
        return Half(title=title, saved=None, fault=fault)


def _typeset(by: Maths, text: str) -> Markup:
    """A text of a paper or a model; `typeset` escapes all that it does not make itself."""
    return Markup(typeset(text, by))  # noqa: S704


def _beginnings(now: float) -> tuple[float, float]:
    """When this day and this month began, in UTC, as the caps count."""
    day = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return day.timestamp(), day.replace(day=1).timestamp()


def _unanswered(error: Exception) -> ResponseReturnValue:
    says = error.message if isinstance(error, RecordError) else ""
    return render_template("message.html", title="Not now", says=says), 503
