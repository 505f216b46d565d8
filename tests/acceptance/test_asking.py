"""Calls to a server that is not ours, from the client up to the engine and its store."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pfcore.llm.connection import Connection
from pfcore.llm.engine.action import Action, EngineEvent, EngineEventKind
from pfcore.llm.engine.budget import Budget
from pfcore.llm.engine.run import CallLimits, Engine, NoReply
from pfcore.llm.model_settings import open_client
from pfcore.llm.openai_client import OpenAiClient
from pfcore.llm.protocol import CallError, Document, Endpoint, Finish, Reply, Request, TokenUsage
from pfcore.llm.store import open_store

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

R, C = Endpoint.RESPONSES, Endpoint.CHAT
PDF = Document(name="paper.pdf", digest="d" * 64, content=b"%PDF-1.5 " * 1000)
CHAOS = {"dropRate": 0.2, "malformedRate": 0.2, "disconnectRate": 0.2, "rateLimitRate": 0.2}


def asking(text: str, endpoint: Endpoint = R, **changes: Any) -> Request:
    values: dict[str, Any] = {
        "endpoint": endpoint,
        "model": "a-model",
        "instructions": "Read the proof.",
        "text": text,
        "limit": 1000,
    }
    return Request(**(values | changes))


def connection(double: Any, **changes: Any) -> Connection:
    values: dict[str, Any] = {"base_url": double.base_url, "key": "test-key-1", "timeout": 20.0}
    return Connection(**(values | changes))


@pytest.fixture
async def client(double: Any) -> AsyncIterator[OpenAiClient]:
    async with open_client(connection(double)) as made:
        yield made


async def failure(client: OpenAiClient, request: Request) -> CallError:
    with pytest.raises(CallError) as caught:
        await client.complete(request)
    return caught.value


@pytest.mark.parametrize("endpoint", Endpoint)
async def test_both_interfaces_answer(endpoint: Endpoint, client: OpenAiClient) -> None:
    assert await client.complete(asking("Prove it", endpoint)) == Reply(
        text="It follows.",
        usage=TokenUsage(input=40, output=5),
        finish=Finish.STOP,
        model="served-model",
    )


async def test_a_pdf_goes_along(client: OpenAiClient) -> None:
    assert (await client.complete(asking("Prove it", document=PDF))).text == "It follows."


@pytest.mark.parametrize("endpoint", Endpoint)
async def test_a_reply_that_was_cut_off_says_so(endpoint: Endpoint, client: OpenAiClient) -> None:
    assert (await client.complete(asking("Stop early", endpoint))).finish is Finish.LENGTH


@pytest.mark.parametrize("endpoint", Endpoint)
@pytest.mark.parametrize(
    ("text", "words", "retry", "wait"),
    [
        ("Too long", "too long for this model", False, None),
        ("Too often", "too many requests", True, 3.0),
        ("No credit", "no credit left", False, None),
        ("Unknown model", "unknown model on the server", False, None),
        ("Fail", "the server failed (500)", True, None),
        ("Speak garbage", "cannot be read", True, None),
        ("Hang up", "the connection to 127.0.0.1 failed", True, None),
    ],
)
async def test_a_failure_has_its_reason(
    text: str,
    words: str,
    retry: bool,
    wait: float | None,
    endpoint: Endpoint,
    client: OpenAiClient,
) -> None:
    met = await failure(client, asking(text, endpoint))
    assert words in met.reason
    assert (met.retry, met.wait) == (retry, wait)


async def test_a_wrong_key_is_refused(double: Any) -> None:
    for key in ("another-key", None):
        async with OpenAiClient(connection(double, key=key)) as client:
            met = await failure(client, asking("Prove it"))
        assert met.fatal
        assert "refuses the key (401)" in met.reason
        assert "another-key" not in met.reason


async def test_a_late_reply_is_not_waited_for(double: Any) -> None:
    double.misbehave(latencyMs=3000)
    began = time.monotonic()
    async with OpenAiClient(connection(double, timeout=0.2)) as client:
        met = await failure(client, asking("Prove it"))
    assert (met.reason, met.retry) == ("no reply within 0.2 s", True)
    assert time.monotonic() - began < 2.5


async def test_no_proxy_stands_before_this_machine(
    double: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    async with OpenAiClient(connection(double)) as client:
        assert (await client.complete(asking("Prove it"))).text == "It follows."


async def test_nobody_there_is_a_connection_that_fails() -> None:
    async with OpenAiClient(Connection(base_url="http://127.0.0.1:9/v1")) as client:
        met = await failure(client, asking("Prove it"))
    assert not met.retry, "a server of this machine that does not run is not waited for"
    assert "no server answers at 127.0.0.1:9; is it running?" in met.reason


async def _soon(seconds: float) -> None:
    """Waits for nobody: the double does not get better with time."""
    await asyncio.sleep(0)


async def _run(
    place: Path, double: Any, actions: list[Action], log: list[EngineEvent]
) -> list[Reply | NoReply]:
    store = open_store(str(place), time.time)
    limits = CallLimits(in_flight=8, clock=time.monotonic, sleep=_soon)
    try:
        async with open_client(connection(double), in_flight=8) as client:
            engine = Engine(client, store, limits=limits, budget=Budget(), observe=log.append)
            return list(await asyncio.gather(*(engine.run(action) for action in actions)))
    finally:
        store.close()


def _answered(double: Any) -> Counter[str]:
    """How often each text got its whole reply."""
    entries = [entry for entry in double.journal() if entry["response"]["status"] == 200]
    whole = [entry for entry in entries if not entry["response"].get("chaosAction")]
    return Counter(entry["body"]["messages"][-1]["content"] for entry in whole)


@pytest.mark.parametrize("endpoint", Endpoint)
async def test_under_chaos_each_reply_is_stored_or_named_none_lost_none_twice(
    endpoint: Endpoint, double: Any, tmp_path: Path
) -> None:
    texts = [f"Prove it, number {number}" for number in range(40)]
    actions = [
        Action(stage="verify", prompt="verify/v1", request=asking(text, endpoint)) for text in texts
    ]
    place = tmp_path / "replies.db"
    log: list[EngineEvent] = []
    double.misbehave(**CHAOS)
    outcomes = await _run(place, double, actions, log)

    store = open_store(str(place), time.time)
    kept = [store.get(action.key()) for action in actions]
    store.close()
    assert kept == [outcome if isinstance(outcome, Reply) else None for outcome in outcomes]
    assert all(outcome.reason for outcome in outcomes if isinstance(outcome, NoReply))
    ended = Counter(
        event.key for event in log if event.kind in {EngineEventKind.RAN, EngineEventKind.FAILED}
    )
    assert ended == Counter(action.key() for action in actions)
    assert any(event.kind is EngineEventKind.RETRY for event in log)
    pairs = zip(texts, outcomes, strict=True)
    assert _answered(double) == {text: 1 for text, got in pairs if isinstance(got, Reply)}

    double.misbehave()
    log.clear()
    later = await _run(place, double, actions, log)
    assert all(isinstance(outcome, Reply) for outcome in later)
    kinds = {Reply: EngineEventKind.HIT, NoReply: EngineEventKind.RAN}
    assert Counter(event.kind for event in log) == Counter(kinds[type(got)] for got in outcomes)
    assert _answered(double) == dict.fromkeys(texts, 1)
