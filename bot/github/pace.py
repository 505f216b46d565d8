"""How fast GitHub is asked: writes one after the other, and nothing while it wants silence.

GitHub asks for a second between writes, and refuses more than 80 in a minute:
https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
"""

from collections.abc import Callable
from threading import Lock

from bot.domain.forge import BusyError

Clock = Callable[[], float]
Sleep = Callable[[float], None]


class RequestPace:
    """The pace of all that asks by one right, whatever thread it is in.

    `between` are the seconds between two writes; a wait above `longest` is refused instead.
    """

    def __init__(
        self, clock: Clock, sleep: Sleep, *, between: float = 1.0, longest: float = 90.0
    ) -> None:
        self.clock = clock
        self._sleep = sleep
        self._between = between
        self._longest = longest
        self._lock = Lock()
        self._silent_until = 0.0
        self._next_write = 0.0
        self._last = clock()

    def turn(self, *, is_write: bool) -> None:
        """Wait until it is one's turn; BusyError where that would take too long."""
        with self._lock:
            now = self._now()
            start = max(now, self._silent_until, self._next_write if is_write else 0.0)
            if start - now > self._longest:
                wait = start - now
                raise BusyError(f"GitHub asks to wait {wait:,.0f} s", seconds=wait)
            if is_write:
                self._next_write = start + self._between
        self.pause(start - now)

    def hold(self, seconds: float) -> None:
        """Keep silent for a while: GitHub has asked for it."""
        with self._lock:
            self._silent_until = max(self._silent_until, self._now() + seconds)

    def _now(self) -> float:
        """The time; where the clock was set back, all that is waited for comes so much earlier."""
        now = self.clock()
        back = max(0.0, self._last - now)
        self._silent_until -= back
        self._next_write -= back
        self._last = now
        return now

    def pause(self, seconds: float) -> None:
        """Wait, if there is anything to wait for."""
        if seconds > 0:
            self._sleep(seconds)
