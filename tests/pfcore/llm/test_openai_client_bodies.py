import base64
import json
from collections.abc import Callable

import pytest

from pfcore.llm.connection import Connection
from pfcore.llm.openai_client import body, cache_key
from pfcore.llm.protocol import CallError, Document, Endpoint, Request

Make = Callable[..., Request]
OPENAI = Connection()
LOCAL = Connection(base_url="http://localhost:11434/v1", endpoint=Endpoint.CHAT)
PDF = Document(name="paper.pdf", digest="d" * 64, content=b"%PDF-1.5 \x00")


def test_a_response_is_asked_for_without_storing_it(request_of: Make) -> None:
    request = request_of(effort="low", temperature="0.5")
    assert body(request, OPENAI) == {
        "model": "a-model",
        "instructions": "Read the proof.",
        "input": [
            {
                "role": "user",
                "content": [{"type": "input_text", "text": "Let $x$ be a number."}],
            }
        ],
        "max_output_tokens": 1000,
        "reasoning": {"effort": "low"},
        "temperature": 0.5,
        "prompt_cache_key": cache_key(request),
        "store": False,
        "stream": False,
    }


def test_a_chat_asks_for_a_whole_reply_in_plain_text(request_of: Make) -> None:
    assert body(request_of(Endpoint.CHAT, effort="low", temperature="0"), LOCAL) == {
        "model": "a-model",
        "messages": [
            {"role": "system", "content": "Read the proof."},
            {"role": "user", "content": "Let $x$ be a number."},
        ],
        "max_completion_tokens": 1000,
        "max_tokens": 1000,
        "reasoning_effort": "low",
        "temperature": 0.0,
        "stream": False,
    }


def test_what_is_not_set_is_left_to_the_server(request_of: Make) -> None:
    for endpoint in Endpoint:
        left = {"reasoning", "reasoning_effort", "temperature", "service_tier"}
        assert left.isdisjoint(body(request_of(endpoint), OPENAI))


@pytest.mark.parametrize("url", ["https://api.openai.com/v1", "https://x.openai.azure.com/v1"])
def test_servers_that_refuse_the_old_name_of_the_limit_get_the_new_one(
    url: str, request_of: Make
) -> None:
    made = body(request_of(Endpoint.CHAT), Connection(base_url=url))
    assert made["max_completion_tokens"] == 1000
    assert "max_tokens" not in made


def test_only_openai_gets_the_key_of_its_cache(request_of: Make) -> None:
    assert "prompt_cache_key" in body(request_of(Endpoint.CHAT), OPENAI)
    assert "prompt_cache_key" not in body(request_of(Endpoint.CHAT), LOCAL)


def test_the_key_of_the_cache_depends_on_the_long_lived_words_only(request_of: Make) -> None:
    one, two = request_of(text="one"), request_of(text="two", model="another")
    assert cache_key(one) == cache_key(two)
    assert cache_key(one) != cache_key(request_of(instructions="Other."))
    assert len(cache_key(one)) <= 64


def test_the_tier_is_asked_for_where_it_is_set(request_of: Make) -> None:
    assert body(request_of(), Connection(tier="flex"))["service_tier"] == "flex"


def test_a_pdf_goes_before_the_text(request_of: Make) -> None:
    made = json.loads(json.dumps(body(request_of(document=PDF), OPENAI)))
    file, text = made["input"][0]["content"]
    start, _, data = file["file_data"].partition(",")
    assert (file["type"], file["filename"]) == ("input_file", "paper.pdf")
    assert start == "data:application/pdf;base64"
    assert base64.b64decode(data) == PDF.content
    assert text["type"] == "input_text"


def test_a_chat_takes_no_pdf(request_of: Make) -> None:
    with pytest.raises(CallError, match="accepts no PDF") as caught:
        body(request_of(Endpoint.CHAT, document=PDF), LOCAL)
    assert not caught.value.retry


@pytest.mark.parametrize("endpoint", Endpoint)
def test_a_text_that_is_no_unicode_can_still_be_sent(endpoint: Endpoint, request_of: Make) -> None:
    made = body(request_of(endpoint, text="caf\udce9"), OPENAI)
    assert "caf?" in json.dumps(made, ensure_ascii=False).encode().decode()
