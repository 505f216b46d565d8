"""What the replies that are kept say of a task, rollout by rollout, and what they took."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from pfcore.llm.engine.action import Action
from pfcore.llm.engine.run import NoReply, Outcome, Store
from pfcore.llm.protocol import TokenUsage
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.stages_rollouts import verdict
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import ModuleVerifier, Unread, Verdict

NO_FAILURES: Mapping[str, str] = MappingProxyType({})
_NOT_KEPT = NoReply(reason="not read")


@dataclass(frozen=True, slots=True, kw_only=True)
class StageUse:
    """Calls of one stage, and their tokens."""

    calls: int = 0
    usage: TokenUsage = TokenUsage()  # noqa: RUF009 - immutable

    def __add__(self, other: "StageUse") -> "StageUse":
        return StageUse(calls=self.calls + other.calls, usage=self.usage + other.usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What k rollouts say of one task; `taken` is by stage, `served` are names of models.

    `failure` says why a reading of it failed, where that is known.
    """

    verdicts: Mapping[int, Verdict]
    taken: Mapping[str, StageUse]
    served: frozenset[str]
    failure: str = ""

    @property
    def lacking(self) -> str:
        """Why a rollout came to no verdict; "" where all did."""
        reasons = [item.reason for item in self.verdicts.values() if isinstance(item, Unread)]
        return (self.failure or reasons[0]) if reasons else ""


class _Hearing:
    """Runs actions from a store alone, and notes what their replies took."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.taken: dict[str, StageUse] = {}
        self.served: set[str] = set()

    async def run(self, action: Action) -> Outcome:
        known = self._store.get(action.key())
        if known is None:
            return _NOT_KEPT
        before = self.taken.get(action.stage, StageUse())
        self.taken[action.stage] = before + StageUse(calls=1, usage=known.usage)
        self.served.add(known.model)
        return known


def heard(
    store: Store,
    asking: ActionFactory,
    listed: Iterable[ContextTask],
    rollouts: int,
    failures: Mapping[str, str] = NO_FAILURES,
) -> list[Heard]:
    """What a store has on each task; nobody is asked. `failures` are reasons by contexts."""
    found = asyncio.run(_all(store, asking, listed, rollouts))
    return [replace(item, failure=failures.get(task.context, "")) for task, item in found]


async def _all(
    store: Store, asking: ActionFactory, listed: Iterable[ContextTask], rollouts: int
) -> list[tuple[ContextTask, Heard]]:
    return [(task, await _one(store, asking, task, rollouts)) for task in listed]


async def _one(store: Store, asking: ActionFactory, task: ContextTask, rollouts: int) -> Heard:
    hearing = _Hearing(store)
    reading = ModuleVerifier(run=hearing.run, asking=asking)
    found = {number: await verdict(reading, task, number) for number in range(1, rollouts + 1)}
    return Heard(verdicts=found, taken=hearing.taken, served=frozenset(hearing.served))


def sum_of_stages(listed: Iterable[Mapping[str, StageUse]]) -> dict[str, StageUse]:
    """The sums by stage."""
    found: dict[str, StageUse] = {}
    for taken in listed:
        for stage, item in taken.items():
            found[stage] = found.get(stage, StageUse()) + item
    return found


def summed(taken: Mapping[str, StageUse]) -> StageUse:
    """The sum over the stages."""
    return sum(taken.values(), StageUse())
