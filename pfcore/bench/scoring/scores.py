"""Turns a saved run into scored rows, given a judge and the rules for what one location is.

It also prints the results of a run on the terminal (pages with pictures are in `run_report`), and
makes curves over k: which runs belong together, and their names.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from pfcore.bench.runs.saved_run import (
    Benchmark,
    Header,
    Judge,
    Method,
    Prediction,
    Rollout,
    RunAsked,
    SavedRun,
    Truth,
    Used,
)
from pfcore.bench.scoring.measures import (
    PAPERS,
    STEPS,
    WHOLE,
    ErrorTally,
    Measure,
    Place,
    ScoredRow,
    by_steps,
    tally_of_row,
    total,
)
from pfcore.bench.scoring.scaling import (
    PAIRS,
    PARTS,
    SHARES,
    IntervalEstimate,
    Sampling,
    by_problem,
    curve,
    estimates,
    wilson,
)
from pfcore.bench.terminal_table import Cell, table_lines
from pfcore.llm.protocol import TokenUsage
from pfcore.reporters.printing import Style, plural, safe
from pfcore.verification.locations import printed_place

_UNSAID = re.compile(r"[^a-z0-9.]+")


class Rules(StrEnum):
    """When two locations are the same, and how the authors' words are split into known errors.

    `own`: "Lemma 4.3" and "Proof of Lemma 4.3" are the same, and a location names what any
    prediction of it names. `reference`, as in the paper's published scripts: only equal words are
    the same, up to case and punctuation; only the first prediction of a location counts; the
    authors' words are split at every comma, semicolon and "and".
    """

    OWN = "own"
    REFERENCE = "reference"


class Scored(NamedTuple):
    """The rows that count, and by name why the others do not."""

    rows: list[ScoredRow]
    left_out: dict[str, str]


def scored(run: SavedRun, *, judge: Judge = Judge.INCLUSIVE, rules: Rules = Rules.OWN) -> Scored:
    """The rows whose k rollouts all reached verdicts; a failed one would count as a pass.

    Hard2Verify's own grading counts a step without a verdict as graded wrongly instead. `judge` and
    `rules` have no effect for proofs with steps.
    """
    rows, left_out = [], {}
    for truth in run.rows:
        rollouts = run.of(truth.name)
        reason = _lacking(rollouts, run.header.k, judge)
        if reason:
            left_out[truth.name] = reason
        else:
            rows.append(_row(truth, rollouts, judge, rules))
    return Scored(rows, left_out)


def same_words(location: str) -> str:
    """A location's words as the paper's published scripts compare them."""
    plain = unicodedata.normalize("NFKD", location).lower()
    return _UNSAID.sub(" ", plain).strip()


def _lacking(rollouts: Iterable[Rollout], k: int, judge: Judge) -> str:
    """Why rollouts are not k verdicts, or ""."""
    listed = list(rollouts)
    for item in listed:
        if item.unreached:
            return f"rollout {item.number}: {item.unreached[0]}"
        if any(found.matches.get(judge) is None for found in item.predictions):
            said = item.unjudged[0] if item.unjudged else "nobody has judged its locations"
            return f"rollout {item.number}: {said}"
    return "" if len(listed) == k else f"{len(listed)} of {k} rollouts"


def _row(truth: Truth, rollouts: Iterable[Rollout], judge: Judge, rules: Rules) -> ScoredRow:
    if truth.steps is not None:
        labels = [
            None if step in truth.unknown else step not in truth.wrong
            for step in range(truth.steps)
        ]
        return by_steps(truth.name, labels, (item.steps for item in rollouts), truth.group)
    errors = truth.own if rules is Rules.OWN else truth.reference
    return ScoredRow(
        name=truth.name,
        errors=frozenset(errors),
        rollouts=tuple(_flags(item.predictions, errors, judge, rules) for item in rollouts),
        keeps_first=rules is Rules.REFERENCE,
    )


def _flags(
    predictions: Iterable[Prediction], errors: Iterable[int], judge: Judge, rules: Rules
) -> dict[Place, frozenset[int]]:
    known = frozenset(errors)
    found: dict[Place, frozenset[int]] = {}
    for item in predictions:
        named = known.intersection(item.matches[judge] or ())
        if rules is Rules.REFERENCE:
            found.setdefault(same_words(item.location), named)
        else:
            key = printed_place(item.location).key
            found[key] = found.get(key, frozenset()) | named
    return found


SIMULATED = "SIMULATED: no model was used, and the numbers say nothing about one."
"""The warning on every table of simulated runs."""

BOUNDS = (
    "Authors disclose what they have corrected, not all that is wrong: false errors are an upper "
    "bound, precision a lower bound."
)
"""The note on every table about papers."""

_STEPS = ("step_precision", "step_recall", "coverage", "false_errors", "proof_precision",
          "proof_recall")  # fmt: skip
_PAPERS = ("step_precision", "error_precision", "step_recall", "coverage", "false_errors")
_WHOLE = ("proof_accuracy", "proof_recall", "proof_false_alarms", "proof_balanced_accuracy")
_SHOWN = {
    Benchmark.HARD2VERIFY: (_STEPS, STEPS),
    Benchmark.PROOFS: (_WHOLE, WHOLE),
    Benchmark.ARXIV: (_PAPERS, PAPERS),
}
MEASURES: Mapping[Benchmark, Mapping[str, Measure]] = {
    benchmark: measures for benchmark, (_, measures) in _SHOWN.items()
}
"""The measures of the rows of each benchmark, by name."""

_IN_WORDS = {
    "proof_accuracy": ("accuracy", "proofs"),
    "proof_recall": ("recall", "wrong proofs"),
    "proof_false_alarms": ("false alarms", "right proofs"),
    "proof_balanced_accuracy": ("balanced accuracy", "proofs"),
}
UNKNOWN = (
    "Steps after the first error have no label in {rows}: they count in no measure of steps. "
    "Coverage there means that the first error was found."
)
"""The note on tables with rows of which only the first error is known."""
_NO_INTERVALS = Sampling(resamples=0)
_MOST = 10


def run_text(run: SavedRun, style: Style) -> str:
    """A run's header, its measures per k, and its cost."""
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
        yield "Tokens and dollars are simulated too."


def _title(header: Header) -> str:
    is_rewritten = header.method is Method.PF and header.benchmark is not Benchmark.PROOFS
    repair = " without self-repair" if is_rewritten and not header.self_repair else ""
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
    names, measures = _SHOWN[run.header.benchmark]
    along = curve(found.rows, measures, _NO_INTERVALS)
    yield from table_lines(
        ("k", *names), ((str(k), *_cells(values, names)) for k, values in along.items())
    )
    if unknown := sum(bool(truth.unknown) for truth in run.rows):
        yield UNKNOWN.format(rows=plural(unknown, "row"))
    if run.header.benchmark is Benchmark.PROOFS:
        yield ""
        yield from _whole_proofs(found.rows, run.header.k)
    if is_papers:
        yield BOUNDS
        yield ""
        head = ("judge, rules", *names)
        yield from table_lines(head, _ways(run, names, measures))


class ProofShare(NamedTuple):
    """A measure of whole proofs under all rollouts together, of `of` proofs, with intervals.

    `by_formula` is Wilson's, as if proofs were independent, or computed from two such intervals;
    `by_problem` is from resampled problems with all their proofs. None if undefined.
    """

    value: float | None
    of: int
    by_formula: tuple[float, float] | None
    by_problem: tuple[float, float] | None


def proof_shares(rows: Sequence[ScoredRow]) -> dict[str, ProofShare]:
    """The measures of whole proofs, flagged if any rollout flags them."""
    table = [[tally_of_row(row, row.united(range(len(row.rollouts)))) for row in rows]]
    drawn = estimates(by_problem(rows, table), {**PARTS, **WHOLE}, Sampling())
    sums = total(table[0])
    found = {}
    for name in WHOLE:
        value, low, high = drawn[name]
        found[name] = ProofShare(
            value=value,
            of=SHARES[name](sums) if name in SHARES else sums.rows,
            by_formula=_by_formula(name, drawn, sums),
            by_problem=None if low is None or high is None else (low, high),
        )
    return found


def _by_formula(
    name: str, drawn: Mapping[str, IntervalEstimate], sums: ErrorTally
) -> tuple[float, float] | None:
    """Wilson's interval of a share; of a mean of two shares, from both low ends to both high."""
    value = drawn[name].value
    if value is None:
        return None
    if name in SHARES:
        return wilson(value, SHARES[name](sums))
    pair = PAIRS[name]
    one, other = (_by_formula(part, drawn, sums) for part in (pair.one, pair.other))
    if one is None or other is None:
        return None
    low, high = pair.made(one[0], other[0]), pair.made(one[1], other[1])
    return None if low is None or high is None else (low, high)


def _whole_proofs(rows: Sequence[ScoredRow], k: int) -> Iterator[str]:
    problems = len({row.group or row.name for row in rows})
    found = proof_shares(rows)
    yield from table_lines(
        (f"any of {plural(k, 'rollout')}", "share", "n", "Wilson 95 %", "by problem 95 %"),
        (
            [f"{words} ({of})", _of_hundred(item.value), item.of, *map(_ends, item[2:])]
            for name, (words, of) in _IN_WORDS.items()
            for item in (found[name],)
        ),
    )
    drawn = plural(problems, "problem")
    yield f"By problem: {drawn} drawn with replacement, each with all its proofs."


def _of_hundred(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _ends(interval: tuple[float, float] | None) -> str:
    return "–" if interval is None else f"{100 * interval[0]:.1f}–{100 * interval[1]:.1f}"


def _left_out(reasons: Mapping[str, str]) -> Iterator[str]:
    """The rows that were left out: an incompletely read row is not a row without errors."""
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
    """The measures of all rollouts, for each judge and each set of rules."""
    for judge in Judge:
        for rules in Rules:
            rows = scored(run, judge=judge, rules=rules).rows
            values = curve(rows, measures, _NO_INTERVALS)[run.header.k] if rows else {}
            yield [f"{judge}, {rules}", *_cells(values, names)]


def _cells(values: Mapping[str, IntervalEstimate], names: Iterable[str]) -> list[Cell]:
    found = [values[name].value if name in values else None for name in names]
    return ["–" if value is None else value for value in found]


def _stages(run: SavedRun) -> Iterator[str]:
    """Calls, tokens and cost by stage, in all rollouts; including replies from the store."""
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


USUAL = Sampling(resamples=200)
"""Fewer resamples than elsewhere: a curve over eight rollouts needs 255 subsets for each."""

_METHODS = {Method.DIRECT: "direct judge", Method.PF: "PF + block verification"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The measures of one run at each k, under one judge and one set of rules.

    `counted` rows had all their verdicts; `left_out` says why the others do not count. `judge` is
    None for proofs, whose steps need none.
    """

    mark: str
    run: SavedRun
    judge: Judge | None
    rules: Rules
    points: Mapping[int, Mapping[str, IntervalEstimate]]
    counted: int
    left_out: Mapping[str, str]

    @property
    def header(self) -> Header:
        """The run's own header."""
        return self.run.header

    @property
    def model(self) -> str:
        """The model, as the server named it."""
        return _named(self.header.asked, self.header)

    @property
    def judge_model(self) -> str:
        """The judge of locations, as its server named it; "" if there was none."""
        header = self.header
        return _named(header.judge, header) if header.judge else ""

    @property
    def method(self) -> str:
        """The method in words."""
        is_whole = self.header.benchmark is Benchmark.PROOFS
        words = _METHODS[self.header.method]
        if is_whole and self.header.method is Method.PF:
            return "block verification"
        is_bare = self.header.method is Method.PF and not self.header.self_repair
        return f"{words}, no self-repair" if is_bare else words

    @property
    def label(self) -> str:
        """The text for a legend: mark, method, model, and whether it is simulated."""
        simulated = " (simulated)" if self.header.simulated else ""
        return f"{self.mark}  {self.method}, {self.model}{simulated}"


def curves(
    runs: Mapping[str, SavedRun],
    *,
    judge: Judge = Judge.INCLUSIVE,
    rules: Rules = Rules.OWN,
    how: Sampling = USUAL,
) -> list[Curve]:
    """A curve for each run, by its mark."""
    return [_curve(mark, run, judge, rules, how) for mark, run in runs.items()]


def groups(runs: Sequence[SavedRun]) -> dict[Benchmark, dict[str, SavedRun]]:
    """The runs by benchmark, marked A, B, … in their order."""
    found: dict[Benchmark, dict[str, SavedRun]] = {}
    for number, run in enumerate(runs):
        found.setdefault(run.header.benchmark, {})[_mark(number)] = run
    return found


def is_one_data_set(listed: Sequence[Curve]) -> bool:
    """Whether curves are for the same rows, so that they can be compared."""
    return len({item.header.data_digest for item in listed}) <= 1


def identity(item: Curve, *, judges: str = "") -> str:
    """A full description of a run for tables; `judges` if it is about more than the curve's."""
    header = item.header
    n = f"n = {item.counted}"
    if item.left_out:
        n += f" of {header.n}, {len(item.left_out)} without a verdict"
    parts = [
        f"{item.mark}: {item.method}",
        f"model {item.model}",
        f"contract {header.asked.contract[:8]}",
        n,
        f"k = {header.k}",
        header.date[:10],
        "simulated, no model was used" if header.simulated else "not simulated",
    ]
    if header.judge is not None:
        parts.append(f"locations judged by {item.judge_model}, {judges or item.judge}")
    return "; ".join(parts)


def _named(asked: RunAsked, header: Header) -> str:
    """The name that a server gave; the requested one if it gave none or the run is simulated."""
    served = () if header.simulated else asked.served
    return ", ".join(served) or asked.model


def _curve(mark: str, run: SavedRun, judge: Judge, rules: Rules, how: Sampling) -> Curve:
    is_paper = run.header.benchmark is Benchmark.ARXIV
    found = scored(run, judge=judge, rules=rules)
    measures = MEASURES[run.header.benchmark]
    return Curve(
        mark=mark,
        run=run,
        judge=judge if is_paper else None,
        rules=rules,
        points=curve(found.rows, measures, how) if found.rows else {},
        counted=len(found.rows),
        left_out=found.left_out,
    )


def _mark(number: int) -> str:
    return chr(ord("A") + number) if number < 26 else f"R{number + 1}"
