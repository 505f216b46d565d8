"""Requests as the two interfaces want them; long-lived words first, so that caches hit."""

import base64
from collections.abc import Mapping
from urllib.parse import urlsplit

from pfcore.domain.digest import text_digest
from pfcore.llm.connection import Connection, is_openai
from pfcore.llm.protocol import CallError, Document, Endpoint, Request

PATHS = {Endpoint.RESPONSES: "/responses", Endpoint.CHAT: "/chat/completions"}

_STRICT = ("openai.com", "openai.azure.com")
"""Hosts that refuse a request with both names of the limit."""

Body = Mapping[str, object]


def body(request: Request, connection: Connection) -> Body:
    """What is posted; CallError for what the endpoint cannot take."""
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
    """What calls with the same long-lived words share; nothing of the paper is in it."""
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
        raise CallError("this endpoint takes no PDF: only the Responses interface does")
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
        # Ollama and LM Studio know the old name only, https://github.com/ollama/ollama/issues/7125
        made["max_tokens"] = request.limit
    if request.effort is not None:
        made["reasoning_effort"] = request.effort
    return made


def _is_strict(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    return any(host == name or host.endswith(f".{name}") for name in _STRICT)


def _sendable(text: str) -> str:
    """Half of a surrogate pair, from a file in no known encoding, cannot travel as UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
