"""One way of reading measured on planted errors: its rates, what it took, what it left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pfcore.bench.planted.hearing import NO_FAILURES, StageUse, heard, sum_of_stages, summed
from pfcore.bench.planted.outcomes import TrialOutcome, by_operator, trial_outcomes
from pfcore.bench.planted.rates import PlantedRates, rates
from pfcore.bench.planted.trials import PlantedTrial
from pfcore.bench.scoring.scaling import USUAL, Sampling
from pfcore.llm.costs import Price
from pfcore.llm.engine.run import Store
from pfcore.verification.contract import Contract
from pfcore.verification.prompt import ActionFactory


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """What one contract comes to at each k and number of votes.

    `served` is what the model calls itself. `left_out` says by operator and result why a mutant
    does not count. `taken` is by stage, for all of `readings`: texts times rollouts.
    """

    contract: Contract
    served: tuple[str, ...]
    answered: tuple[TrialOutcome, ...]
    left_out: Mapping[tuple[str, str], str]
    rates: tuple[PlantedRates, ...]
    taken: Mapping[str, StageUse]
    readings: int

    @property
    def errors(self) -> int:
        """How many planted errors were read."""
        return sum(len(item.mutated) for item in self.answered)

    @property
    def proofs(self) -> int:
        """How many results were read as they were."""
        return len(self.answered)

    def at(self, rollouts: int, min_votes: int) -> PlantedRates | None:
        """The rates of one setting, if they were measured."""
        for item in self.rates:
            if (item.rollouts, item.min_votes) == (rollouts, min_votes):
                return item
        return None

    def tokens(self, rollouts: int) -> float:
        """Tokens in and out for one text, on average."""
        usage = summed(self.taken).usage
        return rollouts * (usage.input + usage.output) / max(1, self.readings)

    def dollars(self, rollouts: int, price: Price) -> float:
        """Dollars for one text, on average."""
        return rollouts * price.of(summed(self.taken).usage) / max(1, self.readings)

    def operators(self, min_votes: int) -> dict[str, tuple[int, int]]:
        """For each operator how many were planted and found, with all rollouts."""
        most = max((item.rollouts for item in self.rates), default=0)
        return by_operator(self.answered, range(1, most + 1), min_votes)


def study(
    listed: Sequence[PlantedTrial],
    asking: ActionFactory,
    store: Store,
    rollouts: int,
    how: Sampling = USUAL,
    *,
    failures: Mapping[str, str] = NO_FAILURES,
) -> Study:
    """What the replies of a store say; nobody is asked. `failures` are reasons by contexts."""
    tasks = [task for trial in listed for task in trial.tasks]
    found = heard(store, asking, tasks, rollouts, failures)
    known = {task.context: item for task, item in zip(tasks, found, strict=True)}
    result = trial_outcomes(listed, known)
    read = [item for item in found if not item.lacking]
    return Study(
        contract=asking.contract,
        served=tuple(sorted(frozenset[str]().union(*(item.served for item in found)))),
        answered=tuple(result.answered),
        left_out=result.left_out,
        rates=tuple(rates(result.answered, rollouts, how)) if result.answered else (),
        taken=sum_of_stages(item.taken for item in read),
        readings=len(read) * rollouts,
    )
