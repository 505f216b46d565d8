"""The tables of a report on saved runs: measures, stages, flips, and what was left out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pfcore.bench.runs.saved_run import Benchmark, Judge, Used
from pfcore.bench.scoring.curves import Curve, identity
from pfcore.bench.scoring.flips import flip_rate, of_errors, of_proofs, of_steps
from pfcore.bench.scoring.scaling import IntervalEstimate
from pfcore.bench.scoring.scores import scored
from pfcore.llm.protocol import TokenUsage

UPPER = (
    "False errors per paper are an upper bound, and precision a lower one: authors do not disclose "
    "every error, and what matches none may be one."
)
_UNPAID = "Tokens and dollars of simulated runs are simulated, too: nobody was paid."
_NAMES = {
    "step_precision": "precision",
    "error_precision": "precision, each known error once",
    "step_recall": "recall",
    "proof_precision": "precision, proofs",
    "proof_recall": "recall, proofs",
    "coverage": "coverage",
    "false_errors": "false errors",
    "step_balanced_accuracy": "balanced accuracy",
    "step_balanced_f1": "balanced F1",
    "proof_balanced_accuracy": "balanced accuracy, proofs",
    "proof_balanced_f1": "balanced F1, proofs",
    "first_error": "first error",
    "first_error_balanced_accuracy": "balanced accuracy, first error",
    "first_error_balanced_f1": "balanced F1, first error",
}
_PROOFS = (
    ("step_precision", "step_recall", "coverage", "false_errors"),
    ("step_balanced_accuracy", "step_balanced_f1", "first_error", "first_error_balanced_f1"),
    ("proof_precision", "proof_recall", "proof_balanced_accuracy", "proof_balanced_f1"),
)
_PAPERS = (("step_precision", "error_precision", "step_recall", "coverage", "false_errors"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """A table: `about` names the runs in full, `notes` say how to read it; cells are words."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    about: tuple[str, ...]
    notes: tuple[str, ...] = ()


def measures(listed: Sequence[Curve], how: str = "", note: str = "") -> list[ReportTable]:
    """The measures at every k, of runs of one benchmark; `how` matches were made, in the title."""
    if not listed:
        return []
    is_paper = listed[0].header.benchmark is Benchmark.ARXIV
    titles = ("Papers",) if is_paper else ("Steps", "Balanced, and the first error", "Proofs")
    groups = _PAPERS if is_paper else _PROOFS
    notes = [
        "Mean over the subsets of k rollouts; in brackets 95 % intervals from rows drawn with "
        "replacement: what other rows would have given. Shares have at least Wilson's interval, "
        "false errors that of a Poisson mean.",
        *([note] if note else []),
        *([UPPER, *_overruled(listed)] if is_paper else []),
    ]
    return [
        ReportTable(
            title=f"{title}{how}",
            head=("run", "k", *(_named(name, is_paper=is_paper) for name in names)),
            rows=tuple(_points(listed, names)),
            about=tuple(map(identity, listed)),
            notes=tuple(notes),
        )
        for title, names in zip(titles, groups, strict=True)
    ]


def _overruled(listed: Iterable[Curve]) -> Iterator[str]:
    """How often labels were to be believed rather than the judge."""
    times = sum(
        item.judge in found.overruled
        for item in listed
        for rollout in item.run.rollouts
        for found in rollout.predictions
    )
    if times:
        yield (
            f"Where labels leave no doubt they count: the judge said the contrary {times:,} times."
        )


def _named(name: str, *, is_paper: bool) -> str:
    if name != "false_errors":
        return _NAMES[name]
    return "false errors per paper (upper bound)" if is_paper else "false errors per proof"


def _points(listed: Iterable[Curve], names: Iterable[str]) -> Iterator[tuple[str, ...]]:
    wanted = list(names)
    for item in listed:
        for k, found in item.points.items():
            yield item.mark, str(k), *(_estimate(found[name], name) for name in wanted)


def _estimate(item: IntervalEstimate, name: str) -> str:
    if item.value is None:
        return "–"
    digits, scale, unit = (2, 1, "") if name == "false_errors" else (1, 100, " %")
    value = f"{scale * item.value:.{digits}f}{unit}"
    if item.low is None or item.high is None:
        return value
    return f"{value} ({scale * item.low:.{digits}f}–{scale * item.high:.{digits}f})"


def stage_table(listed: Sequence[Curve]) -> ReportTable:
    """Calls, tokens and money of the replies that each run rests on, stage by stage."""
    return ReportTable(
        title="Calls, tokens and money by stage",
        head=("run", "stage", "calls", "asked in this run", "input", "cached input", "output", "$"),
        rows=tuple(row for item in listed for row in _stages(item)),
        about=tuple(map(identity, listed)),
        notes=(
            "Of all replies that the rollouts rest on, whether they were asked for in this run or "
            "had been kept; calls that gave no reply are not among them.",
            *_unpaid(listed),
        ),
    )


def _unpaid(listed: Iterable[Curve]) -> Iterator[str]:
    if any(item.header.simulated for item in listed):
        yield _UNPAID


def _stages(item: Curve) -> Iterator[tuple[str, ...]]:
    found: dict[str, list[Used]] = {}
    for rollout in item.run.rollouts:
        for used in rollout.used:
            found.setdefault(used.stage, []).append(used)
    for stage, listed in found.items():
        yield item.mark, stage, *_sum(listed)
    if found:
        yield item.mark, "all", *_sum([used for listed in found.values() for used in listed])


def _sum(listed: Sequence[Used]) -> tuple[str, ...]:
    usage = sum((used.usage for used in listed), TokenUsage())
    known = [used.dollars for used in listed if used.dollars is not None]
    dollars = f"{sum(known):,.2f}" if len(known) == len(listed) else "not known"
    counts = (sum(used.calls for used in listed), sum(used.fresh for used in listed))
    numbers = (*counts, usage.input, usage.cached, usage.output)
    return *(f"{number:,}" for number in numbers), dollars


def per_rollout(listed: Sequence[Curve]) -> ReportTable:
    """What one rollout of one row takes on average, as the paper's cost table has it."""
    return ReportTable(
        title="One rollout of one row, on average",
        head=("run", "rows × rollouts", "calls", "input", "output", "$", "$ for all"),
        rows=tuple(_average(item) for item in listed if item.run.rollouts),
        about=tuple(map(identity, listed)),
        notes=tuple(_unpaid(listed)),
    )


def _average(item: Curve) -> tuple[str, ...]:
    rollouts = item.run.rollouts
    used = [used for rollout in rollouts for used in rollout.used]
    usage = sum((each.usage for each in used), TokenUsage())
    known = [each.dollars for each in used if each.dollars is not None]
    count = len(rollouts)
    is_known = len(known) == len(used)
    return (
        item.mark,
        f"{len(item.run.rows):,} × {item.header.k}",
        f"{sum(each.calls for each in used) / count:,.1f}",
        f"{usage.input / count:,.0f}",
        f"{usage.output / count:,.0f}",
        f"{sum(known) / count:,.4f}" if is_known else "not known",
        f"{sum(known):,.2f}" if is_known else "not known",
    )


def flips(listed: Sequence[Curve]) -> ReportTable:
    """How often two rollouts of one thing disagree about it."""
    return ReportTable(
        title="Flip rate: how often two rollouts disagree",
        head=("run", "about a proof or paper", "about a step", "about a known error"),
        rows=tuple(_flips(item) for item in listed if item.counted),
        about=tuple(map(identity, listed)),
        notes=("The share of pairs of rollouts of which one objects and the other does not.",),
    )


def _flips(item: Curve) -> tuple[str, ...]:
    rows = scored(item.run, judge=item.judge or Judge.INCLUSIVE, rules=item.rules).rows
    found = (flip_rate(votes(rows)) for votes in (of_proofs, of_steps, of_errors))
    return item.mark, *("–" if rate is None else f"{100 * rate:.1f} %" for rate in found)


def uncounted_rows(listed: Sequence[Curve]) -> ReportTable | None:
    """The rows that do not count, and why; None where all do."""
    rows = [(item.mark, name, reason) for item in listed for name, reason in item.left_out.items()]
    if not rows:
        return None
    return ReportTable(
        title="Rows that do not count, for want of a verdict",
        head=("run", "row", "why"),
        rows=tuple(rows),
        about=tuple(identity(item) for item in listed if item.left_out),
        notes=("A rollout without a verdict is no pass, so its row is in none of the numbers.",),
    )
