"""The report on saved runs: sections with their pictures and tables.

It is one self-contained HTML page. The tables show measures, stages, flips, and what was left out.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from pfcore.bench.runs.saved_run import Benchmark, Judge, SavedRun, Used
from pfcore.bench.scoring import figures
from pfcore.bench.scoring.figures import Picture
from pfcore.bench.scoring.measures import flip_rate, of_errors, of_proofs, of_steps
from pfcore.bench.scoring.scaling import IntervalEstimate, Sampling
from pfcore.bench.scoring.scores import (
    UNKNOWN,
    USUAL,
    Curve,
    Rules,
    curves,
    groups,
    identity,
    is_one_data_set,
    scored,
)
from pfcore.llm.protocol import TokenUsage
from pfcore.reporters.printing import plural

_TITLES = {
    Benchmark.HARD2VERIFY: "Hard2Verify: proofs with labelled steps",
    Benchmark.PROOFS: "Whole proofs with one grade",
    Benchmark.ARXIV: "ArxivMathGradingBench: papers with known errors",
}
_OTHER_DATA = (
    "These runs are of different rows, so their numbers cannot be compared with one another."
)
_SIMULATED = "Simulated runs used no model and say nothing about one."
_RULES = {
    Rules.OWN: "Own rules: “Lemma 4.3” and “Proof of Lemma 4.3” are one location.",
    Rules.REFERENCE: "Reference rules, of the paper's scripts: only equal words are one location.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """A table of text cells: `about` names the runs in full, `notes` say how to read it."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    about: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSection:
    """The pictures and tables of one benchmark; `warnings` come first, `runs` names each run."""

    title: str
    runs: Sequence[str]
    pictures: Sequence[Picture]
    tables: Sequence[ReportTable]
    warnings: Sequence[str] = ()


def sections(runs: Sequence[SavedRun], how: Sampling = USUAL) -> list[ReportSection]:
    """A section for each benchmark; UsageError if matplotlib is missing."""
    return [_section(benchmark, marked, how) for benchmark, marked in groups(runs).items()]


def _section(benchmark: Benchmark, marked: Mapping[str, SavedRun], how: Sampling) -> ReportSection:
    listed = curves(marked, how=how)
    drawn = [item for item in listed if item.points]
    return ReportSection(
        title=_TITLES[benchmark],
        runs=list(_runs(marked, listed)),
        pictures=_pictures(drawn) if drawn else [],
        tables=all_tables(marked, listed, how),
        warnings=_warnings(listed),
    )


def _runs(marked: Mapping[str, SavedRun], listed: Sequence[Curve]) -> Iterator[str]:
    """Each run once, or twice if the judges left out different rows."""
    without = Sampling(resamples=0)
    strict = {item.mark: item for item in curves(marked, judge=Judge.STRICT, how=without)}
    for item in listed:
        other = strict[item.mark]
        if item.judge is None:
            yield identity(item)
        elif item.left_out == other.left_out:
            yield identity(item, judges=f"{item.judge} and {other.judge}")
        else:
            yield from (identity(item), identity(other))


def all_tables(
    marked: Mapping[str, SavedRun], listed: Sequence[Curve], how: Sampling = USUAL
) -> list[ReportTable]:
    """The tables for runs of one benchmark, given their curves."""
    return [*_measures(marked, listed, how), *_others(listed)]


def _pictures(listed: Sequence[Curve]) -> list[Picture]:
    is_stepped = listed[0].header.benchmark is Benchmark.HARD2VERIFY
    every = [
        figures.precision_recall(listed),
        figures.panels(listed),
        figures.precision_recall(listed, of_proofs=True) if is_stepped else None,
        figures.models(listed),
    ]
    return [picture for picture in every if picture is not None]


def _measures(
    marked: Mapping[str, SavedRun], listed: Sequence[Curve], how: Sampling
) -> list[ReportTable]:
    """The measures; for papers by both judges and both sets of rules."""
    if listed[0].judge is None:
        return measures([item for item in listed if item.counted])
    found = []
    for rules, words in _RULES.items():
        for judge in (Judge.INCLUSIVE, Judge.STRICT):
            is_known = (rules, judge) == (listed[0].rules, listed[0].judge)
            these = listed if is_known else curves(marked, judge=judge, rules=rules, how=how)
            mine = [item for item in these if item.counted]
            found += measures(mine, f": {judge} judge, {rules} rules", words)
    return found


def _others(listed: Sequence[Curve]) -> list[ReportTable]:
    every = [
        stage_table(listed),
        per_rollout(listed),
        flips(listed),
        uncounted_rows(listed),
    ]
    return [table for table in every if table is not None]


def _warnings(listed: Sequence[Curve]) -> list[str]:
    found = []
    if any(item.header.simulated for item in listed):
        found.append(_SIMULATED)
    if not is_one_data_set(listed):
        found.append(_OTHER_DATA)
    return found


_CSS = """
:root { color-scheme: light dark; --line: #8885; --pale: #8881; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 1150px;
  padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin-top: 2.4rem }
figure { margin: 1.2rem 0 } figcaption, .about { font-size: .85rem; opacity: .85 }
img { background: #fff; max-width: 100%; height: auto }
.scroll { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .6rem 0 }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem }
th, td { padding: .18rem .7rem; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left }
thead th { white-space: normal; vertical-align: bottom } tbody tr:nth-child(even) {
  background: var(--pale) }
ul.about { margin: .2rem 0; padding-left: 1.2rem }
.warning { border-left: 4px solid #D55E00; padding: .3rem .8rem }
""".strip()


def run_page(title: str, sections: Sequence[ReportSection]) -> str:
    """The page; whatever runs say about themselves is escaped."""
    body = "\n".join(line for section in sections for line in _section_html(section))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_CSS}\n</style>\n</head>\n"
        f"<body>\n<h1>{escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def _section_html(section: ReportSection) -> Iterator[str]:
    yield f"<section>\n<h2>{escape(section.title)}</h2>"
    for warning in section.warnings:
        yield f'<p class="warning">{escape(warning)}</p>'
    for picture in section.pictures:
        data = b64encode(picture.data["svg"]).decode()
        words = escape(picture.words)
        yield (
            f'<figure><img alt="{words}" src="data:image/svg+xml;base64,{data}">'
            f"<figcaption>{words}</figcaption></figure>"
        )
    for table in section.tables:
        yield from _table(table)
    yield "</section>"


def _table(table: ReportTable) -> Iterator[str]:
    yield f'<div class="scroll"><table>\n<caption>{escape(table.title)}</caption>\n<thead><tr>'
    yield "".join(f'<th scope="col">{escape(cell)}</th>' for cell in table.head)
    yield "</tr></thead>\n<tbody>"
    for row in table.rows:
        yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
    yield "</tbody></table></div>"
    listed = "".join(f"<li>{escape(line)}</li>" for line in (*table.about, *table.notes))
    yield f'<ul class="about">{listed}</ul>'


UPPER = (
    "False errors per paper are an upper bound, and precision a lower one: authors do not disclose "
    "every error, and what matches none may be one."
)
_UNPAID = "Tokens and dollars of simulated runs are simulated too."
_NAMES = {
    "step_precision": "precision",
    "error_precision": "precision, each known error once",
    "step_recall": "recall",
    "proof_precision": "precision, proofs",
    "proof_recall": "recall, proofs",
    "proof_accuracy": "accuracy, proofs",
    "proof_false_alarms": "false alarms, right proofs",
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
_WHOLE = (
    ("proof_accuracy", "proof_recall", "proof_false_alarms", "proof_balanced_accuracy"),
    ("proof_precision",),
)
_TABLES = {
    Benchmark.HARD2VERIFY: (("Steps", "Balanced, and the first error", "Proofs"), _PROOFS),
    Benchmark.PROOFS: (("Proofs", "Precision of objections to proofs"), _WHOLE),
    Benchmark.ARXIV: (("Papers",), _PAPERS),
}


def measures(listed: Sequence[Curve], how: str = "", note: str = "") -> list[ReportTable]:
    """The measures at every k, for runs of one benchmark; `how` is added to the title."""
    if not listed:
        return []
    is_paper = listed[0].header.benchmark is Benchmark.ARXIV
    titles, groups = _TABLES[listed[0].header.benchmark]
    notes = [
        "Mean over the subsets of k rollouts; in brackets 95 % intervals from rows drawn with "
        "replacement: what other rows would have given. Shares have at least Wilson's interval, "
        "false errors that of a Poisson mean.",
        *_of_rows(listed),
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


def _of_rows(listed: Iterable[Curve]) -> Iterator[str]:
    """Notes on rows about one problem, and on rows of which only the first error is known."""
    rows = [row for item in listed for row in item.run.rows]
    if any(row.group for row in rows):
        yield "Rows about one problem are drawn together."
    unknown = {row.name for row in rows if row.unknown}
    if unknown:
        yield UNKNOWN.format(rows=plural(len(unknown), "row"))


def _overruled(listed: Iterable[Curve]) -> Iterator[str]:
    """How often labels overruled the judge."""
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
    """Calls, tokens and cost of the replies that each run uses, stage by stage."""
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
    """The average cost of one rollout of one row, as in the paper's cost table."""
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
    """How often two rollouts disagree about the same thing."""
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
    """The rows that do not count, and why; None if all count."""
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
