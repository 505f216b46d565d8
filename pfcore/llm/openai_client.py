"""The one place that meets the openai package: one client, both interfaces, failures in words."""

import asyncio
import ssl
import time
from collections.abc import Callable
from functools import cache
from types import TracebackType
from typing import Self

import httpx2
from openai import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    DefaultAsyncHttpxClient,
)

from pfcore.llm import faults
from pfcore.llm.bodies import PATHS, Body, body
from pfcore.llm.connection import Connection, is_loopback, is_openai
from pfcore.llm.costs import fitted, least, most
from pfcore.llm.protocol import CallError, Reply, Request
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
    """Whose certificates count; to read them takes longer than all else that opens a client."""
    return httpx2.create_ssl_context(trust_env=trust_env)


class OpenAiClient:
    """Asks one server; to be closed, best by `async with`.

    `in_flight` is the most calls at once that it has connections for. It never asks twice: the
    engine does, where that helps.
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
                follow_redirects=False,  # the text goes where the user said, and nowhere else
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
        """The reply; a CallError where there is none."""
        sent = self._fitted(request)
        content = await self._post(PATHS[request.endpoint], body(sent, self._connection), request)
        return read_reply(content, request, key=self._connection.key)

    def _fitted(self, request: Request) -> Request:
        """Some servers cut a long text silently, and the model then judges half of it."""
        window = self._connection.window
        if window is None:
            return request
        made = fitted(request, window)
        if made is None:
            needed = most(request).input + least(request)
            raise CallError(f"{faults.TOO_LONG}: up to {needed} tokens, and it takes {window}")
        return made

    async def _post(self, path: str, content: Body, request: Request) -> bytes:
        late = f"no reply within {self._connection.timeout:g} s"
        try:
            async with asyncio.timeout(self._connection.timeout):
                # The package would build its own types unchecked; ours are checked.
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
        # Outside the handlers: their exceptions hold the request with its headers.
        raise fault

    def _cut(self, error: APIConnectionError) -> CallError:
        cause = faults.scrubbed(str(error.__cause__ or ""), self._connection.key)
        sentence = f"the connection to {self._connection.host} failed"
        words = f"{sentence}: {cause}" if cause else sentence
        return CallError(words, retry=True, charged=_has_gone_out(error))

    def _refused(self, error: APIStatusError, request: Request) -> CallError:
        return faults.of_status(
            error.status_code,
            error.body,
            wait=faults.wait_of(error.response.headers, self._clock()),
            model=request.model,
            key=self._connection.key,
        )

    async def _dress(self, request: httpx2.Request) -> None:
        """Send our headers only: the package adds the machine's, and some of the environment's."""
        for name in set(request.headers) - self._allowed:
            del request.headers[name]
        request.headers["user-agent"] = "pf-verify"
        if self._connection.key is not None:
            request.headers["authorization"] = f"Bearer {self._connection.key}"


def _has_gone_out(error: APIConnectionError) -> bool:
    """Whether the server may have had the whole request, and may charge it."""
    return not isinstance(error.__cause__, _NEVER_SENT)
