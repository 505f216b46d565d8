"""What is shown while replies are waited for."""

import asyncio
import io

import pytest

from pfcore.cli.progress import Progress, WaitingLine
from pfcore.llm.engine.action import EngineEvent, EngineEventKind
from pfcore.llm.protocol import TokenUsage
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


def _event(kind: EngineEventKind, reason: str = "", key: str = "k") -> EngineEvent:
    return EngineEvent(kind=kind, stage="verify", key=key, reason=reason)


def test_where_nothing_happens_there_is_a_line_now_and_then() -> None:
    shown = Progress(total=2, style=Style(), stream=(stream := io.StringIO()))
    for _ in range(125):
        shown.waiting()
    assert stream.getvalue() == "".join(
        f"  waiting for replies: {seconds} s\n" for seconds in (10, 60, 120)
    )
    shown.call(_event(EngineEventKind.RAN))
    for _ in range(9):
        shown.waiting()
    assert stream.getvalue().count("\n") == 3


def test_on_a_terminal_the_counting_line_goes_on() -> None:
    shown = Progress(total=2, style=Style(), stream=(stream := Terminal()))
    for _ in range(11):
        shown.waiting()
    lines = stream.getvalue().split("\r\x1b[2K")
    assert lines[1] == "  0 of 2 proofs, 0 calls, $0.00, 0 objections"
    assert lines[-1] == f"{lines[1]}, waiting for replies: 11 s"


def test_nobody_is_told_of_waiting_where_nothing_is_shown() -> None:
    shown = Progress(total=2, style=Style(), stream=(stream := Terminal()), is_shown=False)
    for _ in range(60):
        shown.waiting()
    assert stream.getvalue() == ""


def test_a_failure_that_repeats_is_one_line_and_a_sum() -> None:
    shown = Progress(total=2, style=Style(), stream=(stream := io.StringIO()))
    for reason in ("HTTP 500", "HTTP 500", "busy", "HTTP 500"):
        shown.call(_event(EngineEventKind.RETRY, reason))
    assert stream.getvalue() == "  retried: HTTP 500\n  retried: busy\n"
    shown.end()
    shown.end()
    assert stream.getvalue().splitlines()[2:] == ["  retried 3 times: HTTP 500"]


def test_an_interrupt_says_what_is_kept_and_counts_no_call_without_a_reply() -> None:
    shown = Progress(total=2, style=Style(), stream=(stream := io.StringIO()))
    shown.call(_event(EngineEventKind.RAN))
    lost = EngineEvent(
        kind=EngineEventKind.FAILED, stage="verify", key="l", usage=TokenUsage(input=5)
    )
    shown.call(lost)
    shown.stopping()
    shown.interrupted()
    assert stream.getvalue() == (
        "pf: stopping: waiting up to 5 s for replies to calls in flight; "
        "press Ctrl-C again to stop now\n"
        "pf: 1 reply kept: the next run continues from there\n"
    )


def test_the_reason_why_many_are_not_read_is_two_lines() -> None:
    shown = Progress(total=3, style=Style(), stream=(stream := io.StringIO()))
    for name in ("a", "b", "c"):
        shown.failed(name, "no verdict")
    shown.end()
    shown.end()
    assert stream.getvalue() == "  ? a  not read: no verdict\n  ? 2 more not read: no verdict\n"
