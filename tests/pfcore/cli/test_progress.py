"""What is shown while a single reply is waited for."""

import asyncio
import io

import pytest

from pfcore.cli.progress import WaitingLine
from pfcore.reporters.printing import Style


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Seconds:
    """A clock that goes on by one whenever somebody sleeps, and wakes whoever waits for it."""

    def __init__(self, until: int) -> None:
        self.now, self.until, self.over = 0.0, until, asyncio.Event()

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        if self.now >= self.until:
            self.over.set()
        await asyncio.sleep(0)


async def test_a_terminal_counts_seconds_until_the_reply_is_there() -> None:
    seconds, stream = Seconds(3), Terminal()

    async def call() -> str:
        await seconds.over.wait()
        return "a reply"

    shown = WaitingLine(style=Style(), clock=seconds.clock, sleep=seconds.sleep, stream=stream)
    assert await shown.during("reply 1 (verify)", call()) == "a reply"
    lines = stream.getvalue().split("\r\x1b[2K")
    assert lines[1:4] == [f"  waiting for reply 1 (verify): {n} s" for n in range(3)]
    assert lines[-1] == ""


async def test_a_call_that_fails_leaves_a_clean_line_and_its_error() -> None:
    seconds, stream = Seconds(2), Terminal()

    async def call() -> str:
        await seconds.over.wait()
        raise ValueError("no reply")

    shown = WaitingLine(style=Style(), clock=seconds.clock, sleep=seconds.sleep, stream=stream)
    with pytest.raises(ValueError, match="no reply"):
        await shown.during("reply 1", call())
    assert stream.getvalue().endswith("\r\x1b[2K")


@pytest.mark.parametrize(
    ("stream", "style"), [(io.StringIO(), Style()), (Terminal(), Style(ascii=True))]
)
async def test_elsewhere_there_is_one_line(stream: io.StringIO, style: Style) -> None:
    async def call() -> int:
        return 7

    shown = WaitingLine(style=style, clock=lambda: 0.0, stream=stream)
    assert await shown.during("reply 1", call()) == 7
    assert stream.getvalue() == "  waiting for reply 1\n"
