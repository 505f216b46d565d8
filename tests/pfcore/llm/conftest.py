"""Requests to send, and a server that is a function."""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2
import pytest

from pfcore.llm.connection import Connection
from pfcore.llm.openai_client import OpenAiClient
from pfcore.llm.protocol import Endpoint, Request

RESPONSE = {
    "status": "completed",
    "model": "served-model",
    "output": [
        {"type": "reasoning", "summary": [], "content": "any shape"},
        {"type": "message", "content": [{"type": "output_text", "text": "It follows."}]},
    ],
    "usage": {
        "input_tokens": 40,
        "input_tokens_details": {"cached_tokens": 30},
        "output_tokens": 5,
    },
}
CHAT = {
    "model": "served-model",
    "choices": [{"message": {"content": "It follows."}, "finish_reason": "stop"}],
    "usage": {
        "prompt_tokens": 40,
        "prompt_tokens_details": {"cached_tokens": 30},
        "completion_tokens": 5,
    },
}


def make_request(endpoint: Endpoint = Endpoint.RESPONSES, **changes: Any) -> Request:
    values: dict[str, Any] = {
        "endpoint": endpoint,
        "model": "a-model",
        "instructions": "Read the proof.",
        "text": "Let $x$ be a number.",
        "limit": 1000,
    }
    return Request(**(values | changes))


@pytest.fixture
def request_of() -> Callable[..., Request]:
    """A request with some fields changed."""
    return make_request


@pytest.fixture
def sent_of() -> Callable[..., dict[str, Any]]:
    """What a server sends by each kind of endpoint, with some fields changed."""

    def make(endpoint: Endpoint, **changes: Any) -> dict[str, Any]:
        plain: dict[str, Any] = RESPONSE if endpoint is Endpoint.RESPONSES else CHAT
        return {**json.loads(json.dumps(plain)), **changes}

    return make


class Server:
    """A server that is a function of the request, and what it was sent."""

    def __init__(self) -> None:
        self.seen: list[httpx2.Request] = []
        self.answer: Callable[[httpx2.Request], httpx2.Response] = _well
        self.clients: list[OpenAiClient] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.seen.append(request)
        return self.answer(request)

    def answers(self, status: int, body: object = None, **headers: str) -> None:
        """From now on, the same answer always; a text as it is, all else as JSON."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        content = body if isinstance(body, str) else json.dumps(body)
        kind = {"content-type": "application/json"}
        self.answer = lambda _: httpx2.Response(status, headers=kind | named, text=content)

    def client(self, **changes: Any) -> OpenAiClient:
        """A client of this server."""
        values = {"base_url": "https://models.example/v1", "key": "secret-key-1"}
        connection = Connection(**(values | changes))
        transport = httpx2.MockTransport(self)
        made = OpenAiClient(connection, transport=transport, clock=lambda: 1_000_000_000.0)
        self.clients.append(made)
        return made


def _well(request: httpx2.Request) -> httpx2.Response:
    return httpx2.Response(200, json=RESPONSE if request.url.path.endswith("/responses") else CHAT)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    """A server without a network; its clients are closed at the end."""
    made = Server()
    yield made
    for client in made.clients:
        await client.aclose()
