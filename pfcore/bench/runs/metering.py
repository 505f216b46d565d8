"""What a rollout rests on: its replies by stages, each counted once in a whole run."""

from collections.abc import Set
from dataclasses import dataclass, field
from typing import NamedTuple

from pfcore.bench.runs import location_judges
from pfcore.bench.runs.saved_run import Used
from pfcore.llm.costs import Price
from pfcore.llm.engine.action import Action
from pfcore.llm.engine.run import Outcome
from pfcore.llm.protocol import Reply, TokenUsage
from pfcore.verification.verify import Run
from pfcore.verification.whole_paper import INCLUSIVE

JUDGES = frozenset({INCLUSIVE, location_judges.STRICT})
"""The stages that say what a location names: they are about a verifier, and no part of it."""


class UsedReply(NamedTuple):
    """A reply that somebody rests on."""

    stage: str
    usage: TokenUsage
    model: str


@dataclass(slots=True, kw_only=True)
class Meter:
    """Runs actions, and notes the replies."""

    run_action: Run
    taken: dict[str, UsedReply] = field(default_factory=dict)

    async def run(self, action: Action) -> Outcome:
        """The reply to an action, or why there is none."""
        outcome = await self.run_action(action)
        if isinstance(outcome, Reply):
            self.taken[action.key()] = UsedReply(action.stage, outcome.usage, outcome.model)
        return outcome


@dataclass(slots=True, kw_only=True)
class RunAccount:
    """What a run's rollouts rest on: a reply that several share is the first one's.

    Judges have a price of their own.
    """

    price: Price | None
    judge_price: Price | None = None
    counted: set[str] = field(default_factory=set)
    served: set[str] = field(default_factory=set)
    judges: set[str] = field(default_factory=set)

    def used(self, meter: Meter, fresh: Set[str]) -> tuple[Used, ...]:
        """The part of one rollout; `fresh` are the keys that were asked for in this run."""
        stages: dict[str, list[tuple[bool, TokenUsage]]] = {}
        for key, item in meter.taken.items():
            (self.judges if item.stage in JUDGES else self.served).add(item.model)
            if key not in self.counted:
                self.counted.add(key)
                stages.setdefault(item.stage, []).append((key in fresh, item.usage))
        return tuple(self._used(stage, listed) for stage, listed in sorted(stages.items()))

    def _used(self, stage: str, listed: list[tuple[bool, TokenUsage]]) -> Used:
        usage = sum((item for _, item in listed), TokenUsage())
        price = self.judge_price if stage in JUDGES else self.price
        return Used(
            stage=stage,
            calls=len(listed),
            fresh=sum(is_fresh for is_fresh, _ in listed),
            usage=usage,
            dollars=None if price is None else price.of(usage),
        )
