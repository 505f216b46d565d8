from typing import Any

import pytest

from pfcore.llm import replies
from pfcore.llm.protocol import CallError


def fault(status: int, code: object = None, message: str = "", **more: Any) -> CallError:
    return replies.of_status(status, {"code": code, "message": message}, model="m-1", **more)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_asked_again_after_the_wait_that_the_server_names(status: int) -> None:
    met = fault(status, message="try later", wait=7.0)
    assert (met.retry, met.wait, met.fatal) == (True, 7.0, False)
    assert "try later" in met.reason
    assert str(status) in met.reason


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (429, "insufficient_quota"),
        (429, "billing_hard_limit_reached"),
        (403, "billing_not_active"),
        (402, None),
    ],
)
def test_an_account_without_credit_stops_everything(status: int, code: str | None) -> None:
    met = fault(status, code, wait=1.0)
    assert (met.retry, met.fatal) == (False, True)
    assert met.reason == "the account has no credit left"


def test_the_type_of_an_error_counts_like_its_code() -> None:
    assert replies.of_status(429, {"type": "insufficient_quota", "message": "no"}).fatal


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_stops_everything(status: int) -> None:
    met = fault(status, "invalid_api_key")
    assert (met.retry, met.fatal) == (False, True)
    assert "refuses the key" in met.reason


def test_an_unknown_model_stops_everything() -> None:
    for status, code in [(404, None), (400, "model_not_found")]:
        met = fault(status, code, "The model `m-1` does not exist")
        assert met.fatal
        assert "unknown model on the server: 'm-1'" in met.reason


def test_a_wrong_address_is_told_from_an_unknown_model() -> None:
    met = replies.of_status(404, "404 page not found", model="m-1")
    assert met.fatal
    assert "does it end in /v1?" in met.reason


def test_a_redirection_stops_everything() -> None:
    met = replies.of_status(307, "")
    assert met.fatal
    assert "another address" in met.reason


@pytest.mark.parametrize(
    ("status", "code", "message"),
    [
        (400, "context_length_exceeded", "no"),
        (400, "string_above_max_length", "no"),
        (400, "exceed_context_size_error", "no"),
        (413, None, "Payload Too Large"),
        (400, 400, "This model's maximum context length is 8192 tokens. However, you requested"),
        (400, 400, "However, the model's context length is only 1024 tokens, resulting in"),
        (400, 400, "request (4390 tokens) exceeds the available context size (4096 tokens)"),
        (500, 500, "Context size has been exceeded."),
        (400, None, "input length exceeds the context length"),
        (400, None, "prompt is too long: 210000 tokens > 200000 maximum"),
    ],
)
def test_a_text_beyond_the_context_is_too_long_and_not_asked_again(
    status: int, code: object, message: str
) -> None:
    met = fault(status, code, message)
    assert met.reason.startswith("too long for this model")
    assert (met.retry, met.fatal) == (False, False)


def test_a_request_above_the_rate_limit_as_a_whole_is_not_asked_again() -> None:
    met = fault(429, "rate_limit_exceeded", "Request too large for m-1 on tokens per min (TPM)")
    assert not met.retry
    assert "per minute" in met.reason


def test_another_bad_request_is_not_asked_again_and_stops_nothing_else() -> None:
    met = fault(400, "unsupported_parameter", "Unsupported parameter: 'temperature'")
    assert (met.retry, met.fatal) == (False, False)
    assert (
        met.reason == "the server refuses the request (400): Unsupported parameter: 'temperature'"
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": {"message": "inner"}}, "inner"),
        ({"error": "in words"}, "in words"),
        ({"detail": "from a gateway"}, "from a gateway"),
        ({"detail": [{"loc": ["body"]}]}, ""),
        ("<html>down</html>", "<html>down</html>"),
        (None, ""),
        ([1], ""),
    ],
)
def test_the_message_is_found_in_whatever_shape_it_has(body: object, message: str) -> None:
    assert replies.fault_in_body(body)[1] == message


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "3", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "Sun, 09 Sep 2001 01:47:10 GMT"}, 30.0),
        ({"retry-after": "Sun, 09 Sep 2001 01:47:10"}, 30.0),
        ({"retry-after": "Sun, 09 Sep 2001 01:46:10 GMT"}, 0.0),
    ],
)
def test_the_wait_is_read_in_seconds_and_as_a_date(
    headers: dict[str, str], wait: float | None
) -> None:
    assert replies.wait_of(headers, now=1_000_000_000.0) == wait


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: SECRET-abcdefgh.",
        "Incorrect API key provided: sk-proj-abc***wxyz.",
        "got Authorization: Bearer abcdefgh.ijk",
        "{'authorization': 'Bearer abcdefgh'}",
        'headers {"Authorization":"abcdefgh"}',
        "bearer abcdefghijkl is not known",
        "Basic dXNlcjpwYXNzd29yZA== is not known",
        "gsk_abcdefghijkl is not known",
    ],
)
def test_keys_and_their_headers_are_cut_from_foreign_texts(text: str) -> None:
    clean = replies.scrubbed(text, "SECRET-abcdefgh")
    assert "[key]" in clean
    assert not any(part in clean for part in ("abc", "wxyz", "dXNl"))


def test_a_foreign_text_is_one_short_line_without_control_codes() -> None:
    clean = replies.scrubbed("one\n two\x1b[31m red" + "x" * 1000, None)
    assert clean.startswith("one two[31m redxxx")
    assert len(clean) <= 301


def test_ordinary_words_are_not_taken_for_keys() -> None:
    text = "basic auth is off; the api-reference and risk-assessments are fine"
    assert replies.scrubbed(text, None) == text
