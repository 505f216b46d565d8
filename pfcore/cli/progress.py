"""What a run shows while a model is asked: a line for each proof, and a line that counts.

Also a line while a single reply is awaited.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TextIO, TypeVar

from pfcore.llm.engine.action import EngineEvent, EngineEventKind
from pfcore.llm.engine.run import GRACE
from pfcore.reporters.objections import untried_words
from pfcore.reporters.printing import Style, plural, safe, shortened
from pfcore.review.known_verdicts import STOPPED
from pfcore.review.reading_session import AskingObserver, Done
from pfcore.verification.verify import Unread

_FIRST_SIGN, _SIGN = 10, 60
"""Seconds without an event before the first line about waiting, and between further ones."""


@dataclass(kw_only=True)
class Progress(AskingObserver):
    """Counts events and prints to a stream, standard error by default.

    Only a terminal gets the counting line; proofs get their lines if `is_shown`. `noun` is what is
    counted. A repeated failure gets one line, and a sum at the end. Outside a terminal, each minute
    in which nothing happens gets a line.
    """

    total: int
    style: Style
    noun: str = "proof"
    stream: TextIO = field(default_factory=lambda: sys.stderr)
    is_shown: bool = True
    done: int = 0
    findings: int = 0
    _quiet: int = 0
    _retried: Counter[str] = field(default_factory=Counter)
    _failed: Counter[str] = field(default_factory=Counter)
    _untried: Counter[str] = field(default_factory=Counter)

    def call(self, event: EngineEvent) -> None:
        """Count the outcome of an action."""
        super().call(event)
        if event.kind is EngineEventKind.RETRY:
            self._retried[event.reason] += 1
            if self._retried[event.reason] == 1:
                self._line(f"  retried: {safe(event.reason)}")
        self._quiet = 0
        self._counts()

    def module(self, item: Done) -> None:
        """Count a module that is done, and print its line."""
        super().module(item)
        found = item.found
        if isinstance(found, Unread):
            self.failed(item.task.module, found.reason)
        else:
            self.heard(
                item.task.module,
                [f"{each.votes} of {each.rollouts}  {each.message}" for each in found.findings],
            )

    def failed(self, name: str, reason: str) -> None:
        """Count something that was not read, and print the reason once."""
        self.done += 1
        cause = reason.removeprefix(STOPPED)
        self._failed[cause] += 1
        self._untried[cause] += cause != reason
        if self._failed[cause] == 1:
            self._line(f"  ? {safe(name)}  not read: {safe(cause)}")
        self._counts()

    def heard(self, name: str, objections: Sequence[str]) -> None:
        """Count something that was read, and print the objections to it."""
        self.done += 1
        self.findings += len(objections)
        self._line(f"  {'!' if objections else '✓'} {safe(name)}")
        for text in objections:
            self._line(f"      {shortened(safe(text), self.style.width - 6)}")
        self._counts()

    def counted(self, line: str = "") -> None:
        """Count one more as done; print the line, if any."""
        self.done += 1
        if line:
            self._line(line)
        self._counts()

    def waiting(self) -> None:
        """Show that it is still at work."""
        self._quiet += 1
        if self._is_live:
            self._counts()
        elif self._quiet == _FIRST_SIGN or self._quiet % _SIGN == 0:
            self._line(f"  waiting for replies: {self._quiet} s")

    def end(self) -> None:
        """Clear the counting line, and print how often calls were retried or failed, by reason."""
        self._clear()
        for reason, number in self._retried.items():
            if number > 1:
                self._line(f"  retried {number:,} times: {safe(reason)}")
        for cause, number in self._failed.items():
            if number > 1:
                untried = untried_words(self._untried[cause])
                self._line(f"  ? {number - 1:,} more not read: {safe(cause)}{untried}")
        self._clear()
        self._retried.clear()
        self._failed.clear()
        self._untried.clear()

    def stopping(self) -> None:
        """Print how long stopping may take, and how to stop now."""
        self._clear()
        much = f"waiting up to {GRACE:g} s for replies to calls in flight"
        self.stream.write(f"pf: stopping: {much}; press Ctrl-C again to stop now\n")
        self.stream.flush()

    def interrupted(self) -> None:
        """Print how many replies are kept."""
        self.end()
        kept = plural(len(self.asked) - self.tally.unkept, "reply", "replies")
        self.stream.write(f"pf: {kept} kept: the next run continues from there\n")

    @property
    def _is_live(self) -> bool:
        return self.is_shown and self.stream.isatty() and not self.style.ascii

    def _clear(self) -> None:
        if self._is_live:
            self.stream.write(_CLEAR)
            self.stream.flush()

    def _line(self, text: str) -> None:
        if not self.is_shown:
            return
        encoding = getattr(self.stream, "encoding", None) or "utf-8"
        printed = self.style.finish([text]).encode(encoding, "replace").decode(encoding)
        self.stream.write(f"{_CLEAR if self._is_live else ''}{printed}")
        self.stream.flush()

    def _counts(self) -> None:
        if self._is_live:
            tally = self.tally
            parts = [
                f"{self.done} of {plural(self.total, self.noun)}",
                plural(tally.calls, "call"),
            ]
            if tally.retries:
                parts.append(plural(tally.retries, "retry", "retries"))
            parts += [f"${tally.cost:.2f}", plural(self.findings, "objection")]
            if self._quiet >= _FIRST_SIGN:
                parts.append(f"waiting for replies: {self._quiet} s")
            self.stream.write(f"{_CLEAR}  {', '.join(parts)}")
            self.stream.flush()


Value = TypeVar("Value")


@dataclass(kw_only=True)
class WaitingLine:
    """Shows that a reply is awaited: running seconds on a terminal, elsewhere one line per call.

    `clock` and `sleep` are in seconds.
    """

    style: Style
    clock: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    stream: TextIO = field(default_factory=lambda: sys.stderr)

    async def during(self, what: str, call: Awaitable[Value]) -> Value:
        """The value of a call; shows `what` while it lasts."""
        if not (self.stream.isatty() and not self.style.ascii):
            self.stream.write(self.style.finish([f"  waiting for {what}"]))
            self.stream.flush()
            return await call
        ticking = asyncio.ensure_future(self._tick(what))
        try:
            return await call
        finally:
            ticking.cancel()
            with suppress(asyncio.CancelledError):
                await ticking
            self.stream.write(_CLEAR)
            self.stream.flush()

    async def _tick(self, what: str) -> None:
        started = self.clock()
        while True:
            self.stream.write(f"{_CLEAR}  waiting for {what}: {self.clock() - started:.0f} s")
            self.stream.flush()
            await self.sleep(1.0)


_CLEAR = "\r\x1b[2K"
