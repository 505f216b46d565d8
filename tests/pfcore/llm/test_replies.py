import json
from collections.abc import Callable
from typing import Any

import pytest

from pfcore.llm.protocol import CallError, Endpoint, Finish, Reply, Request, TokenUsage
from pfcore.llm.replies import read_reply

Make = Callable[..., Request]
Sent = Callable[..., dict[str, Any]]
R, C = Endpoint.RESPONSES, Endpoint.CHAT


@pytest.fixture
def reply(request_of: Make, sent_of: Sent) -> Callable[..., Reply]:
    """The reply to a body that is a good one but for these changes."""
    return lambda endpoint, **changes: read_reply(
        json.dumps(sent_of(endpoint, **changes)).encode(), request_of(endpoint)
    )


def choice(content: object = "It follows.", reason: object = "stop", **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": content} | more, "finish_reason": reason}]}


@pytest.mark.parametrize("endpoint", Endpoint)
def test_a_reply_has_its_words_its_tokens_and_who_served_it(
    endpoint: Endpoint, reply: Callable[..., Reply]
) -> None:
    assert reply(endpoint) == Reply(
        text="It follows.",
        usage=TokenUsage(input=40, cached=30, output=5),
        finish=Finish.STOP,
        model="served-model",
    )


def test_the_words_of_several_messages_and_parts_come_together(
    reply: Callable[..., Reply],
) -> None:
    parts = [{"type": "output_text", "text": "It "}, {"type": "output_text", "text": "follows."}]
    output = [{"type": "message", "content": [part]} for part in parts]
    assert reply(R, output=output).text == "It follows."
    assert reply(C, **choice([{"type": "text", "text": "It "}, {"text": "follows."}])).text == (
        "It follows."
    )


@pytest.mark.parametrize(
    ("status", "reason", "finish"),
    [
        ("completed", None, Finish.STOP),
        ("incomplete", "max_output_tokens", Finish.LENGTH),
        ("incomplete", "content_filter", Finish.FILTER),
        ("incomplete", None, Finish.LENGTH),
        ("incomplete", "what we do not know", Finish.LENGTH),
    ],
)
def test_a_response_says_how_it_ended(
    status: str, reason: str | None, finish: Finish, reply: Callable[..., Reply]
) -> None:
    details = {"reason": reason} if reason else None
    assert reply(R, status=status, incomplete_details=details).finish is finish


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("stop", Finish.STOP),
        ("eos_token", Finish.STOP),
        ("length", Finish.LENGTH),
        ("model_length", Finish.LENGTH),
        ("content_filter", Finish.FILTER),
    ],
)
def test_a_chat_says_how_it_ended(reason: str, finish: Finish, reply: Callable[..., Reply]) -> None:
    assert reply(C, **choice(reason=reason)).finish is finish


def test_a_refusal_is_one_whatever_else_is_said(reply: Callable[..., Reply]) -> None:
    part = {"type": "refusal", "refusal": "I cannot help with that."}
    assert reply(R, output=[{"type": "message", "content": [part]}]).finish is Finish.REFUSAL
    assert reply(C, **choice(None, refusal="I cannot.")).finish is Finish.REFUSAL


def test_silence_is_a_reply_without_words(reply: Callable[..., Reply]) -> None:
    assert reply(R, output=[{"type": "reasoning"}]).text == ""
    assert reply(C, **choice(None)).text == ""


@pytest.mark.parametrize("endpoint", Endpoint)
@pytest.mark.parametrize(
    "usage",
    [
        None,
        7,
        {},
        {"input_tokens": "many"},
        {"prompt_tokens": -1, "completion_tokens": 1},
        {"input_tokens": 0, "output_tokens": 0, "prompt_tokens": 0, "completion_tokens": 0},
    ],
)
def test_tokens_that_nobody_counted_are_estimated(
    endpoint: Endpoint, usage: object, reply: Callable[..., Reply]
) -> None:
    counted = reply(endpoint, usage=usage).usage
    assert counted.input > 0
    assert 0 < counted.output < 1000


def test_cached_tokens_are_none_where_they_are_not_told(reply: Callable[..., Reply]) -> None:
    plain = {"prompt_tokens": 4, "completion_tokens": 1}
    assert reply(C, usage=plain).usage == TokenUsage(input=4, output=1)
    odd = plain | {"prompt_tokens_details": {"cached_tokens": 9}}
    assert reply(C, usage=odd).usage.cached == 4


def test_a_server_that_does_not_say_its_model_has_the_one_asked_for(
    reply: Callable[..., Reply],
) -> None:
    assert reply(C, model=None).model == "a-model"


@pytest.mark.parametrize(
    ("endpoint", "changes"),
    [
        (C, {"choices": []}),
        (C, {"choices": None}),
        (C, {"choices": [{"finish_reason": "stop"}]}),
        (C, choice(reason=None)),
        (C, choice(reason="abort")),
        (C, choice({"not": "a text"})),
        (R, {"output": None}),
        (R, {"output": "It follows."}),
        (R, {"output": [{"type": "message", "content": [3]}]}),
        (R, {"status": None}),
        (R, {"status": "in_progress"}),
        (R, {"status": "cancelled"}),
    ],
)
def test_what_is_not_clearly_a_reply_is_an_error_and_asked_again(
    endpoint: Endpoint, changes: dict[str, Any], reply: Callable[..., Reply]
) -> None:
    with pytest.raises(CallError, match="cannot be read") as caught:
        reply(endpoint, **changes)
    assert caught.value.retry


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{malformed json: <<<chaos>>>",
        b'{"status": "comp',
        b"<html>It follows.</html>",
        b"\xff\xfe",
        b"[]",
        b'"It follows."',
        b"[" * 100_000,
    ],
)
def test_a_body_that_is_no_json_object_is_an_error_and_asked_again(
    content: bytes, request_of: Make
) -> None:
    with pytest.raises(CallError, match="cannot be read") as caught:
        read_reply(content, request_of())
    assert caught.value.retry


@pytest.mark.parametrize(
    ("code", "retry", "fatal"),
    [
        ("server_error", True, False),
        ("rate_limit_exceeded", True, False),
        (502, True, False),
        ("invalid_prompt", False, False),
        ("context_length_exceeded", False, False),
        ("insufficient_quota", False, True),
        (401, False, True),
    ],
)
def test_an_error_in_a_body_that_claims_success_is_an_error(
    code: object, retry: bool, fatal: bool, reply: Callable[..., Reply]
) -> None:
    for endpoint in Endpoint:
        with pytest.raises(CallError) as caught:
            reply(endpoint, status="failed", error={"code": code, "message": "It failed."})
        assert (caught.value.retry, caught.value.fatal) == (retry, fatal)


def test_an_error_in_words_is_shown_without_the_key(request_of: Make) -> None:
    with pytest.raises(CallError) as caught:
        read_reply(b'{"error": "no room for key-1234"}', request_of(), key="key-1234")
    assert caught.value.reason == "the server failed: no room for [key]"
