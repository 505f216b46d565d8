import asyncio
import json
import logging
import re
import sys
import traceback
from typing import Any

import httpx2
import pytest

from pfcore.domain.errors import UsageError
from pfcore.domain.installation import install_command
from pfcore.llm.connection import OPENAI, Connection
from pfcore.llm.model_settings import open_client
from pfcore.llm.openai_client import OpenAiClient
from pfcore.llm.prices import most
from pfcore.llm.protocol import CallError, Endpoint, Finish

KEY = "secret-key-1"


async def failure(client: OpenAiClient, request: Any) -> CallError:
    with pytest.raises(CallError) as caught:
        await client.complete(request)
    return caught.value


@pytest.mark.parametrize(
    ("endpoint", "path"),
    [(Endpoint.RESPONSES, "/v1/responses"), (Endpoint.CHAT, "/v1/chat/completions")],
)
async def test_each_interface_is_asked_at_its_path(
    endpoint: Endpoint, path: str, server: Any, request_of: Any
) -> None:
    reply = await server.client().complete(request_of(endpoint))
    (seen,) = server.seen
    assert (reply.text, reply.finish) == ("It follows.", Finish.STOP)
    assert (seen.method, str(seen.url)) == ("POST", f"https://models.example{path}")
    assert json.loads(seen.content)["model"] == "a-model"


async def test_nothing_goes_out_but_the_request_and_its_key(
    server: Any, request_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "another-key")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "admin-key")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://elsewhere.example")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer other\nX-Mine: 1")
    await server.client().complete(request_of())
    sent = dict(server.seen[0].headers)
    assert sent.pop("authorization") == f"Bearer {KEY}"
    assert sent.pop("user-agent") == "pf-verify"
    assert sent.pop("host") == "models.example"
    assert set(sent) == {
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
    }


async def test_openai_learns_which_organisation_pays(
    server: Any, request_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    await server.client(base_url=OPENAI).complete(request_of())
    assert server.seen[0].headers["openai-organization"] == "org-1"


async def test_without_a_key_none_is_sent(
    server: Any, request_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "another-key")
    await server.client(key=None).complete(request_of())
    assert "authorization" not in server.seen[0].headers


async def test_a_failed_call_is_made_once(server: Any, request_of: Any) -> None:
    server.answers(503, {"error": {"message": "overloaded"}}, retry_after="9")
    met = await failure(server.client(), request_of())
    assert (met.retry, met.wait, len(server.seen)) == (True, 9.0, 1)
    assert met.reason == "the server failed (503): overloaded"


async def test_a_wait_until_a_date_counts_from_now(server: Any, request_of: Any) -> None:
    server.answers(429, {}, retry_after="Sun, 09 Sep 2001 01:47:10 GMT")
    assert (await failure(server.client(), request_of())).wait == 30.0


async def test_a_text_that_is_too_long_is_not_sent(server: Any, request_of: Any) -> None:
    request = request_of(text="x" * 30_000)
    met = await failure(server.client(window=8_000), request)
    assert (met.retry, met.fatal, server.seen) == (False, False, [])
    assert met.reason.startswith("too long for this model: up to 13")
    await server.client(window=16_000).complete(request)
    await server.client(window=None).complete(request)


async def test_a_reply_gets_the_room_that_the_window_leaves(server: Any, request_of: Any) -> None:
    request = request_of(text="x" * 10_000, limit=16_000)  # up to 4,0xx tokens
    for window, limit in ((32_000, 16_000), (16_000, 16_000 - most(request).input)):
        await server.client(window=window).complete(request)
        assert json.loads(server.seen[-1].content)["max_output_tokens"] == limit
    met = await failure(server.client(window=most(request).input + 1_999), request)
    assert met.reason.startswith("too long for this model: up to 6")
    assert len(server.seen) == 2


async def test_a_server_that_does_not_answer_is_left(server: Any, request_of: Any) -> None:
    async def silent(request: httpx2.Request) -> httpx2.Response:
        await asyncio.sleep(60)
        raise AssertionError

    connection = Connection(base_url="https://models.example/v1", timeout=0.01)
    async with OpenAiClient(connection, transport=httpx2.MockTransport(silent)) as client:
        met = await failure(client, request_of())
    assert (met.retry, met.reason) == (True, "no reply within 0.01 s")
    assert met.charged


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (httpx2.ConnectError("Connection refused"), "Connection refused"),
        (httpx2.ReadError(f"cut; Authorization: Bearer {KEY}"), "cut; [key]"),
        (httpx2.RemoteProtocolError("peer closed the connection"), "peer closed the connection"),
    ],
)
async def test_a_connection_that_fails_is_tried_again(
    error: Exception, words: str, server: Any, request_of: Any
) -> None:
    def fail(request: httpx2.Request) -> httpx2.Response:
        raise error

    server.answer = fail
    met = await failure(server.client(), request_of())
    assert met.retry
    assert met.reason == f"the connection to models.example failed: {words}"


@pytest.mark.parametrize(
    ("error", "charged"),
    [
        (httpx2.ConnectError("refused"), False),
        (httpx2.ConnectTimeout("no answer"), False),
        (httpx2.PoolTimeout("no connection"), False),
        (httpx2.ReadTimeout("no reply"), True),
        (httpx2.ReadError("cut"), True),
        (httpx2.RemoteProtocolError("closed"), True),
    ],
)
async def test_what_was_sent_may_have_been_charged(
    error: Exception, charged: bool, server: Any, request_of: Any
) -> None:
    def fail(request: httpx2.Request) -> httpx2.Response:
        raise error

    server.answer = fail
    assert (await failure(server.client(), request_of())).charged is charged


@pytest.mark.parametrize(("status", "charged"), [(429, False), (500, False), (504, True)])
async def test_a_gateway_that_gave_up_may_have_been_charged(
    status: int, charged: bool, server: Any, request_of: Any
) -> None:
    server.answers(status, {})
    assert (await failure(server.client(), request_of())).charged is charged


async def test_a_slow_transport_is_a_late_reply(server: Any, request_of: Any) -> None:
    def fail(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ReadTimeout("")

    server.answer = fail
    assert (await failure(server.client(), request_of())).reason == "no reply within 600 s"


async def test_a_redirection_is_not_followed(server: Any, request_of: Any) -> None:
    server.answers(307, {}, location="https://elsewhere.example/v1/responses")
    met = await failure(server.client(), request_of())
    assert met.fatal
    assert [seen.url.host for seen in server.seen] == ["models.example"]


@pytest.mark.parametrize("body", ["{malformed", "", "<html></html>", "[]"])
async def test_a_malformed_success_is_tried_again(body: str, server: Any, request_of: Any) -> None:
    server.answers(200, body)
    met = await failure(server.client(), request_of())
    assert (met.retry, met.charged) == (True, True)


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
@pytest.mark.parametrize("body", ["", "plain words", "[]", '{"error": null}', '{"error": [1]}'])
async def test_a_failure_of_whatever_shape_is_a_call_error(
    status: int, body: str, server: Any, request_of: Any
) -> None:
    server.answers(status, body)
    assert str(status) in (await failure(server.client(), request_of())).reason


async def test_the_key_is_nowhere_to_be_seen(
    server: Any, request_of: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    shown = []
    client = server.client()
    for status in (200, 400, 401, 404, 429, 500):
        message = f"your key {KEY} in 'Authorization: Bearer {KEY}' is odd"
        server.answers(status, {"error": {"message": message}})
        met = await failure(client, request_of())
        shown += [str(met), repr(met), "".join(traceback.format_exception(met))]
        assert (met.__cause__, met.__context__) == (None, None)
    shown += [repr(client), caplog.text]
    assert not any(KEY in text for text in shown)


async def test_a_cancelled_call_stays_cancelled(request_of: Any) -> None:
    started = asyncio.Event()

    async def silent(request: httpx2.Request) -> httpx2.Response:
        started.set()
        await asyncio.sleep(60)
        raise AssertionError

    connection = Connection(base_url="https://models.example/v1")
    async with OpenAiClient(connection, transport=httpx2.MockTransport(silent)) as client:
        call = asyncio.create_task(client.complete(request_of()))
        await started.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call


async def test_a_client_closes_its_connections() -> None:
    class Transport(httpx2.AsyncBaseTransport):
        closed = 0

        async def aclose(self) -> None:
            self.closed += 1

    transport = Transport()
    async with OpenAiClient(Connection(), transport=transport):
        assert transport.closed == 0
    assert transport.closed == 1


async def test_opening_needs_the_key_that_the_settings_name() -> None:
    with pytest.raises(UsageError, match=r"api\.openai\.com needs a key, and A_KEY"):
        open_client(Connection(key_name="A_KEY"))
    await open_client(Connection(key_name="A_KEY", key=KEY)).aclose()
    await open_client(Connection(base_url="http://localhost:11434/v1")).aclose()


def test_opening_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pfcore.llm.openai_client", None)  # what a lack looks like
    with pytest.raises(
        UsageError, match=rf"install more packages: {re.escape(install_command('llm'))}"
    ):
        open_client(Connection(key=KEY))


async def test_a_server_on_this_machine_that_nobody_has_started_is_asked_once(
    server: Any, request_of: Any
) -> None:
    def fail(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("All connection attempts failed")

    server.answer = fail
    for url, place in (
        ("http://127.0.0.1:11434/v1", "127.0.0.1:11434"),
        ("http://[::1]/v1", "::1"),
    ):
        met = await failure(server.client(base_url=url, key=None), request_of())
        assert (met.retry, met.fatal, met.charged) == (False, True, False)
        assert met.reason == f"no server answers at {place}; is it running?"
