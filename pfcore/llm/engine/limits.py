"""How much goes out at once and per minute, over everything that one process has in flight."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from pfcore.llm.protocol import ATTEMPTS

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]

_MINUTE = 60.0


class RateLimit:
    """At most so many units in any minute; whoever waits is served in order."""

    def __init__(self, most: int | None, *, clock: Clock, sleep: Sleep) -> None:
        self._most = most
        self._clock = clock
        self._sleep = sleep
        self._taken: deque[tuple[float, int]] = deque()
        self._sum = 0
        self._turn = asyncio.Lock()

    async def take(self, count: int = 1) -> None:
        """Wait until so many units are free; more than the whole limit waits for all of it."""
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


class CallLimits:
    """Calls in flight, requests per minute, tokens per minute; `clock` gives seconds.

    `attempts` are calls for one reply at most.
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
        self.attempts = attempts
        self._slots = asyncio.Semaphore(in_flight)
        self._requests = RateLimit(requests, clock=clock, sleep=sleep)
        self._tokens = RateLimit(tokens, clock=clock, sleep=sleep)

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """A place among the calls in flight; whoever waits is served in order."""
        async with self._slots:
            yield

    async def pace(self, tokens: int) -> None:
        """Wait until one more call, of so many tokens, may go out."""
        await self._requests.take()
        await self._tokens.take(tokens)
