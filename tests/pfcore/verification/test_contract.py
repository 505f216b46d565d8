"""The asking contract: each of its fields tells contracts apart, and judging settings none."""

from dataclasses import fields, replace
from typing import Any

import pytest

from pfcore.llm.protocol import Endpoint
from pfcore.verification.contract import STRICTNESS, Contract, Granularity, Judging

CONTRACT = Contract(endpoint=Endpoint.CHAT, model="m", prompts=(("verify", "v1"),))
OTHER: dict[str, Any] = {
    "endpoint": Endpoint.RESPONSES,
    "model": "n",
    "effort": "high",
    "temperature": "0",
    "limit": 5,
    "prompts": (("verify", "v2"),),
    "granularity": Granularity.FINE,
    "bound": 7,
    "attempts": 0,
    "pieces": 9,
    "strictness": "lenient",
    "conventions": "Rings are commutative.",
    "form": "pf-context/2",
    "asks": False,
}


def test_the_walk_knows_every_field() -> None:
    assert {field.name for field in fields(Contract)} == set(OTHER)


@pytest.mark.parametrize("name", OTHER)
def test_any_field_tells_contracts_apart(name: str) -> None:
    assert replace(CONTRACT, **{name: OTHER[name]}).digest() != CONTRACT.digest()


def test_the_order_of_prompts_tells_nothing() -> None:
    pairs = (("a", "v1"), ("b", "v1"))
    one, other = replace(CONTRACT, prompts=pairs), replace(CONTRACT, prompts=pairs[::-1])
    assert one.digest() == other.digest()
    assert CONTRACT.version("verify") == "v1"


def test_strictness_is_a_level_or_in_words() -> None:
    assert CONTRACT.strictness_words() == STRICTNESS["standard"]
    assert replace(CONTRACT, strictness="Be kind.").strictness_words() == "Be kind."


@pytest.mark.parametrize("votes", [(0, 2), (4, 4), (2, 1)])
def test_votes_that_cannot_be_are_refused(votes: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="votes must"):
        Judging(rollouts=3, min_votes=votes[0], blocking_votes=votes[1])
