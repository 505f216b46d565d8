from collections.abc import Callable

import pytest

from pfcore.llm.connection import OPENAI
from pfcore.llm.prices import PRICES, Price, most, price_of, spent
from pfcore.llm.protocol import Request, TokenUsage

LOCAL = "http://localhost:8000/v1"
OWN = Price(input=1, cached=1, output=1)


@pytest.mark.parametrize(
    ("model", "url", "price"),
    [
        ("gpt-5.4-mini", OPENAI, PRICES["gpt-5.4-mini"]),
        ("gpt-5.4-mini-2026-03-17", OPENAI, PRICES["gpt-5.4-mini"]),
        ("gpt-5.4-mini-large", OPENAI, None),
        ("unknown", OPENAI, None),
        ("unknown", LOCAL, Price()),
        ("gpt-5.4-mini", LOCAL, Price()),
        ("own", OPENAI, OWN),
        ("own-2026-01-01", OPENAI, OWN),
        ("own", LOCAL, OWN),
    ],
)
def test_a_price_is_known_or_it_is_not(model: str, url: str, price: Price | None) -> None:
    assert price_of(model, url, {"own": OWN}) == price


def test_a_dated_model_can_have_a_price_of_its_own() -> None:
    own = {"m": Price(), "m-2026-01-01": OWN}
    assert price_of("m-2026-01-01", OPENAI, own) == OWN


def test_an_uncounted_call_is_not_cheaper_than_a_counted_one(
    request_of: Callable[..., Request],
) -> None:
    request = request_of(text="x" * 1000)
    assert spent(request, "y" * 100) == TokenUsage(input=most(request).input, output=41)
