"""Runs actions: from the store, by joining a call in flight, or by a call; failures are values.

Of all processes that share a store, one asks for a key while the others wait. Limits on concurrent
calls, and on calls per minute, hold for all calls of a process.
"""

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pfcore.domain.errors import IncompleteError
from pfcore.llm.engine.action import Action, EngineEvent, EngineEventKind, Observe, unobserved
from pfcore.llm.engine.budget import Budget
from pfcore.llm.protocol import ATTEMPTS, CallError, Finish, LlmClient, Reply, Request, TokenUsage

_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0
_LONGEST_ASKED = 600.0
"""The longest wait in seconds that a server may ask for."""
_FIRST_LOOK, _LONGEST_LOOK = 0.1, 1.0
"""The seconds between two looks for a reply that another process has requested."""
GRACE = 5.0
"""The seconds that calls in flight have left after an interrupt."""
_INTERRUPTED = "interrupted"
_NOTHING = TokenUsage()
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
        """Store a reply permanently and at once; IncompleteError if that fails."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class NoReply:
    """An action without a reply, and why: never a verdict."""

    reason: str


Outcome = Reply | NoReply


class _NoReplyError(Exception):
    """An attempt without a reply, with the usage that may have been charged."""

    def __init__(
        self,
        error: CallError,
        usage: TokenUsage = _NOTHING,
        cost: float = 0.0,
        *,
        is_counted: bool = False,
    ) -> None:
        is_told = error.charged and (cost or is_counted)
        charged = " (counted in full: it may have been charged)" if is_told else ""
        self.reason = f"{error.reason}{charged}"
        self.retry, self.wait = error.retry, error.wait
        self.usage, self.cost = usage, cost
        super().__init__(self.reason)


class _PaidReply(NamedTuple):
    """A reply and its cost in dollars; None: another process requested it."""

    reply: Reply
    cost: float | None


class LeaseProtocol(Protocol):
    """The keys that one process reserves for a while, in a store shared with others."""

    def claim(self, key: str) -> bool:
        """Reserve a key; returns whether that succeeded, so that no other process has it."""
        ...

    def release(self, key: str) -> None:
        """Let other processes have a key."""
        ...

    def hold(self, keys: Iterable[str]) -> None:
        """Renew these keys of ours, and release the others."""
        ...


Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]


class Alarm(Protocol):
    """A scheduled action."""

    def cancel(self) -> None:
        """Cancel it; does nothing if it has happened."""
        ...


After = Callable[[float, Callable[[], None]], Alarm]


def after(seconds: float, act: Callable[[], None]) -> Alarm:
    """Schedule an action on the running event loop."""
    return asyncio.get_running_loop().call_later(seconds, act)


class CallLimits:
    """Limits on calls in flight, requests per minute and tokens per minute.

    `clock` returns seconds; `attempts` is the most calls for one reply; `after` sets an alarm.
    """

    def __init__(
        self,
        *,
        in_flight: int,
        requests: int | None = None,
        tokens: int | None = None,
        attempts: int = ATTEMPTS,
        clock: Clock,
        sleep: Sleep,
    ) -> None:
        self.clock = clock
        self.sleep = sleep
        self.after: After = after
        self.attempts = attempts
        self._slots = asyncio.Semaphore(in_flight)
        self._requests = RateLimit(requests, clock=clock, sleep=sleep)
        self._tokens = RateLimit(tokens, clock=clock, sleep=sleep)

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """A place among the calls in flight; waiting callers are served in order."""
        async with self._slots:
            yield

    async def pace(self, tokens: int) -> None:
        """Wait until one more call with this many tokens may be sent."""
        await self._requests.take()
        await self._tokens.take(tokens)


class Engine:
    """Runs the actions of one process; equal keys in flight share one call.

    With `claims` this holds across the processes that share a store; without, for this one alone.
    The budget's seconds count from the creation of the engine.
    """

    def __init__(
        self,
        client: LlmClient,
        store: Store,
        *,
        limits: CallLimits,
        budget: Budget,
        claims: LeaseProtocol | None = None,
        observe: Observe = unobserved,
    ) -> None:
        self._client = client
        self._store = store
        self._limits = limits
        self._budget = budget
        self._sleep = limits.sleep
        self._observe = observe
        self._start = limits.clock()
        self._last: asyncio.Future[None] | None = None
        self._turn = asyncio.Lock()
        self._settled = asyncio.Event()
        self._flying: dict[str, asyncio.Task[Outcome]] = {}
        self._unpaid: set[asyncio.Task[Outcome]] = set()
        self._alarm: Alarm | None = None
        self._turns = Turns(claims, sleep=limits.sleep)
        self._is_ending = False
        self._stopped = self._cut = ""

    async def run(self, action: Action) -> Outcome:
        """The reply to an action, or why there is none."""
        before, mine = self._last, asyncio.get_running_loop().create_future()
        self._last = mine
        try:
            if before is not None and not before.done():
                await before
            found = self._found(action)
            if isinstance(found, Reply):
                return found
            await asyncio.sleep(0)  # let a new call start before the next action is looked at
        finally:
            if not mine.done():
                mine.set_result(None)
        try:
            return await asyncio.shield(found)
        except asyncio.CancelledError:
            if self._cut and found.cancelled():  # cancelled before it began
                return NoReply(reason=self._cut)
            raise

    def _found(self, action: Action) -> Reply | asyncio.Task[Outcome]:
        """The stored reply, the call in flight, or a new call."""
        key = action.key()
        known = self._store.get(key)
        if known is not None:
            self._tell(EngineEventKind.HIT, action, key)
            return known
        flying = self._flying.get(key)
        if flying is not None:
            self._tell(EngineEventKind.JOINED, action, key)
            return flying
        task = asyncio.ensure_future(self._call(action, key))
        self._flying[key] = task
        self._unpaid.add(task)
        task.add_done_callback(lambda _: self._landed(key, task))
        if self._alarm is None and self._budget.seconds is not None:
            left = max(0.0, self._budget.seconds - self._elapsed())
            self._alarm = self._limits.after(left, lambda: self._cut_off(self._budget.lateness()))
        return task

    def _landed(self, key: str, task: asyncio.Task[Outcome]) -> None:
        self._flying.pop(key, None)
        self._unpaid.discard(task)
        if self._alarm is not None and not self._flying:
            self._alarm.cancel()
            self._alarm = None

    def _cut_off(self, reason: str) -> None:
        """Start no more calls, and cancel those in flight: a server may never reply."""
        self._cut = self._stopped = reason
        for task in self._unpaid:
            task.cancel()

    async def finish(self) -> None:
        """Wait for the calls in flight: paid replies are stored, even if nobody needs them now.

        Calls of other processes are not awaited. If the caller is cancelled, our own calls get
        `GRACE` seconds and no new one starts; cancelled again, they are given up at once.
        """
        self._is_ending = True
        waiting = asyncio.current_task()
        times = waiting.cancelling() if waiting is not None else 0
        alarm = self._closing() if times else None
        if times > 1:
            self._cut_off(_INTERRUPTED)
        while self._flying:
            try:
                await asyncio.wait(self._flying.values())
            except asyncio.CancelledError:
                if alarm is not None:
                    self._cut_off(_INTERRUPTED)
                alarm = alarm or self._closing()
        self._is_ending = False
        if alarm is not None:
            alarm.cancel()
        if alarm is not None and not times:
            raise asyncio.CancelledError

    def _closing(self) -> Alarm:
        self._stopped = _INTERRUPTED
        return self._limits.after(GRACE, lambda: self._cut_off(_INTERRUPTED))

    async def _call(self, action: Action, key: str) -> Outcome:
        is_kept = False
        try:
            made = await self._made(action, key) or await self._after_others(action, key)
            if (task := self._flying.get(key)) is not None:
                self._unpaid.discard(task)  # a paid reply is stored even after a cut-off
            if made.cost is None:
                self._tell(EngineEventKind.JOINED, action, key)
                return made.reply
            await asyncio.sleep(0)  # let the next call start before writing to disk
            if reason := spoilt(made.reply):
                raise _NoReplyError(CallError(reason), made.reply.usage, made.cost)
            is_kept = self._keep(action, key, made.reply)
            self._tell(EngineEventKind.RAN, action, key, usage=made.reply.usage, cost=made.cost)
            return self._store.get(key) or made.reply  # the first stored reply counts
        except _NoReplyError as lost:
            return self._fail(action, key, lost)
        except asyncio.CancelledError:
            if not self._cut:
                raise
            return self._fail(action, key, _NoReplyError(CallError(self._cut)))
        finally:
            self._turns.over(key, is_kept=is_kept)

    async def _made(self, action: Action, key: str) -> _PaidReply | None:
        """The reply, once there is a place; None if it is another process's turn to ask."""
        async with self._limits.place():
            if not self._turns.take(key):
                return None
            known = self._store.get(key)  # the process before us may have stored one
            return _PaidReply(known, None) if known else await self._attempts(action, key)

    async def _after_others(self, action: Action, key: str) -> _PaidReply:
        """The reply that another process has requested, or our own if that fails."""
        made = None
        while made is None:
            known = await self._awaited(key)
            made = _PaidReply(known, None) if known else await self._made(action, key)
        return made

    async def _awaited(self, key: str) -> Reply | None:
        """Wait, without a place, for a stored reply; None if it becomes our turn to ask."""
        pause = _FIRST_LOOK
        while not (closed := self._closed()) and not self._is_ending:
            await self._sleep(pause)
            known = self._store.get(key)
            if known is not None or self._turns.take(key):
                return known
            pause = min(2 * pause, _LONGEST_LOOK)
        raise _NoReplyError(CallError(closed or "another process is using the model"))

    def _keep(self, action: Action, key: str, reply: Reply) -> bool:
        """Store a reply; returns whether that succeeded."""
        try:
            self._store.put(key, action.stage, reply)
        except IncompleteError as error:
            self._tell(EngineEventKind.UNKEPT, action, key, reason=error.message)
            return False
        return True

    async def _attempts(self, action: Action, key: str) -> _PaidReply:
        """Call, and retry where that may help; keeps its place meanwhile, which slows all calls.

        _NoReplyError if there is no reply.
        """
        pause = _FIRST_WAIT
        for left in reversed(range(self._limits.attempts)):
            try:
                return await self._attempt(action.request)
            except _NoReplyError as lost:
                wait = pause if lost.wait is None else lost.wait
                if not lost.retry or not left:
                    raise
                if wait > _LONGEST_ASKED or self._budget.is_late(self._elapsed() + wait):
                    lost.reason += f"; the next attempt must wait {_in_words(wait)}"
                    raise
                self._tell(
                    EngineEventKind.RETRY,
                    action,
                    key,
                    usage=lost.usage,
                    cost=lost.cost,
                    reason=lost.reason,
                )
                await self._sleep(wait)
                pause = min(2 * pause, _LONGEST_WAIT)
        raise AssertionError("unreachable")  # pragma: no cover - the loop returns or raises

    async def _attempt(self, request: Request) -> _PaidReply:
        """One call, with its cost reserved before and settled after."""
        held = await self._hold(request)
        used = held  # a call that ends unexpectedly may have been charged
        is_out = False
        try:
            await self._limits.pace(held.input + held.output)
            if closed := self._closed():
                raise CallError(closed)
            is_out = True
            reply = await self._client.complete(request)
            used = reply.usage
        except CallError as error:
            used = held if error.charged else TokenUsage()
            if error.fatal:
                self._stopped = error.reason
            cost, is_counted = self._budget.cost(request, used), self._budget.counts_tokens
            raise _NoReplyError(error, used, cost, is_counted=is_counted) from None
        except asyncio.CancelledError:
            if not is_out:
                used = TokenUsage()
            if not (is_out and self._cut):
                raise
            lost = CallError(self._cut, charged=True)
            cost, is_counted = self._budget.cost(request, held), self._budget.counts_tokens
            raise _NoReplyError(lost, held, cost, is_counted=is_counted) from None
        finally:
            cost = self._budget.settle(request, held, used)
            self._settled.set()
        return _PaidReply(reply, cost)

    async def _hold(self, request: Request) -> TokenUsage:
        """Reserve the cost of a call, in order; waits for calls in flight if it may fit later."""
        async with self._turn:
            while True:
                if closed := self._closed():
                    raise _NoReplyError(CallError(closed))
                held = self._budget.hold(request)
                if isinstance(held, TokenUsage):
                    return held
                if not held.for_now:
                    raise _NoReplyError(CallError(held.reason))
                self._settled.clear()
                await self._settled.wait()

    def _closed(self) -> str:
        """Why no call may start any more, or ""."""
        late = self._budget.lateness() if self._budget.is_late(self._elapsed()) else ""
        return self._stopped or late

    def _elapsed(self) -> float:
        return self._limits.clock() - self._start

    def _fail(self, action: Action, key: str, lost: _NoReplyError) -> NoReply:
        failed = EngineEvent(
            kind=EngineEventKind.FAILED,
            stage=action.stage,
            key=key,
            usage=lost.usage,
            cost=lost.cost,
            reason=lost.reason,
            may_pass=lost.retry,
        )
        self._observe(failed)
        return NoReply(reason=lost.reason)

    def _tell(
        self,
        kind: EngineEventKind,
        action: Action,
        key: str,
        *,
        usage: TokenUsage | None = None,
        cost: float = 0.0,
        reason: str = "",
    ) -> None:
        self._observe(
            EngineEvent(
                kind=kind,
                stage=action.stage,
                key=key,
                usage=usage or TokenUsage(),
                cost=cost,
                reason=reason,
            )
        )


def spoilt(reply: Reply) -> str:
    """Why a reply does not count, or ""."""
    if reply.finish is not Finish.STOP:
        return _SPOILT[reply.finish]
    return "" if reply.text.strip() else "the reply is empty"


def _in_words(seconds: float) -> str:
    """A time to wait: seconds, or minutes rounded up."""
    return f"{seconds:g} s" if seconds < 120 else f"{math.ceil(seconds / 60)} minutes"


RENEWED = 20.0
"""Seconds after which claims that are still needed are renewed."""


class Turns:
    """The claims of one engine, renewed while it needs them; None: no other process.

    The claim on a stored reply is released later with others: other processes find the reply.
    """

    def __init__(self, claims: LeaseProtocol | None, *, sleep: Sleep) -> None:
        self._claims = claims
        self._sleep = sleep
        self._needed: set[str] = set()
        self._renewing: asyncio.Task[None] | None = None

    def take(self, key: str) -> bool:
        """Claim a key; returns whether it is our turn, so that nobody else asks meanwhile."""
        if self._claims is None:
            return True
        if not self._claims.claim(key):
            return False
        self._needed.add(key)
        if self._renewing is None:
            self._renewing = asyncio.ensure_future(self._renew(self._claims))
        return True

    def over(self, key: str, *, is_kept: bool) -> None:
        """End our turn, if we had it; `is_kept` says whether the reply is stored."""
        if self._claims is None or key not in self._needed:
            return
        self._needed.remove(key)
        if not is_kept:
            self._claims.release(key)
        if not self._needed:
            self._claims.hold(())
            self._stop()

    async def _renew(self, claims: LeaseProtocol) -> None:
        while True:
            await self._sleep(RENEWED)
            claims.hold(sorted(self._needed))

    def _stop(self) -> None:
        if self._renewing is not None:
            self._renewing.cancel()
            self._renewing = None


_MINUTE = 60.0


class RateLimit:
    """Allows at most `most` units in any minute; waiting callers are served in order."""

    def __init__(self, most: int | None, *, clock: Clock, sleep: Sleep) -> None:
        self._most = most
        self._clock = clock
        self._sleep = sleep
        self._taken: deque[tuple[float, int]] = deque()
        self._sum = 0
        self._turn = asyncio.Lock()

    async def take(self, count: int = 1) -> None:
        """Wait until `count` units are free, or all if there are not that many."""
        if self._most is None:
            return
        wanted = min(count, self._most)
        async with self._turn:
            while (wait := self._wait(wanted)) > 0:
                await self._sleep(wait)
            self._taken.append((self._clock(), wanted))
            self._sum += wanted

    def _wait(self, wanted: int) -> float:
        now = self._clock()
        while self._taken and self._taken[0][0] <= now - _MINUTE:
            self._sum -= self._taken.popleft()[1]
        if self._most is None or self._sum + wanted <= self._most:
            return 0.0
        return self._taken[0][0] + _MINUTE - now
