"""The measures of the paper, each from a tally; None where a measure is not defined (0/0).

The positive class is "contains an error". "The paper" is Pseudo-Formalization for Automatic Proof
Verification; Y are the known errors of a proof x, Ŷ what is predicted, D the data set.
"""

from collections.abc import Callable
from types import MappingProxyType

from pfcore.bench.scoring.counts import ErrorTally

Measure = Callable[[ErrorTally], float | None]


def step_precision(tally: ErrorTally) -> float | None:
    """TP/(TP + FP), TP = Σ|Ŷ ∩ Y|, FP = Σ|Ŷ \\ Y| over D.

    Equation (1) and below it, Competition Math, Metrics. For papers TP are the predictions that
    name a known error, and the value is a lower bound: authors do not disclose every error.
    """
    return _ratio(tally.hits, tally.hits + tally.false)


def error_precision(tally: ErrorTally) -> float | None:
    """TP/(TP + FP), where TP are the known errors that are named, each once; FP as above.

    What the paper's published scripts compute for papers: several predictions that name one known
    error count as one. Never above `step_precision`; the same for steps.
    """
    return _ratio(tally.found, tally.found + tally.false)


def step_recall(tally: ErrorTally) -> float | None:
    """TP/(TP + FN), FN = Σ|Y \\ Ŷ| over D.

    Equation (1) and below it, Competition Math, Metrics. For papers TP are the known errors that a
    prediction names, each once.
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

    For papers an upper bound: what matches no known error may be an error that nobody disclosed
    (Research Papers, Metrics; middle panel of the per-paper figure).
    """
    return _ratio(tally.false, tally.rows)


def passed_steps(tally: ErrorTally) -> float | None:
    """The share of right steps that nobody flagged."""
    return _ratio(tally.passed, tally.passed + tally.false)


def passed_proofs(tally: ErrorTally) -> float | None:
    """The share of clean proofs in which nobody flagged anything."""
    return _ratio(tally.clean_passed, tally.clean)


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

PAPERS = MappingProxyType[str, Measure](
    {
        item.__name__: item
        for item in (step_precision, error_precision, step_recall, coverage, false_errors)
    }
)
"""The measures of papers, by name: all of them have errors, and no steps."""


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def mean(one: float | None, other: float | None) -> float | None:
    """The arithmetic mean; None where one of both is not defined."""
    return None if one is None or other is None else (one + other) / 2


def harmonic(one: float | None, other: float | None) -> float | None:
    """The harmonic mean; None where one of both is not defined, 0 where both are 0."""
    if one is None or other is None:
        return None
    return 2 * one * other / (one + other) if one + other else 0.0
