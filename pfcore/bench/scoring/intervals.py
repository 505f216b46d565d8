"""Intervals by formula, for where all rows agree and drawing them anew gives no width.

Wilson's for a share of so many trials (Wilson 1927), the score interval of a Poisson mean for a
number of things per unit. Trials count as independent, which steps of one proof are not: an
interval from rows drawn with replacement is widened to these, and never made narrower.
"""

import math
from collections.abc import Callable, Mapping
from statistics import NormalDist
from types import MappingProxyType
from typing import NamedTuple

from pfcore.bench.scoring.counts import ErrorTally
from pfcore.bench.scoring.measures import (
    Measure,
    first_error,
    harmonic,
    mean,
    passed_proofs,
    passed_steps,
    proof_recall,
    step_recall,
)


class Ends(NamedTuple):
    """The ends of an interval."""

    low: float
    high: float


def wilson(share: float, of: float, confidence: float = 0.95) -> Ends:
    """Wilson's interval of a share of so many trials, more than none."""
    z = _z(confidence)
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return Ends(max(0.0, middle - half), min(1.0, middle + half))


def poisson(rate: float, units: float, confidence: float = 0.95) -> Ends:
    """The score interval of how many there are per unit, from so many units, more than none."""
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
        "coverage": lambda tally: tally.flawed,
        "first_error": lambda tally: tally.flawed,
        "passed_steps": lambda tally: tally.passed + tally.false,
        "passed_proofs": lambda tally: tally.clean,
    }
)
"""Measures that are shares, and of how many."""

NUMBERS: Mapping[str, Callable[[ErrorTally], int]] = MappingProxyType(
    {"false_errors": lambda tally: tally.rows}
)
"""Measures that are numbers per unit, and of how many units."""


class Pair(NamedTuple):
    """A measure that is made of two shares and grows with both."""

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
"""Measures that are made of two shares: from both at their worst to both at their best."""

PARTS: Mapping[str, Measure] = MappingProxyType(
    {
        item.__name__: item
        for item in (step_recall, proof_recall, first_error, passed_steps, passed_proofs)
    }
)
"""The shares that `PAIRS` are made of."""
