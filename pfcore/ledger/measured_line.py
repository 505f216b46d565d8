"""What was measured, as a line of a ledger."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt

from pfcore.ledger.measurement import MeasuredContract, MeasuredRate, Share

_Share = Annotated[StrictInt, Field(ge=0, le=1000)]


class _MeasuredPart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RateLine(_MeasuredPart):
    """A rate as a ledger has it."""

    rollouts: StrictInt
    min_votes: StrictInt
    recall: tuple[_Share, _Share, _Share]
    flagged: tuple[_Share, _Share, _Share]
    precision: tuple[_Share, _Share, _Share] | None

    def value(self) -> MeasuredRate:
        """The rate; ValueError where it contradicts itself."""
        return MeasuredRate(
            rollouts=self.rollouts,
            min_votes=self.min_votes,
            recall=Share(*self.recall),
            flagged=Share(*self.flagged),
            precision=None if self.precision is None else Share(*self.precision),
        )


class MeasuredLine(_MeasuredPart):
    """A measurement as a ledger has it."""

    contract: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    paper: str
    model: str
    day: str
    simulated: bool
    errors: StrictInt
    proofs: StrictInt
    rates: tuple[RateLine, ...]

    def value(self) -> MeasuredContract:
        """The measurement; ValueError where it contradicts itself."""
        return MeasuredContract(
            **dict(self) | {"rates": tuple(item.value() for item in self.rates)}
        )


class SimulatedLine(MeasuredLine):
    """What a simulated reader found: no measurement, and no line calls it one."""

    simulated: Literal[True]


def kind(item: MeasuredContract) -> str:
    """The kind of its line; older files call what was simulated measured, too."""
    return "simulated" if item.simulated else "measured"


def fields(item: MeasuredContract) -> dict[str, object]:
    """The keys of its line, in order."""
    return {
        "contract": item.contract,
        "paper": item.paper,
        "model": item.model,
        "day": item.day,
        "simulated": item.simulated,
        "errors": item.errors,
        "proofs": item.proofs,
        "rates": [_fields(rate) for rate in item.rates],
    }


def _fields(rate: MeasuredRate) -> dict[str, object]:
    return {
        "rollouts": rate.rollouts,
        "min_votes": rate.min_votes,
        "recall": list(rate.recall),
        "flagged": list(rate.flagged),
        "precision": None if rate.precision is None else list(rate.precision),
    }
