"""All that a report on saved runs has: sections with their pictures and tables."""

from collections.abc import Iterator, Mapping, Sequence

from pfcore.bench.runs.saved_run import Benchmark, Judge, SavedRun
from pfcore.bench.scoring import figures, tables
from pfcore.bench.scoring.canvas import Picture
from pfcore.bench.scoring.curves import USUAL, Curve, curves, groups, identity, is_one_data_set
from pfcore.bench.scoring.page import ReportSection
from pfcore.bench.scoring.scaling import Sampling
from pfcore.bench.scoring.scores import Rules

_TITLES = {
    Benchmark.HARD2VERIFY: "Hard2Verify: proofs with labelled steps",
    Benchmark.ARXIV: "ArxivMathGradingBench: papers with known errors",
}
_OTHER_DATA = (
    "These runs are of different rows, so their numbers cannot be compared with one another."
)
_SIMULATED = "Runs that are called simulated asked no model: they say nothing of any."
_RULES = {
    Rules.OWN: "Own rules: “Lemma 4.3” and “Proof of Lemma 4.3” are one location.",
    Rules.REFERENCE: "Reference rules, of the paper's scripts: only equal words are one location.",
}


def sections(runs: Sequence[SavedRun], how: Sampling = USUAL) -> list[ReportSection]:
    """A section for each benchmark; UsageError where nothing can be drawn with."""
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
    """Each run once; twice where the judges left out other rows."""
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
) -> list[tables.ReportTable]:
    """The tables of runs of one benchmark, whose curves are given."""
    return [*_measures(marked, listed, how), *_others(listed)]


def _pictures(listed: Sequence[Curve]) -> list[Picture]:
    is_paper = listed[0].header.benchmark is Benchmark.ARXIV
    every = [
        figures.precision_recall(listed),
        figures.panels(listed),
        None if is_paper else figures.precision_recall(listed, of_proofs=True),
        figures.models(listed),
    ]
    return [picture for picture in every if picture is not None]


def _measures(
    marked: Mapping[str, SavedRun], listed: Sequence[Curve], how: Sampling
) -> list[tables.ReportTable]:
    """The measures; of papers by both judges and by both sets of rules."""
    if listed[0].judge is None:
        return tables.measures([item for item in listed if item.counted])
    found = []
    for rules, words in _RULES.items():
        for judge in (Judge.INCLUSIVE, Judge.STRICT):
            is_known = (rules, judge) == (listed[0].rules, listed[0].judge)
            these = listed if is_known else curves(marked, judge=judge, rules=rules, how=how)
            mine = [item for item in these if item.counted]
            found += tables.measures(mine, f": {judge} judge, {rules} rules", words)
    return found


def _others(listed: Sequence[Curve]) -> list[tables.ReportTable]:
    every = [
        tables.stage_table(listed),
        tables.per_rollout(listed),
        tables.flips(listed),
        tables.uncounted_rows(listed),
    ]
    return [table for table in every if table is not None]


def _warnings(listed: Sequence[Curve]) -> list[str]:
    found = []
    if any(item.header.simulated for item in listed):
        found.append(_SIMULATED)
    if not is_one_data_set(listed):
        found.append(_OTHER_DATA)
    return found
