"""What came to nothing that counts is asked anew; a call without a reply is another matter.

Replies are kept for good, one that says nothing among them: without a new generation a rollout that
met one could never be finished, and its row would be left out of every run.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from pfcore.llm.engine.action import Action
from pfcore.llm.engine.run import NoReply, Outcome
from pfcore.verification.verify import Run

Value = TypeVar("Value")

ANEW = 2
"""How often a question is asked anew at most."""


@dataclass(slots=True)
class _WatchedRun:
    """Runs actions, and notes whether some had no reply."""

    run_action: Run
    has_failed: bool = False

    async def run(self, action: Action) -> Outcome:
        """The reply to an action, or why there is none."""
        outcome = await self.run_action(action)
        self.has_failed = self.has_failed or isinstance(outcome, NoReply)
        return outcome


async def settled(
    run: Run,
    make: Callable[[Run, int], Awaitable[Value]],
    is_nothing: Callable[[Value], bool],
) -> Value:
    """What is made with the first generation in which it comes to something, else the last one.

    Nothing is made anew where a call had no reply: whatever kept it away is still there.
    """
    generation = 0
    while True:
        watched = _WatchedRun(run)
        found = await make(watched.run, generation)
        if not is_nothing(found) or watched.has_failed or generation == ANEW:
            return found
        generation += 1
