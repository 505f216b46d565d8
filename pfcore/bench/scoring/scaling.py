"""Measures per k: averaged over subsets of the rollouts, with intervals from resampled rows.

Resampling gives no width if all rows agree, so there are intervals by formula as well: Wilson's for
a share of trials (Wilson 1927), the score interval of a Poisson mean for a number per unit. These
treat trials as independent, which steps of one proof are not: an interval from resampled rows is
widened to them, and never made narrower.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from operator import itemgetter
from random import Random
from statistics import NormalDist
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from pfcore.bench.scoring.measures import (
    ErrorTally,
    Measure,
    ScoredRow,
    first_error,
    harmonic,
    mean,
    passed_proofs,
    passed_steps,
    proof_recall,
    step_recall,
    tally_of_row,
)

Sums = TypeVar("Sums", bound=tuple[int, ...])
"""A named tuple of additive numbers: an `ErrorTally`, or another one."""
MeasureOf = Callable[[Sums], float | None]

MOST_SUBSETS = 256
"""If there are more subsets of one size, this many are sampled: 12 rollouts have 924 of six."""


class IntervalEstimate(NamedTuple):
    """A measure with an interval; None if undefined, or undefined in too many samples."""

    value: float | None
    low: float | None = None
    high: float | None = None


class Sampling(NamedTuple):
    """How to make an interval: number of resamples, confidence level, and seed."""

    resamples: int = 1000
    confidence: float = 0.95
    seed: int = 0


USUAL = Sampling()


def rollouts_of(rows: Sequence[ScoredRow]) -> int:
    """The number of rollouts of each row; ValueError if rows have different numbers."""
    counts = {len(row.rollouts) for row in rows}
    if len(counts) > 1:
        raise ValueError("the rows have not as many rollouts as one another")
    return counts.pop() if counts else 0


def subsets(n: int, k: int, *, seed: int = 0) -> list[tuple[int, ...]]:
    """The subsets of size k of n rollouts, or a random selection of them, in order."""
    if math.comb(n, k) <= MOST_SUBSETS:
        return list(combinations(range(n), k))
    chance = Random(f"{seed}:{n}:{k}")  # noqa: S311 - only a sample
    found: set[tuple[int, ...]] = set()
    while len(found) < MOST_SUBSETS:
        found.add(tuple(sorted(chance.sample(range(n), k))))
    return sorted(found)


def tallies(rows: Sequence[ScoredRow], chosen: Iterable[Sequence[int]]) -> list[list[ErrorTally]]:
    """For each subset of the rollouts, the tally of each row under their union."""
    return [[tally_of_row(row, row.united(subset)) for row in rows] for subset in chosen]


def by_problem(
    rows: Sequence[ScoredRow], table: Sequence[Sequence[ErrorTally]]
) -> list[list[ErrorTally]]:
    """A table of rows with the tallies of one problem added up: they are drawn together."""
    places: dict[object, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(row.group or place, []).append(place)
    groups = list(places.values())
    return [[added([line[place] for place in group]) for group in groups] for line in table]


def averaged(sums: Sequence[Sums], measure: MeasureOf[Sums]) -> float | None:
    """The mean of a measure over subsets; those where it is undefined are left out."""
    values = [value for value in map(measure, sums) if value is not None]
    return math.fsum(values) / len(values) if values else None


def at(
    rows: Sequence[ScoredRow], k: int, measures: Mapping[str, Measure], how: Sampling = USUAL
) -> dict[str, IntervalEstimate]:
    """Each measure at k of the n rollouts: its mean over the subsets of size k.

    "k = 1, 2, 4, 8 independent runs aggregated per problem" (Figure 1 of the paper); at k = n it is
    the value itself. All rows use the same subset, while the paper's published scripts draw one for
    each row: the means of sums are the same, and ratios of sums nearly so. The interval is a
    percentile bootstrap: whole rows, those of one problem together, are drawn with replacement, the
    same ones for every subset, so that it covers what other proofs would have given, not other
    rollouts. It is no narrower than Wilson's for a share, or the score interval of a Poisson mean
    for a number (`pfcore.bench.scoring.scaling`), with n/k times as many trials, as if all were
    independent.
    """
    count = rollouts_of(rows)
    table = by_problem(rows, tallies(rows, subsets(count, k, seed=how.seed)))
    found = estimates(table, {**PARTS, **measures}, how)
    if how.resamples:
        sums = [added(line) for line in table if line]
        _widen(found, sums, times=count / max(k, 1), confidence=how.confidence)
    return {name: found[name] for name in measures}


def _widen(
    found: dict[str, IntervalEstimate],
    sums: Sequence[ErrorTally],
    *,
    times: float,
    confidence: float,
) -> None:
    """Widen estimates to the intervals by formula, with `times` as many trials.

    A mean over subsets uses more readings than one subset has.
    """
    for names, formula in ((SHARES, wilson), (NUMBERS, poisson)):
        for name in names.keys() & found.keys():
            value, of = found[name].value, averaged(sums, names[name])
            if value is not None and of:
                found[name] = widened(found[name], *formula(value, times * of, confidence))
    for name in PAIRS.keys() & found.keys():
        pair = PAIRS[name]
        one, other = found[pair.one], found[pair.other]
        low, high = pair.made(one.low, other.low), pair.made(one.high, other.high)
        found[name] = widened(found[name], low, high)


def widened(estimate: IntervalEstimate, low: float | None, high: float | None) -> IntervalEstimate:
    """An estimate with its interval extended to these ends."""
    if estimate.value is None:
        return estimate
    lows = [item for item in (estimate.low, low) if item is not None]
    highs = [item for item in (estimate.high, high) if item is not None]
    return IntervalEstimate(estimate.value, min(lows, default=None), max(highs, default=None))


def curve(
    rows: Sequence[ScoredRow], measures: Mapping[str, Measure], how: Sampling = USUAL
) -> dict[int, dict[str, IntervalEstimate]]:
    """The measures at every k from 1 to n."""
    return {k: at(rows, k, measures, how) for k in range(1, rollouts_of(rows) + 1)}


def estimates(
    table: Sequence[Sequence[Sums]],
    measures: Mapping[str, MeasureOf[Sums]],
    how: Sampling = USUAL,
) -> dict[str, IntervalEstimate]:
    """Each measure of a table with a line per subset of the rollouts and a column per unit.

    Units are what is drawn with replacement: proofs, papers, results with their planted errors.
    """
    sums = [added(line) for line in table if line]
    drawn = resampled(table, how)
    return {
        name: IntervalEstimate(averaged(sums, measure), *_interval(drawn, measure, how.confidence))
        for name, measure in measures.items()
    }


def resampled(table: Sequence[Sequence[Sums]], how: Sampling = USUAL) -> list[list[Sums]]:
    """For each resample of the units, the sums of each subset.

    Tables with the same number of units get the same draws, so that settings can be compared.
    """
    units = len(table[0]) if table else 0
    if units < 2:
        return [[added(line) for line in table]] if units else []
    chance = Random(how.seed)  # noqa: S311 - only a sample
    lines = [tuple(zip(*line, strict=True)) for line in table]
    like = table[0][0]
    picks = (itemgetter(*chance.choices(range(units), k=units)) for _ in range(how.resamples))
    return [
        [_as(like, [sum(pick(numbers)) for numbers in line]) for line in lines] for pick in picks
    ]


def added(line: Sequence[Sums]) -> Sums:
    """The sum of some units, componentwise; there must be at least one."""
    return _as(line[0], list(map(sum, zip(*line, strict=True))))


def _as(like: Sums, numbers: Sequence[int]) -> Sums:
    make: Callable[..., Sums] = type(like)
    return make(*numbers)


def _interval(
    drawn: Sequence[Sequence[Sums]], measure: MeasureOf[Sums], confidence: float
) -> tuple[float | None, float | None]:
    found = [averaged(sums, measure) for sums in drawn]
    values = sorted(value for value in found if value is not None)
    if not values:
        return None, None
    tail = (1 - confidence) / 2
    last = len(values) - 1
    return values[math.floor(tail * last)], values[math.ceil((1 - tail) * last)]


class Ends(NamedTuple):
    """The ends of an interval."""

    low: float
    high: float


def wilson(share: float, of: float, confidence: float = 0.95) -> Ends:
    """The Wilson interval of a share of `of` trials; `of` must be positive."""
    z = _z(confidence)
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return Ends(max(0.0, middle - half), min(1.0, middle + half))


def poisson(rate: float, units: float, confidence: float = 0.95) -> Ends:
    """The score interval of a rate per unit, from `units` units; `units` must be positive."""
    z = _z(confidence)
    middle = rate + z * z / (2 * units)
    half = z * math.sqrt(rate / units + z * z / (4 * units * units))
    return Ends(max(0.0, middle - half), middle + half)


def _z(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2)


SHARES: Mapping[str, Callable[[ErrorTally], int]] = MappingProxyType(
    {
        "step_precision": lambda tally: tally.hits + tally.false,
        "error_precision": lambda tally: tally.found + tally.false,
        "step_recall": lambda tally: tally.found + tally.missed,
        "proof_precision": lambda tally: tally.flawed_flagged + tally.clean_flagged,
        "proof_recall": lambda tally: tally.flawed,
        "proof_accuracy": lambda tally: tally.rows,
        "proof_false_alarms": lambda tally: tally.clean,
        "coverage": lambda tally: tally.flawed,
        "first_error": lambda tally: tally.flawed,
        "passed_steps": lambda tally: tally.passed + tally.false,
        "passed_proofs": lambda tally: tally.clean,
    }
)
"""The measures that are shares, with their denominators."""

NUMBERS: Mapping[str, Callable[[ErrorTally], int]] = MappingProxyType(
    {"false_errors": lambda tally: tally.rows}
)
"""The measures that are numbers per unit, with the numbers of units."""


class Pair(NamedTuple):
    """A measure that is computed from two shares and increases with both."""

    one: str
    other: str
    made: Callable[[float | None, float | None], float | None]


PAIRS: Mapping[str, Pair] = MappingProxyType(
    {
        "step_balanced_accuracy": Pair("step_recall", "passed_steps", mean),
        "step_balanced_f1": Pair("step_recall", "passed_steps", harmonic),
        "proof_balanced_accuracy": Pair("proof_recall", "passed_proofs", mean),
        "proof_balanced_f1": Pair("proof_recall", "passed_proofs", harmonic),
        "first_error_balanced_accuracy": Pair("first_error", "passed_proofs", mean),
        "first_error_balanced_f1": Pair("first_error", "passed_proofs", harmonic),
    }
)
"""The measures computed from two shares; intervals go from both low ends to both high ends."""

PARTS: Mapping[str, Measure] = MappingProxyType(
    {
        item.__name__: item
        for item in (step_recall, proof_recall, first_error, passed_steps, passed_proofs)
    }
)
"""The shares from which `PAIRS` are computed."""
