"""The measures of the paper, each computed from a tally; None if it is undefined (0/0).

The positive class is "contains an error". "The paper" is Pseudo-Formalization for Automatic Proof
Verification; Y are the known errors of a proof x, Ŷ what is predicted, D the data set.

A tally counts predictions against known errors. The flip rate says how often two rollouts of the
same proof disagree.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple


class ErrorTally(NamedTuple):
    """Sums over proofs or papers, additive, so that a data set's tally is the sum over its rows.

    `hits` and `false` are predictions that name a known error, or none; `found` and `missed` are
    known errors. `passed` are right steps without a flag (0 for papers). `flawed` and `clean` are
    proofs with and without known errors, by the prediction; `covered` are the flawed ones whose
    errors were all found, `located` those whose first wrong step was the first one flagged.
    """

    hits: int = 0
    false: int = 0
    found: int = 0
    missed: int = 0
    passed: int = 0
    flawed_flagged: int = 0
    flawed_passed: int = 0
    clean_flagged: int = 0
    clean_passed: int = 0
    covered: int = 0
    located: int = 0

    @property
    def rows(self) -> int:
        """The number of proofs or papers counted."""
        return self.flawed + self.clean

    @property
    def flawed(self) -> int:
        """The number of them with known errors."""
        return self.flawed_flagged + self.flawed_passed

    @property
    def clean(self) -> int:
        """The number of them without known errors."""
        return self.clean_flagged + self.clean_passed


Measure = Callable[[ErrorTally], float | None]


def step_precision(tally: ErrorTally) -> float | None:
    """TP/(TP + FP), TP = Σ|Ŷ ∩ Y|, FP = Σ|Ŷ \\ Y| over D.

    Equation (1) and below it, Competition Math, Metrics. For papers TP are the predictions that
    name a known error, and the value is a lower bound: authors do not disclose every error.
    """
    return _ratio(tally.hits, tally.hits + tally.false)


def error_precision(tally: ErrorTally) -> float | None:
    """TP/(TP + FP), where TP are the distinct known errors that are named; FP as above.

    This is what the paper's published scripts compute for papers: several predictions that name one
    known error count as one. Never above `step_precision`; equal for steps.
    """
    return _ratio(tally.found, tally.found + tally.false)


def step_recall(tally: ErrorTally) -> float | None:
    """TP/(TP + FN), FN = Σ|Y \\ Ŷ| over D.

    Equation (1) and below it, Competition Math, Metrics. For papers TP are the distinct known
    errors that a prediction names.
    """
    return _ratio(tally.found, tally.found + tally.missed)


def proof_precision(tally: ErrorTally) -> float | None:
    """#{Ŷ ≠ ∅ and Y ≠ ∅} / #{Ŷ ≠ ∅}: Precision^proof, Competition Math, Metrics."""
    return _ratio(tally.flawed_flagged, tally.flawed_flagged + tally.clean_flagged)


def proof_recall(tally: ErrorTally) -> float | None:
    """#{Ŷ ≠ ∅ and Y ≠ ∅} / #{Y ≠ ∅}: Recall^proof, Competition Math, Metrics."""
    return _ratio(tally.flawed_flagged, tally.flawed)


def coverage(tally: ErrorTally) -> float | None:
    """E[1(Y ⊆ Ŷ) | Y ≠ ∅]: the share of flawed proofs all of whose errors are found.

    Coverage^proof, Competition Math, Metrics; right panel of the per-proof figure.
    """
    return _ratio(tally.covered, tally.flawed)


def false_errors(tally: ErrorTally) -> float | None:
    """E[|Ŷ \\ Y|]: false errors per proof, #FE^proof, Competition Math, Metrics; not a share.

    For papers an upper bound: a prediction that matches no known error may be an undisclosed one
    (Research Papers, Metrics; middle panel of the per-paper figure).
    """
    return _ratio(tally.false, tally.rows)


def passed_steps(tally: ErrorTally) -> float | None:
    """The share of right steps without a flag."""
    return _ratio(tally.passed, tally.passed + tally.false)


def passed_proofs(tally: ErrorTally) -> float | None:
    """The share of clean proofs without any flag."""
    return _ratio(tally.clean_passed, tally.clean)


def proof_accuracy(tally: ErrorTally) -> float | None:
    """The share of correctly classified proofs: flawed ones flagged, clean ones not."""
    return _ratio(tally.flawed_flagged + tally.clean_passed, tally.rows)


def proof_false_alarms(tally: ErrorTally) -> float | None:
    """The share of clean proofs with a flag."""
    return _ratio(tally.clean_flagged, tally.clean)


def step_balanced_accuracy(tally: ErrorTally) -> float | None:
    """(TPR + TNR)/2 over steps: the mean of the shares of wrong and of right steps labelled so.

    Not in the paper's text; a measure of the Hard2Verify benchmark that it cites. Symmetric in the
    two classes.
    """
    return mean(step_recall(tally), passed_steps(tally))


def step_balanced_f1(tally: ErrorTally) -> float | None:
    """2·TPR·TNR/(TPR + TNR) over steps: the harmonic mean of the same two shares (Hard2Verify)."""
    return harmonic(step_recall(tally), passed_steps(tally))


def proof_balanced_accuracy(tally: ErrorTally) -> float | None:
    """(TPR + TNR)/2 over proofs: flawed ones flagged, clean ones not (Hard2Verify)."""
    return mean(proof_recall(tally), passed_proofs(tally))


def proof_balanced_f1(tally: ErrorTally) -> float | None:
    """2·TPR·TNR/(TPR + TNR) over proofs (Hard2Verify)."""
    return harmonic(proof_recall(tally), passed_proofs(tally))


def first_error(tally: ErrorTally) -> float | None:
    """#{min Ŷ = min Y} / #{Y ≠ ∅}: flawed proofs whose first wrong step is the first one flagged.

    The task of identifying the first error in Hard2Verify, on its flawed proofs.
    """
    return _ratio(tally.located, tally.flawed)


def first_error_balanced_accuracy(tally: ErrorTally) -> float | None:
    """The mean of `first_error` and of the share of clean proofs that pass (Hard2Verify)."""
    return mean(first_error(tally), passed_proofs(tally))


def first_error_balanced_f1(tally: ErrorTally) -> float | None:
    """The harmonic mean of `first_error` and of the share of clean proofs that pass."""
    return harmonic(first_error(tally), passed_proofs(tally))


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def mean(one: float | None, other: float | None) -> float | None:
    """The arithmetic mean; None if either is undefined."""
    return None if one is None or other is None else (one + other) / 2


def harmonic(one: float | None, other: float | None) -> float | None:
    """The harmonic mean; None if either is undefined, 0 if both are 0."""
    if one is None or other is None:
        return None
    return 2 * one * other / (one + other) if one + other else 0.0


STEPS = MappingProxyType[str, Measure](
    {
        item.__name__: item
        for item in (
            step_precision,
            step_recall,
            proof_precision,
            proof_recall,
            coverage,
            false_errors,
            step_balanced_accuracy,
            step_balanced_f1,
            proof_balanced_accuracy,
            proof_balanced_f1,
            first_error,
            first_error_balanced_accuracy,
            first_error_balanced_f1,
        )
    }
)
"""The measures of proofs with labelled steps, by name."""

WHOLE = MappingProxyType[str, Measure](
    {
        item.__name__: item
        for item in (
            proof_accuracy,
            proof_recall,
            proof_false_alarms,
            proof_balanced_accuracy,
            proof_precision,
        )
    }
)
"""The measures of proofs that have one grade, by name."""

PAPERS = MappingProxyType[str, Measure](
    {
        item.__name__: item
        for item in (step_precision, error_precision, step_recall, coverage, false_errors)
    }
)
"""The measures of papers, by name: all papers have errors, and none has steps."""

Place = int | str
"""A step by its index, or a location of a paper by its identifying words."""

Flags = Mapping[Place, frozenset[int]]
"""What one run predicts to be wrong, and which known errors each prediction names.

A step names itself; a location of a paper names what the judge of locations says.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredRow:
    """A proof or paper of a benchmark: its known errors Y, and what each rollout flagged in it.

    `errors` are the indices of its wrong steps, or those of a paper's list of known errors.
    `steps` is the number of steps of the proof; None for a paper, which has none. A run without a
    verdict is not a rollout: it would count as a pass. `keeps_first`: a place names what the first
    rollout that flags it says, as in the paper's published scripts, and not what any of them says.
    It is unknown whether `unknown` steps are right: they count only for whether anything is
    flagged. Rows with the same `group` are about one problem.
    """

    name: str
    errors: frozenset[int]
    rollouts: tuple[Flags, ...]
    steps: int | None = None
    keeps_first: bool = False
    unknown: frozenset[int] = frozenset()
    group: str = ""

    def __post_init__(self) -> None:
        if self.unknown & self.errors:
            raise ValueError(f"{self.name}: a step is known to be wrong, and not known")
        for flags in self.rollouts:
            if not named_errors(flags) <= self.errors:
                raise ValueError(f"{self.name}: a prediction names an error that is not known")
            if self.steps is not None and not set(flags) <= set(range(self.steps)):
                raise ValueError(f"{self.name}: a prediction is about a step that is not there")

    def united(self, chosen: Iterable[int]) -> Flags:
        """What some of the rollouts, given by index, flag together."""
        rollouts = [self.rollouts[index] for index in chosen]
        return first(rollouts) if self.keeps_first else union(rollouts)


def by_steps(
    name: str, labels: Sequence[bool | None], rollouts: Iterable[Iterable[int]], group: str = ""
) -> ScoredRow:
    """The row of a proof with labelled steps: true is right; rollouts list wrong steps.

    A label is None if unknown.
    """
    errors = frozenset(index for index, label in enumerate(labels) if label is False)
    unknown = frozenset(index for index, label in enumerate(labels) if label is None)

    def flags(listed: Iterable[int]) -> Flags:
        return {step: errors & {step} for step in listed}

    runs = tuple(flags(listed) for listed in rollouts)
    return ScoredRow(
        name=name, errors=errors, rollouts=runs, steps=len(labels), unknown=unknown, group=group
    )


def union(rollouts: Iterable[Flags]) -> Flags:
    """What several rollouts flag together: a place counts once, if any of them flags it.

    For steps this is the paper's pessimistic aggregation (Competition Math, Methods), for papers
    its union of locations (Research Papers, Methods).
    """
    found: dict[Place, frozenset[int]] = {}
    for flags in rollouts:
        for place, errors in flags.items():
            found[place] = found.get(place, frozenset()) | errors
    return found


def first(rollouts: Iterable[Flags]) -> Flags:
    """The same places, each with the known errors named by the first rollout that flags it."""
    found: dict[Place, frozenset[int]] = {}
    for flags in rollouts:
        for place, errors in flags.items():
            found.setdefault(place, errors)
    return found


def named_errors(flags: Flags) -> frozenset[int]:
    """The known errors that predictions name."""
    return frozenset[int]().union(*flags.values())


def tally_of_row(row: ScoredRow, flags: Flags) -> ErrorTally:
    """The tally of one row under one set of predictions."""
    found = named_errors(flags)
    counted = {place: errors for place, errors in flags.items() if place not in row.unknown}
    false = sum(not errors for errors in counted.values())
    steps = row.steps - len(row.unknown) if row.steps is not None else len(row.errors) + false
    is_flawed, is_flagged = bool(row.errors), bool(flags)
    return ErrorTally(
        hits=len(counted) - false,
        false=false,
        found=len(found),
        missed=len(row.errors) - len(found),
        passed=steps - len(row.errors) - false,
        flawed_flagged=is_flawed and is_flagged,
        flawed_passed=is_flawed and not is_flagged,
        clean_flagged=not is_flawed and is_flagged,
        clean_passed=not is_flawed and not is_flagged,
        covered=is_flawed and found == row.errors,
        located=is_flawed and _is_located(row, flags),
    )


def total(tallies: Iterable[ErrorTally]) -> ErrorTally:
    """The sum of tallies."""
    listed = list(tallies)
    return ErrorTally(*map(sum, zip(*listed, strict=True))) if listed else ErrorTally()


def _is_located(row: ScoredRow, flags: Flags) -> bool:
    """Whether the first step flagged is the first wrong one; a paper's places have no order."""
    flagged = [place for place in flags if isinstance(place, int)]
    return row.steps is not None and bool(flagged) and min(flagged) == min(row.errors)


class Votes(NamedTuple):
    """How many of `rollouts` flag something."""

    flagged: int
    rollouts: int


def flip_rate(votes: Iterable[Votes]) -> float | None:
    """The mean over items of 2·m·(n − m)/(n·(n − 1)), where m of n rollouts flag the item.

    This is the share of pairs of rollouts that disagree about it. Not in the paper, whose Step 4
    depends on it: k rollouts find more than one only if they differ. None without two rollouts.
    """
    shares = [2 * m * (n - m) / (n * (n - 1)) for m, n in votes if n > 1]
    return math.fsum(shares) / len(shares) if shares else None


def of_proofs(rows: Iterable[ScoredRow]) -> list[Votes]:
    """For each proof, how many rollouts flag anything in it."""
    return [Votes(sum(bool(flags) for flags in row.rollouts), len(row.rollouts)) for row in rows]


def of_steps(rows: Iterable[ScoredRow]) -> list[Votes]:
    """For each step of each proof, right or wrong, how many rollouts flag it."""
    return [
        Votes(sum(step in flags for flags in row.rollouts), len(row.rollouts))
        for row in rows
        for step in range(row.steps or 0)
    ]


def of_errors(rows: Iterable[ScoredRow]) -> list[Votes]:
    """For each known error, how many rollouts name it."""
    return [
        Votes(sum(error in named_errors(flags) for flags in row.rollouts), len(row.rollouts))
        for row in rows
        for error in sorted(row.errors)
    ]
