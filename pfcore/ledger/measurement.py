"""How many planted errors a contract has found in a paper: figures that reports quote."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple


class Share(NamedTuple):
    """A rate with its confidence interval, in thousandths: a ledger holds no fractions."""

    value: int
    low: int
    high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRate:
    """The rates at k rollouts with `min_votes` votes required.

    `recall`: the share of planted errors that were found; `flagged`: the share of unchanged proofs
    with an objection; `precision`: the share of objections that were to planted errors (None: there
    were no objections).
    """

    rollouts: int
    min_votes: int
    recall: Share
    flagged: Share
    precision: Share | None

    def __post_init__(self) -> None:
        if not 1 <= self.min_votes <= self.rollouts:
            raise ValueError("votes must lie between 1 and the number of rollouts")
        for share in (self.recall, self.flagged, self.precision):
            if share is not None and not 0 <= share.low <= share.value <= share.high <= 1000:
                raise ValueError("a share must lie in its interval, and both between 0 and 1000")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredContract:
    """The result of one run, with its conditions.

    `model` is the name that the model reported; `day` is in ISO 8601; `simulated`: no model was
    used. `errors` were planted in `proofs` results of the paper with this name.
    """

    contract: str
    paper: str
    model: str
    day: str
    simulated: bool
    errors: int
    proofs: int
    rates: tuple[MeasuredRate, ...]

    def __post_init__(self) -> None:
        date.fromisoformat(self.day)
        if not 1 <= self.proofs <= self.errors:
            raise ValueError("every result that was read needs a planted error")

    def at(self, rollouts: int, min_votes: int) -> MeasuredRate | None:
        """The rates at one setting, if measured."""
        for rate in self.rates:
            if (rate.rollouts, rate.min_votes) == (rollouts, min_votes):
                return rate
        return None


def latest(
    listed: Iterable[MeasuredContract], *, contract: str, paper: str, rollouts: int, min_votes: int
) -> MeasuredContract | None:
    """The latest measurement of a setting; real before simulated, and of a day the largest one."""
    found = [
        item
        for item in listed
        if (item.contract, item.paper) == (contract, paper) and item.at(rollouts, min_votes)
    ]
    return max(found, key=_order, default=None)


def _order(item: MeasuredContract) -> tuple[bool, str, int, str]:
    return not item.simulated, item.day, item.errors, item.model
