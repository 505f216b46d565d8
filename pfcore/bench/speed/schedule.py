"""How close the engine comes to the ideal makespan, with a model of fixed latency.

python -m pfcore.bench.speed.schedule [--http] [CALLS [MILLISECONDS]]

The model is simulated: it sleeps, and always gives the same answer. Replies are kept in a real
store on disk, and each key is claimed there before the call. Without --http the model is a
function in this process, which measures the engine alone; with it, a server in another process on
this machine is called through the real client, which measures mostly that client. The ideal is the
latency times the number of rounds.
"""

import asyncio
import json
import math
import multiprocessing
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from multiprocessing.connection import Connection as Pipe
from pathlib import Path

from pfcore.bench.terminal_table import show
from pfcore.llm.connection import Connection
from pfcore.llm.engine.action import Action
from pfcore.llm.engine.budget import Budget
from pfcore.llm.engine.run import CallLimits, Engine
from pfcore.llm.model_settings import open_client
from pfcore.llm.protocol import Endpoint, Finish, LlmClient, Reply, Request, TokenUsage
from pfcore.llm.store import open_store

_CALLS, _MILLISECONDS = 2_000, 200
_AT_ONCE = (64, 256)
_WORDS = '<objections></objections>\n```json\n{"verdict": "accept"}\n```'
_TEXT = "Let $x > 0$. Then $x^2 > 0$, for the product of positive numbers is positive.\n" * 30
_BODY = json.dumps(
    {
        "model": "simulated",
        "choices": [{"message": {"content": _WORDS}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 700, "completion_tokens": 20},
    }
).encode()
_ANSWER = (
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(_BODY)
) + _BODY

Opened = Callable[[int], AbstractAsyncContextManager[LlmClient]]
"""Opens a client for this many concurrent calls."""


def main(argv: Sequence[str] | None = None) -> int:
    """Print the makespan, the ideal and their ratio for some numbers of calls in flight."""
    given = list(argv if argv is not None else sys.argv[1:])
    is_http = "--http" in given
    numbers = [int(word) for word in given if word != "--http"]
    calls, milliseconds = [*numbers, *(_CALLS, _MILLISECONDS)[len(numbers) :]]
    latency = milliseconds / 1000
    if is_http:
        with _server(latency) as address:
            rows = [_row(at_once, calls, latency, _by_http(address)) for at_once in _AT_ONCE]
    else:
        rows = [_row(at_once, calls, latency, _opened(_Sleeper(latency))) for at_once in _AT_ONCE]
    way = "http on this machine" if is_http else "in process"
    show((f"simulated, {way}", "calls", "in flight", "s", "ideal s", "ratio"), rows)
    return 0


def _row(
    at_once: int, calls: int, latency: float, opened: Opened
) -> tuple[str, int, int, float, float, float]:
    took = asyncio.run(_makespan(calls, at_once, opened))
    ideal = math.ceil(calls / at_once) * latency
    return "verify", calls, at_once, took, ideal, took / ideal


async def _makespan(calls: int, at_once: int, opened: Opened) -> float:
    """The seconds from the first request to the last reply stored."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(str(Path(folder) / "replies.db"), time.time)
        limits = CallLimits(in_flight=at_once, clock=time.monotonic, sleep=asyncio.sleep)
        async with opened(at_once) as client:
            budget = Budget(dollars=1e6)
            engine = Engine(client, store, limits=limits, budget=budget, claims=store.claims())
            began = time.perf_counter()
            outcomes = await asyncio.gather(*(engine.run(_action(each)) for each in range(calls)))
            took = time.perf_counter() - began
        store.close()
    if not all(isinstance(outcome, Reply) for outcome in outcomes):
        raise RuntimeError("a call failed, so the makespan says nothing")
    return took


def _action(number: int) -> Action:
    request = Request(
        endpoint=Endpoint.CHAT,
        model="simulated",
        instructions="Read the proof.",
        text=f"{number // 4}. {_TEXT}",
    )
    return Action(stage="verify", prompt="verify/v1", request=request, rollout=number % 4 + 1)


class _Sleeper:
    """A model that answers after a fixed time."""

    def __init__(self, latency: float) -> None:
        self._latency = latency

    async def complete(self, request: Request) -> Reply:
        """The same reply always."""
        await asyncio.sleep(self._latency)
        usage = TokenUsage(input=700, output=20)
        return Reply(text=_WORDS, usage=usage, finish=Finish.STOP, model="simulated")


def _opened(client: LlmClient) -> Opened:
    @asynccontextmanager
    async def opened(at_once: int) -> AsyncIterator[LlmClient]:
        yield client

    return opened


def _by_http(address: str) -> Opened:
    return lambda at_once: open_client(Connection(base_url=address, timeout=60), in_flight=at_once)


@contextmanager
def _server(latency: float) -> Iterator[str]:
    """A server in its own process; yields its base URL."""
    context = multiprocessing.get_context("spawn")
    ours, its = context.Pipe()
    process = context.Process(target=_serve, args=(latency, its), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}/v1"
    finally:
        process.terminate()
        process.join()


def _serve(latency: float, pipe: Pipe) -> None:  # pragma: no cover - runs in a process of its own
    async def forever() -> None:
        server = await asyncio.start_server(
            lambda reader, writer: answer(reader, writer, latency), "127.0.0.1", 0, backlog=1024
        )
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(forever())


async def answer(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, latency: float
) -> None:
    """Answer every request on one connection after a fixed time, until it is closed."""
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            await asyncio.sleep(latency)
            writer.write(_ANSWER)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


if __name__ == "__main__":
    sys.exit(main())
