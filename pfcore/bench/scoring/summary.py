"""What a run of a benchmark comes to, on the terminal; a page with pictures is another matter."""

from collections.abc import Iterable, Iterator, Mapping

from pfcore.bench.runs.saved_run import Benchmark, Header, Judge, RunAsked, SavedRun, Used
from pfcore.bench.scoring.measures import PAPERS, STEPS, Measure
from pfcore.bench.scoring.scaling import IntervalEstimate, Sampling, curve
from pfcore.bench.scoring.scores import Rules, scored
from pfcore.bench.terminal_table import Cell, table_lines
from pfcore.llm.protocol import TokenUsage
from pfcore.reporters.printing import plural, safe
from pfcore.reporters.style import Style

SIMULATED = "SIMULATED: no model was asked, and the numbers say nothing about one."
"""What is said of every table that no model has made."""

BOUNDS = (
    "Authors disclose what they have corrected, not all that is wrong: false errors are an upper "
    "bound, precision a lower bound."
)
"""What is said of every table about papers."""

_STEPS = ("step_precision", "step_recall", "coverage", "false_errors", "proof_precision",
          "proof_recall")  # fmt: skip
_PAPERS = ("step_precision", "error_precision", "step_recall", "coverage", "false_errors")
_NO_INTERVALS = Sampling(resamples=0)
_MOST = 10


def run_text(run: SavedRun, style: Style) -> str:
    """A run's header, its measures per k, and what it took."""
    return style.finish(_lines(run, style))


def _lines(run: SavedRun, style: Style) -> Iterator[str]:
    header = run.header
    yield style.paint(_title(header), "bold")
    if header.simulated:
        yield style.paint(SIMULATED, "warning")
    yield f"{_asked(header.asked)}; {header.date}"
    if header.judge is not None:
        yield f"judge of locations: {_asked(header.judge)}"
    yield ""
    yield from _measures(run)
    yield ""
    yield from _stages(run)
    if header.simulated:
        yield "Tokens and dollars are simulated, too: nobody was paid."


def _title(header: Header) -> str:
    repair = "" if header.self_repair or header.method == "direct" else " without self-repair"
    rows, times = plural(header.n, "row"), plural(header.k, "rollout")
    return f"{header.method}{repair} on {header.benchmark}: n = {rows}, k = {times}"


def _asked(asked: RunAsked) -> str:
    served = ", ".join(map(safe, asked.served)) or "nobody"
    return f"{safe(asked.model)} (answered as {served}), contract {asked.contract[:8]}"


def _measures(run: SavedRun) -> Iterator[str]:
    found = scored(run)
    yield from _left_out(found.left_out)
    if not found.rows:
        yield "No row counts: there is nothing to measure."
        return
    is_papers = run.header.benchmark is Benchmark.ARXIV
    names, measures = (_PAPERS, PAPERS) if is_papers else (_STEPS, STEPS)
    along = curve(found.rows, measures, _NO_INTERVALS)
    yield from table_lines(
        ("k", *names), ((str(k), *_cells(values, names)) for k, values in along.items())
    )
    if is_papers:
        yield BOUNDS
        yield ""
        head = ("judge, rules", *names)
        yield from table_lines(head, _ways(run, names, measures))


def _left_out(reasons: Mapping[str, str]) -> Iterator[str]:
    """A row that was not read to its end is no row without errors."""
    if not reasons:
        return
    yield f"{plural(len(reasons), 'row')} left out, without a verdict in every rollout:"
    for name, reason in list(reasons.items())[:_MOST]:
        yield f"  {safe(name)}: {safe(reason)}"
    if len(reasons) > _MOST:
        yield f"  … and {len(reasons) - _MOST} more"
    yield ""


def _ways(
    run: SavedRun, names: Iterable[str], measures: Mapping[str, Measure]
) -> Iterator[list[Cell]]:
    """The measures of all rollouts, by each judge, by our rules and by those of the reference."""
    for judge in Judge:
        for rules in Rules:
            rows = scored(run, judge=judge, rules=rules).rows
            values = curve(rows, measures, _NO_INTERVALS)[run.header.k] if rows else {}
            yield [f"{judge}, {rules}", *_cells(values, names)]


def _cells(values: Mapping[str, IntervalEstimate], names: Iterable[str]) -> list[Cell]:
    found = [values[name].value if name in values else None for name in names]
    return ["–" if value is None else value for value in found]


def _stages(run: SavedRun) -> Iterator[str]:
    """Calls, tokens and money by stages, in all rollouts; replies that had been kept included."""
    stages: dict[str, list[Used]] = {}
    for rollout in run.rollouts:
        for used in rollout.used:
            stages.setdefault(used.stage, []).append(used)
    head = ("stage", "calls", "new", "input", "cached", "output", "$")
    rows = [_stage_row(stage, listed) for stage, listed in sorted(stages.items())]
    if len(rows) > 1:
        rows.append(_stage_row("all", [used for listed in stages.values() for used in listed]))
    yield from table_lines(head, rows)


def _stage_row(stage: str, listed: list[Used]) -> list[Cell]:
    usage = sum((item.usage for item in listed), TokenUsage())
    dollars = [item.dollars for item in listed if item.dollars is not None]
    return [
        stage,
        sum(item.calls for item in listed),
        sum(item.fresh for item in listed),
        usage.input,
        usage.cached,
        usage.output,
        f"{sum(dollars):,.2f}" if len(dollars) == len(listed) else "–",
    ]
