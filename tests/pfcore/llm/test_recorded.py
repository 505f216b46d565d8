"""Calls recorded against a double (aimock), not a real model, played back without a network.

To record them again, start the double and name its address:

    npx --yes -p @copilotkit/aimock@1.43.0 llmock -p 4010 -f tests/data/double.json
    PF_RECORD=http://127.0.0.1:4010/v1 \\
        pytest --force-enable-socket tests/pfcore/llm/test_recorded.py
"""

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
import vcr
from vcr.serializers import yamlserializer

from pfcore.llm.connection import Connection
from pfcore.llm.openai_client import OpenAiClient
from pfcore.llm.protocol import CallError, Document, Endpoint, Finish, Reply, Request, TokenUsage

RECORD = os.environ.get("PF_RECORD")  # read before the tests' own world begins
CASSETTES = Path(__file__).parents[2] / "data/cassettes"
PLACE = "https://double.test/v1"
KEPT = {"content-type", "retry-after"}
PDF = Document(name="paper.pdf", digest="d" * 64, content=b"%PDF-1.5")
R, C = Endpoint.RESPONSES, Endpoint.CHAT

Make = Callable[..., Request]


def _labelled(cassette: Any) -> str:
    text: str = yamlserializer.serialize(cassette)
    return f"# Recorded against a double, not a real model: see test_recorded.py.\n{text}"


def _sent(request: Any) -> Any:
    request.uri = PLACE + urlsplit(request.uri).path.removeprefix("/v1")
    request.headers = _kept(request.headers)
    return request


def _received(response: Any) -> Any:
    return response | {"headers": _kept(response["headers"])}


def _kept(headers: Any) -> dict[str, Any]:
    return {name.lower(): headers[name] for name in headers if name.lower() in KEPT}


@pytest.fixture
def ask(request: pytest.FixtureRequest) -> Callable[[Request], Any]:
    """Asks the double, as it answered when the test's cassette was recorded."""
    player = vcr.VCR(
        cassette_library_dir=str(CASSETTES),
        record_mode="all" if RECORD else "none",
        match_on=["method", "path", "body"],
        before_record_request=_sent,
        before_record_response=_received,
    )
    player.register_serializer(
        "labelled",
        SimpleNamespace(serialize=_labelled, deserialize=yamlserializer.deserialize),
    )
    name = request.node.name.removeprefix("test_").replace("[", "-").removesuffix("]")

    async def complete(asked: Request) -> Reply:
        connection = Connection(base_url=RECORD or PLACE, key="secret-key-1")
        with player.use_cassette(f"{name}.yaml", serializer="labelled") as cassette:
            try:
                async with OpenAiClient(connection) as client:
                    return await client.complete(asked)
            finally:
                assert len(cassette) == 1
                assert RECORD or cassette.all_played

    return complete


@pytest.mark.parametrize("endpoint", Endpoint)
async def test_a_proof_is_read(endpoint: Endpoint, ask: Any, request_of: Make) -> None:
    assert await ask(request_of(endpoint, text="Prove it")) == Reply(
        text="It follows.",
        usage=TokenUsage(input=40, output=5),
        finish=Finish.STOP,
        model="served-model",
    )


async def test_a_pdf_is_read(ask: Any, request_of: Make) -> None:
    reply = await ask(request_of(text="Prove it", document=PDF))
    assert reply.text == "It follows."


@pytest.mark.parametrize("endpoint", Endpoint)
async def test_a_reply_is_cut_off(endpoint: Endpoint, ask: Any, request_of: Make) -> None:
    reply = await ask(request_of(endpoint, text="Stop early"))
    assert (reply.text, reply.finish) == ("It fol", Finish.LENGTH)


@pytest.mark.parametrize(
    ("text", "reason", "told"),
    [
        ("Too long", "too long for this model", (False, None, False)),
        ("Too often", "too many requests (429): Slow down.", (True, 3.0, False)),
        ("No credit", "the account has no credit left", (False, None, True)),
        ("Unknown model", "unknown model on the server: 'a-model'", (False, None, True)),
        ("Fail", "the server failed (500): Overloaded.", (True, None, False)),
        ("Speak garbage", "the server's reply cannot be read", (True, None, False)),
    ],
    ids=["too_long", "too_often", "no_credit", "unknown_model", "fail", "garbage"],
)
async def test_a_call_fails(
    text: str, reason: str, told: tuple[bool, float | None, bool], ask: Any, request_of: Make
) -> None:
    with pytest.raises(CallError) as caught:
        await ask(request_of(text=text))
    met = caught.value
    assert met.reason.startswith(reason)
    assert (met.retry, met.wait, met.fatal) == told


def test_a_cassette_holds_no_key_and_says_that_no_model_spoke() -> None:
    cassettes = sorted(CASSETTES.glob("*.yaml"))
    assert len(cassettes) == 11
    for path in cassettes:
        text = path.read_text(encoding="utf-8")
        assert text.startswith("# Recorded against a double, not a real model")
        assert "secret-key-1" not in text
        assert "authorization" not in text.lower()
        assert "127.0.0.1" not in text
