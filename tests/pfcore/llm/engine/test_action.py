"""A walk over the fields of an action: each of them changes the key."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest

from pfcore.llm.engine.action import Action, EngineEvent, EngineEventKind, UsageTally
from pfcore.llm.protocol import Document, Endpoint, Request, TokenUsage

PDF = Document(name="paper.pdf", digest="d1", content=b"%PDF")
OTHER: dict[str, Any] = {
    "endpoint": Endpoint.RESPONSES,
    "model": "another",
    "instructions": "Read twice.",
    "text": "other text",
    "effort": "high",
    "temperature": "0.5",
    "limit": 101,
    "document": PDF,
    "stage": "calibrate",
    "prompt": "verify/v2",
    "rollout": 2,
    "generation": 1,
}


def test_the_walk_knows_every_field() -> None:
    known = {field.name for field in (*fields(Request), *fields(Action))} - {"request"}
    assert known == set(OTHER)


@pytest.mark.parametrize("field", [field.name for field in fields(Request)])
def test_any_field_of_the_request_changes_the_key(
    action: Callable[..., Action], field: str
) -> None:
    one = action()
    other = replace(one, request=replace(one.request, **{field: OTHER[field]}))
    assert one.key() != other.key()


@pytest.mark.parametrize("field", ["stage", "prompt", "rollout", "generation"])
def test_any_field_of_the_action_changes_the_key(action: Callable[..., Action], field: str) -> None:
    one = action()
    assert one.key() != replace(one, **{field: OTHER[field]}).key()


def test_the_name_of_a_pdf_and_where_it_lay_change_nothing(action: Callable[..., Action]) -> None:
    one = action()
    first = replace(one, request=replace(one.request, document=PDF))
    other = replace(one, request=replace(one.request, document=replace(PDF, name="x/y.pdf")))
    assert first.key() == other.key()


def test_equal_actions_have_equal_keys(action: Callable[..., Action]) -> None:
    assert action().key() == action().key()


def test_requests_that_failed_are_counted_each_once() -> None:
    tally = UsageTally()
    for kind, usage, may_pass in (
        (EngineEventKind.RETRY, 0, False),
        (EngineEventKind.RETRY, 0, False),
        (EngineEventKind.FAILED, 0, True),
        (EngineEventKind.FAILED, 5, True),
        (EngineEventKind.FAILED, 0, False),
        (EngineEventKind.RAN, 5, False),
    ):
        tally.add(
            EngineEvent(
                kind=kind, stage="verify", key="k", usage=TokenUsage(input=usage), may_pass=may_pass
            )
        )
    assert (tally.calls, tally.unanswered) == (2, 3)
