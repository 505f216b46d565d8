"""Runs actions: from the store, from a call in flight, or by a call; a failure is a value."""

import asyncio
from dataclasses import dataclass
from typing import Protocol

from pfcore.engine.action import Action
from pfcore.engine.budget import Budget
from pfcore.engine.events import Event, Kind, Observe, unobserved
from pfcore.engine.limits import Limits, Sleep
from pfcore.errors import IncompleteError
from pfcore.llm.protocol import CallError, Finish, LlmClient, Reply, Usage

_ATTEMPTS = 5
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0
_SPOILT = {
    Finish.LENGTH: "the reply was cut off at its limit",
    Finish.REFUSAL: "the model refused",
    Finish.FILTER: "the reply was withheld by a filter",
}


class Store(Protocol):
    """Raw replies by the keys of their actions."""

    def get(self, key: str) -> Reply | None:
        """The reply to an action, if it is known."""
        ...

    def put(self, key: str, stage: str, reply: Reply) -> None:
        """Keep a reply for good, at once; IncompleteError if it cannot be kept."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class NoReply:
    """An action without a reply, and why: never a verdict."""

    reason: str


Outcome = Reply | NoReply


class Engine:
    """Runs the actions of one process; equal keys in flight make one call."""

    def __init__(
        self,
        client: LlmClient,
        store: Store,
        *,
        limits: Limits,
        budget: Budget,
        sleep: Sleep = asyncio.sleep,
        observe: Observe = unobserved,
    ) -> None:
        self._client = client
        self._store = store
        self._limits = limits
        self._budget = budget
        self._sleep = sleep
        self._observe = observe
        self._flying: dict[str, asyncio.Task[Outcome]] = {}
        self._stopped = ""

    async def run(self, action: Action) -> Outcome:
        """The reply to an action, or why there is none."""
        key = action.key()
        known = self._store.get(key)
        if known is not None:
            self._tell(Kind.HIT, action, key)
            return known
        flying = self._flying.get(key)
        if flying is not None:
            self._tell(Kind.JOINED, action, key)
            return await asyncio.shield(flying)
        task = asyncio.ensure_future(self._call(action, key))
        self._flying[key] = task
        task.add_done_callback(lambda _: self._flying.pop(key, None))
        return await asyncio.shield(task)

    async def finish(self) -> None:
        """Wait for the calls in flight: what they cost is kept, even when nobody asks any more."""
        while self._flying:
            await asyncio.gather(*self._flying.values(), return_exceptions=True)

    async def _call(self, action: Action, key: str) -> Outcome:
        held = None if self._stopped else self._budget.hold(action.request)
        if held is None:
            return self._fail(action, key, self._stopped or "the budget is spent")
        try:
            async with self._limits.slot(held.input + held.output):
                reply = await self._attempts(action, key)
        except CallError as error:
            self._budget.settle(held, Usage())
            if error.fatal:
                self._stopped = error.reason
            return self._fail(action, key, error.reason)
        cost = self._budget.settle(held, reply.usage)
        if reason := _spoilt(reply):
            return self._fail(action, key, reason, usage=reply.usage, cost=cost)
        try:
            self._store.put(key, action.stage, reply)
        except IncompleteError as error:
            self._tell(Kind.UNKEPT, action, key, reason=error.message)
        self._tell(Kind.RAN, action, key, usage=reply.usage, cost=cost)
        return reply

    async def _attempts(self, action: Action, key: str) -> Reply:
        """Call, and call again where that may help; the slot is kept, so a storm calms down."""
        wait = _FIRST_WAIT
        for left in reversed(range(_ATTEMPTS)):
            try:
                return await self._client.complete(action.request)
            except CallError as error:
                if not error.retry or not left:
                    raise
                self._tell(Kind.RETRY, action, key, reason=error.reason)
                await self._sleep(min(error.wait or wait, _LONGEST_WAIT))
                wait *= 2
        raise AssertionError("unreachable")  # pragma: no cover - the loop returns or raises

    def _fail(
        self, action: Action, key: str, reason: str, *, usage: Usage | None = None, cost: float = 0
    ) -> NoReply:
        self._tell(Kind.FAILED, action, key, usage=usage or Usage(), cost=cost, reason=reason)
        return NoReply(reason=reason)

    def _tell(
        self,
        kind: Kind,
        action: Action,
        key: str,
        *,
        usage: Usage | None = None,
        cost: float = 0.0,
        reason: str = "",
    ) -> None:
        self._observe(
            Event(
                kind=kind,
                stage=action.stage,
                key=key,
                usage=usage or Usage(),
                cost=cost,
                reason=reason,
            )
        )


def _spoilt(reply: Reply) -> str:
    """Why a reply does not count, or nothing."""
    if reply.finish is not Finish.STOP:
        return _SPOILT[reply.finish]
    return "" if reply.text.strip() else "the reply is empty"
