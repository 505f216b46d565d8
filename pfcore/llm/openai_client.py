"""The only module that uses the openai package: one client for both interfaces.

Requests put the parts that change least first, so that the server's cache can reuse them.
"""

import asyncio
import base64
import json
import ssl
import time
from collections.abc import Callable, Mapping
from functools import cache
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import httpx2
from openai import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    DefaultAsyncHttpxClient,
    OpenAIError,
)

from pfcore.domain.digest import text_digest
from pfcore.llm import replies
from pfcore.llm.connection import Connection, is_loopback, is_openai
from pfcore.llm.prices import fitted, least, most
from pfcore.llm.protocol import TOO_LONG, CallError, Document, Endpoint, Reply, Request
from pfcore.llm.replies import read_reply

_CONNECT = 10.0
_SENT = frozenset(
    "accept accept-encoding connection content-length content-type host transfer-encoding".split()
)
_NEVER_SENT = (
    *(httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout),
    *(httpx2.ProxyError, httpx2.LocalProtocolError),
)
_ACCOUNT = frozenset(("openai-organization", "openai-project"))


@cache
def _authorities(*, trust_env: bool) -> ssl.SSLContext:
    """The trusted certificates; reading them takes longer than the rest of opening a client."""
    return httpx2.create_ssl_context(trust_env=trust_env)


Body = Mapping[str, object]


class OpenAiClient:
    """A client for one server; close it, preferably with `async with`.

    `in_flight` is the largest number of concurrent calls. The client never retries: the engine
    does, where that helps.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        in_flight: int = 256,
        clock: Callable[[], float] = time.time,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._connection = connection
        self._clock = clock
        account = _ACCOUNT if is_openai(connection.base_url) else frozenset()
        self._allowed = _SENT | account
        trusting = not is_loopback(connection.base_url)
        self._sdk = AsyncOpenAI(
            base_url=connection.base_url,
            api_key=connection.key or "none",  # never sent: see _dress
            max_retries=0,
            http_client=DefaultAsyncHttpxClient(
                timeout=httpx2.Timeout(connection.timeout, connect=_CONNECT),
                limits=httpx2.Limits(
                    max_connections=in_flight, max_keepalive_connections=in_flight
                ),
                follow_redirects=False,  # the text goes only where the user said
                verify=_authorities(trust_env=trusting),
                trust_env=trusting,
                event_hooks={"request": [self._dress]},
                transport=transport,
            ),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections; an unclosed client can make other calls hang."""
        await self._sdk.close()

    async def complete(self, request: Request) -> Reply:
        """The reply; raises CallError if there is none."""
        sent = self._fitted(request)
        content = await self._post(PATHS[request.endpoint], body(sent, self._connection), request)
        return read_reply(content, request, key=self._connection.key)

    async def models(self) -> tuple[str, ...]:
        """The names of the models that the server lists; () if it does not list any."""
        try:
            async with asyncio.timeout(_CONNECT):
                reply = await self._sdk.get("/models", cast_to=httpx2.Response)
                listed = json.loads(reply.content)["data"]
                return tuple(str(item["id"]) for item in listed)
        except (OpenAIError, TimeoutError, ValueError, TypeError, KeyError, RecursionError):
            return ()

    def _fitted(self, request: Request) -> Request:
        """Check the length, because some servers silently cut a text that is too long.

        The reply's limit is lowered to fit the window; CallError if the text does not fit.
        """
        window = self._connection.window
        if window is None:
            return request
        made = fitted(request, window)
        if made is None:
            needed = most(request).input + least(request)
            raise CallError(f"{TOO_LONG}: up to {needed} tokens; its limit is {window}")
        return made

    async def _post(self, path: str, content: Body, request: Request) -> bytes:
        late = f"no reply within {self._connection.timeout:g} s"
        try:
            async with asyncio.timeout(self._connection.timeout):
                # The package would build its own types without checks; ours are checked.
                reply = await self._sdk.post(path, cast_to=httpx2.Response, body=content)
                return reply.content
        except TimeoutError:
            fault = CallError(late, retry=True, charged=True)
        except APITimeoutError as error:
            fault = CallError(late, retry=True, charged=_has_gone_out(error))
        except APIConnectionError as error:
            fault = self._cut(error)
        except APIStatusError as error:
            fault = self._refused(error, request)
        # Raised outside the handlers, whose exceptions hold the request with its headers.
        raise fault

    def _cut(self, error: APIConnectionError) -> CallError:
        is_here = is_loopback(self._connection.base_url)
        if is_here and isinstance(error.__cause__, httpx2.ConnectError):
            return CallError(self._connection.stopped, fatal=True)
        cause = replies.scrubbed(str(error.__cause__ or ""), self._connection.key)
        sentence = f"the connection to {self._connection.host} failed"
        words = f"{sentence}: {cause}" if cause else sentence
        return CallError(words, retry=True, charged=_has_gone_out(error))

    def _refused(self, error: APIStatusError, request: Request) -> CallError:
        return replies.of_status(
            error.status_code,
            error.body,
            wait=replies.wait_of(error.response.headers, self._clock()),
            model=request.model,
            key=self._connection.key,
        )

    async def _dress(self, request: httpx2.Request) -> None:
        """Send only our own headers: the package adds some about the machine and environment."""
        for name in set(request.headers) - self._allowed:
            del request.headers[name]
        request.headers["user-agent"] = "pf-verify"
        if self._connection.key is not None:
            request.headers["authorization"] = f"Bearer {self._connection.key}"


def _has_gone_out(error: APIConnectionError) -> bool:
    """Whether the server may have received the whole request, and may charge for it."""
    return not isinstance(error.__cause__, _NEVER_SENT)


PATHS = {Endpoint.RESPONSES: "/responses", Endpoint.CHAT: "/chat/completions"}

_STRICT = ("openai.com", "openai.azure.com")
"""Hosts that refuse a request with both names of the token limit."""


def body(request: Request, connection: Connection) -> Body:
    """The body to post; CallError if the endpoint does not support it."""
    match request.endpoint:
        case Endpoint.RESPONSES:
            made = _responses(request)
        case Endpoint.CHAT:
            made = _chat(request, connection)
    if request.temperature is not None:
        made["temperature"] = float(request.temperature)
    if is_openai(connection.base_url):
        made["store"] = False
        made["prompt_cache_key"] = cache_key(request)
    if connection.tier is not None:
        made["service_tier"] = connection.tier
    return made


def cache_key(request: Request) -> str:
    """A key shared by calls with the same instructions; it reveals nothing of the paper."""
    return text_digest(request.instructions)[:32]


def _responses(request: Request) -> dict[str, object]:
    made: dict[str, object] = {
        "model": request.model,
        "instructions": _sendable(request.instructions),
        "input": [{"role": "user", "content": _content(request)}],
        "max_output_tokens": request.limit,
        "store": False,
        "stream": False,
    }
    if request.effort is not None:
        made["reasoning"] = {"effort": request.effort}
    return made


def _content(request: Request) -> list[dict[str, str]]:
    text = {"type": "input_text", "text": _sendable(request.text)}
    return [_file(request.document), text] if request.document else [text]


def _file(document: Document) -> dict[str, str]:
    data = base64.b64encode(document.content).decode("ascii")
    return {
        "type": "input_file",
        "filename": _sendable(document.name),
        "file_data": f"data:application/pdf;base64,{data}",
    }


def _chat(request: Request, connection: Connection) -> dict[str, object]:
    if request.document:
        raise CallError("this endpoint accepts no PDF; only the Responses interface does")
    made: dict[str, object] = {
        "model": request.model,
        "messages": [
            {"role": "system", "content": _sendable(request.instructions)},
            {"role": "user", "content": _sendable(request.text)},
        ],
        "max_completion_tokens": request.limit,
        "stream": False,
    }
    if not _is_strict(connection.base_url):
        # Ollama and LM Studio only know the old name, https://github.com/ollama/ollama/issues/7125
        made["max_tokens"] = request.limit
    if request.effort is not None:
        made["reasoning_effort"] = request.effort
    return made


def _is_strict(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    return any(host == name or host.endswith(f".{name}") for name in _STRICT)


def _sendable(text: str) -> str:
    """The text without lone surrogates (of a file in an unknown encoding), which UTF-8 lacks."""
    return text.encode("utf-8", "replace").decode("utf-8")
