"""A module read k times: all rollouts at once, or one after the other until it is decided."""

import asyncio

from pfcore.verification.contract import Contract, Granularity, Judging
from pfcore.verification.rollouts import is_decided
from pfcore.verification.task import ContextTask
from pfcore.verification.translate import fine
from pfcore.verification.verify import ModuleVerifier, Unread, Verdict


async def verdicts(
    reading: ModuleVerifier, task: ContextTask, judging: Judging
) -> dict[int, Verdict]:
    """The verdict of each rollout, by its number from 1.

    With `progressive` it depends only on this module's own replies how many there are.
    """
    numbers = range(1, judging.rollouts + 1)
    if not judging.progressive:
        found = await asyncio.gather(*(verdict(reading, task, number) for number in numbers))
        return dict(zip(numbers, found, strict=True))
    listed: dict[int, Verdict] = {}
    for number in numbers:
        listed[number] = await verdict(reading, task, number)
        if not isinstance(listed[number], Unread) and is_decided(listed, task.text, judging):
            break
    return listed


async def verdict(reading: ModuleVerifier, task: ContextTask, rollout: int) -> Verdict:
    """One rollout, in the granularity that the contract asks for."""
    if is_taken_apart(task, reading.asking.contract):
        return await fine(reading, task, rollout)
    return await reading.block(task, rollout)


def is_taken_apart(task: ContextTask, contract: Contract) -> bool:
    """Whether a module is translated; by default only where it exceeds the Good-PF bound."""
    match contract.granularity:
        case Granularity.AUTHOR:
            return False
        case Granularity.FINE:
            return True
        case Granularity.AUTO:
            return task.length > contract.bound
