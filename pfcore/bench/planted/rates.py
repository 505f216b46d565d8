"""Recall, false alarms and precision of one way of reading, for each k and number of votes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pfcore.bench.planted.outcomes import Sums, TrialOutcome, sums
from pfcore.bench.scoring.intervals import wilson
from pfcore.bench.scoring.scaling import (
    USUAL,
    IntervalEstimate,
    Sampling,
    added,
    averaged,
    estimates,
    resampled,
    subsets,
    widened,
)

Measure = Callable[[Sums], float | None]


def recall(found: Sums) -> float | None:
    """The share of planted errors whose own sentence is objected to.

    Where something is missing, anything that nobody objects to in the original counts. A lower
    bound: whoever objects to the step after the wrong one has seen the error, too.
    """
    return _ratio(found.near, found.planted)


def anywhere(found: Sums) -> float | None:
    """The share of planted errors with an objection in their result that the original does not get.

    The paper's inclusive judge counts like this. An upper bound: one who objects to something in
    every proof has most of them.
    """
    return _ratio(found.found, found.planted)


def precision(found: Sums) -> float | None:
    """The share of objections that are to planted errors, as `recall` counts them.

    Every mutant counts once, and every result as it was, so that more than half of the texts have
    an error. In a paper with fewer errors a smaller share will be right.
    """
    return _ratio(found.right, found.said + found.alarms)


def flagged(found: Sums) -> float | None:
    """The share of results as they were that are objected to: at most so many are false alarms."""
    return _ratio(found.flagged, found.proofs)


def alarms(found: Sums) -> float | None:
    """Objections to a result as it was, on average; not a share."""
    return _ratio(found.alarms, found.proofs)


def balanced(found: Sums) -> float | None:
    """The harmonic mean of `recall` and of the share of results left alone as they were."""
    return _harmonic(recall(found), flagged(found))


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {item.__name__: item for item in (recall, anywhere, precision, flagged, alarms, balanced)}
)
"""The measures by name."""

_SHARES: Mapping[str, Measure] = MappingProxyType(
    {
        "recall": lambda found: found.planted,
        "anywhere": lambda found: found.planted,
        "precision": lambda found: found.said + found.alarms,
        "flagged": lambda found: found.proofs,
    }
)
"""Of how many a share is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedRates:
    """The measures at k rollouts and so many votes; `draws` are of `balanced`, by resample."""

    rollouts: int
    min_votes: int
    measures: Mapping[str, IntervalEstimate]
    draws: tuple[float, ...]


def rates(listed: Sequence[TrialOutcome], most: int, how: Sampling = USUAL) -> list[PlantedRates]:
    """The rates at each k up to `most` and each number of votes up to k.

    Each is the mean over the subsets of k rollouts; an interval says what other results, with
    other errors, would have given, not what other rollouts would. It is no narrower than Wilson's:
    resampling draws whole results, whose errors are found together or not; but of ten errors that
    are all found it makes ten in every resample, and an interval without width.
    """
    return [
        _rates(listed, k, votes, most, how) for k in range(1, most + 1) for votes in range(1, k + 1)
    ]


def _rates(
    listed: Sequence[TrialOutcome], k: int, votes: int, most: int, how: Sampling
) -> PlantedRates:
    chosen = [[index + 1 for index in item] for item in subsets(most, k, seed=how.seed)]
    table = [[sums(item, subset, votes) for item in listed] for subset in chosen]
    found = estimates(table, MEASURES, how)
    totals = [added(line) for line in table if line]
    for name, of in _SHARES.items():
        share, trials = found[name].value, averaged(totals, of)
        if share is not None and trials:
            found[name] = widened(found[name], *wilson(share, trials, how.confidence))
    found["balanced"] = _spanned(found)
    return PlantedRates(
        rollouts=k,
        min_votes=votes,
        measures=found,
        draws=tuple(averaged(drawn, balanced) or 0.0 for drawn in resampled(table, how)),
    )


def _spanned(found: Mapping[str, IntervalEstimate]) -> IntervalEstimate:
    """Balanced F1 from both of its shares at their worst to both at their best: rather too wide."""
    shares, flags, own = found["recall"], found["flagged"], found["balanced"]
    ends = (
        _harmonic(shares.low, flags.high),
        _harmonic(shares.high, flags.low),
        own.low,
        own.high,
    )
    known = [end for end in ends if end is not None]
    return IntervalEstimate(own.value, min(known, default=None), max(known, default=None))


def _harmonic(share: float | None, flagged: float | None) -> float | None:
    if share is None or flagged is None:
        return None
    quiet = 1 - flagged
    return 2 * share * quiet / (share + quiet) if share + quiet else 0.0


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
