"""Requests and actions to run."""

from collections.abc import Callable

import pytest

from pfcore.llm.engine.action import Action
from pfcore.llm.protocol import Endpoint, Request


def make_request(text: str = "the text", **changes: object) -> Request:
    values: dict[str, object] = {
        "endpoint": Endpoint.CHAT,
        "model": "a-model",
        "instructions": "Read.",
        "text": text,
        "limit": 100,
    }
    return Request(**{**values, **changes})  # type: ignore[arg-type]


@pytest.fixture
def request_of() -> Callable[..., Request]:
    """A request with some fields changed."""
    return make_request


@pytest.fixture
def action() -> Callable[..., Action]:
    """An action with this text."""

    def make(text: str = "the text", *, stage: str = "verify", **changes: int) -> Action:
        return Action(stage=stage, prompt="verify/v1", request=make_request(text), **changes)

    return make
