"""How gravely rollouts object, and when those that are left cannot change what blocks."""

from collections.abc import Iterable
from typing import NamedTuple

from pfcore.domain.values import Severity
from pfcore.verification.contract import Judging


class Weights(NamedTuple):
    """How many rollouts object, each counted once: at the gravest that it says."""

    error: int = 0
    warning: int = 0
    note: int = 0

    @property
    def total(self) -> int:
        """How many rollouts object at all."""
        return sum(self)

    @property
    def severity(self) -> Severity:
        """The gravest that at least half of them say."""
        return next(item for item in Severity if 2 * self.at_least(item) >= self.total)

    def at_least(self, threshold: Severity) -> int:
        """How many object so gravely or more."""
        return sum(getattr(self, item) for item in Severity if item.rank >= threshold.rank)

    def joined(self, other: "Weights") -> "Weights":
        """The least that is, for every threshold, not below either."""
        error, warning, note = (max(self.at_least(item), other.at_least(item)) for item in Severity)
        return Weights(error, warning - error, note - warning)


def weighed(gravest: Iterable[Severity]) -> Weights:
    """The weights of some rollouts, from the gravest that each says."""
    listed = list(gravest)
    return Weights(*(listed.count(item) for item in Severity))


def mildest(votes: int, severity: Severity) -> Weights:
    """The least that so many rollouts may have said where their place has this severity."""
    half = (votes + 1) // 2
    return Weights(**{severity: half})._replace(
        note=votes if severity is Severity.NOTE else votes - half
    )


def is_final(
    everywhere: Weights, places: Iterable[Weights], *, left: int, judging: Judging
) -> bool:
    """Whether so many rollouts that are left cannot change if something blocks.

    They may object anywhere, join places that were apart, and weigh a place up or down.
    `everywhere` is of the rollouts over all places.
    """
    if left <= 0:
        return True
    grave, light = _parted(everywhere, judging)
    if not _may_block(grave + left, light, judging):
        return True
    return any(
        place.total >= judging.blocking_votes
        and _outweighs(
            place.at_least(judging.threshold),
            everywhere.total + left - place.at_least(judging.threshold),
        )
        for place in places
    )


def _parted(weights: Weights, judging: Judging) -> tuple[int, int]:
    """How many object as gravely as it takes to block, and how many do not."""
    grave = weights.at_least(judging.threshold)
    return grave, weights.total - grave


def _may_block(grave: int, light: int, judging: Judging) -> bool:
    """Whether so many grave and light objections can block if they all meet in one place."""
    wanted = max(0, judging.blocking_votes - grave)
    return wanted <= light and _outweighs(grave, wanted)


def _outweighs(grave: int, light: int) -> bool:
    """Whether a place with so many grave and light objections counts as grave."""
    return light <= (grave + light) // 2
